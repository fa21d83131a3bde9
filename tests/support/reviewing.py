"""The hub's part in a review: proposing text to a raw editor, and taking the verdict."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from tests.support.editing import state
from tests.support.editors import Terminal
from tests.support.rawhub import RawEditor
from tests.support.waiting import wait_until

Verdict = tuple[str, Any]

OLD = b"one\ntwo\nthree\n"
NEW = b"one\n2\nthree\nfour\n"
"""What `Desk.propose` proposes: two changes."""

TITLE = "claude-code: calc.py"


class Desk:
    """Reviews of files in the directory of an editor on `terminal`."""

    def __init__(self, terminal: Terminal, link: RawEditor, directory: Path, runtime: Path):
        self.terminal = terminal
        self.link = link
        self.file = directory / "calc.py"
        self._runtime = runtime
        self._numbers = itertools.count(1)
        self._answers: dict[str, Path] = {}

    def request(self, new: bytes = NEW, **changed: Any) -> dict[str, Any]:
        """The parameters of a request for a review of `new`, as the hub makes them."""
        number = next(self._numbers)
        review = changed.get("review", f"r{number}")
        proposal = self._runtime / f"proposal-{number}"
        proposal.write_bytes(new)
        self._answers[review] = self._runtime / f"answer-{number}"
        file = changed.pop("file", self.file)
        params = {"review": review, "file": str(file), "target": str(file), "proposal_file": str(proposal)}
        params |= {"answer_file": str(self._answers[review]), "client": "claude-code 2.1.197"}
        return params | {"tab_name": f"✻ [Claude Code] {Path(file).name} (acc4e2) ⧉"} | changed

    def propose(self, new: bytes = NEW, old: bytes | None = OLD, **changed: Any) -> str:
        """Ask for a review of `new` for a file that holds `old` (None: it stays as it is); the review's id."""
        if old is not None:
            Path(changed.get("file", self.file)).write_bytes(old)
        params = self.request(new, **changed)
        result = self.link.request("open_diff", **params)
        Path(params["proposal_file"]).unlink()
        assert result["review"] == params["review"]
        return str(params["review"])

    def verdict(self, review: str = "r1") -> Verdict:
        """Wait for the next verdict, which must be that of `review`: accepted with its text, or rejected and why."""
        event = self.link.event("review")
        assert event["review"] == review, event
        if event["verdict"] == "accepted":
            return ("accepted", self._answers[review].read_bytes())
        assert not self._answers[review].exists()
        return (event["verdict"], event["reason"])

    def pends(self) -> None:
        """The editor has done what was typed before, and no verdict is among it."""
        self.link.request("ping")
        assert not [event for event in list(self.link.events.queue) if event.get("type") == "review"]

    def windows(self) -> list[str]:
        """The last parts of the names in the windows."""
        return [Path(window["name"]).name for window in state(self.link, "windows")]

    def wait_closed(self) -> None:
        """Wait until the windows are those from before, and no second verdict has come."""
        wait_until(lambda: self.windows() == ["one.txt"], "the windows as they were before")
        self.pends()
