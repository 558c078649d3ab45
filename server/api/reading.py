"""Reading requests strictly: what is not plainly right is refused before any schema looks at it."""

import re
from typing import Any

from flask import Request
from marshmallow import RAISE, Schema, ValidationError, fields, validate
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import BadRequest, RequestEntityTooLarge, UnsupportedMediaType

from server.play import strict_json


def read_json(raw: bytes) -> Any:
    """The JSON value in a body. Raises BadRequest."""
    try:
        return strict_json.read_json(raw, "The body")
    except ValueError as error:
        raise BadRequest(str(error)) from None


class StrictParser(FlaskParser):
    """webargs behind the strict reader: a JSON body of type application/json, and no unknown fields anywhere."""

    DEFAULT_UNKNOWN_BY_LOCATION = {"json": RAISE, "query": RAISE}  # noqa: RUF012 (webargs declares it so)

    def load_json(self, req: Request, schema: Schema) -> Any:
        raw = req.get_data(cache=True)
        if req.content_length is None and len(raw) == req.max_content_length and req.environ["wsgi.input"].read(1):
            raise RequestEntityTooLarge  # werkzeug reads a body without a length up to the limit and leaves the rest
        if not raw:
            return {}
        if req.mimetype != "application/json":
            raise UnsupportedMediaType("The body must be application/json.")
        return read_json(raw)

    def load_querystring(self, req: Request, schema: Schema) -> Any:
        for name, values in req.args.lists():
            if len(values) > 1:
                raise ValidationError({name: ["Comes more than once."]})
        return super().load_querystring(req, schema)


class Truth(fields.Boolean):
    """true or false, and nothing that merely looks like it."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return value


class QueryTruth(fields.Boolean):
    """`true` or `false` in a query."""

    truthy = {"true"}  # noqa: RUF012 (marshmallow declares it so)
    falsy = {"false"}  # noqa: RUF012


class QueryNumber(fields.Integer):
    """A whole number in digits, in a query."""

    def __init__(self, least: int = 0, most: int = 2**31 - 1, **kw: Any) -> None:
        super().__init__(validate=validate.Range(min=least, max=most), **kw)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not re.fullmatch("[0-9]{1,10}", value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)
