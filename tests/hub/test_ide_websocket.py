"""An editor's WebSocket port: who is let in, who is not, and that nobody is waited for."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
import signal
import socket
import sys
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage, InvalidStatus
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.typing import Subprotocol

from tests.support.editors import TIMEOUT
from vim_mcp.ide.ports import PORTS, listen, listen_anywhere
from vim_mcp.ide.websocket import AUTHORIZATION, Limits, Peer, WebSocketServer

TOKEN = "7e1f6c1e-0000-4000-8000-000000000001"
Headers = list[tuple[str, str]]

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """The hub's event loop."""
    return "asyncio"


async def echo(peer: Peer) -> None:
    """Send every message back."""
    async for message in peer:
        peer.write(message)
        await peer.drain()


@contextlib.asynccontextmanager
async def serving(
    serve: Callable[[Peer], Awaitable[None]] = echo, limits: Limits | None = None
) -> AsyncIterator[WebSocketServer]:
    """An open port; everything is over within the test's time limit."""
    server = WebSocketServer(TOKEN, serve, limits)
    async with asyncio.timeout(TIMEOUT):
        await server.open(listen_anywhere())
        yield server
        await server.close()


def client(server: WebSocketServer, headers: Headers | None = None, host: str = "127.0.0.1") -> connect:
    """Connect as Claude Code does; `headers` replace the one with the token."""
    return connect(
        f"ws://{host}:{server.port}/",
        subprotocols=[Subprotocol("mcp")],
        additional_headers=[(AUTHORIZATION, TOKEN)] if headers is None else headers,
        max_size=None,
        proxy=None,
    )


async def answers(connection: ClientConnection, message: str = "{}") -> bool:
    """Whether a message comes back."""
    await connection.send(message)
    return await connection.recv() == message


async def status(server: WebSocketServer, headers: Headers, host: str | None = None) -> int:
    """The HTTP status that a request with these headers gets, by a bare socket."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    all_headers = [
        *([("Host", host if host is not None else f"127.0.0.1:{server.port}")] if host != "" else []),
        ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Protocol", "mcp"), *headers,
    ]  # fmt: skip
    lines = "".join(f"{name}: {value}\r\n" for name, value in all_headers)
    writer.write(f"GET / HTTP/1.1\r\n{lines}\r\n".encode("latin-1"))
    answer = await reader.readline()
    writer.transport.abort()
    return int(answer.split()[1])


@pytest.mark.requirement("WS-01")
async def test_it_listens_on_loopback_alone_in_the_range() -> None:
    async with serving() as server:
        assert server.port in PORTS
        async with client(server) as connection:
            assert connection.subprotocol == "mcp"
            assert await answers(connection)
        own = {str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None)}
        for address in {"127.0.0.2", *own} - {"127.0.0.1"}:
            with pytest.raises(OSError):
                await asyncio.open_connection(address, server.port)


@pytest.mark.requirement("WS-01")
async def test_ports_in_use_and_those_with_a_lock_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serving() as first:
        monkeypatch.setattr(random.SystemRandom, "sample", lambda *_: [first.port, 10001, 10002, 10003, 10004, 10005])
        with listen_anywhere(taken=lambda port: port == 10001) as listener:
            assert listener.getsockname()[1] in range(10002, 10006)
        monkeypatch.setattr(random.SystemRandom, "sample", lambda *_: [first.port])
        with pytest.raises(OSError, match=r"none of \d+ ports of 127\.0\.0\.1 that were tried is free"):
            listen_anywhere()


async def test_a_wished_port_is_taken_or_the_reason_told() -> None:
    async with serving() as first:
        with pytest.raises(OSError, match="in use"):
            listen(first.port)
        async with client(first):
            first.stop()
            listen(first.port).close()


async def test_who_calls_before_the_port_is_served_is_served_then() -> None:
    listener = listen_anywhere()
    server = WebSocketServer(TOKEN, echo)
    server.port = listener.getsockname()[1]
    calling = asyncio.ensure_future(status(server, [(AUTHORIZATION, TOKEN)]))
    await asyncio.sleep(0)
    async with asyncio.timeout(TIMEOUT):
        await server.open(listener)
        assert await calling == 101
        await server.close()


async def test_stopped_while_it_opens_it_is_closed() -> None:
    listener = listen_anywhere()
    server = WebSocketServer(TOKEN, echo)
    async with asyncio.timeout(TIMEOUT):
        opening = asyncio.create_task(server.open(listener))
        await asyncio.sleep(0)
        server.stop()
        await opening
        await server.close()
    listen(server.port).close()


@pytest.mark.parametrize("moments", range(4))
async def test_one_that_was_stopped_at_any_moment_leaves_the_next_its_callers(moments: int) -> None:
    listener = listen_anywhere()
    server = WebSocketServer(TOKEN, echo)
    opening = asyncio.create_task(server.open(listener))
    for _ in range(moments):
        await asyncio.sleep(0)
    server.stop()
    listener.close()
    await opening
    async with serving() as next_one, client(next_one) as connection:  # its descriptor has the closed one's number
        assert await answers(connection)


@pytest.mark.requirement("WS-03")
@pytest.mark.parametrize(
    "tokens",
    [[], [""], ["wrong"], [TOKEN[:-1]], [TOKEN + "0"], [TOKEN.upper()], [TOKEN, TOKEN], [TOKEN, "wrong"], ["\xff\xe9"]],
)
async def test_without_the_one_token_nobody_comes_in(tokens: list[str], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with serving() as server:
        assert await status(server, [(AUTHORIZATION, token) for token in tokens]) == 401
        assert await status(server, [(AUTHORIZATION.title(), TOKEN)]) == 101
    assert f"refused a client of port {server.port}" in caplog.text
    assert all(token not in caplog.text for token in (TOKEN, "wrong"))


@pytest.mark.requirement("WS-05")
@pytest.mark.parametrize("origin", ["https://evil.example", "http://127.0.0.1", "null", ""])
async def test_no_web_page_comes_in(origin: str) -> None:
    async with serving() as server:
        assert await status(server, [(AUTHORIZATION, TOKEN), ("Origin", origin)]) == 403


@pytest.mark.requirement("WS-05")
@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:{port}", 101), ("localhost:{port}", 101), ("LocalHost:{port}", 101), ("[::1]:{port}", 101),
        ("evil.example:{port}", 403), ("127.0.0.1", 403), ("127.0.0.1:1", 403), ("localhost.evil.example:{port}", 403),
        ("", 403), ("127.0.0.1:{port}, x", 403), ("user@127.0.0.1:{port}", 403),
    ],
)  # fmt: skip
async def test_the_host_is_this_computer_with_this_port(host: str, expected: int) -> None:
    async with serving() as server:
        assert await status(server, [(AUTHORIZATION, TOKEN)], host.format(port=server.port)) == expected


@pytest.mark.requirement("WS-05")
async def test_two_hosts_are_none() -> None:
    async with serving() as server:
        assert await status(server, [(AUTHORIZATION, TOKEN), ("Host", f"127.0.0.1:{server.port}")]) == 403


@pytest.mark.requirement("WS-06")
async def test_nothing_that_is_logged_holds_the_token_or_a_text(caplog: pytest.LogCaptureFixture) -> None:
    async def fail(peer: Peer) -> None:
        async for _ in peer:
            raise RuntimeError("a fault")

    for name in ("", "websockets", "websockets.server", "asyncio", "vim_mcp"):
        caplog.set_level(logging.DEBUG, name)
    async with serving(fail) as server:
        async with client(server) as connection:
            await connection.send("the user's text")
            await connection.wait_closed()
        await status(server, [(AUTHORIZATION, TOKEN[:-1])])
    own = "".join(
        record.getMessage() + str(record.exc_text) for record in caplog.records if record.name != "websockets.client"
    )
    assert "has failed" in own
    assert TOKEN[:-1] not in own
    assert "the user's text" not in own


@pytest.mark.requirement("WS-07")
async def test_a_client_without_the_subprotocol_is_served_without_it() -> None:
    async with serving() as server:
        address = f"ws://127.0.0.1:{server.port}/"
        async with connect(address, additional_headers=[(AUTHORIZATION, TOKEN)], proxy=None) as connection:
            assert connection.subprotocol is None
            assert await answers(connection)


@pytest.mark.requirement("WS-07")
async def test_messages_are_compressed_for_who_offers_it() -> None:
    async with serving() as server, client(server) as connection:
        assert [extension.name for extension in connection.protocol.extensions] == ["permessage-deflate"]
        for size in (1, 1000, 1_000_000):
            assert await answers(connection, json.dumps("äöü€😀" * size))
        offer = ClientPerMessageDeflateFactory(client_max_window_bits=None)
        address = f"ws://127.0.0.1:{server.port}/"
        headers = [(AUTHORIZATION, TOKEN)]
        async with connect(
            address, extensions=[offer], compression=None, additional_headers=headers, proxy=None
        ) as old:
            assert await answers(old, "without a window of its own")
        async with connect(address, compression=None, additional_headers=headers, proxy=None) as plain:
            assert await answers(plain, "not compressed")


@pytest.mark.requirement("WS-07")
async def test_a_message_may_come_in_fragments() -> None:
    async with serving() as server, client(server) as connection:
        await connection.send(["[1, ", "", "2, ", "3]"])
        assert await connection.recv() == "[1, 2, 3]"


@pytest.mark.requirement("WS-08")
async def test_a_message_that_is_too_long_ends_its_own_connection() -> None:
    async with serving(limits=Limits(message=1000)) as server, client(server) as good:
        for compression in (None, "deflate"):
            headers = [(AUTHORIZATION, TOKEN)]
            address = f"ws://127.0.0.1:{server.port}/"
            async with connect(address, compression=compression, additional_headers=headers, proxy=None) as bad:
                assert await answers(bad, "x" * 1000)
                await bad.send("x" * 1001)
                with pytest.raises(ConnectionClosed) as closed:
                    await bad.recv()
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1009
        assert await answers(good)


@pytest.mark.requirement("WS-08")
async def test_sixty_megabytes_pass() -> None:
    async def measure(peer: Peer) -> None:
        async for message in peer:
            peer.write(b"%d" % len(message))

    async with serving(measure) as server, client(server) as connection:
        await connection.send("x" * (60 << 20))
        assert await connection.recv() == f"{60 << 20}"


@pytest.mark.requirement("WS-08")
async def test_a_bomb_does_not_go_off() -> None:
    """A compressed message is measured by what it would become."""
    async with serving() as server, client(server) as good, client(server) as bad:
        deflate = zlib.compressobj(wbits=-12)
        packed = deflate.compress(bytes(200 << 20)) + deflate.flush(zlib.Z_SYNC_FLUSH)
        bad.transport.write(frame(0xC1, packed[:-4]))
        await bad.wait_closed()
        assert bad.close_code == 1009
        assert await answers(good)


def frame(first: int, payload: bytes) -> bytes:
    """One masked frame, its mask being zero."""
    return bytes([first, 0xFF]) + len(payload).to_bytes(8) + bytes(4) + payload


@pytest.mark.requirement("WS-08")
async def test_a_text_that_is_no_utf_8_ends_its_connection() -> None:
    async with serving() as server, client(server) as good, client(server) as bad:
        bad.transport.write(frame(0x81, b"\xff\xfe"))
        await bad.wait_closed()
        assert bad.close_code == 1007
        assert await answers(good)


@pytest.mark.requirement("WS-07")
async def test_every_text_frame_is_utf_8() -> None:
    async def sloppy(peer: Peer) -> None:
        async for _ in peer:
            peer.write(b'"\xff\xed\xa0\x80 caf\xc3\xa9"\n')

    async with serving(sloppy) as server, client(server) as connection:
        await connection.send("")
        assert json.loads(await connection.recv()) == "\ufffd\ufffd\ufffd\ufffd café"


@pytest.mark.requirement("WS-08")
@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET / HTTP/1.1\r\n" + b"X-Filler: " + b"x" * 20_000,
        b"GET / HTTP/1.1\r\n" + b"X-Filler: x\r\n" * 2_000,
        b"GET /" + b"x" * 20_000,
        b"\0" * 20_000,
    ],
)
async def test_a_request_that_is_too_long_is_cut_off(request_bytes: bytes) -> None:
    async with serving(limits=Limits(opening=1000)) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        with contextlib.suppress(ConnectionError):
            writer.write(request_bytes)
            await writer.drain()
            answer = await reader.read()
            assert answer[9:12] in (b"", b"400", b"414", b"431")
        writer.transport.abort()
        async with client(server) as connection:
            assert await answers(connection)


@pytest.mark.requirement("WS-08")
@pytest.mark.parametrize("beginning", [b"", b"GET / HTTP/1.1\r\nHost: 127"])
async def test_who_does_not_finish_its_request_is_cut_off(beginning: bytes) -> None:
    async with serving(limits=Limits(opening=0.1)) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(beginning)
        assert await reader.read() == b""
        writer.transport.abort()


@pytest.mark.requirement("WS-08")
async def test_fifty_idle_sockets_go_unnoticed() -> None:
    async with serving(limits=Limits(opening=1000)) as server, client(server) as before:
        idle = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(50)]
        async with client(server) as after:
            assert await answers(before)
            assert await answers(after)
        dropped = idle[: 50 + 1 - Limits().strangers]
        for reader, _ in dropped:
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
        for _, writer in idle:
            writer.transport.abort()


@pytest.mark.requirement("WS-09")
async def test_there_are_several_clients_but_not_any_number() -> None:
    async with serving(limits=Limits(clients=2)) as server, client(server) as first, client(server) as second:
        with pytest.raises(InvalidStatus, match="503"):
            await client(server)
        assert await answers(first)
        assert await answers(second)
        await second.close()
        async with client(server) as third:
            assert await answers(third)


@pytest.mark.requirement("WS-10")
async def test_who_does_not_read_is_dropped_and_nobody_waits_for_it() -> None:
    peers: list[Peer] = []
    ended = asyncio.Event()

    async def collect(peer: Peer) -> None:
        peers.append(peer)
        async for message in peer:
            peer.write(message)
        if peer is peers[0]:
            ended.set()

    async with serving(collect, Limits(unsent=1 << 20)) as server:
        connection = client(server)
        slow = await connection
        slow.transport.pause_reading()
        async with client(server) as quick:
            loop = asyncio.get_running_loop()
            noise = random.Random(1).randbytes(50_000).hex().encode()
            before = loop.time()
            while not ended.is_set():
                peers[0].write(noise)  # returns at once, or this would never end
                assert await answers(quick)
            assert loop.time() - before < TIMEOUT
            peers[0].write(b"into the void")
            await peers[0].drain()
        slow.transport.abort()


@pytest.mark.requirement("WS-11")
async def test_a_client_that_was_stopped_goes_on_where_it_was() -> None:
    """As after a laptop's sleep, or CTRL-Z in Claude Code: many pings go unanswered."""
    code = (
        "import sys\nfrom websockets.sync.client import connect\n"
        "with connect(sys.argv[1], additional_headers={sys.argv[2]: sys.argv[3]}, proxy=None) as connection:\n"
        "    for message in connection:\n        connection.send(message)\n"
    )
    pinged: list[int] = []
    arrived: asyncio.Queue[Peer] = asyncio.Queue()
    heard: asyncio.Queue[bytes] = asyncio.Queue()

    async def watch(peer: Peer) -> None:
        arrived.put_nowait(peer)
        async for message in peer:
            heard.put_nowait(message)

    async with serving(watch, Limits(ping=0.01)) as server:
        address = f"ws://127.0.0.1:{server.port}/"
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, address, AUTHORIZATION, TOKEN)
        peer = await arrived.get()
        peer.write(b"before")
        assert await heard.get() == b"before"
        os.kill(process.pid, signal.SIGSTOP)
        unanswered = peer._connection.pending_pings
        while len(unanswered) < 20:
            pinged.append(len(unanswered))
            await asyncio.sleep(0.01)
        os.kill(process.pid, signal.SIGCONT)
        peer.write(b"after")
        assert await heard.get() == b"after"
        peer.close()
        assert await process.wait() == 0
    assert pinged


async def test_closed_it_hangs_up_on_everybody_at_once() -> None:
    stuck = asyncio.Event()

    async def never_ends(_: Peer) -> None:
        stuck.set()
        await asyncio.Event().wait()

    server = WebSocketServer(TOKEN, never_ends, Limits(opening=1000, closing=0.2))
    async with asyncio.timeout(TIMEOUT):
        await server.open(listen_anywhere())
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        connection = await client(server)
        await stuck.wait()
        await server.close()
        assert await reader.read() == b""
        writer.transport.abort()
        await connection.wait_closed()
        with pytest.raises(OSError):
            await asyncio.open_connection("127.0.0.1", server.port)


@pytest.mark.requirement("WS-08")
@pytest.mark.parametrize(
    "request_bytes",
    [b"nonsense\r\n\r\n", b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", b"GET / HTTP/2\r\n\r\n", b"\r\n\r\n"],
)
async def test_what_is_no_request_of_a_websocket_is_refused(request_bytes: bytes) -> None:
    async with serving() as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(request_bytes)
        answer = await reader.read()
        assert answer == b"" or answer[9:10] == b"4"
        writer.transport.abort()
        with pytest.raises((InvalidStatus, InvalidMessage)):
            await client(server, [])
