"""The archive storage: a directory with one file per old game. The file contains the game's events.

The rows of these events are deleted, so the file is the only copy. It names seats instead of players.
"""

import os
from pathlib import Path
from typing import Any, Self
from uuid import UUID

import orjson
from flask import current_app

from server.store import private_files
from server.store.database_retry import Unavailable


class NotOnShelf(Unavailable):
    """The file of an archived game can't be read, for example because its disk is unavailable. The text is for
    operators."""

    @classmethod
    def since(cls, game_id: UUID, reason: object) -> Self:
        return cls(f"The file of game {game_id} cannot be read: {reason}")


def path_of(game_id: UUID) -> Path:
    """Return the path of a game's file. Raise NotOnShelf if no storage directory is set."""
    shelf: Path | None = current_app.config["SHELF"]
    if shelf is None:
        raise NotOnShelf(f"Game {game_id} is in a file, and STERNENPOST_SHELF is not set.")
    return shelf / game_id.hex[:2] / f"{game_id}.json"


def put(game_id: UUID, archive: bytes) -> Path:
    """Write the file atomically. Return once it is stored on disk."""
    path = path_of(game_id)
    private_files.make_directory(path.parent.parent)
    private_files.make_directory(path.parent)
    new = path.with_suffix(".new")
    with private_files.create(new) as file:
        file.write(archive)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    for directory in (path.parent, path.parent.parent):
        number = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
    return path


def events(game_id: UUID) -> list[dict[str, Any]]:
    """Return all events in the form that archives use. Raise NotOnShelf if the file can't be read."""
    try:
        found: list[dict[str, Any]] = orjson.loads(path_of(game_id).read_bytes())["events"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotOnShelf.since(game_id, error) from error
    return found
