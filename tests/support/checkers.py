"""What checks Python files in the tests' editors: `ruff server` in Neovim, ALE with ruff in Vim."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support.editors import ROOT

PYTHON = sys.executable
SERVER = ROOT / "tests" / "support" / "faultyserver.py"
ALE = Path("/usr/share/vim/vimfiles/pack/dist-bundle/opt/ale")
"""Where Debian's package vim-ale puts it."""

# ALE's own way to run ruff knows only older versions of it.
_LINTER = [
    "packadd! ale",
    "filetype plugin on",
    "let g:ale_linters = {'python': ['judge']}",
    "function! Judge(buffer, lines) abort",
    r"  let found = map(copy(a:lines), {_, line -> matchlist(line, '\v^[^:]+:(\d+):(\d+): (\S+) (.*)$')})",
    "  return map(filter(found, '!empty(v:val)'),",
    r"        \ {_, part -> {'lnum': part[1], 'col': part[2], 'code': part[3], 'text': part[4]}})",
    "endfunction",
    "call ale#linter#Define('python', {'name': 'judge', 'executable': 'ruff', 'callback': 'Judge',",
    r"      \ 'command': '%e check --no-cache --output-format concise --stdin-filename %s -'})",
]


def checker(kind: str, *faults: str) -> list[str]:
    """A vimrc's lines by which an editor has Python files checked; skips the test where Vim has no ALE, but not in CI.

    `faults` are those of a server of its own, as options of `faultyserver.py` (Neovim).
    """
    reason = missing(kind)
    if reason and os.environ.get("CI") == "true":
        pytest.fail(f"{reason}, and CI must test with it")
    elif reason:
        pytest.skip(reason)
    return lines(kind, *faults)


def missing(kind: str) -> str | None:
    """What this machine lacks for it."""
    return "ALE (Debian's vim-ale) is not installed" if kind == "vim" and not ALE.exists() else None


def lines(kind: str, *faults: str) -> list[str]:
    """The lines of `checker`."""
    if kind == "vim":
        assert not faults, "the faults are a language server's"
        return _LINTER
    command = [PYTHON, str(SERVER), *faults] if faults else ["ruff", "server"]
    return ["filetype on", *server(kind, "ruff", command)]


def ale_server() -> list[str]:
    """A vimrc's lines by which ALE has a language server check Python files."""
    checker("vim")
    return [
        "packadd! ale",
        "filetype plugin on",
        "let g:ale_linters = {'python': ['judge']}",
        "call ale#linter#Define('python', {'name': 'judge', 'lsp': 'stdio', 'executable': 'ruff',",
        r"      \ 'command': '%e server', 'project_root': {buffer -> expand('#' . buffer . ':p:h')}})",
    ]


def server(kind: str, name: str, command: list[str]) -> list[str]:
    """The lines that start a language server for Python files."""
    config = f"{{ name = '{name}', cmd = {{ {', '.join(map(repr, command))} }} }}"
    if kind == "nvim":
        return [f"autocmd FileType python lua vim.lsp.start({config})"]
    started = f"{name}_id = {name}_id or vim.lsp.start_client({config})"
    return [f"autocmd FileType python lua {started} vim.lsp.buf_attach_client(0, {name}_id)"]
