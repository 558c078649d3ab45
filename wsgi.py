"""The web as any WSGI server wants it."""

from server.app import create_app

app = create_app()
