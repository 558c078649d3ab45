"""The guarantees of the API: one check for each, with a sentence that states the guarantee."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property, partial
from typing import Any
from uuid import uuid4
from xml.etree import ElementTree

from server.conform.exchange import Answer, Exchange, Person, Send
from server.conform.games import STRANGER, BrokenOff, PlayedGame, plain
from server.games import GAMES, Json, commitment
from server.play.archive import Flaw

PEOPLE = 3
_PER_MOVE, _SKEW = timedelta(days=2), timedelta(minutes=5)
_PROBLEM = "application/problem+json"

Check = Callable[["Site"], None]
CHECKS: dict[str, Check] = {}


class Site:
    """The server under test, with its players, their games, and all its responses so far."""

    def __init__(self, send: Send, tokens: Sequence[str], document: Json, seed: str) -> None:
        self.send, self.document, self.rng = send, document, random.Random(seed)
        self.exchanges: list[Exchange] = []
        self.stranger = Person(send, None, self.exchanges)
        self.people = [Person(send, token, self.exchanges) for token in tokens[:PEOPLE]]
        self.one, self.other = self.people[:2]

    @cached_property
    def games(self) -> list[PlayedGame]:
        games = [self.new_game(rules) for rules in GAMES]
        for game in games:
            game.play()
        return games

    @cached_property
    def running(self) -> PlayedGame:
        """Return a game that is still running after seven moves."""
        game = self.new_game(next(iter(GAMES)))
        game.play(7)
        return game

    def new_game(self, rules: str) -> PlayedGame:
        return PlayedGame(rules, self.people, self.stranger, self.rng)

    def on_turn(self) -> tuple[int, Json, Person]:
        """Return the seat whose turn it is in the running game, its legal moves, and its player."""
        game = self.running
        seat = next(it["seat"] for it in game.look(STRANGER)["seats"] if it["turn"] is not None)
        return seat, self.one_of(200, game.people[seat].get(f"{game.path}/legal-moves")), game.people[seat]

    def one_of(self, status: int, answer: Answer) -> Any:
        expect(answer.status == status, f"{answer.status} instead of {status}: {answer.body[:200]!r}")
        return answer.json


class Broken(Exception):
    """The evidence that a guarantee is broken, in one sentence."""


def expect(holds: bool, sentence: str) -> None:
    if not holds:
        raise Broken(sentence)


def promise(sentence: str) -> Callable[[Check], Check]:
    def keep(check: Check) -> Check:
        CHECKS[sentence] = check
        return check

    return keep


def run(site: Site) -> Iterator[tuple[str, str | None]]:
    """Yield each guarantee, with the evidence if it is broken."""
    for sentence, check in CHECKS.items():
        try:
            check(site)
        except (Broken, BrokenOff, Flaw, OSError) as error:
            yield sentence, str(error) or type(error).__name__
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, StopIteration) as error:
            yield sentence, f"A response differs in form from the API description ({type(error).__name__}: {error})."
        else:
            yield sentence, None


# Access


@promise("the server lists both games")
def _(site: Site) -> None:
    names = {it["name"] for it in site.one_of(200, site.stranger.get("/v1/rules"))["items"]}
    expect(names >= set(GAMES), f"The server lists only {sorted(names)}.")
    expect(site.stranger.get("/v1").status == 200, "GET /v1 does not return 200.")


@promise("the server's OpenAPI document has every call")
def _(site: Site) -> None:
    theirs = set(_calls(site.one_of(200, site.stranger.get("/openapi.json"))))
    missing = set(_calls(site.document)) - theirs
    expect(not missing, f"Missing: {', '.join(sorted(missing))}.")


def _calls(document: Json) -> Iterator[str]:
    for item in document["paths"].values():
        yield from (each["operationId"] for each in item.values() if "operationId" in each)


@promise("the games have the rules of this project")
def _(site: Site) -> None:
    for name, rules in GAMES.items():
        told = site.one_of(200, site.stranger.get(f"/v1/rules/{name}"))
        for field, value in plain(rules.describe()).items():
            expect(told.get(field) == value, f"The field {field} of {name} differs.")


@promise("a wrong or missing token returns 401")
def _(site: Site) -> None:
    for headers, code in (({}, "token-needed"), ({"Authorization": "Bearer sp_wrong"}, "bad-token")):
        _refused(site.stranger.ask("GET", "/v1/me", None, **headers), 401, code)


@promise("an unknown game returns 404, and an unsupported method 405")
def _(site: Site) -> None:
    _refused(site.one.get(f"/v1/games/{uuid4()}"), 404, "not-found")
    _refused(site.one.ask("PUT", "/v1/me", {}), 405, "method-not-allowed")


@promise("a malformed body returns 400, a body that isn't JSON 415, and an unavailable format 406")
def _(site: Site) -> None:
    _refused(site.one.ask("POST", "/v1/games", b'{"rules": '), 400, "malformed-request")
    _refused(site.one.ask("POST", "/v1/games", b"rules", Content_Type="text/plain"), 415, "unsupported-media-type")
    _refused(site.one.get("/v1/me", Accept="text/html"), 406, "not-acceptable")


@promise("an error names each unknown field")
def _(site: Site) -> None:
    wanted = {**_against_bots(), "x": 1}
    told = _refused(site.one.post("/v1/games", wanted), 422, "invalid-fields")
    expect("x" in json.dumps(told.get("errors", told)), "The error doesn't name the field `x`.")


def _against_bots() -> Json:
    name, game = next(iter(GAMES.items()))
    return {"rules": name, "seats": [{"player": "me"}, *[{"bot": "greedy"}] * (game.SEATS.start - 1)]}


def _refused(answer: Answer, status: int, code: str) -> Json:
    expect(answer.status == status, f"{answer.status} instead of {status}.")
    told: Json = answer.json
    expect(told.get("code") == code, f"The code is {told.get('code')} instead of {code}.")
    return told


# Creating and joining games


@promise("repeating a request with the same key creates only one game")
def _(site: Site) -> None:
    game, key = site.running, f"conform-{site.rng.random()}"
    wanted = {**game.wanted, "title": "Once"}
    one, two = (site.one.post("/v1/games", wanted, Idempotency_Key=key) for _ in range(2))
    expect(one.json["id"] == two.json["id"], "Two games were created.")
    other = site.one.post("/v1/games", {**wanted, "title": "Twice"}, Idempotency_Key=key)
    _refused(other, 422, "idempotency-key-reused")
    site.one.ask("DELETE", f"/v1/games/{one.json['id']}")


@promise("a new game is at its Location and in the list of open games")
def _(site: Site) -> None:
    opened = [site.one.post("/v1/games", {**site.running.wanted, "title": "Free"}) for _ in range(2)]
    games = {site.one_of(201, answer)["id"]: answer for answer in opened}
    seen = list[str]()
    path = "/v1/games?free=true&limit=1"
    while path and len(seen) < 500:
        page = site.one_of(200, site.other.get(path))
        seen += [it["id"] for it in page["items"]]
        path = page["next"]
    expect(games.keys() <= set(seen), "The game is not listed.")
    expect(len(seen) == len(set(seen)), "A game is on two pages of the list.")
    for game, answer in games.items():
        expect(
            answer.headers.get("location", "").endswith(f"/v1/games/{game}"), "Location is the URL of something else."
        )
        expect(site.one.ask("DELETE", f"/v1/games/{game}").status == 204, "The host cannot close the game.")


@promise("other players get 404 for a private game")
def _(site: Site) -> None:
    game = site.one_of(201, site.one.post("/v1/games", {**_against_bots(), "private": True}))
    for who in (site.other, site.stranger):
        for rest in ("", "/events", "/picture.svg", "/messages"):
            _refused(who.get(f"/v1/games/{game['id']}{rest}"), 404, "not-found")


@promise("a player can't take a second seat at a table")
def _(site: Site) -> None:
    _refused(site.one.post(f"{site.running.path}/seats", {}), 409, "already-seated")


# Moves


@promise("a repeated move gets the first response again and is played once")
def _(site: Site) -> None:
    _, legal, who = site.on_turn()
    path = f"{site.running.path}/moves"
    wanted = {"turn": legal["turn"], "move": legal["moves"][0]}
    one, two = who.post(path, wanted), who.post(path, wanted)
    expect((one.status, two.status) == (201, 200), f"The responses have the status {one.status} and {two.status}.")
    expect(one.json == two.json, "The two responses differ.")
    expect(site.running.look(STRANGER)["version"] == one.json["version"], "The version of the game changed.")


@promise("a different move for a turn that is over is rejected as stale")
def _(site: Site) -> None:
    seat, wanted, _ = site.running.moves[0]
    legal = site.running.legal[min(it for it, of in site.running.legal if of == seat), seat]
    another = next(move for move in legal["moves"] if move != wanted["move"])
    answer = site.running.people[seat].post(f"{site.running.path}/moves", {"turn": wanted["turn"], "move": another})
    _refused(answer, 409, "stale-turn")


@promise("an illegal or malformed move changes nothing")
def _(site: Site) -> None:
    _, legal, who = site.on_turn()
    before = site.running.look(STRANGER)["version"]
    taken = site.running.moves[0][1]["move"]
    for move, code in ((taken, "illegal-move"), ({"star": "99"}, "malformed-move"), (7, "malformed-move")):
        _refused(who.post(f"{site.running.path}/moves", {"turn": legal["turn"], "move": move}), 422, code)
    expect(site.running.look(STRANGER)["version"] == before, "The version of the game changed.")


@promise("only the player whose turn it is can move")
def _(site: Site) -> None:
    seat, legal, _ = site.on_turn()
    path = f"{site.running.path}/moves"
    wanted = {"turn": legal["turn"], "move": legal["moves"][0]}
    idle = site.running.people[(seat + 1) % len(site.running.people)]
    _refused(idle.post(path, wanted), 409, "stale-turn")
    _refused(site.stranger.post(path, wanted), 401, "token-needed")


@promise("a dry run returns what a move would cause and changes nothing")
def _(site: Site) -> None:
    _, legal, who = site.on_turn()
    before = site.running.look(STRANGER)["version"]
    wanted = {"turn": legal["turn"], "move": legal["moves"][0]}
    told = site.one_of(200, who.post(f"{site.running.path}/moves?dry_run=true", wanted))
    expect(bool(told["would"]) and told["view"] is not None, "The response has no events or no view.")
    expect(site.running.look(STRANGER)["version"] == before, "The version of the game changed.")


@promise("a take-back restores the table as it was before the move")
def _(site: Site) -> None:
    game = site.running
    seat, legal, who = site.on_turn()
    before = game.look(seat)
    move = next(it for it in legal["moves"])
    version = site.one_of(201, who.post(f"{game.path}/moves", {"turn": legal["turn"], "move": move}))["version"]
    told = site.one_of(201, who.post(f"{game.path}/take-backs", {"to": before["version"]}))
    expect(told["view"] == before["view"], "The table differs from the one before the move.")
    expect(told["version"] == version + 1, "The take-back did not add exactly one version.")


# Responses, compared with the archive


def _of_all(site: Site, differs: Callable[[PlayedGame], str | None]) -> None:
    for game in site.games:
        found = differs(game)
        expect(found is None, f"{game.rules.NAME}, {game.id}: {found}")


@promise("each seat gets exactly its own view, at every version")
def _(site: Site) -> None:
    _of_all(site, partial(_wrong_view, strangers=False))


@promise("a spectator gets exactly the public view, at every version")
def _(site: Site) -> None:
    _of_all(site, partial(_wrong_view, strangers=True))


def _wrong_view(game: PlayedGame, strangers: bool) -> str | None:
    for (version, seat), view in game.views.items():
        if (seat == STRANGER) == strangers and view != game.view_at(version, seat):
            return f"the view of {'a spectator' if strangers else f'seat {seat}'} differs at version {version}."
    return None


@promise("earlier versions are returned as they were")
def _(site: Site) -> None:
    for game in site.games:
        for version in (game.heads[1]["version"], game.heads[len(game.heads) // 2]["version"]):
            for seat, who in ((STRANGER, game.stranger), (0, game.people[0])):
                told = site.one_of(200, who.get(f"{game.path}?at={version}"))
                expect(told["view"] == game.view_at(version, seat), f"Version {version} of {game.id} differs.")


@promise("the legal moves are exactly those that the rules allow")
def _(site: Site) -> None:
    def differs(game: PlayedGame) -> str | None:
        for (version, seat), legal in game.legal.items():
            state = game.tables[version].state
            if legal["moves"] != plain([game.rules.move_to_json(it) for it in game.rules.legal_moves(state, seat)]):
                return f"the legal moves of seat {seat} differ at version {version}."
        return None

    _of_all(site, differs)


@promise("the list of events has each event that the viewer can see, once and in order")
def _(site: Site) -> None:
    def differs(game: PlayedGame) -> str | None:
        for seat in (STRANGER, *range(len(game.people))):
            told = [{name: value for name, value in it.items() if name != "by"} for it in game.story(seat)]
            for one, other in zip(told, game.story_of(seat), strict=False):
                if one != other:
                    return f"event {other['seq']} differs for seat {seat}."
            if len(told) != len(list(game.story_of(seat))):
                return f"seat {seat} gets {len(told)} events, which is a wrong number."
        return None

    _of_all(site, differs)


@promise("the list of events continues after a given event")
def _(site: Site) -> None:
    for game in site.games:
        whole = game.story(0)
        after = whole[len(whole) // 2]["seq"]
        expect(
            game.story(0, f"?after={after}") == [it for it in whole if it["seq"] > after],
            "The list does not continue after the event.",
        )


@promise("the events of each move name who made it")
def _(site: Site) -> None:
    for game in site.games:
        told = {it["version"]: it["by"] for it in game.story(STRANGER) if "by" in it}
        expect(set(told.values()) == {"player"}, "An event names something other than `player`.")
        expect(
            told.keys() >= {it.json["version"] for _, _, it in game.moves},
            "The events of some moves don't name who made them.",
        )


@promise("the response to a move has its version, its events and the table")
def _(site: Site) -> None:
    for game in site.games:
        for seat, wanted, answer in game.moves:
            told = answer.json
            story = [it for it in game.story_of(seat) if it["version"] == told["version"]]
            seqs = [it["seq"] for it in told["events"]]
            expect(seqs == [it["seq"] for it in story], f"The response to {wanted} has other events.")
            turn = game.tables[told["version"]].turns[seat]
            is_over = game.tables[told["version"]].status != "running"
            expect(told["you"] == {"seat": seat, "turn": None if is_over else turn}, "The field `you` is wrong.")


@promise("turns have the numbers that moves must contain")
def _(site: Site) -> None:
    def differs(game: PlayedGame) -> str | None:
        for head in game.heads:
            turns = list(game.tables[head["version"]].turns)
            if head["status"] == "running" and [it["turn"] for it in head["seats"]] != turns:
                return f"the turn numbers of version {head['version']} differ."
        return None

    _of_all(site, differs)


@promise("a turn is due when the game's clock says")
def _(site: Site) -> None:
    head = site.running.look(STRANGER)
    due = [datetime.fromisoformat(it["due_at"]) for it in head["seats"] if it["due_at"]]
    answer = site.stranger.get(site.running.path)
    now = datetime.fromisoformat(answer.headers["sandbox-clock"]) if "sandbox-clock" in answer.headers else None
    now = now or datetime.now(due[0].tzinfo)
    expect(len(due) == 1, "The number of seats with a due time is not one.")
    expect(now < due[0] <= now + _PER_MOVE + _SKEW, f"The turn is due at {due[0]}.")


@promise("a finished game has the right scores and places")
def _(site: Site) -> None:
    for game in site.games:
        outcome = game.checked.table.outcome
        expect(game.look(STRANGER)["outcome"] == plain(outcome), "The outcome is different.")


@promise("archives have correct hashes, draws and moves, and the commitment published earlier")
def _(site: Site) -> None:
    for game in site.games:
        shown = {head["commitment"] for head in game.heads} | {game.opened.json["commitment"]}
        expect(shown == {commitment(game.checked.start.seed)}, "The commitment published earlier was different.")
        expect(plain(game.checked.start.terms["rules"]) == game.rules.NAME, "The archive is from another game.")


# Events


@promise("a stream has all events and continues after the last id received")
def _(site: Site) -> None:
    game = site.games[0]
    story = game.story(STRANGER)
    whole = _streamed(_stream(game, None))
    expect([event for _, event in whole] == story, "The stream's events differ from the list of events.")
    half = len(story) // 2
    rest = _streamed(_stream(game, whole[half][0]))
    expect(rest == whole[half + 1 :], "The stream does not continue after the last id received.")
    over = game.stranger.get(f"{game.path}/stream", Accept="text/event-stream", Last_Event_ID=whole[-1][0])
    expect(over.status == 204, f"After the end, the stream returns {over.status} instead of 204.")


def _stream(game: PlayedGame, after: str | None) -> str:
    headers = {"Accept": "text/event-stream", **({"Last_Event_ID": after} if after else {})}
    answer = game.stranger.get(f"{game.path}/stream", **headers)
    expect(
        answer.headers.get("content-type", "").startswith("text/event-stream"), "The response is not an event stream."
    )
    return answer.body.decode()


def _streamed(body: str) -> list[tuple[str, Json]]:
    found = []
    for block in body.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and not line.startswith(":"))
        if "data" in fields and "event" not in fields:
            found.append((fields["id"], json.loads(fields["data"])))
    return found


@promise("a GET of an unchanged game returns an empty 304")
def _(site: Site) -> None:
    game, (_, legal, who) = site.running, site.on_turn()
    etag = who.get(game.path).headers["etag"]
    same = who.get(game.path, If_None_Match=etag)
    expect((same.status, same.body) == (304, b""), f"The response has the status {same.status}, or a body.")
    site.one_of(201, who.post(f"{game.path}/moves", {"turn": legal["turn"], "move": legal["moves"][-1]}))
    other = who.get(game.path, If_None_Match=etag)
    expect(other.status == 200 and other.headers["etag"] != etag, "The ETag did not change after a move.")


@promise("HEAD returns the headers of GET without a body, and responses are compressed on request")
def _(site: Site) -> None:
    path = f"/v1/games/{site.games[0].id}"
    whole, head = site.stranger.get(path), site.stranger.ask("HEAD", path)
    expect((head.status, head.body) == (200, b""), "HEAD has a body.")
    expect(head.headers["etag"] == whole.headers["etag"], "HEAD has a different ETag.")
    packed = site.stranger.get(path, Accept_Encoding="gzip")
    expect(packed.headers.get("content-encoding") == "gzip", "The response is not compressed.")
    expect(packed.json == whole.json, "The compressed response has different content.")


@promise("the table can be drawn as SVG and PNG")
def _(site: Site) -> None:
    game = site.running
    svg = game.people[0].get(f"{game.path}/picture.svg", Accept="image/svg+xml")
    try:
        root = ElementTree.fromstring(svg.body)
    except ElementTree.ParseError as error:
        raise Broken(f"The SVG cannot be parsed: {error}.") from None
    expect(
        root.tag.endswith("svg") and svg.headers["content-type"].startswith("image/svg+xml"),
        "The response is not an SVG.",
    )
    png = game.people[0].get(f"{game.path}/picture.png", Accept="image/png")
    expect(
        png.body.startswith(b"\x89PNG\r\n") and png.headers["content-type"] == "image/png", "The response is not a PNG."
    )


@promise("pages from other origins can call the API, without cookies")
def _(site: Site) -> None:
    answer = site.stranger.get("/v1/rules", Origin="https://front.example")
    expect(
        answer.headers.get("access-control-allow-origin") == "*", "Pages from other origins can't read the response."
    )
    expect("access-control-allow-credentials" not in answer.headers, "Cookies would be sent.")


@promise("a seat token works only for its seat")
def _(site: Site) -> None:
    made = site.one_of(201, site.one.post(f"{site.running.path}/seats/me/tokens", {}))
    seat = Person(site.send, made["token"], site.exchanges)
    expect(seat.get(f"{site.running.path}/legal-moves").status == 200, "The token does not work for its own seat.")
    _refused(seat.get("/v1/me"), 403, "one-seat-only")
    expect(seat.get(f"{site.games[0].path}/legal-moves").status == 403, "The token works for another game.")


# All responses


@promise("every error response is an RFC 9457 problem with a code")
def _(site: Site) -> None:
    for method, path, answer in site.exchanges:
        if answer.status >= 400 and method != "HEAD":
            where = f"{method} {path} ({answer.status})"
            expect(answer.headers.get("content-type") == _PROBLEM, f"{where} is not a problem document.")
            told = answer.json
            expect(told.get("status") == answer.status, f"{where} contains a different status.")
            for field in ("type", "title", "detail", "code"):
                expect(bool(told.get(field)), f"{where} has no {field}.")


@promise("every response has a request id, caching rules and `nosniff`")
def _(site: Site) -> None:
    for method, path, answer in site.exchanges:
        if path.startswith("/v1"):
            expect(bool(answer.headers.get("x-request-id")), f"{method} {path} has no X-Request-Id.")
            expect(answer.headers.get("x-content-type-options") == "nosniff", f"{method} {path} has no `nosniff`.")
            kept = answer.headers.get("cache-control", "")
            expect(answer.status != 200 or "no-" in kept or "max-age" in kept, f"{method} {path} has no caching rules.")


@promise("every response matches the OpenAPI document, without additional fields")
def _(site: Site) -> None:
    from server.conform.schemas import Described

    described = Described(site.document)
    for method, path, answer in site.exchanges:
        flaw = described.flaw_of(method, path, answer)
        expect(flaw is None, f"{method} {path} ({answer.status}): {flaw}")
