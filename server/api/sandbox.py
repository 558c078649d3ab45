"""The sandbox: a mailbox to look at instead of SMTP, and a clock to put forward."""

import mailbox
from collections.abc import Mapping
from email import policy
from email.message import EmailMessage
from email.parser import BytesParser
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, render_template, request
from werkzeug.exceptions import NotFound

from server import play
from server.api.reading import read_json
from server.play.clock import duration
from server.play.errors import BadField

blp = Blueprint("sandbox", __name__, url_prefix="/sandbox", template_folder="templates")


@blp.before_app_request
def _follow_clock() -> None:
    if request.blueprint != "watching":  # which also tells of a database that is away
        play.follow_clock()


@blp.get("/mail")
def letters() -> Response:
    """All letters, newest first; `?to=` for those of one address; as JSON if that is asked for."""
    to = request.args.get("to")
    found = sorted(
        (_envelope(key, letter) for key, letter in _box().items()),
        key=lambda it: (it["sent_at"], it["key"]),
        reverse=True,
    )
    found = [it for it in found if to in (None, it["to"])]
    if request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json":
        return jsonify(items=found)
    return Response(render_template("mailbox.html", letters=found, title="The mailbox"), mimetype="text/html")


@blp.get("/mail/<key>")
def letter(key: str) -> Response:
    """One letter: its headers and its text."""
    found = _box().get(key)
    if found is None:
        raise NotFound("There is no such letter.")
    message = _parsed(found)
    body = message.get_body(preferencelist=("plain",))
    return Response(
        render_template(
            "letter.html",
            title=str(message["Subject"]),
            headers=[(name, str(value)) for name, value in message.items()],
            text=body.get_content() if body else "",
        ),
        mimetype="text/html",
    )


@blp.post("/clock")
def put_forward() -> Response:
    """`{"forward": "P3D"}`: three days later, for every process; what is due then happens."""
    wanted = read_json(request.get_data())
    try:
        by = duration(wanted["forward"])
    except (KeyError, TypeError, ValueError) as error:
        raise BadField("forward", f"Send a duration, such as P3D: {error}") from None
    return jsonify(now=play.move_clock(by))


def _box() -> Mapping[str, mailbox.MaildirMessage]:
    """By key; it is made with the first letter."""
    path = Path(current_app.config["MAILBOX"])
    return dict(mailbox.Maildir(path, create=False).items()) if path.exists() else {}


def _parsed(letter: mailbox.MaildirMessage) -> EmailMessage:
    return BytesParser(policy=policy.default).parsebytes(letter.as_bytes())


def _envelope(key: str, letter: mailbox.MaildirMessage) -> dict[str, Any]:
    message = _parsed(letter)
    body = message.get_body(preferencelist=("plain",))
    return {
        "key": key,
        "to": str(message["To"]),
        "subject": str(message["Subject"]),
        "message_id": str(message["Message-ID"]),
        "sent_at": letter.get_date(),
        "text": body.get_content() if body else "",
    }
