"""The language of a response: that of the caller, or of the seat that a link is for, or else from `Accept-Language`."""

from collections.abc import Mapping

from babel import negotiate_locale
from flask import Flask, g, has_request_context, request
from flask_babel import Babel, Domain, get_locale, get_translations, gettext, refresh
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from server.accounts.players import stored_locale
from server.translations import LOCALES, Language, filled, language


def register(app: Flask) -> None:
    babel = Babel(app, locale_selector=_locale)
    babel.domain_instance = _Domain(domain="messages")
    app.jinja_env.globals.update(gettext=_gettext, ngettext=_ngettext)
    app.teardown_request(_forget)  # an outer context, as in tests, may outlive the request


class _Domain(Domain):
    """The catalogues, with placeholders filled in as `filled` does."""

    def gettext(self, string: str, /, **variables: object) -> str:
        words: str = self.get_translations().ugettext(string)
        return filled(words, variables) if variables else words

    def ngettext(self, singular: str, plural: str, num: int, /, **variables: object) -> str:
        words: str = self.get_translations().ungettext(singular, plural, num)
        return filled(words, {"num": num, **variables})


@pass_context
def _gettext(context: Context, words: str, /, **values: object) -> str:
    return _filled(context, gettext(words), values)


@pass_context
def _ngettext(context: Context, one: str, many: str, num: int, /, **values: object) -> str:
    return _filled(context, get_translations().ungettext(one, many, num), {"num": num, **values})


def _filled(context: Context, words: str, values: Mapping[str, object]) -> str:
    return filled(Markup(words) if context.eval_ctx.autoescape else words, values)


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
