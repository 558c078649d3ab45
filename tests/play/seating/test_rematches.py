"""Rematches: the players of a game find the same next game, and nobody else does."""

from functools import partial
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.blocks import block
from server.accounts.signed_links import ANY_SEAT, INVITATION, sign
from server.errors import NotFound, NotRunning, NotSeated
from server.games.presentation import introduction
from server.operations.delete_player import delete_player
from server.play.commits import load
from server.play.seating.games import open_game
from server.play.seating.hosting import invitees
from server.play.seating.lobby import list_games
from server.play.seating.rematches import find_game_before, find_rematch, rematch
from server.play.seating.seats import SeatClaim, leave, take_seat
from server.play.votes import vote
from server.post.incoming.answering import deal_with_mails
from tests.post.office import Office, a_mail, arrives
from tests.support.games import BOT, DAY, ME, OPEN, at_once, everything_due_happens, game_of, later, wanted


def ended(*people: UUID, **more: Any) -> UUID:
    seats = [ME, *[OPEN] * (len(people) - 1), *[BOT] * (3 - len(people))]
    game_id = open_game(people[0], wanted(*seats, **more)).game_id
    for who in people[1:]:
        take_seat(game_id, who, SeatClaim(invitation=sign(INVITATION, game_id, ANY_SEAT)))
    for who in people:
        vote(game_id, who, "abandon", True)
    return game_id


def test_all_players_find_the_same_rematch_with_the_same_options(ada: UUID, bea: UUID) -> None:
    clock = {"per_move": "P3D"}
    game_id = ended(ada, bea, private=True, title="Tuesday stars", clock=clock, options={"start_seat": 1})
    opened = rematch(game_id, ada)
    assert (opened.head.status, opened.head.title, opened.head.clock) == ("open", "Tuesday stars (2)", clock)
    assert opened.head.private and opened.head.options == load(game_id).head.options
    assert (opened.head.rematch_of, load(game_id).head.rematch_of) == (game_id, None)
    assert rematch(game_id, ada).game_id == opened.game_id
    assert load(opened.game_id).head.status == "open"
    found = {"game": opened.game_id, "asked_by": 0}
    assert find_rematch(game_id, ada) == found | {"seated": True}
    assert find_rematch(game_id, bea) == found | {"seated": False}
    begun = rematch(game_id, bea)
    assert begun.game_id == opened.game_id and begun.head.status == "running"
    assert [row.player_id or row.bot for row in begun.seats] == [ada, bea, "greedy"]
    assert rematch(game_id, ada).game_id == opened.game_id
    assert find_game_before(opened.game_id, ada, None) == {"game": game_id, "number": 2}
    assert find_game_before(game_id, ada, None) == {"game": None, "number": None}


def test_two_rematches_of_games_with_the_same_title_have_different_titles(ada: UUID, bea: UUID) -> None:
    first, second = ended(ada, bea, title="Stars"), ended(ada, bea, title="Stars")
    assert [rematch(it, ada).head.title for it in (first, second)] == ["Stars (2)", "Stars (3)"]


def test_the_other_players_are_invited_and_their_addresses_stay_hidden(app: Flask, ada: UUID, bea: UUID) -> None:
    office = Office(app, "stars.example")
    game_id = ended(ada, bea)
    before = len(office.mails("bea"))
    opened = rematch(game_id, ada)
    (letter,) = office.mails("bea")[before:]
    assert letter.subject.startswith("ada suggests a rematch: ")
    assert "ada wants to play another game with you." in letter.text
    assert introduction("sternenhimmel", "en")[0][:30] not in letter.text
    assert invitees(opened.game_id, ada) == [{"seat": 1, "email": None, "name": "bea"}]
    assert [it["id"] for it in list_games(bea, mine=True, status="open").items] == [opened.game_id]
    arrives(letter.reply_to, a_mail("yes", sender="bea@example.org"))
    deal_with_mails()
    assert load(opened.game_id).head.status == "running"


def test_players_who_block_the_host_get_no_email_and_deleted_ones_no_seat(
    app: Flask, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    office = Office(app, "stars.example")
    game_id = ended(ada, bea, cyd)
    block(bea, ada)
    delete_player(cyd)
    before = len(office.mails("bea"))
    assert [row.kind for row in rematch(game_id, ada).seats] == ["human", "invited", "open"]
    assert find_rematch(game_id, bea)["game"] is None
    assert len(office.mails("bea")) == before


def test_a_rematch_against_bots_begins_at_once(ada: UUID) -> None:
    begun = rematch(ended(ada), ada)
    assert begun.head.status == "running" and begun.head.private


@pytest.mark.parametrize(
    ("title", "following"),
    [("Stars 2", "Stars (3)"), ("Stars (9)", "Stars (10)"), ("Stars 2026", "Stars 2026 (2)"), ("Stars", "Stars (2)")],
)
def test_a_rematch_has_its_number_in_brackets(ada: UUID, title: str, following: str) -> None:
    game_id = ended(ada, seats=[ME, BOT, BOT], title=title)
    assert rematch(game_id, ada).head.title == following


def test_the_bots_of_a_rematch_keep_their_names_and_each_rematch_has_the_next_number(ada: UUID) -> None:
    game_id = ended(ada, seats=[ME, {"bot": "level-2"}, {"bot": "level-3"}], title="Stars & coffee")
    names, titles = load(game_id).names[1:], []
    for _ in range(2):
        assert find_rematch(game_id, ada) == {"game": None, "asked_by": None, "seated": False}
        game_id = rematch(game_id, ada).game_id
        assert load(game_id).names[1:] == names
        titles.append(load(game_id).head.title)
        vote(game_id, ada, "abandon", True)
    assert titles == ["Stars & coffee (2)", "Stars & coffee (3)"]


def test_after_a_rematch_that_is_over_or_began_without_a_player_there_is_a_further_one(
    ada: UUID, bea: UUID, cyd: UUID
) -> None:
    game_id = ended(ada, bea)
    first = rematch(game_id, ada)
    leave(first.game_id, ada)
    later(30 * DAY)
    everything_due_happens()
    assert load(first.game_id).head.status == "abandoned"
    second = rematch(game_id, bea)
    assert second.game_id != first.game_id
    assert rematch(game_id, ada).game_id == second.game_id
    with pytest.raises(NotSeated):
        rematch(game_id, cyd)


def test_two_rematches_at_the_same_time_are_one_game(app: Flask, ada: UUID, bea: UUID) -> None:
    game_id = ended(ada, bea)
    found = at_once(app, [partial(rematch, game_id, who) for who in (ada, bea)])
    assert len({it.game_id for it in found}) == 1
    assert {row.player_id for row in load(found[0].game_id).seats} == {ada, bea, None}
    assert load(found[0].game_id).head.status == "running"


def test_only_a_game_that_is_over_has_a_rematch_and_only_for_its_players(ada: UUID, bea: UUID, cyd: UUID) -> None:
    with pytest.raises(NotRunning):
        rematch(game_of(ada, bea, bots=1), ada)
    with pytest.raises(NotFound):
        rematch(ended(ada, bea, private=True), cyd)
