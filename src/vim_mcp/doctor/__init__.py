"""`vim-mcp doctor`: what is in order, what is not, and the command that mends it.

Standard library only: it has to run where the rest of the package does not.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from vim_mcp import __version__
from vim_mcp.doctor import checkers, claude, hub, ide, program
from vim_mcp.doctor.finding import ERROR, Finding

_INDENT = 9


def run(as_json: bool, named_claude: str = "", inside: bool = False) -> int:
    """Print all findings, as lines or as one JSON object with `version` and `findings`; 1 where one is an error.

    `named_claude` is the command of an editor's settings, "" where they name none. `inside`: an editor waits for it,
    and could not be asked anything.
    """
    findings = list(examine(named_claude, inside))
    if as_json:
        print(json.dumps({"version": __version__, "findings": [asdict(finding) for finding in findings]}, indent=2))
    else:
        print("\n".join(described(findings)))
    return 1 if any(finding.level == ERROR for finding in findings) else 0


def examine(named_claude: str = "", inside: bool = False) -> Iterator[Finding]:
    """Look at everything; what the look itself stumbles over is an error like the others."""
    state = hub.State()
    parts = [program.findings(), hub.findings(state), ide.findings(state), claude.findings(named_claude)]
    for part in parts if inside else [*parts, checkers.findings(state)]:
        try:
            yield from part
        except OSError as error:
            yield Finding(ERROR, "files", str(error), f"ls -ld '{error.filename}'" if error.filename else "")


def described(findings: list[Finding]) -> Iterator[str]:
    """The findings as lines, and their sum."""
    for finding in findings:
        yield f"{finding.level:<{_INDENT}}{finding.subject}: {finding.text}"
        if finding.fix:
            yield f"{'':<{_INDENT}}mend it: {finding.fix}"
    levels = Counter(finding.level for finding in findings)
    yield ""
    yield f"{_counted(levels['error'], 'error')}, {_counted(levels['warning'], 'warning')} (vim-mcp {__version__})"
    yield "In an editor :VimMCPDoctor says the same, and more of that editor; in Neovim so does :checkhealth vim_mcp."


def _counted(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"
