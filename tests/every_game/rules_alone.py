"""Tests of a third game, run by `test_rules_alone.py` in a process that installs it."""

import pytest
from flask import Flask

from server.play.seating.hosting import close_due
from server.play.seating.stand_ins import change_stand_ins
from server.play.seating.track_record import read_records
from server.play.timing.outages import follow_outages
from server.post.incoming.answering import deal_with_mails
from tests.post.incoming.replying import DOMAIN
from tests.post.office import Office, a_mail, arrives
from tests.support.api_calls import CALLS, LOOKS, NOBODYS_ID, first_move
from tests.support.commands import ask
from tests.support.contract import Contract, Someone, opened
from tests.support.games import BOT, DAY, ME, run_for, service_is_up
from tests.support.third_game import NAME


@pytest.fixture(autouse=True)
def twins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the schema check: `oneOf` rejects a move that fits both games."""
    monkeypatch.setattr(Contract, "check", lambda self, response: None)


def test_every_call_works_for_the_third_game(app: Flask, ada: Someone, stranger: Someone, no_limits: None) -> None:
    with app.app_context():
        service_is_up()
    for path in ("", "/exhibition", "/exhibition.svg"):
        answer = stranger.get(f"/v1/rules/{NAME}{path}")
        assert answer.status_code == 200, answer.text
    game = opened(ada, ME, BOT, BOT, rules=NAME)
    assert ada.post(f"{game}/moves", first_move(ada, game)).status_code == 201
    for look in ("", *(f"/{it}" for it in LOOKS if it != "archive")):
        assert ada.get(f"{game}{look}").status_code == 200, look
    for method, path, body, _ in CALLS:
        if "/games/" in path:
            answer = ada.ask(method, path.replace(NOBODYS_ID, game[-36:]), body)
            assert answer.status_code < 500, (method, path, answer.text)
    for path in ("/v1/games?mine=true", f"/v1/games?rules={NAME}", "/v1/me/export", "/v1/stream", "/docs/fairness"):
        assert ada.get(path).status_code == 200, path


def test_emails_jobs_and_checks_work_for_the_third_game(app: Flask, ada: Someone) -> None:
    office = Office(app, DOMAIN)
    with app.app_context():
        service_is_up()
    game = opened(ada, ME, BOT, BOT, rules=NAME)
    with app.app_context():
        (mail,) = office.mails("ada")
        assert any(part.get_content_type() == "image/png" for part in mail.message.walk())
        arrives(mail.reply_to, a_mail("?"))
        arrives(mail.reply_to, a_mail("no such move"))
        deal_with_mails()
        *_, of_moves, of_help = office.mails("ada")
        assert "Your possible moves" in of_moves.text
        assert "  help (" in of_help.text
        assert "  hint (" not in of_help.text  # since the game has no judge
        for _ in range(8):
            run_for(3 * DAY)
    assert ada.get(f"{game}").json["status"] in ("running", "finished", "abandoned")
    ada.post(f"{game}/votes", {"on": "abandon"})
    with app.app_context():
        for job in (read_records, follow_outages, close_due, change_stand_ins):
            job()
        office.mails("ada")
    assert ada.get(f"{game}/archive").status_code == 200
    for command in (["check"], ["rebuild"], ["replay", game[-36:]], ["games", "show", game[-36:]]):
        done = ask(*command, DATABASE_URL=app.config["SQLALCHEMY_DATABASE_URI"])
        assert done.exit_code == 0, done.output
