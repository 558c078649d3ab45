"""Games over the API: rules, seats, moves, votes, chat and what strangers see."""

import json
from typing import Any

import pytest
from flask import Flask

from server.bots import BOTS
from server.games import GAMES, Json, sternenhimmel
from server.games.presentation import write_move
from tests.support.api_calls import CALLS, GAME, MOVE, OPEN_CALLS, first_move
from tests.support.contract import Someone, is_problem, opened, refusal
from tests.support.games import BOT, ME, OPEN, wanted

# Rules


def test_the_rules_contain_everything_a_client_needs(stranger: Someone) -> None:
    assert stranger.get("/v1/rules").json["items"] == [stranger.get(f"/v1/rules/{name}").json for name in GAMES]
    rules = stranger.get("/v1/rules/sternenhimmel").json
    bots = rules.pop("bots")
    assert rules == json.loads(json.dumps(sternenhimmel.describe()))
    assert {it["bot"] for it in bots} <= BOTS.keys()
    assert all(0 <= it["low"] <= it["wins"] <= it["high"] <= 1 and it["games"] for it in bots)
    for unknown in ("chess", "Sternenhimmel", "%00", "..", "sternenhimmel%2F"):
        is_problem(stranger.get(f"/v1/rules/{unknown}"), 404, "not-found")


# Games and seats


def test_the_location_header_of_a_new_game_leads_to_the_game(ada: Someone, stranger: Someone) -> None:
    response = ada.post("/v1/games", wanted(ME, {"email": "bea@example.org"}, OPEN, BOT, title="A clear night"))
    game = response.json
    assert (response.status_code, response.headers["Location"]) == (201, f"/v1/games/{game['id']}")
    assert (game["status"], game["version"], game["title"]) == ("open", 0, "A clear night")
    assert (game["you"], game["view"], game["outcome"]) == ({"seat": 0, "turn": None}, None, None)
    assert [seat["kind"] for seat in game["seats"]] == ["human", "invited", "open", "bot"]
    assert [seat["name"] for seat in game["seats"]] == ["ada", None, None, "greedy"]
    assert stranger.get(f"/v1/games/{game['id']}").json == game | {"you": None, "hosting": False}


def test_email_addresses_are_hidden_from_other_players(ada: Someone, bea: Someone, stranger: Someone) -> None:
    path = opened(ada, ME, {"email": "cyd@example.org"}, OPEN)
    bea.post(f"{path}/seats")
    for who in (ada, bea, stranger):
        for shown in (path, f"{path}/events", "/v1/games"):
            assert "@" not in who.get(shown).text


def test_a_seat_can_be_taken_and_given_up(ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    response = bea.post(f"{path}/seats", {"seat": 2, "salt": "of bea"})
    assert (response.status_code, response.json["you"]) == (201, {"seat": 2, "turn": None})
    is_problem(bea.post(f"{path}/seats"), 409, "already-seated")
    left = bea.delete(f"{path}/seats/me")
    assert (left.status_code, left.data) == (204, b"")
    is_problem(bea.delete(f"{path}/seats/me"), 403, "not-seated")
    is_problem(bea.post(f"{path}/seats", {"seat": 0}), 409, "seat-taken")
    assert bea.post(f"{path}/seats").json["you"]["seat"] == 1


def test_a_players_email_choices_for_a_game_are_visible_only_to_that_player(
    ada: Someone, bea: Someone, game: str
) -> None:
    assert ada.get(f"{game}/seats/me").json == {"seat": 0, "mails": None, "salt_hash": None}
    assert ada.patch(f"{game}/seats/me", {"mails": "bundled"}).json == {
        "seat": 0,
        "mails": "bundled",
        "salt_hash": None,
    }
    assert ada.get(f"{game}/seats/me").json == {"seat": 0, "mails": "bundled", "salt_hash": None}
    assert "bundled" not in bea.get(game).text
    is_problem(ada.patch(f"{game}/seats/me", {"mails": "sometimes"}), 422, "invalid-fields")
    assert ada.patch(f"{game}/seats/me", {"mails": None}).json == {"seat": 0, "mails": None, "salt_hash": None}


def latest(who: Someone, path: str = "/v1/games?mine=true") -> list[str | None]:
    return [item["latest"] for item in who.get(path).json["items"]]


def test_the_players_own_game_list_shows_the_last_actions_of_others(ada: Someone, bea: Someone, game: str) -> None:
    assert latest(ada) == latest(bea) == ["The game started."]
    move = first_move(ada, game)
    ada.post(f"{game}/moves", move)
    assert latest(ada) == [None]  # a player's own move is no news
    played = move["move"]
    board = next(it["name"] for it in sternenhimmel.describe()["boards"] if it["id"] == played["board"])
    [told] = latest(bea)
    assert told and told.startswith("ada put ") and told.endswith(f" on {board['en']} {played['space']}.")
    bea.patch("/v1/me", {"locale": "de"})
    [told] = latest(bea)
    assert told and told.startswith("ada ") and f" {board['de']} {played['space']}" in told
    assert latest(bea, "/v1/games?my_turn=true") == latest(ada, "/v1/games") == [None]
    assert bea.get(game).json["latest"] is None
    bea.patch("/v1/me", {"locale": "en"})
    ada.post(f"{game}/take-backs", {"to": ada.get(f"{game}/take-backs").json["to"]})
    assert (latest(ada), latest(bea)) == (["You took a move back."], ["ada took a move back."])


def test_the_game_list_names_every_action_of_the_last_turn(ada: Someone, bea: Someone) -> None:
    path = opened(ada, ME, OPEN, rules="sternenglanz", options={"start_seat": 0})
    assert bea.post(f"{path}/seats").status_code == 201
    for who in (ada, bea):
        who.post(f"{path}/moves", first_move(who, path))
    steps = list[Json]()
    while not any(it["cmd"] == "lay" for it in steps):
        legal = ada.post(f"{path}/legal-moves", {"begun": [{"steps": steps}] if steps else []}).json
        steps += legal["moves"][0]["steps"]
    told = ada.post(f"{path}/moves", {"turn": legal["turn"], "move": {"steps": steps}})
    assert told.status_code == 201
    events = ada.get(f"{path}/events?words=en").json["items"]
    actions = ("star-laid", "star-removed", "star-moved", "supernova-laid", "action-lapsed")
    acted = [it["words"] for it in events if it["version"] == told.json["version"] and it["type"] in actions]
    assert len(acted) > 1
    assert latest(bea) == [" ".join(acted)]


def test_a_player_can_resign_and_come_back(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    move = first_move(ada, game)
    assert ada.delete(f"{game}/seats/me").status_code == 204
    assert ada.get(game).json["seats"][0]["stand_in"] == "greedy"
    is_problem(ada.post(f"{game}/moves", move), 409, "seat-handed-over")
    assert ada.post(f"{game}/seats").json["seats"][0]["stand_in"] is None
    assert ada.post(f"{game}/moves", move).status_code == 201


def test_an_earlier_version_of_a_game_can_be_read(app: Flask, ada: Someone, bea: Someone, game: str) -> None:
    seen = [ada.get(f"{game}?at=0").json, ada.get(game).json]
    for who in (ada, bea):
        who.post(f"{game}/moves", first_move(who, game))
        seen.append(ada.get(game).json)
    for version, then in enumerate(seen):
        now = ada.get(f"{game}?at={version}").json
        assert now["version"] == version
        assert (now["view"], now["you"], now["status"]) == (then["view"], then["you"], then["status"])
    is_problem(ada.get(f"{game}?at={len(seen)}"), 404, "not-found")


# Moves


def test_a_move_returns_201_and_its_repetition_200_with_the_same_bytes(ada: Someone, game: str) -> None:
    move = first_move(ada, game)
    first = ada.post(f"{game}/moves", move)
    again = ada.post(f"{game}/moves", move)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.data == first.data
    assert first.json["you"] == {"seat": 0, "turn": None}


def test_a_move_for_a_turn_that_never_existed_is_rejected_with_the_reason(ada: Someone, game: str) -> None:
    move = first_move(ada, game) | {"turn": 99}
    for path in (f"{game}/moves", f"{game}/moves?dry_run=true"):
        response = ada.post(path, move)
        is_problem(response, 409, "stale-turn")
        assert (response.json["turn"], response.json["detail"]) == (1, "There has been no turn 99 in this game.")


def test_an_illegal_move_is_rejected_with_a_reason(ada: Someone, bea: Someone, game: str) -> None:
    move = first_move(ada, game)
    for change, reason in (({"space": "zz"}, "unknown-space"), ({"board": "nowhere"}, "board-not-in-play")):
        response = ada.post(f"{game}/moves", move | {"move": move["move"] | change})
        is_problem(response, 422, "illegal-move")
        assert response.json["reason"] == reason
    ada.post(f"{game}/moves", move)
    taken = bea.post(f"{game}/moves", {"turn": 2, "move": move["move"]})
    assert taken.json["reason"] == "space-taken"


@pytest.mark.parametrize("move", [[], "7 leo c", 7, {}, MOVE | {"star": 1}, MOVE | {"more": 1}, {"star": "1"}])
def test_a_malformed_move_is_rejected(ada: Someone, game: str, move: Any) -> None:
    is_problem(ada.post(f"{game}/moves", {"turn": 1, "move": move}), 422, "malformed-move")


def test_a_dry_run_predicts_the_move_without_changing_anything(ada: Someone, game: str) -> None:
    move, before = first_move(ada, game), ada.get(game).data
    dry = ada.post(f"{game}/moves?dry_run=true", move)
    assert dry.status_code == 200
    assert (dry.json["would_reveal"], dry.json["would"][0]["type"]) == (False, "star-placed")
    assert ada.get(game).data == before
    real = ada.post(f"{game}/moves", move).json
    assert real["view"] == dry.json["view"]
    is_problem(ada.post(f"{game}/moves?dry_run=true", move), 409, "stale-turn")


def test_legal_moves_are_returned_for_the_seat_whose_turn_it_is(ada: Someone, bea: Someone, game: str) -> None:
    mine = ada.get(f"{game}/legal-moves").json
    assert mine["turn"] == 1
    assert len(mine["moves"]) > 50
    assert bea.get(f"{game}/legal-moves").json == {"turn": None, "moves": []}
    assert ada.post(f"{game}/legal-moves", {"begun": []}).json == mine
    assert ada.post(f"{game}/legal-moves", {"begun": [mine["moves"][0]]}).json == {"turn": 1, "moves": []}
    is_problem(ada.post(f"{game}/legal-moves", {"begun": ["nonsense"]}), 422, "malformed-move")
    is_problem(ada.post(f"{game}/legal-moves", {"begun": [MOVE | {"space": "zz"}]}), 422, "illegal-move")


def test_legal_moves_can_come_with_each_move_in_words(ada: Someone, game: str) -> None:
    legal = ada.get(f"{game}/legal-moves?words=de").json
    assert len(legal["words"]) == len(legal["moves"])
    move, words = legal["moves"][0], legal["words"][0]
    assert words == write_move(GAMES["sternenhimmel"], GAMES["sternenhimmel"].move_from_json(move), "de")
    assert ada.post(f"{game}/legal-moves?words=de", {"begun": []}).json == legal
    is_problem(ada.get(f"{game}/legal-moves?words=la"), 422, "invalid-fields")
    is_problem(ada.get(f"{game}/legal-moves?wrods=de"), 422, "invalid-fields")


def test_events_continue_after_the_last_one_seen(ada: Someone, bea: Someone, game: str) -> None:
    ada.post(f"{game}/moves", first_move(ada, game))
    story = bea.get(f"{game}/events").json["items"]
    assert [item["type"] for item in story] == ["game-started", *["board-dealt"] * 3, "star-placed"]
    assert [item["seq"] for item in story] == [1, 3, 4, 5, 6]  # the second, the order of the boards, is never revealed
    assert bea.get(f"{game}/events?after={story[2]['seq']}").json["items"] == story[3:]
    assert bea.get(f"{game}/events?after={story[-1]['seq']}").json["items"] == []
    is_problem(bea.get(f"{game}/events?after=999"), 409, "place-ahead")


# Private games


def streamed(who: Someone, path: str) -> list[Any]:
    lines = who.get(path).get_data(as_text=True).splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def test_a_move_a_dry_run_and_streams_have_the_same_sentences_as_the_events(ada: Someone, game: str) -> None:
    since = f"/v1/stream?lastEventId={ada.get('/v1/stream').data.split()[3].decode()}"
    move = first_move(ada, game)
    foreseen = ada.post(f"{game}/moves?dry_run=true&words=fr", move).json["would"]
    played = ada.post(f"{game}/moves?words=fr", move)
    assert ada.post(f"{game}/moves?words=fr", move).data == played.data
    events = played.json["events"]
    assert foreseen[0]["words"] == events[0]["words"] and events[0]["words"].startswith("ada a posé ")
    story = ada.get(f"{game}/events?words=fr").json["items"]
    assert story[-len(events) :] == events
    assert streamed(ada, f"{game}/stream?words=fr") == story
    assert streamed(ada, f"{since}&words=fr") == [{"game": game.rpartition("/")[2], **it} for it in events]
    assert all("words" not in it for it in streamed(ada, f"{game}/stream"))


def private_calls(path: str) -> list[tuple[str, str, Any]]:
    return [(method, call.replace(GAME, path), body) for method, call, body, _ in CALLS if call.startswith(GAME)] + [
        ("GET", call.replace(GAME, path), None) for call in OPEN_CALLS if call.startswith(GAME)
    ]


def test_a_private_game_looks_like_an_unknown_id_to_strangers(app: Flask, ada: Someone, bea: Someone) -> None:
    word = "aaaa"
    private = opened(ada, ME, OPEN, OPEN, private=True)
    queries = ["", "?at=0", "?at=99", f"?invitation={word}"]
    calls = private_calls(private)
    calls += [("GET", f"{private}{query}", None) for query in queries]
    calls += [("POST", f"{private}/seats", {"invitation": word}), ("POST", f"{private}/seats", {"seat": 0})]
    for who in (bea, Someone(app)):
        for method, path, body in calls:
            there = who.ask(method, path, body)
            nowhere = who.ask(method, path.replace(private, GAME), body)
            assert (there.status, refusal(there)) == (nowhere.status, refusal(nowhere)), f"{method} {path}"
            assert there.status_code in (401, 404)
