"""What comes in and what goes out."""

from datetime import UTC
from typing import Any

from marshmallow import INCLUDE, Schema, ValidationError, fields, validate, validates_schema

from server.api.reading import QueryTruth, Truth
from server.play import GAMES, LOCALES, SCOPES, WISHES, email_address

STATUSES = ["open", "running", "paused", "finished", "abandoned"]
_ANY_MOVE = {"anyOf": [{"$ref": f"#/components/schemas/{name.capitalize()}Move"} for name in GAMES]}
_ANY_VIEW = {
    "anyOf": [*({"$ref": f"#/components/schemas/{name.capitalize()}View"} for name in GAMES), {"type": "null"}]
}


class Email(fields.String):
    """An address, in lower case."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        try:
            return email_address(super()._deserialize(value, attr, data, **kwargs)).lower()
        except ValueError as error:
            raise ValidationError(str(error)) from None


class Moment(fields.AwareDateTime):
    """RFC 3339 in UTC, written with a Z."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **kwargs).astimezone(UTC)
        except OverflowError:
            raise self.make_error("invalid", input=value, obj_type=self.OBJ_TYPE) from None

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | float | None:
        return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _text(longest: int, **kw: Any) -> fields.String:
    return fields.String(validate=validate.Length(min=1, max=longest), **kw)


def _number(least: int = 0, **kw: Any) -> fields.Integer:
    return fields.Integer(strict=True, validate=validate.Range(min=least, max=2**31 - 1), **kw)


# People


class SignInRequest(Schema):
    email = Email(required=True, metadata={"example": "ada@example.org"})
    locale = fields.String(load_default="en", validate=validate.OneOf(LOCALES))


class SignInAnswer(Schema):
    sign_in = fields.UUID(required=True)


class TokenRequest(Schema):
    """A mailed code, or (with a token) what a further token is to allow."""

    sign_in = fields.UUID(metadata={"description": "From POST /v1/sign-ins"})
    code = fields.String(validate=validate.Regexp(r"[0-9]{6}\Z"), metadata={"description": "From the mail"})
    name = _text(80, metadata={"description": "What the further token is for"})
    scopes = fields.List(fields.String(validate=validate.OneOf(SCOPES)), metadata={"description": "Default: your own"})
    expires_at = Moment(allow_none=True, metadata={"description": "Default: when the token it is made with does"})

    @validates_schema
    def _is_one_of_the_two(self, data: Any, **_: Any) -> None:
        by_code = {"sign_in", "code"} & data.keys()
        if by_code and data.keys() != {"sign_in", "code"}:
            raise ValidationError("Send sign_in and code, or name, scopes and expires_at.")


class TokenAnswer(Schema):
    token = fields.String(required=True, metadata={"description": "Shown once; only a hash of it is kept"})
    scopes = fields.List(fields.String(), required=True)


class ProfileChanges(Schema):
    name = _text(200)
    locale = fields.String(validate=validate.OneOf(LOCALES))
    zone = _text(80, metadata={"description": "IANA time zone", "example": "Europe/Berlin"})
    calendar = fields.Dict(
        metadata={
            "description": "Hours that do not count for you: `night`, `days_off` (1 is Monday), `vacations`",
            "example": {"night": "22:00-08:00", "days_off": [7], "vacations": []},
        }
    )
    notifications = fields.Dict(
        metadata={
            "description": "`reminders`: `half` of the time left, or so long before the due time",
            "example": {"reminders": ["half", "PT3H"]},
        }
    )


class Profile(ProfileChanges):
    id = fields.UUID(required=True)
    email = fields.String(required=True)


# Games


class SeatWanted(Schema):
    """Who is to sit here: exactly one of the four."""

    player = fields.String(validate=validate.Equal("me"))
    email = Email(metadata={"description": "Invited by mail"})
    bot = fields.String(validate=validate.Length(max=40))
    open = Truth(validate=validate.Equal(True))

    @validates_schema
    def _is_one(self, data: Any, **_: Any) -> None:
        if len(data) != 1:
            raise ValidationError("Give exactly one of player, email, bot and open.")


class GameWanted(Schema):
    rules = fields.String(required=True, validate=validate.OneOf(list(GAMES)))
    options = fields.Dict(load_default=dict, metadata={"description": "See GET /v1/rules/{name}"})
    title = _text(200, load_default=None)
    private = Truth(load_default=False)
    clock = fields.Dict(metadata={"example": {"per_move": "P2D"}})
    on_timeout = fields.List(
        fields.Dict(), metadata={"description": "What time-outs of a seat do, one step after the other"}
    )
    seats = fields.List(
        fields.Nested(SeatWanted),
        required=True,
        validate=validate.Length(min=1, max=20),
        metadata={"example": [{"player": "me"}, {"bot": "greedy"}, {"open": True}]},
    )


class SeatRequest(Schema):
    seat = _number(allow_none=True, load_default=None, metadata={"description": "Default: the lowest one free for you"})
    salt = fields.String(
        load_default="", validate=validate.Length(max=200), metadata={"description": "Goes into the game's chance"}
    )
    invitation = _text(64, allow_none=True, load_default=None)


class Seat(Schema):
    seat = fields.Integer(required=True)
    name = fields.String(required=True, allow_none=True)
    kind = fields.String(required=True, validate=validate.OneOf(["human", "bot", "open", "invited"]))
    stand_in = fields.String(
        required=True, allow_none=True, metadata={"description": "The bot that plays for an absent person"}
    )
    to_act = fields.Boolean(required=True)
    turn = fields.Integer(required=True, allow_none=True)
    due_at = Moment(required=True, allow_none=True)


class You(Schema):
    seat = fields.Integer(required=True)
    turn = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The turn you are asked for; null if you are not"}
    )


class Outcome(Schema):
    scores = fields.List(fields.Integer(), required=True)
    places = fields.List(fields.Integer(), required=True)


class GameSummary(Schema):
    id = fields.UUID(required=True)
    rules = fields.String(required=True)
    options = fields.Dict(required=True)
    title = fields.String(required=True)
    private = fields.Boolean(required=True)
    status = fields.String(required=True, validate=validate.OneOf(STATUSES))
    version = fields.Integer(required=True, metadata={"description": "Counts the deeds of this game"})
    made_at = Moment(required=True)
    clock = fields.Dict(required=True)
    on_timeout = fields.List(fields.Dict(), required=True)
    seats = fields.List(fields.Nested(Seat), required=True)
    outcome = fields.Nested(Outcome, required=True, allow_none=True)
    commitment = fields.String(required=True, metadata={"description": "SHA-256 of the seed of this game's chance"})


class Game(GameSummary):
    invitation = fields.String(
        required=True, allow_none=True, metadata={"description": "For those who sit at a private table, to pass on"}
    )
    you = fields.Nested(You, required=True, allow_none=True)
    view = fields.Raw(required=True, allow_none=True, metadata={**_ANY_VIEW, "description": "What you may see"})


class InvitationQuery(Schema):
    invitation = _text(64, metadata={"description": "Shows a private game to whoever holds this word"})


class AtQuery(InvitationQuery):
    at = fields.Integer(validate=validate.Range(min=0, max=2**31 - 1), metadata={"description": "An earlier version"})


class InvitationRequest(Schema):
    email = Email(required=True)
    seat = _number(allow_none=True, load_default=None, metadata={"description": "Default: the lowest open one"})


class Invited(Schema):
    seat = fields.Integer(required=True)


class VoteRequest(Schema):
    on = fields.String(required=True, validate=validate.OneOf(list(WISHES)))
    vote = Truth(load_default=True, metadata={"description": "false takes an earlier vote back"})


class Votes(Schema):
    """The seats that consent, by wish."""

    pause = fields.List(fields.Integer(), required=True)
    resume = fields.List(fields.Integer(), required=True)
    abandon = fields.List(fields.Integer(), required=True)


class MessageRequest(Schema):
    text = _text(2000, required=True)


class Message(Schema):
    nr = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    name = fields.String(required=True, allow_none=True)
    text = fields.String(required=True)
    at = Moment(required=True)


class MessagesQuery(InvitationQuery):
    after = fields.Integer(load_default=0, validate=validate.Range(min=0, max=2**31 - 1))
    limit = fields.Integer(load_default=100, validate=validate.Range(min=1, max=100))


class Messages(Schema):
    items = fields.List(fields.Nested(Message), required=True)


class GamesQuery(Schema):
    status = fields.String(validate=validate.OneOf(STATUSES))
    rules = fields.String(validate=validate.OneOf(list(GAMES)))
    mine = QueryTruth(load_default=False)
    my_turn = QueryTruth(load_default=False)
    cursor = fields.String(metadata={"description": "From `next` of the page before"})
    limit = fields.Integer(load_default=20, validate=validate.Range(min=1, max=100))


class GamesPage(Schema):
    items = fields.List(fields.Nested(GameSummary), required=True)
    next = fields.String(required=True, allow_none=True, metadata={"description": "The address of the next page"})


# Moves


class MoveRequest(Schema):
    turn = _number(required=True, metadata={"description": "The turn that this move answers"})
    move = fields.Raw(required=True, metadata=_ANY_MOVE)


class Happening(Schema):
    """One event as you saw it; the fields beside these are those of its type."""

    class Meta:
        unknown = INCLUDE

    seq = fields.Integer(required=True)
    version = fields.Integer(required=True)
    type = fields.String(required=True)
    seat = fields.Integer(required=True, allow_none=True)
    at = Moment(required=True)


class MoveQuery(Schema):
    dry_run = QueryTruth(load_default=False, metadata={"description": "Change nothing, only look ahead"})


class Foresight(Schema):
    """What a move would lead to, without what is hidden as yet."""

    would = fields.List(fields.Dict(), required=True)
    view = fields.Raw(required=True, metadata=_ANY_VIEW)
    would_reveal = fields.Boolean(
        required=True, metadata={"description": "More would follow: a hidden star turned over or a card drawn"}
    )


class MoveAnswer(Schema):
    version = fields.Integer(required=True)
    events = fields.List(fields.Nested(Happening), required=True)
    view = fields.Raw(required=True, metadata=_ANY_VIEW)
    you = fields.Nested(You, required=True)


class LegalMovesRequest(Schema):
    begun = fields.List(fields.Raw(metadata=_ANY_MOVE), required=True, validate=validate.Length(max=50))


class LegalMoves(Schema):
    turn = fields.Integer(required=True, allow_none=True)
    moves = fields.List(fields.Raw(metadata=_ANY_MOVE), required=True)


class StoryQuery(InvitationQuery):
    after = fields.Integer(
        load_default=0, validate=validate.Range(min=0, max=2**31 - 1), metadata={"description": "The `seq` last seen"}
    )
    since_version = fields.Integer(
        load_default=0, validate=validate.Range(min=0, max=2**31 - 1), metadata={"description": "The version last seen"}
    )


class Story(Schema):
    items = fields.List(fields.Nested(Happening), required=True)


class ArchivedSeat(Schema):
    seat = fields.Integer(required=True)
    kind = fields.String(required=True, validate=validate.OneOf(["human", "bot"]))
    bot = fields.String(required=True, allow_none=True)


class ArchivedEvent(Schema):
    seq = fields.Integer(required=True)
    version = fields.Integer(required=True)
    type = fields.String(required=True)
    seat = fields.Integer(required=True, allow_none=True)
    at = fields.String(required=True, metadata={"description": "UTC with microseconds, exactly as it was hashed"})
    body = fields.Dict(required=True, metadata={"description": "The other fields of the event, nothing left out"})
    hash = fields.String(required=True, metadata={"description": "SHA-256 of the hash before it and this event"})


class Archive(Schema):
    """A game from its seed to its end; /docs/fairness says how to check it."""

    format = fields.String(required=True)
    format_version = fields.Integer(required=True)
    game = fields.UUID(required=True)
    rules = fields.String(required=True)
    options = fields.Dict(required=True)
    clock = fields.Dict(required=True)
    on_timeout = fields.List(fields.Dict(), required=True)
    seats = fields.List(fields.Nested(ArchivedSeat), required=True)
    salts = fields.List(fields.String(), required=True, metadata={"description": "What each seat added to the chance"})
    seed = fields.String(required=True, metadata={"description": "32 bytes in hex"})
    commitment = fields.String(
        required=True, metadata={"description": "SHA-256 of the seed, known from the opening on"}
    )
    events = fields.List(fields.Nested(ArchivedEvent), required=True)


# The rest


class RulesDescription(Schema):
    """A game as it is played here; the other fields (boards, stars, ...) are its own."""

    class Meta:
        unknown = INCLUDE

    name = fields.String(required=True)
    seats = fields.List(fields.Integer(), required=True, metadata={"description": "For how many players it is"})
    options = fields.Dict(required=True, metadata={"description": "A JSON Schema"})
    editions = fields.Dict(required=True, metadata={"description": "The options' values by edition"})
    move = fields.Dict(required=True, metadata={"description": "A JSON Schema"})
    view = fields.Dict(required=True, metadata={"description": "A JSON Schema"})
    notation = fields.Dict(required=True, metadata={"description": "How a move is written in one line"})


class RulesList(Schema):
    items = fields.List(fields.Dict(), required=True)


class Problem(Schema):
    """RFC 9457. `code` is stable; `detail` is for people."""

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    code = fields.String(required=True)
    detail = fields.String(required=True)
    reason = fields.String(metadata={"description": "Why the rules refuse (illegal-move, malformed-move, bad-option)"})
    turn = fields.Integer(allow_none=True, metadata={"description": "Your present turn (stale-turn)"})
    field = fields.String(metadata={"description": "The field that makes no sense (invalid-field)"})
    errors = fields.Dict(metadata={"description": "What is wrong, by place (json, query) and field (invalid-fields)"})
