"""create_app(): the one place where the parts are put together."""

from typing import Any
from uuid import UUID

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


class _Json(DefaultJSONProvider):
    """Compact, with sorted keys: the same facts are the same bytes, fresh or read back from the log."""

    compact = True
    ensure_ascii = False

    @staticmethod
    def default(value: Any) -> Any:
        if hasattr(value, "isoformat"):
            return value.isoformat().replace("+00:00", "Z")
        if isinstance(value, UUID):
            return str(value)
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
        MAX_CONTENT_LENGTH=_LARGEST_BODY,
        BASE_URL=settings.base_url,
        LIMITS=settings.limits,
        BOUNDS=dict(settings.bounds),
        PROXIES=settings.proxies,
        SANDBOX=settings.sandbox,
        METRICS_TOKEN=settings.metrics_token,
        MAILBOX=str(settings.data / "mail"),
    )
    if settings.proxies:
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=settings.proxies)  # type: ignore[method-assign]  # as Flask says
    db.init_app(app)
    app.teardown_appcontext(let_go)  # before the database's own, which would raise if the connection broke off
    api.register(app)
    app.register_blueprint(page.blp)
    return app
