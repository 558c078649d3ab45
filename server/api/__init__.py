"""The HTTP interface: `/v1` and a few plain pages."""

from flask import Flask

from server.api import (
    advice,
    auth,
    calendar_feed,
    event_streams,
    games,
    handbook,
    http_responses,
    idempotency,
    languages,
    link_pages,
    mail_in,
    metrics,
    moves,
    oauth,
    origins,
    pages,
    people,
    pictures,
    plans,
    players,
    problems,
    rate_limits,
    reading,
    request_log,
    sandbox,
    service,
    stand_ins,
    unmodified,
    webhooks,
)
from server.api.openapi.document import Document


def register(app: Flask) -> None:
    """Register all resources with the app."""
    app.url_map.merge_slashes = False  # each resource has one path; a redirect would be an HTML page
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    reading.register(app)
    languages.register(app)
    problems.register(app)
    request_log.register(app)
    app.register_blueprint(metrics.blp)
    if app.config["SANDBOX"]:
        app.register_blueprint(sandbox.blp)  # before `auth`, since the sandbox's clock also applies to tokens
    origins.register(app)
    auth.register(app)
    rate_limits.register(app)
    http_responses.register(app)
    unmodified.register(app)
    idempotency.register(app)
    document = app.extensions["document"] = Document(app)
    for blueprint in (
        service.blp,
        players.blp,
        people.blp,
        games.blp,
        moves.blp,
        advice.blp,
        plans.blp,
        stand_ins.blp,
        event_streams.blp,
        pictures.blp,
        webhooks.blp,
    ):
        document.register_blueprint(blueprint)
    for views in (pages, handbook, link_pages):
        app.register_blueprint(views.blp)
    oauth.register(app)
    app.register_blueprint(calendar_feed.blp)
    if app.config["MAIL_IN_SECRET"]:
        app.register_blueprint(mail_in.blp)
    if app.config["SANDBOX"]:
        document.register_blueprint(sandbox.calls)
