"""The language of a response: that of the caller, or of the seat that a link is for, or else from `Accept-Language`."""

from babel import negotiate_locale
from flask import Flask, g, has_request_context, request
from flask_babel import Babel, get_locale, refresh

from server.accounts.players import stored_locale
from server.translations import LOCALES, Language, language


def register(app: Flask) -> None:
    Babel(app, locale_selector=_locale)
    app.teardown_request(_forget)  # an outer context, as in tests, may outlive the request


def speak(locale: str) -> None:
    """Use this language for the rest of the request."""
    g.locale = stored_locale(locale)
    refresh()


def spoken() -> Language:
    return language(str(get_locale()))


def _locale() -> str:
    if "locale" in g:
        return str(g.locale)
    wished = request.accept_languages.values() if has_request_context() else ()
    return negotiate_locale(list(wished), LOCALES, sep="-") or "en"


def _forget(_: BaseException | None) -> None:
    g.pop("locale", None)
    refresh()
