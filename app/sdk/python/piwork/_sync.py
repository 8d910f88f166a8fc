"""The client that waits: the other one, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, AsyncIterator, Coroutine, Iterator, Mapping, Sequence

from ._client import AsyncPiwork, AsyncTask, _Still, tag_of
from ._operations import Operations


class Piwork(Operations):
    """piwork. Its arguments are those of AsyncPiwork. It may be used by several threads."""

    def __init__(self, **options: Any) -> None:
        self._client = AsyncPiwork(**options)  # which can refuse them
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def __enter__(self) -> Piwork:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End what it holds: tasks that are not detached end, too."""
        if self._loop.is_closed():
            return
        self._wait(self._client.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _wait(self, work: Coroutine[Any, Any, Any]) -> Any:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _each(self, events: AsyncIterator[Any]) -> Iterator[Any]:
        async def one() -> tuple[bool, Any]:
            try:
                return True, await events.__anext__()
            except StopAsyncIteration:
                return False, None

        try:
            while True:
                more, event = self._wait(one())
                if not more:
                    return
                yield event
        finally:
            self._wait(events.aclose())  # type: ignore[attr-defined]

    def _call(self, method: str, at: str, **asked: Any) -> Any:
        return self._wait(self._client._call(method, at, **asked))

    def _stream(self, method: str, at: str, **asked: Any) -> Iterator[Any]:
        return self._each(self._client._stream(method, at, **asked))

    def _pages(self, method: str, at: str, **asked: Any) -> Iterator[Any]:
        return self._each(self._client._pages(method, at, **asked))

    def while_still(self, record: Any) -> Operations:
        """The operations, for changes of a record that still is what was read, as AsyncPiwork.while_still."""
        return _StillHere(self, _Still(self._client, tag_of(record)))

    def run(self, argv: Sequence[str], *, folders: Mapping[str, str] | Sequence[str] = (), **more: Any) -> Task:
        """Start a program, as AsyncPiwork.run."""
        return Task(self, self._wait(self._client.run(argv, folders=folders, **more)))

    def start(self, request: dict[str, Any]) -> Task:
        """Start a task of any kind, as AsyncPiwork.start."""
        return Task(self, self._wait(self._client.start(request)))

    def tool(self, name: str, files: Sequence[str], *, out: str = "", **params: Any) -> Any:
        """Do an operation on files, as AsyncPiwork.tool."""
        return self._wait(self._client.tool(name, files, out=out, **params))


class _StillHere(Operations):
    def __init__(self, client: Piwork, still: _Still) -> None:
        self._client, self._still = client, still

    def _call(self, method: str, at: str, **asked: Any) -> Any:
        return self._client._wait(self._still._call(method, at, **asked))


class Task:
    """A task that was started here. Iterating over it gives its events until it is over."""

    def __init__(self, client: Piwork, task: AsyncTask) -> None:
        self.client, self._task, self.id = client, task, task.id

    def __iter__(self) -> Iterator[Any]:
        return self.client._each(self._task.__aiter__())

    def wait(self) -> Any:
        """The record of the task, once it is over."""
        return self.client._wait(self._task.wait())

    def output(self) -> bytes:
        """What its program says until it is over, errors included."""
        return self.client._wait(self._task.output())

    def changes(self) -> Any:
        return self.client._wait(self._task.changes())

    def undo(self) -> Any:
        return self.client._wait(self._task.undo())

    def cancel(self) -> Any:
        return self.client._wait(self._task.cancel())
