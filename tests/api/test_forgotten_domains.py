"""A deleted account's personal domain is in no dump and no log."""

import base64
import logging
import quopri
import re
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from flask import Flask

from server.accounts.tokens import caller
from server.clock import clock
from server.operations.change_address import end_changes
from server.play.commits import load
from server.play.mail.mail_in import reply_word
from server.post.incoming import bounces
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.intake import take_in
from server.post.smtp import Refused, Unreachable
from tests.api.test_own_account import asked, dump, ended, pg_dump
from tests.post.incoming.test_bounces import SOFT, complaint
from tests.post.office import Office
from tests.support.api_calls import first_move
from tests.support.apps import authorized_app
from tests.support.contract import Someone, opened
from tests.support.games import BOT, ME, OPEN
from tests.support.stand_ins import day, word_at

DOMAIN, LOCAL = "quixote-mancha.example", "dulcinea.t"
EMAIL = f"{LOCAL}@{DOMAIN}"
TRACES = (DOMAIN, LOCAL, "quixote-mancha")
REPLIES = "stars.example"


def readings(text: str) -> Iterator[str]:
    """The text, and what its longer words say in hexadecimal, Base64 and quoted-printable."""
    yield text
    yield quopri.decodestring(text.encode()).decode("utf-8", "replace")
    text = re.sub(r"\\+(?:[0-7]{3}|[rn])", "", text)  # line breaks as Postgres writes them
    yield text
    for word in re.findall(r"(?:\\x)?([0-9a-f]{16,})", text):
        yield bytes.fromhex(word[: len(word) // 2 * 2]).decode("utf-8", "replace")
    for word in re.findall(r"[A-Za-z0-9+/_-]{16,}", text):
        for start in range(4):
            part = word[start:].replace("-", "+").replace("_", "/")
            yield base64.b64decode(part[: len(part) // 4 * 4]).decode("utf-8", "replace")


def found(text: str) -> set[str]:
    return {trace for read in readings(text) for trace in TRACES if trace in read.lower()}


def test_decoding_finds_encoded_domains() -> None:
    for encoded in (
        EMAIL.encode().hex(),
        base64.b64encode(b"x" + EMAIL.encode()).decode(),
        "quixote-man=\ncha.example",
        EMAIL.upper(),
    ):
        assert found(encoded), encoded


def a_reply(text: str, sender: str = EMAIL, encoding: str = "8bit") -> bytes:
    """A mail with the domain in its Message-ID and in those that it answers."""
    head = (
        f"From: Dulcinea <{sender}>\r\nMessage-ID: <{uuid4()}@mail.{DOMAIN}>\r\nReferences: <a@{DOMAIN}> <b@{DOMAIN}>\r\n"
        f"In-Reply-To: <b@{DOMAIN}>\r\nSubject: Re: stars\r\nContent-Transfer-Encoding: {encoding}\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n\r\n"
    )
    body = text.encode()
    body = {"8bit": bytes, "base64": base64.encodebytes, "quoted-printable": quopri.encodestring}[encoding](body)
    return head.encode() + body.replace(b"\n", b"\r\n")


@pytest.fixture
def life(
    app: Flask, ada: Someone, bea: Someone, game: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> Someone:
    """Ada has her own domain, and has left it wherever she could."""
    monkeypatch.setitem(app.config, "LIMITS", False)
    caplog.set_level(logging.DEBUG)
    dan = Someone(app, "dan")
    with app.app_context():
        office = Office(app, REPLIES)
        office.refusal = Refused(f"550 5.7.1 {DOMAIN} is not welcome here")
        invited = opened(bea, ME, {"email": EMAIL}, OPEN)  # before she has an account of that address
        office.delivers()
        office.refusal = None
    assert ada.patch("/v1/me", asked(app, ada, EMAIL)).status_code == 200
    monkeypatch.setitem(app.config, "LIMITS", True)
    stranger = Someone(app)
    with app.app_context():
        office.mails_to(EMAIL)
    assert stranger.post("/v1/sign-ins", {"email": EMAIL}).status_code in (200, 201, 202)
    ada.post("/v1/webhooks", {"url": f"https://hooks.{DOMAIN}/{LOCAL}", "kinds": ["your-turn", "message"]})
    assert ada.post(f"{invited}/seats").status_code in (200, 201)
    opened(bea, ME, {"email": EMAIL}, OPEN, title=f"Ask {EMAIL}")
    opened(ada, ME, {"email": "friend@example.org"}, OPEN, title=f"Stars of {DOMAIN}")
    left = opened(bea, ME, OPEN, OPEN, BOT)
    assert ada.post(f"{left}/seats", {}, headers={"Idempotency-Key": "k"}).status_code in (200, 201)
    ada.post(f"{game}/messages", {"text": f"Write to me: {EMAIL}, or see {DOMAIN}"})
    bea.post(f"{game}/messages", {"text": f"I wrote to {EMAIL}."})
    bea.post(f"{game}/note", {"text": "x"})
    assert ada.ask("PUT", f"{game}/note", {"text": f"My page is {DOMAIN}.", "muted": False}).status_code == 200
    ada.patch("/v1/me/feed", {})
    ada.post("/v1/me/feed")
    asking = opened(bea, ME, OPEN, BOT)
    dan.post(f"{asking}/seats")
    bea.post(f"{asking}/seats/me/stand-in", {"email": EMAIL, "from": day(0), "until": day(6)})
    with app.app_context():
        authorized_app(caller(ada.token or ""), name="Windmill", uri=f"https://{DOMAIN}/")
    assert ada.post(f"/v1/stand-ins/{word_at(app, asking)}").status_code == 201
    assert ada.get("/v1/me/export").status_code == 200
    with app.app_context():
        game_id = UUID(game.rpartition("/")[2])
        turn = load(game_id).table.turns[0]
        to = reply_word(game_id, 0, turn)
        office.delivers()
        for text, sender, encoding in (
            ("Thank you.", EMAIL, "8bit"),
            (f"say I am at {EMAIL}", EMAIL, "base64"),
            ("Thank you, really.", f"other@{DOMAIN}", "quoted-printable"),
            ("resign", f"other@{DOMAIN}", "base64"),
        ):
            take_in(to, sender, a_reply(text, sender, encoding), limited=True)
        take_in(
            reply_word(game_id, 1, turn),
            f"brother@{DOMAIN}",
            a_reply("Is it my turn?", f"brother@{DOMAIN}"),
            limited=True,
        )
        deal_with_mails()
        office.delivers()
        path = office.mails_to(EMAIL)[-1].sender.partition("@")[0]
        raw = SOFT.replace(b"Connection timed out", f"host mx.{DOMAIN} refused ada".encode())
        take_in(path, "", raw, limited=False)
        bounces.read_returned_mails()
        for sender, encoding in ((EMAIL, "8bit"), (EMAIL, "base64"), (f"other@{DOMAIN}", "quoted-printable")):
            take_in("postmaster", sender, a_reply(f"I am {EMAIL}", sender, encoding), limited=True)
        take_in("postmaster", "bea@example.org", b"From: bea@example.org\r\n\r\nHelp me.\r\n", limited=True)
        office.refusal = Unreachable(f"450 4.7.1 {DOMAIN} must wait, see https://mx.{DOMAIN}/{EMAIL}")
    ada.post(f"{game}/moves", first_move(ada, game))
    opened(bea, ME, {"email": EMAIL}, OPEN, BOT)
    with app.app_context():
        office.delivers()
        office.refusal = None
        clock.forward(timedelta(days=1))
        office.delivers()
        take_in(path, "", complaint(), limited=False)
        bounces.read_returned_mails()
    return ada


def test_a_deleted_accounts_domain_is_not_in_any_dump_or_log(
    app: Flask, shared_url: str, life: Someone, caplog: pytest.LogCaptureFixture
) -> None:
    before = {table for table, row in dump(shared_url) if found(row)}
    assert before >= {"players", "inbox", "deliveries", "postmaster_mails", "webhooks", "rate_limits", "oauth_clients"}
    assert ended(app, life).status_code == 204
    assert "\n".join(f"{table}: {row} {found(row)}" for table, row in dump(shared_url) if found(row)) == ""
    assert found(pg_dump(shared_url)) == set()
    logged = [*caplog.get_records("setup"), *caplog.get_records("call")]
    assert any("is tried again" in record.getMessage() for record in logged)
    assert [record.getMessage() for record in logged if found(str(vars(record)))] == []


def test_a_replaced_address_leaves_no_domain_in_dumps_or_logs(app: Flask, shared_url: str, life: Someone) -> None:
    assert life.patch("/v1/me", asked(app, life, "third@example.net")).status_code == 200
    with app.app_context():
        end_changes()
    assert ended(app, life).status_code == 204
    left = [(table, row) for table, row in dump(shared_url) if found(row)]
    assert [table for table, _ in left] == ["oauth_clients"]  # a program that made itself known, in its own words


def test_deleting_a_player_keeps_the_data_of_other_players_at_the_same_email_domain(
    app: Flask, shared_url: str, life: Someone
) -> None:
    friend = Someone(app, "friend")
    assert friend.patch("/v1/me", asked(app, friend, f"friend@{DOMAIN}")).status_code == 200
    assert ended(app, life).status_code == 204
    assert {table for table, row in dump(shared_url) if DOMAIN in row} >= {"players", "deliveries"}
    assert friend.get("/v1/me").json["email"] == f"friend@{DOMAIN}"
    assert not [row for _, row in dump(shared_url) if EMAIL in row]
