"""The tables. Each says in `info["spread"]` what it is spread by when one machine is too small:
a column that leads its primary key, "everywhere" (a copy on every machine) or "local"."""

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

APP_ROLE = "sternenpost_app"  # what the web and the worker may do; the tables belong to another role


class Moment(TypeDecorator[datetime]):
    """A moment with its zone; a naive one is refused, since beside a timestamptz it means another hour on another machine."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError(f"A naive time: {value}")
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


# By default Postgres waits until a fifth of the rows are dead. Each move leaves two in `seats`, each letter two in
# `outbox`, and those who look for what is due read them; no update of `seats` that moves `wake_at` can be HOT.
_FEW_DEAD = {"autovacuum_vacuum_scale_factor": 0.01}

db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})


def _key(**kw: Any) -> Any:
    return mapped_column(primary_key=True, **kw)


def columns_of(table: type[Base]) -> str:
    """For a statement: those that this release knows, whatever a later one has added."""
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
    former_email: Mapped[str | None]  # until nothing is kept for it any more; see `operations.change_address`
    name: Mapped[str]
    named: Mapped[bool]  # whether that name was chosen; else it is made up
    locale: Mapped[str]
    zone: Mapped[str]
    calendar: Mapped[dict[str, Any]]
    notifications: Mapped[dict[str, Any]]
    has_webhooks: Mapped[bool] = mapped_column(default=False)
    has_push: Mapped[bool] = mapped_column(default=False)
    made_at: Mapped[datetime]
    unreachable_since: Mapped[datetime | None]  # nothing but sign-in codes is sent to the address
    unreachable_why: Mapped[str | None]
    feed: Mapped[int | None]  # what the word of the present feed of due times has and no earlier one had
    feed_app_id: Mapped[UUID | None]  # the app that made this feed, and with which it ends
    banned_at: Mapped[datetime | None]  # until when and why stands beside it; see `play.bans`
    banned_until: Mapped[datetime | None]  # None: for good
    ban_reason: Mapped[str | None]
    shares_games: Mapped[bool] = mapped_column(default=False)  # finished ones, with whoever studies them
    program_since: Mapped[datetime | None]  # when he marked his account as played by a program; see `play.programs`
    guest_until: Mapped[datetime | None]  # a guest is forgotten then; None for whoever has an address
    deleted_at: Mapped[datetime | None]  # what is left is a name that says nothing, for the seats he sat in


class Setting(Base):
    """What all processes of one installation share, such as the secret that signs links."""

    __tablename__ = "settings"
    __table_args__ = ({"info": {"spread": "everywhere"}},)

    name: Mapped[str] = _key()
    value: Mapped[str]


class Token(Base):
    """A token at rest: only the SHA-256 of its secret part."""

    __tablename__ = "tokens"
    __table_args__ = (
        Index("tokens_expires_at", "expires_at", postgresql_where=text("expires_at IS NOT NULL")),
        {"info": {"spread": "player_id"}},
    )

    player_id: Mapped[UUID] = _key()
    token_hash: Mapped[bytes] = _key()
    name: Mapped[str]
    scopes: Mapped[list[str]]
    game_id: Mapped[UUID | None]  # the player's seat in this game is all that it is good for
    app_id: Mapped[UUID | None]  # the app that was given it, and with which it ends
    made_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]  # noted once an hour at most


class OAuthClient(Base):
    """A program of a stranger as it made itself known (RFC 7591). `is_allowed`: somebody has allowed it something."""

    __tablename__ = "oauth_clients"
    __table_args__ = ({"info": {"spread": "everywhere"}},)

    client_id: Mapped[UUID] = _key()
    name: Mapped[str]
    uri: Mapped[str | None]
    redirect_uris: Mapped[list[str]]
    made_at: Mapped[datetime]
    is_allowed: Mapped[bool]


class App(Base):
    """What a player has allowed a program; of its code and refresh tokens only the SHA-256.

    `family_hash`: of what all its refresh tokens have in common; None until its code has been used. `expires_at`: when the
    code is too old, or the refresh token; `ends_at`: no later than the token by which it was allowed.
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
    """What opens one event stream with the rights of a token, where no header can be sent; at rest only the SHA-256 of its
    secret part."""

    __tablename__ = "stream_tickets"
    __table_args__ = (Index("stream_tickets_expires_at", "expires_at"), {"info": {"spread": "player_id"}})

    player_id: Mapped[UUID] = _key()
    ticket_hash: Mapped[bytes] = _key()
    token_hash: Mapped[bytes]
    expires_at: Mapped[datetime]


class PushSubscription(Base):
    """A browser in which a player is told; its keys are those of RFC 8291."""

    __tablename__ = "push_subscriptions"
    __table_args__ = (UniqueConstraint("player_id", "endpoint"), {"info": {"spread": "player_id"}})

    player_id: Mapped[UUID] = _key()
    subscription_id: Mapped[UUID] = _key()
    endpoint: Mapped[str]
    p256dh: Mapped[bytes]
    auth: Mapped[bytes]
    app_id: Mapped[UUID | None]  # the app that subscribed, and with which this ends
    made_at: Mapped[datetime]


class PlayerGame(Base):
    """Where a player sits: what lists of one's own games start from."""

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
    made_at: Mapped[datetime]  # of the game
    over_at: Mapped[datetime | None]  # when it ended; None while it is open, running or paused
    record: Mapped[dict[str, Any] | None] = mapped_column(
        JSONB(none_as_null=True)
    )  # what its log says of him, once it is over
    role: Mapped[str | None]  # None: it is his seat; stand-in: for some days; former: somebody has taken it over


class Note(Base):
    """What a player notes of a game for himself. `muted`: he does not want to hear what is said there."""

    __tablename__ = "notes"
    __table_args__ = ({"info": {"spread": "player_id"}},)

    player_id: Mapped[UUID] = _key()
    game_id: Mapped[UUID] = _key()
    text: Mapped[str]
    muted: Mapped[bool]


class Block(Base):
    """That a player does not want to play with another one."""

    __tablename__ = "blocks"
    __table_args__ = ({"info": {"spread": "player_id"}},)

    player_id: Mapped[UUID] = _key()
    blocked_id: Mapped[UUID] = _key()
    made_at: Mapped[datetime]


class Report(Base):
    """What operators are told of a player (`player_id`) by another one."""

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
    """A letter that belongs to no game. `player_id` is the sign-in's id where the reader is no player yet."""

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
    """The head of a game. From `status` to `outcome` it is a projection of the log, the rest is source.

    But for `shelved`, those after them matter while it is open. `host`: who may close it and send guests away; `sent_away`: those of whom he
    did not want to know any more; `wake_at`: when the worker must look at it next.
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
    drawn: Mapped[int]  # words of chance used so far
    status: Mapped[str]
    version: Mapped[int]
    outcome: Mapped[dict[str, Any] | None]
    host: Mapped[UUID]
    closes_at: Mapped[datetime | None]
    wake_at: Mapped[datetime | None]
    sent_away: Mapped[list[str]] = mapped_column(default=list)
    min_reliability: Mapped[int | None]  # what it asks of those who come: see `track_record.reliability_of`
    programs: Mapped[bool] = mapped_column(default=True)  # whether accounts that a program plays may sit there
    shelved: Mapped[int | None]  # the seq of the last event, once all of them stand in a file: see `shelf.py`


class SeatRow(Base):
    """A seat at a table. `to_act`, `turn` and `stand_in` are projections of the log.

    kind: human, bot, open or invited. `stand_in`: the bot that plays for an absent person. `allowed`: seconds of
    counted time for the present turn, or kept for the next one; `lent`: what an extension adds. `hours`: zone and
    calendar of its person when he was asked for the present turn. `wake_at`: when the worker must look at this seat next.
    Before the start, times are those in which he is to say that he is `ready`, and `salt_hash` is what he has committed.
    `mails`: at-once, bundled or off, if its person chose for this game alone. `lost_at`: when it turned out that the
    invitation to `email` did not arrive; of an open seat, when that was declined. `planned`: whether its person has left
    a plan; `plan_turn`: the turn for which that was looked at last, and `plan_at`: when it plays, if it does so later.
    `since`: the version with which `player_id` sat down; he sees as the seat what came with it or later. While he stands in
    for somebody, `owner_id` is whose seat it is, `owner_since` and `owner_mails` are his, and `stood_in_until` is the end.
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
    email: Mapped[str | None]  # of an invited person
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
    """The moves that the person in this seat has left for its next turns; nobody else knows of it.

    `revision` counts its changes. `version`: that of the game when it was left; `moves`: those to come, as the API has
    them; `done`: how many were played before these; `played`: the versions of all that any plan of this seat has
    played. `ended`: why it ended before its end, and with which move.
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
    """That somebody is asked to play this seat for some days, will do so, or does; until these are over.

    He is named by `player_id` or by `email`; `mark` is what the word in his letter has and no earlier one had.
    `accepted_by`: who will. `wake_at`: when the worker must look at it next.
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
    app_id: Mapped[UUID | None]  # the app that asked; the request ends with it unless it has been accepted
    wake_at: Mapped[datetime]


class Vote(Base):
    """That the person in this seat wants the game paused, resumed or abandoned, or wants or allows a move to be taken back.

    Of a take-back: whose move it is, the version to go back to, that at which he asked, and until when he waits.
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
    """What a player said at the table; `nr` counts the messages of a game."""

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
    """That a request was carried out, and its answer; `game_id` is the game that it made or changed."""

    __tablename__ = "idempotency_keys"
    __table_args__ = (Index("idempotency_keys_made_at", "made_at"), {"info": {"spread": "game_id"}})

    game_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID] = _key()
    key: Mapped[str] = _key()
    request_hash: Mapped[bytes]
    status: Mapped[int | None]  # None: carried out, but the answer was not kept
    answer: Mapped[str | None]  # None beside a status: it is made anew, as that of a move is from the log
    made_at: Mapped[datetime]


class EventRow(Base):
    """The log. Append-only: the app's role may not change it, and a trigger refuses everybody else.

    No foreign key: `record_commit` holds the lock on the game's head, so a look-up per event would only cost.
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
    """A letter of a game that waits to be carried. `leased_until`: by the real clock, while somebody is at it; which of
    them it is, `tries` says."""

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
    player_id: Mapped[UUID | None]  # None: somebody invited by address
    data: Mapped[dict[str, Any]]
    made_at: Mapped[datetime]
    due_at: Mapped[datetime]
    tries: Mapped[int]
    leased_until: Mapped[datetime | None]


class Watching(Base):
    """That somebody is at a table, and until when he counts as being there unless it is noted again."""

    __tablename__ = "watching"
    __table_args__ = ({"info": {"spread": "game_id"}},)

    game_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID] = _key()
    until: Mapped[datetime]


class Delivery(Base):
    """What became of a letter: one row a try that ended it or failed."""

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
    player_id: Mapped[UUID | None]  # None: it went to an address where no player was known
    # sent, bundled, bounced, dropped (no longer true, or not wanted), refused, failed (tried again), given-up
    result: Mapped[str]
    detail: Mapped[str]
    at: Mapped[datetime]


class PlayerDelivery(Base):
    """What became of a letter that belongs to no game."""

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
    """A mail for a seat, kept before its sender is told that it has arrived; `turn` is the one that its address names.

    `due_at`: when to deal with it, also the lease of who does; None: it is dealt with. `asks`: what in it waits for
    the player's confirmation: nothing, "all" because somebody else may have sent it, or "rest", what needs a second thought.
    `answer`: what we wrote back, which may come back as a quote; with its version, and the turn of its Reply-To.
    `acted`: hashes of the lines in it that act by themselves, which are kept when all else is forgotten: see `replies`.
    `fault`: why it could not be dealt with; whoever runs this may look at it. `mark`: of the invited address, where the
    mail answers an invitation to the seat; there is no turn then.
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
    """An address that a player's program is told at.

    The secrets are kept as they are, since we sign with them; a hash would do for checking only. `wake_at`: when there
    is something to carry next, None while nothing waits. `rests_until`: nothing is carried before, since the address
    did not answer. `leased_until`: by the real clock, while somebody carries; which of them it is, `round` says.
    """

    __tablename__ = "webhooks"
    __table_args__ = (
        Index("webhooks_wake_at", "wake_at", postgresql_where=text("wake_at IS NOT NULL")),
        {"info": {"spread": "player_id"}},
    )

    player_id: Mapped[UUID] = _key()
    webhook_id: Mapped[UUID] = _key()
    url: Mapped[str]
    form: Mapped[str | None]  # that of a chat: discord, slack; None: Standard Webhooks
    kinds: Mapped[list[str]]
    game_id: Mapped[UUID | None]  # None: all games of this player
    secret: Mapped[bytes]
    old_secret: Mapped[bytes | None]
    old_until: Mapped[datetime | None]
    disabled: Mapped[str | None]  # why: by-you, gone or failing
    failures: Mapped[int]  # in a row
    failing_since: Mapped[datetime | None]
    made_at: Mapped[datetime]
    wake_at: Mapped[datetime | None]
    rests_until: Mapped[datetime]
    leased_until: Mapped[datetime | None]
    round: Mapped[int] = mapped_column(default=0)
    app_id: Mapped[UUID | None]  # the app that set `url`, and with which this ends


class WebhookDelivery(Base):
    """Something that a webhook is told, and what became of it; its id is sent along and stays, however often it is
    tried."""

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
    payload: Mapped[str]  # the very bytes that are signed and sent, the same at every try
    made_at: Mapped[datetime]
    begun_at: Mapped[datetime]  # from when on it is given up after some days: when it was made, or asked for again
    due_at: Mapped[datetime | None]  # None: it is not tried any more
    tries: Mapped[int]
    result: Mapped[str]  # waiting, delivered, failed (it is tried again) or given-up
    status: Mapped[int | None]  # of the last answer
    detail: Mapped[str]
    tried_at: Mapped[datetime | None]


class WebhookMessage(Base):
    """The one message about a game that a chat shows, which is changed with each turn."""

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
    """A letter that did not arrive. `counts`: the address has not been proved since."""

    __tablename__ = "bounces"
    __table_args__ = ({"info": {"spread": "player_id"}},)

    player_id: Mapped[UUID] = _key()
    letter_id: Mapped[UUID] = _key()
    is_hard: Mapped[bool]
    why: Mapped[str]
    at: Mapped[datetime]
    counts: Mapped[bool]


class Audit(Base):
    """That an operator had something changed. Append-only as the log is."""

    __tablename__ = "audit"
    __table_args__ = (Index("audit_at", "at"), {"info": {"spread": "local"}})

    audit_id: Mapped[UUID] = _key()
    at: Mapped[datetime]
    who: Mapped[str]  # the user of the operating system
    command: Mapped[str]
    arguments: Mapped[dict[str, Any]]


class PostmasterMail(Base):
    """A mail to whoever runs this. `player_id`: its writer, from the time at which they left the address in it."""

    __tablename__ = "postmaster_mails"
    __table_args__ = ({"info": {"spread": "local"}},)

    mail_id: Mapped[UUID] = _key()
    player_id: Mapped[UUID | None]
    recipient: Mapped[str]
    raw: Mapped[bytes]
    arrived_at: Mapped[datetime]


class ReturnedMail(Base):
    """A mail to a return path of ours, or one that may hold a complaint; kept until it has been read."""

    __tablename__ = "returned_mails"
    __table_args__ = ({"info": {"spread": "local"}},)

    mail_id: Mapped[UUID] = _key()
    recipient: Mapped[str]
    raw: Mapped[bytes]
    arrived_at: Mapped[datetime]
    due_at: Mapped[datetime]
    tries: Mapped[int]


class Mailbox(Base):
    """A mailbox that is read by one worker at a time, whose it is until the lease ends."""

    __tablename__ = "mailboxes"
    __table_args__ = ({"info": {"spread": "local"}},)

    mailbox: Mapped[str] = _key()
    leased_until: Mapped[datetime]


class SignIn(Base):
    """A mailed code, kept as a keyed hash."""

    __tablename__ = "sign_in_codes"
    __table_args__ = ({"info": {"spread": "local"}},)

    sign_in: Mapped[UUID] = _key()
    email: Mapped[str]
    locale: Mapped[str]
    zone: Mapped[str] = mapped_column(server_default="UTC")
    code_hash: Mapped[bytes]
    tries: Mapped[int]
    expires_at: Mapped[datetime]


class RateLimit(Base):
    """How often `key` was used in the window that began at `since`."""

    __tablename__ = "rate_limits"
    __table_args__ = ({"info": {"spread": "local"}},)

    key: Mapped[str] = _key()
    since: Mapped[datetime] = _key()
    used: Mapped[int]


class OpenStreams(Base):
    """How many event streams a process of the web keeps open for a player, or for a network that sends no token; it counts
    until then unless it is noted again."""

    __tablename__ = "open_streams"
    __table_args__ = ({"info": {"spread": "local"}},)

    whom: Mapped[str] = _key()
    process_id: Mapped[UUID] = _key()
    number: Mapped[int]
    until: Mapped[datetime]


class MailProof(Base):
    """A signature of a mail provider that has been used, and the content that came with it, both as SHA-256."""

    __tablename__ = "mail_proofs"
    __table_args__ = (Index("mail_proofs_expires_at", "expires_at"), {"info": {"spread": "local"}})

    token_hash: Mapped[bytes] = _key()
    content_hash: Mapped[bytes]
    expires_at: Mapped[datetime]


class Stranger(Base):
    """An address at which no player was known when a letter went there: the one letter that does.

    Only a hash is kept of the address, which outlives the secret of the installation.
    """

    __tablename__ = "strangers"
    __table_args__ = ({"info": {"spread": "local"}},)

    address_hash: Mapped[bytes] = _key()
    game_id: Mapped[UUID]
    letter_id: Mapped[UUID]


class Heartbeat(Base):
    """When a web or worker process of this installation was last seen alive."""

    __tablename__ = "heartbeats"
    __table_args__ = ({"info": {"spread": "local"}},)

    part: Mapped[str] = _key()
    at: Mapped[datetime]


class Outage(Base):
    """Hours in which the service was not to be reached; they count for nobody.

    `followed`: every seat's due time has been computed anew since.
    """

    __tablename__ = "outages"
    __table_args__ = ({"info": {"spread": "local"}},)

    outage_id: Mapped[UUID] = _key()
    part: Mapped[str]
    began_at: Mapped[datetime]
    ended_at: Mapped[datetime]
    followed: Mapped[bool]
