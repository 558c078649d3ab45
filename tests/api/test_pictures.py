"""Pictures by HTTP and by email."""

import email
import email.policy
import re

import pytest

from server.accounts.players import player_token
from server.play.commits import load
from server.play.seating.games import open_game
from tests.post.reader import composed
from tests.support.games import game_of, letters, moves_on, person, turn_of


@pytest.fixture(autouse=True)
def context(app):
    with app.app_context():
        yield


def test_a_player_gets_a_picture_of_their_own_view(app):
    people = [person(name) for name in ("ada", "ben", "cleo")]
    game_id = game_of(*people)
    moves_on(game_id, people[0])
    client = app.test_client()
    token = {"Authorization": f"Bearer {player_token('ada@example.org')}"}
    own, public = (client.get(f"/v1/games/{game_id}/picture.svg", headers=headers) for headers in (token, {}))
    assert own.mimetype == public.mimetype == "image/svg+xml"
    assert "default-src 'none'" in own.headers["Content-Security-Policy"]
    assert "Your stars" in own.text and "Your stars" not in public.text
    png = client.get(f"/v1/games/{game_id}/picture.png?theme=light", headers=token)
    assert (png.mimetype, png.data[:4]) == ("image/png", b"\x89PNG")


def test_past_tables_can_be_drawn_and_future_ones_cannot(app):
    people = [person(name) for name in ("ada", "ben", "cleo")]
    game_id = game_of(*people)
    client = app.test_client()
    before = client.get(f"/v1/games/{game_id}/picture.svg").text
    moves_on(game_id, people[0])
    assert client.get(f"/v1/games/{game_id}/picture.svg?at=1").text == before
    assert client.get(f"/v1/games/{game_id}/picture.svg?at=9").status_code == 404
    unstarted = open_game(people[0], {"rules": "sternenhimmel", "seats": [{"player": "me"}, *[{"open": True}] * 2]})
    assert client.get(f"/v1/games/{unstarted.game_id}/picture.svg").status_code == 404


def test_a_finished_game_can_be_drawn_with_its_table_at_its_fullest(app):
    people = [person(name) for name in ("ada", "ben", "cleo")]
    game_id = game_of(*people)
    while load(game_id).table.status == "running":
        moves_on(game_id, next(it for it in people if turn_of(game_id, it) is not None))
    client = app.test_client()
    last, fullest = (client.get(f"/v1/games/{game_id}/picture.svg{query}").text for query in ("", "?fullest=true"))
    assert last.count("data-board") == 0
    assert fullest.count('<g id="board-') == 3
    assert fullest.count(", seat ") >= 3
    standings = re.compile(r"[0-9]+ (?:coins?|stars?)<")
    assert standings.findall(fullest) == standings.findall(last)
    assert "to move" not in fullest


def test_a_thumbnail_of_sternenglanz_shows_the_pieces_without_labels(app):
    people = [person(name) for name in ("ada", "ben")]
    game_id = game_of(*people, rules="sternenglanz")
    client = app.test_client()
    plain, small = (client.get(f"/v1/games/{game_id}/picture.svg{query}").text for query in ("", "?thumbnail=true"))
    assert "<text" in plain and "<text" not in small
    assert small.count("<g ") == 1  # the first star
    assert len(small) < len(plain) / 3
    png = client.get(f"/v1/games/{game_id}/picture.png?thumbnail=true")
    assert png.data[:4] == b"\x89PNG"


def test_a_game_without_thumbnails_is_drawn_as_usual(app):
    game_id = game_of(*[person(name) for name in ("ada", "ben", "cleo")])
    client = app.test_client()
    plain, small = (client.get(f"/v1/games/{game_id}/picture.svg{query}").text for query in ("", "?thumbnail=true"))
    assert small == plain


def test_a_turn_email_shows_the_table_as_text_first_then_as_an_inline_picture(app):
    people = [person(name) for name in ("ada", "ben", "cleo")]
    game_id = game_of(*people, title="<b>Stars & more</b>")
    (letter,) = letters(game_id, "your-turn")
    message = email.message_from_bytes(composed(letter).message, policy=email.policy.default)
    words, related = message.iter_parts()
    page, picture = related.iter_parts()
    assert (words.get_content_type(), page.get_content_type()) == ("text/plain", "text/html")
    assert picture["Content-ID"] == "<table.png>" and 'src="cid:table.png"' in page.get_content()
    assert picture.get_content().startswith(b"\x89PNG")
    assert "&lt;b&gt;Stars &amp; more&lt;/b&gt;" in page.get_content() and "<b>Stars" not in page.get_content()
    assert "The table:" in words.get_content()


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_each_version_can_be_drawn_from_the_start_on_also_with_the_table_at_its_fullest(app, rules):
    people = [person(name) for name in ("ada", "ben", "cleo")]
    unstarted = open_game(people[0], {"rules": rules, "seats": [{"player": "me"}, *[{"open": True}] * 2]}).game_id
    running = game_of(*people, rules=rules)
    moves_on(running, people[0])
    client = app.test_client()
    for game_id in (unstarted, running):
        for at in range(load(game_id).table.version + 1):
            for query in ("", "&fullest=true"):
                found = client.get(f"/v1/games/{game_id}/picture.svg?at={at}{query}").status_code
                shows_stars = game_id == running and (at or query)
                assert found == (200 if shows_stars else 404), (at, query)
