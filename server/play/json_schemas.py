"""JSON Schemas of what the house has for every game: clocks, calendars, and the terms that a game is played on.

Whatever `clock` takes fits its schema here; what a schema cannot say (such as how much of a week must count) stands in
a description, and only the readers in `clock` refuse it.
"""

from server.accounts.calendars import CLOCK_FACE, COUNTED_DAYS, MOST_VACATIONS, VACATION_DAYS
from server.accounts.preferences import (
    DEFAULT_REMINDERS,
    MAIL_KINDS,
    MOST_REMINDERS,
    MOST_TIMES_OF_DAY,
    PUSH_CHOICES,
    PUSH_KINDS,
    choices_of,
)
from server.bots import BOTS
from server.play.timeout_policy import MOST_RUNGS, MOST_TIMES
from server.rules import GAMES, Json, named, object_of

SEAT: Json = {"type": "integer", "minimum": 0}
DURATION: Json = {
    "description": "ISO 8601: weeks, days, hours, minutes and seconds, from a second (PT1S) to a year (P365D)",
    "type": "string",
    "format": "duration",
    "pattern": "^P[0-9WDTHMS]+$",
    "maxLength": 40,
    "examples": ["P2D", "PT12H"],
}
BOT: Json = {"description": "A bot by its name", "enum": list(BOTS)}
_DATE: Json = {"type": "string", "format": "date", "pattern": "^2[0-9]{3}-[0-9]{2}-[0-9]{2}$"}
_TIMES: Json = {"type": "integer", "minimum": 1, "maximum": MOST_TIMES}

CLOCK: Json = {
    "description": "How long a turn may take, in counted time",
    "oneOf": [
        named("TimePerMove", object_of("The same time for every turn", {"per_move": DURATION})),
        named(
            "TimeBank",
            object_of(
                "A store of time: what a turn leaves over is kept, each turn adds the increment, up to the cap. "
                "Neither bank nor increment is more than the cap",
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
        "More time for this turn, so often for a seat in the whole game",
        "extend",
        {"by": DURATION, "times": _TIMES},
    ),
    _rung(
        "LetBotMove",
        "A bot plays this turn, for so many time-outs in a row",
        "bot-move",
        {"bot": BOT, "times": _TIMES},
    ),
    _rung("LetBotTakeOver", "A bot takes the seat until its person comes back", "bot-takes-over", {"bot": BOT}),
    _rung("Abandon", "The game ends without a result", "abandon", {}),
]
ON_TIMEOUT: Json = {
    "description": "What time-outs of a seat do, one step after the other; the last step, and only the last, is "
    "bot-takes-over or abandon",
    "type": "array",
    "minItems": 1,
    "maxItems": MOST_RUNGS,
    "items": named("TimeoutStep", {"description": "What a time-out does", "oneOf": _RUNGS}),
}

CALENDAR: Json = object_of(
    "Hours that do not count for you, by the clocks of your zone. At least 8 hours on 4 days a week must count",
    {},
    {
        "night": {
            "description": "From and to, each day; null for none",
            "type": ["string", "null"],
            "pattern": f"^{CLOCK_FACE.pattern}-{CLOCK_FACE.pattern}$",
            "examples": ["22:00-08:00"],
        },
        "days_off": {
            "description": "Weekdays from 1 (Monday) to 7 (Sunday)",
            "type": "array",
            "maxItems": 7 - COUNTED_DAYS,
            "uniqueItems": True,
            "items": {"type": "integer", "minimum": 1, "maximum": 7},
        },
        "vacations": {
            "description": f"At most {VACATION_DAYS} days in a calendar year. One that has begun may end today or later, "
            "and its days stay until their year is over",
            "type": "array",
            "maxItems": MOST_VACATIONS,
            "items": named("Vacation", object_of("The first and the last day", {"from": _DATE, "to": _DATE})),
        },
    },
)

NOTIFICATIONS: Json = object_of(
    "What you are told, and when, whether you are online or not",
    {},
    {
        "reminders": {
            "description": "When to remind you of a turn: when `half` of its time has passed, or so long before its "
            f"due time; an empty list for never. Default: {' and '.join(DEFAULT_REMINDERS)}",
            "type": "array",
            "maxItems": MOST_REMINDERS,
            "items": named("Reminder", {"anyOf": [named("HalfTime", {"enum": ["half"]}), DURATION]}),
        },
        "mails": named(
            "MailsByKind",
            object_of(
                "By kind of letter: at-once (where nothing is said), bundled into one mail for all games that wait for "
                "you, or off. Where nothing is said of your-turn, turns that come up within some minutes are told in one "
                "mail, no later than eight minutes after they began. What you chose for a game "
                "(PATCH /v1/games/{game_id}/seats/me) goes first. A turn whose "
                "time would run out before the next bundle is told at once; codes to sign in always come",
                {},
                {kind: {"enum": list(choices_of(kind))} for kind in MAIL_KINDS},
            ),
        ),
        "push": named(
            "PushByKind",
            object_of(
                "What your browsers are told, by kind: at-once (where nothing is said) or off. See subscribeToPush",
                {},
                {kind: {"enum": list(PUSH_CHOICES)} for kind in PUSH_KINDS},
            ),
        ),
        "bundle_at": {
            "description": "Your times of day for bundles, by the clocks of your zone; one that would say nothing does "
            "not come. Default: 08:00",
            "type": "array",
            "minItems": 1,
            "maxItems": MOST_TIMES_OF_DAY,
            "items": {"type": "string", "pattern": f"^{CLOCK_FACE.pattern}$"},
        },
    },
)

POINTER = r"^(/([^~/\u0000]|~[01])*)*$"  # RFC 6901
_ANYTHING: Json = {"description": "Any JSON value; what is not there counts as null"}
_AT: Json = {"type": "string", "pattern": POINTER}
_TYPE: Json = {"description": "A type of event", "type": "string", "pattern": "^[a-z-]+$"}
CONDITION: Json = {
    "description": "Of a planned move: what a spectator sees at a JSON pointer (RFC 6901) at the version that made it your "
    "turn, or that nothing but events of these types has happened since the plan was left",
    "oneOf": [
        named("IsSeen", object_of("What a spectator sees there", {"at": _AT, "is": _ANYTHING})),
        named("IsNotSeen", object_of("What a spectator does not see there", {"at": _AT, "is_not": _ANYTHING})),
        named("OnlyHappened", object_of("What may have happened", {"only": {"type": "array", "items": _TYPE}})),
    ],
}

SALT_HASH_FORM = "^[0-9a-f]{64}$"
SALT_HASHES: Json = {
    "description": "By seat: the SHA-256, in hex, of the salt that it committed, null where there is none; left out if nobody "
    "has committed one. Where `salts` of the archive is empty then, it was not revealed",
    "type": "array",
    "items": {"type": ["string", "null"], "pattern": SALT_HASH_FORM},
}

TERMS = named(
    "Terms",
    object_of(
        "What the game is played on, so that nobody can change it later",
        {
            "game": {"description": "The id of the game", "type": "string", "format": "uuid"},
            "rules": {"enum": list(GAMES)},
            "options": {"description": "The value of every option", "type": "object"},
            "clock": named("Clock", CLOCK),
            "on_timeout": ON_TIMEOUT,
            "bots": {
                "description": "By seat: the bot that plays it, null for a person",
                "type": "array",
                "items": {"anyOf": [BOT, {"type": "null"}]},
            },
        },
        {"salt_hashes": SALT_HASHES},
    ),
)
