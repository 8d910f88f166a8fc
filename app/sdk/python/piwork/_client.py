"""The client whose methods are coroutines."""

from __future__ import annotations

import base64
import os
import ssl
import time
import uuid
from typing import Any, AsyncIterator, Mapping, Sequence
from urllib.parse import quote, urlencode

from ._coroutines import AsyncOperations
from ._ways import Events, Http, Pipes, PiworkError, Record, Way

__all__ = ["AsyncPiwork", "AsyncTask", "PiworkError"]

FINAL = ("done", "failed", "cancelled")


def new_id() -> str:
    """A UUIDv7 (RFC 9562, section 5.7)."""
    value = (time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10), "big")
    value = value & ~(0xF << 76) & ~(0x3 << 62) | 0x7 << 76 | 0x2 << 62
    return str(uuid.UUID(int=value))


def request_path(path: str, params: Mapping[str, str] | None, query: Mapping[str, Any] | None) -> str:
    for name, value in (params or {}).items():
        path = path.replace("{" + name + "}", quote(str(value), safe=""))
    given = []
    for name, value in (query or {}).items():
        if value is None:
            continue
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        given.append((name, value))
    return path + ("?" + urlencode(given) if given else "")


class AsyncPiwork(AsyncOperations):
    """piwork, as coroutines.

    Without `url` it starts `program serve --stdio`, which starts piwork in the background
    where it does not run. With `url` and `token` (`piwork token create`) it uses HTTP; paths
    are then those of piwork's computer, and passed on as they are.

    `language` is that of problems, plans and questions, such as "de", or several: "de-AT, en;q=0.5".
    Without it they are in English.
    """

    def __init__(
        self,
        *,
        program: str = "piwork",
        env: Mapping[str, str] | None = None,
        url: str = "",
        token: str = "",
        context: ssl.SSLContext | None = None,
        language: str = "",
    ) -> None:
        self._here = not url
        self._way: Way = Http(url, token, context, language) if url else Pipes([program, "serve", "--stdio"], env, language)

    async def __aenter__(self) -> AsyncPiwork:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """End what it holds: tasks that are not detached end, too."""
        await self._way.close()

    async def _call(self, method: str, at: str, *, path: Any = None, query: Any = None, body: Any = None) -> Any:
        return (await self._way.call(method, request_path(at, path, query), body)).result()

    async def _pages(self, method: str, at: str, *, path: Any = None, query: Any = None) -> AsyncIterator[Any]:
        next_ = request_path(at, path, query)
        while next_:
            answer = await self._way.call(method, next_, None)
            for one in answer.result():
                yield one
            next_ = answer.next

    def _stream(self, method: str, at: str, *, path: Any = None, query: Any = None, body: Any = None, endless: bool = False) -> AsyncIterator[Any]:
        return self._way.stream(method, request_path(at, path, query), body, endless)

    def while_still(self, record: Any) -> AsyncOperations:
        """The operations, for changes of a record that are done only while it still is what was read.

        Else nothing is done, and the error has the code "changed". The record is what an
        operation on it alone answered, such as get_task.
        """
        return _Still(self, tag_of(record))

    async def run(self, argv: Sequence[str], *, folders: Mapping[str, str] | Sequence[str] = (), **more: Any) -> AsyncTask:
        """Start a program. `folders` are modes ("ro", "rw", "review") by path, or paths to read; `more` is as in StartRequest."""
        modes = folders.items() if isinstance(folders, Mapping) else ((path, "ro") for path in folders)
        named = [{"path": self._path(path), "mode": mode} for path, mode in modes]
        return await self.start({"kind": "exec", "argv": list(argv), "folders": named, **more})

    def _path(self, path: str) -> str:
        return os.path.abspath(os.path.expanduser(path)) if self._here else os.fspath(path)

    async def start(self, request: dict[str, Any]) -> AsyncTask:
        """Start a task of any kind, which ends with this client unless it is detached."""
        request = {"id": new_id(), **request}
        query = {"task": request["id"], "hold": not request.get("detached"), "wait": True}
        events = await self._way.open("GET", request_path("/v1/events", None, query), None, endless=True)  # before there is anything to hear
        try:
            await self._call("POST", "/v1/tasks", body=request)
        except BaseException:
            await events.aclose()
            raise
        return AsyncTask(self, request["id"], events)

    async def tool(self, name: str, files: Sequence[str], *, out: str = "", **params: Any) -> Any:
        """Do an operation on files, such as "image.convert"; `list_tools` says which there are."""
        body: dict[str, Any] = {"in": [self._path(f) for f in files], "params": params}
        if out:
            body["out"] = self._path(out)
        return await self._call("POST", "/v1/tools/{name}", path={"name": name}, body=body)


def tag_of(record: Any) -> str:
    if not isinstance(record, Record):
        raise PiworkError("the record was not answered by itself: it has no ETag")
    return record.etag


class _Still(AsyncOperations):
    def __init__(self, client: AsyncPiwork, tag: str) -> None:
        self._client, self._tag = client, tag

    async def _call(self, method: str, at: str, *, path: Any = None, query: Any = None, body: Any = None) -> Any:
        return (await self._client._way.call(method, request_path(at, path, query), body, {"If-Match": self._tag})).result()


class AsyncTask:
    """A task that was started here. Iterating over it gives its events until it is over."""

    def __init__(self, client: AsyncPiwork, id: str, events: Events) -> None:
        self.client, self.id, self._events, self._over = client, id, events, False
        self._part, self._lost = 0, False  # of the output, that was seen last; one did not come

    async def __aiter__(self) -> AsyncIterator[Any]:
        if self._over:
            return
        async for event in self._events:
            if event.get("task") != self.id:
                continue
            if event["kind"] == "output" and (part := event["data"].get("part", 0)):
                self._lost = self._lost or part != self._part + 1
                self._part = part
            yield event
            if event["kind"] == "state" and event["data"]["state"] in FINAL:
                break
        else:
            raise PiworkError("the events of the task ended before it did")
        self._over = True
        await self._events.aclose()

    async def wait(self) -> Any:
        """The record of the task, once it is over."""
        async for _ in self:
            pass
        return await self.client.get_task(self.id)

    async def output(self) -> bytes:
        """What its program says until it is over, errors included. Where a part of that was lost with a connection, it is an error."""
        said = b""
        async for event in self:
            if event["kind"] == "output":
                said += base64.b64decode(event["data"]["data"])
        if self._lost:
            raise PiworkError("some of the output was lost while the connection was broken")
        return said

    async def changes(self) -> Any:
        return await self.client.list_changes(self.id)

    async def undo(self) -> Any:
        return await self.client.undo_task(self.id, {})

    async def cancel(self) -> Any:
        return await self.client.cancel_task(self.id)
