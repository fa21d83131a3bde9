"""The Ex-command policy against real editors: its tables mean what they say, and what it lets through does no harm.

POLICY_ROUNDS=20 in the environment tries twenty times as many random commands.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.support.attacks import FATAL, LIVE
from tests.support.commandlines import CommandLines
from tests.support.editors import find
from tests.support.tripwires import HEADLESS, Tripwires
from vim_mcp.excommand import SAFE_FUNCTIONS
from vim_mcp.excommand.commands import TABLE
from vim_mcp.excommand.line import MODIFIERS
from vim_mcp.excommand.names import full, spellings
from vim_mcp.excommand.options import SWITCHES, VALUES
from vim_mcp.excommand.refusals import REFUSALS

ROUNDS = int(os.environ.get("POLICY_ROUNDS", "1"))
COMMANDS = 1000
"""How many random commands one editor runs."""


@pytest.fixture
def tripwires(kind: str, tmp_path: Path) -> Tripwires:
    """An editor of each kind, with a wire wherever a safe command must not go."""
    return Tripwires(kind, tmp_path)


def evaluate(kind: str, directory: Path, expressions: list[str]) -> list[object]:
    """The values of VimScript expressions in an editor without settings."""
    (directory / "expressions").write_text("\n".join(expressions) + "\n")
    script = directory / "evaluate.vim"
    script.write_text("call writefile([json_encode(map(readfile('expressions'), 'eval(v:val)'))], 'values')\nqall!\n")
    binary = find(kind)
    assert binary is not None
    argv = [binary, "-u", "NONE", "-i", "NONE", "-n", *HEADLESS[kind], "-S", str(script)]
    subprocess.run(argv, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=True)
    values: list[object] = json.loads((directory / "values").read_bytes())
    return values


def quote(text: str) -> str:
    """A VimScript string."""
    return "'" + text.replace("'", "''") + "'"


def test_each_spelling_is_the_command_that_the_table_says(kind: str, tmp_path: Path) -> None:
    expected = {word: full(command.notation) for command in TABLE for word in spellings(command.notation)}
    found = evaluate(kind, tmp_path, [f"fullcommand({quote(word)})" for word in expected])
    assert dict(zip(expected, found, strict=True)) == expected


def test_a_mark_may_follow_k_at_once(kind: str, tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    assert evaluate(kind, tmp_path, [f"fullcommand('k{letter}')" for letter in letters]) == ["k"] * 26


def test_each_spelling_of_a_modifier_lets_the_command_run(kind: str, tmp_path: Path) -> None:
    words = [word for name in MODIFIERS for word in spellings(name)]
    shown = evaluate(kind, tmp_path, [f"execute('{word} echon 42')" for word in words])
    assert dict(zip(words, shown, strict=True)) == dict.fromkeys(words, "42")


def test_refusals_are_of_commands_that_exist(kind: str, tmp_path: Path) -> None:
    words = [word for word in REFUSALS if word.isalpha()]
    found = evaluate(kind, tmp_path, [f"fullcommand({quote(word)})" for word in words])
    unknown = {word for word, name in zip(words, found, strict=True) if name == ""}
    of_vim_alone = {word for notation in ("o[pen]", "mz[scheme]", "sh[ell]") for word in spellings(notation)}
    assert unknown <= (set() if kind == "vim" else of_vim_alone)


def test_options_have_the_names_and_kinds_that_the_table_says(kind: str, tmp_path: Path) -> None:
    shown = evaluate(kind, tmp_path, [f"execute('set {short}?')" for short in SWITCHES.values()])
    assert [str(line).strip().removeprefix("no") for line in shown] == list(SWITCHES)
    shown = evaluate(kind, tmp_path, [f"execute('set {name}?')" for name in VALUES])
    names = [str(line).strip().partition("=")[0] for line in shown]
    assert names == [name for pair in zip(*[iter(VALUES)] * 2, strict=True) for name in (pair[0], pair[0])]


def test_the_functions_exist(kind: str, tmp_path: Path) -> None:
    assert evaluate(kind, tmp_path, [f"exists('*{name}')" for name in SAFE_FUNCTIONS]) == [1] * len(SAFE_FUNCTIONS)


def test_each_attack_trips_a_wire_where_it_is_run(tripwires: Tripwires) -> None:
    """The wires are live: else the next tests would show nothing."""
    tripped = {trip.command for trip in tripwires.run(LIVE)}
    assert [attack for attack in LIVE if attack not in tripped] == []


@pytest.mark.parametrize("attack", FATAL)
def test_an_editor_that_ends_is_noticed(tripwires: Tripwires, attack: str) -> None:
    assert tripwires.run([attack, "echo 1"])[0].command == attack


@pytest.mark.slow
@pytest.mark.requirement("CMD-01", "VIM-SEC-05")
@pytest.mark.parametrize("odd", [False, True], ids=["plain", "odd options"])
@pytest.mark.parametrize("seed", range(ROUNDS))
def test_what_is_judged_safe_does_no_harm(tripwires: Tripwires, seed: int, odd: bool) -> None:
    commands = [line for line, _ in CommandLines(seed).safe(COMMANDS)]
    assert tripwires.run(commands, odd) == []


@pytest.mark.requirement("CMD-01")
@pytest.mark.parametrize(
    ("command", "encoding"),
    [("s/foo/\\\u0301=Trip(1)/", "latin1"), ("?foo\u6c34Trip|\"?d", "latin1"), ("s/foo/\xa5=Trip(1)/", "cp932")],
)  # fmt: skip
def test_characters_that_vim_converts_become_no_others(tmp_path: Path, command: str, encoding: str) -> None:
    if find("vim") is None:
        pytest.skip("Vim is not installed on this machine")
    assert Tripwires("vim", tmp_path).run([command], encoding=encoding) == []


@pytest.mark.requirement("CMD-01")
@pytest.mark.parametrize("command", ["normal! i:Trip\x1b", "silent! normal! A@q", "g/foo/normal! OK"])
def test_text_is_not_taken_for_keys_where_nothing_can_be_inserted(tripwires: Tripwires, command: str) -> None:
    assert tripwires.run([command], unmodifiable=True) == []
