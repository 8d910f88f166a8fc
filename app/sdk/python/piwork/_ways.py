"""How requests get to the controller: through the pipes of a program, or over HTTP."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import re
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, AsyncGenerator, AsyncIterator, Callable, Mapping, NamedTuple, Sequence
from urllib.parse import urlsplit

MAX_LINE = 128 << 20  # bytes of an answer
BUSY_TRIES = 10
STREAM_TRIES = 5  # to open a stream again without an event in between
PAUSE = 0.2  # seconds before the first of them, and twice as long before each other
LONG_STOOD = 30  # seconds without an event, and yet no failure
LONGEST_WAIT = 60.0  # seconds that a controller is believed
CONNECTING = 30.0  # seconds
THREADS = 1000  # as many as piwork takes connections
BEGINS = ("ready", "lost")  # what each stream of a watch begins with: it is no event in between
SILENCE = 60.0  # seconds: a stream that stands says more often that it does
LANGUAGES = re.compile(r"[A-Za-z0-9*,;=. -]{0,100}")  # RFC 9110, section 12.5.4
NEXT = re.compile(r'<(/v1/[^>]*)>; rel="next"')  # RFC 8288


class PiworkError(Exception):
    """An answer that is no success, or none. `code` is what programs go by, "" where nothing answered."""

    def __init__(self, message: str, status: int = 0, problem: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.problem = dict(problem or {})
        self.code: str = self.problem.get("code", "")
        self.wait = 0.0  # seconds that the controller asks to wait


class Broken(PiworkError):
    """No answer, or one that broke off: it is worth another try."""

    def __init__(self, why: object) -> None:
        super().__init__(f"piwork does not answer: {why}")


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
    """The sentences of a problem, and which value was wrong."""
    title, detail = problem.get("title") or "", problem.get("detail") or ""
    if title and detail:
        title += " " if title.endswith((".", "!", "?")) else ". "
    wrong = f" ({problem['details']})" if problem.get("code") == "bad-request" and problem.get("details") else ""
    return title + detail + wrong


def wait_of(said: Mapping[str, Any]) -> float:
    """The seconds that an answer asks to wait before the next request, 0 where it does not."""
    try:
        return min(float(said.get("headers", {}).get("Retry-After") or 0), LONGEST_WAIT)
    except ValueError:  # a date
        return 0


class Events:
    """A stream of events that has begun: what happens from now on is in it.

    After a break it goes on behind the last event that came. Events without a number that came
    meanwhile are missing then; the parts of output are counted. One that is `endless` goes on
    where the server ends it, too, until an event says that it is over.
    """

    def __init__(self, way: Way, method: str, path: str, body: Any, endless: bool) -> None:
        self._way, self._asked, self._endless = way, (method, path, body), endless
        self._lines: AsyncGenerator[dict[str, Any], None] | None = None
        self._last = ""  # what Last-Event-ID says
        self._tries = 0  # to open it again, without an event in between
        self._since = 0.0  # it stands
        self._over = False

    async def begin(self) -> None:
        self._lines = await self._way.begin(*self._asked, self._last)
        self._since = time.monotonic()

    def __aiter__(self) -> Events:
        return self

    async def __anext__(self) -> Any:
        while not self._over:
            try:
                if self._lines is None:
                    await self.begin()
                return await self._next()
            except StopAsyncIteration:
                self._over = True
            except PiworkError as error:
                if self._lines is not None and time.monotonic() - self._since > LONG_STOOD:
                    self._tries = 0
                self._lines = None
                again = isinstance(error, Broken) or error.status >= 500
                if not again or self._tries == STREAM_TRIES or self._over or self._way.closed:
                    self._over = True
                    raise
                pause = max(PAUSE * 2**self._tries, error.wait)
                self._tries += 1
                await self._way.rest(pause)
        raise StopAsyncIteration

    async def _next(self) -> Any:
        assert self._lines is not None
        async for said in self._lines:
            if "event" not in said:
                continue
            body = said["body"]
            if said["event"] == "message" and body.get("kind") == "reset":  # the numbers were another controller's, or are too old
                self._last = "0"
            elif number := said.get("number") or (said["event"] == "message" and body.get("seq")):  # an older program says no numbers
                self._last = str(number)
            elif said["event"].endswith(".over"):
                await self.aclose()
                raise StopAsyncIteration
            if said["event"] != "file.change" or body.get("what") not in BEGINS:
                self._tries = 0
            return body
        if self._endless:
            raise Broken("the stream ended early")
        raise StopAsyncIteration

    async def aclose(self) -> None:
        self._over = True
        if self._lines is not None:
            await self._lines.aclose()


class Way:
    """A way to the controller."""

    def __init__(self, language: str = "") -> None:
        if not LANGUAGES.fullmatch(language):
            raise PiworkError(f"{language[:100]!r} is not a language: write it as de, or as de-AT, en;q=0.5 (at most 100 characters)")
        self._headers = {"Accept-Language": language} if language else {}  # of each request
        self._closed = asyncio.Event()

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    async def rest(self, seconds: float) -> None:
        """Wait, as long as the way is open."""
        try:
            await asyncio.wait_for(self._closed.wait(), seconds)
        except asyncio.TimeoutError:
            return
        raise PiworkError("piwork was closed")

    def _lines(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> AsyncGenerator[dict[str, Any], None]:
        """What is said to a request, as `piwork serve --stdio` says it."""
        raise NotImplementedError

    async def call(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> Answer:
        said: dict[str, Any] = {}
        for _ in range(BUSY_TRIES):
            said = await self._said(method, path, body, headers)
            wait = wait_of(said)
            if said["status"] != 429 or not wait:
                break
            await self.rest(wait)  # nothing was done: there was too much at once
        link = NEXT.search(said.get("headers", {}).get("Link") or "")
        return Answer(said["status"], base64.b64decode(said["data"]) if "data" in said else said.get("body"), link.group(1) if link else "", said.get("headers", {}).get("Etag") or "")

    async def _said(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None) -> dict[str, Any]:
        lines = self._lines(method, path, body, {**self._headers, **(headers or {})})
        try:
            return await lines.__anext__()
        finally:
            await lines.aclose()

    async def close(self) -> None:
        self._closed.set()

    async def begin(self, method: str, path: str, body: Any, last: str) -> AsyncGenerator[dict[str, Any], None]:
        """What is said to a request for a stream, behind that it is one."""
        for tries in range(1, BUSY_TRIES + 1):
            lines = self._lines(method, path, body, {**self._headers, "Last-Event-ID": last} if last else self._headers)
            stands = False
            try:
                said = await lines.__anext__()
                stands = said.get("stream", False)
            finally:
                if not stands:
                    await lines.aclose()
            if stands:
                return lines
            if said["status"] != 429 or not wait_of(said) or tries == BUSY_TRIES:
                break
            await self.rest(wait_of(said))  # there was too much at once
        try:
            Answer(said["status"], said.get("body")).result()
        except PiworkError as error:
            error.wait = wait_of(said)
            raise
        raise PiworkError("the answer is no stream of events")

    async def open(self, method: str, path: str, body: Any, endless: bool = False) -> Events:
        """Begin a stream of events."""
        events = Events(self, method, path, body, endless)
        await events.begin()
        return events

    async def stream(self, method: str, path: str, body: Any, endless: bool = False) -> AsyncIterator[Any]:
        events = await self.open(method, path, body, endless)
        try:
            async for event in events:
                yield event
        finally:
            await events.aclose()


GONE = "`piwork serve --stdio` has ended, and with it its requests and streams. Make a new Piwork()"


class Pipes(Way):
    """`piwork serve --stdio`, and lines of JSON."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str] | None, language: str = "") -> None:
        super().__init__(language)
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
            raise PiworkError(GONE)
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
                    raise PiworkError(GONE)
                if "error" in said:
                    over = True
                    raise PiworkError(said["error"], said["status"]) if "status" in said else Broken(said["error"])
                over = not (said.get("stream") or "event" in said)
                yield said
        finally:
            del self._waiting[number]
            if not over and not process.stdin.is_closing():
                self._send(process, {"id": number, "cancel": True})

    async def close(self) -> None:
        await super().close()
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

    def __init__(self, url: str, token: str, context: ssl.SSLContext | None, language: str = "") -> None:
        super().__init__(language)
        self._url, self._token, self._context = urlsplit(url), token, context
        self._sockets: set[socket.socket] = set()
        self._threads = ThreadPoolExecutor(THREADS, "piwork")  # those of asyncio are few, and a stream that stands waits in one

    async def _wait(self, waits: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, waits, *args)

    def _connect(self) -> tuple[http.client.HTTPConnection, socket.socket]:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            conn: http.client.HTTPConnection = http.client.HTTPSConnection(host, port, context=self._context, timeout=CONNECTING)
        else:
            conn = http.client.HTTPConnection(host, port, timeout=CONNECTING)
        try:
            conn.connect()
        except (OSError, http.client.HTTPException) as error:
            raise Broken(error) from error
        conn.sock.settimeout(None)
        return conn, conn.sock  # which the connection forgets when the answer is the last

    def _ask(self, conn: http.client.HTTPConnection, method: str, path: str, body: Any, more: Mapping[str, str] | None) -> http.client.HTTPResponse:
        headers = {**(more or {}), "Authorization": "Bearer " + self._token}
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body)
        conn.request(method, path, data, headers)
        return conn.getresponse()

    async def _lines(self, method: str, path: str, body: Any, headers: Mapping[str, str] | None = None) -> AsyncGenerator[dict[str, Any], None]:
        conn, sock = await self._wait(self._connect)
        self._sockets.add(sock)
        try:
            response = await self._wait(self._ask, conn, method, path, body, headers)
            kind = response.headers.get_content_type()
            said: dict[str, Any] = {"status": response.status, "headers": dict(response.headers)}
            if kind == "text/event-stream":
                if self.closed:
                    raise PiworkError("piwork was closed")
                sock.settimeout(SILENCE)
                yield {**said, "stream": True}
                async for event in events_of(self._pieces(response)):
                    yield event
                return
            data = await self._wait(response.read)
            if kind != "application/json" and not kind.endswith("+json"):
                said["data"] = base64.b64encode(data)
            elif data:
                said["body"] = json.loads(data)
            yield said
        except (OSError, http.client.HTTPException) as error:
            raise (PiworkError("piwork was closed") if self.closed else Broken(error)) from error
        finally:
            self._sockets.discard(sock)
            end(sock)
            conn.close()

    async def _pieces(self, response: http.client.HTTPResponse) -> AsyncGenerator[bytes, None]:
        while piece := await self._wait(response.read1, 1 << 16):
            yield piece

    async def close(self) -> None:
        await super().close()
        for sock in self._sockets:
            end(sock)


async def lines_of(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """The lines of an answer. Its readline would not tell one that broke off from one that has its end."""
    rest = bytearray()
    async for piece in pieces:
        rest += piece
        if b"\n" in piece:
            *lines, rest = rest.split(b"\n")
            for line in lines:
                yield bytes(line)
        elif len(rest) > MAX_LINE:
            raise PiworkError(f"an event has more than {MAX_LINE} bytes")


async def events_of(pieces: AsyncIterator[bytes]) -> AsyncGenerator[dict[str, Any], None]:
    """Server-sent events (WHATWG HTML, section 9.2.6). One that is cut off is none."""
    name, number, data = "", 0, b""
    async for line in lines_of(pieces):
        line = line.removesuffix(b"\r")
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"event":
            name = value.decode()
        elif field == b"id":
            number = int(value) if value.isdigit() else 0
        elif field == b"data":
            data += value + b"\n"
            if len(data) > MAX_LINE:
                raise PiworkError(f"an event has more than {MAX_LINE} bytes")
        elif not line:
            if data:
                yield {"event": name or "message", "number": number, "body": json.loads(data)}
            name, number, data = "", 0, b""


def end(sock: socket.socket) -> None:
    """End a connection, and a read of it in another thread."""
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it has ended
