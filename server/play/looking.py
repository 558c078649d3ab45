"""Looking at a game: who may, and what he sees."""

from typing import Any
from uuid import UUID

from server.play.deeds import Game, at_version, load, whole_log
from server.play.errors import NotFound
from server.play.table import Table, story_item, typed
from server.rules import Json, Seat, commitment
from server.store.tables import Player, db


def seen_by(game_id: UUID, player_id: UUID | None) -> Game:
    """The game as it stands, if this person may see it. Raises NotFound."""
    game = load(game_id)
    if game.head["private"]:
        people = [(row["player_id"], row["email"]) for row in game.seats]
        player = db.session.get(Player, player_id) if player_id else None
        if player is None or not may_see(UUID(game.head["made_by"]), people, player.player_id, player.email):
            raise NotFound("There is no such game.")
    return game


def may_see(made_by: UUID, people: list[tuple[UUID | None, str | None]], player_id: UUID, email: str) -> bool:
    return player_id == made_by or any(player_id == sitting or email == invited for sitting, invited in people)


def describe(game: Game, viewer: Seat | None, version: int | None = None) -> Json:
    """A game as this viewer sees it, at an earlier version if one is named. Raises NotFound for one to come."""
    table = game.table if version is None else table_at(game, version)
    now = version is None or version == game.table.version
    return {
        **summary(game.head | {"version": table.version, "status": table.status}, game.seats, table.turns, now),
        "you": you(table, viewer),
        "view": table.rules.view(table.state, viewer) if table.state is not None else None,
        "outcome": table.ended and {"scores": table.ended.scores, "places": table.ended.places},
    }


def table_at(game: Game, version: int) -> Table:
    """Raises NotFound for a version that the game has not reached."""
    if not 0 <= version <= game.table.version:
        raise NotFound(f"This game has no version {version} yet.")
    return at_version(game, version)


def you(table: Table, seat: Seat | None) -> Json | None:
    """The viewer's seat and the turn that he is asked for, if any."""
    return None if seat is None else {"seat": seat, "turn": table.turns[seat] if table.turns else None}


def summary(head: Json, seats: Any, turns: tuple[int | None, ...] | None = None, now: bool = True) -> Json:
    """A game without its view, as lists show it. `turns`: as they were at an earlier version."""
    return {
        "id": head["game_id"],
        "rules": head["rules"],
        "options": head["options"],
        "title": head["title"],
        "private": head["private"],
        "status": head["status"],
        "version": head["version"],
        "made_at": head["made_at"],
        "clock": head["clock"],
        "on_timeout": head["on_timeout"],
        "seats": [_seat(row, turns[i] if turns else row["turn"] if now else None, now) for i, row in enumerate(seats)],
        "commitment": commitment(head["seed"]),
    }


def _seat(row: Json, turn: int | None, now: bool) -> Json:
    stand_in = row["stand_in"] if now else None
    return {
        "seat": row["seat"],
        "name": row["bot"] or row["name"],
        "kind": row["kind"],
        "stand_in": stand_in,
        "to_act": turn is not None,
        "turn": turn,
        "due_at": row["due_at"] if now else None,
    }


def story(game: Game, viewer: Seat | None, after: int = 0, limit: int | None = None) -> list[Json]:
    """What happened since the event `after`, as this viewer saw it happen."""
    rules = game.table.rules
    items = (story_item(rules, row, typed(rules, row), viewer) for row in whole_log(game.game_id, after))
    return [item for item in items if item is not None][:limit]
