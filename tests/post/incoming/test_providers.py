"""Mail providers that deliver emails and reports by HTTP: how they authenticate, and what counts."""

import json
import re
import tracemalloc
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server.accounts.bounces import HARD
from server.accounts.closing import MAIL_IN, close, open_again
from server.accounts.deliveries import deliveries
from server.accounts.players import profile
from server.api.mail_in import LARGEST_BODY
from server.app import create_app
from server.clock import clock
from server.config import Bound, Settings
from server.play.commits import load
from server.play.mail.mail_in import reply_word
from server.play.mail.postmaster import kept_mails
from server.play.talk.chat import last_message
from server.post.incoming import sns
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.intake import LARGEST
from server.store.database_retry import Unavailable
from server.store.mail_proofs import forget_expired_proofs
from server.store.tables import Incoming, MailProof, db
from tests.post.incoming.replying import a_move
from tests.post.office import Office, a_mail
from tests.support import mail_providers
from tests.support.games import DAY, HOUR, later, letters, person
from tests.support.mail_providers import (
    BASIC,
    BEARER,
    PROVIDERS,
    SECRET,
    Call,
    as_json,
    as_sns,
    mailgun,
    mailgun_event,
    signed_by_mailgun,
    sns_message,
)

pytestmark = pytest.mark.usefixtures("within", "fetched")

UNKNOWN = "550 5.1.1 The email account that you tried to reach does not exist"
POLICY = "550 5.7.1 Message rejected due to local policy"


@pytest.fixture
def address(game_id: UUID) -> str:
    """Ada's for her first turn."""
    return f"{reply_word(game_id, 0, 1)}@stars.example"


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


def calls(client: FlaskClient, call: Call) -> TestResponse:
    return client.post(call.path, data=call.body, headers=call.headers)


def inbox() -> list[Incoming]:
    db.session.rollback()
    return list(db.session.scalars(db.select(Incoming)))


# Mails


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_email_is_stored_once_before_its_provider_gets_an_acknowledgement(
    provider: str, client: FlaskClient, game_id: UUID, address: str
) -> None:
    raw = a_mail("7 leo c")
    for copy in (raw, b"Received: by another of its servers\r\n" + raw):
        assert calls(client, PROVIDERS[provider](address.upper(), "ada@example.org", copy)).status_code == 200
    (mail,) = inbox()
    assert (mail.game_id, mail.seat, mail.turn) == (game_id, 0, 1)
    assert mail.raw.endswith(raw)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_email_delivered_again_hours_later_does_nothing(
    provider: str, client: FlaskClient, game_id: UUID, address: str
) -> None:
    words = f"{a_move(game_id, person('ada'))}\n\nsay Good evening!"
    call = PROVIDERS[provider](address, "ada@example.org", a_mail(words))
    assert calls(client, call).status_code == 200
    deal_with_mails()
    before = load(game_id).table, len(letters(game_id, "answer"))
    assert before[0].turns[0] is None  # she has moved
    later(8 * HOUR)
    assert calls(client, call).status_code == 200
    deal_with_mails()
    db.session.rollback()
    assert (load(game_id).table, len(letters(game_id, "answer"))) == before
    assert last_message(game_id) == 1


def test_an_email_that_arrives_by_every_route_counts_once(client: FlaskClient, address: str) -> None:
    raw = a_mail("7 leo c")
    for brings in PROVIDERS.values():
        calls(client, brings(address, "ada@example.org", raw))
        calls(client, brings(address, "ada@example.org", raw.replace(b"\r\n", b"\n")))
    assert len(inbox()) == 1


@pytest.mark.parametrize("provider", PROVIDERS)
def test_mail_to_an_unknown_address_is_permanently_rejected(provider: str, client: FlaskClient, address: str) -> None:
    forged = address.replace(address[8:12], "aaaa")
    answer = calls(client, PROVIDERS[provider](forged, "ada@example.org", a_mail("7 leo c")))
    assert answer.status_code == (403 if provider == "postmark" else 406)
    assert answer.json["code"] == "not-found"
    assert not inbox()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_email_to_the_postmaster_is_stored_for_the_operators(provider: str, client: FlaskClient) -> None:
    call = PROVIDERS[provider]("postmaster@stars.example", "ada@example.org", a_mail("Do you know?"))
    assert [calls(client, call).status_code for _ in range(2)] == [200, 200]
    db.session.rollback()
    (mail,) = kept_mails(10)
    assert b"Do you know?" in mail["raw"]


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_oversized_email_is_rejected(provider: str, client: FlaskClient, address: str) -> None:
    call = PROVIDERS[provider](address, "ada@example.org", a_mail("x" * 60 + "\n" * LARGEST))
    answer = calls(client, call)
    assert answer.json["code"] == "body-too-large"
    assert answer.status_code == (403 if provider == "postmark" else 406)
    assert calls(client, call._replace(body=b"x" * (LARGEST_BODY + 1))).status_code in (403, 406)
    assert not inbox()


@pytest.mark.parametrize("provider", PROVIDERS)
def test_emails_above_the_limit_are_sent_again_later(
    provider: str, client: FlaskClient, address: str, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(app.config["BOUNDS"], "mails", Bound(1, 3600))
    kept, later = (calls(client, PROVIDERS[provider](address, "ada@example.org", a_mail(text))) for text in "12")
    assert (kept.status_code, later.status_code, later.json["code"]) == (200, 503, "too-many-requests")
    assert 0 < int(later.headers["Retry-After"]) <= 3600


@pytest.mark.parametrize("provider", PROVIDERS)
def test_an_email_rejected_while_inbound_mail_was_closed_is_sent_again(
    provider: str, client: FlaskClient, address: str
) -> None:
    call = PROVIDERS[provider](address, "ada@example.org", a_mail("7 leo c"))
    close(MAIL_IN)
    later = calls(client, call)
    assert (later.status_code, later.json["code"], later.headers["Retry-After"]) == (503, "closed", "600")
    assert not inbox()
    open_again(MAIL_IN)
    assert calls(client, call).status_code == 200
    assert len(inbox()) == 1


# Proofs


@pytest.mark.parametrize("provider", ["postmark", "sendgrid", "ses", "cloudflare", "raw"])
@pytest.mark.parametrize(
    "sent",
    [None, "Bearer wrong", f"Bearer {SECRET}x", "Basic !", "Basic bWFpbDp3cm9uZw==", f"Digest {SECRET}", "Bearer"],
)
def test_a_request_without_the_secret_is_rejected(
    provider: str, sent: str | None, client: FlaskClient, address: str
) -> None:
    call = PROVIDERS[provider](address, "ada@example.org", a_mail("7 leo c"))
    headers = {name: value for name, value in call.headers.items() if name != "Authorization"}
    answer = calls(client, call._replace(headers=headers | ({"Authorization": sent} if sent else {})))
    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"].startswith("Basic ")
    assert not inbox()


@pytest.mark.parametrize("known", [BASIC, BEARER])
def test_the_secret_can_be_a_password_or_a_token(known: dict[str, str], client: FlaskClient, address: str) -> None:
    call = mail_providers.by_program(address, "ada@example.org", a_mail("7 leo c"))
    assert calls(client, call._replace(headers=known)).status_code == 200


def test_mailgun_signatures_are_valid_for_some_hours(client: FlaskClient, address: str) -> None:
    def brought(**signed: str) -> int:
        fields = {"recipient": address, "sender": "", **signed, "body-mime": "From: ada@example.org\r\n\r\n?\r\n"}
        call = mail_providers.as_form("/mail-in/mailgun/mime", {name: it.encode() for name, it in fields.items()})
        return calls(client, call).status_code

    good = mail_providers.signed_by_mailgun()
    assert brought(**mail_providers.signed_by_mailgun(age=timedelta(hours=8))) == 200
    for bad in (
        {},
        mail_providers.signed_by_mailgun(key="another-key-than-ours"),
        mail_providers.signed_by_mailgun(age=timedelta(hours=10)),
        mail_providers.signed_by_mailgun(age=timedelta(hours=-10)),
        good | {"token": "x" * 50},
        good | {"timestamp": str(int(good["timestamp"]) + 1)},
        good | {"signature": ""},
        good | {"signature": "é"},
    ):
        assert brought(**bad) == 401
    for name in good:
        form = mail_providers.as_form(
            "/mail-in/mailgun", {it: word.encode() for it, word in good.items()} | {name: b"\xff"}
        )
        told = as_json("/mail-in/mailgun", {"signature": good | {name: "\ud800"}})
        assert [calls(client, it).status_code for it in (form, told)] == [401, 401]
    assert brought(**good) == 200


def resigned(call: Call, signed: dict[str, str]) -> Call:
    """The same request with another signature of Mailgun's."""
    body = call.body
    for name, value in signed.items():
        before = rb'(name="%b"\r\n\r\n|"%b": ")[^\r"]*' % (name.encode(), name.encode())
        body, replaced = re.subn(before, rb"\g<1>" + value.encode(), body, count=1)
        assert replaced
    return call._replace(body=body)


def test_a_mailgun_signature_is_accepted_for_only_one_email_by_all_web_processes(
    shared_url: str, client: FlaskClient, address: str, letter: Any
) -> None:
    words = [a_mail(text) for text in ("Good evening", "7 leo c")]
    first, other = (mailgun(address, "ada@example.org", raw) for raw in words)
    to_other = mailgun("postmaster@stars.example", "ada@example.org", words[0])
    from_other = mailgun(address, "bea@example.org", words[0])
    event = told_of(letter, UNKNOWN, "5.1.1")["mailgun"]
    passed_over = mailgun_event({"event": "delivered", "recipient": "ada@example.org"})
    every = [first, other, to_other, from_other, event, passed_over]
    settings = {"DATABASE_URL": shared_url, "STERNENPOST_MAIL_IN_SECRET": SECRET}
    other_process = create_app(Settings.from_environment(settings)).test_client()
    for used in (first, event, passed_over):
        signed = signed_by_mailgun()
        assert calls(client, resigned(used, signed)).status_code == 200
        for call in every:
            again = calls(other_process, resigned(call, signed))
            assert again.status_code == (200 if call is used else 401), again.text
    assert len(inbox()) == 1
    assert len(hard_days()) == 1
    assert len(list(db.session.scalars(db.select(MailProof)))) == 3


def test_an_email_that_could_not_be_stored_is_retried_with_its_mailgun_signature(
    client: FlaskClient, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_away(*args: object) -> None:
        raise Unavailable

    call = mailgun(address, "ada@example.org", a_mail("7 leo c"))
    with monkeypatch.context() as patch:
        patch.setattr("server.post.incoming.intake.take_in", is_away)
        assert calls(client, call).status_code == 503
    assert calls(client, call).status_code == 200
    assert len(inbox()) == 1


def test_used_mailgun_signatures_are_stored_until_they_expire(client: FlaskClient, address: str) -> None:
    call = mailgun(address, "ada@example.org", a_mail("7 leo c"))
    calls(client, call)
    forget_expired_proofs(clock.real() + 9 * HOUR - timedelta(minutes=1))
    assert db.session.scalars(db.select(MailProof)).all()
    forget_expired_proofs(clock.real() + 9 * HOUR)
    assert not db.session.scalars(db.select(MailProof)).all()


def test_amazon_signatures_are_verified(client: FlaskClient, address: str, fetched: list[str]) -> None:
    told = json.loads(mail_providers.ses(address, "ada@example.org", a_mail("7 leo c")).body)
    other = rsa.generate_private_key(65537, 2048)
    for changed in (
        {"Message": told["Message"].replace("ada@", "bea@")},
        {"TopicArn": "arn:aws:sns:eu-central-1:1:others"},
        {"Signature": "AAAA"},
        {"Signature": "!"},
        {"SignatureVersion": "1"},
        {"SignatureVersion": "3"},
        {"SignatureVersion": ["1"]},
        {"Type": "Other"},
        {"Type": ["Notification"]},
    ):
        assert calls(client, as_sns(told | changed)).status_code == 401, changed
    assert calls(client, as_sns(sns_message({"Message": told["Message"]}, key=other))).status_code == 401
    assert not inbox()
    assert calls(client, as_sns(sns_message({"Message": told["Message"]}, version="1"))).status_code == 200
    assert set(fetched) == {mail_providers.CERTIFICATE}
    assert len(inbox()) == 1


@pytest.mark.parametrize(
    "url",
    [
        "https://sns.eu-central-1.amazonaws.com.evil.example/SimpleNotificationService-a.pem",
        "https://evil.example/SimpleNotificationService-a.pem",
        "http://sns.eu-central-1.amazonaws.com/SimpleNotificationService-a.pem",
        "https://sns.eu-central-1.amazonaws.com:8443/SimpleNotificationService-a.pem",
        "https://x@sns.eu-central-1.amazonaws.com/SimpleNotificationService-a.pem",
        "https://127.0.0.1/SimpleNotificationService-a.pem",
        "https://sns.eu-central-1.amazonaws.com/other/SimpleNotificationService-a.pem",
        "https://[",
        "",
        None,
        7,
    ],
)
def test_certificates_are_fetched_only_from_amazon(url: Any, client: FlaskClient, fetched: list[str]) -> None:
    message = sns_message({"Message": "{}"}) | {"SigningCertURL": url}
    assert calls(client, as_sns(message)).status_code == 401
    assert fetched == []


def asks_to_subscribe(url: str) -> dict[str, Any]:
    return sns_message({"Type": "SubscriptionConfirmation", "Token": "to ken&", "SubscribeURL": url})


def test_subscriptions_are_confirmed_only_at_amazon(client: FlaskClient, fetched: list[str]) -> None:
    host = "https://sns.eu-central-1.amazonaws.com/"
    assert calls(client, as_sns(asks_to_subscribe(f"{host}?Action=Unsubscribe"))).status_code == 200
    topic = "arn%3Aaws%3Asns%3Aeu-central-1%3A123456789012%3Areplies"
    assert fetched[1:] == [f"{host}?Action=ConfirmSubscription&TopicArn={topic}&Token=to+ken%26"]
    for elsewhere in ("http://127.0.0.1:8000/", "https://evil.example/", "https://169.254.169.254/latest"):
        assert calls(client, as_sns(asks_to_subscribe(elsewhere))).status_code == 401
    assert len(fetched) == 2


def test_emails_are_retried_while_amazon_is_unreachable(
    client: FlaskClient, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_away(host: str, path: str) -> bytes:
        raise sns.Unreachable("away")

    with monkeypatch.context() as patch:
        patch.setattr(sns, "fetch", is_away)
        call = mail_providers.ses(address, "ada@example.org", a_mail("7 leo c"))
        assert calls(client, call).status_code == 503
    assert calls(client, call).status_code == 200


def test_without_a_secret_every_request_is_rejected(database_url: str) -> None:
    client = create_app(Settings.from_environment({"DATABASE_URL": database_url})).test_client()
    assert client.post("/mail-in/raw?to=a@b", headers=BEARER, data=b"x").status_code == 404


def test_an_unknown_provider_is_rejected(client: FlaskClient) -> None:
    assert client.post("/mail-in/pigeon", headers=BEARER, data=b"x").status_code == 404


@pytest.mark.parametrize(
    "call",
    [
        as_json("/mail-in/postmark", {"OriginalRecipient": "a@b", "TextBody": "7 leo c"}, BASIC),
        as_json("/mail-in/postmark", [], BASIC),
        Call("/mail-in/postmark", b"{", BASIC),
        Call("/mail-in/postmark", b"[" * 100_000, BASIC),
        mail_providers.as_form("/mail-in/sendgrid", {"text": b"7 leo c"}, BASIC),
        mail_providers.as_form("/mail-in/sendgrid", {"email": b"7 leo c", "envelope": b"x"}, BASIC),
        Call("/mail-in/sendgrid", b"x", BASIC | {"Content-Type": "multipart/form-data"}),
        Call("/mail-in/sendgrid", b"x", BASIC | {"Content-Type": "multipart/form-data; boundary=a"}),
        Call("/mail-in/sendgrid", b"x", BASIC),
        Call("/mail-in/raw", b"x", BEARER),
        Call("/mail-in/raw?to=a@b", b"", BEARER),
        as_sns(sns_message({"Message": json.dumps({"notificationType": "Received"})})),
        as_sns(sns_message({"Message": "x"})),
        as_sns(sns_message({"Message": json.dumps({"notificationType": "Received", "receipt": [], "content": 7})})),
        mail_providers.as_form(
            "/mail-in/mailgun", {name: it.encode() for name, it in mail_providers.signed_by_mailgun().items()}
        ),
    ],
    ids=lambda call: call.body[:40].decode("latin-1"),
)
def test_a_request_without_an_email_is_rejected_with_an_explanation(call: Call, client: FlaskClient) -> None:
    answer = calls(client, call)
    assert answer.status_code in (403, 406)
    assert len(answer.json["detail"]) > 10
    assert not inbox()


@pytest.mark.parametrize(
    "call",
    [
        Call("/mail-in/mailgun", b"aa&" * 1_000_000, {"Content-Type": "application/x-www-form-urlencoded"}),
        mail_providers.as_form("/mail-in/mailgun", {f"{nr}": b"" for nr in range(10_000)}),
    ],
    ids=["urlencoded", "multipart"],
)
def test_a_form_with_too_many_fields_is_rejected_without_being_parsed(call: Call, client: FlaskClient) -> None:
    calls(client, call)  # what is loaded for the first request
    tracemalloc.start()
    try:
        answer, (_, most) = calls(client, call), tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert answer.status_code == 406
    assert "too many fields" in answer.json["detail"]
    assert most < 10 * len(call.body)


def test_an_unusable_sender_does_not_block_an_email(client: FlaskClient, address: str) -> None:
    assert calls(client, mail_providers.sendgrid(address, "\ud800@example.org", a_mail("7 leo c"))).status_code == 200
    assert len(inbox()) == 1


# Bounces and complaints


@pytest.fixture
def letter(app: Flask, game_id: UUID) -> Any:
    (letter,) = Office(app, "stars.example").mails("ada")
    return letter


def told_of(letter: Any, why: str, status: str) -> dict[str, Call]:
    message_id = str(letter.message["Message-ID"]).strip("<>")
    return mail_providers.bounces("Ada@example.org", letter.sender, message_id, why, status)


@pytest.mark.parametrize("provider", ["postmark", "mailgun", "sendgrid", "ses"])
def test_a_bounce_counts_once_as_if_it_came_by_mail(provider: str, client: FlaskClient, letter: Any) -> None:
    for _ in range(3):
        assert calls(client, told_of(letter, UNKNOWN, "5.1.1")[provider]).status_code == 200
    newest = deliveries(person("ada"), None, 10)[0][0]
    assert (newest["result"], UNKNOWN in newest["detail"]) == ("bounced", True)
    assert hard_days() == [True]


@pytest.mark.parametrize("provider", ["postmark", "mailgun", "sendgrid", "ses"])
def test_a_policy_rejection_does_not_count_against_the_address(provider: str, client: FlaskClient, letter: Any) -> None:
    calls(client, told_of(letter, POLICY, "5.7.1")[provider])
    assert hard_days() == [False]


def hard_days() -> list[bool]:
    from server.store.tables import Bounce

    db.session.rollback()
    return list(db.session.scalars(db.select(Bounce.is_hard)))


@pytest.mark.parametrize("provider", ["postmark", "mailgun", "sendgrid", "ses"])
def test_a_complaint_stops_all_emails_immediately(provider: str, client: FlaskClient, letter: Any) -> None:
    message_id = str(letter.message["Message-ID"]).strip("<>")
    for _ in range(2):
        call = mail_providers.complaints("ada@example.org", letter.sender, message_id)[provider]
        assert calls(client, call).status_code == 200
    db.session.rollback()
    assert profile(person("ada"))["unreachable"] is not None
    assert hard_days() == [True]


def test_a_bounce_event_from_a_provider_counts_even_if_it_does_not_identify_an_email(
    client: FlaskClient, letter: Any
) -> None:
    for day in range(HARD):
        told = {"RecordType": "Bounce", "ID": day, "Type": "HardBounce", "Email": "ada@example.org", "Details": UNKNOWN}
        for _ in range(2):
            assert calls(client, as_json("/mail-in/postmark", told, BASIC)).status_code == 200
        assert profile(person("ada"))["unreachable"] is None or day == HARD - 1
        later(DAY)
    assert profile(person("ada"))["unreachable"] is not None


@pytest.mark.parametrize(
    "call",
    [
        as_json("/mail-in/postmark", {"RecordType": "Bounce", "Type": "Transient", "Email": "ada@example.org"}, BASIC),
        as_json("/mail-in/postmark", {"RecordType": "Open", "Email": "ada@example.org"}, BASIC),
        mail_providers.mailgun_event({"event": "failed", "severity": "temporary", "recipient": "ada@example.org"}),
        mail_providers.mailgun_event({"event": "delivered", "recipient": "ada@example.org"}),
        as_json("/mail-in/sendgrid", [{"event": "deferred", "email": "ada@example.org"}, 7], BASIC),
        as_json("/mail-in/sendgrid", {}, BASIC),
        as_json(
            "/mail-in/postmark", {"RecordType": "Bounce", "Type": ["HardBounce"], "Email": "ada@example.org"}, BASIC
        ),
        as_json("/mail-in/postmark", {"RecordType": "SpamComplaint", "Email": "a\0b\ud800@example.org"}, BASIC),
        mail_providers.by_sns({"notificationType": "Delivery", "mail": {}}),
        as_json(
            "/mail-in/sendgrid",
            [
                {
                    "event": "bounce",
                    "type": "bounce",
                    "email": "nobody@example.org",
                    "reason": UNKNOWN,
                    "status": "5.1.1",
                }
            ],
            BASIC,
        ),
    ],
    ids=lambda call: call.path.rpartition("/")[2],  # alike in all processes, unlike the time within
)
def test_irrelevant_and_malformed_events_from_mail_providers_are_ignored(
    call: Call, client: FlaskClient, letter: Any
) -> None:
    assert calls(client, call).status_code == 200
    assert hard_days() == []


def test_an_event_not_signed_by_mailgun_is_rejected(client: FlaskClient, letter: Any) -> None:
    told = json.loads(mail_providers.mailgun_event({"event": "complained", "recipient": "ada@example.org"}).body)
    for changed in (told | {"signature": {}}, told | {"signature": told["signature"] | {"token": "x"}}, {}):
        assert calls(client, as_json("/mail-in/mailgun", changed)).status_code == 401
    assert hard_days() == []
