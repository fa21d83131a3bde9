"""Completion in bash, zsh and fish: each shell's script asks `vim-mcp complete WORDS` what may stand last.

Standard library only, and no hub is started or waited for long: a TAB must answer at once.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from typing import Any

from vim_mcp import control, offered
from vim_mcp.paths import ConfigError
from vim_mcp.starter import HubUnreachable

SHELLS = ("bash", "zsh", "fish")

Candidate = tuple[str, str]
"""What may be written, and what it means ("" where that is plain)."""


def add_command(commands: Any) -> None:
    """Add `vim-mcp completion` to argparse's subparsers."""
    parser = commands.add_parser("completion", help="print the script that makes a shell complete vim-mcp's arguments")
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")
    parser.set_defaults(run=lambda arguments: print(script(arguments.shell), end="") or 0)


def script(shell: str) -> str:
    """The script for a shell."""
    with open(os.path.join(os.path.dirname(__file__), "completions", f"vim-mcp.{shell}"), encoding="utf-8") as file:
        return file.read()


def run(parser: argparse.ArgumentParser, words: list[str]) -> int:
    """Print what may stand in place of the last of the words after `vim-mcp`, with its meaning after a TAB; 0."""
    for text, meaning in candidates(parser, words or [""]):
        print(f"{text}\t{meaning}" if meaning else text)
    return 0


def candidates(parser: argparse.ArgumentParser, words: list[str]) -> list[Candidate]:
    """The continuations of the last word, which may be ""."""
    *before, last = words
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    named = next((word for word in before if not word.startswith("-")), None)
    if named is None:
        found = [*_commands(commands), *_options(parser)]
    elif named in commands.choices:
        found = list(_of_command(commands.choices[named], before[before.index(named) + 1 :], last))
    else:
        found = []
    if not last.startswith("-"):
        found = [entry for entry in found if not entry[0].startswith("-")]
    return [entry for entry in found if entry[0].startswith(last)]


def _commands(commands: Any) -> Iterator[Candidate]:
    for action in commands._choices_actions:
        yield action.dest, action.help or ""


def _options(parser: argparse.ArgumentParser) -> Iterator[Candidate]:
    for action in parser._actions:
        for option in action.option_strings:
            yield option, action.help or ""


def _of_command(parser: argparse.ArgumentParser, before: list[str], last: str) -> Iterator[Candidate]:
    """What may stand behind the words of a command: the value of the option before, an option, or its next word."""
    options = {option: action for action in parser._actions for option in action.option_strings}
    waiting = options.get(before[-1]) if before else None
    if waiting is not None and waiting.nargs != 0:
        yield from _values(waiting)
        return
    yield from _options(parser)
    words = _positional(before, options)
    places = [action for action in parser._actions if not action.option_strings]
    if places and places[-1].nargs == "*" and len(words) >= len(places) - 1:
        yield from _arguments(words[0], words[1:], last)
    elif len(words) < len(places):
        yield from _values(places[len(words)], last)


def _positional(before: list[str], options: dict[str, argparse.Action]) -> list[str]:
    """The words that are neither options nor their values."""
    values = {index + 1 for index, word in enumerate(before) if word in options and options[word].nargs != 0}
    return [word for index, word in enumerate(before) if index not in values and not word.startswith("-")]


def _values(action: argparse.Action, last: str = "") -> Iterator[Candidate]:
    """What an argument takes, by its name in the help."""
    if action.choices:
        yield from ((str(choice), "") for choice in action.choices)
    elif action.metavar == "TOOL":
        yield from ((name, title) for name, (title, _) in offered.TOOLS.items())
    elif action.metavar == "URI":
        start = "" if last.startswith("vim:") else "vim://"
        yield from ((uri.removeprefix(start), text) for uri, text in offered.RESOURCES.items())
    elif action.metavar == "INSTANCE":
        yield from _instances()


def _instances() -> Iterator[Candidate]:
    """The editors that are connected now; none where no hub says so."""
    with contextlib.suppress(HubUnreachable, ConfigError, KeyError, TypeError):
        answer = control.ask({"type": "status"}) or {"instances": []}
        for instance in answer["instances"]:
            file = instance.get("current_file") or instance["main_file"] or "[No Name]"
            yield instance["instance_id"], f"{file} in {instance['cwd']}"


def _arguments(tool: str, given: list[str], last: str) -> Iterator[Candidate]:
    """`KEY=` for what has not been given yet, and behind it the values, where they are few."""
    _, arguments = offered.TOOLS.get(tool, ("", {}))
    key, equals, _ = last.partition("=")
    if not equals:
        taken = {word.partition("=")[0] for word in given}
        yield from ((f"{name}=", "") for name in arguments if name not in taken)
    elif key == "instance_id":
        yield from ((f"{key}={name}", meaning) for name, meaning in _instances())
    else:
        yield from ((f"{key}={value}", "") for value in arguments.get(key, ()))
