"""Shared parts of all plain pages: their layout, their headers, and error pages."""

from typing import Any

from flask import Blueprint, Response, render_template, request
from flask_babel import gettext
from werkzeug.exceptions import NotFound

from server.api.auth import is_for_api
from server.api.languages import spoken
from server.api.problems import answer_to
from server.games import GAMES
from server.page import index

blp = Blueprint("pages", __name__, template_folder="templates", static_folder="static", static_url_path="/static")
QUIET = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Robots-Tag": "noindex"}
HEADERS = {
    **QUIET,
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
}


def page(template: str, status: int = 200, **values: Any) -> Response:
    """Return a rendered template as a page that loads nothing from other origins and is not cached. The page of a
    mailed link loads one script (`link.js`)."""
    about = {"locale": spoken().locale, "exhibited": next(iter(GAMES))}
    response = Response(render_template(template, **about, **values), status, mimetype="text/html")
    response.headers.update(HEADERS)
    if values.get("game") or values.get("word"):
        response.headers["Content-Security-Policy"] += "; script-src 'self'; connect-src 'self'"
    return response


def on_the_page(plain: str, **opened_for: str) -> Response:
    """Return the web page for players, as opened by a mailed link. `plain` is the address of the same page without
    scripts."""
    response = index(plain=plain, words=gettext("Continue without scripts"), language=spoken().locale, **opened_for)
    response.headers.update(QUIET | {"Cache-Control": "no-store"})
    return response


def sorry(error: Exception) -> Response:
    """Return an error as a page, with the text that a program gets as a problem."""
    problem = answer_to(error)
    title, detail = (problem.get_json()[name] for name in ("title", "detail"))
    if problem.status_code == 404:
        title, detail = (
            gettext("Page not found"),
            gettext("Part of the link may be missing. Open it from your email again, or copy the whole link."),
        )
    answer = page("message.html", problem.status_code, title=title, text=detail)
    answer.headers.extend((name, value) for name, value in problem.headers if name in ("Allow", "Retry-After"))
    return answer


def not_found(error: NotFound) -> Response:
    """Return a page to a browser that asks for an address without a page, and the problem to any other client."""
    accepted = request.accept_mimetypes
    wants_page = accepted.quality("text/html") > accepted.quality("application/problem+json")
    if request.url_rule is not None or is_for_api() or not wants_page:
        return answer_to(error)
    return no_page()


def no_page() -> Response:
    text = gettext("There is no page at this address. Check the address for typos.")
    return page("message.html", 404, title=gettext("Page not found"), text=text, home=gettext("Go to the home page"))


blp.register_error_handler(Exception, sorry)  # for the static files
blp.record_once(lambda state: state.app.register_error_handler(404, not_found))
