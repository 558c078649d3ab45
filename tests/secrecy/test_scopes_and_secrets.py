"""Responses contain link tokens and secrets only where a scope allows it, and exports contain none."""

import base64
import quopri
import re
from email.message import EmailMessage
from uuid import UUID

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.accounts.redaction import REMOVED, without_tokens
from server.accounts.signed_links import TURN, sign
from server.games import Json
from server.play.mail.mail_in import reply_word, take_mail
from server.play.turns.turn_links import turn_word
from server.store.tables import Webhook, db
from tests.support.api_calls import further
from tests.support.contract import opened
from tests.support.games import BOT, ME, OPEN, everything_due_happens
from tests.support.one_of_each import Scene, calls

LINK_TOKEN = re.compile(r"(?<![A-Za-z0-9])[a-z2-7]{60,}(?![A-Za-z0-9])", re.IGNORECASE)
CREDENTIAL = re.compile(r"\bs[a-z]_[0-9a-f]{32}_[\w-]+|whsec_\S+")
DISCORD = "https://discord.com/api/webhooks/123456789012345678/aVerySecretPartOfTheAddress"
PUSH_SECRET = "JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV"

# The only calls whose answers may contain secrets under their own scope; their descriptions say so.
MAY_HOLD = {
    ("getFeed", "profile:read"),  # "the address of your calendar"
    ("makeFeed", "profile:write"),
    ("makeStreamTicket", "games:read"),  # opens what the token itself may read
    ("makeWebhook", "webhooks:manage"),
    ("renewWebhookSecret", "webhooks:manage"),
    ("listWebhooks", "webhooks:manage"),
    ("getWebhook", "webhooks:manage"),
    ("subscribeToPush", "profile:write"),  # repeats the request
    ("listPushSubscriptions", "profile:read"),  # by which a browser finds its own
}
AS_WRITTEN = ("getNote", "keepNote")  # return what the player wrote
REVOKES_ALL = "revokeAllTokens"


@pytest.fixture
def scene(app: Flask) -> Scene:
    return Scene(app)


def acting(answer: TestResponse) -> list[str]:
    """Return the parts of an answer that act or are secret."""
    text = answer.data.decode(errors="replace")
    secrets = [it for it in (DISCORD, PUSH_SECRET) if it in text]
    return [*LINK_TOKEN.findall(text), *CREDENTIAL.findall(text), *secrets]


def a_reply(link: str) -> bytes:
    """Return a mail with this link in base64, quoted-printable, in the subject, in its quote and in its page."""
    mail = EmailMessage()
    mail["From"], mail["Message-ID"], mail["Subject"] = "ada@example.org", "<1@ada>", f"Re: {link}"
    mail.set_content(f"Good evening, see {link}\n\nOn 1 May Ada wrote:\n> Play: {link}\n", cte="base64")
    mail.add_alternative(
        f"<p>Good evening, see <a href='{link}'>{link}</a></p>", subtype="html", cte="quoted-printable"
    )
    mail.add_attachment(link.encode(), maintype="text", subtype="plain", filename="link.txt")
    return mail.as_bytes()


@pytest.fixture
def filled(scene: Scene) -> Scene:
    """Give Ada a chat's webhook, a browser, a plan, a note and a mail, all with acting contents."""
    with scene.app.app_context():
        game_id = UUID(scene.running.rpartition("/")[2])
        link = f"https://stars.example/t/{turn_word(game_id, 0, 1)}"
        take_mail(reply_word(game_id, 0, 1), "", a_reply(link), limited=False)
        everything_due_happens()
    assert scene.webhook and scene.subscription_id
    with scene.app.app_context():
        db.session.execute(db.update(Webhook).values(url=DISCORD))
        db.session.commit()
    assert scene.ada.post("/v1/me/feed").status_code == 201
    assert scene.ada.ask("PUT", f"{scene.running}/note", {"text": f"My turn: {link}"}).status_code == 200
    return scene


def test_responses_contain_secrets_only_if_the_tokens_scope_allows_it(filled: Scene) -> None:
    addresses = {call.name: filled.address(call) for call in calls(filled.contract.document)}
    addresses["getGame"] = opened(filled.ada, ME, OPEN, BOT, private=True)
    found = set()
    for call in sorted(calls(filled.contract.document), key=lambda it: (it.method == "DELETE", it.name == REVOKES_ALL)):
        scope = next((it for entry in call.operation.get("security", []) for it in entry.get("token", ())), None)
        if scope is None or call.name in AS_WRITTEN:
            continue
        if call.name == REVOKES_ALL:  # the last call
            assert filled.ask(call).data == b""
            break
        bearer = further(filled.app, filled.caller(call), scopes=[scope])
        answer = bearer.ask(call.method, addresses[call.name], call.example)
        if "event-stream" not in (answer.mimetype or "") and acting(answer):
            found.add((call.name, scope))
        answer.close()
    assert found == MAY_HOLD


@pytest.mark.parametrize("with_writing", [False, True])
def test_only_a_token_that_can_invite_reads_a_private_tables_invitation(scene: Scene, with_writing: bool) -> None:
    private = opened(scene.ada, ME, OPEN, BOT, private=True)
    scopes = ["games:read", *(["games:write"] if with_writing else [])]
    assert bool(further(scene.app, scene.ada, scopes=scopes).get(private).json["invitation"]) == with_writing


def test_a_copy_of_a_players_data_contains_no_usable_secret(filled: Scene) -> None:
    copy = further(filled.app, filled.ada, scopes=["export:read"]).get("/v1/me/export")
    assert acting(copy) == []
    (mail,) = copy.json["mails"]
    assert (mail["from"], mail["text"]) == ("ada@example.org", f"Good evening, see https://stars.example/t/{REMOVED}")
    assert REMOVED in mail["subject"]
    assert copy.json["notes"][0]["text"] == f"My turn: https://stars.example/t/{REMOVED}"
    assert [it["url"] for it in copy.json["webhooks"]] == ["https://discord.com"]
    for run in re.findall(r"[A-Za-z0-9+/]{24,}={0,2}", copy.text):  # nor is anything encoded there
        assert b"/t/" not in base64.b64decode(run + "=" * (-len(run) % 4))
    assert b"/t/" not in quopri.decodestring(copy.data).replace(f"/t/{REMOVED}".encode(), b"")


def test_a_copy_of_a_running_game_shows_only_what_spectators_see(scene: Scene) -> None:
    path = scene.of_turns
    copied = copied_game(scene, path)
    shown, own = (who.get(f"{path}/events").json["items"] for who in (scene.stranger, scene.ada))
    assert copied["story"] == shown != own
    assert "plan" not in copied
    for who in (scene.ada, scene.bea):
        assert who.post(f"{path}/votes", {"on": "abandon"}).status_code == 200
    assert copied_game(scene, path)["story"] == scene.ada.get(f"{path}/events").json["items"]


def copied_game(scene: Scene, path: str) -> Json:
    games = scene.ada.get("/v1/me/export").json["games"]
    return next(it for it in games if path.endswith(it["game"]))


WITHOUT_DIGITS = (
    "qaaaaaaaaaaaaaaaaaaaaabqheaaaaaaagbihvwolnebmacaggpnkdnddhkq"  # one token in two hundred looks like this
)


@pytest.mark.parametrize("broken", ["{}=\r\n{}", "{}\n{}", "{}\r\n> {}", "{}\n>> > {}"])
@pytest.mark.parametrize("token", [WITHOUT_DIGITS, None])
def test_a_link_token_split_across_lines_is_removed(app: Flask, broken: str, token: str | None) -> None:
    with app.app_context():
        word = token or sign(TURN, UUID(int=2**127 + 12345), 0, 1)
    for place in (1, 20, 30, 59):
        text = f"See /t/{broken.format(word[:place], word[place:].upper())}."
        assert without_tokens(text) == f"See /t/{REMOVED}."


def test_removing_link_tokens_does_not_change_prose_and_ids() -> None:
    text = (
        "Donaudampfschifffahrtsgesellschaft\nI moved 7 stars\nthen\nleft\n6f1f0c52-3f0e-4c6f-9b60-0d5f4b1f7a11 "
        + "0" * 64
    )
    assert without_tokens(text) == text
