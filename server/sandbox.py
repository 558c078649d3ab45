"""The sandbox: games in every state, links to these games, and the players Robin (you), Ada and Ben."""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID, uuid4, uuid5

from server.accounts.players import change_profile, player_token, profile
from server.clock import clock
from server.errors import NotFound
from server.games import Json
from server.play.commits import load
from server.play.game import Game
from server.play.moves import play_move
from server.play.seating.games import open_game
from server.play.seating.lobby import list_games
from server.play.seating.seats import leave, return_word, take_seat
from server.play.timing.sandbox_clock import follow_clock, wait_from_now_on
from server.play.turns.turn_links import caller, turn_word
from server.play.views import describe, load_visible, turn_of
from server.play.votes import vote

EMAIL, ADA, BEN = "robin@sandbox.example", "ada@sandbox.example", "ben@sandbox.example"
FIRST = "The first sky"
_PATIENCE = 10.0  # seconds to wait for the bots' moves
_MOST_MOVES = 200
_ME, _OPEN, _BOT = {"player": "me"}, {"open": True}, {"bot": "greedy"}


class People(NamedTuple):
    you: UUID
    ada: UUID
    ben: UUID


def open_up(base_url: str) -> Iterator[str]:
    """Yield lines of text for the terminal. Players and games that already exist are reused."""
    follow_clock()
    people = _people()
    for title, make in SEEDS.items():
        _ensure_game(people, title, make)
    first = _first_sky(people.you)
    yield f"  play              {_link(base_url, first, people.you)}"
    yield f"  your mail         {base_url}/sandbox/mail"
    yield f"  all sample games  {base_url}/sandbox/scenes"
    yield ""
    yield f"  the page          {base_url}/"
    yield f"  API handbook      {base_url}/docs"
    yield f"  your token        {player_token(EMAIL)}"


def list_scenes(base_url: str) -> list[tuple[str, str]]:
    """Return the title of each sample game, and your link to it."""
    you = _people().you
    found = []
    for title in SEEDS:
        with suppress(NotFound):
            found.append((title, _link(base_url, load(uuid5(you, title)), you)))
    return found


def make_scene(name: str, base_url: str) -> tuple[UUID, str]:
    """Create another game in this state. Return its id, and your link to it. `name` is one of SEEDS."""
    people, game_id = _people(), uuid4()
    SEEDS[name](people, game_id)
    return game_id, _link(base_url, load(game_id), people.you)


def _people() -> People:
    tokens = [player_token(email, email.partition("@")[0].capitalize()) for email in (EMAIL, ADA, BEN)]
    people = People(*(caller(token).player_id for token in tokens))
    for player_id in people:
        if not profile(player_id)["notifications"]:  # you would have to wait for bundled emails
            change_profile(player_id, {"notifications": {"mails": {"your-turn": "at-once"}}})
    return people


def _first_sky(you: UUID) -> Game:
    """Return a game against bots in which it is your turn, or soon will be. If your last game is over, create a new
    one."""
    running = list_games(you, mine=True, status="running", limit=100).items
    game_id = next((it["id"] for it in running if it["title"] == FIRST), None)
    if game_id is None:
        game_id = open_game(you, _sky(FIRST, _ME, _BOT, _BOT)).game_id
    game = load_visible(game_id, you)
    deadline = time.monotonic() + _PATIENCE
    while game.table.status == "running" and not _is_asked(game, you) and time.monotonic() < deadline:
        time.sleep(0.2)
        game = load_visible(game_id, you)
    return game


def _ensure_game(people: People, title: str, make: Callable[[People, UUID], object]) -> None:
    game_id = uuid5(people.you, title)
    try:
        load(game_id)
    except NotFound:
        make(people, game_id)


def _link(base_url: str, game: Game, you: UUID) -> str:
    """Return the link for your next step: it leads to your turn, the invitation, the page where you take your seat
    back, or the game."""
    seat = game.seat_of(you)
    if seat is not None and _is_asked(game, you):
        return f"{base_url}/t/{turn_word(game.game_id, seat, game.table.turns[seat] or 0)}"
    if seat is not None and game.table.status == "running" and _is_absent(game, seat):
        return f"{base_url}/back/{return_word(game.game_id, seat)}"
    if seat is None and game.head.private and game.table.status == "open":
        return f"{base_url}/i/{describe(game, 0)['invitation']}"
    return f"{base_url}/#/games/{game.game_id}"


def _is_asked(game: Game, you: UUID) -> bool:
    seat = game.seat_of(you)
    if seat is None or not game.table.turns or _is_absent(game, seat):
        return False
    return turn_of(game.table, seat) is not None


def _is_absent(game: Game, seat: int) -> bool:
    """Return whether a bot plays for the player in this seat, or will do so once the worker processes the time-out."""
    due_at = game.seats[seat].due_at
    return game.table.stand_ins[seat] is not None or (due_at is not None and due_at <= clock.now())


# Parts of games


def _sky(title: str, *seats: Json, **more: object) -> Json:
    return {"rules": "sternenhimmel", "title": title, "options": {"start_seat": 0}, "seats": list(seats), **more}


def _glow(title: str, scenario: int, **options: object) -> Json:
    """Return the settings for a two-player game of Sternenglanz. Seat 0 begins."""
    wanted = {"scenario": scenario, "start_seat": 0, **options}
    return {"rules": "sternenglanz", "title": title, "options": wanted, "seats": [_ME, _OPEN]}


def _opened(game_id: UUID, wanted: Json, host: UUID, *guests: UUID) -> UUID:
    open_game(host, wanted, game_id)
    for guest in guests:
        take_seat(game_id, guest)
    return game_id


def _play_on(game_id: UUID, stops: Callable[[Game], bool]) -> None:
    """Play random moves for all players until `stops` returns true."""
    dice = random.Random(game_id.int)
    for _ in range(_MOST_MOVES):
        game = load(game_id)
        if stops(game):
            return
        rules, state = game.table.rules, game.table.state
        seat = min(rules.to_act(state))
        move = rules.move_to_json(dice.choice(rules.legal_moves(state, seat)))
        player_id = game.seats[seat].player_id
        assert player_id is not None  # bots make their own moves
        play_move(game_id, player_id, game.table.turns[seat] or 0, move)


def _all_vote(game_id: UUID, wish: str, *people: UUID) -> None:
    for who in people:
        vote(game_id, who, wish, consents=True)


@contextmanager
def _ago(length: timedelta, game_id: UUID) -> Iterator[None]:
    """Set the clock back within the `with` block. Afterwards, make the game wait from now on."""
    with clock.set_back(length):
        yield
    wait_from_now_on(game_id)


def _is_over(game: Game) -> bool:
    return game.table.status == "finished"


def _is_well_begun(game: Game) -> bool:
    """Return whether seat 0 has finished its first turn, such as the simultaneous choice in Sternenglanz."""
    return (game.table.turns[0] or 1) > 1


def _is_in_a_turn_of_seat_0(game: Game) -> bool:
    return game.table.status == "running" and bool(game.table.rules.is_mid_turn(game.table.state, 0))


def _has_stars(game: Game) -> bool:
    """Return whether all players have placed stars, and most of the stars are face down."""
    return game.table.version > 7 and game.table.turns[0] is not None


# Games


def _free_seats(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("Free seats", _ME, _OPEN, _OPEN), people.ada, people.ben)


def _by_link(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("By its link only", _ME, _OPEN, _OPEN, private=True), people.ada)


def _invited(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("A table for Robin", _ME, {"email": EMAIL}, _OPEN), people.ada)


def _bens_turn(people: People, game_id: UUID) -> None:
    wanted = _sky("Ben's turn", _ME, _OPEN, _BOT, options={"start_seat": 1})
    _opened(game_id, wanted, people.you, people.ben)


def _face_down(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("Stars that lie face down", _ME, _OPEN, _OPEN), *people)
    _play_on(game_id, _has_stars)


def _choosing(people: People, game_id: UUID) -> None:
    _opened(game_id, _glow("Everybody chooses at once", 1), people.you, people.ada)


def _shared(people: People, game_id: UUID) -> None:
    _opened(game_id, _glow("Scenario 3", 3), people.you, people.ada)
    _play_on(game_id, _is_well_begun)


def _mid_turn(people: People, game_id: UUID) -> None:
    _opened(game_id, _glow("In the middle of a turn", 4), people.you, people.ada)
    _play_on(game_id, _is_in_a_turn_of_seat_0)


def _paused(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("Paused", _ME, _OPEN, _OPEN), *people)
    _all_vote(game_id, "pause", *people)


def _vote_open(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("Ada wants a pause", _ME, _OPEN, _OPEN), *people)
    _all_vote(game_id, "pause", people.ada)


def _little_time(people: People, game_id: UUID) -> None:
    with _ago(timedelta(hours=47, minutes=45), game_id):
        _opened(game_id, _sky("Fifteen minutes left", _ME, _OPEN, _OPEN), *people)


def _ben_is_gone(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("A bot plays for Ben", _ME, _OPEN, _OPEN), *people)
    leave(game_id, people.ben)


def _you_were_away(people: People, game_id: UUID) -> None:
    ladder = [{"do": "bot-takes-over", "bot": "greedy"}]
    with _ago(timedelta(days=2, minutes=1), game_id):  # the worker processes the time-out
        _opened(game_id, _sky("A bot plays for you", _ME, _OPEN, _OPEN, on_timeout=ladder), *people)


def _finished_sky(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("Finished, Sternenhimmel", _ME, _OPEN, _OPEN), *people)
    _play_on(game_id, _is_over)


def _finished_glow(people: People, game_id: UUID) -> None:
    _opened(game_id, _glow("Finished, Sternenglanz", 2, max_rounds=2), people.you, people.ada)
    _play_on(game_id, _is_over)


def _abandoned(people: People, game_id: UUID) -> None:
    _opened(game_id, _sky("Abandoned", _ME, _OPEN, _OPEN), *people)
    _all_vote(game_id, "abandon", *people)


SEEDS: Mapping[str, Callable[[People, UUID], object]] = {
    "free seats": _free_seats,
    "private, by its link": _by_link,
    "you are invited": _invited,
    "not your turn": _bens_turn,
    "stars face down": _face_down,
    "all choose at once": _choosing,
    "scenario 3": _shared,
    "scenario 4, mid-turn": _mid_turn,
    "paused": _paused,
    "a vote is open": _vote_open,
    "little time left": _little_time,
    "a bot plays for Ben": _ben_is_gone,
    "a bot plays for you": _you_were_away,
    "finished": _finished_sky,
    "finished, Sternenglanz": _finished_glow,
    "abandoned": _abandoned,
}
