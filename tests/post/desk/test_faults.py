"""Emails to the post desk that can't be processed now, or at all."""

from collections.abc import Callable
from typing import NoReturn

import psycopg
import pytest
from sqlalchemy import func, select

from server.accounts.players import player_at
from server.play.mail.postmaster import kept_mails
from server.post.desk import acting, counter
from server.store.database_retry import Unavailable
from server.store.tables import SeatRow, db
from tests.post.desk.test_proof import ann_joins, games_of_all
from tests.post.desk.writing import DESK, Correspondent, settle
from tests.support.games import MINUTE, later

NEW_AND_SHOW = "new sternenglanz 2 title=Second\nshow 1"


def lacks_rules(*_: object) -> NoReturn:
    raise Unavailable("This release has no rules for sternenhimmel.")


def fails(*_: object) -> NoReturn:
    raise RuntimeError("It broke.")


def finds_a_full_disk(*_: object) -> NoReturn:
    raise Unavailable from psycopg.errors.DiskFull()


def test_an_email_about_a_game_that_this_process_lacks_is_left_to_another(
    ann: Correspondent, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann_joins(ann)
    ann.asks("play sternenhimmel title=First")
    with monkeypatch.context() as patch:
        patch.setattr(acting, "load_visible", lacks_rules)
        assert ann.answers(ann.newest_answer.reply_to, NEW_AND_SHOW) == []
        for _ in range(2):
            later(MINUTE)
            settle()
    later(MINUTE)
    settle()
    assert "2 “Second”" in ann.newest_answer.text
    assert "You wrote: show 1\n\nGame 1 “First”" in ann.newest_answer.text
    assert games_of_all() == 2
    assert not kept_mails(10)


def test_a_game_that_stays_unavailable_is_reported_beside_the_other_results(
    ann: Correspondent, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann_joins(ann)
    ann.asks("play sternenhimmel title=First")
    monkeypatch.setattr(acting, "load_visible", lacks_rules)
    assert ann.answers(ann.newest_answer.reply_to, NEW_AND_SHOW) == []
    for _ in range(4):
        later(MINUTE)
        settle()
    assert "2 “Second”" in ann.newest_answer.text
    assert "This game is unavailable at the moment." in ann.newest_answer.text
    assert games_of_all() == 2
    assert len(ann.answers(ann.newest_answer.reply_to, "settings")) == 1


def test_the_proved_sender_of_a_faulty_email_is_notified(ann: Correspondent, monkeypatch: pytest.MonkeyPatch) -> None:
    ann_joins(ann)
    to = ann.newest.reply_to
    with monkeypatch.context() as patch:
        patch.setattr(counter, "carry_out", fails)
        assert ann.answers(to, "settings", "Hello") == []
        later(MINUTE)
        settle()
        assert "Something went wrong on our side." in ann.newest.text
        assert ann.newest.subject == "Re: Hello"
        assert len(kept_mails(10)) == 1
        before = len(ann.mails())
        ann.answers(DESK, "games")  # from anybody
        later(MINUTE)
        settle()
        assert len(ann.mails()) == before
    assert "name: Ann" in ann.answers(to, "settings")[0].text


def test_a_full_disk_causes_no_reply(ann: Correspondent, monkeypatch: pytest.MonkeyPatch) -> None:
    ann_joins(ann)
    to = ann.newest.reply_to
    ann.hands_over(to, ann.written(to, "settings"))
    with monkeypatch.context() as patch:
        patch.setattr(counter, "carry_out", finds_a_full_disk)
        for _ in range(8):
            with pytest.raises(Unavailable):
                settle()
            later(MINUTE)
    settle()
    assert "name: Ann" in ann.newest.text
    assert not kept_mails(10)


def test_an_email_repeated_after_an_outage_joins_only_one_game(
    ann: Correspondent, mailbox: Callable[[str], Correspondent], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = mailbox("ben@example.org")
    ann_joins(host)
    host.asks("new sternenhimmel 3\nnew sternenhimmel 3")
    ann_joins(ann)
    games = games_of_all()
    with monkeypatch.context() as patch:
        patch.setattr(counter, "_finish", finds_a_full_disk)
        with pytest.raises(Unavailable):
            ann.answers(ann.newest.reply_to, "join any")
    later(MINUTE)
    settle()
    ann_id = player_at(ann.email)
    assert games_of_all() == games
    assert db.session.scalar(select(func.count()).select_from(SeatRow).where(SeatRow.player_id == ann_id)) == 1
