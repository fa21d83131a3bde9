"""Claude Code: its command, and whether this program is registered with it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator

from vim_mcp.doctor.finding import ERROR, OK, WARNING, Finding
from vim_mcp.install import claude
from vim_mcp.install.plugin import invocation
from vim_mcp.paths import tilde

_TIMEOUT = 20.0
_BY_SCRIPT = "curl -fsSL https://claude.ai/install.sh | bash"
_UNNAME = ":unlet g:vim_mcp_claude_command, or set it anew"
_BY_NPM = "npm install --global @anthropic-ai/claude-code"


def findings(named: str = "") -> Iterator[Finding]:
    """Everything about Claude Code; `named` is the command of g:vim_mcp_claude_command, "" for the usual one."""
    cli = shutil.which(os.path.expanduser(named)) if named else claude.find()
    if cli is None and named:
        text = f"{named} cannot be run: g:vim_mcp_claude_command names it"
        yield Finding(ERROR, "claude", text, _UNNAME)
    elif cli is None:
        text = "no `claude` is on PATH: :ClaudeCode needs it"
        yield Finding(WARNING, "claude", text, f"{_BY_SCRIPT}, or set g:vim_mcp_claude_command in your vimrc")
    else:
        yield _version(cli, _UNNAME if named else _again(cli))
        yield _registered()


def _version(cli: str, fix: str) -> Finding:
    try:
        done = subprocess.run(
            [cli, "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
            timeout=_TIMEOUT, check=False,
        )  # fmt: skip
        said = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        reason = f"status {done.returncode}{said and ': ' + said[:200]}" if done.returncode else ""
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = str(error)
    if reason:
        return Finding(ERROR, "claude", f"{tilde(cli)} does not run: {reason}", fix)
    return Finding(OK, "claude", f"{done.stdout.strip()} at {tilde(cli)}")


def _again(cli: str) -> str:
    """The command that installs it anew, in the way in which it came."""
    return _BY_NPM if "node_modules" in os.path.realpath(cli).split(os.sep) else _BY_SCRIPT


def _registered() -> Finding:
    subject, enabled = "claude's tools", claude.plugin_enabled()
    if enabled and claude.has_server():
        text = "both the plugin and a server are registered: every tool is there twice"
        return Finding(WARNING, subject, text, "claude mcp remove --scope user vim-mcp")
    if enabled and not claude.is_current():
        text = "the plugin is registered as another version wrote it, or for another program"
        return Finding(WARNING, subject, text, f"{invocation()} install")
    if enabled or claude.has_server():
        return Finding(OK, subject, f"registered as a {'plugin' if enabled else 'server'}")
    if enabled is False:
        return Finding(WARNING, subject, "the plugin is disabled", f"claude plugin enable {claude.PLUGIN}")
    return Finding(WARNING, subject, "not registered: only :ClaudeCode's has them", f"{invocation()} install")
