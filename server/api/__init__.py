"""The HTTP face: `/v1` and a few plain pages."""

from flask import Flask

from server.api import (
    auth,
    feeds,
    games,
    idempotency,
    languages,
    limits,
    manners,
    moves,
    origins,
    pages,
    pictures,
    players,
    problems,
    sandbox,
    service,
    streams,
    watching,
    webhooks,
)
from server.api.document import Document


def register(app: Flask) -> None:
    """Put all resources into the app."""
    app.url_map.merge_slashes = False  # an address has one form, and a redirect would be a page
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    languages.register(app)
    problems.register(app)
    watching.register(app)
    if app.config["SANDBOX"]:
        app.register_blueprint(sandbox.blp)  # whose clock counts for tokens, too
    origins.register(app)
    auth.register(app)
    limits.register(app)
    manners.register(app)
    idempotency.register(app)
    document = app.extensions["document"] = Document(app)
    for blueprint in (service.blp, players.blp, games.blp, moves.blp, streams.blp, pictures.blp, webhooks.blp):
        document.register_blueprint(blueprint)
    app.register_blueprint(pages.blp)
    app.register_blueprint(feeds.blp)
    if app.config["SANDBOX"]:
        document.register_blueprint(sandbox.calls)
