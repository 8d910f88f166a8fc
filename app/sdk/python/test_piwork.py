"""What each SDK can do, against a real piwork. The same stands in ../typescript/piwork.test.ts and in ../sdk_vm_test.go.

PIWORK_BIN is the program; with PIWORK_URL and PIWORK_TOKEN it is HTTP.
"""

import asyncio
import os
import re
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from piwork import AsyncPiwork, Piwork, PiworkError  # noqa: E402
from piwork._ways import Answer  # noqa: E402

OPTIONS = {"url": os.environ["PIWORK_URL"], "token": os.environ["PIWORK_TOKEN"]} if "PIWORK_URL" in os.environ else {"program": os.environ["PIWORK_BIN"]}
WHERE = {"runtime": os.environ["PIWORK_TEST_RUNTIME"]}


class TestPiwork(unittest.TestCase):
    def setUp(self) -> None:
        self.piwork = Piwork(**OPTIONS)
        self.addCleanup(self.piwork.close)
        self.folder = os.environ.get("PIWORK_TEST_FOLDER") or tempfile.mkdtemp(dir=os.environ["PIWORK_TEST_DIR"])
        self.name = "/folders/" + os.path.basename(self.folder)

    def there(self) -> list:
        return sorted(os.listdir(self.folder))

    def test_first_program(self) -> None:
        task = self.piwork.run(["sh", "-c", f"echo hi; sort -r > {self.name}/sorted.txt </dev/null"], folders={self.folder: "rw"}, **WHERE)
        kinds = [event["kind"] for event in task]
        self.assertEqual((kinds[0], kinds[-1], "output" in kinds), ("state", "state", True))
        self.assertEqual(task.wait()["state"], "done")
        self.assertEqual([(c["path"], c["effect"]) for c in task.changes()], [("sorted.txt", "create")])
        self.assertIn("sorted.txt", self.there())
        self.assertEqual(len(task.undo()["undone"]), 1)
        self.assertNotIn("sorted.txt", self.there())

    def test_output_and_status(self) -> None:
        task = self.piwork.run(["sh", "-c", "seq 20000; exit 3"], **WHERE)
        self.assertEqual(task.output().split(), [str(n).encode() for n in range(1, 20001)])
        self.assertEqual(task.wait()["exitCode"], 3)

    def test_refused(self) -> None:
        for code, status, do in (
            ("not-found", 404, lambda: self.piwork.get_task("none")),
            ("bad-request", 400, lambda: self.piwork.start({"kind": "exec", "argv": [], "folders": []})),
        ):
            with self.assertRaises(PiworkError) as caught:
                do()
            self.assertEqual((caught.exception.code, caught.exception.status), (code, status))
            self.assertEqual("(argv: " in str(caught.exception), code == "bad-request", caught.exception)

    def test_refused_in_german(self) -> None:
        with Piwork(**OPTIONS, language="de") as other, self.assertRaisesRegex(PiworkError, "gibt es nicht"):
            other.get_task("none")

    def test_problem_in_sentences(self) -> None:
        for title, detail, code, text in (
            ("It failed", "Try again.", "", "It failed. Try again."),
            ("Which?", "Say it.", "internal", "Which? Say it."),
            ("Wrong", "See.", "bad-request", "Wrong. See. (why)"),
            ("Gone", "", "", "Gone"),
            ("", "", "", "HTTP 500"),
        ):
            with self.assertRaisesRegex(PiworkError, "^" + re.escape(text) + "$"):
                Answer(500, {"title": title, "detail": detail, "code": code, "details": "why"}).result()

    def test_no_program(self) -> None:
        with Piwork(program="piwork-that-is-not-there") as other:
            for _ in range(2):
                with self.assertRaisesRegex(PiworkError, r"cannot start piwork-that-is-not-there: .*Piwork\(program="):
                    other.get_task("none")

    def test_paths_of_another_computer(self) -> None:
        self.assertEqual(AsyncPiwork(url="https://piwork.example", token="t")._path("~/Lists"), "~/Lists")
        self.assertEqual(AsyncPiwork()._path("~/Lists"), os.path.expanduser("~/Lists"))

    def test_cancel(self) -> None:
        task = self.piwork.run(["sleep", "1000"], **WHERE)
        for event in task:
            if event["kind"] == "step" and event["data"]["step"] == "run":
                break
        task.cancel()
        self.assertEqual(self.piwork.get_task(task.id)["state"], "cancelled")

    def test_pages(self) -> None:
        started = [self.piwork.run(["true"], **WHERE) for _ in range(3)]
        for task in started:
            task.wait()
        self.assertEqual(len(self.piwork.list_tasks(limit=1)), 1)
        seen = [task["id"] for task in self.piwork.all_tasks(limit=2)]
        self.assertEqual(len(seen), len(set(seen)))
        self.assertLessEqual({task.id for task in started}, set(seen))

    def test_while_still(self) -> None:
        task = self.piwork.run(["true"], **WHERE)
        seen = task.wait()
        self.assertEqual(self.piwork.while_still(seen).rename_task(task.id, {"title": "a"})["title"], "a")
        with self.assertRaises(PiworkError) as caught:
            self.piwork.while_still(seen).rename_task(task.id, {"title": "b"})
        self.assertEqual((caught.exception.code, caught.exception.status), ("changed", 412))
        self.assertEqual(self.piwork.get_task(task.id)["title"], "a")
        with self.assertRaises(PiworkError):
            self.piwork.while_still({})

    def test_close_ends_tasks(self) -> None:
        other = Piwork(**OPTIONS)
        task = other.run(["sleep", "1000"], **WHERE)
        other.close()
        while (state := self.piwork.get_task(task.id)["state"]) not in ("done", "failed", "cancelled"):
            time.sleep(0.05)
        self.assertEqual(state, "cancelled")

    def test_at_once(self) -> None:
        async def all_of_them() -> None:
            with unittest.mock.patch("asyncio.create_subprocess_exec", wraps=asyncio.create_subprocess_exec) as launched:
                await each(launched)

        async def each(launched: unittest.mock.Mock) -> None:
            async with AsyncPiwork(**OPTIONS) as piwork:
                tasks = await asyncio.gather(*(piwork.run(["echo", str(n)], **WHERE) for n in range(4)))
                if "program" in OPTIONS:
                    self.assertEqual(launched.call_count, 1)
                self.assertEqual(await asyncio.gather(*(t.output() for t in tasks)), [b"%d\n" % n for n in range(4)])

        asyncio.run(all_of_them())


if __name__ == "__main__":
    unittest.main()
