"""The options that `:set` may change: how text is shown and typed. None of them names a file, a program or a function.

Left out on purpose, besides those that run something: what protects the user's text ('modifiable', 'readonly',
'modified', 'hidden', 'undolevels', 'swapfile', 'autowrite'), what changes how commands and patterns are read ('magic',
'cpoptions', 'gdefault', 'langmap', 'selectmode'), and what loads scripts or files ('filetype', 'syntax',
'background', 'spell', 'runtimepath').
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from vim_mcp.excommand.line import Line
from vim_mcp.excommand.scan import Refused

SWITCHES: Final[Mapping[str, str]] = {
    "autoindent": "ai", "breakindent": "bri", "cindent": "cin", "cursorcolumn": "cuc", "cursorline": "cul",
    "expandtab": "et", "foldenable": "fen", "hlsearch": "hls", "ignorecase": "ic", "incsearch": "is",
    "joinspaces": "js", "linebreak": "lbr", "list": "list", "number": "nu", "relativenumber": "rnu", "ruler": "ru",
    "shiftround": "sr", "showmatch": "sm", "smartcase": "scs", "smartindent": "si",
    "smarttab": "sta", "splitbelow": "sb", "splitright": "spr", "startofline": "sol", "winfixheight": "wfh",
    "winfixwidth": "wfw", "wrap": "wrap", "wrapscan": "ws",
}  # fmt: skip
"""Options that are on or off, with their short names."""

_NUMBER: Final = "-?[0-9]{1,4}"
_VALUES: Final[Mapping[tuple[str, str], str]] = {
    ("colorcolumn", "cc"): r"(?:[-+]?[0-9]{1,4}(?:,[-+]?[0-9]{1,4})*)?",
    ("concealcursor", "cocu"): "[nvic]{0,4}",
    ("conceallevel", "cole"): "[0-3]",
    ("fileformat", "ff"): "unix|dos|mac",
    ("foldcolumn", "fdc"): "[0-9]{1,2}|auto(?::[1-9])?",
    ("foldlevel", "fdl"): _NUMBER,
    ("foldmethod", "fdm"): "manual|indent|syntax|marker|diff",
    ("foldminlines", "fml"): _NUMBER,
    ("foldnestmax", "fdn"): _NUMBER,
    ("laststatus", "ls"): "[0-3]",
    ("nrformats", "nf"): "(?:(?:alpha|octal|hex|bin|unsigned)(?:,(?:alpha|octal|hex|bin|unsigned))*)?",
    ("numberwidth", "nuw"): "[0-9]{1,2}",
    ("scrolloff", "so"): _NUMBER,
    ("shiftwidth", "sw"): _NUMBER,
    ("showtabline", "stal"): "[0-2]",
    ("sidescroll", "ss"): _NUMBER,
    ("sidescrolloff", "siso"): _NUMBER,
    ("signcolumn", "scl"): "no|yes|number|auto",
    ("softtabstop", "sts"): _NUMBER,
    ("tabstop", "ts"): _NUMBER,
    ("textwidth", "tw"): _NUMBER,
    ("virtualedit", "ve"): "(?:(?:all|block|insert|onemore)(?:,(?:all|block|insert|onemore))*)?",
    ("wrapmargin", "wm"): _NUMBER,
}
VALUES: Final[Mapping[str, str]] = {name: values for names, values in _VALUES.items() for name in names}
"""The other options, by their long and short names, with the pattern of the values that they may take."""

_SWITCH_NAMES: Final = "|".join(sorted({*SWITCHES, *SWITCHES.values()}, key=len, reverse=True))
_ASKED: Final = re.compile(r"[a-z]+\?(?![^ |])|all(?![^ |])")
_SWITCHED: Final = re.compile(rf"(?:(?:no|inv)?(?:{_SWITCH_NAMES})|(?:{_SWITCH_NAMES})!)(?![^ |])")
_ASSIGNED: Final = re.compile(
    rf"(?:{'|'.join(f'{name}(?:=(?:{values}))?' for name, values in VALUES.items())})(?![^ |])"
)


def take_settings(line: Line) -> None:
    """Step over the arguments of `:set`. Raises `Refused` for an option or a value that is not in the tables."""
    while line.peek() not in ("", "|"):
        if line.take(_ASKED):
            pass
        elif line.take(_SWITCHED) or line.take(_ASSIGNED):
            line.slow = True  # the user's autocommands for OptionSet
        else:
            raise Refused(
                f"the setting {line.rest().partition(' ')[0]!r} is not among the options and values that may be set; "
                "any option can be read, as in 'set shiftwidth?', and these can be set: "
                + " ".join(sorted({*SWITCHES, *(long for long, _ in _VALUES)}))
            )
        line.skip_spaces()
