"""The entrance for any WSGI server: `gunicorn wsgi:app`."""

import gc

from server.app import create_app

app = create_app()
gc.collect()
gc.freeze()  # what the app is made of is never garbage; looking through it would hold up a move for a tenth of a second
