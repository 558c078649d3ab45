"""The tables. `info["spread"]` of each table says how Citus distributes it: by a leading column of its primary key,
"everywhere" (a copy on each machine) or "local"."""

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
    LargeBinary,
    MetaData,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, registry

APP_ROLE = "sternenpost_app"  # the role of web and worker; another role owns the tables


class Moment(TypeDecorator[datetime]):
    """A time with a zone. Naive times are rejected, since Postgres would read them in the machine's zone."""

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
        },
    )


# Each move leaves two dead rows in `seats`, each email two in `outbox`. Every check for due work reads them. Updates
# of `seats` that move `wake_at` can't be HOT. By default, vacuum waits until a fifth of the rows are dead.
_FEW_DEAD = {"autovacuum_vacuum_scale_factor": 0.01}

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})


def _key(**kw: Any) -> Any:
    return mapped_column(primary_key=True, **kw)


def columns_of(table: type[Base]) -> str:
    """Return the columns that this release knows, for a statement. A later release may have added columns."""
    return ", ".join(table.__table__.columns.keys())


class Player(Base):
    __tablename__ = "players"
    __table_args__ = (
        UniqueConstraint("email"),
        Index("players_with_webhooks", "player_id", postgresql_where=text("has_webhooks")),
        Index("players_guest_until", "guest_until", postgresql_where=text("guest_until IS NOT NULL")),
        Index("players_former_email", "player_id", postgresql_where=text("former_email IS NOT NULL")),
        {"info": {"spread": "everywhere"}},
    )

    player_id: Mapped[UUID] = _key()
    email: Mapped[str]
    former_email: Mapped[str | None]  # until no data is stored for it; see `operations.change_address`
    name: Mapped[str]
    named: Mapped[bool]  # whether the player chose the name; otherwise it is generated
    locale: Mapped[str]
    zone: Mapped[str]
    calendar: Mapped[dict[str, Any]]
    notifications: Mapped[dict[str, Any]]
    has_webhooks: Mapped[bool] = mapped_column(default=False)
    has_push: Mapped[bool] = mapped_column(default=False)
    made_at: Mapped[datetime]
    unreachable_since: Mapped[datetime | None]  # since then the address gets sign-in codes only
    unreachable_why: Mapped[str | None]
    feed: Mapped[int | None]  # number in the link token of the calendar feed
    feed_app_id: Mapped[UUID | None]  # the app that created the feed, which ends with it
    banned_at: Mapped[datetime | None]  # end and reason are in the next columns; see `play.bans`
    banned_until: Mapped[datetime | None]  # None: permanent
    ban_reason: Mapped[str | None]
    shares_games: Mapped[bool] = mapped_column(default=False)  # finished games are shared for research
    program_since: Mapped[datetime | None]  # when the account was marked as a program's; see `play.programs`
    guest_until: Mapped[datetime | None]  # when the guest is deleted; None for players with an address
    deleted_at: Mapped[datetime | None]  # a neutral name remains, for the seats of old games


class Setting(Base):
    """A value that all processes of an installation share, such as the secret that signs links."""

    __tablename__ = "settings"
    __table_args__ = ({"info": {"spread": "everywhere"}},)

    name: Mapped[str] = _key()
    value: Mapped[str]


class Token(Base):
    """A token, stored as the SHA-256 of its secret part."""

    __tablename__ = "tokens"
    __table_args__ = (
        Index("tokens_expires_at", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
        {"info": {"spread": "player_id"}},
    )

    player_id: Mapped[UUID] = _key()
    token_hash: Mapped[bytes] = _key()
    name: Mapped[str]
    scopes: Mapped[list[str]]
    game_id: Mapped[UUID | None]  # limits the token to the player's seat in this game
    app_id: Mapped[UUID | None]  # the app that received the token, which ends with it
    made_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]  # updated once an hour at most


class OAuthClient(Base):
    """A third-party app as it registered (RFC 7591). `is_allowed`: a player has authorized it."""

    __tablename__ = "oauth_clients"
    __table_args__ = ({"info": {"spread": "everywhere"}},)

    client_id: Mapped[UUID] = _key()
    name: Mapped[str]
    uri: Mapped[str | None]
    redirect_uris: Mapped[list[str]]
    made_at: Mapped[datetime]
    is_allowed: Mapped[bool]


class App(Base):
    """An app's authorization by a player. Code and refresh tokens are stored as SHA-256.

    `family_hash`: hash of the refresh tokens' common part, None until the code is used. `expires_at`: end of the code,
    or of the refresh token. `ends_at`: limit set by the token that authorized the app.
    """

    __tablename__ = "apps"
    __table_args__ = (Index("apps_expires_at", "expires_at"), {"info": {"spread": "player_id"}})

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


class StreamTicket(Base):
    """A ticket that opens one event stream with a token's rights, for clients that can't send headers. Its secret part
    is stored as SHA-256."""

    __tablename__ = "stream_tickets"
    __table_args__ = (Index("stream_tickets_expires_at", "expires_at"), {"info": {"spread": "player_id"}})

    player_id: Mapped[UUID] = _key()
    ticket_hash: Mapped[bytes] = _key()
    token_hash: Mapped[bytes]
    expires_at: Mapped[datetime]


class PushSubscription(Base):
    """A browser's push subscription, with its keys (RFC 8291)."""

    __tablename__ = "push_subscriptions"
    __table_args__ = (UniqueConstraint("player_id", "endpoint"), {"info": {"spread": "player_id"}})

    player_id: Mapped[UUID] = _key()
    subscription_id: Mapped[UUID] = _key()
    endpoint: Mapped[str]
    p256dh: Mapped[bytes]
    auth: Mapped[bytes]
    app_id: Mapped[UUID | None]  # the app that subscribed, which ends with it
    made_at: Mapped[datetime]


class PlayerGame(Base):
    """A player's game, for the lists of their games."""

    __tablename__ = "player_games"
    __table_args__ = (
        Index("player_games_made_at", "player_id", "made_at", "game_id"),
        Index("player_games_over_at", "player_id", "over_at"),
        Index("player_games_ended", "over_at", "game_id", postgresql_where=text("over_at IS NOT NULL")),
        Index("player_games_unread", "over_at", postgresql_where=text("over_at IS NOT NULL AND record IS NULL")),
        Index("player_games_of_others", "game_id", postgresql_where=text("role IS NOT NULL")),
        {"info": {"spread": "player_id"}},
    )

    player_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key()
    made_at: Mapped[datetime]  # creation of the game
    over_at: Mapped[datetime | None]  # end of the game; None while it is open, running or paused
    record: Mapped[dict[str, Any] | None] = mapped_column(
        JSONB(none_as_null=True)
    )  # the player's record from the log, once the game is over
    role: Mapped[str | None]  # None: owner; stand-in: for some days; former: another player has taken the seat over


class Note(Base):
    """A player's private note about a game. `muted`: its chat is muted."""

    __tablename__ = "notes"
    __table_args__ = ({"info": {"spread": "player_id"}},)

    player_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    text: Mapped[str]
    muted: Mapped[bool]


class Block(Base):
    """A player's block of another player."""

    __tablename__ = "blocks"
    __table_args__ = ({"info": {"spread": "player_id"}},)

    player_id: Mapped[UUID] = _key()
    blocked_id: Mapped[UUID] = _key()
    made_at: Mapped[datetime]


class Report(Base):
    """A report of a player (`player_id`) to the operators by another player."""

    __tablename__ = "reports"
    __table_args__ = ({"info": {"spread": "player_id"}},)

    player_id: Mapped[UUID] = _key()
    report_id: Mapped[UUID] = _key()
    by_player: Mapped[UUID]
    game_id: Mapped[UUID | None]
    text: Mapped[str]
    at: Mapped[datetime]
    settled_at: Mapped[datetime | None]


class PlayerLetterRow(Base):
    """An email outside any game. `player_id` is the sign-in's id until the reader is a player."""

    __tablename__ = "player_outbox"
    __table_args__ = (
        UniqueConstraint("player_id", "dedupe"),
        Index("player_outbox_due_at", "due_at"),
        {"info": {"spread": "player_id"}},
    )

    player_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    dedupe: Mapped[str]
    kind: Mapped[str]
    data: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]
    due_at: Mapped[datetime]
    tries: Mapped[int]
    leased_until: Mapped[datetime | None]


class GameRow(Base):
    """A game. The columns from `status` to `outcome` are projections of the log, the others are source data.

    Except for `shelved`, the columns after these matter while the game is open. `host`: the player who may close it and
    remove guests. `sent_away`: the players whom the host removed. `wake_at`: the worker's next check.
    """

    __tablename__ = "games"
    __table_args__ = (
        Index("games_newest", "made_at", "game_id", postgresql_where=text("NOT private")),
        Index("games_open_of_host", "host", postgresql_where=text("status = 'open'")),
        Index("games_lobby", "status", "made_at", "game_id", postgresql_where=text("NOT private")),
        Index("games_of_rules", "rules", "made_at", "game_id", postgresql_where=text("NOT private")),
        Index("games_wake_at", "wake_at", postgresql_where=text("status = 'open'")),
        {"info": {"spread": "game_id"}},
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
    drawn: Mapped[int]  # random words drawn so far
    status: Mapped[str]
    version: Mapped[int]
    outcome: Mapped[dict[str, Any] | None]
    host: Mapped[UUID]
    closes_at: Mapped[datetime | None]
    wake_at: Mapped[datetime | None]
    sent_away: Mapped[list[str]] = mapped_column(default=list)
    min_reliability: Mapped[int | None]  # required reliability: see `track_record.reliability_of`
    programs: Mapped[bool] = mapped_column(default=True)  # whether accounts of programs may join
    shelved: Mapped[int | None]  # seq of the last event, once all are in a file: see `shelf.py`


class SeatRow(Base):
    """A seat at a table. `to_act`, `turn` and `stand_in` are projections of the log.

    - `kind`: human, bot, open or invited.
    - `stand_in`: the bot that plays for an absent player.
    - `allowed`: seconds of counted time for the present or next turn. `lent`: seconds added by an extension.
    - `hours`: time zone and calendar of the player when the turn began.
    - `wake_at`: the worker's next check of this seat.
    - Before the start, the times are those of the ready check. `salt_hash`: the player's commitment.
    - `mails`: at-once, bundled or off, if chosen for this game.
    - `lost_at`: when the invitation to `email` bounced; of an open seat, when it was declined.
    - `planned`: whether the player has a plan. `plan_turn`: the last turn for which it was checked. `plan_at`: when it
      plays, if later.
    - `since`: the version with which `player_id` sat down. The player sees the seat's secrets from that version on.
    - `owner_id`, `owner_since`, `owner_mails`: the seat's owner during a stand-in. `stood_in_until`: its end.
    """

    __tablename__ = "seats"
    __table_args__ = (
        ForeignKeyConstraint(["game_id"], ["games.game_id"], ondelete="CASCADE"),
        CheckConstraint("kind IN ('human', 'bot', 'open', 'invited')", name="kind"),
        Index("seats_wake_at", "wake_at", postgresql_where=text("wake_at IS NOT NULL")),
        Index("seats_email", "email", postgresql_where=text("email IS NOT NULL")),
        {"postgresql_with": _FEW_DEAD, "info": {"spread": "game_id"}},
    )

    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    kind: Mapped[str]
    player_id: Mapped[UUID | None]
    bot: Mapped[str | None]
    email: Mapped[str | None]  # of an invited player
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


class Plan(Base):
    """The planned moves of a seat, which only its player sees.

    `revision`: counts changes. `version`: the game's when the plan was made. `moves`: those left, in the API's form.
    `done`: how many were played before these. `played`: versions of all moves that plans of this seat played. `ended`:
    why it ended early, and at which move.
    """

    __tablename__ = "plans"
    __table_args__ = (
        ForeignKeyConstraint(["game_id"], ["games.game_id"], ondelete="CASCADE"),
        {"info": {"spread": "game_id"}},
    )

    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    revision: Mapped[int]
    version: Mapped[int]
    moves: Mapped[list[Any]]
    done: Mapped[int]
    played: Mapped[list[Any]]
    ended: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))


class StandIn(Base):
    """A request for a stand-in in this seat for some days, from the request to its end.

    `player_id` or `email` names the stand-in. `mark`: unique number in the email's link token. `accepted_by`: the
    player who accepted. `wake_at`: the worker's next check.
    """

    __tablename__ = "stand_ins"
    __table_args__ = (
        ForeignKeyConstraint(["game_id"], ["games.game_id"], ondelete="CASCADE"),
        Index("stand_ins_wake_at", "wake_at"),
        {"info": {"spread": "game_id"}},
    )

    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    mark: Mapped[int] = mapped_column(BigInteger)
    asked_by: Mapped[UUID]
    player_id: Mapped[UUID | None]
    email: Mapped[str | None]
    from_at: Mapped[datetime]
    until_at: Mapped[datetime]
    accepted_by: Mapped[UUID | None]
    app_id: Mapped[UUID | None]  # the app that made the request, which ends with it unless accepted
    wake_at: Mapped[datetime]


class Vote(Base):
    """A vote to pause, resume or abandon the game, or to take a move back.

    A take-back also stores whose move it is, the target version, the version of the request, and its end.
    """

    __tablename__ = "votes"
    __table_args__ = (
        ForeignKeyConstraint(["game_id"], ["games.game_id"], ondelete="CASCADE"),
        {"info": {"spread": "game_id"}},
    )

    game_id: Mapped[UUID] = _key()
    wish: Mapped[str] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    made_at: Mapped[datetime]
    mover: Mapped[int | None]
    to_version: Mapped[int | None]
    at_version: Mapped[int | None]
    ends_at: Mapped[datetime | None]


class Message(Base):
    """A chat message. `nr` counts a game's messages."""

    __tablename__ = "messages"
    __table_args__ = (
        ForeignKeyConstraint(["game_id"], ["games.game_id"], ondelete="CASCADE"),
        {"info": {"spread": "game_id"}},
    )

    game_id: Mapped[UUID] = _key()
    nr: Mapped[int] = _key(autoincrement=False)
    seat: Mapped[int]
    player_id: Mapped[UUID]
    text: Mapped[str]
    at: Mapped[datetime]


class IdempotencyKey(Base):
    """A request that was carried out, with its response. `game_id` is the game that it created or changed."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (Index("idempotency_keys_made_at", "made_at"), {"info": {"spread": "game_id"}})

    game_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID] = _key()
    key: Mapped[str] = _key()
    request_hash: Mapped[bytes]
    status: Mapped[int | None]  # None: carried out, but the response is missing
    answer: Mapped[str | None]  # None beside a status: the response is computed again, as that of a move from the log
    made_at: Mapped[datetime]


class EventRow(Base):
    """The log. It is append-only: the app's role may not change it, and a trigger stops all others.

    It has no foreign key, since `record_commit` locks the game's row and a look-up per event would only cost time.
    """

    __tablename__ = "events"
    __table_args__ = ({"info": {"spread": "game_id"}},)

    game_id: Mapped[UUID] = _key()
    seq: Mapped[int] = _key(autoincrement=False)
    version: Mapped[int]
    type: Mapped[str]
    seat: Mapped[int | None]
    body: Mapped[dict[str, Any]]
    recorded_at: Mapped[datetime]
    hash: Mapped[bytes]


class LetterRow(Base):
    """An email about a game that waits to be sent. `leased_until`: in real time. `tries` identifies the lease."""

    __tablename__ = "outbox"
    __table_args__ = (
        UniqueConstraint("game_id", "dedupe"),
        Index("outbox_due_at", "due_at"),
        Index("outbox_made_at", "made_at"),
        Index("outbox_webhooks", "due_at", postgresql_where=text("kind = 'webhook'")),
        {"postgresql_with": _FEW_DEAD, "info": {"spread": "game_id"}},
    )

    game_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    dedupe: Mapped[str]
    kind: Mapped[str]
    version: Mapped[int]
    seat: Mapped[int]
    player_id: Mapped[UUID | None]  # None: an invited address
    data: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]
    due_at: Mapped[datetime]
    tries: Mapped[int]
    leased_until: Mapped[datetime | None]


class Watching(Base):
    """A player's presence at a table, which expires unless renewed."""

    __tablename__ = "watching"
    __table_args__ = ({"info": {"spread": "game_id"}},)

    game_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID] = _key()
    until: Mapped[datetime]


class Review(Base):
    """A review of a seat's moves in a finished game, as far as it is computed. `total`: its number of moves. `tries`: since
    the last move was added."""

    __tablename__ = "reviews"
    __table_args__ = (
        ForeignKeyConstraint(["game_id"], ["games.game_id"], ondelete="CASCADE"),
        Index("reviews_waiting", "asked_at", postgresql_where=text("jsonb_array_length(moves) < total")),
        {"info": {"spread": "game_id"}},
    )

    game_id: Mapped[UUID] = _key()
    seat: Mapped[int] = _key(autoincrement=False)
    asked_at: Mapped[datetime]
    total: Mapped[int]
    moves: Mapped[list[Any]]
    tries: Mapped[int]


class Delivery(Base):
    """An attempt to deliver an email, either the final one or one that failed."""

    __tablename__ = "deliveries"
    __table_args__ = (
        Index("deliveries_of_player", "player_id", "at", "letter_id"),
        Index("deliveries_at", "at"),
        {"info": {"spread": "game_id"}},
    )

    game_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    nr: Mapped[int] = _key(autoincrement=False)
    kind: Mapped[str]
    seat: Mapped[int]
    version: Mapped[int]
    player_id: Mapped[UUID | None]  # None: an address without a known player
    # sent, bundled, bounced, dropped (outdated or unwanted), refused, failed (will retry), given-up
    result: Mapped[str]
    detail: Mapped[str]
    at: Mapped[datetime]


class PlayerDelivery(Base):
    """An attempt to deliver an email outside any game."""

    __tablename__ = "player_deliveries"
    __table_args__ = (Index("player_deliveries_at", "at"), {"info": {"spread": "player_id"}})

    player_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    nr: Mapped[int] = _key(autoincrement=False)
    kind: Mapped[str]
    result: Mapped[str]
    detail: Mapped[str]
    at: Mapped[datetime]


class Incoming(Base):
    """An email for a seat, stored before its sender gets a 250. `turn` comes from its address.

    - `due_at`: when to process it, also the end of the lease; None: it is processed.
    - `asks`: what waits for the player's confirmation: nothing, "all" because the sender is uncertain, or "rest", the
      commands that need a second thought.
    - `answer`: our reply, which may come back as a quote, with its version and the turn of its Reply-To.
    - `acted`: hashes of its acting lines, which outlive the rest: see `replies`.
    - `fault`: why it could not be processed, for the operators.
    - `mark`: of the invited address, if the email answers an invitation. It has no turn then.
    """

    __tablename__ = "inbox"
    __table_args__ = (
        ForeignKeyConstraint(["game_id"], ["games.game_id"], ondelete="CASCADE"),
        Index("inbox_due_at", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        Index("inbox_fault", "arrived_at", postgresql_where=text("fault IS NOT NULL")),
        Index(
            "inbox_dealt_with",
            "arrived_at",
            postgresql_where=text("due_at IS NULL AND fault IS NULL AND (acted IS NULL OR raw <> '')"),
        ),
        {"info": {"spread": "game_id"}},
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


class Webhook(Base):
    """A webhook of a player's program.

    Secrets are stored in plain text, since we sign with them. `wake_at`: the next delivery, None while none waits.
    `rests_until`: no delivery before, since the address didn't answer. `leased_until`: in real time. `round` identifies
    the lease.
    """

    __tablename__ = "webhooks"
    __table_args__ = (
        Index("webhooks_wake_at", "wake_at", postgresql_where=text("wake_at IS NOT NULL")),
        {"info": {"spread": "player_id"}},
    )

    player_id: Mapped[UUID] = _key()
    webhook_id: Mapped[UUID] = _key()
    url: Mapped[str]
    form: Mapped[str | None]  # format of a chat: discord, slack; None: Standard Webhooks
    kinds: Mapped[list[str]]
    game_id: Mapped[UUID | None]  # None: all games of the player
    secret: Mapped[bytes]
    old_secret: Mapped[bytes | None]
    old_until: Mapped[datetime | None]
    disabled: Mapped[str | None]  # the reason: by-you, gone or failing
    failures: Mapped[int]  # in a row
    failing_since: Mapped[datetime | None]
    made_at: Mapped[datetime]
    wake_at: Mapped[datetime | None]
    rests_until: Mapped[datetime]
    leased_until: Mapped[datetime | None]
    round: Mapped[int] = mapped_column(default=0)
    app_id: Mapped[UUID | None]  # the app that set `url`, which ends with it


class WebhookDelivery(Base):
    """A delivery to a webhook, with its result. All attempts send the same id."""

    __tablename__ = "webhook_deliveries"
    __table_args__ = (
        ForeignKeyConstraint(
            ["player_id", "webhook_id"], ["webhooks.player_id", "webhooks.webhook_id"], ondelete="CASCADE"
        ),
        Index("webhook_deliveries_newest", "player_id", "webhook_id", "made_at", "delivery_id"),
        Index(
            "webhook_deliveries_due_at",
            "player_id",
            "webhook_id",
            "due_at",
            postgresql_where=text("due_at IS NOT NULL"),
        ),
        Index("webhook_deliveries_ended", "made_at", postgresql_where=text("due_at IS NULL")),
        {"info": {"spread": "player_id"}},
    )

    player_id: Mapped[UUID] = _key()
    webhook_id: Mapped[UUID] = _key()
    delivery_id: Mapped[UUID] = _key()
    kind: Mapped[str]
    payload: Mapped[str]  # the bytes that are signed and sent, equal at every try
    made_at: Mapped[datetime]
    begun_at: Mapped[datetime]  # creation or manual retry, from which the days until giving up count
    due_at: Mapped[datetime | None]  # None: no further try
    tries: Mapped[int]
    result: Mapped[str]  # waiting, delivered, failed (will retry) or given-up
    status: Mapped[int | None]  # of the last response
    detail: Mapped[str]
    tried_at: Mapped[datetime | None]


class WebhookMessage(Base):
    """The message about a game in a chat, which each turn updates."""

    __tablename__ = "webhook_messages"
    __table_args__ = (
        ForeignKeyConstraint(
            ["player_id", "webhook_id"], ["webhooks.player_id", "webhooks.webhook_id"], ondelete="CASCADE"
        ),
        {"info": {"spread": "player_id"}},
    )

    player_id: Mapped[UUID] = _key()
    webhook_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    message_id: Mapped[str]
    at: Mapped[datetime]


class Bounce(Base):
    """An email that bounced. `counts`: the address has not been proved since."""

    __tablename__ = "bounces"
    __table_args__ = ({"info": {"spread": "player_id"}},)

    player_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    is_hard: Mapped[bool]
    why: Mapped[str]
    at: Mapped[datetime]
    counts: Mapped[bool]


class Audit(Base):
    """An operator's change. The table is append-only, like the log."""

    __tablename__ = "audit"
    __table_args__ = (Index("audit_at", "at"), {"info": {"spread": "local"}})

    audit_id: Mapped[UUID] = _key()
    at: Mapped[datetime]
    who: Mapped[str]  # the operating system's user
    command: Mapped[str]
    arguments: Mapped[dict[str, Any]]


class PostmasterMail(Base):
    """An email to the operators. `player_id`: its sender, once they no longer have the address in it."""

    __tablename__ = "postmaster_mails"
    __table_args__ = ({"info": {"spread": "local"}},)

    mail_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID | None]
    recipient: Mapped[str]
    raw: Mapped[bytes]
    arrived_at: Mapped[datetime]


class ReturnedMail(Base):
    """An email to one of our return paths, or a possible complaint, stored until it is read."""

    __tablename__ = "returned_mails"
    __table_args__ = ({"info": {"spread": "local"}},)

    mail_id: Mapped[UUID] = _key()
    recipient: Mapped[str]
    raw: Mapped[bytes]
    arrived_at: Mapped[datetime]
    due_at: Mapped[datetime]
    tries: Mapped[int]


class DeskMail(Base):
    """An email to the post desk, stored before its sender gets a 250.

    - `recipient`: the local part that it was sent to.
    - `player_id`: the sender, once known.
    - `raw`: empty once it is processed.
    - `lines`: commands from a reply to an email about a game, or those that wait for the sender's `yes`. Without
      `player_id`: the player who leaves, and the last email to them.
    - `due_at`: when to process it, also the end of the lease; None: it is processed.
    """

    __tablename__ = "desk_mails"
    __table_args__ = (
        Index("desk_mails_due_at", "due_at", postgresql_where=text("due_at IS NOT NULL")),
        {"info": {"spread": "local"}},
    )

    mail_id: Mapped[UUID] = _key()
    recipient: Mapped[str]
    player_id: Mapped[UUID | None]
    raw: Mapped[bytes]
    lines: Mapped[list[Any] | None] = mapped_column(JSONB(none_as_null=True))
    arrived_at: Mapped[datetime]
    due_at: Mapped[datetime | None]
    tries: Mapped[int]


class DeskGame(Base):
    """The number by which a player names a game in emails. It never changes.

    `found_by`: the email whose `find` or `join any` led to the game.
    """

    __tablename__ = "desk_games"
    __table_args__ = (UniqueConstraint("player_id", "nr"), {"info": {"spread": "player_id"}})

    player_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    nr: Mapped[int]
    found_by: Mapped[UUID | None]


class Mailbox(Base):
    """A mailbox, leased by one worker at a time."""

    __tablename__ = "mailboxes"
    __table_args__ = ({"info": {"spread": "local"}},)

    mailbox: Mapped[str] = _key()
    leased_until: Mapped[datetime]


class SignIn(Base):
    """A mailed code, stored as a keyed hash."""

    __tablename__ = "sign_in_codes"
    __table_args__ = ({"info": {"spread": "local"}},)

    sign_in: Mapped[UUID] = _key()
    email: Mapped[str]
    locale: Mapped[str]
    zone: Mapped[str]
    code_hash: Mapped[bytes]
    tries: Mapped[int]
    expires_at: Mapped[datetime]


class RateLimit(Base):
    """The use of `key` in the window that began at `since`."""

    __tablename__ = "rate_limits"
    __table_args__ = ({"info": {"spread": "local"}},)

    key: Mapped[str] = _key()
    since: Mapped[datetime] = _key()
    used: Mapped[int]


class OpenStreams(Base):
    """The number of event streams that a web process keeps open for a player, or for a network without a token. It
    expires unless renewed."""

    __tablename__ = "open_streams"
    __table_args__ = ({"info": {"spread": "local"}},)

    whom: Mapped[str] = _key()
    process_id: Mapped[UUID] = _key()
    number: Mapped[int]
    until: Mapped[datetime]


class MailProof(Base):
    """A mail provider's used signature and its content, both as SHA-256."""

    __tablename__ = "mail_proofs"
    __table_args__ = (Index("mail_proofs_expires_at", "expires_at"), {"info": {"spread": "local"}})

    token_hash: Mapped[bytes] = _key()
    content_hash: Mapped[bytes]
    expires_at: Mapped[datetime]


class Stranger(Base):
    """An address without a known player that has received the only email it may get.

    Only a hash of the address is stored. It outlives the installation's secret.
    """

    __tablename__ = "strangers"
    __table_args__ = ({"info": {"spread": "local"}},)

    address_hash: Mapped[bytes] = _key()
    game_id: Mapped[UUID]
    letter_id: Mapped[UUID]


class Heartbeat(Base):
    """The last heartbeat of a web or worker process."""

    __tablename__ = "heartbeats"
    __table_args__ = ({"info": {"spread": "local"}},)

    part: Mapped[str] = _key()
    at: Mapped[datetime]


class Outage(Base):
    """Hours in which the service was unreachable. They don't count for any player.

    `followed`: the due times of all seats have been recomputed.
    """

    __tablename__ = "outages"
    __table_args__ = ({"info": {"spread": "local"}},)

    outage_id: Mapped[UUID] = _key()
    part: Mapped[str]
    began_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    followed: Mapped[bool]
