"""The sandbox: a mailbox to look at instead of SMTP, people to be without a code, and a clock to put forward."""

import mailbox
from base64 import b64encode
from collections.abc import Mapping
from datetime import UTC
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any

from babel.dates import format_datetime
from flask import Blueprint, Response, current_app, jsonify, request
from flask.views import MethodView
from flask_babel import gettext
from marshmallow import Schema, fields, validate

from server.accounts.players import player_token
from server.api.languages import spoken
from server.api.openapi import examples, schemas
from server.api.openapi.document import ANYBODY
from server.api.openapi.document import Blueprint as Resources
from server.api.origins import is_from_elsewhere
from server.api.pages import page
from server.api.reading import one_of
from server.clock import clock
from server.durations import duration
from server.errors import BadField, NotFound, Unfit
from server.play.sandbox_clock import follow_clock, move_clock
from server.sandbox import SEEDS, make_scene

blp = Blueprint("sandbox", __name__, url_prefix="/sandbox", template_folder="templates")
calls = Resources("clock", __name__, url_prefix="/sandbox", description="The sandbox: its people, and time that passes")


@blp.before_app_request
def _follow_clock() -> None:
    if request.blueprint != "watching":  # which also tells of a database that is away
        follow_clock()


@blp.after_app_request
def _tell_clock(response: Response) -> Response:
    """What time it is here. `Date` says when an answer was made, by the clock on the wall (RFC 9110, 6.6.1)."""
    response.headers["Sandbox-Clock"] = clock.now().isoformat(timespec="milliseconds")
    return response


@blp.get("/mail")
def letters() -> Response:
    """All letters, newest first; `?to=` for those of one address, however it is spelt; as JSON if that is asked for."""
    to = request.args.get("to")
    found = sorted(
        (_envelope(key, letter) for key, letter in _box().items()),
        key=lambda it: (it["sent_at"], it["key"]),
        reverse=True,
    )
    found = [it for it in found if to is None or to.lower() == it["to"].lower()]
    if request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json":
        return jsonify(items=found)
    return page("mailbox.html", letters=found, to=to, sent=_sent, begin=_beginning, title=gettext("The mailbox"))


@blp.get("/mail/<key>")
def letter(key: str) -> Response:
    """One letter: its text and its headers."""
    found = _letter(key)
    headers = [(name, str(value)) for name, value in _parsed(found).items()]
    return page("letter.html", it=_envelope(key, found), sent=_sent, title=str(found["Subject"]), headers=headers)


@blp.get("/mail/<key>/html")
def letter_as_html(key: str) -> Response:
    """What a mail program would show of a letter that has pictures."""
    message = _parsed(_letter(key))
    body = message.get_body(("html",))
    if body is None:
        raise NotFound("This letter is plain text.")
    shown = body.get_content()
    for part in message.walk():
        if name := part["Content-ID"]:
            png = b64encode(part.get_content()).decode()
            shown = shown.replace(f"cid:{name.strip('<>')}", f"data:image/png;base64,{png}")
    response = Response(shown, mimetype="text/html")
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
    )
    return response


class ClockRequest(schemas.Request):
    forward = fields.String(required=True, metadata={"description": "A duration such as P3D or PT36H"})


class ClockAnswer(Schema):
    now = schemas.Moment(required=True, metadata={"description": "What time it is from now on"})


class SandboxTokenRequest(schemas.Request):
    name = fields.String(required=True, validate=validate.OneOf(["you", "ada", "ben"]), metadata={"description": "Who"})


class SandboxTokenAnswer(Schema):
    token = fields.String(required=True)


GAME = examples.GAME["id"]


class SceneRequest(schemas.Request):
    scene = fields.String(required=True, validate=one_of(SEEDS), metadata={"description": "The state of the game"})


class SceneAnswer(Schema):
    game = fields.UUID(required=True, metadata={"description": "Its id"})
    link = fields.Url(required=True, metadata={"description": "Where you play your turn in it, come in or look at it"})


@calls.route("/scene")
class Scene(MethodView):
    @calls.arguments(SceneRequest, example={"scene": "scenario 4, mid-turn"})
    @calls.response(201, SceneAnswer, example={"game": GAME, "link": f"http://127.0.0.1:8000/#/games/{GAME}"})
    @calls.doc(operationId="makeScene", **ANYBODY)
    def post(self, wanted: Any) -> Any:
        """Make a game in any state, for whoever tries a page or a program of his own

        Those of the sandbox sit there: `you`, most often on seat 0, Ada and Ben, whose tokens `POST /sandbox/token` gives.
        """
        game_id, link = make_scene(wanted["scene"], current_app.config["BASE_URL"])
        return {"game": game_id, "link": link}


@calls.route("/token")
class Token(MethodView):
    @calls.arguments(SandboxTokenRequest, example={"name": "ada"})
    @calls.response(201, SandboxTokenAnswer, example={"token": examples.TOKEN_ANSWER["token"]})
    @calls.doc(operationId="enterSandbox", **ANYBODY)
    def post(self, wanted: Any) -> Any:
        """A token of one of the three people of the sandbox, whose codes lie open in its mailbox, too

        Pages of other origins get none.
        """
        if is_from_elsewhere():
            raise NotFound("Only our own page may ask for this.")
        return {"token": player_token(f"{wanted['name']}@sandbox.example", wanted["name"])}


@calls.route("/clock")
class Clock(MethodView):
    @calls.arguments(ClockRequest, example={"forward": "P3D"})
    @calls.response(200, ClockAnswer, example={"now": "2026-12-04T18:00:00Z"})
    @calls.doc(operationId="forwardClock", **ANYBODY)
    @calls.raises(BadField)
    def post(self, wanted: Any) -> Any:
        """Put the clock of all processes forward

        As if the service had run all the while: reminders, time-outs and their mails follow within seconds.
        """
        try:
            by = duration(wanted["forward"])
        except Unfit as error:
            raise BadField("forward", error.words) from None
        return {"now": move_clock(by)}


def _box() -> Mapping[str, mailbox.MaildirMessage]:
    """By key; it is made with the first letter."""
    path = Path(current_app.config["MAILBOX"])
    return dict(mailbox.Maildir(path, create=False).items()) if path.exists() else {}


def _letter(key: str) -> mailbox.MaildirMessage:
    found = _box().get(key)
    if found is None:
        raise NotFound("There is no such letter.")
    return found


def _parsed(letter: mailbox.MaildirMessage) -> EmailMessage:
    return BytesParser(policy=policy.default).parsebytes(letter.as_bytes())


def _sent(letter: dict[str, Any]) -> str:
    """When it was sent, as the reader writes it."""
    return f"{format_datetime(letter['date'].astimezone(UTC), 'medium', locale=spoken().region)} UTC"


def _beginning(letter: dict[str, Any]) -> str:
    """The first line that says something: answerable letters have a mark above it."""
    return next((line for line in letter["text"].splitlines() if line and not line.startswith("##-")), "")


def _envelope(key: str, letter: mailbox.MaildirMessage) -> dict[str, Any]:
    message = _parsed(letter)
    body, html = message.get_body(("plain",)), message.get_body(("html",))
    return {
        "key": key,
        "to": str(message["To"]),
        "reply_to": str(message["Reply-To"]) if message["Reply-To"] else None,
        "subject": str(message["Subject"]),
        "message_id": str(message["Message-ID"]),
        "date": message["Date"].datetime,
        "sent_at": letter.get_date(),
        "text": body.get_content() if body else "",
        "has_html": html is not None,
    }
