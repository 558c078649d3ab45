"""The way that an action takes through the server: which functions it enters, and from which file."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

CHECKOUT = Path(__file__).parents[2]
TOOLS = {  # used everywhere, and no stations on anybody's way
    *("server/clock.py", "server/play/timing/host_clock.py", "server/durations.py"),
    *("server/store/connections.py", "server/store/database_retry.py"),
    *(
        "server/store/tables.py",
        "server/json_logs.py",
        "server/conform/schemas.py",
    ),  # by the last, tests look at answers
}


class Step(NamedTuple):
    """A function or method entered (no property, lambda or comprehension), and the file that it was called from, tools
    between them left out."""

    file: str
    function: str
    caller: str | None


def walk(action: Callable[[], object]) -> list[Step]:
    """Every step of the action, in the order in which each was taken first."""
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
    """Return the functions that are entered from another file, which a reader of the code has to open."""
    return {(step.file, step.function) for step in steps if step.caller != step.file}


def _file(frame: FrameType) -> str | None:
    """Below the checkout, None if it is none of the server's."""
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
