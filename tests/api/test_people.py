"""Other players over the API: track records, blocks, reports and private notes."""

import re
from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest
from flask import Flask
from sqlalchemy import select

from server.accounts.blocks import reports, settle
from server.clock import clock
from server.games import Json
from server.operations.delete_player import delete_player
from server.play.seating.track_record import read_records
from server.store.tables import LetterRow, PlayerGame, db
from tests.api.test_own_account import id_of_player
from tests.support.api_calls import walk
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    OPEN,
    everything_due_happens,
    later,
    moves_on,
    service_is_up,
    turn_of,
    wanted,
)

NOBODY = "00000000-0000-0000-0000-000000000000"


def told_of(app: Flask, who: Someone) -> Json:
    return Someone(app).get(f"/v1/players/{id_of_player(who)}").json


def played(path: str, *people: Someone, vanished: Someone | None = None) -> None:
    """Let every player move an hour after the turn began, except one whose time runs out."""
    game_id, ids = UUID(path.rpartition("/")[2]), [id_of_player(who) for who in people]
    service_is_up()
    gone = id_of_player(vanished) if vanished else None
    while any(turn_of(game_id, who) for who in ids):
        later(HOUR)
        for who in ids:
            if who != gone and turn_of(game_id, who):
                moves_on(game_id, who)
                break
        else:
            later(DAY)
        everything_due_happens()


def test_a_track_record_summarizes_finished_games_from_their_logs(
    app: Flask, ada: Someone, bea: Someone, game: str
) -> None:
    is_new: Json = {"finished": 0, "median_answer": None, "time_outs": 0, "left": 0, "new": True}
    assert told_of(app, ada).items() >= (is_new | {"name": "ada", "games": 1}).items()
    with app.app_context():
        played(game, ada, bea, vanished=bea)
        read_records()
        waiting = db.session.scalars(db.select(PlayerGame.game_id).where(PlayerGame.record.is_(None))).all()
        assert waiting == []
    one = is_new | {"games": 1, "finished": 1}
    assert told_of(app, ada).items() >= (one | {"median_answer": "PT1H"}).items()
    late = told_of(app, bea)
    assert late.items() >= {"games": 1, "finished": 1, "left": 1, "new": True}.items()
    assert late["time_outs"] > 0


def test_a_seat_left_to_a_bot_lowers_the_reliability_at_once(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    assert bea.delete(f"{game}/seats/me").status_code == 204
    assert told_of(app, bea).items() >= {"left": 1, "reliability": 0}.items()
    has_left(app, bea, 0, of=3)
    assert told_of(app, bea).items() >= {"left": 1, "reliability": 75}.items()
    assert bea.post(f"{game}/seats").status_code == 201
    assert told_of(app, bea).items() >= {"left": 0, "reliability": 100}.items()


@pytest.mark.parametrize(("answers", "median"), [([0, 0, 5], "PT1S"), ([0, 1], "PT1S"), ([3, 4, 90], "PT4S")])
def test_the_median_response_time_is_at_least_one_second(
    app: Flask, ada: Someone, answers: list[int], median: str
) -> None:
    has_left(app, ada, 0, of=1, answers=answers)
    assert told_of(app, ada)["median_answer"] == median


def test_a_track_record_reveals_no_address_zone_or_calendar(app: Flask, ada: Someone) -> None:
    names = {"id", "name", "program", "since", "games", "finished", "won", "reliability", "median_answer", "time_outs"}
    names |= {"left", "new"}
    assert told_of(app, ada).keys() == names


def test_a_track_record_does_not_tell_when_a_player_is_online(app: Flask, ada: Someone) -> None:
    before = told_of(app, ada)
    assert before["since"].endswith("T00:00:00.000000Z")
    opened(ada, ME, {"bot": "greedy"}, {"bot": "greedy"}, private=True)
    assert told_of(app, ada) == before
    opened(ada, ME, {"bot": "greedy"}, {"bot": "greedy"})
    assert told_of(app, ada)["games"] == before["games"] + 1


def test_guests_and_deleted_players_have_a_record_and_unknown_ids_do_not(
    app: Flask, ada: Someone, stranger: Someone
) -> None:
    guest = Someone(app, token=stranger.post("/v1/guests").json["token"])
    assert told_of(app, guest)["new"]
    player_id = id_of_player(ada)
    with app.app_context():
        delete_player(player_id)
    assert stranger.get(f"/v1/players/{player_id}").json["name"].startswith("Former player")
    is_problem(stranger.get(f"/v1/players/{NOBODY}"), 404, "not-found")


# Games of a player


def listed(who: Someone, of: Someone, query: str = "") -> list[str]:
    return [f"/v1/games/{it}" for it in walk(who, f"/v1/players/{id_of_player(of)}/games?limit=2{query}")]


def test_a_players_games_are_listed_only_for_viewers_who_may_know_of_them(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone, game: str
) -> None:
    cleo, greedy = Someone(app, "cleo"), {"bot": "greedy"}
    over, nameless = opened(ada, ME, OPEN, greedy), opened(ada, ME, OPEN, greedy, options={"nameless": True})
    private, secret = opened(ada, ME, OPEN, greedy, private=True), opened(ada, ME, greedy, greedy, private=True)
    waiting, closed = opened(ada, ME, OPEN, OPEN), opened(ada, ME, OPEN, OPEN)
    ada.post(f"{private}/invitations", {"email": "bea@example.org"})
    for path in (over, nameless, private):
        assert bea.post(f"{path}/seats").status_code == 201
    assert ada.delete(closed).status_code == 204
    assert listed(stranger, ada) == listed(stranger, ada, "&status=running") == []
    assert listed(cleo, ada) == [waiting, over, game]
    assert listed(bea, ada, "&together=true") == [private, over, game]
    with app.app_context():
        for path in (over, nameless):
            played(path, ada, bea)
        read_records()
    assert listed(stranger, ada) == listed(stranger, bea) == [nameless, over]
    assert listed(bea, ada, "&together=true") == [private, nameless, over, game]
    assert listed(cleo, ada, "&status=open") == [waiting]
    assert secret not in listed(cleo, ada, "&together=true") + listed(bea, ada)
    is_problem(stranger.get(f"/v1/players/{id_of_player(ada)}/games?together=true"), 401, "token-needed")
    is_problem(stranger.get(f"/v1/players/{NOBODY}/games"), 404, "not-found")

    cleo.post(f"/v1/players/{id_of_player(ada)}/block")
    assert listed(cleo, ada) == listed(ada, ada, "&status=finished") == [nameless, over]
    bea.post(f"/v1/players/{id_of_player(ada)}/block")
    assert listed(bea, ada, "&together=true") == [private, nameless, over, game]

    told = stranger.get(f"/v1/players/{id_of_player(ada)}/games").json["items"][0]
    assert [it["name"] for it in told["seats"]] == ["ada", "bea", "greedy"]
    with app.app_context():
        assert told["ended_on"] == str(clock.now().date())
    assert not re.search(r"\d\d:\d\d", str(told))
    places = [it["outcome"]["places"] for it in stranger.get(f"/v1/players/{id_of_player(ada)}/games").json["items"]]
    assert [told_of(app, who)["won"] for who in (ada, bea)] == [[it[seat] for it in places].count(1) for seat in (0, 1)]


def test_a_seat_that_another_player_took_over_is_not_listed(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    dan = Someone(app, "dan")
    assert listed(dan, bea) == [game]
    bea.delete(f"{game}/seats/me")
    assert listed(dan, bea) == [game]  # a bot plays
    ada.post(f"{game}/votes", {"on": "offer"})
    assert dan.post(f"{game}/seats", {"take_over": True}).status_code == 201
    assert listed(ada, bea) == listed(ada, bea, "&together=true") == []
    assert listed(ada, dan, "&together=true") == [game]


# Blocks


def test_players_who_block_each_other_cannot_share_a_table(ada: Someone, bea: Someone) -> None:
    of_ada, of_bea = (opened(who, ME, OPEN, OPEN) for who in (ada, bea))
    address = f"/v1/players/{id_of_player(bea)}/block"
    assert ada.post(address).status_code == 204
    assert ada.post(address).status_code == 204
    assert [it["name"] for it in ada.get("/v1/me/blocks").json["items"]] == ["bea"]
    is_problem(bea.post(f"{of_ada}/seats"), 409, "seat-taken")
    is_problem(ada.post(f"{of_bea}/seats"), 409, "seat-taken")
    assert ada.delete(address).status_code == 204
    assert bea.post(f"{of_ada}/seats").status_code == 201


def test_invitations_from_a_blocked_player_are_silently_dropped(app: Flask, ada: Someone, bea: Someone) -> None:
    assert ada.post(f"/v1/players/{id_of_player(bea)}/block").status_code == 204
    path = opened(bea, ME, OPEN, OPEN)
    assert bea.post(f"{path}/invitations", {"email": "ada@example.org"}).status_code == 201
    with app.app_context():
        assert db.session.scalars(db.select(LetterRow).where(LetterRow.kind == "invitation")).all() == []


def test_players_cannot_block_or_report_themselves_or_unknown_players(ada: Someone) -> None:
    own = id_of_player(ada)
    is_problem(ada.post(f"/v1/players/{own}/block"), 422, "invalid-field")
    is_problem(ada.post(f"/v1/players/{own}/report", {"text": "Hm."}), 422, "invalid-field")
    is_problem(ada.post(f"/v1/players/{NOBODY}/block"), 404, "not-found")


# Reports


def test_a_report_stays_open_until_an_operator_settles_it(app: Flask, ada: Someone, bea: Someone) -> None:
    address = f"/v1/players/{id_of_player(bea)}/report"
    is_problem(ada.post(address, {"text": "\u200b"}), 422, "invalid-field")
    assert ada.post(address, {"text": "Insults.", "game": NOBODY}).status_code == 204
    with app.app_context():
        (waiting,) = reports(settled=False, limit=10)
        assert waiting.items() >= {"about": "bea <bea@example.org>", "by": "ada <ada@example.org>"}.items()
        settle(waiting["id"])
        assert reports(settled=False, limit=10) == []
        assert len(reports(settled=True, limit=10)) == 1


def test_reports_are_limited(ada: Someone, bea: Someone) -> None:
    address = f"/v1/players/{id_of_player(bea)}/report"
    for _ in range(10):
        assert ada.post(address, {"text": "Insults."}).status_code == 204
    is_problem(ada.post(address, {"text": "Insults."}), 429, "too-many-requests")


# Notes


def test_a_note_is_visible_only_to_its_author(ada: Someone, bea: Someone, game: str) -> None:
    assert ada.get(f"{game}/note").json == {"text": "", "muted": False}
    assert ada.ask("PUT", f"{game}/note", {"text": "Bea keeps low stars.\nSo do I."}).status_code == 200
    assert ada.ask("PUT", f"{game}/note", {"muted": True}).json == {
        "text": "Bea keeps low stars.\nSo do I.",
        "muted": True,
    }
    assert ada.get(f"{game}/note").json["muted"]
    assert bea.get(f"{game}/note").json == {"text": "", "muted": False}


@pytest.mark.parametrize("muted", [False, True])
def test_a_muted_chat_sends_no_notifications(app: Flask, ada: Someone, bea: Someone, game: str, muted: bool) -> None:
    ada.post("/v1/webhooks", {"url": "https://stars.example.org/hook", "kinds": ["message"]})
    ada.ask("PUT", f"{game}/note", {"muted": muted})
    bea.post(f"{game}/messages", {"text": "Hello."})
    with app.app_context():
        told = db.session.scalars(db.select(LetterRow.data).where(LetterRow.kind == "webhook")).all()
        assert ["message" for it in told if it["kind"] == "message"] == ([] if muted else ["message"])


# What a lobby looks for, and what a game asks of those who come


def found(who: Someone, query: str) -> list[str]:
    return [f"/v1/games/{it['id']}" for it in who.get(f"/v1/games?{query}").json["items"]]


def has_left(app: Flask, who: Someone, games: int, of: int, answers: Sequence[int] = ()) -> None:
    """Store `of` finished games of the player, who left the first `games` of them."""
    with app.app_context():
        for number in range(of):
            record = {"finished": True, "left": number < games, "time_outs": 0, "answers": [*answers]}
            row = {"player_id": id_of_player(who), "game_id": uuid4(), "seat": 0, "record": record}
            db.session.add(PlayerGame(**row, made_at=clock.now(), over_at=clock.now()))
        db.session.commit()


def test_open_games_are_filtered_by_pace_clock_edition_and_reliability(app: Flask, ada: Someone, bea: Someone) -> None:
    quick = opened(ada, ME, OPEN, OPEN, clock={"per_move": "PT12H"})
    usual = opened(bea, ME, OPEN, OPEN, options={"edition": "grignou-fr"})
    bank = opened(bea, ME, OPEN, OPEN, clock={"bank": "P3D", "increment": "P3D", "cap": "P5D"})
    assert [found(ada, f"pace={it}") for it in ("quick", "usual", "slow")] == [[quick], [usual], [bank]]
    assert found(ada, "clock=bank") == [bank]
    assert found(ada, "edition=grignou-fr&pace=usual") == [usual]
    assert found(ada, "edition=nothing") == []
    has_left(app, bea, 1, of=10)
    assert found(ada, "reliability=91") == [quick]
    assert found(ada, "reliability=90") == [bank, usual, quick]
    assert found(ada, "pace=quick&status=running") == []
    is_problem(ada.get("/v1/games?pace=hasty"), 422, "invalid-fields")


def test_new_players_can_join_games_that_require_reliability(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    newcomer = Someone(app, "cleo")
    assert told_of(app, newcomer)["new"] is True
    strict = opened(ada, ME, OPEN, OPEN, OPEN, min_reliability=100)
    for who in (newcomer, bea):  # Bea's first game goes on
        assert who.post(f"{strict}/seats").status_code == 201
    has_left(app, dan := Someone(app, "dan"), 1, of=1)
    is_problem(dan.post(f"{strict}/seats"), 403, "not-reliable")


def test_a_game_can_require_reliability_but_not_of_invited_players(app: Flask, ada: Someone, bea: Someone) -> None:
    has_left(app, bea, 1, of=10)
    strict, mild = (opened(ada, ME, OPEN, OPEN, min_reliability=it) for it in (91, 90))
    assert [ada.get(it).json["min_reliability"] for it in (strict, mild)] == [91, 90]
    is_problem(bea.post(f"{strict}/seats"), 403, "not-reliable")
    assert bea.post(f"{mild}/seats").status_code == 201
    ada.post(f"{strict}/invitations", {"email": "bea@example.org"})
    assert bea.post(f"{strict}/seats").status_code == 201
    is_problem(ada.post("/v1/games", wanted(ME, OPEN, OPEN) | {"min_reliability": 101}), 422, "invalid-fields")


def test_players_are_invited_again_without_revealing_their_address(app: Flask, ada: Someone, bea: Someone) -> None:
    cleo = Someone(app, "cleo")
    path = opened(ada, ME, OPEN, BOT)
    assert ada.get("/v1/me/companions").json["items"] == []
    bea.post(f"{path}/seats")
    [known] = ada.get("/v1/me/companions").json["items"]
    assert (known["id"], known["name"]) == (str(id_of_player(bea)), "bea")
    another = opened(ada, ME, {"companion": known["id"]}, BOT)
    assert ada.get(f"{another}/invitations").json["items"] == [{"seat": 1, "email": None, "name": "bea"}]
    assert found(bea, "mine=true&status=open") == [another]
    with app.app_context():
        [letter] = db.session.scalars(select(LetterRow).where(LetterRow.game_id == UUID(another.rpartition("/")[2])))
        assert "rematch" not in letter.data
    waiting = opened(ada, ME, OPEN, BOT)
    assert ada.post(f"{waiting}/invitations", {"companion": known["id"]}).json == {"seat": 1}
    assert ada.get(f"{waiting}/invitations").json["items"] == [{"seat": 1, "email": None, "name": "bea"}]
    assert set(found(bea, "mine=true&status=open")) == {another, waiting}
    stranger = {"companion": str(id_of_player(cleo))}
    is_problem(ada.post("/v1/games", wanted(ME, stranger, BOT)), 422, "invalid-field")
    is_problem(ada.post(f"{waiting}/invitations", stranger), 422, "invalid-field")
    both = {"companion": known["id"], "email": "cleo@example.org"}
    for wrong in ({}, both, {"companion": known["id"], "greeting": "Hi!"}):
        is_problem(ada.post(f"{waiting}/invitations", wrong), 422, "invalid-field")
    bea.post(f"/v1/players/{id_of_player(ada)}/block")
    assert ada.get("/v1/me/companions").json["items"] == [known]
    assert bea.get("/v1/me/companions").json["items"] == []
