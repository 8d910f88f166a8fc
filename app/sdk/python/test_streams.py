"""Streams that break, as ../sdktest has them. The same stands in ../typescript/streams.test.ts, in
../swift/Tests/PiworkTests/StreamsTests.swift and in ../piwork/streams_test.go.

PIWORK_TEST_STREAMS is the address of the server that plays them.
"""

import asyncio
import os
import sys
import threading
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from piwork import AsyncPiwork, Piwork, PiworkError, _ways  # noqa: E402

ADDRESS = os.environ["PIWORK_TEST_STREAMS"]


def options(number: int, row: Any) -> Any:
    way = {"program": row["program"]} if row["program"] else {"url": ADDRESS, "token": f"{number}.{uuid.uuid4()}"}
    return {**way, "language": row["language"]}


class TestStreams(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        with Piwork(url=ADDRESS, token="") as piwork:
            self.rows = piwork._call("GET", "/table")

    def compare(self, row: Any, heard: list, output: bytes, error: Any, asked: Any) -> None:
        with self.subTest(row["name"]):
            self.assertEqual((heard, output.decode()), (row["heard"], row["output"]), error)
            if not row["program"]:
                self.assertEqual(asked, row["asked"])
            if row["status"] or row["error"]:
                self.assertIsInstance(error, PiworkError)
                self.assertEqual((error.status, error.code), (row["status"], row["code"]))
                self.assertIn(row["error"], str(error))
            else:
                self.assertIsNone(error)

    def test_waiting(self) -> None:
        def play(number: int, row: Any) -> tuple:
            heard: list = []
            output, error = b"", None
            with Piwork(**options(number, row)) as piwork:
                try:
                    if row["stream"] == "output":
                        output = piwork.run(["x"], detached=True).output()
                    elif row["stream"] == "request":
                        piwork.get_task("none")
                    elif row["stream"] == "watch":
                        for _ in piwork.watch_files("x", path="/x"):
                            heard.append(len(heard) + 1)
                    else:
                        for event in piwork.stream_agent_events("x") if row["stream"] == "agent" else piwork.stream_events():
                            heard.append(event["seq"])
                except PiworkError as failed:
                    error = failed
                return row, heard, output, error, None if row["program"] else piwork._call("GET", "/asked")

        with ThreadPoolExecutor(len(self.rows)) as all_at_once:  # they wait before they try again
            for result in all_at_once.map(play, range(len(self.rows)), self.rows):
                self.compare(*result)

    def test_coroutines(self) -> None:
        async def play(number: int, row: Any) -> tuple:
            heard: list = []
            output, error = b"", None
            async with AsyncPiwork(**options(number, row)) as piwork:
                try:
                    if row["stream"] == "output":
                        output = await (await piwork.run(["x"], detached=True)).output()
                    elif row["stream"] == "request":
                        await piwork.get_task("none")
                    elif row["stream"] == "watch":
                        async for _ in piwork.watch_files("x", path="/x"):
                            heard.append(len(heard) + 1)
                    else:
                        async for event in piwork.stream_agent_events("x") if row["stream"] == "agent" else piwork.stream_events():
                            heard.append(event["seq"])
                except PiworkError as failed:
                    error = failed
                return row, heard, output, error, None if row["program"] else await piwork._call("GET", "/asked")

        async def each() -> list:
            return await asyncio.gather(*(play(number, row) for number, row in enumerate(self.rows)))

        for result in asyncio.run(each()):
            self.compare(*result)

    def test_languages(self) -> None:
        for wrong in ("de\n", "de\r\nX-Y: z", "de_DE", "dé", "de" * 51):
            for way in ({"url": ADDRESS}, {}):
                for client in (Piwork, AsyncPiwork):
                    with self.subTest(wrong), self.assertRaisesRegex(PiworkError, "is not a language"):
                        client(language=wrong, **way)
        Piwork(language="de-AT, en;q=0.5, *;q=0.1").close()

    def test_closed_while_it_waits(self) -> None:
        async def play() -> Any:
            piwork = AsyncPiwork(url=ADDRESS, token=f"0.{uuid.uuid4()}")
            waits = asyncio.Event()
            rest = piwork._way.rest

            async def seen(seconds: float) -> None:
                waits.set()
                await rest(seconds)

            async def listen() -> None:
                async for _ in piwork.stream_events():
                    pass

            with mock.patch.object(piwork._way, "rest", seen), mock.patch.object(_ways, "PAUSE", 3600):
                listens = asyncio.ensure_future(listen())
                await waits.wait()
                await piwork.close()
                with self.assertRaisesRegex(PiworkError, "closed"):
                    await listens
            return await piwork._call("GET", "/asked")

        self.assertEqual(asyncio.run(play()), [""])

    def test_closed_while_it_stands(self) -> None:
        """A stream that its client closes is not opened again."""
        with mock.patch.object(_ways.Way, "rest") as rest:
            piwork = Piwork(url=ADDRESS, token=f"stands.{uuid.uuid4()}")
            events = piwork.stream_events()
            next(events)
            error: list = []

            def listen() -> None:
                try:
                    next(events)
                except (PiworkError, StopIteration) as failed:
                    error.append(failed)

            listens = threading.Thread(target=listen)
            listens.start()
            piwork._wait(piwork._client.close())
            listens.join()
            self.assertIsInstance(error[0], PiworkError)
            rest.assert_not_called()
            piwork.close()

    def test_silence_is_a_break(self) -> None:
        with mock.patch.object(_ways, "SILENCE", 0.05), mock.patch.object(_ways, "PAUSE", 0.001), Piwork(url=ADDRESS, token=f"stands.{uuid.uuid4()}") as piwork:
            with self.assertRaisesRegex(PiworkError, "timed out"):
                list(piwork.stream_events())
            self.assertEqual(piwork._call("GET", "/asked"), ["", "1", "1", "1", "1", "1"])

    def test_a_call_that_is_given_up_ends(self) -> None:
        async def play(give_up: Any, error: Any) -> None:
            heard: asyncio.Queue = asyncio.Queue()

            async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await reader.readuntil(b"\r\n\r\n")
                heard.put_nowait("asked")
                await reader.read()
                heard.put_nowait("left")
                writer.close()

            server = await asyncio.start_server(mute, "127.0.0.1", 0)
            async with server, AsyncPiwork(url="http://127.0.0.1:%d" % server.sockets[0].getsockname()[1], token="x") as piwork:
                waits = asyncio.ensure_future(piwork._call("GET", "/v1/tasks"))
                self.assertEqual(await heard.get(), "asked")
                await give_up(piwork, waits)
                with self.assertRaises(error):
                    await waits
                self.assertEqual(await asyncio.wait_for(heard.get(), 20), "left")  # fails far above what it takes

        async def cancel(_: Any, waits: Any) -> None:
            waits.cancel()

        async def close(piwork: Any, _: Any) -> None:
            await piwork.close()

        asyncio.run(play(cancel, asyncio.CancelledError))
        asyncio.run(play(close, PiworkError))

    def test_a_request_starts_a_task_each_time(self) -> None:
        request = {"kind": "exec", "argv": ["x"], "detached": True}
        with Piwork(url=ADDRESS, token=f"stands.{uuid.uuid4()}") as piwork:
            self.assertNotEqual(piwork.start(request).id, piwork.start(request).id)
        self.assertEqual(request, {"kind": "exec", "argv": ["x"], "detached": True})

    def test_streams_that_stand_hold_up_nothing(self) -> None:
        async def play() -> None:
            async with AsyncPiwork(url=ADDRESS, token=f"stands.{uuid.uuid4()}") as piwork:
                streams = [piwork.stream_events() for _ in range((os.cpu_count() or 1) + 6)]
                for stream in streams:
                    await stream.__anext__()
                listens = [asyncio.ensure_future(stream.__anext__()) for stream in streams]
                await asyncio.sleep(0)  # they wait
                await asyncio.wait_for(piwork._call("GET", "/table"), 20)  # fails far above what it takes
            await asyncio.gather(*listens, return_exceptions=True)

        asyncio.run(play())


if __name__ == "__main__":
    unittest.main()
