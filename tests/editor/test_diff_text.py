"""Reviews keep every byte: what is proposed comes back as it was, and the file is shown as it is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.support.editing import command
from tests.support.editors import EditorHome
from tests.support.inside import Inside
from tests.support.reviewing import Desk, Verdict

TEXTS: dict[str, bytes] = {
    "plain": b"one\ntwo\n",
    "no final newline": b"one\ntwo",
    "empty": b"",
    "a newline": b"\n",
    "newlines": b"\n\n\n",
    "a line without an end": b"x",
    "CRLF": b"one\r\ntwo\r\n",
    "CRLF without the last": b"one\r\ntwo",
    "CRLF and a last CR": b"one\r\ntwo\r",
    "mixed line ends": b"one\r\ntwo\nthree\r\n",
    "CR alone": b"one\rtwo\rthree",
    "a CR": b"\r",
    "CR CR LF": b"one\r\r\ntwo\r\r\n",
    "a byte order mark": b"\xef\xbb\xbfone\n",
    "only a byte order mark": b"\xef\xbb\xbf",
    "NUL": b"a\0b\n\0\n\0",
    "CTRL-Z": b"one\ntwo\x1a",
    "control characters": bytes(byte for byte in range(32) if byte not in (10, 13)) + b"\x7f\n",
    "wide": "é 漢字 𝒳 e\u0301\n".encode(),
    "no characters": "\ufeff\ufffe\uffff\U0010ffff\u2028\n".encode(),
    "an encrypted file's beginning": b"VimCrypt~03!abcdefgh12345678\n",
    "a modeline": b"text\n# vim: set ft=ruby ff=dos fenc=latin1 noeol bin:\n",
    "a long line": b"x" * 1_000_000 + b"\n",
    "many lines": b"".join(b"line %d\n" % number for number in range(100_000)),
    "tabs and blanks": b"\tone \n \t\n",
    "a + and a !": b"+1\n!ls\n++bin\n",
}

FILES: dict[str, bytes] = TEXTS | {
    "invalid UTF-8": b"caf\xe9 \xff\xfe\xc0\x80\xed\xa0\x80\n\xf8\n",
    "all bytes": bytes(range(256)) * 2,
    "UTF-16": b"\xff\xfe" + "one\ntwo\n".encode("utf-16-le"),
    "UTF-16, the other way": b"\xfe\xff" + "one\ntwo\n".encode("utf-16-be"),
}

OTHER = b"something else\n"


def answered(desk: Desk, new: bytes, old: bytes | None, keys: str) -> Verdict:
    """The verdict that these keys give."""
    review = desk.propose(new, old)
    desk.terminal.type(keys)
    return desk.verdict(review)


@pytest.mark.slow
@pytest.mark.requirement("IDE-REVIEW-03")
def test_every_proposal_comes_back_as_it_was(desk: Desk, inside: Inside) -> None:
    for name, text in TEXTS.items():
        for old in (OTHER, text):
            assert answered(desk, text, old, ":w\r") == ("accepted", text), name
            desk.wait_closed()
    assert inside.value(desk.terminal, "[len(getbufinfo()), v:errmsg]") == [1, ""]


@pytest.mark.requirement("IDE-REVIEW-03")
def test_every_file_is_shown_beside_a_proposal(desk: Desk, inside: Inside) -> None:
    for name, text in FILES.items():
        assert answered(desk, OTHER, text, ":w\r") == ("accepted", OTHER), name
        desk.wait_closed()
        assert desk.file.read_bytes() == text
    assert inside.value(desk.terminal, "[len(getbufinfo()), v:errmsg]") == [1, ""]


@pytest.mark.requirement("IDE-REVIEW-03")
def test_a_file_that_is_taken_back_comes_as_it_is(desk: Desk) -> None:
    """All of the left side taken over with `:diffput`, and the last line's end as it is there."""
    for name, text in TEXTS.items():
        if text and not name.startswith(("CRLF", "CR CR LF")):
            keys = "\x17h:%diffput | let eol = &eol\r\x17l:let &l:eol = eol\r:w\r"
            assert answered(desk, OTHER, text, keys) == ("accepted", text), name
            desk.wait_closed()


@pytest.mark.requirement("IDE-REVIEW-03")
def test_random_bytes_come_back(desk: Desk) -> None:
    dice = random.Random(4)
    pieces = ["\n", "\r\n", "\r", "\0", "a", "é", "漢", "\U0001d4b3", "\ufeff", "\t", "\x1a", "\\", " "]
    for _ in range(40):
        old, new = ("".join(dice.choices(pieces, k=dice.randint(0, 12))).encode() for _ in "12")
        assert answered(desk, new, old, ":w\r") == ("accepted", new), (old, new)
        desk.wait_closed()


@pytest.mark.parametrize(
    ("new", "keys", "wanted"),
    [
        (b"one\ntwo", "Gothree\x1b", b"one\ntwo\nthree"),
        (b"one\ntwo\n", "Gothree\x1b", b"one\ntwo\nthree\n"),
        (b"one\r\ntwo\r\n", "Gothree\x1b", b"one\r\ntwo\r\nthree\r\n"),
        (b"one\r\ntwo", "ggOzero\x1b", b"zero\r\none\r\ntwo"),
        (b"one\ntwo", ":set eol\r", b"one\ntwo\n"),
        (b"one\ntwo\n", ":set noeol\r", b"one\ntwo"),
        (b"one\n", "ggdG", b""),
        (b"one", "ggdG", b""),
        (b"one\n", "cc\x1b", b"\n"),
        (b"", "ione\x1b", b"one\n"),
        (b"a\0b\n", "xi\x16000\x1b", b"\0\0b\n"),
        ("é\n".encode(), "ox\u0301漢\x1b", "é\nx\u0301漢\n".encode()),
    ],
)
@pytest.mark.requirement("IDE-REVIEW-03")
def test_what_is_changed_keeps_the_form(desk: Desk, new: bytes, keys: str, wanted: bytes) -> None:
    old = b"zero\r\n" if b"\r" in new else b"zero\n"
    assert answered(desk, new, old, keys + ":w\r") == ("accepted", wanted)


# ---- what the person sees


def shown(desk: Desk, inside: Inside, new: bytes, old: bytes | None) -> tuple[list[str], list[str]]:
    """The lines on the left and on the right."""
    desk.propose(new, old)
    left, right = inside.value(desk.terminal, "[getbufline(winbufnr(1), 1, '$'), getbufline(winbufnr(2), 1, '$')]")
    desk.terminal.type(":q\r")
    desk.link.event("review")
    desk.wait_closed()
    return left, right


@pytest.mark.requirement("IDE-REVIEW-03")
def test_line_ends_that_claude_puts_back_are_no_difference(desk: Desk, inside: Inside) -> None:
    assert shown(desk, inside, b"one\n2\n", b"one\r\ntwo\r\n") == (["one", "two"], ["one", "2"])
    assert shown(desk, inside, b"one\r\n2\r\n", b"one\r\ntwo\r\n") == (["one", "two"], ["one", "2"])
    assert shown(desk, inside, b"one\r\n2\r\n", b"one\ntwo\n") == (["one", "two"], ["one\r", "2\r"])
    assert shown(desk, inside, b"one\n2\r\n", b"one\r\ntwo\r\n") == (["one\r", "two\r"], ["one", "2\r"])
    assert shown(desk, inside, b"one\n2\n", b"one\r\ntwo\n") == (["one\r", "two"], ["one", "2"])


@pytest.mark.requirement("IDE-REVIEW-03")
def test_utf_16_is_shown_as_text(desk: Desk, inside: Inside) -> None:
    for mark, name in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")):
        old = mark + "é漢\ntwo\n".encode(name)
        assert shown(desk, inside, "é\n".encode(), old) == (["\ufeffé漢", "two"], ["é"])


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.requirement("IDE-REVIEW-03")
def test_a_file_is_shown_from_the_encoding_of_its_buffer(desk: Desk, inside: Inside, ends: bytes) -> None:
    desk.file.write_bytes(b"caf\xe9" + ends + b"two" + ends)
    command(desk.terminal, "set hidden | edit ++enc=latin1 calc.py | edit one.txt")
    assert shown(desk, inside, "cafè\n".encode(), None) == (["café", "two"], ["cafè"])
    assert desk.file.read_bytes() == b"caf\xe9" + ends + b"two" + ends


@pytest.mark.requirement("IDE-REVIEW-03")
def test_options_of_the_persons_do_not_touch_the_bytes(home: EditorHome, desk: Desk) -> None:
    command(
        desk.terminal,
        "set fileformats=dos,mac fileformat=dos fileencodings=latin1 bomb binary noeol fixeol expandtab tw=3 ai"
        " backup patchmode=.orig writebackup undofile",
    )
    for name in ("no final newline", "CRLF", "mixed line ends", "a byte order mark", "wide", "a newline", "empty"):
        assert answered(desk, TEXTS[name], OTHER, ":w\r") == ("accepted", TEXTS[name]), name
        desk.wait_closed()
    assert sorted(path.name for path in desk.file.parent.iterdir()) == ["calc.py"]


# ---- Vim with another 'encoding'


@pytest.fixture
def latin1(home: EditorHome, kind: str) -> None:
    """Vim's 'encoding' is latin1; Neovim has utf-8 alone."""
    if kind != "vim":
        pytest.skip("Neovim's 'encoding' is always utf-8")
    home.add("set encoding=latin1 termencoding=utf-8")


@pytest.mark.slow
@pytest.mark.requirement("IDE-REVIEW-03")
def test_every_byte_is_kept_in_another_encoding(latin1: None, desk: Desk) -> None:
    for name, text in TEXTS.items():
        assert answered(desk, text, OTHER, ":w\r") == ("accepted", text), name
        desk.wait_closed()
    for name, text in FILES.items():
        assert answered(desk, OTHER, text, ":w\r") == ("accepted", OTHER), name
        desk.wait_closed()


def test_what_the_encoding_has_can_be_read_and_typed(latin1: None, desk: Desk) -> None:
    desk.propose("café 2\n".encode(), "café\n".encode())
    desk.terminal.wait_screen(lambda screen: screen.count("café") == 2)
    desk.terminal.type("oé\x1b:w\r")
    assert desk.verdict() == ("accepted", "café 2\né\n".encode())


def test_what_it_has_not_is_kept_as_bytes(latin1: None, desk: Desk) -> None:
    assert answered(desk, "é 漢字\n".encode(), "é\n".encode(), "otwo\x1b:w\r") == ("accepted", "é 漢字\ntwo\n".encode())


@pytest.mark.requirement("IDE-REVIEW-03")
def test_the_file_beside_the_proposal_is_not_touched(desk: Desk, tmp_path: Path) -> None:
    """Nothing is made on disk but the answer."""
    directories = (tmp_path / "project", tmp_path / "run")
    before = [sorted(directory.rglob("*")) for directory in directories]
    desk.propose(old=None)
    desk.terminal.type(":q\r")
    desk.verdict()
    desk.wait_closed()
    assert [sorted(directory.rglob("*")) for directory in directories] == before
