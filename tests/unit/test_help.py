"""The help page says what is true now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dev.help import HELP, with_safe_list

ROOT = Path(__file__).resolve().parents[2]
PAGE = HELP.read_text()


def test_the_safe_list_is_the_one_that_decides() -> None:
    assert with_safe_list(PAGE) == PAGE, "run: make words"


def test_every_command_has_its_tag() -> None:
    plugin = (ROOT / "plugin" / "vim_mcp.vim").read_text()
    commands = set(re.findall(r"^\s*command!.*?\b((?:VimMCP|Claude)\w+)", plugin, re.MULTILINE))
    assert commands
    assert {command for command in commands if f"*:{command}*" not in PAGE} == set()


def test_every_setting_has_its_tag() -> None:
    sources = [*(ROOT / "autoload").rglob("*.vim"), *(ROOT / "plugin").rglob("*.vim")]
    read = [source.read_text() for source in sources]
    settings = {name for text in read for name in re.findall(r"(?:get\(g:, 'vim_mcp_|vim_mcp#setting\(')(\w+)'", text)}
    settings -= {"stdin"}
    assert settings
    assert {setting for setting in settings if f"*g:vim_mcp_{setting}*" not in PAGE} == set()


SCRIPTS = "\n".join(path.read_text() for top in ("plugin", "autoload") for path in sorted((ROOT / top).rglob("*.vim")))


@pytest.mark.parametrize(
    ("pattern", "tag"),
    [
        (r"<Plug>\([\w-]+\)", "*{}*"),
        (r"^ *highlight default link (\w+)", "*hl-{}*"),
        (r"\bVimMCP(?:Claude(?:Working|Waiting|Idle)|Diff(?:Opened|Closed))\b", "*{}*"),
    ],
    ids=["maps", "highlights", "autocommands"],
)
def test_what_a_user_may_name_has_its_tag(pattern: str, tag: str) -> None:
    names = set(re.findall(pattern, SCRIPTS, re.MULTILINE))
    assert names
    assert {name for name in names if tag.format(name) not in PAGE} == set()


def test_no_tag_stands_twice_and_every_link_leads_somewhere() -> None:
    tags = re.findall(r"(?<!\S)\*([^*\s|]+)\*(?!\S)", PAGE)
    assert len(tags) == len(set(tags))
    own = re.findall(r"\|((?:vim-mcp|:VimMCP|:Claude|g:vim_mcp|<Plug>|VimMCP)[^|\s]*)\|", PAGE)
    assert set(own) - set(tags) == set()


def test_no_line_is_wider_than_a_help_window() -> None:
    assert [line for line in PAGE.splitlines() if len(line) > 79] == []


def test_the_default_of_the_private_patterns_is_the_real_one() -> None:
    source = (ROOT / "autoload" / "vim_mcp" / "ignore.vim").read_text()
    default = re.findall(r"'([^']+)'", source.partition("let s:default = [")[2].partition("]")[0])
    shown = re.findall(r"'([^']+)'", PAGE.partition("The default: >\n")[2].partition("]")[0])
    assert shown == default
