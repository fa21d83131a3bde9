"""The MCP server that a client starts: it splices stdin and stdout to the hub, and outlives the hub.

Standard library only, and little of it, since each client pays for it. Two threads, so that neither direction waits for
the other: one passes the client's lines on, the main one reads the hub's and finds a new hub when one is lost.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque

from vim_mcp import paths, starter
from vim_mcp.conversation import CONNECTION_LOST, INTERNAL_ERROR, MAX_ATTEMPTS, Conversation, Message
from vim_mcp.hublink import TO_RELAY, Link, greet, is_older, relay_part, step_down
from vim_mcp.starter import HubUnreachable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

MAX_WAITING = 32 * 1024 * 1024
"""Bytes of the client's lines that are kept while no hub is there."""
MAX_WAITING_LINES = 1000
PATIENCE = 1.0
"""Seconds in which the client that has asked an older hub to leave is alone in starting the next."""
FAREWELL = 1.5
"""Seconds that requests have to be answered after stdin has ended; clients give a server two before they end it."""
REPLAY_TIMEOUT = 30.0
"""Seconds that a hub which has greeted us has for the handshake; a new one is loading what it needs for that."""
_PAUSE = 0.02
BIG_LINE = 1_000_000
_CHUNK = 1 << 16
_CAUSES = {
    "lost": "The vim-mcp hub was lost",
    "stop": "The vim-mcp hub was stopped",
    "upgrade": "The vim-mcp hub made way for a newer one",
    "idle": "The vim-mcp hub left",
}
_writing = threading.Lock()


def run() -> NoReturn:
    """Serve the client on stdin and stdout, and end the process with status 0 once stdin ends or stdout breaks.

    Raises `paths.ConfigError` for a bad setting, before anything is read or written.
    """
    paths.candidates()
    if os.isatty(0):
        os.write(2, b"vim-mcp: this is an MCP server, for MCP clients to start (CTRL-D ends it); see vim-mcp --help\n")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    Relay().run()


class Relay:
    """One client's connection to whichever hub is there."""

    def __init__(self) -> None:
        self._conversation = Conversation()
        self._state: object = None
        self._changed = threading.Condition()
        """Guards what follows, and the order in which lines go to the hub."""
        self._link: Link | None = None
        self._waiting: deque[Message] = deque()
        self._needed = True
        """Whether a hub is to be found now; after one has left on purpose, only once the client asks something."""
        self._has_lost = False
        self._at_end = False

    def run(self) -> NoReturn:
        """Pump until the process ends."""
        threading.Thread(target=self._pump_client, daemon=True).start()
        patience = 0.0
        while True:
            self._wait_until_needed()
            try:
                link = self._find_hub(patience)
            except (HubUnreachable, paths.ConfigError) as error:
                self._refuse_waiting(f"vim-mcp cannot reach its hub. {error}")
                continue
            self._attach(link)
            reason = self._pump_hub(link)
            self._detach(link, reason)
            patience = PATIENCE if reason == "upgrade" else 0.0

    # From the client to the hub

    def _pump_client(self) -> None:
        try:
            with open(0, "rb", buffering=_CHUNK, closefd=False) as lines:
                while line := lines.readline():
                    size = len(line)
                    if not line.isspace():
                        self._take(Message(line))
                    del line  # or its memory is not free yet
                    _give_back(size)
        except OSError:
            pass  # a terminal that went away, or a stdin that never was: the end, too
        finally:
            self._leave()

    def _take(self, message: Message) -> None:
        with self._changed:
            if self._conversation.accepts(message):
                self._pass_on(message)

    def _pass_on(self, message: Message) -> None:
        if self._link is None:
            self._keep(message)
            return
        self._conversation.sending(message)
        try:
            self._link.send(message.line)
        except OSError:
            self._link = None
            self._conversation.not_sent(message)
            self._keep(message)
        else:
            self._conversation.sent(message)

    def _keep(self, message: Message) -> None:
        """Let a line wait for the next hub; what is too much, or has been offered too often, is answered here."""
        if message.attempts >= MAX_ATTEMPTS:
            _fail(
                message,
                CONNECTION_LOST,
                f"The vim-mcp hub hung up each time that it was sent this. Its log: {paths.log_path()}",
            )
        elif self._is_full(len(message.line)):
            _fail(message, INTERNAL_ERROR, "No vim-mcp hub is there yet, and too much waits for it: send less, later.")
        else:
            self._waiting.append(message)
            self._needed = self._needed or message.is_request
            self._changed.notify()

    def _is_full(self, size: int) -> bool:
        waiting = self._waiting
        return len(waiting) >= MAX_WAITING_LINES or sum(len(kept.line) for kept in waiting) + size > MAX_WAITING

    def _leave(self) -> NoReturn:
        """Stdin has ended. The first hub may still answer what was asked; for what comes after it, nobody waits."""
        with self._changed:
            self._at_end = True
            if self._has_lost or not (self._conversation.is_open or self._waiting):
                os._exit(0)
        time.sleep(FAREWELL)
        os._exit(0)

    # From the hub to the client

    def _pump_hub(self, link: Link) -> str:
        """Pass the hub's lines on until it leaves; why it left."""
        reason = None
        while reason is None:
            line = link.read()
            size = len(line)
            reason = self._handle(line) if line else "lost"
            del line
            _give_back(size)
        return reason

    def _handle(self, line: bytes | bytearray) -> str | None:
        """Deal with one line of the hub's; its reason, where it says that it leaves."""
        if line.startswith(TO_RELAY):
            return self._obey(relay_part(line))
        is_for_client, answered = self._conversation.arrived(line)
        if is_for_client:
            _write(line)
        if answered is not None:
            self._conversation.answered(answered)
            if self._at_end and not self._conversation.is_open:
                os._exit(0)
        return None

    def _obey(self, content: dict[str, Any]) -> str | None:
        self._state = content.get("state", self._state)
        reason = content.get("bye")
        return reason if reason in _CAUSES or reason is None else "lost"

    # From one hub to the next

    def _wait_until_needed(self) -> None:
        with self._changed:
            while not self._needed:
                self._changed.wait()

    def _find_hub(self, patience: float) -> Link:
        """A hub that has greeted us and has been told of the client's handshake. Raises `HubUnreachable`."""
        deadline = time.monotonic() + starter.START_TIMEOUT
        may_replace = True
        while True:
            link = Link(starter.dial(deadline - time.monotonic(), patience))
            version = greet(link, self._state)
            if may_replace and is_older(version):
                may_replace, patience = False, 0.0
                if step_down(link):
                    deadline = time.monotonic() + starter.START_TIMEOUT
                    continue
            if version and self._replay(link):
                link.be_patient(None)
                return link
            link.close()
            if time.monotonic() > deadline:
                raise HubUnreachable(f"The hub takes calls but does not answer. Its log: {paths.log_path()}")
            time.sleep(_PAUSE)

    def _replay(self, link: Link) -> bool:
        """Repeat the client's handshake, if it has made one, without its notice; whether the hub went along."""
        initialize = self._conversation.replay()
        if initialize is None:
            return True
        try:
            link.be_patient(REPLAY_TIMEOUT)
            link.send(initialize.line)
            while self._conversation.is_replaying:
                line = link.read()
                if not line or self._handle(line):
                    return False
            if self._conversation.initialized:
                link.send(self._conversation.initialized.line)
        except OSError:
            return False
        return True

    def _attach(self, link: Link) -> None:
        """Send what has waited; from now on lines go to this hub."""
        with self._changed:
            self._link, self._needed, self._has_lost = link, False, False
            waiting, self._waiting = self._waiting, deque()
            for message in waiting:
                self._pass_on(message)

    def _detach(self, link: Link, reason: str) -> None:
        """Answer what was open with the hub that has gone, and keep for the next what can be asked again."""
        with self._changed:
            self._link, self._has_lost = None, True
            link.close()
            failures, again = self._conversation.lose(_CAUSES[reason])
            self._waiting.extendleft(reversed(again))
            self._needed |= reason in ("lost", "upgrade") or any(kept.method == "initialize" for kept in again)
        for line in failures:
            _write(line)
        if self._at_end:
            os._exit(0)

    def _refuse_waiting(self, reason: str) -> None:
        """No hub can be had: say so to who waits, and try again when the client asks the next thing."""
        with self._changed:
            refused, self._needed = self._waiting, False
            kept = [message for message in refused if not message.is_request and self._conversation.is_shaken]
            self._waiting = deque(kept)
        for message in refused:
            _fail(message, INTERNAL_ERROR, reason)
        if self._at_end:
            os._exit(0)


def _fail(message: Message, code: int, text: str) -> None:
    if message.is_request:
        _write(message.failure(code, text, text))


def _write(line: bytes | bytearray) -> None:
    """Give the client a line; without a client that reads there is nothing left to do."""
    rest = memoryview(line)
    try:
        with _writing:
            while rest:
                rest = rest[os.write(1, rest) :]
    except OSError:
        os._exit(0)


def _give_back(size: int) -> None:
    """After a big line, have the C library return the memory that it took, which it would keep for the next."""
    if size > BIG_LINE:
        import ctypes  # few clients ever come here

        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's
        if trim is not None:
            trim(0)
