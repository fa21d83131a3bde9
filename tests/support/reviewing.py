"""The hub's part in a review: proposing text to a raw editor, and taking the verdict."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

from tests.support.rawhub import RawEditor

Verdict = tuple[str, Any]


class Desk:
    """Reviews of files in `directory`, asked of one editor."""

    def __init__(self, link: RawEditor, directory: Path, runtime: Path):
        self.link = link
        self.file = directory / "calc.py"
        self._runtime = runtime
        self._numbers = itertools.count(1)
        self.answers: dict[str, Path] = {}

    def request(self, new: bytes, **changed: Any) -> dict[str, Any]:
        """The parameters of a request for a review of `new`, as the hub would make them."""
        number = next(self._numbers)
        review = changed.get("review", f"r{number}")
        proposal = self._runtime / f"proposal-{number}"
        proposal.write_bytes(new)
        self.answers[review] = self._runtime / f"answer-{number}"
        file = changed.pop("file", self.file)
        params = {"review": review, "file": str(file), "target": str(file), "proposal_file": str(proposal)}
        params |= {"answer_file": str(self.answers[review]), "client": "claude-code 2.1"}
        return params | {"tab_name": f"✻ [Claude Code] {Path(file).name} (acc4e2) ⧉"} | changed

    def propose(self, new: bytes, old: bytes | None = None, **changed: Any) -> str:
        """Ask for a review of `new`, for a file that holds `old` (None: as it is), wait until it is shown; its id."""
        if old is not None:
            Path(changed.get("file", self.file)).write_bytes(old)
        params = self.request(new, **changed)
        result = self.link.request("open_diff", **params)
        assert result["review"] == params["review"]
        return str(params["review"])

    def verdict(self, review: str = "r1") -> Verdict:
        """Wait for the next verdict, which must be that of `review`: accepted with its text, or rejected and why."""
        event = self.link.event("review")
        assert event["review"] == review, event
        if event["verdict"] == "accepted":
            return ("accepted", self.answers[review].read_bytes())
        return (event["verdict"], event["reason"])

    def ping(self) -> None:
        """The editor has done what came before, and given no verdict."""
        self.link.request("ping")
        assert not [event for event in list(self.link.events.queue) if event.get("type") == "review"]
