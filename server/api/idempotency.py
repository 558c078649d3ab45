"""The `Idempotency-Key` header: a repeated request is executed once, and gets the first response."""

import hashlib
from collections.abc import Callable
from typing import Any
from uuid import UUID

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import BadRequest

from server.accounts.tokens import Caller
from server.api.auth import is_for_api
from server.play.turns.idempotency import Kept, first_answer, game_of_key, keep
from server.translations import Words

_LONGEST = 200
_KEEPS = "keeps_answers"  # attribute of functions that support keys


def register(app: Flask) -> None:
    app.before_request(_expect_no_key)


def keeps(call: Any) -> Any:
    """Mark a call as one that uses `once`. All other POST calls reject a key, since they might execute a repeated
    request twice."""
    setattr(call, _KEEPS, True)
    return call


def _expect_no_key() -> None:
    """Raise BadRequest if this request has a key that its call doesn't support."""
    if request.method == "POST" and "Idempotency-Key" in request.headers and is_for_api():
        view = current_app.view_functions.get(request.endpoint or "")
        if view is not None and not hasattr(getattr(getattr(view, "view_class", None), "post", None), _KEEPS):
            raise BadRequest(Words("This call doesn't support Idempotency-Key. If you send it again, it runs again."))


def new_game_id(caller: Caller) -> UUID | None:
    """Return an id, derived from the request's key, for the game that the request creates. Without a key, return
    None."""
    key = _key()
    return None if key is None else game_of_key(caller.player_id, key)


def once(
    caller: Caller,
    game_id: UUID | None,
    action: Callable[[], tuple[Any, int]],
    may_repeat: bool = False,
    again: Callable[[], Any] | None = None,
) -> Response:
    """Return the response of `action` (body and status), or the response stored for this request's key.

    `may_repeat`: the action has the same result when repeated. `again` recreates the first response's body, so that
    only the status must be stored. Raise KeyReused, UnderWay.
    """
    key = _key()
    if key is None or game_id is None:
        return _answer(*action())
    asked = b"\0".join([request.method.encode(), request.full_path.encode(), request.get_data(cache=True)])
    request_hash = hashlib.sha256(asked).digest()
    kept = first_answer(game_id, caller.player_id, key, request_hash, may_repeat)
    if kept is not None and kept.body is None and again is not None:
        return _answer(again(), kept.status)
    if kept is not None:
        return Response(kept.body, kept.status, mimetype="application/json")
    answer = _answer(*action())
    body = None if again else answer.get_data(as_text=True)
    keep(game_id, caller.player_id, key, request_hash, Kept(answer.status_code, body))
    return answer


def _answer(body: Any, status: int) -> Response:
    return Response(current_app.json.dumps(body), status, mimetype="application/json")


def _key() -> str | None:
    key = request.headers.get("Idempotency-Key")
    if key is not None and not (0 < len(key) <= _LONGEST and key.isascii() and key.isprintable()):
        raise BadRequest(Words("An Idempotency-Key must have 1 to %(most)s visible ASCII characters.", most=_LONGEST))
    return key
