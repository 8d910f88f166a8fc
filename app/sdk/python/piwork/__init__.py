"""Have piwork do work on folders that you choose, in a place kept apart from the computer.

    from piwork import Piwork

    with Piwork() as piwork:
        task = piwork.run(["sort", "-o", "/folders/Lists/sorted.txt", "/folders/Lists/names.txt"], folders={"/home/me/Lists": "rw"})
        for event in task:
            print(event["kind"], event["data"])
        print(task.changes())
        task.undo()

`Piwork` waits; `AsyncPiwork` has the same methods as coroutines. Both start `piwork serve
--stdio` and speak to it through pipes; with `url` and `token` they use HTTP instead.
"""

from ._client import AsyncPiwork, AsyncTask, PiworkError
from ._sync import Piwork, Task

__all__ = ["AsyncPiwork", "AsyncTask", "Piwork", "PiworkError", "Task"]
