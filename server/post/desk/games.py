"""The commands for games."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from itertools import chain
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from flask import current_app
from flask_babel import gettext, ngettext

from server.bots.search import can_compare
from server.errors import AlreadySeated, NotFound, NotRunning, NotSeated, PlayError
from server.games import GAMES, Json, Seat
from server.games import presentation as text
from server.play.commits import load, people_of
from server.play.game import Game
from server.play.seating.games import open_game
from server.play.seating.hosting import seat_bot
from server.play.seating.lobby import list_games
from server.play.seating.rematches import find_rematch, rematch
from server.play.seating.seats import invite, leave, take_seat
from server.play.table import OVER, UNDER_WAY
from server.play.timing.time_control import game_clock
from server.play.turns.reviewing import clearly_better, review, turn_in_words
from server.play.views import describe, load_visible, story, turn_of
from server.post.desk import commands
from server.post.desk.acting import Errand, Said, acts, bare, titled_by_number
from server.post.desk.arguments import (
    ANY,
    USUAL_BOT,
    Unclear,
    Wanted,
    game_in,
    invitation_in,
    is_number,
    number_and_version,
    number_in,
    wanted_in,
    without_bots,
)
from server.post.incoming.commands import HINT, word_for
from server.post.table_help import earlier_line
from server.post.wording import counted, moment, pace_of, spoken, with_you
from server.render.text_layout import punctuated
from server.store import desk
from server.translations import noted
from server.translations.times import span

_PAGE = 100
_MOST_OWN = 100
_MOST_OPEN = 20
_MOST_OVER = 10
_REVIEWED_PER_MINUTE = 20  # moves; a busy machine needs longer
_MOST_BETTER = 10
_MOST_TOLD = 300  # sentences of a story


# Lists


@bare(commands.GAMES)
def _games(errand: Errand) -> Said:
    who, zone = errand.player_id, errand.zone
    newest = list_games(who, mine=True, limit=_MOST_OWN).items  # of the games that are over, only the last are shown
    own = chain(newest, *(_all_games(who, mine=True, status=status) for status in UNDER_WAY))
    listed = sorted({it["id"]: it for it in own}.values(), key=lambda it: (it["made_at"], it["id"]))
    numbers = desk.numbers(who, [it["id"] for it in listed])
    over = [it for it in listed if it["status"] in OVER][-_MOST_OVER:]
    shown = [it for it in listed if it["status"] not in OVER] + over
    if not shown:
        told = gettext(
            'You have no games yet. Write "play %(game)s" to start one against bots, or "open" to join others.',
            game=commands.A_GAME,
        )
        return Said(told=[told])
    if waiting := sum(_waits(it) for it in shown):
        told = ngettext("%(num)s game is waiting for your move.", "%(num)s games are waiting for your move.", waiting)
    else:
        told = gettext("No game is waiting for your move.")
    begun = [it for it in shown if it["status"] != "open"]
    more = (
        gettext(
            'To look back at a game, write "%(history)s" for its moves, or "%(show)s" for the table at an earlier move.',
            history=f"{commands.BY_NAME[commands.HISTORY].word(spoken().locale)} {numbers[begun[-1]['id']]}",
            show=earlier_line(numbers[begun[-1]["id"]], begun[-1]["version"]),
        )
        if begun
        else ""
    )
    return Said(told=[told, *([more] if more else [])], items=[_item(numbers[it["id"]], it, zone) for it in shown])


def _all_games(player_id: UUID, **which: Any) -> Iterator[Json]:
    """Yield games, newest first."""
    cursor = None
    while True:
        page = list_games(player_id, cursor=cursor, limit=_PAGE, **which)
        yield from page.items
        if (cursor := page.next) is None:
            return


def running_games(errand: Errand) -> tuple[list[UUID], Counter[str]]:
    """Return a pair: the games that wait for a move of the player, newest first, and the number of running games of each
    kind."""
    found = list(_all_games(errand.player_id, mine=True, status="running"))
    return [it["id"] for it in found if _waits(it)], Counter(it["rules"] for it in found)


def _waits(item: Json) -> bool:
    return item["you"] is not None and item["you"]["turn"] is not None


def _item(number: int, item: Json, zone: ZoneInfo) -> str:
    seats, own = item["seats"], item["you"] and item["seats"][item["you"]["seat"]]
    name = titled_by_number(number, item["title"], item["rules"])
    if others := [it["display_name"] for it in seats if it != own and it["display_name"]]:
        name = gettext("%(game)s with %(names)s", game=name, names=spoken().listed(others))
    if item["status"] == "open" and own is None:
        return str(gettext('%(game)s: you\'re invited. Write "join %(number)s" to accept.', game=name, number=number))
    if item["status"] == "open":
        kinds = Counter(seat["kind"] for seat in seats)
        told = gettext("%(game)s: not started, seats free: %(free)s.", game=name, free=kinds["open"])
        if kinds["invited"]:
            told += " " + gettext("Invited: %(num)s.", num=kinds["invited"])
        names = ", ".join(seat["declined_by"] for seat in seats if seat["declined_by"])
        declined = gettext("Declined: %(names)s.", names=names)
        return f"{told} {declined}" if names else told
    if item["status"] in OVER:
        return str(gettext("%(game)s: over.", game=name))
    if item["status"] == "paused":
        return str(gettext("%(game)s: paused.", game=name))
    if _waits(item) and own["due_at"]:
        return str(gettext("%(game)s: it's your turn, until %(due)s.", game=name, due=moment(own["due_at"], zone)))
    if own["stand_in"]:
        return str(
            gettext(
                '%(game)s: a bot is playing for you. Send "join %(number)s" to take your seat back.',
                game=name,
                number=number,
            )
        )
    awaited = [it["display_name"] for it in seats if it["to_act"] and it["display_name"]]
    if awaited:
        return str(gettext("%(game)s: waiting for %(names)s.", game=name, names=spoken().listed(awaited)))
    return str(gettext("%(game)s: waiting for the others.", game=name))


@bare(commands.OPEN)
def _open(errand: Errand) -> Said:
    found = [it for it in _open_games(errand) if it["you"] is None][-_MOST_OPEN:]
    if not found:
        told = gettext(
            'No game is open at the moment. Write "find %(game)s" to open one for others to join.', game=commands.A_GAME
        )
        return Said(told=[told])
    numbers = desk.numbers(errand.player_id, [it["id"] for it in found])
    items = []
    for it in found:
        free = sum(seat["kind"] == "open" for seat in it["seats"])
        name = titled_by_number(numbers[it["id"]], it["title"], it["rules"])
        told = gettext("%(game)s: %(free)s of %(seats)s seats free.", game=name, free=free, seats=len(it["seats"]))
        items.append(f"{told} {gettext('Pace: %(pace)s', pace=pace_of(game_clock(it['clock'])))}.")
    return Said(told=[gettext('To join, write "join" and the number:')], items=items)


def _open_games(errand: Errand, **which: Any) -> list[Json]:
    """Return the public games that have a free seat, oldest first."""
    return list(_all_games(errand.player_id, status="open", free=True, **which))[::-1]


# Creating games


@acts(commands.NEW)
def _new(errand: Errand, rest: str) -> Said:
    wanted = wanted_in(rest)
    seats = _seats_of(wanted, 1 + len(wanted.emails) + (wanted.bots or 0))
    left = seats - 1 - len(wanted.emails)
    bots = left if wanted.bots is None else wanted.bots
    if left < bots or left < 0:
        raise Unclear(noted("There are more invitations and bots than seats."))
    free = left - bots
    others: list[Json] = [{"email": it} for it in wanted.emails]
    opened = _opened(errand, wanted, [*others, *[{"bot": wanted.bot}] * bots, *[{"open": True}] * free])
    if not (others or free):
        return _started(errand, opened)
    told = [gettext("Game %(game)s is open.", game=errand.named(opened))]
    told += [gettext("We've invited %(address)s.", address=it) for it in wanted.emails]
    if free and not opened.head.private:
        told.append(gettext("Anyone can take a free seat."))
    if free:
        told.append(_to_fill(errand.number(opened.game_id)))
    return Said(told=[*told, *_told_of_start(opened)])


def _to_fill(number: int) -> str:
    line = f"{commands.BY_NAME[commands.FILL].word(spoken().locale)} {number}"
    return str(gettext('To give the free seats to bots, reply "%(line)s".', line=line))


@acts(commands.PLAY)
def _play(errand: Errand, rest: str) -> Said:
    wanted = wanted_in(rest)
    if wanted.emails:
        raise Unclear(noted('To play with others, use "new" instead.'))
    opened = _opened(errand, wanted, [{"bot": wanted.bot}] * (_seats_of(wanted, 1 + (wanted.bots or 0)) - 1))
    return _started(errand, opened)


def _started(errand: Errand, opened: Game) -> Said:
    """Return the reply to a command that has started a game against bots."""
    told = [gettext("Game %(game)s has started. We'll email you when it's your turn.", game=errand.named(opened))]
    if can_compare(opened.table.rules):
        word = word_for(HINT, spoken().locale)
        told.append(gettext('To get the best moves, reply "%(hint)s" to the email about your turn.', hint=word))
    seat = opened.seat_of(errand.player_id)
    is_on_turn = seat is not None and turn_of(opened.table, seat) is not None
    return Said(told=told, begins=str(opened.game_id) if is_on_turn else "")


def _seats_of(wanted: Wanted, least: int = 0) -> int:
    return wanted.seats or max(min(GAMES[wanted.rules].SEATS), least)


def _opened(errand: Errand, wanted: Wanted, others: list[Json]) -> Game:
    more: Json = {"clock": wanted.clock} if wanted.clock else {}
    more |= {} if {"open": True} in others else {"private": True}  # as on the page
    request = {
        "rules": wanted.rules,
        "options": wanted.options,
        "seats": [{"player": "me"}, *others],
        **more,
        **wanted.head,
    }
    return open_game(errand.player_id, request, errand.new_id())


@acts(commands.REMATCH)
def _rematch(errand: Errand, rest: str) -> Said:
    before = errand.game(number_in(rest)) if rest else _newest_over(errand)
    found = find_rematch(before.game_id, errand.player_id)
    game = rematch(before.game_id, errand.player_id)
    if found["seated"] and not errand.is_again:
        told = gettext(
            "The rematch of game %(before)s is game %(game)s.", before=errand.named(before), game=errand.named(game)
        )
        return Said(told=[told, *_told_of_start(game)])
    told = _told_of_joining(errand, game)
    if found["game"] is None and game.table.status == "open":
        told.insert(1, gettext("We've invited the other players of game %(game)s.", game=errand.named(before)))
    return Said(told=told)


def _newest_over(errand: Errand) -> Game:
    """Return the game of the player that was opened last of those that are over. Raise Unclear if there is none."""
    over = [it for status in OVER for it in list_games(errand.player_id, mine=True, limit=1, status=status).items]
    if not over:
        number_in("")
    return load_visible(max(over, key=lambda it: it["made_at"])["id"], errand.player_id)


@acts(commands.FIND)
def _find(errand: Errand, rest: str) -> Said:
    wanted = wanted_in(rest)
    if wanted.emails:
        raise Unclear(noted('To invite someone, use "new" or "invite".'))
    if wanted.bots != 0 or wanted.level:
        raise Unclear(
            noted(
                '"find" looks for people and seats no bots. To play with bots, use "play" or "new", such as "new %(game)s bots=1".'
            ),
            game=wanted.rules,
        )
    which = {"rules": wanted.rules} | ({"players": wanted.seats} if wanted.seats else {})
    clock = wanted.clock and game_clock(wanted.clock)
    fitting = (
        it
        for it in _open_games(errand, **which)
        if clock in (None, game_clock(it["clock"]))
        and all(it["options"].get(name) == value for name, value in wanted.options.items())
    )
    if not _has_opened(errand) and (joined := _join_first(errand, fitting)):
        return Said(told=_told_of_joining(errand, joined))
    opened = _opened(errand, wanted, [{"open": True}] * (_seats_of(wanted) - 1))
    number = errand.number(opened.game_id)
    desk.note_found(errand.player_id, opened.game_id, errand.step_id)
    return Said(
        told=[
            gettext("No open game fits, so we've opened game %(game)s for you.", game=errand.named(opened)),
            gettext('Others can join it. To cancel it, send "leave %(number)s" or "cancel find".', number=number),
        ]
    )


def _has_opened(errand: Errand) -> bool:
    """Return whether an earlier attempt at this command has created its game."""
    if not errand.is_again:
        return False
    try:
        load(errand.new_id())
    except NotFound:
        return False
    return True


def _join_first(errand: Errand, games: Iterator[Json]) -> Game | None:
    """Take a seat in the first of these games that has one for the player. A repeated attempt returns the game that the
    first attempt found."""
    who = errand.player_id
    if errand.is_again and (before := desk.found(who, errand.step_id)):
        game = load(before[0])
        if game.seat_of(who) is not None:
            return game
    for it in games:
        if it["you"] is not None:
            continue
        errand.number(it["id"])
        desk.note_found(who, it["id"], errand.step_id)
        try:
            return take_seat(it["id"], who)
        except PlayError:
            desk.note_found(who, it["id"], None)
    return None


@bare(commands.CANCEL_FIND)
def _cancel_find(errand: Errand) -> Said:
    told = []
    for game_id in desk.found(errand.player_id):
        game = load(game_id)
        if game.table.status == "open" and game.seat_of(errand.player_id) is not None:
            told.append(gettext("You've left game %(game)s.", game=errand.named(game)))
            leave(game_id, errand.player_id)
        desk.note_found(errand.player_id, game_id, None)
    return Said(told=told or [gettext("You have no search to cancel.")])


# Seats


@acts(commands.INVITE)
def _invite(errand: Errand, rest: str) -> Said:
    email, number = invitation_in(rest)
    game = _own_open_game(errand) if number is None else errand.game(number)
    invited = [row for row in game.seats if row.email == email]
    if not any(errand.is_again or row.invited_by == errand.player_id for row in invited):
        invite(game.game_id, errand.player_id, email)
    return Said(told=[gettext("We've invited %(address)s to game %(game)s.", address=email, game=errand.named(game))])


@acts(commands.FILL)
def _fill(errand: Errand, rest: str) -> Said:
    game = errand.game(number_in(without_bots(rest)))
    free = [row.seat for row in game.seats if row.kind == "open"]
    if game.table.status == "open" and not free:
        raise Unclear(noted("No seat of this game is free. A seat is reserved for each invited player."))
    if not free and errand.is_again:  # an earlier attempt has filled them
        return Said(told=_told_of_filling(errand, game))
    for seat in free or [0]:
        game = seat_bot(game.game_id, errand.player_id, seat, USUAL_BOT)
    return Said(told=_told_of_filling(errand, game))


def _told_of_filling(errand: Errand, game: Game) -> list[str]:
    return [gettext("Bots have the free seats of game %(game)s.", game=errand.named(game)), *_told_of_start(game)]


def _own_open_game(errand: Errand) -> Game:
    """Return the only game of the player that hasn't started. Raise Unclear if there are several or none."""
    own = [it["id"] for it in _all_games(errand.player_id, mine=True, status="open") if it["you"]]
    if len(own) != 1:
        number_in("")
    return load_visible(own[0], errand.player_id)


@acts(commands.JOIN)
def _join(errand: Errand, rest: str) -> Said:
    if rest.lower() in ANY:
        joined = _join_first(errand, iter(_open_games(errand)))
        if joined is None:
            raise NotFound(
                noted('No open game has a seat for you. Write "find %(game)s" to open one for others to join.'),
                game=commands.A_GAME,
            )
        return Said(told=_told_of_joining(errand, joined))
    game = errand.game(number_in(rest))
    try:
        joined = take_seat(game.game_id, errand.player_id)
    except AlreadySeated:
        if not errand.is_again:
            raise
        joined = load(game.game_id)
    return Said(told=_told_of_joining(errand, joined))


def _told_of_joining(errand: Errand, game: Game) -> list[str]:
    return [gettext("You have a seat in game %(game)s.", game=errand.named(game)), *_told_of_start(game)]


def _told_of_start(game: Game) -> list[str]:
    if game.table.status == "open":
        return [gettext("The game starts when all seats are taken. We'll email you when it's your turn.")]
    return [gettext("The game has started. We'll email you when it's your turn.")]


@acts(commands.LEAVE)
def _leave(errand: Errand, rest: str) -> Said:
    game = errand.game(number_in(rest))
    name, has_begun = errand.named(game), game.table.status != "open"
    would_resign = _would_resign(errand, game)
    if (would_resign or errand.doubt) and not errand.is_sure:
        told = (
            gettext(
                "You'd resign from game %(game)s. Only bots would be left, and they'd finish the game at once.",
                game=name,
            )
            if len(people_of(game)) == 1
            else gettext("You'd resign from game %(game)s, and a bot would play on in your place.", game=name)
        )
        return Said(
            told=[told if would_resign else errand.doubt], asks=f"{commands.LEAVE} {errand.number(game.game_id)}"
        )
    try:
        leave(game.game_id, errand.player_id)
    except (NotRunning, NotSeated):
        if not errand.is_again:
            raise
    if has_begun and game.seat_of(errand.player_id) is not None:
        told = gettext("You've resigned from game %(game)s. A bot will play on in your place.", game=name)
        number = errand.number(game.game_id)
        return Said(told=[told, gettext('Send "join %(number)s" to take your seat back.', number=number)])
    return Said(told=[gettext("You've left game %(game)s.", game=name)])


def _would_resign(errand: Errand, game: Game) -> bool:
    seat = game.seat_of(errand.player_id)
    if seat is None or game.table.status not in ("running", "paused") or game.table.stand_ins[seat]:
        return False
    return game.seats[seat].owner_id in (None, errand.player_id)


# Viewing games


@acts(commands.SHOW)
def _show(errand: Errand, rest: str) -> Said:
    number, version = number_and_version(rest)
    game = errand.game(number)
    seat = game.seat_of(errand.player_id)
    if version is not None and version > game.version:
        raise NotFound(
            noted('Game %(game)s has the moves 1 to %(last)s. For example: "%(line)s"'),
            game=errand.named(game),
            last=game.version,
            line=earlier_line(number, game.version),
        )
    seen = describe(game, seat, version, errand.player_id)
    if seen["view"] is None:
        told = [gettext("Game %(game)s hasn't started.", game=errand.named(game)), gettext("The seats:")]
        return Said(told=told, items=_seat_lines(game, seat))
    told, items = [gettext("Game %(game)s, move %(version)s.", game=errand.named(game), version=seen["version"])], []
    if seen["outcome"] and seen["version"] == game.version:
        result = _scores(errand, game)
        told, items = result.told, result.items
    own = seat is not None and version is None and game.seats[seat]
    if own and own.turn is not None and own.due_at and game.table.status == "running":
        told.append(gettext("It's your turn, until %(due)s.", due=moment(own.due_at, errand.zone)))
    picture = {"game": str(game.game_id), "player": str(errand.player_id), "version": seen["version"]}
    return Said(told=told, items=items, table=_table(game, seen, seat, errand.player_id), picture=picture)


def _table(game: Game, seen: Json, seat: int | None, player_id: UUID) -> str:
    name, locale = game.table.rules.NAME, spoken().locale
    if game.table.status == "finished" and seen["version"] == game.version:
        return text.final_table(name, seen["view"], story(game, seat, player_id=player_id), game.names, locale)
    return text.table(name, seen["view"], game.names, locale)


def _seat_lines(game: Game, seat: Seat | None) -> list[str]:
    lines = []
    for number, (row, name) in enumerate(zip(game.seats, with_you(game.names, seat), strict=True), 1):
        match row.kind:
            case "open":
                lines.append(gettext("Seat %(number)s: free", number=number))
            case "invited":
                lines.append(gettext("Seat %(number)s: invited", number=number))
            case _:
                lines.append(gettext("Seat %(number)s: %(name)s", number=number, name=name))
    return lines


@acts(commands.HISTORY)
def _history(errand: Errand, rest: str) -> Said:
    game = errand.game(number_in(rest))
    seat = game.seat_of(errand.player_id)
    items = story(game, seat, player_id=errand.player_id)
    lines = [line for it in items if (line := text.sentence(it, game.names, spoken().locale, seat, game.head.rules))]
    told = [gettext("Game %(game)s so far:", game=errand.named(game))]
    if not lines:
        return Said(told=[gettext("Nothing has happened in game %(game)s yet.", game=errand.named(game))])
    if len(lines) > _MOST_TOLD:
        told.append(gettext("Much more happened before. You'll find it on the game's page."))
    return Said(told=told, items=lines[-_MOST_TOLD:])


@acts(commands.REVIEW)
def _review(errand: Errand, rest: str) -> Said:
    game = errand.game(number_in(rest))
    found, is_complete = review(game.game_id, errand.player_id, None, spoken().locale)
    if is_complete:
        return _review_said(found, game, errand.player_id)
    left = timedelta(minutes=1 + (found["total"] - found["done"]) // _REVIEWED_PER_MINUTE)
    told = gettext(
        "A bot is reviewing your moves in %(title)s. We'll email you the review in about %(time)s.",
        title=game.head.title,
        time=span(left, spoken()),
    )
    which = {"game": str(game.game_id), "player": str(errand.player_id), "seat": found["seat"]}
    return Said(told=[told], review=which)


def _review_said(found: Json, game: Game, player_id: UUID) -> Said:
    """Return a complete review in words, with the table before the move that cost most."""
    better = clearly_better(found["moves"])[:_MOST_BETTER]
    told = [gettext("Your review of %(title)s:", title=game.head.title), *found["summary"]]
    if better:
        told.append(
            ngettext("You could have gained most here:", "You could have gained most in these moves:", len(better))
        )
    else:
        told.append(gettext("The bot found no move that was clearly better than yours."))
    version = better[0]["version"] if better else game.version
    return Said(
        told=told,
        items=[_better_line(it, game) for it in better],
        picture={"game": str(game.game_id), "player": str(player_id), "version": version},
        reviewed=str(game.game_id),
    )


def _better_line(it: Json, game: Game) -> str:
    rules, locale = game.table.rules, spoken().locale
    played, better = (rules.move_from_json(move) for move in (it["move"], it["better"]["move"]))
    words = {
        "turn": turn_in_words(game, it["version"], locale),
        "move": text.move_in_words(rules, played, locale),
        "better": text.move_in_words(rules, better, locale),
        "points": counted(text.whole_points(it["better"]["gain"]), text.score_unit(game.head.rules)),
    }
    line = gettext("%(turn)s. You: %(move)s. Better: %(better)s, worth about %(points)s more.", **words)
    return f"{line} {it['better']['why']}".rstrip()


def with_review(said: Json) -> Json:
    """Return what an email says, with the review that it has waited for."""
    which = said.get("review")
    if not which or said["told"]:
        return said
    player_id, game_id = UUID(which["player"]), UUID(which["game"])
    try:
        found, is_complete = review(game_id, player_id, which["seat"], spoken().locale)
        game = load_visible(game_id, player_id)
    except PlayError as error:
        return said | {"told": [str(error.words.said(gettext))]}
    if not is_complete:
        raise RuntimeError("The review is still being computed.")  # the email is sent later
    told = _review_said(found, game, player_id)
    return said | {
        "line": "",
        "told": told.told,
        "items": told.items,
        "picture": told.picture,
        "reviewed": told.reviewed,
    }


@acts(commands.STANDINGS)
def _standings(errand: Errand, rest: str) -> Said:
    if is_number(rest):
        return _scores(errand, errand.game(number_in(rest)))
    rules = game_in(rest) if rest else None
    own = list_games(errand.player_id, mine=True, status="finished", rules=rules, limit=_MOST_OWN).items[::-1]
    done = [it for it in own if it["you"] and it["outcome"]]
    if not done:
        return Said(told=[gettext("You haven't finished a game yet.")])
    numbers = desk.numbers(errand.player_id, [it["id"] for it in done])
    places = [it["outcome"]["places"][it["you"]["seat"]] for it in done]
    with_bot = [it["seats"][it["you"]["seat"]]["stand_in"] is not None for it in done]
    told = ngettext(
        "You've finished %(num)s game and won %(won)s.",
        "You've finished %(num)s games and won %(won)s.",
        len(done),
        won=sum(place == 1 and not has_bot for place, has_bot in zip(places, with_bot, strict=True)),
    )
    items = [
        gettext(
            _FINISHED[has_bot],
            game=titled_by_number(numbers[it["id"]], it["title"], it["rules"]),
            place=place,
            seats=len(it["seats"]),
            score=it["outcome"]["scores"][it["you"]["seat"]],
        )
        for it, place, has_bot in zip(done, places, with_bot, strict=True)
    ]
    return Said(told=[told], items=items)


_FINISHED = {
    False: noted("%(game)s: you finished %(place)s of %(seats)s, with a score of %(score)s."),
    True: noted("%(game)s: a bot finished %(place)s of %(seats)s in your seat, with a score of %(score)s."),
}


def _scores(errand: Errand, game: Game) -> Said:
    seat = game.seat_of(errand.player_id)
    seen = describe(game, seat, player_id=errand.player_id)
    has_bot = seat is not None and game.bot_at(seat) is not None
    name, names = errand.named(game), with_you(game.names, None if has_bot else seat)
    if outcome := seen["outcome"]:
        ended = sorted(zip(outcome["places"], names, outcome["scores"], strict=True))
        lines = [punctuated(f"{place}. {who}: {score}", spoken().locale) for place, who, score in ended]
        return Said(told=[gettext("The result of game %(game)s:", game=name)], items=lines)
    if seen["view"] is None:
        return Said(told=[gettext("Game %(game)s hasn't started.", game=name)])
    unit = text.score_unit(game.head.rules)
    if unit is None:
        return Said(
            told=[gettext("Game %(game)s has no scores until it ends. Here is the table:", game=name)],
            table=_table(game, seen, seat, errand.player_id),
        )
    ranked = sorted(zip(seen["view"][unit], names, strict=True), key=lambda it: -it[0])
    lines = [punctuated(f"{who}: {score}", spoken().locale) for score, who in ranked]
    return Said(told=[gettext("The scores in game %(game)s so far:", game=name)], items=lines)


@acts(commands.ARCHIVE)
def _archive(errand: Errand, rest: str) -> Said:
    game = errand.game(number_in(rest))
    content = current_app.json.dumps(errand.records.archive(game.game_id, errand.player_id))
    told = gettext('The archive of game %(game)s is attached. "sternenpost verify" checks it.', game=errand.named(game))
    return Said(told=[told], files=[{"name": f"game-{game.game_id}.json", "text": content}])
