"""What operators can close temporarily: sign-ups, guest play and app registrations."""

import re
from datetime import datetime
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import player_at
from server.clock import clock
from server.post.incoming.answering import deal_with_mails
from server.store.tables import Audit, OAuthClient, Player, PlayerLetterRow, db
from tests.api.test_invitations import NEW, invite, mailed
from tests.api.test_oauth import BACK
from tests.post.office import Office, a_mail, arrives
from tests.support.commands import ask, run
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN
from tests.support.stand_ins import day, word_of

pytestmark = pytest.mark.usefixtures("commands")


def sign_in(who: Someone, email: str) -> str:
    return str(who.post("/v1/sign-ins", {"email": email}).json["sign_in"])


def code_of(sign_in: str) -> str | None:
    """The code that was mailed for this sign-in."""
    db.session.rollback()
    query = db.select(PlayerLetterRow.data["code"].astext).where(PlayerLetterRow.player_id == UUID(sign_in))
    return db.session.scalars(query).one_or_none()


def players() -> int:
    db.session.rollback()
    return db.session.scalar(db.select(db.func.count()).select_from(Player)) or 0


def test_the_service_reports_what_is_closed(stranger: Someone) -> None:
    assert stranger.get("/v1").json["closed"] == []
    run("close", "sign-ups", "guests")
    assert stranger.get("/v1").json["closed"] == ["guests", "sign-ups"]
    run("close", "sign-ups", "mail-in")
    run("open", "sign-ups", "apps")
    assert stranger.get("/v1").json["closed"] == ["guests", "mail-in"]


def test_a_dry_run_neither_closes_nor_opens_anything(stranger: Someone) -> None:
    assert "guests: closed" in run("close", "guests", "--dry-run")
    assert stranger.get("/v1").json["closed"] == []
    run("close", "guests")
    assert "guests: open" in run("open", "guests", "--dry-run")
    assert stranger.get("/v1").json["closed"] == ["guests"]


@pytest.mark.parametrize("words", [("close",), ("close", "everything"), ("open", "sign-ups", "doors")])
def test_an_unknown_part_of_the_service_cannot_be_closed(words: tuple[str, ...], stranger: Someone) -> None:
    run("close", "sign-ups")
    run(*words, status=2)
    assert stranger.get("/v1").json["closed"] == ["sign-ups"]


def test_the_doctor_reports_what_is_closed_and_since_when() -> None:
    assert "\nclosed: " not in ask("doctor").stdout
    before = clock.now().replace(microsecond=0)
    run("close", "apps")
    run("close", "apps")
    said = ask("doctor").stdout
    found = re.search(r"^closed: by `sternenpost close`: apps since (\S+)$", said, re.MULTILINE)
    assert found
    assert before <= datetime.fromisoformat(found[1]) <= clock.now()


def test_the_audit_log_records_who_closes_and_opens() -> None:
    run("close", "guests", "apps")
    run("open", "apps")
    newest = db.session.scalars(db.select(Audit).order_by(Audit.at.desc()).limit(2))
    assert [(it.command, it.arguments) for it in newest] == [
        ("open", {"what": "apps"}),
        ("close", {"what": "guests apps"}),
    ]


# Sign-ups


def test_new_addresses_get_no_code_while_sign_ups_are_closed(ada: Someone, stranger: Someone) -> None:
    run("close", "sign-ups")
    assert code_of(sign_in(stranger, NEW)) is None
    known = sign_in(stranger, "ada@example.org")
    assert stranger.post("/v1/tokens", {"sign_in": known, "code": code_of(known)}).status_code == 201
    run("open", "sign-ups")
    assert code_of(sign_in(stranger, NEW))


def test_a_code_requested_earlier_creates_no_account_until_sign_ups_reopen(stranger: Someone) -> None:
    asked = sign_in(stranger, NEW)
    by_code = {"sign_in": asked, "code": code_of(asked)}
    run("close", "sign-ups")
    refused = stranger.post("/v1/tokens", by_code)
    assert is_problem(refused, 403, "closed")
    assert "accepting new players" in refused.json["detail"]
    plain = stranger.post(f"/sign-in/{asked}", data={"code": by_code["code"]}, headers={"Accept-Language": "de"})
    assert (plain.status_code, "keine neuen Spieler" in plain.text) == (403, True)
    assert player_at(NEW) is None
    run("open", "sign-ups")
    assert stranger.post("/v1/tokens", by_code).status_code == 201


def test_a_guest_cannot_become_a_player_while_sign_ups_are_closed(app: Flask, stranger: Someone) -> None:
    guest = Someone(app, token=stranger.post("/v1/guests").json["token"])
    asked = sign_in(guest, NEW)
    by_code = {"sign_in": asked, "code": code_of(asked)}
    run("close", "sign-ups")
    assert is_problem(guest.post("/v1/tokens", by_code), 403, "closed")
    assert guest.get("/v1/me").json["guest"] is True


def test_an_invitation_creates_no_account_while_sign_ups_are_closed(
    app: Flask, ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    for email in (NEW, "bea@example.org"):
        invite(ada, path, email)
    (new,), (known,) = mailed(app, NEW), mailed(app, "bea@example.org")
    run("close", "sign-ups")
    refused = stranger.post(f"/i/{new}", data={"name": "Erika"})
    assert (refused.status_code, "accepting new players" in refused.text) == (403, True)
    assert stranger.post(f"/i/{known}").status_code == 200
    assert [it["kind"] for it in ada.get(path).json["seats"]] == ["human", "invited", "human"]
    run("open", "sign-ups")
    assert stranger.post(f"/i/{new}", data={"name": "Erika"}).status_code == 200


def test_a_yes_by_email_gets_a_reply_while_sign_ups_are_closed(app: Flask, ada: Someone) -> None:
    office = Office(app, "stars.example")
    invite(ada, opened(ada, ME, OPEN, BOT), NEW)
    invitation = office.mails("new")[-1]
    run("close", "sign-ups")
    arrives(invitation.reply_to, a_mail("yes", sender=NEW))
    deal_with_mails()
    assert "new players" in office.mails("new")[-1].text
    assert player_at(NEW) is None


def test_a_person_without_an_account_cannot_stand_in_while_sign_ups_are_closed(
    ada: Someone, bea: Someone, stranger: Someone
) -> None:
    path = opened(ada, ME, OPEN, BOT)
    bea.post(f"{path}/seats")
    asked = ada.post(f"{path}/seats/me/stand-in", {"email": NEW, "from": day(0), "until": day(6)})
    assert asked.status_code == 201, asked.text
    word = word_of(UUID(path[-36:]))
    run("close", "sign-ups")
    assert stranger.post(f"/s/{word}", data={"name": "Erika"}).status_code == 403
    assert player_at(NEW) is None
    run("open", "sign-ups")
    assert stranger.post(f"/s/{word}", data={"name": "Erika"}).status_code == 200


def test_operators_can_create_accounts_while_sign_ups_are_closed() -> None:
    run("close", "sign-ups")
    assert run("player-token", NEW)
    assert player_at(NEW) is not None


# Guests and apps


def test_guests_cannot_join_while_guest_play_is_closed(app: Flask, stranger: Someone) -> None:
    guest = Someone(app, token=stranger.post("/v1/guests").json["token"])
    run("close", "guests")
    before = players()
    refused = stranger.post("/v1/guests", headers={"Accept-Language": "fr"})
    assert is_problem(refused, 403, "closed")
    assert "sans compte" in refused.json["detail"]
    assert players() == before
    assert guest.get("/v1/me").status_code == 200
    run("open", "guests")
    assert stranger.post("/v1/guests").status_code == 201


def test_apps_cannot_register_while_registration_is_closed(stranger: Someone) -> None:
    metadata = {"client_name": "Night Watch", "redirect_uris": [BACK]}
    run("close", "apps")
    assert is_problem(stranger.post("/oauth/register", metadata), 403, "closed")
    assert db.session.scalar(db.select(db.func.count()).select_from(OAuthClient)) == 0
    run("open", "apps")
    assert stranger.post("/oauth/register", metadata).status_code == 201
