"""All channels agree whether a notice is still relevant."""

from uuid import UUID

import pytest

from server.accounts import notice_kinds
from server.accounts.notice_kinds import NoticeKind
from server.clock import clock
from server.games import Json
from server.play.commits import load
from server.play.notices import Notice, still_matters
from server.play.votes import take_back, vote
from tests.support.games import all_agree, everything_due_happens, game_of, letters, moves_on, person, turn_of

pytestmark = pytest.mark.usefixtures("within")
ABOUT_A_TURN = [kind for kind in notice_kinds.NOTICE_KINDS.values() if kind.is_about_turn]


def matters(game_id: UUID, reader: UUID, kind: NoticeKind, data: Json) -> bool:
    return still_matters(load(game_id), 0, Notice(kind, reader, data), clock.now())


@pytest.mark.parametrize("kind", ABOUT_A_TURN, ids=lambda kind: kind.name)
def test_a_turn_notice_is_relevant_until_the_move(kind: NoticeKind, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    about = {"turn": turn_of(game_id, ada)}
    assert matters(game_id, ada, kind, about)
    assert not matters(game_id, bea, kind, about)
    all_agree(game_id, "pause", ada, bea)
    assert not matters(game_id, ada, kind, about)
    all_agree(game_id, "resume", ada, bea)
    assert matters(game_id, ada, kind, about)
    moves_on(game_id, ada)
    assert not matters(game_id, ada, kind, about)


def test_a_take_back_notice_is_relevant_until_the_player_agrees(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    for who in (ada, bea):
        moves_on(game_id, who)
    everything_due_happens()
    take_back(game_id, bea, load(game_id).version - 2)
    [asked] = letters(game_id, "take-back-asked")
    kind = notice_kinds.TAKE_BACK_ASKED
    assert matters(game_id, ada, kind, asked.data)
    assert not matters(game_id, ada, kind, asked.data | {"ends_at": "2026-01-01T00:00:00Z"})
    vote(game_id, ada, "take-back", True)
    assert not matters(game_id, ada, kind, asked.data)


@pytest.mark.parametrize("wish", ["pause", "abandon"])
def test_a_vote_notice_is_sent_once_and_is_relevant_until_the_player_or_all_have_decided(
    wish: str, ada: UUID, bea: UUID
) -> None:
    cleo = person("cleo")
    game_id = game_of(ada, bea, cleo, bots=1)
    vote(game_id, bea, wish, True)
    asked = letters(game_id, "vote-asked")
    assert sorted(it.seat for it in asked) == [0, 2]
    assert {(it.data["by"], it.data["on"]) for it in asked} == {(1, wish)}
    kind, data = notice_kinds.VOTE_ASKED, asked[0].data
    assert matters(game_id, ada, kind, data)
    vote(game_id, bea, wish, False)
    assert not matters(game_id, ada, kind, data)
    vote(game_id, bea, wish, True)
    vote(game_id, ada, wish, True)
    assert not matters(game_id, ada, kind, data)
    assert len(letters(game_id, "vote-asked")) == 2
    vote(game_id, cleo, wish, True)
    assert not still_matters(load(game_id), 2, Notice(kind, cleo, data), clock.now())
    assert len(letters(game_id, "vote-asked")) == 2


def test_a_refusal_is_relevant_while_it_stands_and_ends_the_question_to_its_player(ada: UUID, bea: UUID) -> None:
    cleo = person("cleo")
    game_id = game_of(ada, bea, cleo, bots=1)
    vote(game_id, ada, "pause", True)
    (asked, _) = letters(game_id, "vote-asked")

    def is_asked() -> bool:
        return still_matters(load(game_id), 1, Notice(notice_kinds.VOTE_ASKED, bea, asked.data), clock.now())

    assert is_asked()
    vote(game_id, bea, "pause", False)
    assert not is_asked()
    [refused] = letters(game_id, "vote-refused")
    kind, data = notice_kinds.VOTE_REFUSED, refused.data
    assert (data["by"], data["on"]) == (1, "pause")
    assert matters(game_id, ada, kind, data)
    vote(game_id, bea, "pause", True)
    assert not matters(game_id, ada, kind, data)
    vote(game_id, bea, "pause", False)
    vote(game_id, bea, "pause", False)
    assert matters(game_id, ada, kind, data)
    assert len(letters(game_id, "vote-refused")) == 1
    vote(game_id, ada, "pause", False)
    assert not matters(game_id, ada, kind, data)


def test_players_are_not_asked_to_vote_if_the_vote_passes_immediately(ada: UUID) -> None:
    game_id = game_of(ada, bots=2)
    vote(game_id, ada, "pause", True)
    assert load(game_id).table.status == "paused"
    assert letters(game_id, "vote-asked") == []


def test_a_notice_is_relevant_only_to_the_seated_player_unless_its_kind_allows_others(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    assert matters(game_id, ada, notice_kinds.ANSWER, {})
    assert not matters(game_id, bea, notice_kinds.ANSWER, {})
    assert matters(game_id, bea, notice_kinds.SENT_AWAY, {})
