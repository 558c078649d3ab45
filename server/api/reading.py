"""Strict parsing of requests. Ambiguous input is rejected before a schema sees it."""

import re
from collections.abc import Iterable
from difflib import get_close_matches
from string import printable
from typing import Any
from urllib.parse import quote

from flask import Flask, Request, request
from marshmallow import Schema, ValidationError, fields, validate
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnsupportedMediaType

from server import strict_json
from server.api.rate_limits import KIB, ROWS, spend
from server.errors import Unfit
from server.translations import Words


def register(app: Flask) -> None:
    app.before_request(_encode_query)


def _encode_query() -> None:
    """Percent-encode raw bytes in the query, as browsers do. werkzeug fails to decode some of them."""
    if not request.query_string.isascii():
        request.query_string = quote(request.query_string, safe=printable).encode()


def read_json(raw: bytes) -> Any:
    """Parse the JSON in a body. Raise BadRequest if it is malformed."""
    try:
        return strict_json.read_json(raw)
    except Unfit as error:
        raise BadRequest(error.words) from None


MOST_ERRORS = 20  # errors listed in one response
_LONGEST_NAME = 80


class StrictParser(FlaskParser):
    """A webargs parser that reads bodies and queries strictly. The schemas themselves reject unknown fields."""

    def parse(self, schema: Schema, *_: Any, location: str = "json", **__: Any) -> Any:  # type: ignore[override]  # no caller passes more
        try:
            found = _query(request) if location == "query" else _body(request)
            _expect_few_unknown(schema, found)
            loaded = schema.load(found)
            if location == "query":
                spend((loaded.get("limit", 1) - 1) // ROWS)
            return loaded
        except ValidationError as error:
            error.messages = _few(error.messages)
            self._on_validation_error(error, request, schema, location, error_status_code=None, error_headers=None)


def _expect_few_unknown(schema: Schema, found: Any) -> None:
    """Reject a body with thousands of unknown fields, on which marshmallow would spend quadratic time."""
    if isinstance(found, dict) and len(found) > len(schema.fields) + MOST_ERRORS:
        unknown = [name for name in found if name not in schema.fields][:MOST_ERRORS]
        raise ValidationError({name: [unknown_field(name, schema.fields)] for name in unknown})


def unknown_field(name: Any, known: Iterable[str]) -> Words:
    """Return the error for an unknown field, with the known field that its name resembles."""
    meant = get_close_matches(str(name)[:_LONGEST_NAME], known, 1)
    return Words("Unknown field. Did you mean `%(field)s`?", "", field=meant[0]) if meant else Words("Unknown field.")


def _few(messages: Any) -> Any:
    """Return the first errors, with field names cut to a reasonable length."""
    left = MOST_ERRORS

    def cut(them: Any) -> Any:
        nonlocal left
        if not isinstance(them, dict):
            left -= 1
            return them
        return {str(name)[:_LONGEST_NAME]: cut(each) for name, each in them.items() if left > 0}

    return cut(messages)


def _body(req: Request) -> Any:
    """Parse the body, or return {} for an empty one. Raise BadRequest, UnsupportedMediaType."""
    raw = req.get_data(cache=True)
    spend(len(raw) // (1024 * KIB))
    if req.content_length is None and len(raw) == req.max_content_length and req.environ["wsgi.input"].read(1):
        raise RequestEntityTooLarge  # werkzeug reads a body without a length only up to the limit
    if not raw:
        return {}
    if req.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType(Words("Send the body without Content-Encoding."))
    if req.mimetype != "application/json":
        raise UnsupportedMediaType(Words("The body must be application/json."))
    return read_json(raw)


def _query(req: Request) -> Any:
    """Return the query parameters. Raise ValidationError if one is repeated."""
    for name, values in req.args.lists():
        if len(values) > 1:
            raise ValidationError({name: [Words("Given more than once.")]})
    return req.args.to_dict()


# Translatable error messages. Marshmallow documents this way to replace its own.
fields.Field.default_error_messages.update(
    required=Words("This field is required."),
    null=Words("This field can't be null."),
    validator_failed=Words("Invalid value."),
)
for _field, _told in (
    (fields.Nested, {"type": Words("Not a JSON object.")}),
    (fields.Mapping, {"invalid": Words("Not a JSON object.")}),
    (fields.List, {"invalid": Words("Not a list.")}),
    (fields.String, {"invalid": Words("Not a string.")}),
    (fields.UUID, {"invalid_uuid": Words("Not a valid UUID.")}),
    (fields.Integer, {"invalid": Words("Not a whole number.")}),
    (fields.Number, {"invalid": Words("Not a number."), "too_large": Words("The number is too large.")}),
    (fields.Boolean, {"invalid": Words("Must be true or false.")}),
    (
        fields.AwareDateTime,
        dict.fromkeys(("invalid", "invalid_awareness"), Words('Not a timestamp such as "2027-01-31T18:00:00Z".')),
    ),
):
    _field.default_error_messages = {**_field.default_error_messages, **_told}


def from_to(least: int, most: int) -> validate.Range:
    return validate.Range(min=least, max=most, error=Words("Must be from %(min)s to %(max)s."))


def long(most: int, least: int | None = None) -> validate.Length:
    at_most, between = (
        Words("Its length must be at most %(max)s."),
        Words("Its length must be from %(min)s to %(max)s."),
    )
    return validate.Length(min=least, max=most, error=at_most if least is None else between)


def one_of(choices: Iterable[Any]) -> validate.OneOf:
    return validate.OneOf(list(choices), error=Words("Must be one of: %(choices)s."))


def written_as(form: str) -> validate.Regexp:
    return validate.Regexp(form, error=Words("Not in the required format."))


class Several(fields.List[Any]):
    """A list that stops parsing early: immediately if its length is wrong, otherwise after MOST_ERRORS invalid
    items."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        self._validate(value)
        read, errors = [], {}
        for place, each in enumerate(value):
            try:
                read.append(self.inner.deserialize(each, **kwargs))
            except ValidationError as error:
                errors[place] = error.messages
                if len(errors) == MOST_ERRORS:
                    break
        if errors:
            raise ValidationError(errors, valid_data=read)
        return read


class Truth(fields.Boolean):
    """A JSON boolean. The other spellings that marshmallow accepts are rejected."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return value


class QueryTruth(fields.Boolean):
    """The word `true` or `false` in a query."""

    truthy = {"true"}  # noqa: RUF012 (marshmallow declares it so)
    falsy = {"false"}  # noqa: RUF012 (the same)


class QueryNumber(fields.Integer):
    """A decimal integer in a query."""

    def __init__(self, least: int = 0, most: int = 2**31 - 1, **kw: Any) -> None:
        super().__init__(validate=from_to(least, most), **kw)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not re.fullmatch("-?[0-9]{1,100}", value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)
