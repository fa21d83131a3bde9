"""The tools and resources for a shell: `vim-mcp call`, `read` and `tools`. Standard library only.

Exit statuses: 0 done; 1 it failed, or no hub can be had; 2 there is no such tool, argument or resource; 3 no editor is
connected, none has that instance id, or several could be meant. Results are on stdout, reasons on stderr.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from vim_mcp import listing
from vim_mcp.hubclient import HubClient, RequestFailed

FAILED, BAD_ARGUMENTS, NO_EDITOR = 1, 2, 3
_CODES = {-32602: BAD_ARGUMENTS, 1001: NO_EDITOR, 1002: NO_EDITOR}
"""Codes of errors, ours and JSON-RPC's, with the exit statuses that they become."""
_NAME = "vim-mcp call"
"""What editors call us: in their history, and when they ask their user."""


class BadArguments(Exception):
    """The words after the tool's name cannot be understood; the message says which and what to write."""


def add_commands(commands: Any) -> None:
    """Add the commands to argparse's subparsers; each sets `run`, which takes the arguments and gives the status."""
    call = _add(commands, "call", "run a tool in an editor, and print its result", _call)
    call.add_argument("tool", metavar="TOOL", help="a name that `vim-mcp tools` lists")
    call.add_argument(
        "words",
        metavar="ARGUMENT",
        nargs="*",
        default=[],
        help="KEY=VALUE for each, or one JSON object, or - for one on stdin",
    )
    read = _add(commands, "read", "print a resource, such as buffer/current; without a URI list them", _read)
    read.add_argument("uri", metavar="URI", nargs="?", help="such as vim://buffer/current (vim:// may be left out)")
    tools = _add(commands, "tools", "list the tools, or explain one", _tools)
    tools.add_argument("tool", metavar="TOOL", nargs="?", help="the one to be explained")


def _add(commands: Any, name: str, text: str, run: Callable[[HubClient, argparse.Namespace], int]) -> Any:
    epilog = (
        "exit status: 0 done; 1 it failed; 2 no such tool, argument or resource; 3 no editor, or several could be meant"
    )
    parser = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.", epilog=epilog)
    parser.add_argument("-i", "--instance", metavar="INSTANCE", help="the editor, by its id (`vim-mcp status`)")
    parser.add_argument("--json", action="store_true", help="the whole result as MCP has it")
    parser.set_defaults(run=lambda arguments: _served(run, arguments))
    return parser


def _served(run: Callable[[HubClient, argparse.Namespace], int], arguments: argparse.Namespace) -> int:
    """Run a command with a client of its own, and make exit statuses of what goes wrong."""
    if sys.stdout:  # it may be closed, and a terminal may lack our characters
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    client = HubClient(_NAME, arguments.instance)
    try:
        return run(client, arguments)
    except BadArguments as error:
        return _refuse(str(error), BAD_ARGUMENTS)
    except RequestFailed as error:
        if arguments.json:
            _print_json({"error": error.error})
        return _refuse(str(error), _status(error.error))
    finally:
        client.close()


def _status(error: dict[str, Any]) -> int:
    """The exit status for an error with a code."""
    return _CODES.get(int(error.get("code", 0)), FAILED)


def _refuse(reason: str, status: int) -> int:
    print(f"vim-mcp: {_for_a_shell(reason) if status == NO_EDITOR else reason}", file=sys.stderr)
    return status


def _for_a_shell(reason: str) -> str:
    """The reason without an editor in words for a person: the hub's are for a model, with the editors that are there
    below them.
    """
    told, _, there = reason.partition("\n")
    if not there:
        return reason
    first = there.removeprefix("- ").partition(": ")[0]
    known = re.split(r" Connected:| and none is selected|, and those are chosen", told)[0].rstrip(".")
    return f"{known}. Choose one with -i INSTANCE, such as -i {first}; there are:\n{there}"


def _print_json(content: Any) -> None:
    print(json.dumps(content, indent=2, ensure_ascii=False))


# call


def _call(client: HubClient, arguments: argparse.Namespace) -> int:
    given = parsed(arguments.words, lambda: _schema(client, arguments.tool))
    result = client.request("tools/call", {"name": arguments.tool, "arguments": given}, _progress())
    status = _status(result.get("_meta") or {}) if result.get("isError") else 0
    if arguments.json:
        _print_json(result)
    elif status:
        _refuse("\n".join(listing.blocks(result)), status)
    else:
        print(*listing.blocks(result), sep="\n")
    return status


def _progress() -> Callable[[str], None] | None:
    """Tells a person what a call waits for, once each time that this changes; a script is told nothing."""
    if not sys.stderr.isatty():
        return None
    last = [""]

    def told(words: str) -> None:
        if words and words != last[0]:
            print(f"vim-mcp: {words}", file=sys.stderr)
        last[0] = words

    return told


def _schema(client: HubClient, tool: str) -> dict[str, Any] | None:
    return next((t["inputSchema"] for t in client.request("tools/list")["tools"] if t["name"] == tool), None)


def parsed(words: list[str], schema: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
    """A tool's arguments from a command's words: one JSON object, `-` (one on stdin), or `KEY=VALUE` for each.

    `schema` gives the tool's input schema, which says which values are text; None: the hub will say that there is no
    such tool. Raises `BadArguments`.
    """
    if not words:
        return {}
    if words == ["-"]:
        return _object(sys.stdin.read(), "stdin")
    if words[0].lstrip().startswith("{"):
        if len(words) > 1:
            raise BadArguments(f"{words[1]!r} comes after the JSON object: quote the object, and give nothing else")
        return _object(words[0], "the argument")
    return dict(_pairs(words, schema()))


def _object(text: str, where: str) -> dict[str, Any]:
    try:
        content = json.loads(text)
    except ValueError as error:
        raise BadArguments(f'{where} is no JSON ({error}): write it as \'{{"key": "value"}}\'') from None
    if not isinstance(content, dict):
        raise BadArguments(f'{where} is no JSON object: write it as \'{{"key": "value"}}\'')
    return content


def _pairs(words: list[str], schema: dict[str, Any] | None) -> Iterator[tuple[str, Any]]:
    known = schema["properties"] if schema else None
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise BadArguments(f"{word!r} is neither KEY=VALUE nor a JSON object")
        if known is not None and key not in known:
            names = ", ".join(known) or "none"
            raise BadArguments(f"There is no argument {key!r}; there are: {names}")
        yield key, value if known is None or "string" in listing.types(known[key]) else _value(value)


def _value(text: str) -> Any:
    """A number, true, false or a list as JSON writes it; anything else as it stands, for the hub to complain of."""
    try:
        return json.loads(text)
    except ValueError:
        return text


# read and tools


def _read(client: HubClient, arguments: argparse.Namespace) -> int:
    if arguments.uri is None:
        return _list_resources(client, arguments.json)
    result = client.request("resources/read", {"uri": whole(arguments.uri)})
    if arguments.json:
        _print_json(result)
    else:
        for content in result["contents"]:
            sys.stdout.write(listing.content(content))
            if (content.get("_meta") or {}).get("lossy"):
                print("vim-mcp: bytes that are no UTF-8 were replaced", file=sys.stderr)
    return 0


def whole(uri: str) -> str:
    """The address with what a shell's user need not write: `vim://`, and that all of a buffer's text is wanted."""
    full = uri if "://" in uri else f"vim://{uri.lstrip('/')}"
    if not full.startswith("vim://buffer/") or "last=" in full:
        return full
    return f"{full}{'&' if '?' in full else '?'}last=-1"


def _list_resources(client: HubClient, as_json: bool) -> int:
    found = {**client.request("resources/list"), **client.request("resources/templates/list")}
    if as_json:
        _print_json(found)
    else:
        print(*listing.resources(found["resources"] + found["resourceTemplates"]), sep="\n")
    return 0


def _tools(client: HubClient, arguments: argparse.Namespace) -> int:
    tools = client.request("tools/list")["tools"]
    wanted = [tool for tool in tools if arguments.tool in (None, tool["name"])]
    if not wanted:
        names = ", ".join(tool["name"] for tool in tools)
        raise BadArguments(f"There is no tool {arguments.tool!r}; there are: {names}")
    if arguments.json:
        _print_json(wanted[0] if arguments.tool else {"tools": wanted})
    else:
        print(*(listing.explained(wanted[0]) if arguments.tool else listing.tools(wanted)), sep="\n")
    return 0
