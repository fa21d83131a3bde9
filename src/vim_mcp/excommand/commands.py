"""The safe set: which Ex commands a client may run by default, and with what arguments.

Default-deny. A row names a command as Vim's help does, the check of its argument, and what a person should know of it.
Arguments are matched whole and without quotes, backslashes or bars, so that Vim's rules for comments and for
the end of a command (`:help :bar`, `:help :comment`) cannot read them otherwise; the exceptions are the commands with a
check of their own (`:s`, `:g`, `:normal`, `:echo`, `:set`, `:sort`), which follows the rules of that command.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from vim_mcp.excommand.expression import reads_text, take_expressions, takes_time
from vim_mcp.excommand.keys import check_keys
from vim_mcp.excommand.line import Command, Line
from vim_mcp.excommand.names import spellings
from vim_mcp.excommand.options import take_settings
from vim_mcp.excommand.scan import DELIMITERS, Refused, take_pattern

_REGISTER: Final = "[a-zA-Z0-9_-]"
_COUNT: Final = "[0-9]{0,9}"
_INTO: Final = f"(?:{_REGISTER}(?![a-zA-Z]))? *{_COUNT}"
_PRINTED: Final = f"{_COUNT} *[lp#]*"
_STATE: Final = "(?:[0-9]{1,9}[smhdf]?)?"
_WHERE: Final = r"(?:[0-9]{1,9}|[.$]|'[a-z<>\[\]])?(?: *[-+][0-9]{0,9})*"
_OTHER_BUFFER: Final = r"[%#]|(?:[^\W_]|[./_])[\w./@=, -]*"
_FLAGS: Final = re.compile(" *[egiInp#l]* *[0-9]{0,9}")
_SORT_FLAGS: Final = re.compile("[bfilnorux ]*")


def _matching(pattern: str) -> Callable[[Line], None]:
    compiled = re.compile(pattern)

    def check(line: Line) -> None:
        line.take(compiled)

    return check


_nothing: Final = _matching("")
_count: Final = _matching(_COUNT)
_tab: Final = _matching(r"[0-9]{1,4}|[-+][0-9]{0,4}|[$#]|")
_width: Final = _matching("[0-9]{0,3}")


def _take_delimiter(line: Line) -> str:
    delimiter = line.peek()
    if not delimiter or delimiter not in DELIMITERS:
        raise Refused(f"the pattern must be given in full, between two of {' '.join(DELIMITERS)}: s/pattern/text/")
    line.at += 1
    return delimiter


def _substitution(line: Line) -> None:
    delimiter = _take_delimiter(line)
    if not take_pattern(line, delimiter):
        raise Refused("a substitution without its second delimiter is not accepted: write s/pattern/text/")
    start = line.at
    line.take(re.compile(rf"(?:\\.|[^\\{delimiter}])*"))
    _check_replacement(line.text[start : line.at])
    if line.take_text(delimiter):
        line.take(_FLAGS)
    elif line.peek():
        raise Refused("the replacement ends in a backslash")


def _check_replacement(replacement: str) -> None:
    if "\\=" in replacement:
        raise Refused("a replacement with '\\=' is an expression, which may run anything: give the text itself")
    if "~" in replacement or replacement == "%":
        raise Refused(
            "'~' in a replacement (and '%' as the whole of it) may stand for the user's last one, which may be an "
            "expression: use vim_edit"
        )


def _global(line: Line) -> None:
    delimiter = _take_delimiter(line)
    take_pattern(line, delimiter)
    line.check_nested()


def _keys(line: Line) -> None:
    line.keys_at = line.at
    check_keys(line.take_rest())


def _sorting(line: Line) -> None:
    line.take(_SORT_FLAGS)
    if line.take_text("/"):
        if not take_pattern(line, "/"):
            raise Refused("the pattern of :sort must be closed by '/'")
        line.take(_SORT_FLAGS)


def _expressions(line: Line) -> None:
    start = line.at
    take_expressions(line)
    expressions = line.text[start : line.at]
    line.slow |= takes_time(expressions)
    if reads_text(expressions):
        line.note_text(":echo")


def _registers(line: Line) -> None:
    """Without names :registers shows the clipboard's only where Vim itself holds it; see the package's docstring."""
    line.take(re.compile(r"[\"a-zA-Z0-9:./%#_-]*"))


def _text(notation: str, argument: Callable[[Line], None], syntax: str, text: str, bang: str = "no") -> Command:
    return Command(notation, argument, text, syntax, bang=bang, nests=True)


def _list(notation: str, argument: Callable[[Line], None], syntax: str, text: str, bang: str = "no") -> Command:
    return Command(notation, argument, text, syntax, range="", bang=bang, text=False)


def _window(notation: str, argument: Callable[[Line], None], syntax: str, text: str) -> Command:
    return Command(notation, argument, text, syntax, range="count", text=False, moves=True)


_TEXT_COMMANDS: Final = (
    _text("s[ubstitute]", _substitution, "/pattern/text/[egiInp#l] [count]",
          "replace text; no expression (\\=), no reuse of an earlier replacement (~, &), no confirmation (c)"),
    _text("d[elete]", _matching(_INTO), "[x] [count]", "delete lines (into register x)"),
    _text("y[ank]", _matching(_INTO), "[x] [count]", "yank lines (into register x)"),
    _text("pu[t]", _matching(f"{_REGISTER}?"), "[x]", "put a register's text below, with ! above the line", bang="may"),
    _text("m[ove]", _matching(_WHERE), "{address}", "move lines below the address, which is a line or a mark"),
    _text("co[py]", _matching(_WHERE), "{address}", "copy lines below the address, which is a line or a mark"),
    _text("t", _matching(_WHERE), "{address}", "copy lines, as :copy"),
    _text("j[oin]", _count, "[count]", "join lines, with ! without spaces", bang="may"),
    _text(">", _matching(f">{{0,20}} *{_COUNT}"), "[count]", "shift lines right; several > shift further"),
    _text("<", _matching(f"<{{0,20}} *{_COUNT}"), "[count]", "shift lines left; several < shift further"),
    _text("le[ft]", _width, "[indent]", "align lines left"),
    _text("ri[ght]", _width, "[width]", "align lines right"),
    _text("ce[nter]", _width, "[width]", "centre lines"),
    _text("norm[al]", _keys, "{keys}", "type Normal mode keys: motions, operators and insertions within the buffer; "
          "the ! keeps the user's mappings out", bang="must"),
    _text("p[rint]", _matching(_PRINTED), "[count]", "print lines"),
    _text("nu[mber]", _matching(_PRINTED), "[count]", "print lines with their numbers"),
    _text("#", _matching(_PRINTED), "[count]", "print lines with their numbers"),
    _text("l[ist]", _matching(_PRINTED), "[count]", "print lines with tabs and line ends shown"),
    _text("=", _nothing, "", "print the last line's number"),
    _text("k", _matching("[a-z]"), "{a-z}", "set a mark"),
    _text("ma[rk]", _matching("[a-z]"), "{a-z}", "set a mark"),
    _text("fo[ld]", _nothing, "", "create a fold"),
    _text("foldo[pen]", _nothing, "", "open folds, with ! all levels of them", bang="may"),
    _text("foldc[lose]", _nothing, "", "close folds, with ! all levels of them", bang="may"),
    Command("g[lobal]", _global, "run one of the commands for text on each line that matches, with ! that does not",
            "/pattern/[command]", bang="may"),
    Command("v[global]", _global, "run one of the commands for text on each line that does not match",
            "/pattern/[command]"),
    Command("sor[t]", _sorting, "sort lines, with ! in reverse", "[bfilnorux] [/pattern/]", bang="may"),
    Command("ret[ab]", _matching("[0-9]{0,2}"), "replace tabs by spaces or the reverse", "[tabstop]", bang="may"),
    Command("u[ndo]", _count, "undo a change, or go to a state by its number", "[N]", range="count"),
    Command("red[o]", _nothing, "redo a change", range=""),
    Command("ea[rlier]", _matching(_STATE), "go to an older state of the text", "[N[smhdf]]", range=""),
    Command("lat[er]", _matching(_STATE), "go to a newer state of the text", "[N[smhdf]]", range=""),
)  # fmt: skip

_LIST_COMMANDS: Final = (
    # Where an expression fails before "||", what follows the first bar is read as the next command.
    Command("ec[ho]", _expressions, "show expressions of literals, variables, options, registers and a few functions",
            "{expression} …", range="", text=False, loud=True),
    Command("echon", _expressions, "show expressions, as :echo, without a line end",
            "{expression} …", range="", text=False, loud=True),
    _list("se[t]", take_settings, "{option}? | [no]{option} | {option}={value} …",
          "read any option; set some of those for display and typing"),
    _list("setl[ocal]", take_settings, "{option} …", "as :set, for this buffer or window alone"),
    _list("noh[lsearch]", _nothing, "", "stop highlighting the last search"),
    _list("reg[isters]", _registers, "[names]", "show registers; by name all but the clipboard's"),
    _list("di[splay]", _registers, "[names]", "show registers; by name all but the clipboard's"),
    _list("ls", _matching("[-+=%#ahuxF ]*"), "[flags]", "list the buffers, with ! the unlisted ones too", bang="may"),
    _list("buffers", _matching("[-+=%#ahuxF ]*"), "[flags]", "list the buffers, as :ls", bang="may"),
    _list("files", _matching("[-+=%#ahuxF ]*"), "[flags]", "list the buffers, as :ls", bang="may"),
    _list("tabs", _nothing, "", "list the tab pages"),
    _list("undol[ist]", _nothing, "", "list the leaves of the undo tree"),
    _list("mes[sages]", _nothing, "", "show the message history"),
    _list("pw[d]", _nothing, "", "print the current directory"),
    _list("ve[rsion]", _nothing, "", "print the editor's version"),
    _list("redr[aw]", _nothing, "", "redraw the screen, with ! clear it first", bang="may"),
    _list("redraws[tatus]", _nothing, "", "redraw the status line, with ! all of them", bang="may"),
    Command("f[ile]", _nothing, "print the buffer's name and the cursor's place", range=""),
    Command("as[cii]", _nothing, "show the character under the cursor", range=""),
    Command("marks", _matching(r"[a-zA-Z0-9<>\[\]'.^]*"), "list marks", "[names]", range=""),
    Command("ju[mps]", _nothing, "list the jumps", range=""),
    Command("changes", _nothing, "list the places of the last changes", range=""),
    Command("delm[arks]", _matching("[a-z](?: *-? *[a-z])*"), "delete marks", "{a-z} …", range=""),
)  # fmt: skip

_WINDOW_COMMANDS: Final = (
    _window("winc[md]", _matching("[hjklwWtbprxRHJKLT=_+<>svnco-]"), "{key}",
            "CTRL-W and the key: move to, split, resize or close windows"),
    _window("sp[lit]", _nothing, "", "split the window"),
    _window("vs[plit]", _nothing, "", "split the window, side by side"),
    _window("new", _nothing, "", "open a window with an empty buffer"),
    _window("vne[w]", _nothing, "", "open a window with an empty buffer, side by side"),
    _window("clo[se]", _nothing, "", "close a window; never the last"),
    _window("hid[e]", _nothing, "", "close a window and keep its buffer; never the last"),
    _window("on[ly]", _nothing, "", "close the other windows"),
    _window("res[ize]", _matching("[-+]?[0-9]{0,4}"), "[[-+]N]", "set the window's height; after 'vertical' its width"),
    _window("tabnew", _nothing, "", "open a tab page with an empty buffer"),
    _window("tabe[dit]", _nothing, "", "open a tab page with an empty buffer"),
    _window("tabn[ext]", _tab, "[N]", "go to the next tab page, or to number N"),
    _window("tabp[revious]", _tab, "[N]", "go to the previous tab page"),
    _window("tabN[ext]", _tab, "[N]", "go to the previous tab page"),
    _window("tabfir[st]", _nothing, "", "go to the first tab page"),
    _window("tabr[ewind]", _nothing, "", "go to the first tab page"),
    _window("tabl[ast]", _nothing, "", "go to the last tab page"),
    _window("tabm[ove]", _tab, "[N]", "move the tab page"),
    _window("tabc[lose]", _tab, "[N]", "close a tab page; never the last"),
    _window("tabo[nly]", _tab, "[N]", "close the other tab pages"),
    _window("b[uffer]", _matching(_OTHER_BUFFER), "{number or name}", "show an open buffer"),
    _window("sb[uffer]", _matching(_OTHER_BUFFER), "{number or name}", "show an open buffer in a new window"),
    _window("bn[ext]", _count, "[N]", "show the next buffer"),
    _window("bp[revious]", _count, "[N]", "show the previous buffer"),
    _window("bN[ext]", _count, "[N]", "show the previous buffer"),
    _window("bf[irst]", _nothing, "", "show the first buffer"),
    _window("br[ewind]", _nothing, "", "show the first buffer"),
    _window("bl[ast]", _nothing, "", "show the last buffer"),
    _window("bm[odified]", _count, "[N]", "show the next modified buffer"),
    _window("cope[n]", _matching("[0-9]{0,4}"), "[height]", "open the quickfix window"),
    _window("ccl[ose]", _nothing, "", "close the quickfix window"),
    _window("lop[en]", _matching("[0-9]{0,4}"), "[height]", "open the location list's window"),
    _window("lcl[ose]", _nothing, "", "close the location list's window"),
    _window("pc[lose]", _nothing, "", "close the preview window"),
)  # fmt: skip

TABLE: Final[tuple[Command, ...]] = _TEXT_COMMANDS + _LIST_COMMANDS + _WINDOW_COMMANDS
COMMANDS: Final[Mapping[str, Command]] = {
    spelling: command for command in TABLE for spelling in spellings(command.notation)
}
"""Every way to write a command of the safe set."""
