"""A connection to a running kernel, by Jupyter's own client: code goes in, messages come out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from typing import Any

import zmq
import zmq.asyncio
from jupyter_client.asynchronous.client import AsyncKernelClient
from zmq.utils.monitor import parse_monitor_message

logger = logging.getLogger(__name__)

_AGAIN = 0.1
"""Seconds after which a kernel that does not answer yet is asked again."""
_LATE = 2.0
"""Seconds that the last output may come later than the answer."""
_MAX_QUEUE = 100_000
"""Messages that may wait to be read: a kernel drops what is beyond that."""
_MAX_MESSAGE = 256 * 1024 * 1024
"""Bytes: a kernel that sends a larger message is not heard any more until the next run."""
_EARLIER = 50
"""Runs that are remembered for what still comes of them."""
_RETURN = 3.0
"""Seconds in which a kernel that has hung up may come back, as one that is started anew does."""

_CUT_OFF = (
    "\n[The last of the output has not arrived: there was too much of it at once, or the kernel's own output is "
    "broken. Print less at a time.]\n"
)

Listener = Callable[[str, dict[str, Any]], None]
"""Takes a message of the kernel's: its type and content."""


class Channels:
    """The sockets to one kernel. What it sends for the run that is on goes to that run's listener, and what comes for
    earlier ones, as from threads that they have started, to `late`.
    """

    def __init__(self, connection: Any, late: Listener):
        self._late = late
        self._earlier: deque[str] = deque(maxlen=_EARLIER)
        self._context = zmq.asyncio.Context()
        for option, value in ((zmq.RCVHWM, _MAX_QUEUE), (zmq.MAXMSGSIZE, _MAX_MESSAGE), (zmq.LINGER, 0)):
            self._context.setsockopt(option, value)
        self._client: Any = AsyncKernelClient(context=self._context)
        self._client.load_connection_info(connection)
        self._client.start_channels(shell=True, iopub=True, stdin=False, hb=False, control=True)
        self._runs: dict[str, Listener] = {}
        self._heard = asyncio.Event()
        self._reader = asyncio.create_task(self._read())

    async def ready(self) -> dict[str, Any]:
        """Wait until the kernel answers and its output arrives; what it says of itself (`kernel_info_reply`)."""
        pause = _AGAIN
        while True:
            self._client.kernel_info()
            with contextlib.suppress(Empty):
                answer = await self._client.get_shell_msg(timeout=pause)
                if answer["msg_type"] == "kernel_info_reply" and self._heard.is_set():
                    await self._forget_answers()
                    return dict(answer["content"])
            pause = min(1.3 * pause, 1.0)

    async def _forget_answers(self) -> None:
        """The answers to those who were asked in vain until now."""
        with contextlib.suppress(Empty):
            while True:
                await self._client.get_shell_msg(timeout=0.0)

    async def run(self, code: str, listener: Listener) -> dict[str, Any]:
        """Run code to its end; the kernel's answer (`execute_reply`). Messages of its own go to the listener."""
        idle = asyncio.Event()
        if not self._heard.is_set():
            await self._listen_again()

        def hear(kind: str, content: dict[str, Any]) -> None:
            if kind == "status" and content.get("execution_state") == "idle":
                idle.set()
            listener(kind, content)

        request = self._client.execute(code, allow_stdin=False, stop_on_error=False)
        self._runs[request] = hear
        try:
            answer = await self._answer(request)
            if not await self._heard_out(idle):
                listener("stream", {"text": _CUT_OFF})
            for data in _pages(answer):
                listener("display_data", {"data": data})
            return answer
        finally:
            del self._runs[request]
            self._earlier.append(request)

    async def _listen_again(self) -> None:
        """Connect to the output anew: zmq does not, where a message was too large for it."""
        output = self._client.iopub_channel.socket
        address = output.getsockopt_string(zmq.LAST_ENDPOINT)
        with contextlib.suppress(zmq.ZMQError):  # it is connected still, or is not
            output.disconnect(address)
        output.connect(address)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.ready(), _LATE)

    async def _heard_out(self, idle: asyncio.Event) -> bool:
        """Wait for the last of the output, as long as some comes; whether it has come."""
        while not idle.is_set():
            self._heard.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(idle.wait(), _LATE)
            if not self._heard.is_set():
                return False
        return True

    async def _answer(self, request: str) -> dict[str, Any]:
        while True:
            with contextlib.suppress(Empty):
                answer = await self._client.get_shell_msg(timeout=60)
                if answer["parent_header"].get("msg_id") == request:
                    return dict(answer["content"])

    async def _read(self) -> None:
        """Read all that the kernel publishes, also while nothing is run: it must not pile up."""
        while True:
            try:
                message = await self._client.get_iopub_msg(timeout=60)
            except Empty:
                continue
            except Exception as error:  # a message of no valid form, or signature
                logger.warning("a kernel's message cannot be read: %s", type(error).__name__)
                continue
            self._heard.set()
            request = message["parent_header"].get("msg_id", "")
            if listener := self._runs.get(request) or (self._late if request in self._earlier else None):
                listener(message["msg_type"], message["content"])

    async def gone(self) -> None:
        """Return when the kernel has hung up and does not come back."""
        monitor = self._client.shell_channel.socket.get_monitor_socket(zmq.EVENT_CONNECTED | zmq.EVENT_DISCONNECTED)
        connected = True
        while True:
            try:
                async with asyncio.timeout(None if connected else _RETURN):
                    told = parse_monitor_message(await monitor.recv_multipart())
            except TimeoutError:
                return
            connected = told["event"] == zmq.EVENT_CONNECTED

    def interrupt(self) -> None:
        """Ask the kernel, by a message, to interrupt what it runs."""
        self._client.control_channel.send(self._client.session.msg("interrupt_request", content={}))

    async def close(self) -> None:
        """Hang up; the kernel runs on."""
        self._reader.cancel()
        await asyncio.gather(self._reader, return_exceptions=True)
        self._client.stop_channels()
        self._context.destroy(linger=0)


def _pages(answer: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the answer itself carries to be shown, by MIME type: help (`len?`), code for the next input (`%load`)."""
    for payload in answer.get("payload") or ():
        if payload.get("source") == "page":
            yield payload.get("data") or {}
        elif payload.get("source") == "set_next_input":
            yield {"text/plain": f"[put forward as the next input:]\n{payload.get('text', '')}"}


def read_connection(path: Path) -> dict[str, Any]:
    """What a connection file says. Raises OSError, and ValueError for what is none."""
    connection = json.loads(path.read_bytes())
    needed = ("shell_port", "iopub_port", "control_port", "ip", "transport", "key")
    if not isinstance(connection, dict) or any(name not in connection for name in needed):
        raise ValueError(f"it lacks one of {', '.join(needed)}")
    return connection
