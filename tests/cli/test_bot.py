"""`sternenpost bot` without a server: programs exchange lines of JSON and get readable errors."""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import ClassVar

import pytest
from click.testing import Result

from server import docs
from server.games import GAMES, Json
from tests.support.commands import ask
from tests.support.handbook import block
from tests.support.samples import Played, positions
from tests.support.web_servers import Quiet, serve

bot_module = import_module("server.cli.bot")
PRINTED = block(docs.render((docs.FOLDER / "bot.md").read_text("utf-8")).html, "bot-lines")
SAYS_HELLO = 'import sys, json\nsys.stdin.readline()\nprint(\'{"type": "hello", "version": 1}\', flush=True)\n'


def bot(*words: str, program: str | Path = PRINTED) -> Result:
    command = [sys.executable, str(program)] if isinstance(program, Path) else [sys.executable, "-c", program]
    return ask("bot", *words, "--", *command)


@pytest.mark.parametrize("rules", GAMES)
def test_the_program_in_the_handbook_plays_local_games_to_the_end(rules: str) -> None:
    options = '{"max_rounds": 5}' if rules == "sternenglanz" else "{}"
    played = bot("--local", rules, "--games", "2", "--seed", "a", "--options", options)
    assert played.exit_code == 0, played.output
    assert len(re.findall(r"(?m)^Game \d: place \d, points .*\(yours\)", played.output)) == 2
    assert bot("--local", rules, "--games", "2", "--seed", "a", "--options", options).output == played.output
    assert bot("--local", rules, "--games", "2", "--seed", "b", "--options", options).output != played.output


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("", "exited unexpectedly with status 0"),
        ("raise SystemExit(7)", "exited unexpectedly with status 7"),
        ("print('Hello!')", "wrote 'Hello!' instead of a line of the type \"hello\""),
        ("print('[1]')", "instead of a line"),
        ('print(\'{"type": "hello", "version": 2}\')', "speaks version 2 of the protocol, not 1"),
        ("import time; time.sleep(60)", "did not answer in 0.5 seconds"),
        (SAYS_HELLO, "exited unexpectedly"),
        (SAYS_HELLO + 'print(\'{"type": "legal"}\', flush=True); sys.stdin.read()', 'of the type "move"'),
        (
            SAYS_HELLO + 'for line in sys.stdin:\n print(\'{"type": "move", "move": {}}\', flush=True)',
            "3 moves that can't be played: The requested move is for",
        ),
        (
            SAYS_HELLO + "for line in sys.stdin:\n it = json.loads(line)\n"
            " if it['type'] != 'view': print(json.dumps({**it, 'type': 'move', 'move': 7}), flush=True)",
            "3 moves that can't be played",
        ),
    ],
)
def test_a_programs_mistake_is_reported_in_one_sentence(program: str, told: str) -> None:
    played = bot("--local", "sternenhimmel", "--patience", "0.5" if "sleep" in program else "200", program=program)
    assert played.exit_code == 1
    assert told in played.output


def test_a_program_can_choose_again_after_an_unplayable_move() -> None:
    program = SAYS_HELLO + (
        "refused, told = 0, 0\n"
        "for line in sys.stdin:\n"
        "    it = json.loads(line)\n"
        "    if it['type'] == 'legal': asked, wrong = it, not told\n"
        "    if it['type'] == 'refused': wrong, told = False, 1; sys.stderr.write(it['code'])\n"
        "    if it['type'] in ('legal', 'refused'):\n"
        "        move = {'star': 99} if wrong else asked['moves'][-1]\n"
        "        print(json.dumps({**asked, 'type': 'move', 'move': move}), flush=True)\n"
    )
    played = bot("--local", "sternenhimmel", program=program)
    assert played.exit_code == 0, played.output


def test_invalid_bot_commands_are_rejected() -> None:
    assert "Give a --token" in bot().output
    assert bot().exit_code == 2
    assert bot("--local", "sternenhimmel", "--options", '{"edition": 7}').exit_code == 2
    assert bot("--local", "sternenhimmel", "--options", "[1]").exit_code == 2
    refused = bot("--local", "sternenhimmel", "--against", "greedy", "--against", "nobody")
    assert (refused.exit_code, "'nobody' is not one of 'random', 'greedy', 'level-1'" in refused.output) == (2, True)
    assert "cannot be started" in ask("bot", "--local", "sternenhimmel", "--", "/no/such").output


def test_a_bot_with_a_level_plays_local_games_instead_of_a_program() -> None:
    played = ask("bot", "--local", "sternenhimmel", "--level", 1, "--against", "random", "--against", "random")
    assert played.exit_code == 0, played.output
    assert "Won 1 of 1." in played.output
    seeded = ["bot", "--local", "sternenhimmel", "--level", "2", "--games", "3", "--seed"]
    first, again, other = (ask(*seeded, seed).output for seed in "aab")
    assert first == again != other
    assert ask("bot", "--local", "sternenhimmel").exit_code == 2
    assert bot("--local", "sternenhimmel", "--level", "1").exit_code == 2


class OnTurn(Quiet):
    """A server with a game in which the account's seat is on turn, until it has moved."""

    game: ClassVar[Played]
    moves: ClassVar[list[Json]] = []

    def do_GET(self) -> None:
        played, seat = OnTurn.game, min(OnTurn.game.rules.to_act(OnTurn.game.state))
        about = {"rules": played.game, "you": {"seat": seat, "turn": 9}, "view": played.rules.view(played.state, seat)}
        moves = [played.rules.move_to_json(move) for move in played.rules.legal_moves(played.state, seat)]
        self.answer(
            {
                "/v1/games/a": {**about, "status": "finished" if OnTurn.moves else "running", "outcome": None},
                "/v1/games/a/legal-moves": {"turn": 9, "moves": moves},
                "/v1/games/a/events": {"items": played.story(seat), "next": None},
            }.get(self.path)
        )

    def do_POST(self) -> None:
        OnTurn.moves.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.answer({})

    def answer(self, body: Json | None) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(body).encode() if body is not None else b'data: {"game": "a"}\n\n')


@pytest.mark.parametrize("rules", GAMES)
def test_a_bot_with_a_level_plays_on_a_server_using_only_what_its_seat_sees(rules: str) -> None:
    OnTurn.game = next(it for it in positions(rules, {}, GAMES[rules].SEATS.start, 1) if len(it.moves) == 12)
    OnTurn.moves.clear()
    with serve(OnTurn) as url:
        there = ("--url", url, "--token", "sp_a", "--game", "a")
        assert ask("bot", *there, "--level", 3).exit_code == 0
    ((turn, move),) = [(it["turn"], it["move"]) for it in OnTurn.moves]
    state, game = OnTurn.game.state, OnTurn.game.rules
    assert turn == 9
    assert game.move_from_json(move) in game.legal_moves(state, min(game.to_act(state)))


class CutOff(Quiet):
    """A server whose stream breaks off within a line and has ended at the next request."""

    asked = 0

    def do_GET(self) -> None:
        CutOff.asked += 1
        self.send_response(200 if CutOff.asked == 1 else 204)
        self.end_headers()
        if CutOff.asked == 1:
            self.wfile.write(b'data: {"game": "a"}\n\ndata: {"ga')


def test_a_stream_that_breaks_within_a_line_is_reopened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_module, "_PAUSE", 0.0)
    with serve(CutOff) as url:
        there = bot_module._Server(url, "sp_a")
        assert list(there.news("/v1/stream")) == [None, {"game": "a"}]
    assert CutOff.asked == 2


class Account(Quiet):
    """A server with one account that has no seat."""

    program = False

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/v1/me" else 204)
        self.end_headers()
        if self.path == "/v1/me":
            self.wfile.write(json.dumps({"program": Account.program}).encode())

    def do_PATCH(self) -> None:
        Account.program = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["program"]
        self.do_GET()


def test_a_program_plays_all_games_of_an_account_only_once_the_account_is_marked() -> None:
    with serve(Account) as url:
        there = ("--url", url, "--token", "sp_a")
        assert "This account is not marked" in bot(*there).output
        assert bot(*there).exit_code == 1
        assert bot(*there, "--game", "a").exit_code == 0
        assert not Account.program
        assert bot(*there, "--mark").exit_code == 0
        assert Account.program
        assert bot(*there).exit_code == 0


class Restored(Quiet):
    """A server whose log of the game `a` ends before its last answer, as after a restored backup."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        told: dict[str, object] = {
            "/v1/me": {"program": True},
            "/v1/games/a": {"status": "finished", "outcome": None, "you": None},
        }
        is_over = self.path == "/v1/stream" and self.path in Restored.asked
        Restored.asked.append(self.path)
        self.send_response(204 if is_over else 200)
        self.end_headers()
        if self.path == "/v1/stream" and not is_over:
            self.wfile.write(b'id: x\nevent: reset\ndata: {"game": "a", "newest": 3}\n\n')
        elif not is_over:
            self.wfile.write(json.dumps(told.get(self.path, {"items": [], "next": None})).encode())


def test_a_game_whose_log_has_become_shorter_is_read_again() -> None:
    with serve(Restored) as url:
        assert bot("--url", url, "--token", "sp_a").exit_code == 0
    assert Restored.asked.count("/v1/games/a") == 1
