"""Emails about a seat: who takes, keeps or loses it, and who is invited to take it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar
from uuid import UUID

from flask_babel import gettext

from server.accounts import signed_links
from server.accounts.calendars import stored_zone
from server.accounts.notice_kinds import INVITATION, RSVP, SEAT_HANDED_OVER, SEAT_TAKEN_OVER, SENT_AWAY, STAND_IN
from server.games import Json, RuleError, presentation
from server.play.game import last_minute
from server.play.seating.stand_ins import open_stand_in_link, stand_in_word
from server.post.desk.commands import BY_NAME, RULES, naming_line
from server.post.desk.rule_texts import Blocks, editions, options_of, rule_sections
from server.post.letters.context import Reader, builds
from server.post.table_help import joining_line
from server.post.terms import ending_line, terms_of, terms_of_stand_in
from server.post.wording import GameLetter, Letter, moment, spoken, titled
from server.sanitize import unless_link
from server.store.tables import Player, db
from server.translations import noted

_TITLE = 40  # characters of a title in the subject of an invitation

# Emails to players


@dataclass(frozen=True, kw_only=True)
class SeatHandedOver(GameLetter):
    KIND: ClassVar = SEAT_HANDED_OVER
    NEWS: ClassVar = noted("%(title)s: the bot %(bot)s is playing for you.")
    bot: str
    link: str  # link to the page on which the player takes the seat back
    joining: str = ""  # the line with which they do so by email


@builds(SEAT_HANDED_OVER)
def seat_handed_over(reader: Reader) -> SeatHandedOver:
    bot = presentation.bot_name(reader.letter.data["bot"])
    return SeatHandedOver(**reader.about, bot=bot, link=reader.way_back, joining=joining_line(reader.game, reader.seat))


def _about_seat(reader: Reader) -> Json:
    """Return `reader.about`, without the link to a private game that the reader can no longer see, and without what the
    email says anyway."""
    game = reader.game
    is_outside = game.head.private and game.seat_of(reader.letter.player_id) is None
    return reader.about | {"plays_for": ""} | ({"game_link": ""} if is_outside else {})


@dataclass(frozen=True, kw_only=True)
class SeatTakenOver(GameLetter):
    """The notice to a player that another player has taken over their seat from a bot."""

    KIND: ClassVar = SEAT_TAKEN_OVER
    NEWS: ClassVar = noted("%(title)s: a player has taken over your seat from the bot.")


@builds(SEAT_TAKEN_OVER)
def seat_taken_over(reader: Reader) -> SeatTakenOver:
    return SeatTakenOver(**_about_seat(reader))


@dataclass(frozen=True, kw_only=True)
class SentAway(GameLetter):
    """The notice to a player that the host has removed them from their seat."""

    KIND: ClassVar = SENT_AWAY
    NEWS: ClassVar = noted("%(title)s: the host would rather play with others. Your seat is free again.")
    link: str  # link to other games


@builds(SENT_AWAY)
def sent_away(reader: Reader) -> SentAway:
    return SentAway(**_about_seat(reader), link=f"{reader.base_url}/#/lobby")


_STAND_IN_NEWS = {
    "accepted": noted("Stand-in accepted"),
    "declined": noted("Stand-in declined"),
    "began": noted("Stand-in begins"),
    "called-off": noted("Stand-in cancelled"),
    "ended": noted("Stand-in over"),
}


@dataclass(frozen=True, kw_only=True)
class StandIn(GameLetter):
    """A notice to a player or their stand-in: the stand-in is agreed, declined or cancelled, begins or ends."""

    KIND: ClassVar = STAND_IN
    NEWS: ClassVar = "%(title)s: %(said)s"
    what: str  # what has happened
    said: str  # who stands in for whom and until when, as the second half of a sentence
    more: str  # what the reader can do, a sentence or two
    off: str = ""  # the line to reply with that ends the stand-in, if that is possible

    @property
    def headline(self) -> str:
        return _STAND_IN_NEWS.get(self.what) or super().headline


@builds(STAND_IN)
def stand_in(reader: Reader) -> StandIn:
    data = reader.letter.data
    other = db.session.get_one(Player, UUID(data["other"])) if "other" in data else None
    who, at = other.name if other else data.get("who"), ""
    if "until" in data:
        when = datetime.fromisoformat(data["until"])
        is_first_day = data["what"] in ("accepted", "declined", "called-off")
        at = moment(when if is_first_day else last_minute(when), reader.zone)
    looks = gettext("Meanwhile, you can watch and chat. To play again yourself, stop the stand-in at the table.")
    match data["what"], data["own"]:
        case "declined", _:
            said = gettext("the player you asked can't play for you from %(at)s.", at=at)
            if who:
                said = gettext("%(who)s can't play for you from %(at)s.", who=who, at=at)
            more = gettext("You'll play your own turns. At the table you can ask another player.")
        case "accepted", _:
            said, more = gettext("%(who)s will play for you from %(at)s.", who=who, at=at), looks
        case "began", True:
            said, more = gettext("%(who)s is playing for you until %(at)s.", who=who, at=at), looks
        case "began", _:
            said = gettext("you're playing for %(who)s until %(at)s.", who=who, at=at)
            more = gettext(
                "We'll email you each time it's your turn. You can stop standing in at any time at the table."
            )
        case "called-off", True:
            said = gettext(
                "%(who)s was going to play for you from %(at)s, but that has been cancelled.", who=who, at=at
            )
            more = gettext("You'll play your own turns. At the table you can ask another player.")
        case "called-off", _:
            said = gettext(
                "you were going to play for %(who)s from %(at)s, but that has been cancelled.", who=who, at=at
            )
            more = gettext("Thank you for offering to play.")
        case _, True:
            said = gettext("%(who)s is no longer playing for you.", who=who)
            more = gettext("You're back in your seat. We'll email you when it's your turn.")
        case _:
            said = gettext("you're no longer playing for %(who)s.", who=who)
            more = gettext("Thank you for playing.")
            if not reader.game.head.private:
                more = gettext("Thank you for playing. From now on you see only what everyone can see.")
    off = ending_line() if data["what"] in ("accepted", "began") else ""
    return StandIn(**_about_seat(reader), what=data["what"], said=said, more=more, off=off)


# Emails to addresses


@dataclass(frozen=True, kw_only=True)
class Invitation(Letter):
    KIND: ClassVar = INVITATION
    host: str
    title: str
    rules: str
    others: tuple[str, ...]  # names of the other players; bots are marked
    terms: tuple[str, ...]  # see `terms_of`
    link: str  # link to the page on which the invitation to this address is accepted
    known_as: str  # the game in the subject: its rules with the other people at the table, or its title
    greeting: tuple[str, ...] = ()  # lines from the host
    introduction: str = ""  # what the game is about, in two sentences
    free: int = 0  # number of seats that anyone may take
    invited: int = 0  # number of other people who are invited
    signed: bool = False  # whether the greeting ends with the host's first name
    again: bool = False  # whether this is a rematch, so the reader knows the game


@dataclass(frozen=True, kw_only=True)
class StandInAsked(Letter):
    """The request to an address to stand in for a player for some days."""

    KIND: ClassVar = INVITATION
    TEMPLATE: ClassVar = "stand-in-asked"
    HEADLINE: ClassVar = noted("Will you stand in?")
    who: str  # the player who asks
    title: str
    rules: str
    introduction: str  # what the game is about, in two sentences
    begin: str  # see `moment`; in the time zone of the player who asks
    end: str
    terms: tuple[str, ...]  # see `terms_of_stand_in`
    link: str  # link to the page on which the request is accepted
    shown: str  # where the reader's name will appear, a sentence
    greeting: tuple[str, ...]  # lines from the player who asks
    signed: bool  # whether the greeting ends with that player's first name


@builds(INVITATION)
def invitation(reader: Reader) -> Invitation | StandInAsked | None:
    game, row = reader.game, reader.letter
    if "stand_in" in row.data:
        return _stand_in_asked(reader)
    if game.seats[row.seat].email != row.data["to"]:
        return None
    again = "rematch" in row.data
    host_id, nameless, names = UUID(row.data["by"]), game.hides_names, names_without_links(reader)
    taken = [(names[it.seat], it) for it in game.seats if it.kind in ("human", "bot")]
    people = [] if nameless else [(name, it) for name, it in taken if it.player_id not in (None, host_id)]
    friends = [name for name, it in people if name == game.names[it.seat]]  # not those that contain a link
    return Invitation(
        by=_name_of_host(reader),
        host=_host(reader),
        title=unless_link(game.head.title, reader.rules),
        rules=reader.rules,
        others=_others(reader),
        terms=terms_of(game),
        link=f"{reader.base_url}/i/{row.data['invitation']}",
        known_as=_known_as(reader, friends),
        greeting=tuple((greeting := unless_link(row.data.get("greeting", ""), "")).splitlines()),
        signed=is_signed(greeting, _host(reader)),
        introduction="" if again else presentation.introduction(game.head.rules, spoken().locale)[0],
        again=again,
        free=sum(it.kind == "open" for it in game.seats),
        invited=sum(it.kind == "invited" for it in game.seats) - 1,
    )


def is_signed(greeting: str, host: str) -> bool:
    """Return whether a greeting ends with the first word of its writer's name."""
    words, name = greeting.split(), host.split()
    return len(words) > 1 and bool(name) and words[-1].strip(".,!–-").lower() == name[0].strip(".,").lower()


def names_without_links(reader: Reader) -> list[str]:
    return [unless_link(name, gettext("A player")) for name in reader.game.names]


def _others(reader: Reader) -> tuple[str, ...]:
    """Return the names of the players at the table. Bots are marked."""
    game, names = reader.game, names_without_links(reader)
    taken = (it for it in game.seats if it.kind in ("human", "bot"))
    return tuple(game.introduced(it) if it.bot else names[it.seat] for it in taken)


def _host(reader: Reader) -> str:
    return unless_link(_name_of_host(reader), gettext("A player"))


def _name_of_host(reader: Reader) -> str:
    host = db.session.get(Player, UUID(reader.letter.data["by"]))
    return host.name if host and not reader.game.hides_names else ""


def _known_as(reader: Reader, friends: list[str]) -> str:
    """Return what the subject says about the game. A stranger's title is cut, so that it can't fill the subject."""
    if friends:
        return str(gettext("%(rules)s with %(names)s", rules=reader.rules, names=spoken().listed(friends)))
    title = unless_link(reader.game.head.title, reader.rules)
    return titled(title if len(title) <= _TITLE else f"{title[: _TITLE - 1].rstrip()}…", reader.rules)


def _stand_in_asked(reader: Reader) -> StandInAsked | None:
    """Return the email, or None if the request was accepted or withdrawn."""
    game, word = reader.game, stand_in_word(reader.game.game_id, reader.seat, reader.letter.data["stand_in"])
    asked = open_stand_in_link(word)[1]
    if asked is None or asked.accepted_by is not None:
        return None
    owner = db.session.get_one(Player, asked.asked_by)
    zone = stored_zone(owner.zone)
    shown = gettext("The seat will show both names.")
    if game.hides_names:
        shown = gettext("The table sees your name only after the game ends.")
    who, greeting = unless_link(owner.name, gettext("A player")), unless_link(asked.greeting or "", "")
    return StandInAsked(
        by=owner.name,
        who=who,
        title=unless_link(game.head.title, reader.rules),
        rules=reader.rules,
        begin=moment(asked.from_at, zone),
        end=moment(last_minute(asked.until_at), zone),
        introduction=presentation.introduction(game.head.rules, spoken().locale)[0],
        terms=terms_of_stand_in(game, reader.seat, asked.from_at, asked.until_at),
        link=f"{reader.base_url}/s/{word}",
        shown=shown,
        greeting=tuple(greeting.splitlines()),
        signed=is_signed(greeting, who),
    )


@dataclass(frozen=True, kw_only=True)
class Rsvp(Letter):
    """Our reply to the reader's answer to an invitation."""

    KIND: ClassVar = RSVP
    title: str
    rules: str
    played: str  # "yes" or "no" if the invitation was accepted or declined
    done: str  # what the reader's answer did, or why it had no effect
    wrong: bool  # whether the reader's answer had no effect
    again: bool  # whether the invitation is still open
    link: str  # link to the invitation if it is open, otherwise to the game
    called: str = ""  # the name of the reader, unless they chose it
    naming: str = ""  # an example of a line with which the reader chooses a name
    learning: str = ""  # the line that asks for the rules
    rules_link: str = ""
    facts: tuple[str, ...] = ()  # the answers to what the reader has asked, a sentence each
    terms: tuple[str, ...] = ()  # see `terms_of`, if the reader has asked something else
    lobby: str = ""  # link to other games, if the seat is no longer reserved for the reader
    sections: tuple[tuple[str, Blocks], ...] = ()  # title and content of each section of the rules, if asked for

    @property
    def is_accepted(self) -> bool:
        """Return whether the reader now has the seat, and can reply with commands."""
        return self.played == "yes"

    @property
    def headline(self) -> str:
        match self.played:
            case "yes":
                return noted("You're in")
            case "no":
                return noted("Invitation declined")
        if self.sections:
            return noted("The rules")
        if self.facts:
            return noted("Your question")
        return noted("The invitation") if self.terms and not self.wrong else noted("Please check")


@builds(RSVP)
def rsvp(reader: Reader) -> Rsvp:
    row, game_id = reader.letter, reader.game.game_id
    path = f"i/{signed_links.sign(signed_links.INVITATION, game_id, row.seat, signed_links.mark_of(row.data['to']))}"
    if "stand_in" in row.data:
        path = f"s/{stand_in_word(game_id, row.seat, row.data['stand_in'])}"
    again, rules_name, locale = row.data["again"], reader.game.head.rules, spoken().locale
    word_for_rules = BY_NAME[RULES].word(locale)
    player = db.session.scalars(db.select(Player).where(Player.email == row.data["to"])).one_or_none()
    called = player.name if player and not player.named else ""
    title, played = unless_link(reader.game.head.title, reader.rules), row.data["played"]
    done = {
        "yes": gettext("You have a seat in \"%(title)s\". We'll email you when it's your turn.", title=title),
        "no": gettext('Your seat in "%(title)s" is now free for others. Thanks for letting us know.', title=title),
    }
    if "stand_in" in row.data:
        owner = db.session.get(Player, UUID(row.data["by"]))
        who = unless_link(owner.name if owner else "", gettext("another player"))
        done = {
            "yes": gettext(
                "You've agreed to stand in for %(who)s: \"%(title)s\". We'll email you when it's your turn.",
                who=who,
                title=title,
            ),
            "no": gettext('You\'ve declined to stand in: "%(title)s". Thanks for letting us know.', title=title),
        }
    told = row.data["wrong"] or gettext('Here are the rules of "%(title)s".', title=title)
    at_table = gettext("At the table: %(names)s", names=", ".join(_others(reader)))
    facts = (*row.data.get("facts", ()), *([at_table] if row.data.get("who") else ()))
    terms = terms_of(reader.game) if row.data.get("asks") and not facts else ()
    if facts:
        told = gettext('You asked about "%(title)s":', title=title)
    elif terms and not played and not row.data["wrong"]:
        terms = (at_table, *terms)
        if row.data.get("unknown"):
            told = gettext("We can't answer this ourselves. %(host)s may know more.", host=_host(reader))
            if written := unless_link(row.data.get("written", ""), ""):
                quoted = gettext("“%(line)s”", line=written)
                told = f"{quoted} – {told}"
        elif not row.data.get("rules"):
            words = noted("%(host)s has invited you to play %(rules)s.")
            if title != reader.rules:
                words = noted('%(host)s has invited you to play %(rules)s in "%(title)s".')
            invites = gettext(words, host=_host(reader), rules=reader.rules, title=title)
            told = f"{invites} {presentation.introduction(rules_name, locale)[0]}"
    return Rsvp(
        title=title,
        rules=reader.rules,
        played=played,
        done=done.get(played, told),
        wrong=bool(row.data["wrong"]),
        again=again,
        link=f"{reader.base_url}/{path}" if again else f"{reader.base_url}/#/games/{game_id}",
        called=called,
        naming=naming_line(locale, called, unless_link(row.data.get("named", ""), "")),
        learning=word_for_rules if again else f"{word_for_rules} {_rules_of(reader)}",
        rules_link=f"{reader.base_url}/#/rules/{rules_name}",
        facts=facts,
        terms=terms,
        lobby=f"{reader.base_url}/#/lobby?rules={rules_name}" if row.data.get("lost") else "",
        sections=tuple(_sections(reader, locale)) if row.data.get("rules") else (),
    )


def _sections(reader: Reader, locale: str) -> Iterator[tuple[str, Blocks]]:
    """Yield the rules of the game that is played, as title and content of each section."""
    head, seats = reader.game.head, len(reader.game.seats)
    try:
        options = options_of(head.rules, "", seats, head.options)
    except RuleError:  # options of an earlier version
        options = None
    for it in rule_sections(head.rules, locale, options):
        yield it.title, it.blocks


def _rules_of(reader: Reader) -> str:
    """Return the game that is played as a command names it, with its edition if that isn't the usual one."""
    name, seats = reader.game.head.rules, len(reader.game.seats)
    try:
        edition = presentation.edition_of(name, options_of(name, "", seats, reader.game.head.options))
    except RuleError:  # options of an earlier version
        return name
    is_usual = edition in ("", presentation.edition_of(name, options_of(name)))
    return name if is_usual else f"{name} {editions(name, spoken().locale)[edition]}"
