"""Claude Code: registered as a plugin where its CLI knows plugins, else as an MCP server, and by nothing but its CLI.

The plugin comes from a marketplace of its own, a directory that we write: its commands name this `vim-mcp` by its
path, which need not be on the PATH of whoever starts Claude Code.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

from vim_mcp import __version__
from vim_mcp.install.places import data_directory
from vim_mcp.install.plugin import command, invocation
from vim_mcp.install.steps import Refused, Step

NAME = "vim-mcp"
PLUGIN = f"{NAME}@{NAME}"
"""The plugin's id in Claude Code."""
_TIMEOUT = 120.0
"""Seconds for one call of the CLI, which waits for a network that may not be there."""
_SOURCE = Path(__file__).resolve().parent.parent / "claude_plugin"


def find() -> str | None:
    """The path of the `claude` command: on PATH, or where its own installer puts it."""
    places = ("~/.local/bin/claude", "~/.claude/local/claude")
    return shutil.which("claude") or next(filter(None, (shutil.which(os.path.expanduser(p)) for p in places)), None)


def registering() -> Step:
    """The step that registers with Claude Code as a plugin, or as a server where the CLI knows no plugins."""
    cli = find()
    if cli is None:
        return Step(f"Claude Code: no `claude` command is on your PATH; once it is, again: {invocation()} install")
    if plugin_enabled() is False:
        return Step(f"Claude Code: the plugin is disabled; claude plugin enable {PLUGIN}")
    if plugin_enabled() and is_current():
        return Step("Claude Code: the plugin is registered")
    if has_server() and server_command() == command() and not _knows_plugins(cli):
        return Step("Claude Code: the server is registered")
    return Step("Claude Code: registered, for every directory", lambda: _register(cli))


def unregistering() -> Step:
    """The step that takes away the plugin, the server and our marketplace."""
    cli, there = find(), has_plugin() or has_server()
    if not there and not _marketplace().exists():
        return Step("Claude Code: nothing to remove")
    if there and cli is None:
        raise Refused(f"Claude Code: no `claude` command. With it: claude plugin uninstall {PLUGIN}")
    return Step("Claude Code: no longer registered", lambda: _unregister(cli))


def _register(cli: str) -> None:
    update = has_plugin()
    _write_marketplace()
    if _run(cli, "plugin", "marketplace", "add", str(_marketplace())) or _run(cli, "plugin", "install", PLUGIN):
        shutil.rmtree(_marketplace())
        _add_server(cli)
        return
    if update:
        _run(cli, "plugin", "update", PLUGIN)  # a CLI that keeps a copy of its own takes the new one
    if has_server():  # else every tool would be there twice
        _run(cli, "mcp", "remove", "--scope", "user", NAME)


def _add_server(cli: str) -> None:
    if has_server():
        _run(cli, "mcp", "remove", "--scope", "user", NAME)
    reason = _run(cli, "mcp", "add", "--scope", "user", NAME, "--", command())
    if reason:
        raise Refused(f"Claude Code: {reason}. By hand: claude mcp add --scope user {NAME} -- {shlex.quote(command())}")


def _unregister(cli: str | None) -> None:
    if cli and has_plugin():
        _run(cli, "plugin", "uninstall", PLUGIN)
        _run(cli, "plugin", "marketplace", "remove", NAME)
    if cli and has_server():
        _run(cli, "mcp", "remove", "--scope", "user", NAME)
    shutil.rmtree(_marketplace(), ignore_errors=True)
    with contextlib.suppress(OSError):  # :VimMCPInstall's environment may be there too
        data_directory().rmdir()
    if has_plugin() or has_server():
        raise Refused(f"Claude Code has kept it. By hand: claude plugin uninstall {PLUGIN}; claude mcp remove {NAME}")


def _knows_plugins(cli: str) -> bool:
    return _run(cli, "plugin", "marketplace", "--help") == ""


def _run(cli: str, *arguments: str) -> str:
    """Run the CLI, which must not ask; "" or the last line of what it says went wrong."""
    try:
        done = subprocess.run(
            [cli, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=_TIMEOUT, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    words = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return (words[-1] if words else f"status {done.returncode}") if done.returncode else ""


# What is registered, as the CLI's own files tell: asking the CLI takes seconds.


def configuration() -> Path:
    """The directory of Claude Code's settings."""
    return Path(os.path.expanduser(os.environ.get("CLAUDE_CONFIG_DIR") or "~/.claude"))


def plugin_enabled() -> bool | None:
    """Whether our plugin is enabled for the user; None where it is not installed."""
    value = _load(configuration() / "settings.json").get("enabledPlugins", {}).get(PLUGIN)
    return value if isinstance(value, bool) else None


def has_plugin() -> bool:
    """Whether our plugin is installed for the user."""
    return plugin_enabled() is not None


def has_server() -> bool:
    """Whether a server of our name, which runs a `vim-mcp`, is registered for the user."""
    return os.path.basename(server_command()) == NAME


def server_command() -> str:
    """The command of the user's server of our name; "" without one."""
    place = configuration() if os.environ.get("CLAUDE_CONFIG_DIR") else Path.home()
    server = _load(place / ".claude.json").get("mcpServers", {}).get(NAME, {})
    return str(server.get("command", "")) if isinstance(server, dict) else ""


def _load(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


# The marketplace


def _marketplace() -> Path:
    return data_directory() / "claude"


def marketplace_files() -> dict[str, str]:
    """The files of the marketplace, by their paths in it."""
    listing = {
        "name": NAME,
        "owner": {"name": NAME},
        "plugins": [{"name": NAME, "source": f"./{NAME}", "version": __version__, "description": "Vim and Neovim"}],
    }
    files = {".claude-plugin/marketplace.json": listing}
    for file in sorted(_SOURCE.rglob("*.json")):
        files[f"{NAME}/{file.relative_to(_SOURCE)}"] = _with_command(json.loads(file.read_bytes()))
    scripts = {f"{NAME}/{file.name}": _with_command(file.read_text()) for file in _SOURCE.glob("*.sh")}
    return {name: json.dumps(content, indent=2) + "\n" for name, content in files.items()} | scripts


def _with_command(content: Any) -> Any:
    """A JSON value in which our shell commands fall back on this `vim-mcp` instead of the one on PATH."""
    if isinstance(content, dict):
        return {key: _with_command(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_with_command(value) for value in content]
    if isinstance(content, str):
        words = shlex.quote(shlex.quote(command()))  # quoted once more, since `eval` reads it
        return content.replace("VIM_MCP_COMMAND=vim-mcp;", f"VIM_MCP_COMMAND={words};")
    return content


def is_current() -> bool:
    """Whether the plugin that is registered is this program's: by its files, which another version may have written."""
    try:
        return all((_marketplace() / name).read_text() == text for name, text in marketplace_files().items())
    except (OSError, ValueError):
        return False


def _write_marketplace() -> None:
    shutil.rmtree(_marketplace(), ignore_errors=True)
    for name, text in marketplace_files().items():
        file = _marketplace() / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
