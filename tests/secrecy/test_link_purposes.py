"""Every purpose of a signed link is tried wherever a link token is accepted, and rejected unless listed here.

A new purpose, operation or page fails these tests until it is listed.
"""

import ast
import importlib
from collections.abc import Callable, Mapping
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from flask import Flask
from werkzeug.routing import Rule

import server
from server.accounts.apps import end_app_token
from server.accounts.bounces import bounce_token
from server.accounts.signed_links import (
    APP,
    BOUNCE,
    DESK,
    FEED,
    INVITATION,
    PURPOSES,
    READY,
    REPLY,
    RETURN,
    RSVP,
    STAND_IN,
    STOP,
    TURN,
    mark_of,
    sign,
)
from server.accounts.unsubscribe import stop_token
from server.errors import NotFound
from server.play.commits import load
from server.play.mail.mail_in import reply_word, rsvp_word
from server.play.seating.calendar_feed import new_feed
from server.play.seating.seats import ready_word, return_word
from server.play.turns.turn_links import turn_word
from server.post.desk.addresses import player_word
from server.post.incoming.intake import expect_known
from tests.support.contract import Someone, opened
from tests.support.games import BOT, ME, OPEN
from tests.support.one_of_each import Scene, calls

# As a bearer token, a link token opens these operations.
AS_BEARER = {
    (TURN, name)
    for name in (
        *("getGame", "getEvents", "getLegalMoves", "findLegalMoves", "playMove", "getMessages"),
        *("getPictureSvg", "getPicturePng", "followGame", "getArchive", "getReview"),
    )
}
# In a path, it opens these operations and pages.
IN_PATH = {
    (TURN, "/t/<word>"),
    (TURN, "/t/<word>/plain"),
    (INVITATION, "/i/<word>"),
    (INVITATION, "/i/<word>/no"),
    (STAND_IN, "/s/<word>"),
    (STAND_IN, "/s/<word>/no"),
    (STAND_IN, "/v1/stand-ins/<word>"),
    (RETURN, "/back/<word>"),
    (READY, "/ready/<word>"),
    (APP, "/app/<word>"),
    (STOP, "/stop/<word>"),
    (FEED, "/feed/<word>.ics"),
}
AS_LOCAL_PART = {REPLY, RSVP, BOUNCE, DESK}
AS_INVITATION = {INVITATION}  # in `?invitation=` and in the body of takeSeat
OTHER_ARGUMENTS = {"name", "code", "provider", "filename"}  # texts in paths that are no link tokens


@pytest.fixture
def scene(app: Flask) -> Scene:
    return Scene(app)


@pytest.fixture
def words(scene: Scene) -> Mapping[str, str]:
    """Return a link token per purpose that would open something of Ada's, or of her game."""
    running, asking, hosted = (UUID(it.rpartition("/")[2]) for it in (scene.running, scene.asking, scene.hosted))
    ada, app_id = UUID(scene.ada.get("/v1/me").json["id"]), UUID(scene.app_id)
    stand_in = scene.stand_in_word
    with scene.app.app_context():
        found = {
            TURN: turn_word(running, 0, 1),
            INVITATION: sign(INVITATION, hosted, 2, mark_of("cleo@example.org")),
            RETURN: return_word(running, 0),
            REPLY: reply_word(running, 0, 1),
            STOP: stop_token("your-turn", str(ada), running),
            FEED: new_feed(ada),
            BOUNCE: bounce_token(ada, uuid4()),
            RSVP: rsvp_word(hosted, 2, mark_of("cleo@example.org")),
            READY: ready_word(load(asking), 0),
            STAND_IN: stand_in,
            APP: end_app_token(ada, app_id),
            DESK: player_word(ada, "ada@example.org"),
        }
    assert set(found) == set(PURPOSES)
    return found


def test_every_purpose_of_link_tokens_in_the_code_is_tested_here() -> None:
    root, found = Path(server.__file__).parent, set()
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if path.stem == "signed_links" or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            if node.func.id in ("sign", "sign_text", "verify", "verify_text"):
                assert isinstance(node.args[0], ast.Name), path
                module = ".".join(path.relative_to(root.parent).with_suffix("").parts)
                found.add(getattr(importlib.import_module(module), node.args[0].id))
    assert found == set(PURPOSES)


def test_as_a_bearer_token_a_link_token_opens_only_what_is_listed_for_its_purpose(
    scene: Scene, words: Mapping[str, str]
) -> None:
    opened_by = set()
    game, last = "/v1/games/{game_id}", "playMove"
    for call in sorted(calls(scene.contract.document), key=lambda it: it.name == last):
        if call.operation.get("security") == []:
            continue  # takes no token
        for purpose, word in words.items():
            path = call.path.replace("{seat}", "1")
            address = path.replace(game, scene.running) if path.startswith(game) else scene.address(call)
            answer = Someone(scene.app, token=word).ask(call.method, address, call.example)
            if answer.status_code not in (401, 403):
                opened_by.add((purpose, call.name))
            answer.close()
    assert opened_by == AS_BEARER


def test_a_link_token_in_a_path_opens_only_what_is_listed_for_its_purpose(
    scene: Scene, words: Mapping[str, str]
) -> None:
    opened_by, client = set(), scene.app.test_client()
    for rule in routes(scene.app):
        for purpose, word in words.items():
            for method in sorted(rule.methods & {"GET", "POST", "PUT", "PATCH", "DELETE"}):
                who = scene.dan if rule.rule.startswith("/v1/") else None
                headers = {"Authorization": f"Bearer {who.token}"} if who else {}
                answer = client.open(rule.rule.replace("<word>", word), method=method, headers=headers)
                if answer.status_code not in (404, 405):
                    opened_by.add((purpose, rule.rule))
    assert opened_by == IN_PATH


def routes(app: Flask) -> list[Rule]:
    """Return the routes that take a link token, acting ones last."""
    taking = [it for it in app.url_map.iter_rules() if "word" in it.arguments]
    texts = {name for it in app.url_map.iter_rules() for name in it.arguments if is_text(it, name)}
    assert texts == {"word"} | OTHER_ARGUMENTS
    return sorted(taking, key=lambda it: "POST" in it.methods)


def is_text(rule: Rule, name: str) -> bool:
    return f"<{name}>" in rule.rule or f"<path:{name}>" in rule.rule or f"<string:{name}>" in rule.rule


def test_as_a_local_part_only_link_tokens_for_listed_purposes_are_accepted(
    app: Flask, words: Mapping[str, str]
) -> None:
    def is_known(word: str) -> bool:
        try:
            expect_known(word)
        except NotFound:
            return False
        return True

    with app.app_context():
        assert {purpose for purpose, word in words.items() if is_known(word)} == AS_LOCAL_PART


def test_a_private_game_can_be_seen_and_joined_only_with_an_invitation(scene: Scene, words: Mapping[str, str]) -> None:
    private = opened(scene.ada, ME, OPEN, BOT, private=True)
    words = dict(words) | {INVITATION: scene.ada.get(private).json["invitation"]}
    shown = {
        (purpose, call.name)
        for call in calls(scene.contract.document)
        if any(it.get("name") == "invitation" for it in call.operation.get("parameters", []))
        for purpose, word in words.items()
        if scene.stranger.get(f"{call.path.replace('/v1/games/{game_id}', private)}?invitation={word}").status_code
        == 200
    }
    assert shown and {purpose for purpose, _ in shown} == AS_INVITATION
    words = dict(reversed(words.items()))
    took = {
        it for it, word in words.items() if scene.dan.post(f"{private}/seats", {"invitation": word}).status_code == 201
    }
    assert took == AS_INVITATION


def stand_in_link(scene: Scene) -> tuple[str, str]:
    return f"/s/{scene.stand_in_word}", scene.running


def invitation_link(scene: Scene) -> tuple[str, str]:
    with scene.app.app_context():
        game_id = UUID(scene.hosted.rpartition("/")[2])
        return f"/i/{sign(INVITATION, game_id, 2, mark_of('cleo@example.org'))}", scene.hosted


@pytest.mark.parametrize(("link", "email"), [(invitation_link, "cleo"), (stand_in_link, "dan")])
def test_an_existing_player_who_accepts_by_a_link_is_not_signed_in(
    scene: Scene, link: Callable[[Scene], tuple[str, str]], email: str
) -> None:
    who = Someone(scene.app, email)
    address, game = link(scene)
    answer = scene.app.test_client().post(address)
    assert answer.status_code == 200
    assert "sp_" not in answer.text
    assert f"/#/{game.removeprefix('/v1/')}" in answer.text, "the game is a tap away"
    assert {it["name"] for it in who.get("/v1/tokens").json["items"]} == {"operator"}  # created by the test
    if link is stand_in_link:
        assert scene.ada.get(f"{game}/seats/me/stand-in").json["stand_in"]["accepted"]
    else:
        assert who.get(game).json["you"]["seat"] == 2
