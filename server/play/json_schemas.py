"""JSON Schemas that all games share: clocks, calendars and the terms of a game.

Every value that `clock` accepts is valid under these schemas. The schemas' descriptions state additional rules, such as
the minimum of available time per week. Only the parsers in `clock` enforce these rules.
"""

from server.accounts.calendars import CLOCK_FACE, COUNTED_DAYS, MOST_VACATIONS, VACATION_DAYS
from server.accounts.notice_kinds import MAIL_KINDS, NOTICE_KINDS, PUSH_KINDS
from server.accounts.preferences import DEFAULT_REMINDERS, MOST_REMINDERS, MOST_TIMES_OF_DAY, PUSH_CHOICES
from server.bots import BOTS
from server.games import GAMES, Json, named, object_of
from server.play.timing.timeout_policy import MOST_RUNGS, MOST_TIMES

SEAT: Json = {"type": "integer", "minimum": 0}
DURATION: Json = {
    "description": "ISO 8601 duration from one second (PT1S) to one year (P365D), in weeks, days, hours, minutes and "
    "seconds",
    "type": "string",
    "format": "duration",
    "pattern": "^P[0-9WDTHMS]+$",
    "maxLength": 40,
    "examples": ["P2D", "PT12H"],
}
BOT: Json = {"description": "Name of a bot", "enum": list(BOTS)}
_DATE: Json = {"type": "string", "format": "date", "pattern": "^2[0-9]{3}-[0-9]{2}-[0-9]{2}$"}
_TIMES: Json = {"type": "integer", "minimum": 1, "maximum": MOST_TIMES}

CLOCK: Json = {
    "description": "Time limit per turn. The clock stops during the player's nights, days off and vacations.",
    "oneOf": [
        named("TimePerMove", object_of("Same time limit for every turn", {"per_move": DURATION})),
        named(
            "TimeBank",
            object_of(
                "Time bank. Unused time is kept, and each turn adds the increment, up to the cap. The bank and the "
                "increment can't exceed the cap.",
                {"bank": DURATION, "increment": DURATION, "cap": DURATION},
            ),
        ),
    ],
}


def _rung(name: str, description: str, do: str, fields: Json) -> Json:
    return named(name, object_of(description, {"do": {"const": do}, **fields}))


_RUNGS: list[Json] = [
    _rung(
        "ExtendTime",
        "Extends the turn's time, up to `times` times per seat and game",
        "extend",
        {"by": DURATION, "times": _TIMES},
    ),
    _rung(
        "LetBotMove",
        "A bot plays this turn, for up to `times` time-outs in a row",
        "bot-move",
        {"bot": BOT, "times": _TIMES},
    ),
    _rung("LetBotTakeOver", "A bot plays the seat until its player returns", "bot-takes-over", {"bot": BOT}),
    _rung("Abandon", "Ends the game without a result", "abandon", {}),
]
ON_TIMEOUT: Json = {
    "description": "Time-out policy: steps that a seat's time-outs go through in order. The last step must be "
    "`bot-takes-over` or `abandon`. These two can't come earlier.",
    "type": "array",
    "minItems": 1,
    "maxItems": MOST_RUNGS,
    "items": named("TimeoutStep", {"description": "Step of a time-out policy", "oneOf": _RUNGS}),
}

CALENDAR: Json = object_of(
    "Hours during which your clock stops, in your time zone. Your clock must run for at least 8 hours on at least "
    "4 days a week.",
    {},
    {
        "night": {
            "description": "Daily start and end; null if you have no night",
            "type": ["string", "null"],
            "pattern": f"^{CLOCK_FACE.pattern}-{CLOCK_FACE.pattern}$",
            "examples": ["22:00-08:00"],
        },
        "days_off": {
            "description": "Weekdays on which your clock stops, from 1 (Monday) to 7 (Sunday)",
            "type": "array",
            "maxItems": 7 - COUNTED_DAYS,
            "uniqueItems": True,
            "items": {"type": "integer", "minimum": 1, "maximum": 7},
        },
        "vacations": {
            "description": f"Vacations, at most {VACATION_DAYS} days per calendar year. If a vacation "
            "has begun, you can still shorten it, but it can't end before today. Its past days stay in "
            "the list until the year ends.",
            "type": "array",
            "maxItems": MOST_VACATIONS,
            "items": named("Vacation", object_of("First and last day of a vacation", {"from": _DATE, "to": _DATE})),
        },
    },
)

NOTIFICATIONS: Json = object_of(
    "What you are notified of, and when. Applies even while you are online.",
    {},
    {
        "reminders": {
            "description": "When to remind you that it's your turn. Each item is `half` (when half the turn's time "
            "has passed) or a duration (that long before the turn is due). An empty list turns reminders off. "
            f"Default: {' and '.join(DEFAULT_REMINDERS)}.",
            "type": "array",
            "maxItems": MOST_REMINDERS,
            "items": named("Reminder", {"anyOf": [named("HalfTime", {"enum": ["half"]}), DURATION]}),
        },
        "mails": named(
            "MailsByKind",
            object_of(
                "Email setting per kind. `at-once`: a separate email, sent immediately. `bundled`: part of one email "
                "about all games that are waiting for you. `off`: no email.\n"
                "\n"
                "Kinds that aren't set are `at-once`, except `your-turn`: its email waits up to two minutes for other "
                "games, and turns that begin in that time share it. A setting for a single game (PATCH "
                "/v1/games/{game_id}/seats/me) takes precedence. If a turn's time would run out before the "
                "next bundle, its email is sent immediately. Sign-in codes are always sent.",
                {},
                {kind: {"enum": list(NOTICE_KINDS[kind].choices)} for kind in MAIL_KINDS},
            ),
        ),
        "push": named(
            "PushByKind",
            object_of(
                "Push setting per kind: `at-once` (the default) or `off`. See subscribeToPush.",
                {},
                {kind: {"enum": list(PUSH_CHOICES)} for kind in PUSH_KINDS},
            ),
        ),
        "bundle_at": {
            "description": "Times of day at which bundles are sent, in your time zone. Empty bundles are not sent. "
            "Default: 08:00.",
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_TIMES_OF_DAY,
            "items": {"type": "string", "pattern": f"^{CLOCK_FACE.pattern}$"},
        },
    },
)

POINTER = r"^(/([^~/\u0000]|~[01])*)*$"  # RFC 6901
_ANYTHING: Json = {"description": "Any JSON value. A missing value counts as null."}
_AT: Json = {"type": "string", "pattern": POINTER}
_TYPE: Json = {"description": "Event type", "type": "string", "pattern": "^[a-z-]+$"}
CONDITION: Json = {
    "description": "Condition of a planned move, checked when your turn begins. `at`: JSON pointer (RFC 6901) to "
    "a value that a spectator sees. `only`: event types; the condition is true if only events of "
    "these types have happened since the plan was sent.",
    "oneOf": [
        named("IsSeen", object_of("True if a spectator sees this value at `at`", {"at": _AT, "is": _ANYTHING})),
        named(
            "IsNotSeen",
            object_of("True if a spectator sees a different value at `at`", {"at": _AT, "is_not": _ANYTHING}),
        ),
        named(
            "OnlyHappened",
            object_of("True if only events of these types have happened", {"only": {"type": "array", "items": _TYPE}}),
        ),
    ],
}

SALT_HASH_FORM = "^[0-9a-f]{64}$"
SALT_HASHES: Json = {
    "description": "SHA-256 (hex) of each seat's committed salt; null without a commitment. Omitted if no seat "
    "committed one. An empty entry in the archive's `salts` means that this salt was not revealed.",
    "type": "array",
    "items": {"type": ["string", "null"], "pattern": SALT_HASH_FORM},
}

TERMS = named(
    "Terms",
    object_of(
        "Terms of the game, recorded so that they can't change later",
        {
            "game": {"description": "Game id", "type": "string", "format": "uuid"},
            "rules": {"enum": list(GAMES)},
            "options": {"description": "Value of every option", "type": "object"},
            "clock": named("Clock", CLOCK),
            "on_timeout": ON_TIMEOUT,
            "bots": {
                "description": "Bot that plays each seat; null for a human",
                "type": "array",
                "items": {"anyOf": [BOT, {"type": "null"}]},
            },
        },
        {"salt_hashes": SALT_HASHES},
    ),
)
