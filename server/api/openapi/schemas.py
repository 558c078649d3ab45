"""Schemas (marshmallow) of requests and answers."""

from datetime import UTC
from typing import Any, ClassVar

from marshmallow import INCLUDE, RAISE, Schema, ValidationError, fields, validates_schema

from server.accounts.deliveries import RESULTS
from server.accounts.preferences import CHOICES
from server.accounts.stream_tickets import TICKET
from server.accounts.tokens import OF_A_SEAT, SCOPES
from server.api.problems import ALL as PROBLEMS_BY_CODE
from server.api.reading import QueryNumber, QueryTruth, Several, Truth, from_to, long, one_of, written_as
from server.bots import BOTS
from server.errors import Unfit
from server.play import json_schemas
from server.play.planning.plan_conditions import MOST as MOST_CONDITIONS
from server.play.planning.plans import AT_ONCE, REASONS
from server.play.planning.plans import MOST as MOST_PLANNED
from server.play.seating.hosting import DEFAULT_OPEN_FOR
from server.play.seating.lobby import PACES
from server.play.votes import WISHES
from server.rules import GAMES, Json
from server.sanitize import email_address
from server.translations import LOCALES, Words
from server.webhooks import chats, subscriptions, targets

STATUSES = ["open", "running", "paused", "finished", "abandoned"]
_SIZES = [seats for rules in GAMES.values() for seats in rules.SEATS]
_NULL: Json = {"type": "null"}
_WORD = "^[A-Za-z2-7]{1,64}$"


def by_game(what: str) -> list[Json]:
    """What each game has of this: `Move`, `View`, `Options`, `Event`, `Foreseen`."""
    return [{"$ref": f"#/components/schemas/{what}"}]


class Request(Schema):
    """Fields that it does not name are refused."""

    error_messages = {"unknown": Words("Unknown field."), "type": Words("Not a JSON object.")}  # noqa: RUF012 (marshmallow declares it so)

    class Meta:
        unknown = RAISE


class Email(fields.String):
    """An address, in lower case."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        try:
            return email_address(super()._deserialize(value, attr, data, **kwargs)).lower()
        except Unfit as error:
            raise ValidationError(error.words) from None


class Moment(fields.AwareDateTime):
    """RFC 3339 in UTC, written with a Z."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **kwargs).astimezone(UTC)
        except OverflowError:
            raise self.make_error("invalid", input=value, obj_type=self.OBJ_TYPE) from None

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | float | None:
        return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _text(longest: int, least: int = 1, metadata: Json | None = None, **kw: Any) -> fields.String:
    """Any text but NUL, which the reader refuses everywhere."""
    kw["metadata"] = {"pattern": r"^[^\u0000]*$", **(metadata or {})}
    return fields.String(validate=long(longest, least=least), **kw)


def _word(**kw: Any) -> fields.String:
    return fields.String(validate=written_as(r"[A-Za-z2-7]{1,64}\Z"), **kw)


def _email(**more: Any) -> Email:
    metadata = {"description": more.pop("description"), "not": {"pattern": r"=\?"}}
    return Email(validate=long(254), metadata=metadata, **more)


def _code(about: str) -> fields.String:
    return fields.String(validate=written_as(r"[0-9]{6}\Z"), **_about(about, pattern="^[0-9]{6}$"))


def _day(name: str, about: str) -> fields.String:
    day = r"2[0-9]{3}-[0-9]{2}-[0-9]{2}"
    return fields.String(
        required=True,
        data_key=name,
        validate=written_as(rf"{day}\Z"),
        **_about(about, format="date", pattern=f"^{day}$"),
    )


def _number(**kw: Any) -> fields.Integer:
    return fields.Integer(strict=True, validate=from_to(0, 2**31 - 1), **kw)


def _shape(name: str) -> Json:
    """A value that only `play` can read."""
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}]}


def _about(description: str, **more: Any) -> Json:
    return {"metadata": {"description": description, **more}}


# People


class SignInRequest(Request):
    email = _email(required=True, description="Where to mail the code")
    locale = fields.String(
        load_default="en", validate=one_of(LOCALES), **_about("The language of letters to a new player")
    )


class SignInAnswer(Schema):
    sign_in = fields.UUID(required=True, **_about("Goes into POST /v1/tokens, with the code from the mail"))


class GuestRequest(Request):
    """Nothing need be said."""

    locale = fields.String(load_default="en", validate=one_of(LOCALES), **_about("Your language"))


class TokenRequest(Request):
    """A mailed code, or (with a token) what a further token is to allow."""

    VARIANTS: ClassVar[Json] = {
        "TokenByCode": ("sign_in", "code"),
        "FurtherToken": ("name?", "scopes?", "expires_at?"),
    }

    sign_in = fields.UUID(**_about("From POST /v1/sign-ins"))
    code = _code("From the mail")
    name = _text(80, **_about("What the further token is for"))
    scopes = Several(
        fields.String(validate=one_of(SCOPES)), **_about("What it is to allow; default: what your own does")
    )
    expires_at = Moment(allow_none=True, **_about("A moment to come; default: when the token it is made with ends"))

    @validates_schema
    def _is_one_of_the_two(self, data: Any, **_: Any) -> None:
        by_code = {"sign_in", "code"} & data.keys()
        if by_code and data.keys() != {"sign_in", "code"}:
            raise ValidationError(Words("Send sign_in and code, or name, scopes and expires_at."))


class SeatTokenRequest(Request):
    """What a token for your seat alone is to allow."""

    name = _text(80, load_default="seat", **_about("Whom or what it is for"))
    scopes = Several(
        fields.String(validate=one_of(OF_A_SEAT)),
        load_default=lambda: ["games:read", "moves:write"],  # not in the document: Java has other names for its words
        **_about("What it is to allow, if your own token does. Default: `games:read` and `moves:write`"),
    )
    expires_at = Moment(allow_none=True, **_about("A moment to come; default: when the token it is made with ends"))


class Token(Schema):
    id = fields.UUID(required=True, **_about("Goes into DELETE /v1/tokens/{token_id}; it opens nothing"))
    name = fields.String(required=True)
    scopes = fields.List(fields.String(validate=one_of(SCOPES)), required=True, **_about("What it allows"))
    game = fields.UUID(
        required=True, allow_none=True, **_about("Your seat in this game is all that it is good for; null for all")
    )
    made_at = Moment(required=True)
    expires_at = Moment(required=True, allow_none=True, **_about("null if it does not end by itself"))
    last_used_at = Moment(required=True, allow_none=True, **_about("To the hour; null if it never was"))
    current = fields.Boolean(required=True, **_about("Whether this request was sent with it"))


class TokenAnswer(Token):
    token = fields.String(required=True, **_about("Shown once; only a hash of it is kept"))


class Tokens(Schema):
    items = fields.List(fields.Nested(Token), required=True, **_about("The newest first"))
    next = fields.String(required=True, allow_none=True, **_about("The address of the next page"))


class _Person(Schema):
    name = _text(200, **_about("What others see; cut to 40 characters, and something of it must be visible"))
    locale = fields.String(validate=one_of(LOCALES), **_about("The language of letters"))
    zone = _text(80, **_about("An IANA time zone such as Europe/Berlin"))
    calendar = fields.Dict(metadata=_shape("Calendar"))
    notifications = fields.Dict(metadata=_shape("Notifications"))
    shares_games = Truth(
        **_about("Whether `GET /v1/archives` may give your finished games to everybody, if all who played agree")
    )
    program = Truth(**_about("Whether a program plays this account, which others then see"))


class ProfileChanges(_Person, Request):
    """The fields to change; the others stay. `calendar` and `notifications` are each taken as a whole."""

    email = _email(description="A new address, which counts when it is sent again with both codes")
    code = _code("From the mail to your present address")
    new_code = _code("From the mail to the new address")


class DeletionQuery(Request):
    code = _code("From the mail that comes without it")


class CodeMailed(Schema):
    expires_at = Moment(required=True, **_about("Until when the code is good"))


class Unreachable(Schema):
    """Letters to you came back, so only sign-in codes are sent; signing in by one changes that."""

    since = Moment(required=True)
    why = fields.String(required=True, **_about("Often in the words of a mail server"))


class Profile(_Person):
    id = fields.UUID(required=True)
    email = fields.String(required=True, **_about("Shown to nobody else; empty for a guest"))
    guest = fields.Boolean(required=True, **_about("Whether you have come as a guest, without an address"))
    named = fields.Boolean(
        required=True, **_about("Whether you chose your name; until then others see one that is made up")
    )
    unreachable = fields.Nested(Unreachable, required=True, allow_none=True, **_about("null while letters arrive"))
    new_email = fields.String(
        required=True, allow_none=True, **_about("The address that waits for both codes; null if there is none")
    )


class App(Schema):
    id = fields.UUID(required=True)
    name = fields.String(required=True, **_about("What it says of itself"))
    address = fields.String(required=True, **_about("Where it is, which is known for sure"))
    scopes = fields.List(fields.String(validate=one_of(SCOPES)), required=True)
    game = fields.UUID(required=True, allow_none=True, **_about("The only game that they are good for"))
    made_at = Moment(required=True)
    last_used_at = Moment(required=True, **_about("When it got a token last"))


class Apps(Schema):
    items = fields.List(fields.Nested(App), required=True)


class Export(Schema):
    """All that is stored of a player."""

    profile = fields.Dict(required=True)
    made_at = Moment(required=True, **_about("Since when there is the account"))
    banned_at = Moment(required=True, allow_none=True)
    banned_until = Moment(required=True, allow_none=True)
    ban_reason = fields.String(required=True, allow_none=True)
    tokens = fields.List(fields.Raw(), required=True)
    webhooks = fields.List(fields.Raw(), required=True)
    games = fields.List(fields.Raw(), required=True, **_about("Where you sit, with the story as you saw it"))
    messages = fields.List(fields.Raw(), required=True, **_about("What you said at tables"))
    mails = fields.List(fields.Raw(), required=True, **_about("Yours to us that are still kept, and our answers"))
    letters = fields.List(fields.Raw(), required=True, **_about("What became of ours to you"))
    stand_ins = fields.List(fields.Raw(), required=True, **_about("Whom you ask to play for you, and who asks you"))
    notes = fields.List(fields.Raw(), required=True, **_about("Yours on games"))
    blocks = fields.List(fields.Raw(), required=True, **_about("Whom you block"))
    reports = fields.List(fields.Raw(), required=True, **_about("What you told the operators of others"))
    push_subscriptions = fields.List(fields.Raw(), required=True, **_about("The browsers in which you are told"))
    apps = fields.List(fields.Raw(), required=True, **_about("Programs of strangers that you have allowed something"))
    bounces = fields.List(fields.Raw(), required=True)


class PushKeys(Request):
    p256dh = _text(200, required=True, **_about("As `toJSON()` of a PushSubscription has it"))
    auth = _text(100, required=True)


class PushSubscriptionWanted(Request):
    endpoint = fields.String(
        required=True, validate=long(targets.LONGEST_URL), **_about("As the browser tells it", pattern=targets.URL_FORM)
    )
    keys = fields.Nested(PushKeys, required=True)


class PushSubscription(Schema):
    id = fields.UUID(required=True)
    endpoint = fields.String(required=True)
    made_at = Moment(required=True)


class PushSubscriptions(Schema):
    key = fields.String(required=True, **_about("The `applicationServerKey` of this server (VAPID, RFC 8292)"))
    items = fields.List(fields.Nested(PushSubscription), required=True)


class Feed(Schema):
    """A calendar of your due times, for whoever knows the address."""

    url = fields.String(required=True, allow_none=True, **_about("An iCalendar file (RFC 5545); null if there is none"))


class PageQuery(Request):
    cursor = fields.String(**_about("From `next` of the page before"))
    limit = QueryNumber(1, 100, load_default=20)


class Letter(Schema):
    """A letter to you, and what became of it."""

    letter = fields.UUID(required=True, **_about("The first part of the mail's Message-ID"))
    kind = fields.String(required=True, **_about("Such as your-turn or sign-in-code"))
    game = fields.UUID(required=True, allow_none=True, **_about("The game that it is about, if one"))
    title = fields.String(required=True, allow_none=True, **_about("Of that game"))
    version = fields.Integer(required=True, allow_none=True, **_about("Of that game, when the letter was noted"))
    result = fields.String(
        required=True,
        validate=one_of(RESULTS),
        **_about(
            "waiting; sent: a mail server took it; bounced: it came back later; bundled: part of your next mail for all games; dropped: no longer "
            "true, or not wanted; refused for good; given-up after four days of tries"
        ),
    )
    detail = fields.String(required=True, **_about("Why, often in the words of a mail server"))
    tries = fields.Integer(required=True)
    at = Moment(required=True, **_about("When that became of it; of one that waits, when it was noted"))


class Deliveries(Schema):
    items = fields.List(fields.Nested(Letter), required=True)
    next = fields.String(required=True, allow_none=True, **_about("The address of the next page"))


class TrackRecord(Schema):
    """How somebody plays. `games` counts all at which he sits or sat, the other numbers those that are over."""

    id = fields.UUID(required=True)
    name = fields.String(required=True)
    program = fields.Boolean(required=True, **_about("Whether a program plays, as its owner says"))
    since = Moment(required=True)
    games = fields.Integer(required=True)
    finished = fields.Integer(required=True, **_about("Played to the end"))
    median_answer = fields.String(
        required=True,
        allow_none=True,
        **_about("How long others waited for half of his moves: ISO 8601; null if there are none"),
    )
    time_outs = fields.Integer(required=True, **_about("How often his time ran out"))
    left = fields.Integer(required=True, **_about("Games in which a bot played for him at the end, or plays now"))
    new = fields.Boolean(required=True, **_about("Whether these are too few games to say much"))


class Blocked(Schema):
    id = fields.UUID(required=True)
    name = fields.String(required=True, allow_none=True)
    at = Moment(required=True, **_about("Since when"))


class Blocks(Schema):
    items = fields.List(fields.Nested(Blocked), required=True)


class ReportRequest(Request):
    text = _text(2000, required=True, **_about("What the operators should know"))
    game = fields.UUID(allow_none=True, load_default=None, **_about("Where it happened"))


class NoteChanges(Request):
    """What is not named stays."""

    text = _text(4000, least=0, **_about("Seen by nobody else"))
    muted = Truth(**_about("Whether you hear no more of what is said at this table, on the page and by webhooks"))


class Note(Schema):
    text = fields.String(required=True)
    muted = fields.Boolean(required=True)


# Games


def _salt_hash(**kw: Any) -> fields.String:
    about = "The SHA-256, in hex, of the salt that you reveal with `ready`; for games with the option `ready_check`"
    return fields.String(
        validate=written_as(rf"{json_schemas.SALT_HASH_FORM[:-1]}\Z"),
        metadata={"description": about, "pattern": json_schemas.SALT_HASH_FORM},
        **kw,
    )


class SeatWanted(Request):
    """Who is to sit here: exactly one of the four."""

    VARIANTS: ClassVar[Json] = {
        "OwnSeatWanted": ("player", "salt_hash?"),
        "InvitedSeatWanted": ("email",),
        "BotSeatWanted": ("bot",),
        "OpenSeatWanted": ("open",),
    }

    player = fields.String(validate=one_of(["me"]), **_about("You"))
    salt_hash = _salt_hash()
    email = _email(description="Somebody who is invited by mail")
    bot = fields.String(**_about("A bot by its name", enum=list(BOTS)))
    open = Truth(validate=one_of([True]), **_about("Whoever comes first"))

    @validates_schema
    def _is_one(self, data: Any, **_: Any) -> None:
        if len(set(data) - {"salt_hash"}) != 1 or ("salt_hash" in data and "player" not in data):
            raise ValidationError(Words("Give exactly one of player, email, bot and open."))


def _open_for(**kw: Any) -> fields.String:
    about = (
        "How long from now it waits for players before it closes: ISO 8601, from an hour (PT1H) to 90 days (P90D). "
        "Default: 14 days"
    )
    kw["metadata"] = {**json_schemas.DURATION, "description": about, "examples": ["P14D", "PT12H"]}
    return fields.String(validate=long(40), **kw)


class GameWanted(Request):
    rules = fields.String(required=True, validate=one_of(GAMES), **_about("Which game"))
    options = fields.Dict(
        load_default=dict,
        **_about("Those that differ from the edition; see GET /v1/rules/{name}", anyOf=by_game("Options")),
    )
    title = _text(200, load_default=None, **_about("One visible line, cut to 80 characters; default: the game's name"))
    private = Truth(load_default=False, **_about("Seen only by those who sit there or are invited"))
    clock = fields.Dict(metadata=_shape("Clock"))
    on_timeout = Several(fields.Dict(), metadata=_shape("OnTimeout"))
    open_for = _open_for(load_default=DEFAULT_OPEN_FOR)
    min_reliability = fields.Integer(
        strict=True,
        allow_none=True,
        load_default=None,
        validate=from_to(1, 100),
        **_about(
            "Who comes uninvited must have been there at the end of so many in a hundred of his games that are over"
        ),
    )
    programs = Truth(
        **_about(
            "Whether accounts that a program plays may sit there, invited or not; default: true, but false where the option "
            "`nameless` hides them among all. The house's bots may in any case"
        )
    )
    seats = Several(
        fields.Nested(SeatWanted),
        required=True,
        validate=long(20, least=1),
        **_about("In the order in which they sit; as many as the game takes, at most one of them yours"),
    )


class GameChanges(Request):
    """What may be done before the start: one of the two."""

    VARIANTS: ClassVar[Json] = {"LongerWait": ("open_for",), "BeginWithout": ("begin",)}

    open_for = _open_for()
    begin = Truth(validate=one_of([True]), **_about("Wait no longer for those who have not said that they are ready"))

    @validates_schema
    def _is_one(self, data: Any, **_: Any) -> None:
        if len(data) != 1:
            raise ValidationError(Words("Give exactly one of open_for and begin."))


class SeatRequest(Request):
    seat = _number(allow_none=True, load_default=None, **_about("Default: the lowest one free for you"))
    salt = _text(
        200,
        least=0,
        load_default="",
        **_about("Goes into the game's chance, so that you need not trust ours"),
    )
    salt_hash = _salt_hash(allow_none=True, load_default=None)
    invitation = _word(
        allow_none=True, load_default=None, **_about("The last word of an invitation's link", pattern=_WORD)
    )

    take_over = Truth(
        load_default=False,
        **_about("Take a seat over for good that a bot keeps and the table offers; its salt stays as it was"),
    )


class StandInRequest(Request):
    player = fields.UUID(**_about("Whom to ask: a player, or an address"))
    email = _email(description="Whom to ask: an address, or a player")
    first = _day("from", "The first day, by your clocks; at a nameless table by those of UTC")
    last = _day("until", "The last day; they are at most 90")


class StandIn(Schema):
    """Somebody who is asked to play a seat for some days, or does."""

    seat = fields.Integer(required=True)
    name = fields.String(required=True, allow_none=True, **_about("His; null while only an address is known"))
    begin = Moment(required=True, data_key="from", attribute="from", **_about("When his first day begins"))
    end = Moment(required=True, data_key="until", attribute="until", **_about("When his last day is over"))
    accepted = fields.Boolean(required=True, **_about("Whether he has said that he will"))
    sits = fields.Boolean(required=True, **_about("Whether he plays the seat now"))


class OwnStandIn(Schema):
    stand_in = fields.Nested(StandIn, required=True, allow_none=True, **_about("null: nobody is asked"))


class ReadyRequest(Request):
    salt = _text(
        200,
        least=0,
        allow_none=True,
        load_default=None,
        **_about(
            "The one whose SHA-256 you committed; without it yours counts as none, and is shown not to be revealed"
        ),
    )


class SeatChanges(Request):
    """What is not named stays."""

    salt_hash = _salt_hash(allow_none=True)
    mails = fields.String(
        allow_none=True,
        validate=one_of(CHOICES),
        **_about("What you want of all mails of this game; null: what your profile says of their kinds"),
    )


class OwnSeat(Schema):
    """Where you sit, and what only you see of it."""

    seat = fields.Integer(required=True)
    mails = fields.String(required=True, allow_none=True, validate=one_of(CHOICES))
    salt_hash = fields.String(required=True, allow_none=True, **_about("Of the salt that you have committed"))


class StoodInBy(Schema):
    """Who plays a seat for its person."""

    player = fields.UUID(required=True)
    name = fields.String(required=True)
    program = fields.Boolean(required=True, **_about("Whether it is the account of a program"))
    until = Moment(required=True)


class Seat(Schema):
    seat = fields.Integer(required=True)
    name = fields.String(
        required=True,
        allow_none=True,
        **_about(
            "Of its person or bot; null while it is not taken, and of persons until the end where the option `nameless` hides them"
        ),
    )
    player = fields.UUID(
        required=True,
        allow_none=True,
        **_about("Its person, for GET /v1/players/{player_id}; null if it has none, or hides him as `name`"),
    )
    program = fields.Boolean(
        required=True,
        **_about("Whether a program plays the account of its person; false until the end where `nameless` hides him"),
    )
    kind = fields.String(required=True, validate=one_of(["human", "bot", "open", "invited"]))
    stand_in = fields.String(required=True, allow_none=True, **_about("The bot that plays for an absent person"))
    stood_in_by = fields.Nested(
        StoodInBy, required=True, allow_none=True, **_about("Another person who plays for him; null if none does")
    )
    to_act = fields.Boolean(required=True, **_about("Whether the game waits for this seat"))
    turn = fields.Integer(required=True, allow_none=True, **_about("The number of the turn that it is asked for"))
    due_at = Moment(required=True, allow_none=True, **_about("When its time runs out; null where none runs"))
    unreachable = fields.Boolean(
        required=True, **_about("Whether letters to its person, or the invitation to it, do not arrive")
    )
    declined = fields.Boolean(
        required=True, **_about("Whether whoever was invited last has declined; the seat is open")
    )
    ready = fields.Boolean(
        required=True,
        allow_none=True,
        **_about(
            "Whether its person has said that he is ready, which he may do until `due_at`; false in a game that has begun: its "
            "host did not wait; null where nobody is asked"
        ),
    )
    salt_hash = fields.String(required=True, allow_none=True, **_about("SHA-256 of the salt that it has committed"))
    salt_revealed = fields.Boolean(
        required=True,
        allow_none=True,
        **_about(
            "Whether that salt was revealed; one that is not by the start counts as none. null without a commitment"
        ),
    )


class You(Schema):
    """Where you sit."""

    seat = fields.Integer(required=True)
    turn = fields.Integer(required=True, allow_none=True, **_about("The turn you are asked for; null if you are not"))


class Outcome(Schema):
    """How the game ended, by seat."""

    scores = fields.List(fields.Integer(), required=True)
    places = fields.List(fields.Integer(), required=True, **_about("1, 1, 3 where seats share a place"))


class GameSummary(Schema):
    id = fields.UUID(required=True)
    rules = fields.String(required=True, validate=one_of(GAMES), **_about("Which game"))
    options = fields.Dict(required=True, **_about("The value of every option", anyOf=by_game("Options")))
    title = fields.String(required=True)
    private = fields.Boolean(required=True)
    status = fields.String(required=True, validate=one_of(STATUSES))
    version = fields.Integer(required=True, **_about("Counts the deeds of this game"))
    made_at = Moment(required=True)
    host = fields.Integer(
        required=True,
        allow_none=True,
        **_about(
            "The seat of whoever may close the game and send guests away: who opened it, and when he leaves, who sits "
            "first; null if the host has no seat, and once it has begun"
        ),
    )
    closes_at = Moment(
        required=True, allow_none=True, **_about("When it closes if it has not begun by then; null if it is not open")
    )
    clock = fields.Dict(required=True, metadata=_shape("Clock"))
    on_timeout = fields.List(fields.Raw(), required=True, metadata=_shape("OnTimeout"))
    min_reliability = fields.Integer(
        required=True, allow_none=True, **_about("What it asks of those who come uninvited; null for nothing")
    )
    programs = fields.Boolean(required=True, **_about("Whether accounts that a program plays may sit there"))
    seats = fields.List(fields.Nested(Seat), required=True)
    you = fields.Nested(You, required=True, allow_none=True, **_about("null if you have no seat here"))
    invited = fields.Integer(
        required=True, allow_none=True, **_about("The seat that is kept for you; null if you are not invited")
    )
    outcome = fields.Nested(Outcome, required=True, allow_none=True)
    commitment = fields.String(required=True, **_about("SHA-256 of the seed of this game's chance"))
    latest = fields.String(
        required=True,
        allow_none=True,
        **_about(
            "In the list of your games (`mine`): what others did last while the game goes on, as you saw it, in a "
            "sentence of your language; null if you moved last, and elsewhere"
        ),
    )


class Game(GameSummary):
    invitation = fields.String(
        required=True,
        allow_none=True,
        **_about("For those who sit at a private table with room, to pass on; else null"),
    )
    hosting = fields.Boolean(
        required=True, **_about("Whether you may close it, withdraw invitations and send guests away")
    )
    view = fields.Raw(
        required=True,
        allow_none=True,
        **_about("The table as you may see it; null before the start", anyOf=[*by_game("View"), _NULL]),
    )


class Exhibition(Schema):
    names = fields.List(fields.String(), required=True, **_about("By seat"))
    position = fields.Integer(required=True, **_about("How many moves have been made by now"))
    positions = fields.Integer(required=True, **_about("It is over at the last of so many"))
    step = fields.Integer(required=True, **_about("Seconds for a move"))


class ExhibitionQuery(Request):
    at = QueryNumber(**_about("After so many moves; default: by now"))
    theme = fields.String(load_default="dark", validate=one_of(["dark", "light"]))


class InvitationQuery(Request):
    invitation = _word(**_about("Shows a private game to whoever holds this word", pattern=_WORD))


class AtQuery(InvitationQuery):
    at = QueryNumber(**_about("An earlier version"))


class InvitationRequest(Request):
    email = _email(required=True, description="Whom to invite")
    seat = _number(allow_none=True, load_default=None, **_about("Default: the lowest open one"))


class Invited(Schema):
    seat = fields.Integer(required=True, **_about("The seat that is kept"))


class VoteRequest(Request):
    on = fields.String(required=True, validate=one_of(WISHES))
    vote = Truth(load_default=True, **_about("false takes an earlier vote back"))


class TakeBackVote(Schema):
    """A move that somebody asks to take back."""

    on = fields.String(required=True, validate=one_of(["take-back"]))
    seat = fields.Integer(required=True, **_about("Whose move it is"))
    to = fields.Integer(required=True, **_about("The version that the game would go back to"))
    ends_at = fields.String(required=True, **_about("Silence is no", format="date-time"))
    consents = fields.List(fields.Integer(), required=True, **_about("The seats that consent"))


class Votes(Schema):
    """The seats that consent, by wish."""

    pause = fields.List(fields.Integer(), required=True)
    resume = fields.List(fields.Integer(), required=True)
    abandon = fields.List(fields.Integer(), required=True)
    offer = fields.List(
        fields.Integer(),
        required=True,
        **_about("While all who play themselves consent, the seats that bots keep for others can be taken over"),
    )
    take_back = fields.Nested(
        TakeBackVote,
        data_key="take-back",
        attribute="take-back",
        required=True,
        allow_none=True,
        **_about("null: nobody asks for one"),
    )


class TakeBackRequest(Request):
    to = _number(required=True, **_about("The version that your move followed, which the game goes back to"))


class WayBack(Schema):
    to = fields.Integer(
        required=True,
        allow_none=True,
        **_about("The version that your last move followed; null: it cannot be taken back"),
    )
    free = fields.Boolean(required=True, **_about("At once; false: the others are asked"))


class TakeBackAsked(Schema):
    """The vote of the others on a move that you want to take back."""

    vote = fields.Nested(TakeBackVote, required=True)


class MessageRequest(Request):
    text = _text(2000, required=True, **_about("Several lines if need be; something of it must be visible"))


class Message(Schema):
    nr = fields.Integer(required=True, **_about("Counts the messages of a game from 1"))
    seat = fields.Integer(required=True, **_about("Where the speaker sat"))
    name = fields.String(
        required=True,
        allow_none=True,
        **_about("The speaker; null if that account is gone, and until the end where the option `nameless` hides him"),
    )
    text = fields.String(required=True)
    at = Moment(required=True)


class MessagesQuery(InvitationQuery):
    after = QueryNumber(load_default=0, **_about("The `nr` last seen"))
    limit = QueryNumber(1, 100, load_default=100)


class Messages(Schema):
    items = fields.List(fields.Nested(Message), required=True, **_about("In the order in which they were said"))
    next = fields.String(required=True, allow_none=True, **_about("The address of the next page"))


class GamesQuery(PageQuery):
    status = fields.String(validate=one_of(STATUSES))
    rules = fields.String(validate=one_of(GAMES))
    mine = QueryTruth(load_default=False, **_about("Only those where you sit, private ones among them"))
    my_turn = QueryTruth(load_default=False, **_about("Only those that wait for you"))
    free = QueryTruth(load_default=False, **_about("Only open ones with a seat that anybody may take"))
    players = QueryNumber(min(_SIZES), max(_SIZES), **_about("Only open ones for so many players, bots among them"))
    pace = fields.String(
        validate=one_of(PACES),
        **_about(
            "Only open ones: up to 12 hours for a move, or to add to a bank (quick), up to 48 (usual), or more (slow)"
        ),
    )
    clock = fields.String(validate=one_of(["per_move", "bank"]), **_about("Only open ones on such a clock"))
    edition = fields.String(
        validate=written_as(r"[a-z][a-z0-9-]{0,79}\Z"),
        **_about("Only open ones of this edition, or `scenario-` with its number", pattern="^[a-z][a-z0-9-]{0,79}$"),
    )
    reliability = QueryNumber(
        1,
        100,
        **_about("Only open ones where each was there at the end of so many in a hundred of his games that are over"),
    )

    offered = QueryTruth(
        load_default=False, **_about("Only running or paused ones with a seat that can be taken over from a bot")
    )


class GamesPage(Schema):
    items = fields.List(fields.Nested(GameSummary), required=True)
    next = fields.String(required=True, allow_none=True, **_about("The address of the next page"))


# Moves


class MoveRequest(Request):
    turn = _number(required=True, **_about("The turn that this move answers"))
    move = fields.Raw(required=True, **_about("In the form of the game", anyOf=by_game("Move")))


class PlannedMove(Request):
    """A move for one of your next turns, or for the rest of one."""

    move = fields.Raw(required=True, **_about("In the form of the game", anyOf=by_game("Move")))
    if_ = Several(
        fields.Raw(metadata=_shape("Condition")),
        data_key="if",
        attribute="if",
        load_default=list,
        validate=long(MOST_CONDITIONS),
        **_about("All of them must hold"),
    )
    after = fields.String(
        load_default=AT_ONCE,
        validate=long(40),
        **_about(
            "How long it waits once it is your turn, by the clock on the wall: ISO 8601, PT0S or from a second to 365 days; at "
            "the latest it is played when the turn's time is over",
            pattern=json_schemas.DURATION["pattern"],
            examples=["PT0S", "PT6H"],
        ),
    )


class PlanWanted(Request):
    revision = _number(required=True, **_about("Of the plan that these moves replace; 0 if there was none"))
    moves = Several(
        fields.Nested(PlannedMove),
        required=True,
        validate=long(MOST_PLANNED),
        **_about("In the order in which they are to be played"),
    )


class PlanEnd(Schema):
    """Why a plan ended before its end."""

    because = fields.String(
        required=True,
        validate=one_of(REASONS),
        **_about(
            "A `condition` did not hold; it was an `illegal-move` when its time came; you, or a bot for you, `moved` without "
            "it; a move at this table was `taken-back`"
        ),
    )
    index = fields.Integer(required=True, **_about("Of the move at which it ended, among those left"))
    move = fields.Raw(required=True, metadata={"anyOf": by_game("Move")})
    reason = fields.String(required=True, allow_none=True, **_about("The rule's, where the move was illegal"))


class Plan(Schema):
    """What you have left for your next turns."""

    revision = fields.Integer(required=True, **_about("Counts its changes, also those by the moves it plays"))
    moves = fields.List(fields.Nested(PlannedMove), required=True, **_about("Those to come"))
    ended = fields.Nested(PlanEnd, required=True, allow_none=True, **_about("null unless it ended before its end"))


class MoveQuery(Request):
    dry_run = QueryTruth(load_default=False, **_about("Change nothing, only look ahead"))


class Foresight(Schema):
    """What a move would lead to, without what is hidden as yet."""

    would = fields.List(fields.Raw(metadata={"anyOf": by_game("Foreseen")}), required=True, **_about("Events"))
    view = fields.Raw(required=True, **_about("The table after these", anyOf=by_game("View")))
    would_reveal = fields.Boolean(
        required=True, **_about("More would follow: a hidden star turned over or a card drawn")
    )


class MoveAnswer(Schema):
    version = fields.Integer(required=True, **_about("Of the game after the move"))
    events = fields.List(
        fields.Raw(metadata={"anyOf": by_game("Event")}), required=True, **_about("What followed, as you saw it")
    )
    view = fields.Raw(required=True, **_about("The table as you may see it now", anyOf=by_game("View")))
    you = fields.Nested(You, required=True)


class TakenBack(Schema):
    """The table as it is after a move was taken back."""

    version = fields.Integer(required=True, **_about("Of the game now"))
    view = fields.Raw(required=True, **_about("The table as you may see it now", anyOf=by_game("View")))
    you = fields.Nested(You, required=True)


class LegalMovesRequest(Request):
    begun = Several(
        fields.Raw(metadata={"anyOf": by_game("Move")}),
        required=True,
        validate=long(50),
        **_about("The steps that the turn is to begin with"),
    )


class LegalMoves(Schema):
    turn = fields.Integer(required=True, allow_none=True, **_about("The turn you are asked for; null if you are not"))
    moves = fields.List(fields.Raw(metadata={"anyOf": by_game("Move")}), required=True)


class StoryQuery(InvitationQuery):
    after = QueryNumber(load_default=0, **_about("The `seq` last seen"))
    since_version = QueryNumber(load_default=0, **_about("The version last seen"))


class OwnStreamQuery(Request):
    lastEventId = fields.String(**_about("The same as `Last-Event-ID`, for programs that cannot send headers"))
    ticket = fields.String(
        validate=written_as(f"{TICKET.pattern}\\Z"),
        **_about("In place of a token, for the same programs: see makeStreamTicket", pattern=f"^{TICKET.pattern}$"),
    )


class StreamQuery(InvitationQuery, OwnStreamQuery):
    after = QueryNumber(load_default=0, **_about("The `seq` last seen, where `Last-Event-ID` cannot be sent"))


class StreamTicket(Schema):
    ticket = fields.String(required=True, **_about("For `?ticket=` of one stream"))
    expires_at = Moment(required=True)


class Story(Schema):
    items = fields.List(
        fields.Raw(metadata={"anyOf": by_game("Event")}),
        required=True,
        **_about("In order; `seq` has gaps where something happened that you did not see"),
    )


class ArchivedSeat(Schema):
    seat = fields.Integer(required=True)
    kind = fields.String(required=True, validate=one_of(["human", "bot"]))
    bot = fields.String(required=True, allow_none=True, **_about("Its name; null for a person"))


class ArchivedEvent(Schema):
    seq = fields.Integer(required=True, **_about("Counts the events of this game from 1"))
    version = fields.Integer(required=True, **_about("The deed that it was part of"))
    type = fields.String(required=True)
    seat = fields.Integer(required=True, allow_none=True)
    at = fields.String(required=True, **_about("UTC with microseconds, exactly as it was hashed"))
    body = fields.Dict(required=True, **_about("The other fields of the event, nothing left out"))
    hash = fields.String(required=True, **_about("SHA-256 of the hash before it and this event"))


class Archive(Schema):
    """A game from its seed to its end; /docs/fairness says how to check it."""

    format = fields.String(required=True)
    format_version = fields.Integer(required=True)
    game = fields.UUID(required=True, **_about("The id of the game"))
    rules = fields.String(required=True, validate=one_of(GAMES))
    options = fields.Dict(required=True, **_about("The value of every option", anyOf=by_game("Options")))
    clock = fields.Dict(required=True, metadata=_shape("Clock"))
    on_timeout = fields.List(fields.Raw(), required=True, metadata=_shape("OnTimeout"))
    seats = fields.List(fields.Nested(ArchivedSeat), required=True)
    salts = fields.List(fields.String(), required=True, **_about("What each seat added to the chance"))
    salt_hashes = fields.List(fields.String(allow_none=True), metadata=json_schemas.SALT_HASHES)
    seed = fields.String(required=True, **_about("32 bytes in hex"))
    commitment = fields.String(required=True, **_about("SHA-256 of the seed, known from the opening on"))
    events = fields.List(fields.Nested(ArchivedEvent), required=True)


class ArchivesQuery(PageQuery):
    since = Moment(**_about("Only games that ended then or later"))


class SharedGame(Schema):
    """A line of `GET /v1/archives`."""

    ended_at = Moment(required=True)
    players = fields.List(
        fields.String(allow_none=True),
        required=True,
        **_about("Who sat on each seat, by a pseudonym that is the same in all games; null for a bot"),
    )
    archive = fields.Nested(Archive, required=True)


# Webhooks

# Names of components by kind
PAYLOADS = {kind: f"{kind.title().replace('-', '')}Payload" for kind in subscriptions.PAYLOADS}


def _url(**kw: Any) -> fields.String:
    about = "Begins with https and leads to the public internet; in a sandbox it may be http to the loopback"
    return fields.String(
        validate=[long(targets.LONGEST_URL), written_as(rf"{targets.URL_FORM[:-1]}\Z")],
        metadata={"description": about, "pattern": targets.URL_FORM},
        **kw,
    )


def _kinds(**kw: Any) -> Any:
    return Several(
        fields.String(validate=one_of(subscriptions.KINDS)),
        validate=long(len(subscriptions.KINDS), least=1),
        **kw,
        **_about("What it is told of"),
    )


def _form(**kw: Any) -> Any:
    about = "What the address takes: Standard Webhooks, or the messages of a chat, which is told of `your-turn` only"
    return fields.String(validate=one_of(chats.FORMS), **kw, **_about(about))


class WebhookWanted(Request):
    url = _url(required=True)
    form = _form(load_default=chats.STANDARD)
    kinds = _kinds(required=True)
    game = fields.UUID(allow_none=True, load_default=None, **_about("Only this game; default: all games where you sit"))


class WebhookChanges(Request):
    """The fields to change; the others stay."""

    url = _url()
    form = _form()
    kinds = _kinds()
    game = fields.UUID(allow_none=True, **_about("null for all games where you sit"))
    enabled = Truth(**_about("false gives up what waits; true starts with a clean slate"))


class Webhook(Schema):
    id = fields.UUID(required=True)
    url = fields.String(required=True)
    form = fields.String(required=True, validate=one_of(chats.FORMS))
    kinds = fields.List(fields.String(validate=one_of(subscriptions.KINDS)), required=True)
    game = fields.UUID(required=True, allow_none=True)
    enabled = fields.Boolean(required=True)
    disabled_because = fields.String(
        required=True,
        allow_none=True,
        **_about(
            "`by-you`; `gone`: it answered 410 (a chat: 404); `failing`: nothing arrived for three days; `banned`: you were, "
            "for a time; null while it is enabled",
            enum=[*subscriptions.DISABLED, None],
        ),
    )
    failing_since = Moment(required=True, allow_none=True, **_about("null if the last delivery arrived"))
    made_at = Moment(required=True)


class WebhookMade(Webhook):
    secret = fields.String(required=True, **_about("Shown this once; verify the deliveries with it"))


class Webhooks(Schema):
    items = fields.List(fields.Nested(Webhook), required=True, **_about("The oldest first"))


class NewSecret(Schema):
    secret = fields.String(required=True, **_about("Shown this once"))
    old_until = Moment(required=True, **_about("Until then deliveries are signed with the one before, too"))


class WebhookDelivery(Schema):
    id = fields.UUID(required=True, **_about("Is sent as `webhook-id`, the same however often it is tried"))
    kind = fields.String(required=True, validate=one_of(subscriptions.PAYLOADS))
    payload = fields.Raw(required=True, **_about("The body", anyOf=[{"$ref": "#/components/schemas/Payload"}]))
    result = fields.String(
        required=True, validate=one_of(subscriptions.RESULTS), **_about("`failed`: it is tried again at `next_at`")
    )
    tries = fields.Integer(required=True)
    status = fields.Integer(required=True, allow_none=True, **_about("Of the last answer; null if there was none"))
    detail = fields.String(required=True, **_about("What became of the last try, in words"))
    made_at = Moment(required=True)
    tried_at = Moment(required=True, allow_none=True)
    next_at = Moment(required=True, allow_none=True)


class DeliveriesQuery(Request):
    cursor = fields.String(**_about("From `next` of the page before"))
    limit = QueryNumber(1, 100, load_default=20)


class WebhookDeliveries(Schema):
    items = fields.List(fields.Nested(WebhookDelivery), required=True, **_about("The newest first"))
    next = fields.String(required=True, allow_none=True, **_about("The address of the next page"))


# The rest


_JSON_SCHEMA = _about("A JSON Schema (draft 2020-12)", title="JsonSchema")


class NotedMove(Schema):
    text = fields.String(required=True)
    move = fields.Raw(required=True, metadata={"anyOf": by_game("Move")})


class Notation(Schema):
    """How a move is written in one line."""

    form = fields.String(required=True)
    text = fields.String(required=True, **_about("The form in words"))
    examples = fields.List(fields.Nested(NotedMove), required=True)


class RulesDescription(Schema):
    """A game as it is played here; the other fields (boards, stars, ...) are its own."""

    class Meta:
        unknown = INCLUDE

    name = fields.String(required=True, validate=one_of(GAMES))
    seats = fields.List(fields.Integer(), required=True, **_about("For how many players it is"))
    options = fields.Dict(required=True, **_JSON_SCHEMA)
    editions = fields.Dict(
        values=fields.Dict(**_about("The value of every option", title="Edition")),
        required=True,
        **_about("Rule texts by name"),
    )
    move = fields.Dict(required=True, **_JSON_SCHEMA)
    view = fields.Dict(required=True, **_JSON_SCHEMA)
    events = fields.Dict(values=fields.Dict(**_JSON_SCHEMA), required=True, **_about("By type"))
    notation = fields.Nested(Notation, required=True)


class RulesList(Schema):
    items = fields.List(fields.Nested(RulesDescription), required=True)


class Notice(Schema):
    """What operators tell everybody at present."""

    text = fields.String(required=True)
    until = Moment(required=True, allow_none=True, **_about("When it is taken down; null if nobody knows yet"))


class Service(Schema):
    """What answers here."""

    name = fields.String(required=True)
    version = fields.String(required=True, **_about("Of this release"))
    message = fields.Nested(Notice, required=True, allow_none=True)


class Problem(Schema):
    """RFC 9457. `code` is stable; `detail` is for people."""

    type = fields.String(required=True, **_about("The address of a page that explains it"))
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    code = fields.String(required=True, validate=one_of(PROBLEMS_BY_CODE))
    detail = fields.String(required=True)
    request_id = fields.String(
        required=True, **_about("As in the header `X-Request-Id`, and in the log of the operator")
    )
    reason = fields.String(**_about("Why the rules refuse (illegal-move, malformed-move, bad-option, illegal-plan)"))
    turn = fields.Integer(allow_none=True, **_about("Your present turn (stale-turn)"))
    revision = fields.Integer(**_about("The present one of your plan (stale-plan)"))
    index = fields.Integer(**_about("Of the move that cannot be left (illegal-plan)"))
    scope = fields.String(**_about("What the token would have to allow (missing-scope)"))
    until = Moment(allow_none=True, **_about("When the ban ends; null if it does not (banned)"))
    field = fields.String(**_about("The field that makes no sense (invalid-field)"))
    errors = fields.Dict(**_about("What is wrong, by place (json, query) and field (invalid-fields)"))
