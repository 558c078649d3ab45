"""Third-party apps, and the players who authorize them."""

from uuid import uuid4

from server.accounts.apps import AuthorizationRequest, allow, app_by_code, client_by, issue, register_client
from server.accounts.tokens import Caller
from server.store.tables import App, db


def code_of_an_app(player: Caller, name: str = "Night Watch", uri: str | None = None) -> str:
    """Return the code of an app that the player has just authorized."""
    client_id, back = uuid4(), f"{uri or 'https://watch.example/'}back"
    register_client(client_id, name, uri, [back], "")
    client = client_by(str(client_id))
    assert client is not None
    code = allow(player, client, AuthorizationRequest(back, ["games:read"], None, "A" * 43))
    db.session.commit()
    return code


def authorized_app(player: Caller, **metadata: str) -> App:
    app = app_by_code(code_of_an_app(player, **metadata))
    assert app is not None
    issue(app, app.scopes, None)
    db.session.commit()
    return app
