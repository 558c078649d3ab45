"""The entrance for any WSGI server: `gunicorn wsgi:app`."""

from server.app import create_app

app = create_app()
