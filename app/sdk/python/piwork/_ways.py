"""How requests get to the controller: through the pipes of a program, or over HTTP."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import re
import socket
import ssl
from typing import Any, AsyncGenerator, AsyncIterator, Mapping, NamedTuple, Sequence
from urllib.parse import urlsplit

MAX_LINE = 128 << 20  # bytes of an answer
BUSY_TRIES = 10
NEXT = re.compile(r'<(/v1/[^>]*)>; rel="next"')  # RFC 8288


class PiworkError(Exception):
    """An answer that is no success, or none. `code` is what programs go by, "" where nothing answered."""

    def __init__(self, message: str, status: int = 0, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem = dict(problem or {})
        self.code: str = self.problem.get("code", "")


class Record(dict):  # type: ignore[type-arg]
    """An object of JSON with its ETag."""

    etag = ""


class Answer(NamedTuple):
    status: int
    body: Any  # of JSON, bytes of anything else
    next: str = ""  # where the page after a page of a list is
    etag: str = ""

    def result(self) -> Any:
        if self.status < 400 and self.etag and isinstance(self.body, dict):
            record = Record(self.body)
            record.etag = self.etag
            return record
        if self.status < 400:
            return self.body
        problem = self.body if isinstance(self.body, dict) else {}
        raise PiworkError(said(problem) or f"HTTP {self.status}", self.status, problem)


def said(problem: Mapping[str, Any]) -> str:
    """The sentences of a problem."""
    title, detail = problem.get("title") or "", problem.get("detail") or ""
    if title and detail:
        title += " " if title.endswith((".", "!", "?")) else ". "
    return title + detail


class Events:
    """A stream of events that has begun: what happens from now on is in it."""

    def __init__(self, lines: AsyncGenerator[dict[str, Any], None]) -> None:
        self._lines = lines

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Any:
        async for said in self._lines:
            if "event" in said:
                return said["body"]
        raise StopAsyncIteration

    async def aclose(self) -> None:
        await self._lines.aclose()


class Way:
    """A way to the controller."""

    def _lines(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> AsyncGenerator[dict[str, Any], None]:
        """What is said to a request, as `piwork serve --stdio` says it."""
        raise NotImplementedError

    async def call(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> Answer:
        said: dict[str, Any] = {}
        for _ in range(BUSY_TRIES):
            said = await self._said(method, path, body, headers)
            wait = said.get("headers", {}).get("Retry-After")
            if said["status"] != 429 or not wait:
                break
            await asyncio.sleep(float(wait))  # nothing was done: there was too much at once
        link = NEXT.search(said.get("headers", {}).get("Link") or "")
        return Answer(said["status"], base64.b64decode(said["data"]) if "data" in said else said.get("body"), link.group(1) if link else "", said.get("headers", {}).get("Etag") or "")

    async def _said(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None) -> dict[str, Any]:
        lines = self._lines(method, path, body, headers)
        try:
            return await lines.__anext__()
        finally:
            await lines.aclose()

    async def close(self) -> None:
        pass

    async def open(self, method: str, path: str, body: Any) -> Events:
        """Begin a stream of events."""
        lines = self._lines(method, path, body)
        try:
            said = await lines.__anext__()
            if not said.get("stream"):
                Answer(said["status"], said.get("body")).result()
                raise PiworkError("the answer is no stream of events")
        except BaseException:
            await lines.aclose()
            raise
        return Events(lines)

    async def stream(self, method: str, path: str, body: Any) -> AsyncIterator[Any]:
        events = await self.open(method, path, body)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()


class Pipes(Way):
    """`piwork serve --stdio`, and lines of JSON."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str] | None) -> None:
        self._argv, self._env = argv, env
        self._process: asyncio.subprocess.Process | None = None
        self._starting: asyncio.Lock | None = None
        self._reader: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Queue[dict[str, Any] | None]] = {}
        self._last = 0

    async def _start(self) -> asyncio.subprocess.Process:
        self._starting = self._starting or asyncio.Lock()  # here, where there is a loop
        async with self._starting:  # several first requests have one program
            return self._process or await self._launch()

    async def _launch(self) -> asyncio.subprocess.Process:
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._argv, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=self._env, limit=MAX_LINE
            )
        except OSError as error:
            raise PiworkError(f"cannot start {self._argv[0]}: {error.strerror or error}. Name the program: Piwork(program=…)") from error
        self._reader = asyncio.create_task(self._read(self._process))
        return self._process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout
        try:
            while line := await process.stdout.readline():
                said = json.loads(line)
                queue = self._waiting.get(said["id"])
                if queue is not None:
                    queue.put_nowait(said)
        finally:
            for queue in self._waiting.values():
                queue.put_nowait(None)

    def _send(self, process: asyncio.subprocess.Process, request: dict[str, Any]) -> None:
        assert process.stdin
        process.stdin.write(json.dumps(request).encode() + b"\n")

    async def _lines(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> AsyncGenerator[dict[str, Any], None]:
        process = await self._start()
        if self._reader is None or self._reader.done():
            raise PiworkError("piwork has ended")
        self._last += 1
        number, over = self._last, False
        queue: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._waiting[number] = queue
        request: dict[str, Any] = {"id": number, "method": method, "path": path}
        if body is not None:
            request["body"] = body
        if headers:
            request["headers"] = dict(headers)
        try:
            self._send(process, request)
            assert process.stdin
            await process.stdin.drain()
            while not over:
                said = await queue.get()
                if said is None:
                    raise PiworkError("piwork has ended")
                if "error" in said:
                    over = True
                    raise PiworkError(said["error"])
                over = not (said.get("stream") or "event" in said)
                yield said
        finally:
            del self._waiting[number]
            if not over and not process.stdin.is_closing():
                self._send(process, {"id": number, "cancel": True})

    async def close(self) -> None:
        if self._process is None:
            return
        assert self._process.stdin
        self._process.stdin.close()
        try:
            await self._process.stdin.wait_closed()
        except OSError:
            pass  # it has ended before
        if self._reader:
            await self._reader
        await self._process.wait()


class Http(Way):
    """HTTP, or HTTPS, with a token."""

    def __init__(self, url: str, token: str, context: ssl.SSLContext | None) -> None:
        self._url, self._token, self._context = urlsplit(url), token, context
        self._sockets: set[socket.socket] = set()

    def _open(self, method: str, path: str, body: Any, more: Mapping[str, str] | None) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            conn: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, context=self._context)
        else:
            conn = http.client.HTTPConnection(host, port)
        headers = {**(more or {}), "Authorization": "Bearer " + self._token}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body)
        try:
            conn.request(method, path, data, headers)
            return conn, conn.getresponse()
        except OSError as error:
            conn.close()
            raise PiworkError(f"piwork does not answer: {error}") from error

    async def _lines(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> AsyncGenerator[dict[str, Any], None]:
        conn, response = await asyncio.to_thread(self._open, method, path, body, headers)
        sock = conn.sock  # which the connection forgets when the answer is the last
        if sock is not None:
            self._sockets.add(sock)
        try:
            kind = response.headers.get_content_type()
            said: dict[str, Any] = {"status": response.status, "headers": dict(response.headers)}
            if kind == "text/event-stream":
                yield {**said, "stream": True}
                while line := await asyncio.to_thread(response.readline):
                    if line.startswith(b"data:"):
                        yield {"event": "message", "body": json.loads(line[5:])}
                return
            data = await asyncio.to_thread(response.read)
            if kind != "application/json" and not kind.endswith("+json"):
                said["data"] = base64.b64encode(data)
            elif data:
                said["body"] = json.loads(data)
            yield said
        except (OSError, http.client.HTTPException) as error:
            raise PiworkError(f"piwork does not answer: {error}") from error
        finally:
            if sock is not None:
                self._sockets.discard(sock)
                end(sock)
            conn.close()

    async def close(self) -> None:
        for sock in self._sockets:
            end(sock)


def end(sock: socket.socket) -> None:
    """End a connection, and a read of it in another thread."""
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it has ended
