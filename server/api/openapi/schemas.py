"""Marshmallow schemas of requests and responses."""

from datetime import UTC
from typing import Any, ClassVar

from marshmallow import INCLUDE, RAISE, Schema, ValidationError, fields, validates_schema

from server.accounts.closing import CLOSABLE
from server.accounts.deliveries import RESULTS
from server.accounts.notice_kinds import WEBHOOK_KINDS
from server.accounts.preferences import CHOICES
from server.accounts.stream_tickets import TICKET
from server.accounts.tokens import OF_A_SEAT, SCOPES
from server.api.problems import ALL as PROBLEMS_BY_CODE
from server.api.reading import QueryNumber, QueryTruth, Several, Truth, from_to, long, one_of, unknown_field, written_as
from server.bots import BOTS
from server.errors import Unfit
from server.games import GAMES, Json
from server.play import json_schemas
from server.play.planning.plan_conditions import MOST as MOST_CONDITIONS
from server.play.planning.plans import AT_ONCE, REASONS
from server.play.planning.plans import MOST as MOST_PLANNED
from server.play.seating.hosting import DEFAULT_OPEN_FOR
from server.play.seating.lobby import PACES
from server.play.votes import WISHES
from server.sanitize import public_address
from server.store.log import moment_text
from server.translations import LOCALES, Words
from server.webhooks import chats, subscriptions, targets

STATUSES = ["open", "running", "paused", "finished", "abandoned"]
PLAYED = STATUSES[:-1]
_SIZES = [seats for rules in GAMES.values() for seats in rules.SEATS]
_NULL: Json = {"type": "null"}
_WORD = "^[A-Za-z2-7]{1,64}$"


def by_game(what: str) -> list[Json]:
    """Return references to each game's schema of `Move`, `View`, `Options`, `Event` or `Foreseen`."""
    return [{"$ref": f"#/components/schemas/{what}"}]


class Request(Schema):
    """A request body. Unknown fields are rejected."""

    error_messages = {"unknown": Words("Unknown field."), "type": Words("Not a JSON object.")}  # noqa: RUF012 (marshmallow declares it so)

    class Meta:
        unknown = RAISE

    def handle_error(self, error: ValidationError, data: Any, **_: Any) -> None:
        """List unknown fields first: a misspelled field is the reason why another one is missing."""
        if isinstance(error.messages, dict) and isinstance(data, dict):
            found = error.messages
            unknown = [name for name in data if found.get(name) == [self.error_messages["unknown"]]]
            error.messages = {it: [unknown_field(it, self.fields)] for it in unknown} | {
                name: those for name, those in found.items() if name not in unknown
            }


class Answer(Schema):
    """A response body. Each of its fields is in every response, except those in `MAY_BE_ABSENT`."""

    MAY_BE_ABSENT: ClassVar[tuple[str, ...]] = ()

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        field_obj.required = field_name not in self.MAY_BE_ABSENT


class Email(fields.String):
    """An email address, in lower case."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        try:
            return public_address(super()._deserialize(value, attr, data, **kwargs))
        except Unfit as error:
            raise ValidationError(error.words) from None


class Moment(fields.AwareDateTime):
    """A timestamp (RFC 3339; see `moment_text`)."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        try:
            return super()._deserialize(value, attr, data, **kwargs).astimezone(UTC)
        except OverflowError:
            raise self.make_error("invalid", input=value, obj_type=self.OBJ_TYPE) from None

    def _serialize(self, value: Any, attr: str | None, obj: Any, **kwargs: Any) -> str | float | None:
        return None if value is None else moment_text(value)


def _text(longest: int, least: int = 1, metadata: Json | None = None, **kw: Any) -> fields.String:
    """Return a field for text without NUL, which the parser rejects everywhere."""
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
    """Return metadata that refers to another schema, for a value that `server.play` parses."""
    return {"allOf": [{"$ref": f"#/components/schemas/{name}"}]}


def _about(description: str, **more: Any) -> Json:
    return {"metadata": {"description": description, **more}}


# People


class SignInRequest(Request):
    email = _email(required=True, description="Address that the code is emailed to")
    locale = fields.String(
        validate=one_of(LOCALES), **_about("Language of emails to a new player. Default: from `Accept-Language`.")
    )
    zone = _text(
        80,
        **_about("IANA time zone of a new player, or of one who has chosen none, such as Europe/Berlin. Default: UTC."),
    )


class SignInAnswer(Answer):
    sign_in = fields.UUID(**_about("Sign-in id. Send it to POST /v1/tokens together with the emailed code."))


class GuestRequest(Request):
    """Request for a guest account. All fields are optional."""

    locale = fields.String(validate=one_of(LOCALES), **_about("Your language. Default: from `Accept-Language`."))
    zone = _text(80, **_about("Your IANA time zone, such as Europe/Berlin. Default: UTC."))


class TokenRequest(Request):
    """Either an emailed sign-in code, or the details of an additional token."""

    VARIANTS: ClassVar[Json] = {"TokenByCode": ("sign_in", "code"), "FurtherToken": ("name?", "scopes?", "expires_at?")}

    sign_in = fields.UUID(**_about("Sign-in id from POST /v1/sign-ins"))
    code = _code("Code from the email")
    name = _text(80, **_about("Name that tells you what the token is for"))
    scopes = Several(
        fields.String(validate=one_of(SCOPES)),
        **_about("Scopes of the new token. Default: all scopes of the current token except `export:read`."),
    )
    expires_at = Moment(
        allow_none=True,
        **_about("When the new token expires. Must be in the future. Default: when the current token expires."),
    )

    @validates_schema
    def _is_one_of_the_two(self, data: Any, **_: Any) -> None:
        by_code = {"sign_in", "code"} & data.keys()
        if by_code and data.keys() != {"sign_in", "code"}:
            raise ValidationError(Words("Send sign_in and code, or name, scopes and expires_at."))


class SeatTokenRequest(Request):
    """Details of a token for your seat."""

    name = _text(80, load_default="seat", **_about("Name that tells you what the token is for"))
    scopes = Several(
        fields.String(validate=one_of(OF_A_SEAT)),
        load_default=lambda: [
            "games:read",
            "moves:write",
        ],  # absent from the document, since Java names these constants differently
        **_about(
            "Scopes of the new token. Your own token must have them too. Default: `games:read` and `moves:write`."
        ),
    )
    expires_at = Moment(
        allow_none=True,
        **_about("When the new token expires. Must be in the future. Default: when the current token expires."),
    )


class Token(Answer):
    id = fields.UUID(**_about("Id for DELETE /v1/tokens/{token_id}. Not a secret."))
    name = fields.String()
    scopes = fields.List(fields.String(validate=one_of(SCOPES)), **_about("Scopes of the token"))
    game = fields.UUID(allow_none=True, **_about("Game that a seat token is limited to; null for other tokens"))
    made_at = Moment()
    expires_at = Moment(allow_none=True, **_about("When the token expires; null if it doesn't expire"))
    last_used_at = Moment(allow_none=True, **_about("When the token was last used, to the hour; null if never"))
    current = fields.Boolean(**_about("Whether this token sent the request"))


class TokenAnswer(Token):
    token = fields.String(**_about("The token itself. Returned only once, because the server stores only a hash."))


class Tokens(Answer):
    items = fields.List(fields.Nested(Token), **_about("Tokens, newest first"))
    next = fields.String(allow_none=True, **_about("URL of the next page; null on the last page"))


class _Person(Schema):
    name = _text(200, **_about("Display name. Cut to 40 characters; must contain a visible character."))
    locale = fields.String(validate=one_of(LOCALES), **_about("Language of emails"))
    zone = _text(80, **_about("IANA time zone, such as Europe/Berlin"))
    calendar = fields.Dict(metadata=_shape("Calendar"))
    notifications = fields.Dict(metadata=_shape("Notifications"))
    shares_games = Truth(
        **_about("Whether `GET /v1/archives` can publish your finished games. All players of a game must agree.")
    )
    program = Truth(**_about("Whether this account belongs to a program. Visible to other players."))


class ProfileChanges(_Person, Request):
    """Changes to your profile. Fields that you leave out stay unchanged. `calendar` and `notifications` are each replaced as a whole."""

    email = _email(description="New email address. Takes effect when you send it again with both codes.")
    code = _code("Code emailed to your current address")
    new_code = _code("Code emailed to your new address")


class DeletionQuery(Request):
    code = _code("Code from the email that is sent when you make this call without a code")


class CodeMailed(Answer):
    expires_at = Moment(**_about("When the code expires"))


class Unreachable(Answer):
    """Emails to you bounced, so we send only sign-in codes. Once you sign in with a code, emails resume."""

    since = Moment()
    why = fields.String(**_about("Reason, often in the words of a mail server"))


class Profile(_Person, Answer):
    MAY_BE_ABSENT = ("name", "locale", "zone", "calendar", "notifications", "shares_games", "program")

    id = fields.UUID()
    email = fields.String(**_about("Your email address, visible only to you; empty for a guest"))
    guest = fields.Boolean(**_about("Whether this is a guest account without an email address"))
    named = fields.Boolean(**_about("Whether you chose your name. Until then, others see a generated name."))
    unreachable = fields.Nested(
        Unreachable, allow_none=True, **_about("Present while emails to you bounce; otherwise null")
    )
    new_email = fields.String(
        allow_none=True, **_about("New address that still needs both codes; null if there is none")
    )


class App(Answer):
    id = fields.UUID()
    name = fields.String(**_about("Name that the app registered with"))
    address = fields.String(**_about("Verified address of the app"))
    scopes = fields.List(fields.String(validate=one_of(SCOPES)))
    game = fields.UUID(
        allow_none=True, **_about("Game that the scopes are limited to; null if they apply to all games")
    )
    made_at = Moment()
    last_used_at = Moment(**_about("When the app last got a token"))


class Apps(Answer):
    items = fields.List(fields.Nested(App))


class Export(Answer):
    """Copy of a player's data."""

    profile = fields.Dict()
    made_at = Moment(**_about("When the account was created"))
    banned_at = Moment(allow_none=True)
    banned_until = Moment(allow_none=True)
    ban_reason = fields.String(allow_none=True)
    tokens = fields.List(fields.Raw())
    webhooks = fields.List(fields.Raw(), **_about("Your webhooks. URLs are reduced to scheme and host."))
    games = fields.List(
        fields.Raw(),
        **_about(
            "Games in which you have a seat, with their events. Finished games show the events as you saw them; other "
            "games show them as spectators see them."
        ),
    )
    messages = fields.List(fields.Raw(), **_about("Your chat messages"))
    mails = fields.List(
        fields.Raw(), **_about("Text of your emails to the server that are still stored, with the server's replies")
    )
    letters = fields.List(fields.Raw(), **_about("Delivery results of emails sent to you"))
    stand_ins = fields.List(fields.Raw(), **_about("Stand-in requests that you sent or received"))
    invitations = fields.List(fields.Raw(), **_about("Greetings that you wrote in invitations"))
    notes = fields.List(fields.Raw(), **_about("Your notes on games"))
    blocks = fields.List(fields.Raw(), **_about("Players you've blocked"))
    reports = fields.List(fields.Raw(), **_about("Your reports about other players"))
    push_subscriptions = fields.List(
        fields.Raw(), **_about("Your push subscriptions, with the host of each push service")
    )
    apps = fields.List(fields.Raw(), **_about("Third-party apps you have authorized"))
    bounces = fields.List(fields.Raw())


class PushKeys(Request):
    p256dh = _text(200, required=True, **_about("Public key, as in `toJSON()` of a PushSubscription"))
    auth = _text(100, required=True)


class PushSubscriptionWanted(Request):
    endpoint = fields.String(
        required=True,
        validate=long(targets.LONGEST_URL),
        **_about("Endpoint URL that the browser returned", pattern=targets.URL_FORM),
    )
    keys = fields.Nested(PushKeys, required=True)


class PushSubscription(Answer):
    id = fields.UUID()
    endpoint = fields.String()
    made_at = Moment()


class PushSubscriptions(Answer):
    key = fields.String(**_about("This server's `applicationServerKey` (VAPID, RFC 8292)"))
    items = fields.List(fields.Nested(PushSubscription))


class Feed(Answer):
    """Calendar of your move deadlines. Anyone who knows the URL can read it."""

    url = fields.String(allow_none=True, **_about("URL of an iCalendar file (RFC 5545); null if you have no feed"))


class PageQuery(Request):
    cursor = fields.String(**_about("Cursor from `next` of the previous page"))
    limit = QueryNumber(1, 100, load_default=20, **_about("Number of items per page"))


class Letter(Answer):
    """Email sent to you, with its delivery result."""

    letter = fields.UUID(**_about("First part of the email's Message-ID"))
    kind = fields.String(**_about("Kind of email, such as `your-turn` or `sign-in-code`"))
    game = fields.UUID(allow_none=True, **_about("Game that the email is about; null if none"))
    title = fields.String(allow_none=True, **_about("Title of the game that the email is about"))
    version = fields.Integer(allow_none=True, **_about("Version of the game when the email was queued"))
    result = fields.String(
        validate=one_of(RESULTS),
        **_about(
            "`waiting`: not sent yet. `sent`: accepted by a mail server. `bounced`: accepted, then returned. "
            "`bundled`: part of your next bundle. `dropped`: outdated or switched off. `refused`: permanently "
            "rejected. `given-up`: still failing after four days."
        ),
    )
    detail = fields.String(**_about("Reason for the result, often in the words of a mail server"))
    tries = fields.Integer()
    at = Moment(**_about("Time of the result; for waiting emails, when the email was queued"))


class Deliveries(Answer):
    items = fields.List(fields.Nested(Letter))
    next = fields.String(allow_none=True, **_about("URL of the next page; null on the last page"))


class Companion(Answer):
    id = fields.UUID()
    name = fields.String()
    program = fields.Boolean(**_about("Whether the owner marked the account as played by a program"))


class Companions(Answer):
    items = fields.List(fields.Nested(Companion))


class TrackRecord(Answer):
    """Track record of a player. `games` counts all public games in which they have or had a seat; the other numbers
    count only finished games. Private games count only for the reliability.
    """

    id = fields.UUID()
    name = fields.String()
    program = fields.Boolean(**_about("Whether the owner marked the account as played by a program"))
    since = Moment(**_about("Midnight (UTC) of the day on which the player's account was created"))
    games = fields.Integer()
    finished = fields.Integer(**_about("Games played to the end"))
    won = fields.Integer(**_about("Finished games that the player won, alone or in a tie"))
    reliability = fields.Integer(
        **_about(
            "Percentage of games, over or current, that the player didn't leave to a bot. Current games count only while "
            "a bot is playing; 100 if no game counts"
        )
    )
    median_answer = fields.String(
        allow_none=True,
        **_about(
            "Median time that others waited for this player's moves: ISO 8601 duration of at least PT1S; null if "
            "the player has made no moves"
        ),
    )
    time_outs = fields.Integer(**_about("Number of time-outs"))
    left = fields.Integer(
        **_about("Games in which a bot was playing this player's seat at the end, or is playing it now")
    )
    new = fields.Boolean(**_about("Whether the player has too few games for a meaningful record"))


class Blocked(Answer):
    id = fields.UUID()
    name = fields.String(allow_none=True)
    at = Moment(**_about("When you blocked the player"))


class Blocks(Answer):
    items = fields.List(fields.Nested(Blocked))


class ReportRequest(Request):
    text = _text(2000, required=True, **_about("Text of the report"))
    game = fields.UUID(allow_none=True, load_default=None, **_about("Game that the report is about"))


class NoteChanges(Request):
    """Fields that you leave out stay unchanged."""

    text = _text(4000, least=0, **_about("Text of the note, visible only to you"))
    muted = Truth(
        **_about("Whether you have turned off notifications, on the page and by webhook, for messages at this table")
    )


class Note(Answer):
    text = fields.String()
    muted = fields.Boolean()


# Games


def _salt_hash(**kw: Any) -> fields.String:
    about = (
        "SHA-256 (hex) of the salt that you will reveal when you confirm you're ready. For games with the "
        "option `ready_check`."
    )
    return fields.String(
        validate=written_as(rf"{json_schemas.SALT_HASH_FORM[:-1]}\Z"),
        metadata={"description": about, "pattern": json_schemas.SALT_HASH_FORM},
        **kw,
    )


def _greeting(**kw: Any) -> fields.String:
    return _text(
        1000,
        least=0,
        metadata={
            "description": "Personal message at the top of the email. Cut to 200 characters in at most 6 lines. Must "
            "not contain a web address, an email address or a phone number."
        },
        **kw,
    )


class SeatWanted(Request):
    """Who gets this seat. Send exactly one of `player`, `email`, `companion`, `bot` and `open`."""

    VARIANTS: ClassVar[Json] = {
        "OwnSeatWanted": ("player", "salt_hash?"),
        "InvitedSeatWanted": ("email", "greeting?"),
        "CompanionSeatWanted": ("companion",),
        "BotSeatWanted": ("bot",),
        "OpenSeatWanted": ("open",),
    }

    player = fields.String(validate=one_of(["me"]), **_about("Always `me`: you take this seat"))
    salt_hash = _salt_hash()
    email = _email(
        description="Address of the player to invite by email. You can see who takes this seat, even with the option "
        "`nameless`."
    )
    greeting = _greeting()
    companion = fields.UUID(
        **_about("Player to invite by email without knowing their address: one of those that listCompanions returns")
    )
    bot = fields.String(**_about("Name of a bot", enum=list(BOTS)))
    open = Truth(validate=one_of([True]), **_about("Always `true`: any player can take this seat"))

    @validates_schema
    def _is_one(self, data: Any, **_: Any) -> None:
        is_extra = {"salt_hash": "player", "greeting": "email"}
        if len(set(data) - set(is_extra)) != 1 or any(
            extra in data and wanted not in data for extra, wanted in is_extra.items()
        ):
            raise ValidationError(Words("Send exactly one of player, email, companion, bot and open."))


def _open_for(**kw: Any) -> fields.String:
    about = (
        "How long the game stays open for players before it closes: ISO 8601 duration from one hour (PT1H) "
        "to 90 days (P90D). Default: 14 days."
    )
    kw["metadata"] = {**json_schemas.DURATION, "description": about, "examples": ["P14D", "PT12H"]}
    return fields.String(validate=long(40), **kw)


class GameWanted(Request):
    rules = fields.String(required=True, validate=one_of(GAMES), **_about("Game rules by name"))
    options = fields.Dict(
        load_default=dict,
        **_about("Options that differ from the edition's. See GET /v1/rules/{name}.", anyOf=by_game("Options")),
    )
    title = _text(
        200,
        load_default=None,
        **_about(
            "Title in one line. Cut to 80 characters; must contain a visible character. Default: the name of the rules."
        ),
    )
    private = Truth(
        load_default=False,
        **_about(
            "Whether only seated and invited players can see the game. Games that guests create are always private."
        ),
    )
    clock = fields.Dict(metadata=_shape("Clock"))
    on_timeout = Several(fields.Dict(), metadata=_shape("OnTimeout"))
    open_for = _open_for(load_default=DEFAULT_OPEN_FOR)
    min_reliability = fields.Integer(
        strict=True,
        allow_none=True,
        load_default=None,
        validate=from_to(1, 100),
        **_about(
            "Reliability that players need to join without an invitation: the percentage of their finished games "
            "in which they were present at the end. Players without a finished game can join."
        ),
    )
    programs = Truth(
        **_about(
            "Whether accounts marked as programs can join, even by invitation. Default: true, or false "
            "with the `nameless` option, which would hide the mark. The server's own bots can always play."
        )
    )
    seats = Several(
        fields.Nested(SeatWanted),
        required=True,
        validate=long(20, least=1),
        **_about("Seats in playing order. Their number must fit the game, and at most one can be yours."),
    )


class GameChanges(Request):
    """A change to a game that has not started. Send exactly one of `open_for` and `begin`."""

    VARIANTS: ClassVar[Json] = {"LongerWait": ("open_for",), "BeginWithout": ("begin",)}

    open_for = _open_for()
    begin = Truth(
        validate=one_of([True]),
        **_about("Always `true`: start without the players who haven't confirmed that they're ready"),
    )

    @validates_schema
    def _is_one(self, data: Any, **_: Any) -> None:
        if len(data) != 1:
            raise ValidationError(Words("Send exactly one of open_for and begin."))


class SeatRequest(Request):
    seat = _number(
        allow_none=True,
        load_default=None,
        **_about("Seat to take. Default: the lowest-numbered seat that you can take."),
    )
    salt = _text(
        200,
        least=0,
        load_default="",
        **_about(
            "Text of your choice that goes into the game's random numbers, so that the server can't determine them "
            "alone"
        ),
    )
    salt_hash = _salt_hash(allow_none=True, load_default=None)
    invitation = _word(
        allow_none=True,
        load_default=None,
        **_about("Link token of an invitation: the last part of the invitation link", pattern=_WORD),
    )

    take_over = Truth(
        load_default=False,
        **_about(
            "Permanently take over a seat that a bot plays and that is open to new players. The seat keeps its salt."
        ),
    )


class StandInRequest(Request):
    player = fields.UUID(**_about("Player to ask. Send either `player` or `email`."))
    email = _email(description="Address to ask. Send either `email` or `player`.")
    first = _day("from", "First day, in your time zone (at a nameless table, in UTC)")
    last = _day("until", "Last day, at most 90 days in total")
    greeting = _greeting(load_default="")


class StandIn(Answer):
    """Player who was asked to play a seat for some days, or is playing it."""

    seat = fields.Integer()
    name = fields.String(allow_none=True, **_about("Name of the stand-in; null while only an address is known"))
    begin = Moment(data_key="from", attribute="from", **_about("Start of the stand-in's first day"))
    end = Moment(data_key="until", attribute="until", **_about("End of the stand-in's last day"))
    accepted = fields.Boolean(**_about("Whether the stand-in has accepted"))
    sits = fields.Boolean(**_about("Whether the stand-in is playing the seat now"))


class OwnStandIn(Answer):
    stand_in = fields.Nested(StandIn, allow_none=True, **_about("Requested or current stand-in; null if there is none"))


class ReadyRequest(Request):
    salt = _text(
        200,
        least=0,
        allow_none=True,
        load_default=None,
        **_about(
            "Salt whose SHA-256 you committed to. If you omit it, you add no salt, and the seat shows that "
            "your commitment was not revealed."
        ),
    )


class BotRequest(Request):
    bot = fields.String(required=True, validate=one_of(list(BOTS)), **_about("Name of a bot"))


class SeatChanges(Request):
    """Fields that you leave out stay unchanged."""

    salt_hash = _salt_hash(allow_none=True)
    mails = fields.String(
        allow_none=True,
        validate=one_of(CHOICES),
        **_about("Setting for all emails about this game; null to use your profile's settings"),
    )


class OwnSeat(Answer):
    """Your seat with its private settings."""

    seat = fields.Integer()
    mails = fields.String(allow_none=True, validate=one_of(CHOICES))
    salt_hash = fields.String(allow_none=True, **_about("SHA-256 of the salt you committed to; null if none"))


class StoodInBy(Answer):
    """Player who stands in for a seat's player."""

    player = fields.UUID()
    name = fields.String()
    program = fields.Boolean(**_about("Whether the account is marked as a program"))
    until = Moment()


class Seat(Answer):
    seat = fields.Integer()
    name = fields.String(
        allow_none=True,
        **_about(
            "Name of the player or bot; null while the seat is free. With the `nameless` option, also null "
            "for players until the end."
        ),
    )
    display_name = fields.String(
        allow_none=True,
        **_about(
            "Name to show, as in pictures and emails: `Maia` for a bot whose `name` is `level-2`. For players, it "
            "equals `name`."
        ),
    )
    player = fields.UUID(
        allow_none=True,
        **_about("Player id for GET /v1/players/{player_id}; null if the seat has no player or `name` is hidden"),
    )
    program = fields.Boolean(
        **_about(
            "Whether the player's account is marked as a program. With the `nameless` option, always false "
            "until the end."
        )
    )
    kind = fields.String(validate=one_of(["human", "bot", "open", "invited"]))
    stand_in = fields.String(allow_none=True, **_about("Bot that plays for an absent player; null if none does"))
    stood_in_by = fields.Nested(
        StoodInBy, allow_none=True, **_about("Player who stands in for this seat's player; null if none does")
    )
    to_act = fields.Boolean(**_about("Whether it is this seat's turn"))
    turn = fields.Integer(
        allow_none=True, **_about("Number of the seat's current turn; null if it isn't the seat's turn")
    )
    due_at = Moment(allow_none=True, **_about("When the seat's time runs out; null if its clock isn't running"))
    unreachable = fields.Boolean(**_about("Whether emails to the seat's player or invitee are bouncing"))
    declined = fields.Boolean(
        **_about("Whether the seat is open because the last player who was invited to it declined")
    )
    declined_by = fields.String(
        allow_none=True,
        **_about(
            "Name of the person who declined. Players at the table see it. If the invitation was sent to an address, "
            "only the player who entered the address sees it. Otherwise null."
        ),
    )
    ready = fields.Boolean(
        allow_none=True,
        **_about(
            "Whether the player has confirmed that they're ready. Players can confirm until `due_at`. In a "
            "started game, false means that the host didn't wait for this player. Null if the player isn't asked "
            "to confirm."
        ),
    )
    salt_hash = fields.String(
        allow_none=True, **_about("SHA-256 of the seat's committed salt; null if none was committed")
    )
    salt_revealed = fields.Boolean(
        allow_none=True,
        **_about(
            "Whether the committed salt was revealed. A salt that isn't revealed by the start is ignored. Null if "
            "no salt was committed."
        ),
    )


class You(Answer):
    """Your seat in this game."""

    seat = fields.Integer()
    turn = fields.Integer(allow_none=True, **_about("Number of your current turn; null if it isn't your turn"))


class Outcome(Answer):
    """Result of the game."""

    scores = fields.List(fields.Integer())
    places = fields.List(fields.Integer(), **_about("Final rank of each seat, such as 1, 1, 3 if two seats tie"))


class _AnyGame(Answer):
    id = fields.UUID()
    rules = fields.String(validate=one_of(GAMES), **_about("Game rules by name"))
    options = fields.Dict(**_about("Value of every option", anyOf=by_game("Options")))
    title = fields.String()
    private = fields.Boolean(
        **_about("Whether only seated and invited players can see the game. True if a guest created the game.")
    )


class GameSummary(_AnyGame):
    status = fields.String(validate=one_of(STATUSES))
    version = fields.Integer(**_about("Version number, which grows by one with each commit"))
    made_at = Moment()
    host = fields.Integer(
        allow_none=True,
        **_about(
            "Seat of the host, who can close the game and remove players before the start. The host is the "
            "creator or, if the creator leaves, the seated player with the lowest seat number. Null after the "
            "start, or if the host has no seat."
        ),
    )
    closes_at = Moment(
        allow_none=True, **_about("When the game closes if it hasn't started by then; null if the game isn't open")
    )
    clock = fields.Dict(metadata=_shape("Clock"))
    on_timeout = fields.List(fields.Raw(), metadata=_shape("OnTimeout"))
    min_reliability = fields.Integer(
        allow_none=True,
        **_about("Reliability that players need to join without an invitation (see openGame); null if they need none"),
    )
    programs = fields.Boolean(**_about("Whether accounts marked as programs can join"))
    seats = fields.List(fields.Nested(Seat))
    you = fields.Nested(You, allow_none=True, **_about("Your seat; null if you have none"))
    invited = fields.Integer(allow_none=True, **_about("Seat reserved for you; null if you aren't invited"))
    outcome = fields.Nested(Outcome, allow_none=True)
    commitment = fields.String(**_about("SHA-256 of the seed for this game's random numbers"))
    latest = fields.String(
        allow_none=True,
        **_about(
            "Sentence in your language about what others did last in a running game, as you saw it. Only "
            "in the list of your games (`mine`); otherwise null. Also null if you moved last."
        ),
    )


class Game(GameSummary):
    invitation = fields.String(
        allow_none=True,
        **_about(
            "Link token that you can share to invite others. Present only if the table is private and has free "
            "seats, you play there, and your token has the scope `games:write`; otherwise null."
        ),
    )
    hosting = fields.Boolean(**_about("Whether you can close the game, withdraw invitations and remove players"))
    view = fields.Raw(
        allow_none=True,
        **_about("Table as you are allowed to see it; null before the start", anyOf=[*by_game("View"), _NULL]),
    )


class Exhibition(Answer):
    names = fields.List(fields.String(), **_about("Name of each seat's bot"))
    position = fields.Integer(**_about("Number of moves made so far"))
    positions = fields.Integer(**_about("Number of positions. At the last position, the game is over."))
    step = fields.Integer(**_about("Seconds per move"))
    view = fields.Raw(**_about("Table as spectators see it", anyOf=by_game("View")))


class ExhibitionQuery(Request):
    at = QueryNumber(**_about("Number of moves after which to show the game. Default: the current number."))
    fullest = QueryTruth(
        load_default=False, **_about("If true, show the game when the table was fullest, not after `at` moves")
    )
    theme = fields.String(load_default="dark", validate=one_of(["dark", "light"]), **_about("Colors of the picture"))


class InvitationQuery(Request):
    invitation = _word(**_about("Link token that lets its holder see a private game", pattern=_WORD))


class AtQuery(InvitationQuery):
    at = QueryNumber(**_about("Earlier version to return"))


class InvitationRequest(Request):
    """Who gets the seat. Send exactly one of `email` and `companion`, and a `greeting` only with an `email`."""

    email = _email(description="Address to invite")
    companion = fields.UUID(
        **_about("Player to invite by email without knowing their address: one of those that listCompanions returns")
    )
    seat = _number(
        allow_none=True, load_default=None, **_about("Seat to reserve. Default: the lowest-numbered open seat.")
    )
    greeting = _greeting(load_default="")


class RematchFound(Answer):
    game = fields.UUID(allow_none=True, **_about("The rematch; null if no player has opened one"))
    asked_by = fields.Integer(
        allow_none=True, **_about("Seat, in the finished game, of the player who opened the rematch")
    )
    seated = fields.Boolean(**_about("Whether you have a seat in the rematch"))


class GameBefore(Answer):
    game = fields.UUID(
        allow_none=True,
        **_about("Game of which this one is a rematch; null if it isn't one, or if you can't see that game"),
    )
    number = fields.Integer(allow_none=True, **_about("Number at the end of the rematch's title; null if it has none"))


class Invited(Answer):
    seat = fields.Integer(**_about("Reserved seat"))


class Invitation(Answer):
    seat = fields.Integer(**_about("Reserved seat"))
    email = fields.String(
        allow_none=True,
        **_about("Invited address; null if another player invited them, or if they have changed their address since"),
    )
    name = fields.String(
        allow_none=True, **_about("Name of a player who was invited without their address; null in an anonymous game")
    )


class Invitations(Answer):
    items = fields.List(fields.Nested(Invitation))


class VoteRequest(Request):
    on = fields.String(required=True, validate=one_of(WISHES))
    vote = Truth(load_default=True, **_about("`false` withdraws your earlier consent or, if there is none, refuses"))


def _undoes() -> Any:
    return fields.List(
        fields.String(), **_about("What would be undone: a sentence for each event, in your language, oldest first")
    )


class TakeBackVote(Answer):
    """Vote on taking back a move."""

    on = fields.String(validate=one_of(["take-back"]))
    seat = fields.Integer(**_about("Seat that made the move"))
    to = fields.Integer(**_about("Version that the game would return to"))
    ends_at = fields.String(
        **_about("When the vote ends. Players who haven't voted by then count as refusing.", format="date-time")
    )
    consents = fields.List(fields.Integer(), **_about("Seats whose players consent"))
    undoes = _undoes()


class Refusals(Answer):
    """Seats whose players refuse each open proposal."""

    pause = fields.List(fields.Integer())
    resume = fields.List(fields.Integer())
    abandon = fields.List(fields.Integer())
    offer = fields.List(fields.Integer())
    take_back = fields.List(fields.Integer(), data_key="take-back", attribute="take-back")


class Votes(Answer):
    """Seats whose players consent to each proposal, in the order of their votes."""

    pause = fields.List(fields.Integer())
    resume = fields.List(fields.Integer())
    abandon = fields.List(fields.Integer())
    offer = fields.List(
        fields.Integer(),
        **_about(
            "Seats whose players agree to let others take over the bots' seats. While all active players agree, "
            "anyone can take over a seat that a bot plays."
        ),
    )
    take_back = fields.Nested(
        TakeBackVote,
        data_key="take-back",
        attribute="take-back",
        allow_none=True,
        **_about("Current take-back vote; null if there is none"),
    )
    refusals = fields.Nested(
        Refusals, **_about("Seats whose players refuse each open proposal. They can still consent.")
    )


class TakeBackRequest(Request):
    to = _number(required=True, **_about("Version to return to: the version before your move"))


class WayBack(Answer):
    to = fields.Integer(
        allow_none=True, **_about("Version before your last move; null if you can't take the move back")
    )
    free = fields.Boolean(**_about("Whether the take-back is immediate; false if the other players have to vote"))
    move = fields.Raw(
        allow_none=True, **_about("Your last move; null if you can't take it back", anyOf=[*by_game("Move"), _NULL])
    )
    undoes = _undoes()


class TakeBackAsked(Answer):
    """Vote of the other players on your take-back."""

    vote = fields.Nested(TakeBackVote)


class MessageRequest(Request):
    text = _text(
        2000, required=True, **_about("Text of the message. Can have several lines; must contain a visible character.")
    )


class Message(Answer):
    nr = fields.Integer(**_about("Number of the message in this game, starting from 1"))
    seat = fields.Integer(**_about("Seat that the author had when they wrote the message"))
    name = fields.String(
        allow_none=True,
        **_about(
            "Name of the author; null if the account was deleted. With the `nameless` option, also null until the end."
        ),
    )
    text = fields.String()
    at = Moment()


class MessagesQuery(InvitationQuery):
    after = QueryNumber(load_default=0, **_about("`nr` of the last message you have"))
    limit = QueryNumber(1, 100, load_default=100, **_about("Number of messages per page"))


class Messages(Answer):
    items = fields.List(fields.Nested(Message), **_about("Messages, oldest first"))
    next = fields.String(allow_none=True, **_about("URL of the next page; null on the last page"))


class GamesQuery(PageQuery):
    status = fields.String(validate=one_of(STATUSES), **_about("Only games with this status"))
    rules = fields.String(validate=one_of(GAMES), **_about("Only games with these rules"))
    mine = QueryTruth(load_default=False, **_about("Only games in which you have a seat, including private ones"))
    my_turn = QueryTruth(load_default=False, **_about("Only games in which it is your turn"))
    free = QueryTruth(load_default=False, **_about("Only open games with a seat that any player can take"))
    players = QueryNumber(
        min(_SIZES), max(_SIZES), **_about("Only open games for this number of players, including bots")
    )
    pace = fields.String(
        validate=one_of(PACES),
        **_about(
            "Only open games of this pace. `quick`: at most 12 hours per move or, with a time bank, as the "
            "increment. `usual`: at most 48 hours. `slow`: more."
        ),
    )
    clock = fields.String(validate=one_of(["per_move", "bank"]), **_about("Only open games with this kind of clock"))
    edition = fields.String(
        validate=written_as(r"[a-z][a-z0-9-]{0,79}\Z"),
        **_about(
            "Only open games of this edition, or of a scenario: `scenario-` and its number",
            pattern="^[a-z][a-z0-9-]{0,79}$",
        ),
    )
    reliability = QueryNumber(
        1,
        100,
        **_about(
            "Only open games in which all players were present at the end of at least this percentage of their "
            "finished games"
        ),
    )

    offered = QueryTruth(
        load_default=False, **_about("Only running or paused games with a seat that you can take over from a bot")
    )
    uninvited = QueryTruth(
        load_default=False,
        **_about("Only games in which no seat was ever reserved by email and no other player stands in for a player"),
    )


class GamesPage(Answer):
    items = fields.List(fields.Nested(GameSummary))
    next = fields.String(allow_none=True, **_about("URL of the next page; null on the last page"))


class PlayerGamesQuery(PageQuery):
    status = fields.String(validate=one_of(PLAYED), **_about("Only games with this status"))
    together = QueryTruth(
        load_default=False, **_about("Only games in which you have a seat as well, including private ones")
    )


class PlayerGameSeat(Answer):
    """Seat of a game, without its turn."""

    seat = fields.Integer()
    name = fields.String(allow_none=True, **_about("Name of the player or bot; null while the seat is free"))
    display_name = fields.String(allow_none=True, **_about("Name to show, as in GET /v1/games/{game_id}"))
    player = fields.UUID(allow_none=True, **_about("Player id; null if the seat has no player"))
    program = fields.Boolean(**_about("Whether the player's account is marked as a program"))
    kind = fields.String(validate=one_of(["human", "bot", "open", "invited"]))
    stand_in = fields.String(allow_none=True, **_about("Bot that plays for an absent player; null if none does"))


class PlayerGame(_AnyGame):
    """Game of a player, with the day of its end instead of times."""

    status = fields.String(validate=one_of(PLAYED))
    ended_on = fields.Date(allow_none=True, **_about("Day on which the game ended, in UTC; null before"))
    seats = fields.List(fields.Nested(PlayerGameSeat))
    outcome = fields.Nested(Outcome, allow_none=True)


class PlayerGamesPage(Answer):
    items = fields.List(fields.Nested(PlayerGame))
    next = fields.String(allow_none=True, **_about("URL of the next page; null on the last page"))


# Moves


class MoveRequest(Request):
    turn = _number(
        required=True, **_about("`turn` from the legal moves, which identifies the request that this move answers")
    )
    move = fields.Raw(required=True, **_about("Move, as defined by the game's schema", anyOf=by_game("Move")))


class PlannedMove(Request):
    """Move for one of your next turns, or for the rest of a turn."""

    move = fields.Raw(required=True, **_about("Move, as defined by the game's schema", anyOf=by_game("Move")))
    if_ = Several(
        fields.Raw(metadata=_shape("Condition")),
        data_key="if",
        attribute="if",
        load_default=list,
        validate=long(MOST_CONDITIONS),
        **_about("Conditions that must all be true"),
    )
    after = fields.String(
        load_default=AT_ONCE,
        validate=long(40),
        **_about(
            "Delay after your turn begins, in real time: ISO 8601 duration, PT0S or one second to 365 "
            "days. The move is played when the turn's time runs out, if that is earlier.",
            pattern=json_schemas.DURATION["pattern"],
            examples=["PT0S", "PT6H"],
        ),
    )


class PlanWanted(Request):
    revision = _number(required=True, **_about("Revision of the plan that these moves replace; 0 if there is none"))
    moves = Several(
        fields.Nested(PlannedMove),
        required=True,
        validate=long(MOST_PLANNED),
        **_about("Moves in the order in which they will be played"),
    )


class PlanEnd(Answer):
    """Why a plan ended early."""

    because = fields.String(
        validate=one_of(REASONS),
        **_about(
            "`condition`: a condition was false. `illegal-move`: the planned move was illegal when due. `moved`: you, "
            "or a bot for you, made another move. `taken-back`: a move at this table was taken back."
        ),
    )
    index = fields.Integer(**_about("Index of the move at which the plan ended"))
    move = fields.Raw(metadata={"anyOf": by_game("Move")})
    reason = fields.String(allow_none=True, **_about("Code of the rule that made the move illegal; otherwise null"))


class Plan(Answer):
    """Your plan for your next turns."""

    revision = fields.Integer(**_about("Revision number, which grows with each change, including each played move"))
    moves = fields.List(fields.Nested(PlannedMove), **_about("Moves not played yet"))
    ended = fields.Nested(PlanEnd, allow_none=True, **_about("Why the plan ended early; null if it didn't"))


class WordsQuery(Request):
    words = fields.String(
        validate=one_of(LOCALES), **_about("Adds `words`, a sentence in this language, to each event")
    )


class MoveQuery(WordsQuery):
    dry_run = QueryTruth(
        load_default=False,
        **_about("If true, the move is not played, and the response shows what the move would cause"),
    )


class Foresight(Answer):
    """What a move would cause, without anything that is still hidden."""

    would = fields.List(fields.Raw(metadata={"anyOf": by_game("Foreseen")}), **_about("Events that would follow"))
    view = fields.Raw(**_about("Table after these events", anyOf=by_game("View")))
    would_reveal = fields.Boolean(
        **_about("Whether the move would also reveal hidden information, such as a face-down star or a drawn card")
    )


class MoveAnswer(Answer):
    version = fields.Integer(**_about("Game version after the move"))
    events = fields.List(
        fields.Raw(metadata={"anyOf": by_game("Event")}),
        **_about("Events that followed, as you are allowed to see them"),
    )
    view = fields.Raw(**_about("Table as you are allowed to see it now", anyOf=by_game("View")))
    to_act = fields.List(fields.Integer(), **_about("Seats whose turn it is now"))
    you = fields.Nested(You)


class TakenBack(Answer):
    """Table after a take-back."""

    version = fields.Integer(**_about("Current game version"))
    view = fields.Raw(**_about("Table as you are allowed to see it now", anyOf=by_game("View")))
    you = fields.Nested(You)


class HintRequest(Request):
    begun = Several(
        fields.Raw(metadata={"anyOf": by_game("Move")}),
        required=True,
        validate=long(50),
        **_about("Moves that begin the turn, as in the list of legal moves. Play their steps as one move."),
    )


class LegalMovesRequest(HintRequest):
    planned = Several(
        fields.Raw(metadata={"anyOf": by_game("Move")}),
        validate=long(MOST_PLANNED),
        **_about(
            "Moves of your plan. With them, the response lists what you can plan next: the moves that would be legal if "
            "your next turn began now, after these moves and the steps in `begun`."
        ),
    )


class LegalMovesQuery(Request):
    words = fields.String(
        validate=one_of(LOCALES), **_about("Adds `words`: each move as players write it in emails in this language")
    )


class LegalMoves(Answer):
    MAY_BE_ABSENT = ("words", "foresight")

    turn = fields.Integer(
        allow_none=True,
        **_about(
            "Number to send with your move; null if it isn't your turn. It changes with each of your moves, also within a "
            "turn, and is not the `turn` of the view."
        ),
    )
    moves = fields.List(fields.Raw(metadata={"anyOf": by_game("Move")}))
    words = fields.List(
        fields.String(), **_about("With the parameter `words` only: each of `moves` as players write it in emails")
    )
    foresight = fields.Nested(
        Foresight, **_about("With `planned` only: what the steps in `begun` would cause if your turn began now")
    )


class NextStep(Answer):
    move = fields.Raw(metadata={"anyOf": by_game("Move")})
    words = fields.String(**_about("Move as players write it in emails, in your language"))


class HintedMove(NextStep):
    why = fields.String(
        **_about("What the move achieves, and about how much less it brings than the best one, in your language")
    )
    behind = fields.Float(
        **_about("How many points worse than the best move the bot expects this move to be. A lost win counts as 100.")
    )
    margin = fields.Float(
        allow_none=True,
        **_about(
            "Margin of error of `behind` (95%). If `behind` is less, the bot can't tell the move from the best. 0 if the few "
            "worlds that the bot compared all agree, so treat differences below 0.5 as equal. Null if the margin is unknown"
        ),
    )
    scores = fields.Integer(
        allow_none=True,
        **_about(
            "What the move adds to your score at once, as far as you can foresee; null if the game has no scores until its "
            "end"
        ),
    )
    then = fields.List(
        fields.Nested(NextStep),
        **_about(
            "Best steps after the move, up to the end of your turn or to a step that reveals something. Empty if the move "
            "ends your turn"
        ),
    )
    scores_with_then = fields.Integer(
        allow_none=True, **_about("As `scores`, for the move and the steps in `then` together")
    )
    wins = fields.Boolean(
        **_about("Whether the move and the steps in `then` are certain to end the game, with you alone in first place")
    )


class Hint(Answer):
    """Best moves for your turn."""

    turn = fields.Integer(allow_none=True, **_about("Number of your current turn; null if it isn't your turn"))
    moves = fields.List(fields.Nested(HintedMove), **_about("Up to three moves, best first"))


class ReviewQuery(Request):
    seat = QueryNumber(0, 254, **_about("Seat to review. Default: yours"))


class BetterMove(NextStep):
    """Move that a hint suggests, or the move of `greedy` if that was worth more."""

    why = fields.String(
        **_about("What the move would have achieved, in your language; empty if there is nothing to say")
    )
    gain = fields.Float(**_about("How many points more than the seat's own move it was worth"))
    margin = fields.Float(**_about("Margin of error of `gain` (95%)"))


class ReviewedMove(Answer):
    version = fields.Integer(**_about("Game version before the move, for `at` of getGame"))
    move = fields.Raw(metadata={"anyOf": by_game("Move")})
    words = fields.String(**_about("Move as players write it in emails, in your language"))
    choice = fields.Float(**_about("How many points more than the move of `greedy` it was worth"))
    margin = fields.Float(**_about("Margin of error of `choice` (95%)"))
    better = fields.Nested(
        BetterMove,
        allow_none=True,
        **_about("Move that would clearly have been worth more; null if the bot found none"),
    )


class Review(Answer):
    """Review of a seat's moves in a finished game."""

    seat = fields.Integer()
    total = fields.Integer(**_about("Number of moves to review, not counting moves that had no alternative"))
    done = fields.Integer(**_about("Number of moves reviewed so far"))
    result = fields.Float(allow_none=True, **_about("Score minus the average score of the others; null until complete"))
    choices = fields.Float(
        allow_none=True, **_about("Sum of all `choice`, the part of the result that the moves earned")
    )
    luck = fields.Float(allow_none=True, **_about("Rest of the result"))
    margin = fields.Float(allow_none=True, **_about("Margin of error of `choices` and `luck` (95%)"))
    summary = fields.List(
        fields.String(), **_about("Sentences about where the result comes from, in your language; empty until complete")
    )
    moves = fields.List(fields.Nested(ReviewedMove), **_about("Moves reviewed so far, in order"))


class StoryQuery(InvitationQuery, WordsQuery):
    after = QueryNumber(load_default=0, **_about("`seq` of the last event you have"))
    since_version = QueryNumber(load_default=0, **_about("Last version you have"))
    limit = QueryNumber(1, 500, **_about("Number of log events per page. Default: all events"))


class OwnStreamQuery(WordsQuery):
    lastEventId = fields.String(**_about("Same as `Last-Event-ID`, for clients that can't send headers"))
    ticket = fields.String(
        validate=written_as(f"{TICKET.pattern}\\Z"),
        **_about(
            "Replaces the token for clients that can't send headers. See makeStreamTicket.",
            pattern=f"^{TICKET.pattern}$",
        ),
    )


class StreamQuery(InvitationQuery, OwnStreamQuery):
    after = QueryNumber(
        load_default=0, **_about("`seq` of the last event you have, for clients that can't send `Last-Event-ID`")
    )


class GameStreamQuery(StreamQuery):
    presence = QueryTruth(
        load_default=False,
        **_about("If true and you have a seat, the stream also shows which other players have the table open"),
    )


class StreamTicket(Answer):
    ticket = fields.String(**_about("Ticket for `?ticket=`, valid for one stream"))
    expires_at = Moment()


class Story(Answer):
    items = fields.List(
        fields.Raw(metadata={"anyOf": by_game("Event")}),
        **_about("Events in order. `seq` has gaps where events are hidden from you."),
    )
    next = fields.String(allow_none=True, **_about("URL of the next page; null on the last page"))


class ArchivedSeat(Answer):
    seat = fields.Integer()
    kind = fields.String(validate=one_of(["human", "bot"]))
    bot = fields.String(allow_none=True, **_about("Name of the bot; null for a human"))


class ArchivedEvent(Answer):
    seq = fields.Integer(**_about("Number of the event in this game, starting from 1"))
    version = fields.Integer(**_about("Game version after the commit that contains this event"))
    type = fields.String()
    seat = fields.Integer(allow_none=True)
    at = fields.String(**_about("UTC time with microseconds, exactly as hashed"))
    body = fields.Dict(**_about("All other fields of the event"))
    hash = fields.String(**_about("SHA-256 of the previous hash and this event"))


class Archive(Answer):
    """Complete record of a game, from its seed to its end. See /docs/fairness for how to check it."""

    MAY_BE_ABSENT = ("salt_hashes",)

    format = fields.String()
    format_version = fields.Integer()
    game = fields.UUID(**_about("Game id"))
    rules = fields.String(validate=one_of(GAMES))
    options = fields.Dict(**_about("Value of every option", anyOf=by_game("Options")))
    clock = fields.Dict(metadata=_shape("Clock"))
    on_timeout = fields.List(fields.Raw(), metadata=_shape("OnTimeout"))
    seats = fields.List(fields.Nested(ArchivedSeat))
    salts = fields.List(fields.String(), **_about("Salt of each seat, in the order of seats"))
    salt_hashes = fields.List(fields.String(allow_none=True), metadata=json_schemas.SALT_HASHES)
    seed = fields.String(**_about("Seed of the random number generator: 32 bytes in hex"))
    commitment = fields.String(**_about("SHA-256 of the seed, published when the game was created"))
    events = fields.List(fields.Nested(ArchivedEvent))


class ArchivesQuery(PageQuery):
    since = Moment(**_about("Only games that ended at this time or later"))


class SharedGame(Answer):
    """One line of `GET /v1/archives`."""

    ended_at = Moment()
    players = fields.List(
        fields.String(allow_none=True),
        **_about("Pseudonym of each seat's player, the same in all games; null for a bot"),
    )
    archive = fields.Nested(Archive)


# Webhooks

# Component names by kind
PAYLOADS = {kind: f"{kind.title().replace('-', '')}Payload" for kind in subscriptions.PAYLOADS}


def _url(**kw: Any) -> fields.String:
    about = "Public https URL. In a sandbox, http to a loopback address is also allowed."
    return fields.String(
        validate=[long(targets.LONGEST_URL), written_as(rf"{targets.URL_FORM[:-1]}\Z")],
        metadata={"description": about, "pattern": targets.URL_FORM},
        **kw,
    )


def _kinds(**kw: Any) -> Any:
    return Several(
        fields.String(validate=one_of(WEBHOOK_KINDS)),
        validate=long(len(WEBHOOK_KINDS), least=1),
        **kw,
        **_about("Kinds of events to send"),
    )


def _form(**kw: Any) -> Any:
    about = "Payload format: Standard Webhooks, or a chat service's format, which supports only `your-turn`"
    return fields.String(validate=one_of(chats.FORMS), **kw, **_about(about))


class WebhookWanted(Request):
    url = _url(required=True)
    form = _form(load_default=chats.STANDARD)
    kinds = _kinds(required=True)
    game = fields.UUID(
        allow_none=True, load_default=None, **_about("Only this game. Default: all games in which you have a seat.")
    )


class WebhookChanges(Request):
    """Changes to a webhook. Fields that you leave out stay unchanged."""

    url = _url()
    form = _form()
    kinds = _kinds()
    game = fields.UUID(allow_none=True, **_about("Only this game; null for all games in which you have a seat"))
    enabled = Truth(
        **_about(
            "`false` disables the webhook and drops waiting deliveries. `true` enables it and clears earlier failures."
        )
    )


class Webhook(Answer):
    id = fields.UUID()
    url = fields.String()
    form = fields.String(validate=one_of(chats.FORMS))
    kinds = fields.List(fields.String(validate=one_of(WEBHOOK_KINDS)))
    game = fields.UUID(allow_none=True)
    enabled = fields.Boolean()
    disabled_because = fields.String(
        allow_none=True,
        **_about(
            "Why the webhook is disabled; null while it is enabled. `by-you`: you disabled it. `gone`: its URL "
            "returned 410 (for a chat service, 404). `failing`: all deliveries failed for three days. `banned`: "
            "you were temporarily banned.",
            enum=[*subscriptions.DISABLED, None],
        ),
    )
    failing_since = Moment(
        allow_none=True, **_about("When deliveries began to fail; null if the last delivery succeeded")
    )
    made_at = Moment()


class WebhookMade(Webhook):
    secret = fields.String(**_about("Secret for verifying deliveries. Returned only once."))


class Webhooks(Answer):
    items = fields.List(fields.Nested(Webhook), **_about("Webhooks, oldest first"))


class NewSecret(Answer):
    secret = fields.String(**_about("New secret. Returned only once."))
    old_until = Moment(**_about("Time until which deliveries are also signed with the old secret"))


class WebhookDelivery(Answer):
    id = fields.UUID(**_about("Delivery id, sent as `webhook-id`. The same for every attempt."))
    kind = fields.String(validate=one_of(subscriptions.PAYLOADS))
    payload = fields.Raw(**_about("Body of the delivery", anyOf=[{"$ref": "#/components/schemas/Payload"}]))
    result = fields.String(
        validate=one_of(subscriptions.RESULTS),
        **_about(
            "Result so far. `waiting`: not sent yet. `delivered`: accepted. `failed`: retried at `next_at`. "
            "`given-up`: all attempts failed."
        ),
    )
    tries = fields.Integer()
    status = fields.Integer(allow_none=True, **_about("HTTP status of the last response; null if there was none"))
    detail = fields.String(**_about("Result of the last attempt, in words"))
    made_at = Moment()
    tried_at = Moment(allow_none=True)
    next_at = Moment(allow_none=True)


class WebhookDeliveries(Answer):
    items = fields.List(fields.Nested(WebhookDelivery), **_about("Deliveries, newest first"))
    next = fields.String(allow_none=True, **_about("URL of the next page; null on the last page"))


# The rest


_JSON_SCHEMA = _about("JSON Schema (draft 2020-12)", title="JsonSchema")


class NotedMove(Answer):
    text = fields.String()
    move = fields.Raw(metadata={"anyOf": by_game("Move")})


class Notation(Answer):
    """How to write a move in one line."""

    form = fields.String()
    text = fields.String(**_about("Explanation of the form"))
    examples = fields.List(fields.Nested(NotedMove))


class BotStrength(Answer):
    """Results of a bot against another bot. Each deal was played once for each seat, with the bot in that
    seat and the other bot in all other seats.
    """

    bot = fields.String(**_about("Name of the bot"))
    against = fields.String(**_about("Name of the bot in all other seats"))
    seats = fields.Integer(**_about("Number of seats"))
    wins = fields.Float(**_about("Share of games won. A shared win counts as a fraction."))
    low = fields.Float(**_about("Lower bound of the 95% confidence interval for `wins` (Wilson)"))
    high = fields.Float(**_about("Upper bound of the 95% confidence interval for `wins` (Wilson)"))
    games = fields.Integer(**_about("Number of games played"))
    milliseconds = fields.Integer(**_about("Average CPU time that the bot used per move"))
    deals_won = fields.Float(
        **_about(
            "Share of deals in which the bot's scores, added up over all seats, were above the average of the table"
        )
    )
    deals_low = fields.Float(**_about("Lower bound of the 95% confidence interval for `deals_won` (Wilson)"))
    deals_high = fields.Float(**_about("Upper bound of the 95% confidence interval for `deals_won` (Wilson)"))


class RulesDescription(Answer):
    """Rules of a game. Additional fields (boards, stars, ...) differ between games."""

    MAY_BE_ABSENT = ("bots",)

    class Meta:
        unknown = INCLUDE

    name = fields.String(validate=one_of(GAMES))
    seats = fields.List(fields.Integer(), **_about("Possible numbers of players"))
    options = fields.Dict(**_JSON_SCHEMA)
    editions = fields.Dict(
        values=fields.Dict(**_about("Value of every option", title="Edition")),
        **_about("Editions by name, each with the value of every option"),
    )
    move = fields.Dict(**_JSON_SCHEMA)
    view = fields.Dict(**_JSON_SCHEMA)
    events = fields.Dict(values=fields.Dict(**_JSON_SCHEMA), **_about("Schema of each event type"))
    notation = fields.Nested(Notation)
    bots = fields.List(
        fields.Nested(BotStrength), **_about("Measured strength of the server's bots, as in [the handbook](/docs/bots)")
    )


class RulesList(Answer):
    items = fields.List(fields.Nested(RulesDescription))


class Notice(Answer):
    """Current message from the operators to all users."""

    text = fields.String()
    until = Moment(allow_none=True, **_about("When the message is removed; null if no time is set"))


class Service(Answer):
    """Server version and status."""

    name = fields.String()
    version = fields.String(**_about("Version of this release"))
    message = fields.Nested(Notice, allow_none=True)
    closed = fields.List(
        fields.String(validate=one_of(CLOSABLE)),
        **_about(
            "What the operators have temporarily closed. `sign-ups`: new accounts; existing players can "
            "still sign in. `guests`: new guests. `apps`: new app registrations. `mail-in`: inbound email; "
            "senders should retry later."
        ),
    )


class Problem(Answer):
    """RFC 9457. `code` is stable; `detail` is for people."""

    MAY_BE_ABSENT = tuple(name for it in PROBLEMS_BY_CODE.values() for name in it.further)

    type = fields.String(**_about("URL of a page that explains the problem"))
    title = fields.String()
    status = fields.Integer()
    code = fields.String(validate=one_of(PROBLEMS_BY_CODE))
    detail = fields.String()
    request_id = fields.String(**_about("Request id, as in the `X-Request-Id` header and in the server's log"))
    reason = fields.String(
        **_about("For `illegal-move`, `malformed-move`, `bad-option` and `illegal-plan`: the code of the violated rule")
    )
    turn = fields.Integer(
        allow_none=True, **_about("For `stale-turn`: the number of your current turn; null if it isn't your turn")
    )
    revision = fields.Integer(**_about("For `stale-plan`: the current revision of your plan"))
    newest = fields.Integer(**_about("For `place-ahead`: the position at which the log ends"))
    index = fields.Integer(**_about("For `illegal-plan`: the index of the illegal move in the plan"))
    scope = fields.String(**_about("For `missing-scope`: the scope that the token lacks"))
    until = Moment(allow_none=True, **_about("For `banned`: when the ban ends; null if the ban is permanent"))
    field = fields.String(**_about("For `invalid-field` and `bad-option`: the name of the invalid field"))
    errors = fields.Dict(
        keys=fields.String(),
        values=fields.Dict(
            keys=fields.String(),
            **_about(
                "Errors by field. Each is a list of sentences. Within an object or a list, it is an object with the "
                "errors by field or index.",
                title="FieldErrors",
            ),
        ),
        **_about("For `invalid-fields`: the errors by place (`json` or `query`)"),
    )
