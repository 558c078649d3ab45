"""Examples for the OpenAPI document: Ada opens a game of three, Bea takes a seat, and a bot plays along.

The requests are here. `python -m tests.support.recorded_examples` records the responses in `examples.json`, except for
those that depend on time, mail servers or operators, and the shortened rules. Tests send every request, validate every
response against its schema, and record the responses again.
"""

import json
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from server.accounts.notice_kinds import NOTICE_KINDS
from server.docs import strengths
from server.games import GAMES, Json

_RECORDED: Json = json.loads(Path(__file__).with_name("examples.json").read_text("utf-8"))


def __getattr__(name: str) -> Json:
    """Return a recorded response, such as `examples.GAME`."""
    try:
        found: Json = _RECORDED[name]
    except KeyError:
        raise AttributeError(name) from None
    return found


_GAME: Json = _RECORDED["GAME"]


def of_both(example: Json, in_steps: Json) -> Json:
    """Return an example for a game whose turns are single moves, and one for a game whose turns have several steps."""
    games = (game["rules"].capitalize() for game in (_GAME, _RECORDED["GAME_IN_STEPS"]))
    return {game: {"value": it} for game, it in zip(games, (example, in_steps), strict=True)}


# The service

SERVICE: Json = {
    "name": "Sternenpost",
    "version": version("sternenpost"),
    "closed": [],
    "message": {"text": "We move to a larger machine tonight.", "until": "2026-12-01T22:00:00.000000Z"},
}

# People

SIGN_IN: Json = {"email": "ada@example.org", "locale": "en"}
SIGN_IN_ANSWER: Json = {"sign_in": "0f8b5b0e-6d3c-4d7e-8f55-9d1c2b7a4e60"}
GUEST: Json = {"locale": "en"}
TOKEN_BY_CODE: Json = {"sign_in": SIGN_IN_ANSWER["sign_in"], "code": "123456"}
FURTHER_TOKEN: Json = {"name": "My bot", "scopes": ["games:read", "moves:write"], "expires_at": None}
SEAT_TOKEN: Json = {"name": "A bot by Cleo", "scopes": ["games:read", "moves:write"], "expires_at": None}
PROFILE_CHANGES: Json = {
    "name": "Ada",
    "zone": "Europe/Berlin",
    "calendar": {"night": "22:00-08:00", "days_off": [7], "vacations": [{"from": "2026-12-24", "to": "2027-01-02"}]},
    "notifications": {
        "reminders": ["half", "PT3H"],
        "mails": {"your-turn": "bundled", "game-paused": "off"},
        "bundle_at": ["07:30", "18:00"],
    },
}
REPORT: Json = {"text": "Insults at the table", "game": _GAME["id"]}
NOTE: Json = {"text": "Bea keeps her low stars.", "muted": False}
CODE_MAILED: Json = {"expires_at": "2026-11-21T19:40:00.000000Z"}
_LETTER: Json = {"letter": "c0a8f2f0-5a37-4a52-8d6e-3f4b1f0a9d77", "detail": "", "tries": 1}
DELIVERIES: Json = {
    "items": [
        {
            **_LETTER,
            "kind": "your-turn",
            "game": _GAME["id"],
            "title": "A clear night",
            "version": 1,
            "result": "sent",
            "at": "2026-11-21T19:42:03.000000Z",
        },
        {
            **_LETTER,
            "letter": "9b0e0cf1-6f0f-4d0c-a6f7-2b8f9f2f6f10",
            "kind": "sign-in-code",
            "game": None,
            "title": None,
            "version": None,
            "result": "sent",
            "at": "2026-11-21T19:29:10.000000Z",
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
GAME_CHANGES: Json = {"open_for": "P14D"}
SEAT_REQUEST: Json = {"seat": 1, "salt": "seven clear nights"}
SALT_HASH = sha256(SEAT_REQUEST["salt"].encode()).hexdigest()
READY: Json = {"salt": SEAT_REQUEST["salt"]}
SEAT_CHANGES: Json = {"mails": "at-once"}
STAND_IN_WANTED: Json = {"email": "dan@example.org", "from": "2040-07-01", "until": "2040-07-14"}
REMATCH: Json = {"game": "0b0a4b6e-3c1f-5d0e-8a58-6f2f3f3c9d11", "asked_by": 1, "seated": False}
GAME_BEFORE: Json = {"game": "0b0a4b6e-3c1f-5d0e-8a58-6f2f3f3c9d11", "number": 2}
COMPANIONS: Json = {"items": [{"id": "5d3b1f0c-8a43-4d1f-9a56-1f2c3d4e5f60", "name": "Bea", "program": False}]}
BOT_WANTED: Json = {"bot": "level-2"}
INVITATION: Json = {"email": "bea@example.org", "seat": 1, "greeting": "Shall we play again?"}
VOTE: Json = {"on": "pause", "vote": True}
MESSAGE: Json = {"text": "Good evening, and clear skies!"}

# Moves

MOVE: Json = {"turn": 1, "move": {"star": "7", "board": "leo", "space": "c"}}
STEP: Json = {  # in a game whose turns have several steps
    "turn": 3,
    "move": {"steps": [{"cmd": "act", "slot": 1, "do": "lay", "class": "punkt", "field": "b1"}]},
}
PLAN_WANTED: Json = {
    "revision": 0,
    "moves": [
        {"move": MOVE["move"], "if": [{"at": "/boards/0/spaces/c", "is": None}], "after": "PT0S"},
        {"move": {"star": "D", "board": "aries", "space": "a"}, "if": [{"only": ["star-placed"]}], "after": "PT6H"},
    ],
}
TAKE_BACK: Json = {"to": 1}
TAKE_BACK_ASKED: Json = {
    "vote": {
        "on": "take-back",
        "seat": 0,
        "to": 1,
        "ends_at": "2026-11-23T19:50:00.000000Z",
        "consents": [0],
        "undoes": ["You put a 7 on Leo c."],
    }
}
BEGUN: Json = {"begun": []}
HINT: Json = {
    "turn": 1,
    "moves": [
        {
            "move": MOVE["move"],
            "words": "7 leo c",
            "why": "Leo is scored now, and you come first: 10 coins for you, 7 for Sirius.",
            "behind": 0,
            "margin": 0,
            "scores": 10,
            "then": [],
            "scores_with_then": 10,
            "wins": False,
        },
        {
            "move": {"star": "10", "board": "aries", "space": "b"},
            "words": "10 aries b",
            "why": "You take the lead in Aries.",
            "behind": 0.45,
            "margin": 1.9,
            "scores": 0,
            "then": [],
            "scores_with_then": 0,
            "wins": False,
        },
        {
            "move": {"star": "B", "board": "leo", "space": "d"},
            "words": "B leo d",
            "why": "The others lose 6 points in Leo. This move brings about 2 coins less than suggestion 1: the others get more.",
            "behind": 2.3,
            "margin": 1.2,
            "scores": 0,
            "then": [],
            "scores_with_then": 0,
            "wins": False,
        },
    ],
}
REVIEW_BEGUN: Json = {
    "seat": 0,
    "total": 1,
    "done": 0,
    "result": None,
    "choices": None,
    "luck": None,
    "margin": None,
    "summary": [],
    "moves": [],
}
REVIEW: Json = {
    "seat": 0,
    "total": 1,
    "done": 1,
    "result": 8.5,
    "choices": -1.25,
    "luck": 9.75,
    "margin": 1.1,
    "summary": [
        "You finished 9 coins ahead of the others' average.",
        "A simple bot that doesn't look ahead would have got about 1 coin more in your place.",
        "The cards, your seat and the others' play brought you about 10 coins.",
        "These estimates can be off by about 1 coin.",
        "Your costliest move: Move 1. Another would have brought about 2 coins more.",
    ],
    "moves": [
        {
            "version": 1,
            "move": MOVE["move"],
            "words": "7 leo c",
            "choice": -1.25,
            "margin": 1.1,
            "better": {
                "move": {"star": "D", "board": "aries", "space": "a"},
                "words": "D aries a",
                "why": "You extend your lead in Aries.",
                "gain": 1.8,
                "margin": 1.2,
            },
        }
    ],
}

# Webhooks

WEBHOOK_WANTED: Json = {
    "url": "https://stars.example/hook",
    "form": "standard",
    "kinds": ["your-turn", "game-ended"],
    "game": None,
}
WEBHOOK_CHANGES: Json = {"kinds": ["your-turn"], "enabled": True}


def payload(kind: str) -> Json:
    """Return a webhook's payload for a game of three in which it's Ada's turn."""
    if kind == "ping":
        return {"type": kind, "timestamp": "2026-11-21T19:20:05.000000Z", "data": {}}
    groups: dict[str, Json] = {
        "turn": {"turn": 1, "due_at": _GAME["seats"][0]["due_at"]},
        "deadline": {"due_at": _GAME["seats"][0]["due_at"]},
        "extension": {"by": "P1D"},
        "bot": {"bot": "greedy"},
        "take-back": {"by": 1, "to_version": 1, "ends_at": "2026-11-23T19:50:00.000000Z"},
        "vote": {"by": 1, "on": "pause"},
        "message": {"nr": 1},
    }
    data: Json = {"game": _GAME["id"], "version": 1, "seat": 0}
    for group in NOTICE_KINDS[kind].payload:
        data |= groups[group]
    return {"type": kind, "timestamp": "2026-11-21T19:42:00.000000Z", "data": data}


WEBHOOK_DELIVERY: Json = {
    **_RECORDED["PING"],
    "id": "5d9d2a1c-1c0f-5b0a-8a52-3f6c7c1e9a44",
    "kind": "your-turn",
    "payload": payload("your-turn"),
    "result": "failed",
    "tries": 2,
    "status": 503,
    "detail": "The response was 503",
    "made_at": payload("your-turn")["timestamp"],
    "tried_at": "2026-11-21T19:42:07.000000Z",
    "next_at": "2026-11-21T19:42:28.000000Z",
}
WEBHOOK_DELIVERIES: Json = {"items": [WEBHOOK_DELIVERY], "next": None}
TRIED_AGAIN: Json = {**WEBHOOK_DELIVERY, "result": "waiting", "tries": 0, "next_at": "2026-11-21T19:50:00.000000Z"}

# Rules, shortened

_DESCRIBED = GAMES["sternenhimmel"].describe()
RULES: Json = {
    **{name: _DESCRIBED[name] for name in ("name", "seats", "move", "notation", "stars")},
    "options": {"type": "object", "properties": {"edition": _DESCRIBED["options"]["properties"]["edition"]}},
    "editions": {"schloth-en": _DESCRIBED["editions"]["schloth-en"]},
    "view": {"type": "object"},
    "events": {"seat-skipped": _DESCRIBED["events"]["seat-skipped"]},
    "boards": [board for board in _DESCRIBED["boards"] if board["id"] == "aries"],
    "bots": [it.to_json() for it in strengths() if it.rules == "sternenhimmel"][:2],
}
ALL_RULES: Json = {"items": [RULES]}
