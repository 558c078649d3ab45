"""Races of handovers and endings with moves, time-outs and take-backs: each counts once or is rejected."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import select

from server.accounts.apps import app_by_code, app_by_refresh, apps_of, end_app, issue
from server.accounts.players import player_token
from server.accounts.tokens import Caller
from server.clock import clock
from server.operations.delete_player import delete_player
from server.operations.rebuild import check_game
from server.play.commits import load, whole_log
from server.play.moves import play_move
from server.play.planning.plans import put_plan
from server.play.seating.games import open_game
from server.play.seating.seats import leave, ready, take_over, take_seat
from server.play.seating.stand_ins import (
    Wish,
    accept_stand_in,
    ask_stand_in,
    change_stand_ins,
    end_stand_in,
    stand_in_word,
)
from server.play.timing.sweep import wake_due
from server.play.turns.turn_links import caller
from server.play.votes import OFFER, take_back
from server.store.tables import StandIn, Token, db
from tests.support import games
from tests.support.apps import code_of_an_app
from tests.support.games import outcome_of

pytestmark = pytest.mark.usefixtures("within")

TRIES = 3
Act = Callable[[], object]


class Scene:
    """A game in which Ada has moved and may take that back. Bea is on turn with her time running out, then Cyd."""

    def __init__(self) -> None:
        self.ada, self.bea, self.cyd, self.dan = map(games.person, ("ada", "bea", "cyd", "dan"))
        ladder = [{"do": "extend", "by": "P1D", "times": 1}, {"do": "bot-takes-over", "bot": "random"}]
        options = {"start_seat": 0, "take_back": "free"}
        self.game_id = games.game_of(self.ada, self.bea, self.cyd, options=options, on_timeout=ladder)
        self.player = self.bea  # plays Bea's seat

    def begin(self) -> None:
        games.moves_on(self.game_id, self.ada)

    def request_stand_in(self) -> str:
        today = clock.now().date()
        ask_stand_in(self.game_id, self.bea, Wish(str(today), str(today + 6 * games.DAY), self.dan))
        mark = db.session.scalars(select(StandIn.mark).where(StandIn.game_id == self.game_id)).one()
        db.session.rollback()
        return stand_in_word(self.game_id, 1, mark)

    # Handovers and endings

    def accepts(self) -> Act:
        self.begin()
        return partial(accept_stand_in, self.request_stand_in(), self.dan)

    def ends(self) -> Act:
        accept_stand_in(self.request_stand_in(), self.dan)
        self.player = self.dan
        self.begin()
        return partial(end_stand_in, self.game_id, self.bea)

    def takes_over(self) -> Act:
        leave(self.game_id, self.cyd)
        games.all_agree(self.game_id, OFFER, self.ada, self.bea)
        self.begin()
        return partial(take_over, self.game_id, self.dan, 2)

    def deletes(self) -> Act:
        self.begin()
        return partial(delete_player, self.bea)

    def plans(self) -> Act:
        self.begin()
        moves = [{"move": move, "if": [], "after": "PT0S"} for move in games.moves_of(self.game_id, self.bea)[:1]]
        return partial(put_plan, self.game_id, self.bea, 0, moves)

    # Simultaneous actions

    def move(self) -> Act:
        turn, move = games.turn_of(self.game_id, self.player), games.moves_of(self.game_id, self.player)[-1]
        assert turn is not None
        return partial(play_move, self.game_id, self.player, turn, move)

    def time_out(self) -> Act:
        games.until(max(row.due_at for row in games.seats_of(self.game_id) if row.due_at))
        return wake_due

    def take_back(self) -> Act:
        return partial(take_back, self.game_id, self.ada, load(self.game_id).version - 1)


OF = {Scene.accepts: "stand-in-began", Scene.ends: "stand-in-ended", Scene.takes_over: "seat-taken-over"}
OF_RIVAL = {Scene.move: "star-placed", Scene.take_back: "move-taken-back"}


@pytest.mark.parametrize("rival", [Scene.move, Scene.time_out, Scene.take_back], ids=lambda it: it.__name__)
@pytest.mark.parametrize(
    "change", [Scene.accepts, Scene.ends, Scene.takes_over, Scene.deletes, Scene.plans], ids=lambda it: it.__name__
)
def test_each_of_two_simultaneous_commits_either_succeeds_once_or_is_rejected(
    app: Flask, change: Callable[[Scene], Act], rival: Callable[[Scene], Act]
) -> None:
    for _ in range(TRIES):
        scene = Scene()
        act = change(scene)
        other = rival(scene)
        before = games.happened(scene.game_id)
        refused, lost = games.at_once(app, [partial(outcome_of, act), partial(outcome_of, other)])
        came = games.happened(scene.game_id)[len(before) :]
        if change in OF:
            assert (came.count(OF[change]) == 1) == (refused is None), (came, refused)
        if rival in OF_RIVAL and change is not Scene.plans:
            assert came.count(OF_RIVAL[rival]) == (lost is None), (came, lost)
        if change is Scene.deletes:
            assert refused is None
        change_stand_ins()
        games.everything_due_happens()
        games.assert_log_and_projections_agree(scene.game_id)
        versions = [row.version for row in whole_log(scene.game_id) if row.type == "star-placed"]
        assert len(versions) == len(set(versions))
        turns = [(it.kind, it.version, it.seat, it.player_id) for it in games.letters(scene.game_id, "your-turn")]
        assert len(turns) == len(set(turns))


@pytest.mark.parametrize("rival", ["late", "leaves"])
def test_a_late_confirmation_or_one_while_a_player_leaves_starts_the_game_or_fails(
    app: Flask, ada: UUID, bea: UUID, rival: str
) -> None:
    for _ in range(TRIES):
        check = {"start_seat": 0, "ready_check": {"within": "P2D"}}
        game_id = open_game(ada, games.wanted(games.ME, games.OPEN, games.BOT, options=check)).game_id
        take_seat(game_id, bea)
        ready(game_id, ada)
        if rival == "late":
            games.until(max(row.due_at for row in games.seats_of(game_id) if row.due_at))
        other = wake_due if rival == "late" else partial(leave, game_id, ada)
        refused, lost = games.at_once(
            app, [partial(outcome_of, partial(ready, game_id, bea)), partial(outcome_of, other)]
        )
        games.everything_due_happens()
        has_begun = bool(load(game_id).table.turns)
        assert games.happened(game_id).count("game-started") == has_begun
        kinds = [row.kind for row in games.seats_of(game_id)]
        assert kinds.count("open") == (0 if has_begun else 1)
        assert lost is None
        assert (refused is None) or not has_begun
        assert len(games.letters(game_id, "not-ready")) in ((0,) if has_begun or rival == "leaves" else (2,))
        assert check_game(game_id) == []


def trade(code: str) -> str | None:
    app = app_by_code(code)
    made = issue(app, app.scopes, None) if app else None
    db.session.commit()
    return made and made.refresh


def refresh(word: str) -> str | None:
    app = app_by_refresh(word)
    made = issue(app, app.scopes, word) if app else None
    db.session.commit()
    return made and made.refresh


def signed_in(player: Caller) -> str:
    word = trade(code_of_an_app(player))
    assert word is not None
    return word


def assert_nothing_is_left(player: Caller) -> None:
    db.session.rollback()
    assert apps_of(player.player_id) == []
    of_apps = (Token.player_id == player.player_id) & Token.app_id.is_not(None)
    assert db.session.scalars(select(Token).where(of_apps)).all() == []


def test_a_code_or_refresh_token_used_twice_simultaneously_works_once_and_revokes_its_app(app: Flask) -> None:
    for _ in range(TRIES):
        player = caller(player_token("ada@example.org"))
        code = code_of_an_app(player)
        assert games.at_once(app, [partial(trade, code), partial(trade, code)]).count(None) == 1
        assert_nothing_is_left(player)  # another client has it, too
        word = signed_in(player)
        assert games.at_once(app, [partial(refresh, word), partial(refresh, word)]).count(None) == 1
        assert_nothing_is_left(player)


def test_an_app_revoked_while_it_refreshes_its_token_stays_revoked(app: Flask) -> None:
    for _ in range(TRIES):
        player = caller(player_token("ada@example.org"))
        word = signed_in(player)
        (mine,) = apps_of(player.player_id)
        games.at_once(app, [partial(refresh, word), partial(end_app, player.player_id, mine["id"])])
        assert_nothing_is_left(player)
