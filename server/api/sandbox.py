"""The sandbox: a mailbox page instead of SMTP, sign-in as sample players, and a clock that can be moved forward."""

from base64 import b64encode
from datetime import UTC
from email import policy
from email.message import EmailMessage
from email.parser import BytesHeaderParser, BytesParser
from functools import lru_cache
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
from server.play.timing.sandbox_clock import follow_clock, move_clock
from server.sandbox import SEEDS, list_scenes, make_scene
from server.store.log import moment_text

blp = Blueprint("sandbox", __name__, url_prefix="/sandbox", template_folder="templates")
calls = Resources(
    "clock", __name__, url_prefix="/sandbox", description="Sandbox: sample players, sample games and the clock"
)


@blp.before_app_request
def _follow_clock() -> None:
    if request.blueprint != "watching":  # those endpoints must work even while the database is down
        follow_clock()


@blp.after_app_request
def _tell_clock(response: Response) -> Response:
    """Add a header with the sandbox's time. `Date` has the real time (RFC 9110, 6.6.1)."""
    response.headers["Sandbox-Clock"] = moment_text(clock.now())
    return response


_PAGE = 50  # emails


@blp.get("/mail")
def letters() -> Response:
    """List all emails, newest first, or only those to the address `to`. The format is JSON if the client prefers JSON.

    The page shows 50 at a time. JSON has all emails, or `limit` of them. `after` is the key of the last email on the
    previous page.
    """
    to, after = request.args.get("to"), request.args.get("after")
    is_json = request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json"
    limit = request.args.get("limit", None if is_json else _PAGE, type=int)
    files = _files()
    keys = [key for key, file in files.items() if to is None or to.lower() == _addressee(file).lower()]
    if after is not None:
        keys = keys[keys.index(after) + 1 :] if after in keys else []
    found = [_envelope(files[key]) for key in keys[:limit]]
    following = keys[limit - 1] if limit and len(keys) > limit else None
    if is_json:
        return jsonify(items=found, next=following)
    return page(
        "mailbox.html",
        letters=found,
        to=to,
        following=following,
        sent=_sent,
        begin=_beginning,
        title=gettext("Mailbox"),
    )


@blp.get("/mail/<key>")
def letter(key: str) -> Response:
    """Show the text and the headers of an email."""
    file = _file(key)
    found = _message(file)
    headers = [(name, str(value)) for name, value in found.items()]
    return page("letter.html", it=_envelope(file), sent=_sent, title=str(found["Subject"]), headers=headers)


@blp.get("/mail/<key>/html")
def letter_as_html(key: str) -> Response:
    """Show an email's HTML as a mail program would, with its pictures."""
    message = _message(_file(key))
    body = message.get_body(("html",))
    if body is None:
        raise NotFound("This email is plain text.")
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


@blp.get("/scenes")
def scenes() -> Response:
    """List the sample games that `up` created, each with a link that opens it."""
    found = list_scenes(current_app.config["BASE_URL"])
    return page("scenes.html", scenes=found, title=gettext("Sample games"))


class ClockRequest(schemas.Request):
    forward = fields.String(required=True, metadata={"description": "ISO 8601 duration, such as P3D or PT36H"})


class ClockAnswer(Schema):
    now = schemas.Moment(required=True, metadata={"description": "New time of the sandbox clock"})


class SandboxTokenRequest(schemas.Request):
    name = fields.String(
        required=True,
        validate=validate.OneOf(["you", "robin", "ada", "ben"]),
        metadata={"description": "Sandbox player. `you` is Robin."},
    )


class SandboxTokenAnswer(Schema):
    token = fields.String(required=True)


GAME = examples.GAME["id"]


class SceneRequest(schemas.Request):
    scene = fields.String(
        required=True, validate=one_of(SEEDS), metadata={"description": "State of the game to create"}
    )


class SceneAnswer(Schema):
    game = fields.UUID(required=True, metadata={"description": "Id of the new game"})
    link = fields.Url(required=True, metadata={"description": "URL where you can play, join or watch the game"})


@calls.route("/scene")
class Scene(MethodView):
    @calls.arguments(SceneRequest, example={"scene": "scenario 4, mid-turn"})
    @calls.response(201, SceneAnswer, example={"game": GAME, "link": f"http://127.0.0.1:8000/#/games/{GAME}"})
    @calls.doc(operationId="makeScene", **ANYBODY)
    def post(self, wanted: Any) -> Any:
        """Create a sample game

        The game is in the state you choose, so that you can test a page or program. The sandbox's players sit in it:
        Robin, usually on seat 0, Ada and Ben. Get their tokens from `POST /sandbox/token`.
        """
        game_id, link = make_scene(wanted["scene"], current_app.config["BASE_URL"])
        return {"game": game_id, "link": link}


@calls.route("/token")
class Token(MethodView):
    @calls.arguments(SandboxTokenRequest, example={"name": "ada"})
    @calls.response(201, SandboxTokenAnswer, example={"token": examples.TOKEN_ANSWER["token"]})
    @calls.doc(operationId="enterSandbox", **ANYBODY)
    def post(self, wanted: Any) -> Any:
        """Create a token for a sandbox player

        Pages from other origins can't use this.
        """
        if is_from_elsewhere():
            raise NotFound("Only this server's own page can use this.")
        name = "robin" if wanted["name"] == "you" else wanted["name"]
        return {"token": player_token(f"{name}@sandbox.example", name.capitalize())}


@calls.route("/clock")
class Clock(MethodView):
    @calls.arguments(ClockRequest, example={"forward": "P3D"})
    @calls.response(200, ClockAnswer, example={"now": "2026-12-04T18:00:00.000000Z"})
    @calls.doc(operationId="forwardClock", **ANYBODY)
    @calls.raises(BadField)
    def post(self, wanted: Any) -> Any:
        """Move the sandbox clock forward

        All processes behave as if that time had passed: reminders, time-outs and their emails follow within seconds.
        """
        try:
            by = duration(wanted["forward"])
        except Unfit as error:
            raise BadField("forward", error.words) from None
        return {"now": move_clock(by)}


def _files() -> dict[str, Path]:
    """Return the files of all emails by key, newest first. The mailbox exists only after the first email."""
    box = Path(current_app.config["MAILBOX"])
    files = [file for folder in ("new", "cur") if (box / folder).exists() for file in (box / folder).iterdir()]
    files.sort(key=lambda it: (it.stat().st_mtime, it.name), reverse=True)
    return {file.name.partition(":")[0]: file for file in files}


def _file(key: str) -> Path:
    """Return the file of an email. Raise NotFound if there is none."""
    try:
        return _files()[key]
    except KeyError:
        raise NotFound("Email not found.") from None


@lru_cache(10_000)
def _addressee(file: Path) -> str:
    with file.open("rb") as stream:
        return str(BytesHeaderParser(policy=policy.default).parse(stream)["To"])


def _message(file: Path) -> EmailMessage:
    with file.open("rb") as stream:
        return BytesParser(policy=policy.default).parse(stream)


def _sent(letter: dict[str, Any]) -> str:
    """Return when the email was sent, in the reader's format."""
    return f"{format_datetime(letter['date'].astimezone(UTC), 'medium', locale=spoken().region)} UTC"


def _beginning(letter: dict[str, Any]) -> str:
    """Return the first line of the text that is neither empty nor the reply mark."""
    return next((line for line in letter["text"].splitlines() if line and not line.startswith("##-")), "")


@lru_cache(1000)  # emails never change, and emails with pictures are slow to parse
def _envelope(file: Path) -> dict[str, Any]:
    message = _message(file)
    body, html = message.get_body(("plain",)), message.get_body(("html",))
    return {
        "key": file.name.partition(":")[0],
        "to": str(message["To"]),
        "reply_to": str(message["Reply-To"]) if message["Reply-To"] else None,
        "subject": str(message["Subject"]),
        "message_id": str(message["Message-ID"]),
        "date": message["Date"].datetime,
        "sent_at": file.stat().st_mtime,
        "text": body.get_content() if body else "",
        "has_html": html is not None,
    }
