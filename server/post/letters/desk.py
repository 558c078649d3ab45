"""Emails from the post desk: the first one to an address without an account, and replies to players."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar
from uuid import UUID

from flask import current_app
from flask_babel import gettext

from server.accounts import notice_kinds
from server.errors import NotFound
from server.games import GAMES, Json
from server.games.presentation import draw, draw_end
from server.play.views import describe, load_visible, story
from server.post.desk.commands import (
    A_GAME,
    AN_ADDRESS,
    BY_NAME,
    EXAMPLE_NAME,
    FIND,
    HELP,
    NEW,
    PLAY,
    RULES,
    SET,
    name_word,
)
from server.post.desk.games import with_review
from server.post.desk.rule_texts import Blocks, game_in_short, rule_sections
from server.post.desk.setting_lines import brief_offer, in_words_of_reader, setting_offer
from server.post.desk.wishes import Offer, Wish, naming
from server.post.letters.context import Recipient, builds
from server.post.table_help import waiting_move
from server.post.wording import Letter, spoken
from server.render.png import png
from server.translations import noted

_PICTURE = "table-{}.png"


@dataclass(frozen=True, kw_only=True)
class DeskWelcome(Letter):
    """The email to an address without an account. It quotes nothing from the email that it replies to."""

    KIND: ClassVar = notice_kinds.DESK_WELCOME
    address: str  # address of the post desk
    link: str  # link to the page, for readers who have a browser
    example: str  # an example of a line with which the reader chooses a name
    called: str  # the name in the example
    inviting: str  # an example of a line with which the reader plays with a friend
    closed: bool  # whether new players can't sign up now
    stops: bool  # whether the reader asked for no further emails
    asked: bool  # whether the reader's email asks outright for `wishes`
    wishes: tuple[Offer, ...]  # lines that open or explain a game
    all: bool  # whether the reader's email wishes for all of `wishes`, and a yes carries them out
    copied: bool  # whether the reader must copy some of `wishes`, since a yes can't carry them out
    settings: tuple[str, ...]  # lines of the settings that the reader's email wishes for, and which a reply sets
    named: bool  # whether the reader's email says a name
    told: tuple[str, ...]  # the answers to what the reader's email asks, a sentence each
    pictured: str  # the game whose picture the email shows, or ""


@builds(notice_kinds.DESK_WELCOME)
def desk_welcome(it: Recipient) -> DeskWelcome:
    asked, closed = it.letter.data.get("asked", False), bool(it.letter.data["closed"])
    stops = it.letter.data.get("stops", False)
    wishes = [Wish(*wish) for wish in it.letter.data.get("wishes", ())]
    wishes.sort(key=lambda wish: wish.command == RULES)
    settings = it.letter.data.get("settings", ())
    lost = it.letter.data.get("lost", ())
    first = {
        wish.rest.split()[0]: wish for wish in reversed(wishes) if wish.command in (PLAY, FIND, NEW)
    }  # of each game
    return DeskWelcome(
        address=current_app.config["DESK_ADDRESS"] or "",
        link=it.base_url,
        example=f"{name_word(spoken().locale)} {EXAMPLE_NAME}",
        called=EXAMPLE_NAME,
        inviting=f"{BY_NAME[NEW].word(spoken().locale)} {_smallest_game()} {AN_ADDRESS}",
        closed=closed,
        stops=stops,
        asked=asked,
        wishes=(
            *(_offer(wish, is_explained=not asked and wish in first.values()) for wish in wishes),
            *(setting_offer(*it) for it in lost),
        ),
        all=it.letter.data.get("all", False) and not it.letter.data.get("cut", False),
        copied=it.letter.data.get("cut", False),
        settings=tuple(brief_offer(*it) for it in settings),
        named=it.letter.data.get("named", False),
        told=tuple(it.letter.data.get("told", ())),
        pictured=""
        if closed or stops
        else next((game for wish in wishes if (game := wish.rest.split()[0]) in GAMES), ""),
    )


def _smallest_game() -> str:
    """Return the game that needs the fewest players."""
    return min(GAMES, key=lambda name: min(GAMES[name].SEATS))


def _offer(wish: Wish, is_explained: bool = False) -> Offer:
    """Return a line to reply with. `is_explained`: whether the reader should learn what the game is."""
    game = wish.rest.partition(" ")[0]
    return wish.offer(game_in_short(game, spoken().locale) if is_explained and game in GAMES else "")


@dataclass(frozen=True, kw_only=True)
class Part:
    """The reply to one command."""

    line: str  # as the player wrote it
    told: tuple[str, ...]
    items: tuple[str, ...]
    rules: tuple[tuple[str, Blocks], ...]  # title and content of each section of the rules
    table: str
    picture: str  # name of the image
    alt: str
    heading: str  # "" for a reply to the quoted line
    link: str  # link to the whole review on the page, or ""


@dataclass(frozen=True, kw_only=True)
class DeskAnswer(Letter):
    """The reply to an email with commands."""

    KIND: ClassVar = notice_kinds.DESK_ANSWER
    subject: str
    name: str  # of the reader; "" once the account is deleted
    new: bool  # whether the account has just been created
    move: str  # a move with which a new player can reply, if it is their turn
    first: tuple[Offer, ...]  # what else a new player can do first
    naming: str  # how a new player chooses a name, a sentence
    parts: tuple[Part, ...]
    asked: tuple[str, ...]  # commands that the reader must confirm with `yes`
    offered: int  # how many lines the email suggests of which a short reply picks one; `yes` carries out a single one
    all: bool  # whether `yes` carries out all lines that the email suggests
    proved: bool  # whether it is certain that the reader has written them
    yes: str  # the word with which the reader confirms them
    cut: bool  # whether commands were left out because there were too many
    last: bool  # whether further emails get no reply for a while
    help: str  # the word for help
    at_table: bool  # whether replies go to the table of a game
    images: tuple[tuple[str, bytes], ...]
    files: tuple[tuple[str, str], ...]

    @property
    def headline(self) -> str:
        return noted("Please confirm") if self.asked else super().headline


@builds(notice_kinds.DESK_ANSWER)
def desk_answer(it: Recipient) -> DeskAnswer:
    data, locale = it.letter.data, spoken().locale
    parts, images = [], []
    move = waiting_move(it.player.player_id) if data["new"] and it.player else None
    for number, said in enumerate([with_review(said) for said in data["said"]], 1):
        name, alt = "", ""
        if said["picture"] and (drawn := _drawn(said["picture"])):
            name, alt = _PICTURE.format(number), drawn[1]
            images.append((name, drawn[0]))
        texts = {"line": said["line"], "table": said["table"], "picture": name, "alt": alt}
        sections = rule_sections(said["rules"], locale, said.get("options")) if said.get("rules") else ()
        rules = tuple((it.title, it.blocks) for it in sections)
        reviewed = said.get("reviewed")  # earlier releases stored none
        texts["heading"] = gettext("Your review") if reviewed and not said["line"] else ""
        texts["link"] = f"{it.base_url}/#/games/{reviewed}?review=yes" if reviewed else ""
        parts.append(Part(told=tuple(said["told"]), items=tuple(said["items"]), rules=rules, **texts))
    return DeskAnswer(
        subject=data["subject"] if "table" in data else _subject(data["subject"]),
        name=it.player.name if it.player else "",
        new=data["new"],
        move=move or "",
        first=tuple(_first_steps(it, data.get("wishes", ()), move is not None)) if data["new"] else (),
        naming=naming(it.player) if data["new"] and it.player else "",
        parts=tuple(parts),
        asked=tuple(map(in_words_of_reader, data["asked"])),
        offered=data.get("offered", 0),  # earlier releases stored none
        all=data.get("all", False),
        proved=data.get("proved", False),
        yes=gettext("yes"),
        cut=data["cut"],
        last=data["last"],
        help=BY_NAME[HELP].word(locale),
        at_table=bool(data.get("table")),
        images=tuple(images),
        files=tuple((file["name"], file["text"]) for said in data["said"] for file in said["files"]),
    )


def _subject(of_email: str) -> str:
    if not of_email:
        return str(gettext("Your email to the post desk"))
    return of_email if of_email.lower().startswith(("re:", "aw:")) else f"Re: {of_email}"


def _first_steps(it: Recipient, wishes: Sequence[Sequence[str]], has_games: bool) -> Iterator[Offer]:
    """Yield the lines that do what the new player has wished for, or else begin the first game."""
    present = it.player.name if it.player else ""
    wished = [found for wish in wishes if (found := Wish(*wish)) != Wish(SET, present)]
    if not (has_games or any(wish.command not in (SET, RULES) for wish in wished)):
        games = dict.fromkeys(wish.rest for wish in wished if wish.command == RULES) or [A_GAME]
        wished = [*(Wish(command, game) for game in games for command in (PLAY, FIND)), *wished]
    yield from map(_offer, wished)


def _drawn(which: Json) -> tuple[bytes, str] | None:
    """Return the table as its player may see it now, as a picture and in words."""
    player_id = UUID(which["player"])
    try:
        game = load_visible(UUID(which["game"]), player_id)
        seen = describe(game, game.seat_of(player_id), which["version"], player_id)
    except NotFound:  # the player has since left a private game
        return None
    name, seat, locale = game.table.rules.NAME, game.seat_of(player_id), spoken().locale
    if seen["outcome"] and seen["version"] == game.version:
        picture = draw_end(name, seen["view"], story(game, seat, player_id=player_id), game.names, locale)
    else:
        picture = draw(name, seen["view"], game.names, locale=locale)
    return png(picture), picture.title
