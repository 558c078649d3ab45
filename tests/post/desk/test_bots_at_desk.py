"""Games with people and bots, opened by email."""

import re
from collections.abc import Callable
from uuid import UUID

import pytest
from flask_babel import force_locale

from server.accounts.players import player_at
from server.games import GAMES
from server.play.commits import load
from server.play.game import Game
from server.post.desk.acting import _lines_for_new, _options_of_new
from server.post.desk.arguments import Unclear, wanted_in
from server.post.desk.reading import read_line
from server.post.desk.rule_texts import options_in_words
from server.post.desk.wishes import wish_in
from server.store import desk
from server.translations import LOCALES
from tests.post.desk.test_proof import ann_joins
from tests.post.desk.writing import Correspondent


def kinds(game: Game) -> list[str]:
    return [it.kind for it in game.seats]


def newest(player_id: UUID) -> Game:
    return load(list(desk.numbers(player_id))[-1])


@pytest.mark.parametrize(
    ("text", "bots"),
    [
        ("sternenhimmel 3 bots=1", 1),
        ("sternenhimmel with bob@example.org and a bot", 1),
        ("sternenhimmel mit bob@example.org und zwei Bots", 2),
        ("sternenhimmel avec un bot", 1),
        ("sternenhimmel con due bot", 2),
        ("sternenhimmel 4 players with bob@example.org and bots", None),
        ("sternenhimmel 4", 0),
    ],
)
def test_a_description_names_bots(text: str, bots: int | None) -> None:
    wanted = wanted_in(text)
    assert wanted.bots == bots
    assert wanted.seats in (None, 3, 4)


def test_bots_without_a_number_stay_in_the_line_that_a_stranger_gets() -> None:
    found = wish_in("new", "sternenhimmel bob@example.org and a bot")
    assert found and found.rest == "sternenhimmel bob@example.org bots=1"


@pytest.mark.parametrize(
    ("line", "seats", "status"),
    [
        ("new sternenhimmel with bob@example.org and a bot", ["human", "invited", "bot"], "open"),
        ("new sternenhimmel with bob@example.org and two bots", ["human", "invited", "bot", "bot"], "open"),
        ("new sternenhimmel 5 with bob@example.org and bots", ["human", "invited", "bot", "bot", "bot"], "open"),
        ("new sternenhimmel 3 bots=1", ["human", "bot", "open"], "open"),
        ("new sternenhimmel bots=2", ["human", "bot", "bot"], "running"),
    ],
)
def test_a_new_game_has_people_and_bots(ann: Correspondent, line: str, seats: list[str], status: str) -> None:
    player_id = ann_joins(ann)
    answer = ann.asks(line)
    game = newest(player_id)
    assert (kinds(game), game.table.status) == (seats, status)
    assert ("has started" in answer.text) is (status == "running")
    assert ('reply "fill 1"' in answer.text) is ("open" in seats)


@pytest.mark.parametrize(
    ("line", "bot"),
    [
        ("play sternenhimmel level=6", "level-6"),
        ("play sternenglanz 3 on level 4", "level-4"),
        ("spiele sternenhimmel stufe 5", "level-5"),
        ("new sternenhimmel bots=2 level=1", "level-1"),
        ("play sternenhimmel", "level-2"),
        ("play sternenglanz against a hard bot", "level-4"),
        ("Play sternenglanz against two very strong bots, please.", "level-5"),
        ("play sternenglanz with 1 bot level 4.", "level-4"),
        ("play sternenhimmel easy", "level-1"),
        ("spiele sternenhimmel gegen einen mittleren Bot", "level-2"),
        ("spiele sternenglanz gegen den stärksten Bot", "level-6"),
        ("play sternenglanz contre un bot très difficile", "level-5"),
        ("new sternenglanz against an advanced bot", "level-3"),
    ],
)
def test_a_player_chooses_how_strong_the_bots_are(ann: Correspondent, line: str, bot: str) -> None:
    player_id = ann_joins(ann)
    if line.startswith("spiele"):
        ann.asks("set language de")
    ann.asks(line)
    assert {row.bot for row in newest(player_id).seats if row.kind == "bot"} == {bot}


@pytest.mark.parametrize("line", ["play sternenhimmel level=7", "find sternenhimmel level=3"])
def test_a_level_without_bots_or_that_is_none_is_refused(ann: Correspondent, line: str) -> None:
    player_id = ann_joins(ann)
    ann.asks(line)
    assert not desk.numbers(player_id)


@pytest.mark.parametrize("more", ["level=2", "bots=1", "against bots", "against a medium bot"])
def test_a_search_for_people_refuses_bots_even_of_the_usual_level(ann: Correspondent, more: str) -> None:
    player_id = ann_joins(ann)
    told = " ".join(ann.asks(f"find sternenglanz {more}").text.split())
    assert '"find" looks for people and seats no bots.' in told
    assert not desk.numbers(player_id)


def test_more_bots_than_seats_open_no_game(ann: Correspondent) -> None:
    player_id = ann_joins(ann)
    assert "more invitations and bots than seats" in ann.asks("new sternenhimmel 3 bots=3").text
    assert not desk.numbers(player_id)


def test_the_host_gives_free_seats_to_bots(ann: Correspondent, mailbox: Callable[[str], Correspondent]) -> None:
    player_id = ann_joins(ann)
    ann.asks("new sternenhimmel 4 bob@example.org")
    bob = mailbox("bob@example.org")
    assert "Bots have the free seats" in ann.asks("fill 1 with bots").text
    assert kinds(newest(player_id)) == ["human", "invited", "bot", "bot"]
    assert "Invited: 1." in ann.asks("games").text
    assert "No seat of this game is free" in ann.asks("fill 1").text
    bob.sends(bob.newest.reply_to, "yes")
    assert player_at(bob.email)
    assert newest(player_id).table.status == "running"
    assert "has started" in ann.asks("fill 1").text


def test_only_the_host_gives_seats_to_bots(ann: Correspondent, mailbox: Callable[[str], Correspondent]) -> None:
    ann_joins(ann)
    ann.asks("new sternenhimmel 4")
    bob = mailbox("bob@example.org")
    ann_joins(bob)
    bob.asks("open")
    bob.asks("join 1")
    assert "Only the host" in bob.asks("fill 1").text


def test_help_lists_the_options_of_a_new_game(ann: Correspondent) -> None:
    ann_joins(ann)
    told = " ".join(ann.asks("help new").text.split())
    for line in (
        "Usually one of these lines is enough: “new sternenhimmel bob@example.org” “new sternenhimmel 4 players 2 days per",
        "- nameless=yes: the players' names stay hidden until the end.",
        "- help new sternenglanz: lists the rules that you can change.",
    ):
        assert line in told
    assert "=linear" not in told
    assert len(ann.asks("help new").text.splitlines()) < 40
    told = " ".join(ann.asks("help new sternenhimmel").text.split())
    assert "- doubling=linear: Three double stars next to a number multiply it by six." in told
    told = " ".join(ann.asks("help new sternenglanz").text.split())
    assert "- scenario=2: Pictorial art: Each player has a constellation that everyone can see. The first " in told
    assert "- lineBan=any-star: Lines closed to a moving star: lines any star has used this turn." in told


@pytest.mark.parametrize("locale", LOCALES)
def test_each_line_of_the_help_for_a_new_game_can_be_sent(locale: str) -> None:
    with force_locale(locale):
        added = [("sternenhimmel", re.split(r"\s?: ", it)[0]) for it in _options_of_new() if "=" in it.split()[0]]
        added += [(game, line) for game in GAMES for line, _ in options_in_words(game, locale)]
        lines = [f"new {game} {line}" for game, line in added]
        lines += [it[1:-1].strip() for it in _lines_for_new() if "sternenhimmel" in it]
        assert len(lines) > 25
        for line in lines:
            read = read_line(line, locale)
            assert read and read.command == "new" and wanted_in(read.rest)


def test_an_unknown_option_gets_the_known_ones() -> None:
    with pytest.raises(Unclear) as error:
        wanted_in("sternenhimmel robots=1")
    assert "bots" in str(error.value.words)
