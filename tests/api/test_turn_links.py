"""A turn link's token sees and plays its turn and does not sign in."""

from datetime import datetime
from uuid import UUID

import pytest

from server.accounts.bans import ban
from server.accounts.tokens import note_uses
from server.api import rate_limits
from server.clock import clock
from server.games import Json
from server.play.story.event_feed import follow_game, news
from server.play.turns.turn_links import caller, still_valid, turn_word
from server.store.tables import db
from tests.support.api_calls import first_move
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, DAY, HOUR, ME, OPEN, everything_due_happens, game_of, later, person, service_is_up
from tests.support.one_of_each import Scene
from tests.support.rate_limits import StandingClock, Told

READING = ("", "?at=1", "/events", "/legal-moves", "/messages", "/picture.svg", "/stream")
RUNGS = [{"do": "bot-move", "bot": "greedy", "times": 9}, {"do": "abandon"}]
LONG = {"rules": "sternenglanz", "options": {"start_seat": 0, "scenario": 1}}


def id_of(path: str) -> UUID:
    return UUID(path.rpartition("/")[2])


def by_mail(scene: Scene, path: str, turn: int = 1) -> Someone:
    """A caller with the link from this turn's letter."""
    with scene.app.app_context():
        return Someone(scene.app, token=turn_word(id_of(path), 0, turn))


def moves_on(who: Someone, path: str) -> Json:
    """The first of the moves open to this person, and what it is answered."""
    move = first_move(who, path)
    answer = who.post(f"{path}/moves", move)
    assert answer.status_code == 201, answer.text
    return move | {"answer": answer}


def test_a_turn_link_shows_what_its_seat_sees_and_plays_its_turn(scene: Scene) -> None:
    path, link = scene.running, by_mail(scene, scene.running)
    for look in READING:
        assert link.get(path + look).data == scene.ada.get(path + look).data
    begun = {"begun": []}
    assert link.post(f"{path}/legal-moves", begun).data == scene.ada.post(f"{path}/legal-moves", begun).data
    move = first_move(link, path)
    assert link.post(f"{path}/moves?dry_run=true", move).status_code == 200
    assert link.get(path).json["version"] == 1
    assert link.post(f"{path}/moves", move).status_code == 201
    assert scene.ada.get(path).json["version"] == 2


def test_a_turn_link_gives_no_access_to_other_games(scene: Scene) -> None:
    link = by_mail(scene, scene.running)
    for path in (scene.open, opened(scene.bea, ME, OPEN, BOT, private=True), f"/v1/games/{UUID(int=0)}"):
        is_problem(link.get(path), 403, "one-seat-only")


# When its turn is over


def test_a_turn_link_ends_with_its_turn_and_says_so(scene: Scene) -> None:
    path, link = scene.running, by_mail(scene, scene.running)
    moves_on(scene.ada, path)
    for look in READING:
        refused = link.get(path + look)
        is_problem(refused, 401, "bad-token")
        assert refused.json["detail"] == "This turn is over. We'll email you when it's your turn again."
    is_problem(link.post(f"{path}/legal-moves", {"begun": []}), 401, "bad-token")
    moves_on(scene.bea, path)
    with scene.app.app_context():
        everything_due_happens()  # the bot moves
    later_turn = first_move(scene.ada, path)
    is_problem(link.post(f"{path}/moves", later_turn), 401, "bad-token")
    is_problem(link.post(f"{path}/moves?dry_run=true", later_turn), 401, "bad-token")
    assert scene.ada.get(path).json["version"] == 4


def test_responses_to_a_turn_link_are_in_its_players_language(scene: Scene) -> None:
    scene.ada.ask("PATCH", "/v1/me", {"locale": "de"})
    moves_on(scene.ada, scene.running)
    assert "gilt nicht mehr" in by_mail(scene, scene.running).get(scene.running).json["detail"]


def test_a_repeated_move_gets_its_first_response_as_long_as_that_response_may_have_been_lost(scene: Scene) -> None:
    path, link = scene.running, by_mail(scene, scene.running)
    other = scene.ada.get(f"{path}/legal-moves").json["moves"][1]
    played = moves_on(link, path)
    answer = played.pop("answer")
    again = link.post(f"{path}/moves", played)
    assert (again.status_code, again.data) == (200, answer.data)
    is_problem(link.post(f"{path}/moves", played | {"move": other}), 401, "bad-token")
    is_problem(link.post(f"{path}/moves", played | {"turn": 2}), 401, "bad-token")
    clock.forward(2 * HOUR)
    is_problem(link.post(f"{path}/moves", played), 401, "bad-token")


def test_a_repeated_move_with_a_key_gets_its_first_response_too(scene: Scene) -> None:
    path, link = scene.running, by_mail(scene, scene.running)
    move, key = first_move(link, path), {"Idempotency-Key": "a tap"}
    answers = [link.post(f"{path}/moves", move, headers=key) for _ in range(2)]
    clock.forward(6 * DAY)  # long after it could get it without the key
    answers.append(link.post(f"{path}/moves", move, headers=key))
    assert [it.status_code for it in answers] == [201, 201, 201]
    assert answers[0].data == answers[1].data == answers[2].data


def test_a_turn_link_cannot_play_a_later_turn(scene: Scene) -> None:
    link = by_mail(scene, scene.running)
    move = first_move(link, scene.running)
    is_problem(link.post(f"{scene.running}/moves", move | {"turn": 2}), 409, "stale-turn")


def test_a_turn_link_plays_the_rest_of_its_turn_but_not_the_next_turn(scene: Scene) -> None:
    with scene.app.app_context():
        game_id = game_of(person("ada"), person("bea"), **LONG)
    path = f"/v1/games/{game_id}"
    for who in (scene.ada, scene.bea):
        moves_on(who, path)  # both choose their first cards
    link = by_mail(scene, path, turn=first_move(scene.ada, path)["turn"])
    parts = []
    while link.get(path).status_code == 200:
        parts.append(moves_on(link, path))
    assert len(parts) > 1
    for part in parts:
        answer = part.pop("answer")
        again = link.post(f"{path}/moves", part)
        assert (again.status_code, again.data) == (200, answer.data)
    while (asked := scene.bea.get(f"{path}/legal-moves").json)["turn"] is not None:
        assert scene.bea.post(f"{path}/moves", {"turn": asked["turn"], "move": asked["moves"][0]}).status_code == 201
    is_problem(link.post(f"{path}/moves", first_move(scene.ada, path)), 401, "bad-token")


# While its turn cannot be played


def test_a_turn_link_does_not_work_during_a_pause_but_works_afterwards(scene: Scene) -> None:
    path, link = scene.running, by_mail(scene, scene.running)
    for wish, status in [("pause", 401), ("resume", 200)]:
        for who in (scene.ada, scene.bea):
            who.post(f"{path}/votes", {"on": wish})
        assert link.get(path).status_code == status


def test_a_turn_link_does_not_work_while_a_bot_plays_the_seat(scene: Scene) -> None:
    path, link = scene.running, by_mail(scene, scene.running)
    scene.ada.delete(f"{path}/seats/me")
    refused = link.get(path)
    is_problem(refused, 401, "bad-token")
    assert "is playing for you" in refused.json["detail"]


def test_a_turn_link_does_not_work_after_the_time_ran_out(scene: Scene) -> None:
    path = opened(scene.ada, ME, OPEN, BOT, on_timeout=RUNGS)
    scene.bea.post(f"{path}/seats")
    link = by_mail(scene, path)
    with scene.app.app_context():
        service_is_up()
        later(3 * DAY)
        everything_due_happens()
    is_problem(link.get(path), 401, "bad-token")


def test_a_banned_player_cannot_use_turn_links(scene: Scene) -> None:
    link = by_mail(scene, scene.running)
    with scene.app.app_context():
        ban(person("ada"))
    is_problem(link.get(scene.running), 403, "banned")


def test_a_stream_ends_when_its_turn_does(scene: Scene) -> None:
    with scene.app.app_context():
        game_id = game_of(person("ada"), person("bea"), **LONG)
        for who in (scene.ada, scene.bea):
            moves_on(who, f"/v1/games/{game_id}")
        turn = first_move(scene.ada, f"/v1/games/{game_id}")["turn"]
        asked = caller(turn_word(game_id, 0, turn))
        follower = follow_game(game_id, asked, None, 0)
        assert follower is not None
        assert news(game_id, [follower])
        moves_on(scene.ada, f"/v1/games/{game_id}")  # a part of it
        assert still_valid([asked, caller(str(scene.ada.token))]) >= {asked.token_hash}
        assert not follower.is_over
        while scene.ada.get(f"/v1/games/{game_id}/legal-moves").json["turn"] is not None:
            moves_on(scene.ada, f"/v1/games/{game_id}")
        assert still_valid([asked]) == set()
        assert news(game_id, [follower]) == []
        assert follower.is_over


@pytest.mark.parametrize("end", ["a pause", "a ban", "a bot"])
def test_a_stream_ends_when_its_turn_cannot_be_played(scene: Scene, end: str) -> None:
    with scene.app.app_context():
        asked = caller(str(by_mail(scene, scene.running).token))
        assert still_valid([asked]) == {asked.token_hash}
        match end:
            case "a pause":
                for who in (scene.ada, scene.bea):
                    who.post(f"{scene.running}/votes", {"on": "pause"})
            case "a ban":
                ban(person("ada"))
            case "a bot":
                scene.ada.delete(f"{scene.running}/seats/me")
        assert still_valid([asked]) == set()


# Around it


def test_requests_count_toward_the_players_limit_only_if_their_turn_link_is_valid(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = by_mail(scene, scene.running)
    monkeypatch.setattr(rate_limits, "clock", StandingClock())  # no bucket fills up by itself
    told = [Told.by(who.get(scene.running)) for who in (link, link, scene.ada)]
    assert [it.name for it in told] == ["player"] * 3
    assert [told[0].left - it.left for it in told] == [0, 1, 2]
    assert Told.by(Someone(scene.app, token=str(link.token)[:-1]).get(scene.running)).name == "address"


def test_a_turn_link_is_never_listed_revoked_or_recorded_as_used(scene: Scene) -> None:
    link = by_mail(scene, scene.running)
    is_problem(link.delete("/v1/tokens/current"), 403, "one-seat-only")
    assert link.get(scene.running).status_code == 200
    assert [it["name"] for it in scene.ada.get("/v1/tokens").json["items"]] == ["operator"]
    with scene.app.app_context():
        note_uses()
        db.session.rollback()


def test_playing_by_a_turn_link_does_not_affect_the_players_other_tokens(scene: Scene) -> None:
    moves_on(by_mail(scene, scene.running), scene.running)
    assert scene.ada.get(scene.running).status_code == 200
    assert datetime.fromisoformat(scene.ada.get("/v1/tokens").json["items"][0]["made_at"]) <= clock.now()
