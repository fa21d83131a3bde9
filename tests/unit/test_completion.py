"""What a TAB offers, and that the shells' scripts ask for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dev import tables
from tests.support.editors import Terminal
from vim_mcp import cli, offered
from vim_mcp.completion import SHELLS, candidates, script
from vim_mcp.tools.table import TOOLS

TIMEOUT = 15.0
BIN = Path(sys.executable).parent


def offers(*words: str) -> list[str]:
    """What may stand for the last of the words."""
    return [text for text, _ in candidates(cli._parser(), list(words))]


@pytest.mark.requirement("WORDS-01")
def test_what_is_offered_is_what_there_is() -> None:
    assert tables.offered_tools() == offered.TOOLS, "run: make words"
    assert tables.offered_resources() == offered.RESOURCES, "run: make words"


@pytest.mark.requirement("SHELL-02")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["sta"], ["status"]),
        (["status", "--"], ["--help", "--json", "--watch"]),
        (["call", "vim_e"], ["vim_execute", "vim_edit", "vim_execute_code"]),
        (["call", "vim_search", ""], ["instance_id=", "pattern=", "scope=", "limit="]),
        (["call", "--json", "vim_search", "pattern=x", "s"], ["scope="]),
        (["call", "vim_search", "scope="], ["scope=current", "scope=all"]),
        (["call", "-i", "x", "vim_edit", "save="], ["save=true", "save=false"]),
        (["call", "nonsense", ""], []),
        (["read", "buf"], ["buffer/current", "buffers"]),
        (["read", "vim://buf"], ["vim://buffer/current", "vim://buffers"]),
        (["read", "-i"], ["-i"]),
        (["tools", "list"], ["list_vim_instances"]),
        (["tools", "vim_edit", ""], []),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["nonsense", ""], []),
    ],
)
def test_a_tab_offers_what_may_stand_there(words: list[str], expected: list[str]) -> None:
    assert offers(*words) == expected


def test_every_command_and_tool_is_offered() -> None:
    assert {"call", "read", "tools", "hub", "status", "logs", "stop", "completion"} <= set(offers(""))
    assert offers("call", "") == list(TOOLS)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(shell: str) -> None:
    done = subprocess.run([BIN / "vim-mcp", "completion", shell], capture_output=True, text=True, check=True)
    assert done.stdout == script(shell)
    assert "vim-mcp" in done.stdout
    assert done.stderr == ""


def completed(shell: str, line: str, directory: Path) -> list[str]:
    """What the real shell would put behind what it does not replace, for a cursor at the end of the line."""
    source = directory / "script"
    source.write_text(script(shell))
    code = {
        "bash": '. "$1"; COMP_LINE=$2; COMP_POINT=${#2}; _vim_mcp 2>/dev/null; printf "%s\\n" "${COMPREPLY[@]}"',
        "fish": "source $argv[1]; complete -C $argv[2]",
    }[shell]
    argv = {"bash": ["bash", "-c", code, "bash"], "fish": ["fish", "--no-config", "-c", code]}[shell]
    environment = {
        "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(directory), "VIM_MCP_RUNTIME_DIR": f"{directory}/run",
    }  # fmt: skip
    done = subprocess.run(
        [*argv, str(source), line], env=environment, capture_output=True, text=True, timeout=TIMEOUT, check=True
    )
    return [entry.partition("\t")[0] for entry in done.stdout.splitlines()]


@pytest.mark.requirement("SHELL-02")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("vim-mcp call vim_sea", ["vim_search"]),
        ("vim-mcp call vim_search sc", ["scope="]),
        ("vim-mcp call vim_search scope=c", ["current"]),
        ("vim-mcp read vim://cur", ["//cursor"]),
        ("vim-mcp read cur", ["cursor"]),
    ],
)
def test_bash_completes(tmp_path: Path, line: str, expected: list[str]) -> None:
    """bash replaces only what stands behind the last of its word breaks."""
    assert completed("bash", line, tmp_path) == expected


def needs(shell: str) -> None:
    """Skip where the shell is not installed, but fail in CI, which must test it."""
    if shutil.which(shell) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{shell} is not installed, and CI must test it")
        pytest.skip(f"{shell} is not installed")


@pytest.mark.requirement("SHELL-02")
def test_fish_completes(tmp_path: Path) -> None:
    needs("fish")
    assert completed("fish", "vim-mcp call vim_search scope=c", tmp_path) == ["scope=current"]
    assert completed("fish", "vim-mcp read vim://cur", tmp_path) == ["vim://cursor"]


@pytest.mark.requirement("SHELL-02")
def test_zsh_completes(tmp_path: Path) -> None:
    """At its prompt, since zsh completes nowhere else."""
    needs("zsh")
    (tmp_path / ".zshrc").write_text("autoload -U compinit; compinit -D\n" + script("zsh") + "\nPS1='ready> '\n")
    environment = {
        "PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(tmp_path), "ZDOTDIR": str(tmp_path), "TERM": "xterm",
        "VIM_MCP_RUNTIME_DIR": f"{tmp_path}/run",
    }  # fmt: skip
    terminal = Terminal(["zsh", "-o", "no_global_rcs", "-i"], environment, tmp_path)
    try:
        terminal.wait_screen("ready>")
        for line, whole in (("call vim_sea", "vim_search"), ("call vim_search sco", "scope="), ("read cur", "cursor")):
            terminal.type(f"vim-mcp {line}\t")
            terminal.wait_screen(f"ready> vim-mcp {line.rpartition(' ')[0]} {whole}")
            terminal.type("\x15")
            terminal.wait_screen(lambda screen: "vim-mcp" not in screen)
    finally:
        terminal.close()
