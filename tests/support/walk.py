"""The path of an action through the server: the functions that it enters, and the files that call them."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

CHECKOUT = Path(__file__).parents[2]
TOOLS = {  # used everywhere, so not part of a path
    *("server/clock.py", "server/play/timing/host_clock.py", "server/durations.py"),
    *("server/store/connections.py", "server/store/database_retry.py"),
    *("server/store/tables.py", "server/json_logs.py", "server/conform/schemas.py"),  # tests read answers by the last
}


class Step(NamedTuple):
    """A function or method entered (no property, lambda or comprehension), and the calling file without tools."""

    file: str
    function: str
    caller: str | None


def walk(action: Callable[[], object]) -> list[Step]:
    """Return every step of the action, in order of first entry."""
    steps: dict[Step, None] = {}

    def profile(frame: FrameType, event: str, _: Any) -> None:
        file = _file(frame)
        if event == "call" and file and file not in TOOLS and _is_named(frame):
            steps.setdefault(Step(file, frame.f_code.co_qualname, _caller(frame)))

    sys.setprofile(profile)
    try:
        action()
    finally:
        sys.setprofile(None)
    return list(steps)


def stays(steps: list[Step]) -> set[tuple[str, str]]:
    """Return the functions entered from another file, which a reader of the code has to open."""
    return {(step.file, step.function) for step in steps if step.caller != step.file}


def _file(frame: FrameType) -> str | None:
    path = frame.f_code.co_filename
    return path.removeprefix(f"{CHECKOUT}/") if path.startswith(f"{CHECKOUT}/server/") else None


def _caller(frame: FrameType) -> str | None:
    above = frame.f_back
    while above is not None and ((file := _file(above)) is None or file in TOOLS):
        above = above.f_back
    return above and _file(above)


def _is_named(frame: FrameType) -> bool:
    owner, _, name = frame.f_code.co_qualname.rpartition(".")
    kept = vars(frame.f_globals.get(owner, object)).get(name) if owner else None
    return not name.startswith("<") and not isinstance(kept, property)
