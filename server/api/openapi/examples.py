"""Examples for the OpenAPI document: Ada opens a game of three, Bea takes a seat, and a bot plays along.

Tests send every request and hold every answer against its schema.
"""

from hashlib import sha256
from importlib.metadata import version

from server.accounts.tokens import SCOPES
from server.rules import GAMES, Json

# The service

SERVICE: Json = {
    "name": "Sternenpost",
    "version": version("sternenpost"),
    "message": {"text": "We move to a larger machine tonight.", "until": "2026-12-01T22:00:00Z"},
}

# People

SIGN_IN: Json = {"email": "ada@example.org", "locale": "en"}
SIGN_IN_ANSWER: Json = {"sign_in": "0f8b5b0e-6d3c-4d7e-8f55-9d1c2b7a4e60"}
GUEST: Json = {"locale": "en"}
TOKEN_BY_CODE: Json = {"sign_in": SIGN_IN_ANSWER["sign_in"], "code": "123456"}
FURTHER_TOKEN: Json = {"name": "My bot", "scopes": ["games:read", "moves:write"], "expires_at": None}
_TOKEN: Json = {
    "id": "6f0c1d4e-9a52-4b1c-8f3e-2d7a5b9c0e11",
    **FURTHER_TOKEN,
    "game": None,
    "made_at": "2026-11-21T19:15:00Z",
    "last_used_at": None,
    "current": False,
}
_SECRET: Json = {"token": "sp_3d2c8f5e1b7a4096a1f0e9d8c7b6a594_u0Q4cJq3pXo8vYwZ1rT5sB7nK9mL2dF6hG3jE4aA1bC"}
TOKEN_ANSWER: Json = _TOKEN | _SECRET
GUEST_ANSWER: Json = TOKEN_ANSWER | {
    "name": "guest",
    "scopes": ["games:read", "games:write", "moves:write", "chat:write", "profile:read", "profile:write"],
    "expires_at": "2026-12-21T19:15:00Z",
}
SEAT_TOKEN: Json = {"name": "A bot by Cleo", "scopes": ["games:read", "moves:write"], "expires_at": None}
SEAT_TOKEN_ANSWER: Json = {
    **_TOKEN,
    **SEAT_TOKEN,
    **_SECRET,
    "id": "c2a94b7d-0e3f-4d68-9b15-7f8e6a1d3c20",
    "game": "6f1f0c52-3f0e-4c6f-9b60-0d5f4b1f7a11",
    "made_at": "2026-11-21T19:50:00Z",
}
TOKENS: Json = {
    "items": [
        {name: value for name, value in SEAT_TOKEN_ANSWER.items() if name != "token"},
        _TOKEN | {"last_used_at": "2026-11-21T19:42:00Z"},
        _TOKEN
        | {
            "id": "e1b7f3a0-5c4d-4e2f-a6b8-90d1c2e3f4a5",
            "name": "sign-in",
            "scopes": list(SCOPES),
            "made_at": "2026-11-21T19:10:00Z",
            "last_used_at": "2026-11-21T19:10:00Z",
            "current": True,
        },
    ],
    "next": None,
}
PROFILE_CHANGES: Json = {
    "name": "Ada",
    "zone": "Europe/Berlin",
    "calendar": {
        "night": "22:00-08:00",
        "days_off": [7],
        "vacations": [{"from": "2026-12-24", "to": "2027-01-02"}],
    },
    "notifications": {
        "reminders": ["half", "PT3H"],
        "mails": {"your-turn": "bundled", "game-paused": "off"},
        "bundle_at": ["07:30", "18:00"],
    },
}
PROFILE: Json = {
    "id": "3d2c8f5e-1b7a-4096-a1f0-e9d8c7b6a594",
    "email": "ada@example.org",
    "guest": False,
    "locale": "en",
    "named": True,
    "shares_games": False,
    "program": False,
    "unreachable": None,
    "new_email": None,
    **PROFILE_CHANGES,
}
TRACK_RECORD: Json = {
    "id": PROFILE["id"],
    "name": "Ada",
    "program": False,
    "since": "2026-03-02T08:00:00Z",
    "games": 31,
    "finished": 24,
    "median_answer": "PT5H12M",
    "time_outs": 2,
    "left": 1,
    "new": False,
}
BLOCKS: Json = {"items": [{"id": PROFILE["id"], "name": "Ada", "at": "2026-11-21T19:40:00Z"}]}
REPORT: Json = {"text": "Insults at the table", "game": "6f1f0c52-3f0e-4c6f-9b60-0d5f4b1f7a11"}
NOTE: Json = {"text": "Bea keeps her low stars.", "muted": False}
CODE_MAILED: Json = {"expires_at": "2026-11-21T19:40:00Z"}
EXPORT: Json = {
    "profile": {name: value for name, value in PROFILE.items() if name != "new_email"},
    "made_at": "2026-11-21T19:10:00Z",
    **dict.fromkeys(("banned_at", "banned_until", "ban_reason")),
    **{
        name: []
        for name in (
            "tokens",
            "webhooks",
            "games",
            "messages",
            "mails",
            "letters",
            "stand_ins",
            "notes",
            "blocks",
            "reports",
            "push_subscriptions",
            "apps",
            "bounces",
        )
    },
}

_LETTER: Json = {"letter": "c0a8f2f0-5a37-4a52-8d6e-3f4b1f0a9d77", "detail": "", "tries": 1}
DELIVERIES: Json = {
    "items": [
        {
            **_LETTER,
            "kind": "your-turn",
            "game": "6f1f0c52-3f0e-4c6f-9b60-0d5f4b1f7a11",
            "title": "A clear night",
            "version": 1,
            "result": "sent",
            "at": "2026-11-21T19:42:03Z",
        },
        {
            **_LETTER,
            "letter": "9b0e0cf1-6f0f-4d0c-a6f7-2b8f9f2f6f10",
            "kind": "sign-in-code",
            "game": None,
            "title": None,
            "version": None,
            "result": "sent",
            "at": "2026-11-21T19:29:10Z",
        },
    ],
    "next": None,
}

PUSH_SUBSCRIPTION_WANTED: Json = {
    "endpoint": "https://8.8.8.8/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
    "keys": {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    },
}
PUSH_SUBSCRIPTION: Json = {
    "id": "5d2c8f1e-7b3a-4a96-b1f0-e9d8c7b6a512",
    "endpoint": PUSH_SUBSCRIPTION_WANTED["endpoint"],
    "made_at": "2026-11-21T19:30:00Z",
}
PUSH_SUBSCRIPTIONS: Json = {
    "key": "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8",
    "items": [PUSH_SUBSCRIPTION],
}

FEED: Json = {
    "url": "https://stars.example/feed/hvwi6xq3pjajniny77d2p5wpsbyxw6zi7njfsdcqaaaaaaabx7ecnsdpxq3zbfw5x4rq.ics"
}

APPS: Json = {
    "items": [
        {
            "id": "2f0a4c8e-5b1d-4d7e-9a63-6f1c2b3d4e5f",
            "name": "Night Watch",
            "address": "https://watch.example",
            "scopes": ["games:read", "moves:write"],
            "game": None,
            "made_at": "2026-11-21T19:10:00Z",
            "last_used_at": "2026-11-23T08:00:00Z",
        }
    ]
}

STREAM_TICKET: Json = {
    "ticket": "st_5f0c9f0e6a3b4f1c8f3a0d1e2b3c4d5e_Zk3mYc0vG1R4sJ8wXb2nQ7tLd5hEaP9uKiT6oVqNrSx",
    "expires_at": "2026-12-01T18:00:30Z",
}

# Games

GAME_WANTED: Json = {
    "rules": "sternenhimmel",
    "options": {"edition": "schloth-en", "start_seat": 0},
    "title": "A clear night",
    "clock": {"per_move": "P2D"},
    "on_timeout": [
        {"do": "extend", "by": "P1D", "times": 1},
        {"do": "bot-move", "bot": "greedy", "times": 2},
        {"do": "bot-takes-over", "bot": "greedy"},
    ],
    "open_for": "P14D",
    "seats": [{"player": "me"}, {"open": True}, {"bot": "greedy"}],
}


def _seat(seat: int, name: str | None, kind: str, turn: int | None = None, due_at: str | None = None) -> Json:
    asked = {"to_act": turn is not None, "turn": turn, "due_at": due_at}
    return {
        "seat": seat,
        "name": name,
        "player": PROFILE["id"] if kind == "human" else None,
        "program": False,
        "kind": kind,
        "stand_in": None,
        "stood_in_by": None,
        "unreachable": False,
        "declined": False,
        "ready": None,
        "salt_hash": None,
        "salt_revealed": None,
        **asked,
    }


_DUE_AT = "2026-11-23T19:42:00Z"
_OPEN: Json = {
    "invited": None,
    "id": "6f1f0c52-3f0e-4c6f-9b60-0d5f4b1f7a11",
    **{name: GAME_WANTED[name] for name in ("rules", "title", "clock", "on_timeout")},
    "min_reliability": None,
    "programs": True,
    "options": GAMES["sternenhimmel"].resolve_options(GAME_WANTED["options"], 3),
    "private": False,
    "status": "open",
    "version": 0,
    "made_at": "2026-11-21T19:30:00Z",
    "host": 0,
    "closes_at": "2026-12-05T19:30:00Z",
    "seats": [_seat(0, "Ada", "human"), _seat(1, None, "open"), _seat(2, "greedy", "bot")],
    "outcome": None,
    "latest": None,
    "commitment": "d94d2ed964dc6cadd8348bc1227ffa862152823c11728ca96cdfe3983268a694",
}
_RUNNING: Json = {
    **_OPEN,
    "status": "running",
    "version": 1,
    "host": None,
    "closes_at": None,
    "seats": [_seat(0, "Ada", "human", 1, _DUE_AT), _seat(1, "Bea", "human"), _seat(2, "greedy", "bot")],
}
EXHIBITION: Json = {"names": ["Vega", "Mira", "Rigel"], "position": 17, "positions": 91, "step": 4}
GAMES_PAGE: Json = {
    "items": [
        _RUNNING | {"you": {"seat": 0, "turn": 1}, "latest": "The game began."},
        _OPEN | {"you": {"seat": 0, "turn": None}},
    ],
    "next": "/v1/games?limit=2&cursor=WyIyMDI2LTExLTIxVDE5",
}
GAME_CHANGES: Json = {"open_for": "P14D"}
GAME_OPENED: Json = {**_OPEN, "invitation": None, "hosting": True, "you": {"seat": 0, "turn": None}, "view": None}


def _board(slot: int, board: str, spaces: str, **stars: Json) -> Json:
    return {"board": board, "slot": slot, "spaces": {**dict.fromkeys(spaces), **stars}}


_VIEW: Json = {
    "boards": [_board(0, "leo", "abcdefghi"), _board(1, "libra", "abcde"), _board(2, "aries", "abcde")],
    "coins": [0, 0, 0],
    "hand": ["1", "3", "5", "6", "7", "10", "B", "D", "D"],
    "hand_sizes": [9, 9, 9],
    "stack": 9,
    "next": 0,
}
GAME: Json = {**_RUNNING, "invitation": None, "hosting": False, "you": {"seat": 0, "turn": 1}, "view": _VIEW}
SEAT_REQUEST: Json = {"seat": 1, "salt": "seven clear nights"}
SEAT_TAKEN: Json = {**GAME, "you": {"seat": 1, "turn": None}}
SALT_HASH = sha256(SEAT_REQUEST["salt"].encode()).hexdigest()
READY: Json = {"salt": SEAT_REQUEST["salt"]}
SEAT_CHANGES: Json = {"mails": "at-once"}
OWN_SEAT: Json = {"seat": 0, **SEAT_CHANGES, "salt_hash": SALT_HASH}
STAND_IN_WANTED: Json = {"email": "dan@example.org", "from": "2040-07-01", "until": "2040-07-14"}
STAND_IN: Json = {
    "seat": 0,
    "name": None,
    "from": "2040-07-01T00:00:00Z",
    "until": "2040-07-15T00:00:00Z",
    "accepted": False,
    "sits": False,
}
OWN_STAND_IN: Json = {"stand_in": STAND_IN}
INVITATION: Json = {"email": "bea@example.org", "seat": 1}
INVITED: Json = {"seat": 1}
VOTE: Json = {"on": "pause", "vote": True}
VOTES: Json = {"pause": [0], "resume": [], "abandon": [], "offer": [], "take-back": None}
MESSAGE: Json = {"text": "Good evening, and clear skies!"}
MESSAGE_SAID: Json = {"nr": 1, "seat": 0, "name": "Ada", **MESSAGE, "at": "2026-11-21T19:31:00Z"}
MESSAGES: Json = {"items": [MESSAGE_SAID], "next": None}

# Moves

MOVE: Json = {"turn": 1, "move": {"star": "7", "board": "leo", "space": "c"}}
_PLACED: Json = {"type": "star-placed", "seat": 0, **MOVE["move"]}
_VIEW_AFTER: Json = {
    **_VIEW,
    "boards": [_board(0, "leo", "abcdefghi", c={"seat": 0, "star": "7"}), *_VIEW["boards"][1:]],
    "hand": ["1", "3", "5", "6", "10", "B", "D", "D"],
    "hand_sizes": [8, 9, 9],
    "next": 1,
}
MOVED: Json = {
    "version": 2,
    "events": [{"seq": 6, "version": 2, "at": "2026-11-21T19:45:00Z", **_PLACED, "by": "player"}],
    "view": _VIEW_AFTER,
    "you": {"seat": 0, "turn": None},
}
PLAN_WANTED: Json = {
    "revision": 0,
    "moves": [
        {"move": MOVE["move"], "if": [{"at": "/boards/0/spaces/c", "is": None}], "after": "PT0S"},
        {"move": {"star": "D", "board": "aries", "space": "a"}, "if": [{"only": ["star-placed"]}], "after": "PT6H"},
    ],
}
PLAN: Json = {"revision": 1, "moves": PLAN_WANTED["moves"], "ended": None}
TAKE_BACK: Json = {"to": 1}
WAY_BACK: Json = {"to": 1, "free": True}
TAKEN_BACK: Json = {"version": 3, "view": _VIEW, "you": {"seat": 0, "turn": 3}}
TAKE_BACK_ASKED: Json = {
    "vote": {"on": "take-back", "seat": 0, "to": 1, "ends_at": "2026-11-23T19:50:00Z", "consents": [0]}
}
FORESEEN: Json = {"would": [_PLACED], "view": _VIEW_AFTER, "would_reveal": False}
BEGUN: Json = {"begun": []}
LEGAL_MOVES: Json = {"turn": 1, "moves": [MOVE["move"], {"star": "D", "board": "aries", "space": "a"}]}
_STARTED: Json = {
    "seq": 1,
    "version": 1,
    "type": "game-started",
    "seat": None,
    "at": "2026-11-21T19:42:00Z",
    "seats": 3,
    "terms": {
        "game": _OPEN["id"],
        **{name: _OPEN[name] for name in ("rules", "options", "clock", "on_timeout")},
        "bots": [None, None, "greedy"],
    },
}
_DEALT: Json = {"version": 1, "type": "board-dealt", "seat": None, "at": "2026-11-21T19:42:00Z"}
STORY: Json = {
    "items": [
        _STARTED,
        *({**_DEALT, "seq": 3 + it["slot"], "board": it["board"], "slot": it["slot"]} for it in _VIEW["boards"]),
        *MOVED["events"],
    ]
}
ARCHIVE: Json = {
    "format": "sternenpost-archive",
    "format_version": 1,
    "game": _OPEN["id"],
    **{name: _OPEN[name] for name in ("rules", "options", "clock", "on_timeout", "commitment")},
    "seats": [{"seat": seat, "kind": "human", "bot": None} for seat in range(2)]
    + [{"seat": 2, "kind": "bot", "bot": "greedy"}],
    "salts": ["", SEAT_REQUEST["salt"], ""],
    "seed": "ed048e34f47daeab8b2f1355d07e240dd39ae814623ef5613e32dac036bd9f09",
    "events": [
        {
            "seq": 7,
            "version": 3,
            "type": "game-abandoned",
            "seat": None,
            "at": "2026-11-21T19:58:12.345678Z",
            "body": {},
            "hash": "5f3dbfefe44d3eb6124382e08c989bd9dfb90c1d86e3d1888da5e3788bae9e77",
        }
    ],
}

SHARED_GAME: Json = {
    "ended_at": ARCHIVE["events"][-1]["at"],
    "players": ["5c1d9e0f7a2b4836", "e07b31c8d2f64a95", None],
    "archive": ARCHIVE,
}

# Webhooks

WEBHOOK_WANTED: Json = {
    "url": "https://stars.example/hook",
    "form": "standard",
    "kinds": ["your-turn", "game-ended"],
    "game": None,
}
WEBHOOK: Json = {
    "id": "a3c4c1de-55d3-4b0b-9d9e-0c6a4e0e7d52",
    **WEBHOOK_WANTED,
    "enabled": True,
    "disabled_because": None,
    "failing_since": None,
    "made_at": "2026-11-21T19:20:00Z",
}
WEBHOOK_MADE: Json = {**WEBHOOK, "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}
WEBHOOKS: Json = {"items": [WEBHOOK]}
WEBHOOK_CHANGES: Json = {"kinds": ["your-turn"], "enabled": True}
WEBHOOK_CHANGED: Json = {**WEBHOOK, **WEBHOOK_CHANGES}
NEW_SECRET: Json = {"secret": WEBHOOK_MADE["secret"], "old_until": "2026-11-22T19:50:00Z"}


def payload(kind: str) -> Json:
    """What a webhook is told of a game of three, in which it is Ada's turn."""
    if kind == "ping":
        return {"type": kind, "timestamp": "2026-11-21T19:20:05Z", "data": {}}
    asked = {"turn": 1, "due_at": _DUE_AT}
    more: dict[str, Json] = {
        "your-turn": asked,
        "reminder": asked,
        "time-extended": asked | {"by": "P1D"},
        "bot-moved": {"bot": "greedy"},
        "seat-handed-over": {"bot": "greedy"},
        "message": {"nr": 1},
        "ready-asked": {"due_at": _DUE_AT},
        "take-back-asked": {"by": 1, "to_version": 1, "ends_at": "2026-11-23T19:50:00Z"},
    }
    about = {"game": _OPEN["id"], "version": 1, "seat": 0}
    return {"type": kind, "timestamp": "2026-11-21T19:42:00Z", "data": about | more.get(kind, {})}


PING: Json = {
    "id": "0b1f6a4e-8f0d-4f57-a4a0-52a9b0a5c7e9",
    "kind": "ping",
    "payload": payload("ping"),
    "result": "waiting",
    "tries": 0,
    "status": None,
    "detail": "",
    "made_at": payload("ping")["timestamp"],
    "tried_at": None,
    "next_at": payload("ping")["timestamp"],
}
WEBHOOK_DELIVERY: Json = {
    **PING,
    "id": "5d9d2a1c-1c0f-5b0a-8a52-3f6c7c1e9a44",
    "kind": "your-turn",
    "payload": payload("your-turn"),
    "result": "failed",
    "tries": 2,
    "status": 503,
    "detail": "The answer was 503",
    "made_at": payload("your-turn")["timestamp"],
    "tried_at": "2026-11-21T19:42:07Z",
    "next_at": "2026-11-21T19:42:28Z",
}
WEBHOOK_DELIVERIES: Json = {"items": [WEBHOOK_DELIVERY], "next": None}
TRIED_AGAIN: Json = {**WEBHOOK_DELIVERY, "result": "waiting", "tries": 0, "next_at": "2026-11-21T19:50:00Z"}

# Rules, shortened

_DESCRIBED = GAMES["sternenhimmel"].describe()
RULES: Json = {
    **{name: _DESCRIBED[name] for name in ("name", "seats", "move", "notation", "stars")},
    "options": {"type": "object", "properties": {"edition": _DESCRIBED["options"]["properties"]["edition"]}},
    "editions": {"schloth-en": _DESCRIBED["editions"]["schloth-en"]},
    "view": {"type": "object"},
    "events": {"seat-skipped": _DESCRIBED["events"]["seat-skipped"]},
    "boards": [board for board in _DESCRIBED["boards"] if board["id"] == "aries"],
}
ALL_RULES: Json = {"items": [RULES]}
