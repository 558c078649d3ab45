"""The command that lets a program play: on a server, with a token, or in local games."""

import json
import time
from collections.abc import Iterator, Sequence
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import click

from server.bots import BOTS, LEVELS
from server.bots.built_in import BuiltIn
from server.bots.local_games import play_locally
from server.bots.program import Program, ProgramError, Refused
from server.cli.common import example
from server.games import GAMES, BadOption, Json

_OVER = ("finished", "abandoned")
_AGAIN = (429, 502, 503, 504)  # rate-limited or unavailable: retry
_PAUSE = 2.0  # seconds, unless the response has a Retry-After
_SILENCE = 30  # seconds of silence after which a connection counts as lost; a stream sends something every ten seconds

Player = Program | BuiltIn


@click.command(
    epilog=example(
        "bot --local sternenhimmel --games 10 -- python3 mybot.py",
        "bot --url https://stars.example --game 3f0c9a52-6d1e-4b7a-9c35-2f3f6f1f8a10 -- ./mybot",
        "bot --url https://stars.example --mark -- java -jar mybot.jar",
        "bot --url https://stars.example --mark --level 1",
    )
)
@click.option("--url", default="http://127.0.0.1:8000", show_default=True, help="Address of the server.")
@click.option("--token", envvar="STERNENPOST_TOKEN", help="Token of an account or a seat. Default: STERNENPOST_TOKEN.")
@click.option("--game", metavar="ID", help="Play only this game, until it ends. Default: all games of the account.")
@click.option(
    "--mark",
    is_flag=True,
    help="Mark the account as a program. All players can see the mark, which becomes permanent after the account's "
    "first game.",
)
@click.option(
    "--local", type=click.Choice(list(GAMES)), help="Play games with these rules on this machine, without a server."
)
@click.option("--games", default=1, show_default=True, type=click.IntRange(1), help="Number of local games.")
@click.option(
    "--against",
    multiple=True,
    type=click.Choice(list(BOTS)),
    metavar="BOT",
    help="Opponent in local games: greedy, random or a level such as level-1. Repeat the option for more opponents. Default: greedy.",
)
@click.option("--options", default="{}", metavar="JSON", help="Options for local games, as in GET /v1/rules.")
@click.option(
    "--seed", default="", metavar="TEXT", help="Seed for local games: the same text always produces the same games."
)
@click.option(
    "--patience",
    default=60.0,
    show_default=True,
    type=click.FloatRange(0.1),
    help="Seconds within which the program must answer. With --level, CPU seconds per move on a server.",
)
@click.option(
    "--level", type=click.IntRange(1, len(LEVELS)), help="Let the server's bot of this level play instead of a program."
)
@click.argument("command", nargs=-1)
def bot(
    url: str,
    token: str | None,
    game: str | None,
    mark: bool,
    local: str | None,
    games: int,
    against: Sequence[str],
    options: str,
    seed: str,
    patience: float,
    level: int | None,
    command: Sequence[str],
) -> None:
    """Connect a program that plays by exchanging lines of JSON. COMMAND starts the program. /docs/bot describes the protocol."""
    if not local and not token:
        raise click.UsageError("Give a --token, set STERNENPOST_TOKEN, or play --local.")
    if bool(command) == bool(level):
        raise click.UsageError("Give either the COMMAND of a program or a --level.")
    try:
        if local and level:
            _play_here(f"level-{level}", local, options, against, seed, games)
        elif local:
            with Program(command, patience) as program:
                program.greet()
                _play_here(program, local, options, against, seed, games)
        else:
            server = _Server(url, str(token))
            if mark or not game:
                _expect_marked(server, mark)
            with BuiltIn(f"level-{level}", patience) if level else Program(command, patience) as player:
                player.greet()
                _play_there(player, server, game)
    except ProgramError as error:
        raise click.ClickException(str(error)) from None


def _play_here(player: Program | str, rules: str, options: str, against: Sequence[str], seed: str, games: int) -> None:
    """Play local games. The player's seat rotates from game to game."""
    try:
        chosen = json.loads(options)
    except ValueError:
        chosen = None
    if not isinstance(chosen, dict):
        raise click.UsageError("--options must be a JSON object.")
    others = list(against) or ["greedy"] * (GAMES[rules].SEATS.start - 1)
    won = 0
    for number in range(games):
        seat = number % (len(others) + 1)
        players = [*others[:seat], player, *others[seat:]]
        try:
            outcome = play_locally(rules, chosen, players, f"{seed or rules} {number + 1}")
        except BadOption as error:
            raise click.UsageError(f"{error}") from None
        won += outcome.places[seat] == 1
        scores = ", ".join(f"{score}{' (yours)' * (it == seat)}" for it, score in enumerate(outcome.scores))
        click.echo(f"Game {number + 1}: place {outcome.places[seat]}, points {scores}")
    click.echo(f"Won {won} of {games}.")


class _Server:
    """A client of the API. It retries lost requests: a move names its turn, so no move is played twice."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._headers = url.rstrip("/"), {"Authorization": f"Bearer {token}"}

    def ask(self, path: str, body: Json | None = None, method: str | None = None) -> Json:
        """Send a request and return the response. Raise HTTPError if the server rejects it. A body is sent with POST,
        unless `method` is given."""
        while True:
            try:
                with self.open(path, body, method) as answer:
                    found: Json = json.load(answer)
                    return found
            except HTTPError as error:
                if error.code not in _AGAIN:
                    raise
                _wait(error.headers.get("Retry-After"))
            except (OSError, HTTPException, ValueError):  # ValueError: cut off in the middle
                _wait(None)

    def open(self, path: str, body: Json | None = None, method: str | None = None) -> HTTPResponse:
        headers = {**self._headers, "Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        request = Request(self._url + path, json.dumps(body).encode() if body else None, headers, method=method)
        answer: HTTPResponse = urlopen(request, timeout=_SILENCE)
        return answer

    def news(self, path: str) -> Iterator[Json | None]:
        """Yield the events of a stream, and None each time the stream is opened, since events may have been missed."""
        while True:
            try:
                with self.open(path) as stream:
                    if stream.status == 204:
                        return
                    yield None
                    yield from (json.loads(line[5:]) for line in stream if line.startswith(b"data:"))
            except HTTPError as error:
                if error.code not in _AGAIN:
                    raise
                _wait(error.headers.get("Retry-After"))
            except (OSError, HTTPException, ValueError):
                _wait(None)

    def running(self) -> Iterator[str]:
        """Yield the ids of all running games of the account."""
        path: str | None = "/v1/games?mine=true&status=running&limit=100"
        while path:
            page = self.ask(path)
            yield from (it["id"] for it in page["items"])
            path = page["next"]


def _wait(told: str | None) -> None:
    time.sleep(float(told) if told and told.isdigit() else _PAUSE)


def _expect_marked(server: _Server, mark: bool) -> None:
    """Check or set the account's mark, since other players must know that it belongs to a program."""
    try:
        if not server.ask("/v1/me")["program"]:
            if not mark:
                raise click.ClickException(
                    "This account is not marked as a program, so others would take it for a person. Add --mark to mark it "
                    '(PATCH /v1/me {"program": true}), or name one --game.'
                )
            server.ask("/v1/me", {"program": True}, "PATCH")
    except HTTPError as error:
        raise click.ClickException(str(_said(error)["detail"])) from None


def _play_there(program: Player, server: _Server, game: str | None) -> None:
    playing = set[str]()
    try:
        for event in server.news(f"/v1/games/{game}/stream" if game else "/v1/stream"):
            if game:
                found = [game]
            elif event:
                found = [event["game"]]
            else:
                found = sorted({*playing, *server.running()})
            for each in found:
                if _look(program, server, each):
                    playing.add(each)
                else:
                    playing.discard(each)
            if game and not playing:
                return
    except HTTPError as error:
        raise click.ClickException(str(_said(error)["detail"])) from None


def _look(program: Player, server: _Server, game_id: str) -> bool:
    """Play while it is the program's turn. Return whether the game continues."""
    path = f"/v1/games/{game_id}"
    while (game := server.ask(path))["status"] not in _OVER:
        legal = server.ask(f"{path}/legal-moves") if game["you"] and game["you"]["turn"] is not None else None
        if not legal or not legal["moves"]:
            return True
        table = {"game": game_id, "rules": game["rules"], "seat": game["you"]["seat"], "turn": legal["turn"]}

        def play(move: Any, path: str = path, turn: int = legal["turn"]) -> None:
            try:
                server.ask(f"{path}/moves", {"turn": turn, "move": move})
            except HTTPError as error:
                said = _said(error)
                if error.code in (400, 422):
                    raise Refused(said.get("reason") or said["code"], said["detail"]) from None
                if error.code != 409:  # the turn is over, and the next iteration reloads the game
                    raise

        if isinstance(program, BuiltIn):
            table["story"] = server.ask(f"{path}/events")["items"]
        program.play({**table, "view": game["view"]}, legal["moves"], play)
    program.tell({"type": "end", "game": game_id, "outcome": game["outcome"]})
    return False


def _said(error: HTTPError) -> Json:
    """Return the problem in a response (RFC 9457)."""
    try:
        problem: Any = json.load(error)
        return {"code": "unknown", "detail": str(error), **problem}
    except (OSError, ValueError, TypeError):
        return {"code": "unknown", "detail": f"The server answered {error.code} {error.reason}."}
