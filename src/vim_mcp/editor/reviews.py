"""The changes that one editor's user is shown and has not judged yet: each is answered once, whatever ends it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os.path
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vim_mcp.editor.link import Editor
from vim_mcp.editor.objections import Objections
from vim_mcp.editor.sending import insist
from vim_mcp.errors import CommandFailed, ConnectionLost, VimMcpError

logger = logging.getLogger(__name__)

MAX_PENDING = 100
"""Changes that may wait for one editor's user."""

_AFTER_HOOK = 2.0
"""Seconds after which `openDiff` is answered that it was rejected for a reason, where a hook has told that by then."""

_CLEARING = 1.0
"""Seconds that a client waits at most until the diffs that it has closed are gone from the screen."""


@dataclass(frozen=True)
class Verdict:
    """How a review has ended: accepted, with the `text` that the file is to have, or rejected, maybe for a `reason`."""

    accepted: bool
    text: str = ""
    reason: str = ""


WITHDRAWN = Verdict(accepted=False)
"""Of a review that its client has ended, not the editor's user."""


class _Review:
    """One that is pending. `owner` is who asks: nobody else's calls touch it."""

    def __init__(self, owner: object, tab_name: str, target: str, answer: Path):
        self.id = secrets.token_hex(8)  # no hub before this one has used it: editors keep what a lost hub has asked
        self.owner = owner
        self.tab_name = tab_name
        self.target = target
        self.answer = answer
        self.verdict: asyncio.Future[Verdict] = asyncio.get_running_loop().create_future()
        self.showing: asyncio.Task[None] | None = None

    def end(self, outcome: Verdict | Exception) -> None:
        """The verdict, or the error that the client is told; the first counts. The editor is not asked any more."""
        if self.showing:
            self.showing.cancel()
        if self.verdict.done():
            return
        if isinstance(outcome, Verdict):
            self.verdict.set_result(outcome)
        else:
            self.verdict.set_exception(outcome)


class Reviews:
    """One editor's. `kinds` takes what the editor says of them.

    `objections` are the hooks that take a rejection's reason to the model. `on_accepted` hears of each accepted change
    before its client does: the path of the file that the client is about to write, and the text.
    """

    def __init__(self, editor: Editor):
        self.on_accepted: list[Callable[[str, str], None]] = []
        self.kinds: dict[str, Callable[[dict[str, Any]], None]] = {"review": self._judged}
        self.objections = Objections(self._is_reviewed)
        self._editor = editor
        self._pending: dict[str, _Review] = {}
        self._unwanted: dict[str, Path] = {}
        """The reviews that the editor is to close, by id, with the files for their answers."""
        self._clearing: asyncio.Task[None] | None = None
        editor.on_gone.append(self._lose)

    def __len__(self) -> int:
        return len(self._pending)

    # What clients ask

    async def review(self, owner: object, client: str, old: str, new: str, contents: str, tab_name: str) -> Verdict:
        """Show the file `old` (absolute; it need not exist) beside `contents`, which `new` is to hold; the verdict.

        An earlier one of the same owner and name is withdrawn; cancelling withdraws this one. A busy editor is asked
        until it takes it. Raises `CommandFailed` (kind `limit`: too many are pending; `access`, `ignored`, …) and
        `ConnectionLost` when the editor leaves without a verdict.
        """
        self._withdraw(self._of(owner, tab_name))
        if len(self._pending) >= MAX_PENDING:
            raise CommandFailed(
                f"{MAX_PENDING} changes wait for the user's verdict in {self._editor.instance_id}, and that is the "
                "limit: try again when some are judged",
                kind="limit",
            )
        with self._begun(owner, tab_name, new) as review:
            request = {
                "review": review.id, "file": old, "target": new, "answer_file": str(review.answer),
                "tab_name": tab_name, "client": client,
            }  # fmt: skip
            review.showing = asyncio.create_task(self._show(review, request, contents))
            return await review.verdict

    async def close(self, owner: object, tab_name: str) -> bool:
        """Withdraw the owner's review of that name; whether there was one."""
        return await self._withdraw_and_wait(self._of(owner, tab_name)) > 0

    async def close_all(self, owner: object) -> int:
        """Withdraw the owner's reviews; how many there were."""
        return await self._withdraw_and_wait(self._of(owner))

    def _of(self, owner: object, tab_name: str | None = None) -> list[_Review]:
        its = [review for review in self._pending.values() if review.owner is owner]
        return [review for review in its if tab_name in (None, review.tab_name)]

    # Their beginning and end

    @contextlib.contextmanager
    def _begun(self, owner: object, tab_name: str, target: str) -> Iterator[_Review]:
        with self._editor.text_file() as answer:
            review = _Review(owner, tab_name, target, answer)
            self._pending[review.id] = review
            try:
                yield review
            finally:
                self._withdraw([review])
                if not self._is_reviewed(os.path.realpath(target)):
                    self.objections.tell(target, "")

    def _withdraw(self, reviews: Iterable[_Review]) -> int:
        """End those that are pending yet, and have the editor close them; how many they were."""
        pending = [review for review in reviews if self._pending.pop(review.id, None)]
        for review in pending:
            review.end(WITHDRAWN)
        self._unwanted.update({review.id: review.answer for review in pending})
        if self._unwanted and self._clearing is None:
            self._clearing = asyncio.create_task(self._clear())
        return len(pending)

    async def _withdraw_and_wait(self, reviews: Iterable[_Review]) -> int:
        withdrawn = self._withdraw(reviews)
        if withdrawn and self._clearing:
            await asyncio.wait([self._clearing], timeout=_CLEARING)
        return withdrawn

    def _lose(self) -> None:
        """The editor has gone, and what it showed with it."""
        name = self._editor.instance_id
        lost = ConnectionLost(f"{name} has left, and its user has given no verdict", instance_id=name)
        pending, self._pending = self._pending, {}
        for review in pending.values():
            review.end(lost)

    # The editor's part

    async def _show(self, review: _Review, request: dict[str, Any], contents: str) -> None:
        """The proposal's file is there until the editor has answered, and so has read it."""
        try:
            with self._editor.text_file() as proposal:
                proposal.write_bytes(contents.encode("utf-8", "replace"))
                shown = {**request, "proposal_file": str(proposal)}
                await insist(lambda: self._editor.request("open_diff", shown))
        except Exception as error:
            review.end(error)

    async def _clear(self) -> None:
        try:
            while self._unwanted:
                closing = sorted(self._unwanted)
                await insist(functools.partial(self._editor.request, "close_diffs", {"reviews": closing}))
                self._forget(closing)
        except VimMcpError as error:
            logger.info("%s closes no diffs: %s", self._editor.instance_id, error)
        finally:
            self._forget(list(self._unwanted))
            self._clearing = None

    def _forget(self, closed: Iterable[str]) -> None:
        """These are closed in the editor; its user may have accepted just before, and so have made the file again."""
        for review_id in closed:
            self._unwanted.pop(review_id).unlink(missing_ok=True)

    def _judged(self, message: dict[str, Any]) -> None:
        """The user's verdict; one on a review that has ended otherwise comes too late and is nobody's."""
        review = self._pending.pop(str(message.get("review")), None)
        if review is None:
            return
        if message.get("verdict") != "accepted":
            self._reject(review, str(message.get("reason") or ""))
            return
        try:
            text = review.answer.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            review.end(CommandFailed(f"The accepted text cannot be read: {error}", kind="vim"))
            return
        review.end(Verdict(accepted=True, text=text))
        for listener in self.on_accepted:
            listener(review.target, text)

    def _reject(self, review: _Review, reason: str) -> None:
        """A hook that takes the reason to the model is to be the first to answer: the other counts no more."""
        verdict = Verdict(accepted=False, reason=reason)
        if reason and self.objections.tell(review.target, reason):
            asyncio.get_running_loop().call_later(_AFTER_HOOK, review.end, verdict)
        else:
            review.end(verdict)

    def _is_reviewed(self, path: str) -> bool:
        return any(os.path.realpath(review.target) == path for review in self._pending.values())
