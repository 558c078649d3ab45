"""`create_app()`, which assembles the web application."""

from collections.abc import Callable
from typing import Any

import orjson
from flask import Flask, Response
from flask.json.provider import DefaultJSONProvider
from werkzeug.middleware.proxy_fix import ProxyFix

from server import api, page
from server.api.http_responses import as_json
from server.config import Settings
from server.store import embedded_postgres
from server.store.connections import engine_options, let_go
from server.store.migrate import psycopg_url
from server.store.tables import APP_ROLE, db

_LARGEST_BODY = 64 * 1024
_WRITTEN = orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS


class _Json(DefaultJSONProvider):
    """A JSON provider with compact output and sorted keys, so that equal data always gives equal bytes."""

    def dumps(self, obj: Any, **_: Any) -> str:
        return as_json(obj, _WRITTEN).decode()

    def response(self, *args: Any, **kwargs: Any) -> Response:
        body = as_json(self._prepare_response_obj(args, kwargs), _WRITTEN | orjson.OPT_APPEND_NEWLINE)
        return Response(body, mimetype=self.mimetype)


class _App(Flask):
    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function unchanged, since no view is a coroutine. Otherwise, Flask would inspect a dozen functions
        per request."""
        return func


def create_app(settings: Settings | None = None) -> Flask:
    """Return the web application with these settings. By default, read them from the environment."""
    settings = settings or Settings.from_environment()
    app = _App("server", static_folder=None)
    app.json = _Json(app)
    app.config.update(
        SQLALCHEMY_DATABASE_URI=psycopg_url(
            settings.database_url or embedded_postgres.address(settings.data, APP_ROLE)
        ),
        SQLALCHEMY_ENGINE_OPTIONS=engine_options(),
        DATABASE_URL_DIRECT=settings.database_url_direct,
        MAX_CONTENT_LENGTH=_LARGEST_BODY,
        BASE_URL=settings.base_url,
        REPLY_DOMAIN=settings.reply_domain,
        DESK=settings.desk,
        DESK_ADDRESS=settings.desk_address,
        LIMITS=settings.limits,
        THINKERS=settings.thinkers,
        BOUNDS=dict(settings.bounds),
        PROXIES=settings.proxies,
        SANDBOX=settings.sandbox,
        METRICS_TOKEN=settings.metrics_token,
        MAIL_IN_SECRET=settings.mail_in_secret,
        MAILBOX=str(settings.data / "mail"),
        SHELF=settings.shelf,
        DKIM_KEY=settings.dkim_key,
    )
    if settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.proxies)  # type: ignore[method-assign]  # as Flask says
    db.init_app(app)
    app.teardown_appcontext(let_go)  # before the database's own, which would raise after a lost connection
    api.register(app)
    app.register_blueprint(page.blp)
    return app
