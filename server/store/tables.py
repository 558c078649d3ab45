"""The tables. `spread` says how Citus distributes a table: by a leading column of its primary key, "everywhere" (a copy
on each machine), or "local"."""

from datetime import datetime
from typing import Any
from uuid import UUID

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    Dialect,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry

APP_ROLE = "sternenpost_app"  # the role of the web server and the worker; another role owns the tables


class Moment(TypeDecorator[datetime]):
    """A time with a time zone. Times without a zone are rejected, since Postgres would interpret them in the machine's
    zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"The time has no zone: {value}")
        return value


class Base(DeclarativeBase):
    registry = registry(
        metadata=MetaData(
            naming_convention={
                "pk": "%(table_name)s_pkey",
                "uq": "%(table_name)s_%(column_0_N_name)s_key",
                "fk": "%(table_name)s_%(column_0_N_name)s_fkey",
                "ck": "%(table_name)s_%(constraint_name)s_check",
            }
        ),
        type_annotation_map={
            datetime: Moment,
            str: Text,
            bytes: LargeBinary,
            dict[str, Any]: JSONB,
            list[Any]: JSONB,
            list[str]: ARRAY(Text),
            list[int]: ARRAY(Integer),
        },
    )

    def __init_subclass__(cls, table: str | None = None, spread: str | None = None, **options: Any) -> None:
        if table:
            cls.__tablename__ = table
            cls.__table_args__ = (*cls.__dict__.get("__table_args__", ()), {"info": {"spread": spread}, **options})
        super().__init_subclass__()


# Each move leaves two dead rows in `seats`, each email two in `outbox`. Every check for due work reads them. Updates
# of `seats` that move `wake_at` can't be HOT. By default, vacuum waits until a fifth of the rows are dead.
_FEW_DEAD = {"autovacuum_vacuum_scale_factor": 0.01}

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})


def _key(**kw: Any) -> Any:
    return mapped_column(primary_key=True, **kw)


def _of_a_game() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["game_id"], ["games.game_id"], ondelete="CASCADE")


def _of_a_webhook() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(
        ["player_id", "webhook_id"], ["webhooks.player_id", "webhooks.webhook_id"], ondelete="CASCADE"
    )


def columns_of(table: type[Base]) -> str:
    """Return the names of the columns that this release knows, for use in a statement. A later release may have added
    columns."""
    return ", ".join(table.__table__.columns.keys())


class Player(Base, table="players", spread="everywhere"):
    __table_args__ = (
        UniqueConstraint("email"),
        Index("players_with_webhooks", "player_id", postgresql_where=text("has_webhooks")),
        Index("players_guest_until", "guest_until", postgresql_where=text("guest_until IS NOT NULL")),
        Index("players_former_email", "player_id", postgresql_where=text("former_email IS NOT NULL")),
    )

    player_id: Mapped[UUID] = _key()
    email: Mapped[str]
    former_email: Mapped[str | None]  # kept until no data is stored for that address; see `operations.change_address`
    name: Mapped[str]
    named: Mapped[bool]  # whether the player chose the name; otherwise it is generated
    locale: Mapped[str]
    zone: Mapped[str]
    calendar: Mapped[dict[str, Any]]
    notifications: Mapped[dict[str, Any]]
    has_webhooks: Mapped[bool] = mapped_column(default=False)
    has_push: Mapped[bool] = mapped_column(default=False)
    made_at: Mapped[datetime]
    unreachable_since: Mapped[datetime | None]  # since then, the address gets only sign-in codes
    unreachable_why: Mapped[str | None]
    feed: Mapped[int | None]  # number in the link token of the calendar feed
    feed_app_id: Mapped[UUID | None]  # the app that created the feed; the feed ends with the app
    banned_at: Mapped[datetime | None]  # end and reason are in the next columns; see `play.bans`
    banned_until: Mapped[datetime | None]  # None: permanent
    ban_reason: Mapped[str | None]
    shares_games: Mapped[bool] = mapped_column(default=False)  # whether finished games are shared for research
    program_since: Mapped[datetime | None]  # when the account was marked as a program's; see `play.programs`
    guest_until: Mapped[datetime | None]  # when the guest is deleted; None for players with an address
    deleted_at: Mapped[datetime | None]  # only a neutral name remains, for the seats of old games


class Setting(Base, table="settings", spread="everywhere"):
    """A value that all processes of a server share, such as the secret with which links are signed."""

    name: Mapped[str] = _key()
    value: Mapped[str]


class Token(Base, table="tokens", spread="player_id"):
    """A token. Its secret part is stored as a SHA-256 hash."""

    __table_args__ = (Index("tokens_expires_at", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),)

    player_id: Mapped[UUID] = _key()
    token_hash: Mapped[bytes] = _key()
    name: Mapped[str]
    scopes: Mapped[list[str]]
    game_id: Mapped[UUID | None]  # if set, the token is limited to the player's seat in this game
    app_id: Mapped[UUID | None]  # the app that received the token; the token ends with the app
    made_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]  # updated at most once an hour


class OAuthClient(Base, table="oauth_clients", spread="everywhere"):
    """A third-party app, with the data with which it has registered (RFC 7591). `is_allowed`: whether a player has
    authorized the app."""

    client_id: Mapped[UUID] = _key()
    name: Mapped[str]
    uri: Mapped[str | None]
    redirect_uris: Mapped[list[str]]
    made_at: Mapped[datetime]
    is_allowed: Mapped[bool]


class App(Base, table="apps", spread="player_id"):
    """The authorization of an app by a player. Codes and refresh tokens are stored as SHA-256 hashes.

    `family_hash`: hash of what all refresh tokens have in common, None until the code is used. `expires_at`: when the
    code or the refresh token expires. `ends_at`: the limit set by the token that authorized the app.
    """

    __table_args__ = (Index("apps_expires_at", "expires_at"),)

    player_id: Mapped[UUID] = _key()
    app_id: Mapped[UUID] = _key()
    client_id: Mapped[UUID]
    name: Mapped[str]
    redirect_uri: Mapped[str]
    scopes: Mapped[list[str]]
    game_id: Mapped[UUID | None]
    code_hash: Mapped[bytes]
    code_challenge: Mapped[str]
    family_hash: Mapped[bytes | None]
    refresh_hash: Mapped[bytes | None]
    made_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
    expires_at: Mapped[datetime]
    ends_at: Mapped[datetime | None]


class StreamTicket(Base, table="stream_tickets", spread="player_id"):
    """A ticket that opens one event stream with the rights of a token, for clients that can't send headers. The secret
    part of the ticket is stored as a SHA-256 hash."""

    __table_args__ = (Index("stream_tickets_expires_at", "expires_at"),)

    player_id: Mapped[UUID] = _key()
    ticket_hash: Mapped[bytes] = _key()
    token_hash: Mapped[bytes]
    expires_at: Mapped[datetime]


class PushSubscription(Base, table="push_subscriptions", spread="player_id"):
    """A browser's push subscription, with its keys (RFC 8291)."""

    __table_args__ = (UniqueConstraint("player_id", "endpoint"),)

    player_id: Mapped[UUID] = _key()
    subscription_id: Mapped[UUID] = _key()
    endpoint: Mapped[str]
    p256dh: Mapped[bytes]
    auth: Mapped[bytes]
    app_id: Mapped[UUID | None]  # the app that subscribed; the subscription ends with the app
    made_at: Mapped[datetime]


class PlayerGame(Base, table="player_games", spread="player_id"):
    """A game in the list of a player's games."""

    __table_args__ = (
        Index("player_games_made_at", "player_id", "made_at", "game_id"),
        Index("player_games_over_at", "player_id", "over_at"),
        Index("player_games_ended", "over_at", "game_id", postgresql_where=text("over_at IS NOT NULL")),
        Index("player_games_unread", "over_at", postgresql_where=text("over_at IS NOT NULL AND record IS NULL")),
        Index("player_games_of_others", "game_id", postgresql_where=text("role IS NOT NULL")),
    )

    player_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key()
    made_at: Mapped[datetime]  # when the game was created
    over_at: Mapped[datetime | None]  # when the game ended; None while it is open, running or paused
    record: Mapped[dict[str, Any] | None] = mapped_column(
        JSONB(none_as_null=True)
    )  # the player's record, computed from the log once the game is over
    role: Mapped[str | None]  # None: owner; stand-in: for some days; former: another player has taken over the seat


class Note(Base, table="notes", spread="player_id"):
    """A player's private note about a game. `muted`: whether the player has muted the game's chat."""

    player_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    text: Mapped[str]
    muted: Mapped[bool]


class Block(Base, table="blocks", spread="player_id"):
    """A row for a player who has blocked another player."""

    player_id: Mapped[UUID] = _key()
    blocked_id: Mapped[UUID] = _key()
    made_at: Mapped[datetime]


class Report(Base, table="reports", spread="player_id"):
    """A report about a player (`player_id`) that another player has sent to the operators."""

    player_id: Mapped[UUID] = _key()
    report_id: Mapped[UUID] = _key()
    by_player: Mapped[UUID]
    game_id: Mapped[UUID | None]
    text: Mapped[str]
    at: Mapped[datetime]
    settled_at: Mapped[datetime | None]


class PlayerLetterRow(Base, table="player_outbox", spread="player_id"):
    """An email that isn't about a game. `player_id` is the id of the sign-in until the reader has an account."""

    __table_args__ = (UniqueConstraint("player_id", "dedupe"), Index("player_outbox_due_at", "due_at"))

    player_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    dedupe: Mapped[str]
    kind: Mapped[str]
    data: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]
    due_at: Mapped[datetime]
    tries: Mapped[int]
    leased_until: Mapped[datetime | None]


class GameRow(Base, table="games", spread="game_id"):
    """A game. The columns from `status` to `outcome` are projections of the log. The others are source data.

    Except for `shelved` and `rematch_of`, the columns after those matter only while the game is open. `host`: the player who may close
    the game and remove guests. `sent_away`: the players whom the host has removed. `wake_at`: when the worker next
    checks the game.
    """

    __table_args__ = (
        Index("games_newest", "made_at", "game_id", postgresql_where=text("NOT private")),
        Index("games_open_of_host", "host", postgresql_where=text("status = 'open'")),
        Index("games_lobby", "status", "made_at", "game_id", postgresql_where=text("NOT private")),
        Index("games_of_rules", "rules", "made_at", "game_id", postgresql_where=text("NOT private")),
        Index("games_wake_at", "wake_at", postgresql_where=text("status = 'open'")),
    )

    game_id: Mapped[UUID] = _key()
    rules: Mapped[str]
    options: Mapped[dict[str, Any]]
    title: Mapped[str]
    private: Mapped[bool]
    clock: Mapped[dict[str, Any]]
    on_timeout: Mapped[list[Any]]
    made_by: Mapped[UUID]
    made_at: Mapped[datetime]
    seed: Mapped[bytes]
    drawn: Mapped[int]  # number of random words drawn so far
    status: Mapped[str]
    version: Mapped[int]
    outcome: Mapped[dict[str, Any] | None]
    host: Mapped[UUID]
    closes_at: Mapped[datetime | None]
    wake_at: Mapped[datetime | None]
    sent_away: Mapped[list[str]] = mapped_column(default=list)
    min_reliability: Mapped[int | None]  # reliability that players need: see `track_record.reliability_of`
    programs: Mapped[bool] = mapped_column(default=True)  # whether accounts that belong to programs may join
    shelved: Mapped[int | None]  # seq of the last event, once all events are in a file: see `shelf.py`
    rematch_of: Mapped[UUID | None]  # the game before; None for rematches that an earlier release opened


class SeatRow(Base, table="seats", spread="game_id", postgresql_with=_FEW_DEAD):
    """A seat at a table. `to_act`, `turn` and `stand_in` are projections of the log.

    - `kind`: human, bot, open or invited.
    - `stand_in`: the bot that plays for an absent player.
    - `allowed`: seconds available for the current or next turn. `lent`: seconds added by an extension.
    - `hours`: time zone and calendar of the player when the turn began.
    - `wake_at`: when the worker next checks this seat.
    - Before the start, the times are those of the ready check. `salt_hash`: the player's commitment to a salt.
    - `mails`: at-once, bundled or off, if chosen for this game.
    - `invited_by`: the player who entered `email`. None if the invited player has changed the address since.
    - `mailed_at`: when the last invitation to `email` was sent, unless it bounced.
    - `greeting`: what `invited_by` wrote to `email`. A declined invitation keeps it until the seat is reserved or taken,
      or the game closes. Otherwise None as soon as the seat isn't reserved for `email`.
    - `lost_at`: when the invitation to `email` bounced. For an open seat: when the invitation was declined.
    - `declined_name`, `declined_mark`: name and mark of the address that declined last, until the seat is taken.
    - `planned`: whether the player has a plan. `plan_turn`: the last turn for which the plan was checked. `plan_at`: when
      the planned move is played, if it is delayed.
    - `since`: the version at which `player_id` sat down. The player sees the seat's secrets from that version on.
    - `owner_id`, `owner_since`, `owner_mails`: the seat's owner during a stand-in. `stood_in_until`: when the stand-in
      ends.
    """

    __table_args__ = (
        _of_a_game(),
        CheckConstraint("kind IN ('human', 'bot', 'open', 'invited')", name="kind"),
        Index("seats_wake_at", "wake_at", postgresql_where=text("wake_at IS NOT NULL")),
        Index("seats_email", "email", postgresql_where=text("email IS NOT NULL")),
    )

    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    kind: Mapped[str]
    player_id: Mapped[UUID | None]
    bot: Mapped[str | None]
    email: Mapped[str | None]  # address of an invited player
    salt: Mapped[str]
    to_act: Mapped[bool]
    turn: Mapped[int | None]
    stand_in: Mapped[str | None]
    asked_at: Mapped[datetime | None]
    allowed: Mapped[float | None]
    lent: Mapped[float]
    hours: Mapped[dict[str, Any] | None]
    due_at: Mapped[datetime | None]
    remind_at: Mapped[datetime | None]
    wake_at: Mapped[datetime | None]
    mails: Mapped[str | None]
    lost_at: Mapped[datetime | None]
    ready: Mapped[bool] = mapped_column(default=False)
    salt_hash: Mapped[str | None]
    planned: Mapped[bool] = mapped_column(default=False)
    plan_turn: Mapped[int | None]
    plan_at: Mapped[datetime | None]
    since: Mapped[int] = mapped_column(default=0)
    owner_id: Mapped[UUID | None]
    owner_since: Mapped[int | None]
    owner_mails: Mapped[str | None]
    stood_in_until: Mapped[datetime | None]
    invited_by: Mapped[UUID | None]
    mailed_at: Mapped[datetime | None]
    greeting: Mapped[str | None]
    declined_name: Mapped[str | None]
    declined_mark: Mapped[int | None] = mapped_column(BigInteger)


class Plan(Base, table="plans", spread="game_id"):
    """The planned moves of a seat. Only the seat's player can see them.

    `revision`: counts changes. `version`: the game's version when the plan was made. `moves`: the remaining moves, in
    the API's format. `done`: how many moves were played before these. `played`: the versions of all moves that plans of
    this seat have played. `ended`: why the plan ended early, and at which move.
    """

    __table_args__ = (_of_a_game(),)

    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    revision: Mapped[int]
    version: Mapped[int]
    moves: Mapped[list[Any]]
    done: Mapped[int]
    played: Mapped[list[Any]]
    ended: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))


class StandIn(Base, table="stand_ins", spread="game_id"):
    """A request for a stand-in in this seat for some days. It is stored until the stand-in ends.

    `player_id` or `email` is the stand-in. `mark`: a unique number in the email's link token. `accepted_by`: the player
    who has accepted. `wake_at`: when the worker next checks the request.
    """

    __table_args__ = (_of_a_game(), Index("stand_ins_wake_at", "wake_at"))

    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    mark: Mapped[int] = mapped_column(BigInteger)
    asked_by: Mapped[UUID]
    player_id: Mapped[UUID | None]
    email: Mapped[str | None]
    from_at: Mapped[datetime]
    until_at: Mapped[datetime]
    accepted_by: Mapped[UUID | None]
    greeting: Mapped[str | None]  # what `asked_by` wrote to the stand-in
    app_id: Mapped[UUID | None]  # the app that made the request; unless accepted, the request ends with the app
    wake_at: Mapped[datetime]


class Vote(Base, table="votes", spread="game_id"):
    """A vote to pause, resume or abandon the game, to offer seats, or to take a move back.

    For a take-back, the row also stores whose move it is, and the version to return to. It also stores the version at
    which the vote began, and when the vote ends. `refused_by`: seats whose players have since said "not now".
    """

    __table_args__ = (_of_a_game(),)

    game_id: Mapped[UUID] = _key()
    wish: Mapped[str] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    made_at: Mapped[datetime]
    mover: Mapped[int | None]
    to_version: Mapped[int | None]
    at_version: Mapped[int | None]
    ends_at: Mapped[datetime | None]
    refused_by: Mapped[list[int]] = mapped_column(default=list)


class Message(Base, table="messages", spread="game_id"):
    """A chat message. `nr` numbers the messages of a game."""

    __table_args__ = (_of_a_game(),)

    game_id: Mapped[UUID] = _key()
    nr: Mapped[int] = _key(autoincrement=False)
    seat: Mapped[int]
    player_id: Mapped[UUID]
    text: Mapped[str]
    at: Mapped[datetime]


class IdempotencyKey(Base, table="idempotency_keys", spread="game_id"):
    """A request that was carried out, and its response. `game_id` is the game that the request created or changed."""

    __table_args__ = (Index("idempotency_keys_made_at", "made_at"),)

    game_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID] = _key()
    key: Mapped[str] = _key()
    request_hash: Mapped[bytes]
    status: Mapped[int | None]  # None if the request was carried out, but the response is missing
    answer: Mapped[str | None]  # None with a status: the response is recomputed, as for moves
    made_at: Mapped[datetime]


class EventRow(Base, table="events", spread="game_id"):
    """An event in the log. The log is append-only: the app's role may not change it, and a trigger prevents all other
    changes.

    The table has no foreign key. `record_commit` locks the game's row anyway, so a lookup per event would only cost
    time.
    """

    game_id: Mapped[UUID] = _key()
    seq: Mapped[int] = _key(autoincrement=False)
    version: Mapped[int]
    type: Mapped[str]
    seat: Mapped[int | None]
    body: Mapped[dict[str, Any]]
    recorded_at: Mapped[datetime]
    hash: Mapped[bytes]


class LetterRow(Base, table="outbox", spread="game_id", postgresql_with=_FEW_DEAD):
    """An email about a game that is waiting to be sent. `leased_until`: in real time. `tries` identifies the lease."""

    __table_args__ = (
        UniqueConstraint("game_id", "dedupe"),
        Index("outbox_due_at", "due_at"),
        Index("outbox_made_at", "made_at"),
        Index("outbox_webhooks", "due_at", postgresql_where=text("kind = 'webhook'")),
    )

    game_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    dedupe: Mapped[str]
    kind: Mapped[str]
    version: Mapped[int]
    seat: Mapped[int]
    player_id: Mapped[UUID | None]  # None for an invited address
    data: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]
    due_at: Mapped[datetime]
    tries: Mapped[int]
    leased_until: Mapped[datetime | None]


class Watching(Base, table="watching", spread="game_id"):
    """A player's presence at a table. It expires unless it is renewed."""

    game_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID] = _key()
    until: Mapped[datetime]


class Review(Base, table="reviews", spread="game_id"):
    """A review of a seat's moves in a finished game, as far as it is computed. `total`: its number of moves. `tries`: since
    the last move was added. `leased_until`: a process is computing the next move. `asked_by`: who waits for it,
    unless it is complete or they deleted their account."""

    __table_args__ = (
        _of_a_game(),
        Index("reviews_waiting", "asked_at", postgresql_where=text("jsonb_array_length(moves) < total")),
        Index("reviews_asked_by", "asked_by", postgresql_where=text("asked_by IS NOT NULL")),
    )

    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    asked_at: Mapped[datetime]
    total: Mapped[int]
    moves: Mapped[list[Any]]
    tries: Mapped[int]
    leased_until: Mapped[datetime | None]
    asked_by: Mapped[UUID | None]


class Delivery(Base, table="deliveries", spread="game_id"):
    """An attempt to deliver an email: either the final attempt, or an attempt that failed."""

    __table_args__ = (Index("deliveries_of_player", "player_id", "at", "letter_id"), Index("deliveries_at", "at"))

    game_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    nr: Mapped[int] = _key(autoincrement=False)
    kind: Mapped[str]
    seat: Mapped[int]
    version: Mapped[int]
    player_id: Mapped[UUID | None]  # None for an address that belongs to no player
    # sent, bundled, bounced, dropped (outdated or unwanted), refused, failed (will retry), given-up
    result: Mapped[str]
    detail: Mapped[str]
    at: Mapped[datetime]


class PlayerDelivery(Base, table="player_deliveries", spread="player_id"):
    """An attempt to deliver an email that isn't about a game."""

    __table_args__ = (Index("player_deliveries_at", "at"),)

    player_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    nr: Mapped[int] = _key(autoincrement=False)
    kind: Mapped[str]
    result: Mapped[str]
    detail: Mapped[str]
    at: Mapped[datetime]


class Incoming(Base, table="inbox", spread="game_id"):
    """An email for a seat, stored before its sender gets a 250 response. `turn` comes from the address to which it was
    sent.

    - `due_at`: when to process the email, or when the lease ends; None once it has been processed.
    - `asks`: what the player must confirm: nothing, "all" because the sender is uncertain, or "rest" for the commands
      that always need confirmation.
    - `answer`: our reply, which may come back as a quote, with its id, its version and the turn of its Reply-To.
    - `acted`: hashes of the lines that took effect, which are kept longer than the rest: see `replies`.
    - `fault`: for the operators, why the email could not be processed.
    - `mark`: mark of the invited address, if this is a reply to an invitation. In that case there is no turn.
    """

    __table_args__ = (
        _of_a_game(),
        Index("inbox_due_at", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        Index("inbox_fault", "arrived_at", postgresql_where=text("fault IS NOT NULL")),
        Index(
            "inbox_dealt_with",
            "arrived_at",
            postgresql_where=text("due_at IS NULL AND fault IS NULL AND (acted IS NULL OR raw <> '')"),
        ),
    )

    game_id: Mapped[UUID] = _key()
    mail_id: Mapped[UUID] = _key()
    seat: Mapped[int]
    turn: Mapped[int]
    raw: Mapped[bytes]
    arrived_at: Mapped[datetime]
    due_at: Mapped[datetime | None]
    tries: Mapped[int]
    asks: Mapped[str]
    answer: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    acted: Mapped[list[str] | None] = mapped_column(JSONB(none_as_null=True))
    fault: Mapped[str | None]
    mark: Mapped[int | None] = mapped_column(BigInteger)


class Webhook(Base, table="webhooks", spread="player_id"):
    """A webhook of a player's program.

    Secrets are stored in plain text, since we sign with them. `wake_at`: when the next delivery is due, or None if none
    is waiting. `rests_until`: no deliveries are sent before this time, since the address didn't respond.
    `leased_until`: in real time. `round` identifies the lease.
    """

    __table_args__ = (Index("webhooks_wake_at", "wake_at", postgresql_where=text("wake_at IS NOT NULL")),)

    player_id: Mapped[UUID] = _key()
    webhook_id: Mapped[UUID] = _key()
    url: Mapped[str]
    form: Mapped[str | None]  # the chat whose format is used: discord, slack; None for Standard Webhooks
    kinds: Mapped[list[str]]
    game_id: Mapped[UUID | None]  # None for all games of the player
    secret: Mapped[bytes]
    old_secret: Mapped[bytes | None]
    old_until: Mapped[datetime | None]
    disabled: Mapped[str | None]  # the reason: by-you, gone or failing
    failures: Mapped[int]  # number of failures in a row
    failing_since: Mapped[datetime | None]
    made_at: Mapped[datetime]
    wake_at: Mapped[datetime | None]
    rests_until: Mapped[datetime]
    leased_until: Mapped[datetime | None]
    round: Mapped[int] = mapped_column(default=0)
    app_id: Mapped[UUID | None]  # the app that set `url`; the webhook ends with the app


class WebhookDelivery(Base, table="webhook_deliveries", spread="player_id"):
    """A delivery to a webhook, and its result. All attempts send the same id."""

    __table_args__ = (
        _of_a_webhook(),
        Index("webhook_deliveries_newest", "player_id", "webhook_id", "made_at", "delivery_id"),
        Index(
            "webhook_deliveries_due_at",
            "player_id",
            "webhook_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index("webhook_deliveries_ended", "made_at", postgresql_where=text("due_at IS NULL")),
    )

    player_id: Mapped[UUID] = _key()
    webhook_id: Mapped[UUID] = _key()
    delivery_id: Mapped[UUID] = _key()
    kind: Mapped[str]
    payload: Mapped[str]  # the bytes that are signed and sent, the same in every attempt
    made_at: Mapped[datetime]
    begun_at: Mapped[datetime]  # when it was created or retried manually; the days until giving up count from then
    due_at: Mapped[datetime | None]  # None if there are no further attempts
    tries: Mapped[int]
    result: Mapped[str]  # waiting, delivered, failed (will retry) or given-up
    status: Mapped[int | None]  # status of the last response
    detail: Mapped[str]
    tried_at: Mapped[datetime | None]


class WebhookMessage(Base, table="webhook_messages", spread="player_id"):
    """The message about a game in a chat. It is updated every turn."""

    __table_args__ = (_of_a_webhook(),)

    player_id: Mapped[UUID] = _key()
    webhook_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    message_id: Mapped[str]
    at: Mapped[datetime]


class Bounce(Base, table="bounces", spread="player_id"):
    """An email that bounced. `counts`: whether it still counts, since the address hasn't been proved after it."""

    player_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    is_hard: Mapped[bool]
    why: Mapped[str]
    at: Mapped[datetime]
    counts: Mapped[bool]


class Audit(Base, table="audit", spread="local"):
    """A change made by an operator. The table is append-only, like the log."""

    __table_args__ = (Index("audit_at", "at"),)

    audit_id: Mapped[UUID] = _key()
    at: Mapped[datetime]
    who: Mapped[str]  # the user in the operating system
    command: Mapped[str]
    arguments: Mapped[dict[str, Any]]


class PostmasterMail(Base, table="postmaster_mails", spread="local"):
    """An email to the operators. `player_id`: its sender, if they no longer have the address given in the email."""

    mail_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID | None]
    recipient: Mapped[str]
    raw: Mapped[bytes]
    arrived_at: Mapped[datetime]


class ReturnedMail(Base, table="returned_mails", spread="local"):
    """An email to one of our return paths, or a possible complaint. It is stored until it has been processed."""

    mail_id: Mapped[UUID] = _key()
    recipient: Mapped[str]
    raw: Mapped[bytes]
    arrived_at: Mapped[datetime]
    due_at: Mapped[datetime]
    tries: Mapped[int]


class DeskMail(Base, table="desk_mails", spread="local"):
    """An email to the post desk, stored before its sender gets a 250 response.

    - `recipient`: the local part of the address to which it was sent.
    - `player_id`: the sender, once known. Before, the reader to whom the address was issued: a player, or the hash of
      an address that had no account.
    - `raw`: the email, empty once it has been processed.
    - `lines`: commands from a reply to an email about a game, or commands that the sender must confirm with `yes`. If
      `player_id` is None: the player whose account is being deleted, and the last email to them.
    - `due_at`: when to process the email, or when the lease ends; None once it has been processed.
    """

    __table_args__ = (Index("desk_mails_due_at", "due_at", postgresql_where=text("due_at IS NOT NULL")),)

    mail_id: Mapped[UUID] = _key()
    recipient: Mapped[str]
    player_id: Mapped[UUID | None]
    raw: Mapped[bytes]
    lines: Mapped[list[Any] | None] = mapped_column(JSONB(none_as_null=True))
    arrived_at: Mapped[datetime]
    due_at: Mapped[datetime | None]
    tries: Mapped[int]


class DeskGame(Base, table="desk_games", spread="player_id"):
    """The number with which a player refers to a game in emails. It never changes.

    `found_by`: the email whose command `find` or `join any` found the game.
    """

    __table_args__ = (UniqueConstraint("player_id", "nr"),)

    player_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    nr: Mapped[int]
    found_by: Mapped[UUID | None]


class Mailbox(Base, table="mailboxes", spread="local"):
    """A mailbox, leased by one worker at a time."""

    mailbox: Mapped[str] = _key()
    leased_until: Mapped[datetime]


class SignIn(Base, table="sign_in_codes", spread="local"):
    """A code that was sent by email, stored as a keyed hash."""

    sign_in: Mapped[UUID] = _key()
    email: Mapped[str]
    locale: Mapped[str]
    zone: Mapped[str]
    code_hash: Mapped[bytes]
    tries: Mapped[int]
    expires_at: Mapped[datetime]


class RateLimit(Base, table="rate_limits", spread="local"):
    """How often `key` was used in the window that began at `since`."""

    key: Mapped[str] = _key()
    since: Mapped[datetime] = _key()
    used: Mapped[int]


class OpenStreams(Base, table="open_streams", spread="local"):
    """The number of event streams that a web process has open for a player, or for a network if they have no token. It
    expires unless it is renewed."""

    whom: Mapped[str] = _key()
    process_id: Mapped[UUID] = _key()
    number: Mapped[int]
    until: Mapped[datetime]


class MailProof(Base, table="mail_proofs", spread="local"):
    """A mail provider's signature that was used, and its content, both as SHA-256 hashes."""

    __table_args__ = (Index("mail_proofs_expires_at", "expires_at"),)

    token_hash: Mapped[bytes] = _key()
    content_hash: Mapped[bytes]
    expires_at: Mapped[datetime]


class Stranger(Base, table="strangers", spread="local"):
    """An address that belongs to no player and has received the only email it may get.

    Only a hash of the address is stored. It stays valid when the server's secret changes.
    """

    address_hash: Mapped[bytes] = _key()
    game_id: Mapped[UUID]
    letter_id: Mapped[UUID]


class Heartbeat(Base, table="heartbeats", spread="local"):
    """The last heartbeat of the web processes or of the workers."""

    part: Mapped[str] = _key()
    at: Mapped[datetime]


class Outage(Base, table="outages", spread="local"):
    """A period in which the service was unreachable. It counts for no player.

    `followed`: whether the due times of all seats have been recomputed.
    """

    outage_id: Mapped[UUID] = _key()
    part: Mapped[str]
    began_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    followed: Mapped[bool]
