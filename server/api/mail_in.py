"""Inbound mail that providers deliver by HTTP. Like mail by SMTP, it is stored before it is acknowledged."""

from flask import Blueprint, Response, current_app, request
from werkzeug.exceptions import RequestEntityTooLarge

from server.api.problems import HTTP_PROBLEMS, PROBLEMS, answer, text_of
from server.clock import clock
from server.errors import Closed, NotFound, TooMany
from server.post.incoming import bounces, providers
from server.post.incoming.intake import LARGEST, local_part, take_in_for_all
from server.post.incoming.providers import Brought, Forged, Post, Proof, Report, Unreadable
from server.post.smtp import Unreachable
from server.store.database_retry import Unavailable
from server.store.mail_proofs import claim_proof

LARGEST_BODY = 3 * LARGEST  # bytes of a request: Base64, JSON and other fields make it larger than its mail
_WHILE_CLOSED = 600  # Retry-After, in seconds
_TOO_LARGE = "A mail has at most 1 MiB."
# Status that stops a provider's retries. Postmark needs 403, Mailgun needs 406, and the others accept any 4xx.
_FOR_GOOD = {"postmark": 403}

blp = Blueprint("mail_in", __name__)


@blp.post("/mail-in/<provider>")
@blp.post("/mail-in/<any(mailgun):provider>/mime")  # Mailgun sends the raw mail to paths that end like this
def take(provider: str) -> Response:
    """Store the emails that a provider delivers. An email that is delivered twice is stored once."""
    request.max_content_length = LARGEST_BODY
    status = _FOR_GOOD.get(provider, 406)
    try:
        brought = providers.read(provider, _post(), current_app.config["MAIL_IN_SECRET"], clock.real())
    except KeyError:
        raise NotFound("Unknown mail provider.") from None
    except Forged:
        return _unproved()
    except Unreadable as error:
        return answer(HTTP_PROBLEMS[400]._replace(status=status), str(error))
    except Unreachable:
        raise Unavailable from None
    except RequestEntityTooLarge:
        return answer(HTTP_PROBLEMS[413]._replace(status=status), _TOO_LARGE)
    try:
        return _store_all(brought, status)
    except Forged:
        return _unproved()


@blp.errorhandler(Closed)
@blp.errorhandler(TooMany)
def _later(error: Closed | TooMany) -> Response:
    later = answer(PROBLEMS[type(error)]._replace(status=503), text_of(error))  # SendGrid does not retry after a 429
    later.headers["Retry-After"] = str(error.retry_after if isinstance(error, TooMany) else _WHILE_CLOSED)
    return later


def _unproved() -> Response:
    refusal = answer(HTTP_PROBLEMS[401], "The secret or the signature is not right.")
    refusal.headers["WWW-Authenticate"] = 'Basic realm="mail-in"'  # Amazon sends its password only after this challenge
    return refusal


def _store_all(brought: list[Brought], status: int) -> Response:
    """Store what a provider has delivered, and return the response. `status` is the status for rejected content. Raise
    Forged, Closed, TooMany, Unavailable."""
    is_limited = bool(current_app.config["LIMITS"])
    for each in brought:
        if isinstance(each, Proof):
            if not claim_proof(*each):
                raise Forged
        elif isinstance(each, Report):
            bounces.note_event(*each)
        elif len(each.content) > LARGEST:
            return answer(HTTP_PROBLEMS[413]._replace(status=status), _TOO_LARGE)
        elif not take_in_for_all([*map(local_part, each.recipients)], each.sender, each.content, is_limited):
            return answer(PROBLEMS[NotFound]._replace(status=status), "Nobody has this address.")
    return Response("{}", mimetype="application/json")


def _post() -> Post:
    args = {name: values for name, values in request.args.lists()}
    return Post(request.headers.get("Authorization", ""), args, request.content_type or "", request.get_data())
