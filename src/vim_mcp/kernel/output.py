"""What a kernel says, made fit for a model: clean text of bounded length, and images. Pure."""

from __future__ import annotations

import json
import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any

LIMIT = 40_000
"""Characters of text that one run's result holds, about."""
_LEAST = 2_000
"""Characters that every piece of it may have, however long those before it are."""
_MARKUP = 2_000
"""Characters of HTML that are told besides the text form."""
_MAX_IMAGES = 10
_MAX_REPLACED = 100
"""Pieces that can be replaced by a later form of theirs; what comes then is text like any other."""
_MAX_IMAGE = 5_000_000
"""Characters of an image's Base64: what models take."""

_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")
_MARKED = ("text/markdown", "text/latex", "application/json", "application/javascript")
_SAYS_NOTHING = re.compile(r"<[^<>\n]*( object( at 0x[0-9a-f]+)?|Figure[^<>\n]*)>")

# Control sequences (CSI), strings (OSC and the like, up to BEL or ST), and two-character ones.
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-OQ-WYZ\\`-~])")
_BEGUN = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]{0,500}\x1b?|[ -/]*)$")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Half a surrogate pair among them: it is no character, and cannot be sent on."""


@dataclass(frozen=True)
class Picture:
    """An image: Base64, and its MIME type."""

    data: str
    mime_type: str


Piece = str | Picture


def plain(text: str) -> str:
    """`text` without terminal codes and other control characters; of lines written over, what stayed."""
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROLS.sub("", text)


class Bounded:
    """Text that may become any length, of which the beginning and the end are kept: `limit` characters in all."""

    def __init__(self, limit: int = LIMIT):
        self._half = limit // 2
        self._head = ""
        self._tail: deque[str] = deque()
        self._tail_size = 0
        self._cut = 0
        self._cut_lines = 0
        self._held = ""

    def feed(self, text: str) -> None:
        """Take more text; an escape sequence may be divided between two."""
        if self._held or "\x1b" in text:
            text = _ESCAPES.sub("", self._held + text)
            begun = _BEGUN.search(text)
            self._held = begun[0] if begun else ""
            text = text[: len(text) - len(self._held)]
        room = self._half - len(self._head)
        self._head += text[:room]
        if text[room:]:
            self._tail.append(text[room:])
            self._tail_size += len(text) - room
            self._trim()

    def _trim(self) -> None:
        while len(self._tail) > 1 and self._tail_size - len(self._tail[0]) >= self._half:
            self._tail_size -= len(self._tail[0])
            self._note(self._tail.popleft())
        if self._tail_size > 2 * self._half:
            whole = "".join(self._tail)
            self._tail = deque([whole[-self._half :]])
            self._note(whole[: -self._half])
            self._tail_size = self._half

    def _note(self, text: str) -> None:
        self._cut += len(text)
        self._cut_lines += text.count("\n")

    def __len__(self) -> int:
        return len(self._head) + self._tail_size

    def line_begins(self) -> bool:
        """Whether what comes next stands at the beginning of a line."""
        return (self._tail[-1] if self._tail else self._head or "\n").endswith("\n")

    def text(self) -> str:
        """What is kept, clean, with a note where something is missing."""
        tail = "".join(self._tail)
        over = len(tail) - self._half if len(tail) > self._half else 0
        cut, lines = self._cut + over, self._cut_lines + tail[:over].count("\n")
        if not cut:
            return plain(self._head + tail)
        note = f"\n[… {cut:,} characters ({lines:,} lines) left out …]\n"
        return plain(self._head) + note + plain(tail[over:])


def display(data: dict[str, Any]) -> list[Piece]:
    """The forms of one result that say most, by MIME type: an image, else text, and HTML behind its text form."""
    for mime_type in _IMAGES:
        if isinstance(image := data.get(mime_type), str):
            return [_picture(image.replace("\n", ""), mime_type)]
    text = _text(data.get("text/plain"))
    pieces: list[Piece] = [] if _SAYS_NOTHING.fullmatch(text) else [text]
    if svg := _text(data.get("image/svg+xml")):
        return [svg]
    if html := _text(data.get("text/html")):
        pieces.append(_cut(html, _MARKUP if pieces else LIMIT // 2))
    elif not pieces:
        pieces += next(([marked] for name in _MARKED if (marked := _text(data.get(name)))), [])
    return [piece for piece in pieces if piece] or [text]


def _picture(image: str, mime_type: str) -> Piece:
    if len(image) > _MAX_IMAGE:
        return f"[an image ({mime_type}) of {len(image) * 3 // 4:,} bytes left out: it is too large]"
    return Picture(image, mime_type)


def _text(value: Any) -> str:
    """A form's text: some kernels give lists of lines, and JSON is given as it is."""
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return "".join(value)
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n[… {len(text) - limit:,} characters left out …]"


@dataclass
class _Shown:
    """A piece of the result: text that may grow, or an image; `display_id` where it can be replaced."""

    text: Bounded | None = None
    picture: Picture | None = None
    display_id: str | None = None


@dataclass
class Transcript:
    """All that one run's messages have brought, in their order."""

    failed: bool = False
    """Whether the code ended by an error."""
    error: str = ""
    """The error's name."""
    _shown: list[_Shown] = field(default_factory=list)
    _clear: bool = False
    _images: int = 0

    @property
    def last_line(self) -> str:
        """The last line of text, as far as it has come; "" where there is none, or an image is the last."""
        last = self._shown[-1].text if self._shown else None
        return last.text()[-500:].rstrip("\n").rpartition("\n")[2][-200:] if last else ""

    def take(self, kind: str, content: dict[str, Any]) -> None:
        """A message of the kernel's: its `msg_type` and content."""
        if kind == "clear_output":
            self._clear = True
            if not content.get("wait"):
                self._clear_now()
        elif kind == "stream":
            self._clear_now()
            self._write(str(content.get("text", "")))
        elif kind in ("execute_result", "display_data"):
            self._clear_now()
            self._show(content, (content.get("transient") or {}).get("display_id"))
        elif kind == "update_display_data":
            self._update(content)
        elif kind == "error":
            self._clear_now()
            self._fail(content)

    def _clear_now(self) -> None:
        if self._clear:
            self._clear, self._shown = False, []

    def _write(self, text: str, own_lines: bool = False) -> None:
        """Add text to the piece that grows; with `own_lines` on lines of its own."""
        block = self._growing()
        if own_lines:
            text = text + "\n" if block.line_begins() else f"\n{text}\n"
        block.feed(text)

    def _growing(self) -> Bounded:
        last = self._shown[-1] if self._shown else None
        if last is not None and last.text is not None and not last.display_id:
            return last.text
        text = Bounded(self._room())
        self._shown.append(_Shown(text))
        return text

    def _room(self) -> int:
        return max(_LEAST, LIMIT - sum(len(shown.text) for shown in self._shown if shown.text))

    def _show(self, content: dict[str, Any], display_id: str | None) -> None:
        display_id = display_id if len(self._shown) < _MAX_REPLACED else None
        for piece in display(content.get("data") or {}):
            if isinstance(piece, Picture) and self._images >= _MAX_IMAGES:
                piece = f"[an image ({piece.mime_type}) left out: there are {_MAX_IMAGES} already]"
            if isinstance(piece, Picture):
                self._images += 1
                self._shown.append(_Shown(picture=piece, display_id=display_id))
            elif display_id:
                text = Bounded(self._room())
                text.feed(piece)
                self._shown.append(_Shown(text, display_id=display_id))
            else:
                self._write(piece, own_lines=True)

    def _update(self, content: dict[str, Any]) -> None:
        display_id = (content.get("transient") or {}).get("display_id")
        places = [number for number, shown in enumerate(self._shown) if display_id and shown.display_id == display_id]
        if not places:
            return
        later = self._shown[places[-1] + 1 :]
        self._images -= sum(self._shown[place].picture is not None for place in places)
        self._shown = [shown for shown in self._shown[: places[-1]] if shown.display_id != display_id]
        self._show(content, display_id)
        self._shown += later

    def _fail(self, content: dict[str, Any]) -> None:
        self.failed, self.error = True, str(content.get("ename", ""))
        trace = content.get("traceback") or [f"{content.get('ename')}: {content.get('evalue')}"]
        self._write("\n".join(map(str, trace)), own_lines=True)

    def pieces(self) -> list[Piece]:
        """Text and images; text that holds nothing but white space is left out."""
        found: list[Piece] = []
        for shown in self._shown:
            if shown.picture:
                found.append(shown.picture)
            elif shown.text and (text := shown.text.text().strip("\n")).strip():
                found.append(text)
        return found
