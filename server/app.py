"""create_app(): the one place where the parts are put together."""

from typing import Any

import orjson
from flask import Flask
from flask.json.provider import DefaultJSONProvider
from werkzeug.middleware.proxy_fix import ProxyFix

from server import api, page
from server.config import Settings
from server.store import embedded_postgres
from server.store.connections import engine_options, let_go
from server.store.migrate import psycopg_url
from server.store.tables import APP_ROLE, db

_LARGEST_BODY = 64 * 1024
_WRITTEN = orjson.OPT_SORT_KEYS | orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS


class _Json(DefaultJSONProvider):
    """Compact, with sorted keys: the same facts are the same bytes, fresh or read back from the log."""

    def dumps(self, obj: Any, **_: Any) -> str:
        """`json` would take ten times as long for the answer to a move."""
        return orjson.dumps(obj, default=_as_list, option=_WRITTEN).decode()


def _as_list(value: Any) -> list[Any]:
    """Named tuples, as `json` writes them. Raises TypeError for what has no form in JSON."""
    if isinstance(value, tuple):
        return list(value)
    raise TypeError(type(value))


def create_app(settings: Settings | None = None) -> Flask:
    """The web, wired by these settings (default: by the environment)."""
    settings = settings or Settings.from_environment()
    app = Flask("server", static_folder=None)
    app.json = _Json(app)
    app.config.update(
        SQLALCHEMY_DATABASE_URI=psycopg_url(
            settings.database_url or embedded_postgres.address(settings.data, APP_ROLE)
        ),
        SQLALCHEMY_ENGINE_OPTIONS=engine_options(),
        DATABASE_URL_DIRECT=settings.database_url_direct,
        MAX_CONTENT_LENGTH=_LARGEST_BODY,
        BASE_URL=settings.base_url,
        LIMITS=settings.limits,
        BOUNDS=dict(settings.bounds),
        PROXIES=settings.proxies,
        SANDBOX=settings.sandbox,
        METRICS_TOKEN=settings.metrics_token,
        MAIL_IN_SECRET=settings.mail_in_secret,
        MAILBOX=str(settings.data / "mail"),
        SHELF=settings.shelf,
    )
    if settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.proxies)  # type: ignore[method-assign]  # as Flask says
    db.init_app(app)
    app.teardown_appcontext(let_go)  # before the database's own, which would raise if the connection broke off
    api.register(app)
    app.register_blueprint(page.blp)
    return app
