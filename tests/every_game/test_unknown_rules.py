"""A process that lacks a stored game's rules rejects that game alone."""

from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import change_profile
from server.api import games
from server.games import GAMES, presentation
from server.play.seating import track_record
from server.play.seating.hosting import close_due
from server.play.seating.stand_ins import change_stand_ins
from server.play.timing.outages import follow_outages
from server.play.timing.sweep import wake_due
from server.post.incoming import answering
from server.post.incoming.answering import LEASE, deal_with_mails
from server.store import inbox
from server.store.tables import Delivery, PlayerGame, db
from tests.post.incoming.replying import DOMAIN
from tests.post.office import Office, a_mail, arrives
from tests.support.api_calls import calls_need_no_rules
from tests.support.commands import ask
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, DAY, ME, later, person, service_is_up
from tests.support.live_server import AT_ONCE

LACKED = "sternenglanz"


@pytest.fixture
def unknown_game(app: Flask, ada: Someone, bea: Someone, no_limits: None) -> str:
    """Return the path of a running game whose rules `lose` removes. It is Ada's turn."""
    with app.app_context():
        service_is_up()
    return opened(ada, ME, BOT, rules=LACKED, options={"start_seat": 0})


def lose(monkeypatch: pytest.MonkeyPatch) -> None:
    # An item that is deleted and restored would come last, for all tests that follow.
    monkeypatch.setattr(GAMES, "_games", {name: it for name, it in GAMES._games.items() if name != LACKED})
    for known in (presentation.sentences, presentation.refusals, games._all_described):
        monkeypatch.setattr(
            known.__module__ + "." + known.__name__, known.__wrapped__
        )  # a cache would outlive the test


def test_calls_for_a_game_with_unknown_rules_are_rejected_or_need_no_rules(
    unknown_game: str, ada: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    lose(monkeypatch)
    is_problem(ada.get(unknown_game), 503, "unavailable")
    calls_need_no_rules(ada, unknown_game)


def test_lists_include_games_with_unknown_rules(
    unknown_game: str, ada: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = opened(ada, ME, BOT, BOT)
    lose(monkeypatch)
    listed = {it["id"]: it for it in ada.get("/v1/games?mine=true").json["items"]}
    assert listed.keys() >= {unknown_game[-36:], other[-36:]}
    assert listed[unknown_game[-36:]]["status"] == "running" and listed[unknown_game[-36:]]["latest"] is None
    for path in ("/v1/games", "/v1/games?my_turn=true", "/v1/archives", "/v1/stream", "/v1/me/export", "/v1/rules"):
        assert ada.get(path).status_code == 200, path
    assert other[-36:] in ada.get("/v1/me/export").text
    assert ada.get(other).status_code == 200


def test_jobs_emails_and_checks_continue_for_other_games(
    app: Flask, unknown_game: str, ada: Someone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    over = opened(ada, ME, BOT, rules=LACKED)
    other = opened(ada, ME, BOT, BOT)
    for path in (over, other):
        assert ada.post(f"{path}/votes", {"on": "abandon"}).status_code == 200
    running = UUID(opened(ada, ME, BOT, BOT)[-36:])
    office = Office(app, DOMAIN)
    lose(monkeypatch)
    with app.app_context():
        monkeypatch.setattr(track_record, "_AT_ONCE", 10)
        jobs = [track_record.read_records, follow_outages, close_due, change_stand_ins, deal_with_mails]
        for job in jobs:
            job()
        read = db.select(PlayerGame.record.is_not(None)).where(PlayerGame.game_id == UUID(other[-36:]))
        assert db.session.scalars(read).all() == [True]
        kinds = db.select(Delivery.game_id).where(Delivery.result == "sent")
        later(3 * DAY)
        for _ in range(10):
            wake_due()
        office.mails("ada")
        told = set(db.session.scalars(kinds))
        assert running in told and UUID(unknown_game[-36:]) not in told
    checked = ask("check", DATABASE_URL=app.config["SQLALCHEMY_DATABASE_URI"])
    assert f"{unknown_game[-36:]}: This release has no rules for {LACKED}." in checked.output, checked.output
    assert "Traceback" not in checked.output and not isinstance(checked.exception, KeyError)


def test_an_email_for_a_game_with_unknown_rules_waits_while_other_emails_are_processed(
    app: Flask, unknown_game: str, ada: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = Office(app, DOMAIN)
    with app.app_context():
        change_profile(person("ada"), {"notifications": AT_ONCE})
        (letter,) = office.mails("ada")
        arrives(letter.reply_to, a_mail("?"))
    opened(ada, ME, BOT, BOT)
    with app.app_context():
        arrives(office.mails("ada")[-1].reply_to, a_mail("?"))
        with monkeypatch.context() as without:
            lose(without)
            for _ in range(3 * answering._MOST_TRIES):
                deal_with_mails()
                later(LEASE)
            assert inbox.number_aside() == 0
        assert len(office.mails("ada")) == 3
        deal_with_mails()
        assert len(office.mails("ada")) == 4
