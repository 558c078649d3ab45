"""People who live a whole life by email alone: scripts of what they send, and a crowd that runs them all at once.

Each person has a language, a mail program and a habit. A life goes from the first email over a game against bots to
goodbye. There is no web process, so not even a test could send an HTTP request.
"""

import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from email.message import EmailMessage
from itertools import count, product
from random import Random
from typing import Any

from server.games import GAMES, RuleError
from server.games.presentation import read_move
from server.play.archive import check
from server.post.desk.commands import BY_NAME
from server.post.desk.reading import read_line
from server.translations import LOCALES, language
from tests.post.incoming.replies.programs import PROGRAMS, Typed, answering, multipart, mutt, paragraphs, part
from tests.processes.test_play_by_mail import Sent, hands_over
from tests.support.live_server import PAUSE, House, Mail

DOMAIN = "stars.example"
DESK = f"post@{DOMAIN}"
PATIENCE = 180.0  # seconds without a letter to anyone
_numbers = count(1)

Step = Generator[Sent | Callable[[Mail], bool], Mail, Mail]

PLACES = {  # of each program, where people type
    "gmail": "top",
    "outlook-html-only": "top",
    "apple-mail": "bottom",
    "thunderbird": "inline",
    "mutt": "bottom",
}
GREETINGS = {
    "en": "Hello, how can I play with you?",
    "de": "Hallo, wie kann ich mitspielen?",
    "fr": "Bonjour, je voudrais jouer avec vous",
    "it": "Ciao, come posso giocare?",
}
POLITE = {
    "en": ("Good evening,\n\nplease {}, thank you!\n\nKind regards\nAnn", "please"),
    "de": ("Guten Abend,\n\nbitte {}, danke!\n\nViele Grüße\nAnn", "bitte"),
    "fr": ("Bonsoir,\n\n{}, s'il vous plaît.\n\nCordialement\nAnn", "stp"),
    "it": ("Buonasera,\n\nper favore {}, grazie!\n\nCordiali saluti\nAnn", "per favore"),
}
FOOTERS = {
    "en": "Sent from my iPhone\n\nThis email and any attachments are confidential and intended solely for the addressee.",
    "de": "Von meinem iPhone gesendet\n\nDiese E-Mail enthält vertrauliche Informationen und ist nur für den Adressaten bestimmt.",
    "fr": "Envoyé de mon iPhone\n\nCe message et ses pièces jointes sont confidentiels et destinés uniquement au destinataire.",
    "it": "Inviato da iPhone\n\nQuesto messaggio è riservato ed è destinato esclusivamente al destinatario.",
}
AGREED = {"en": "Yes", "de": "Ja", "fr": "Oui", "it": "Sì"}
_SURE = 'Are you sure? Reply "%(yes)s", and we\'ll do it:'
_PROOF = 'Please confirm that you wrote this. Reply "%(yes)s", and we\'ll do it:'
SIGNATURE = "-- \nAnn Example\nSterngasse 7, 10115 Berlin\nTel. +49 30 1234567"


# Habits: what becomes of a line, or of several


def capitals(text: str, locale: str) -> str:
    return text.upper()


def autocorrect(text: str, locale: str) -> str:
    lines = (f"“{line[:1].upper()}{line[1:]}”" for line in text.splitlines())
    return "\n".join(lines).replace("..", "–").replace("-", "‑").replace("'", "’")


def signature(text: str, locale: str) -> str:
    return f"{text}\n\n{SIGNATURE}"


def polite(text: str, locale: str) -> str:
    return POLITE[locale][0].format(text)


def footers(text: str, locale: str) -> str:
    return f"{text}\n\n{FOOTERS[locale]}"


def plain(text: str, locale: str) -> str:
    return text


HABITS: dict[str, Callable[[str, str], str]] = {
    "capitals": capitals,
    "autocorrect": autocorrect,
    "signature": signature,
    "several commands": plain,
    "command in the subject": plain,
    "sends twice": plain,
    "answers old letters": plain,
    "wrong words": plain,
    "polite": polite,
    "footers": footers,
}


def misspelt(line: str) -> str:
    """Return a line whose first word has two letters swapped."""
    word, _, rest = line.partition(" ")
    return f"{word[:-2]}{word[-1]}{word[-2]} {rest}".strip()


# People


class Person:
    """A person with a mailbox, who does one thing after the other."""

    def __init__(self, house: House, number: int, locale: str, program: str, habit: str, seed: str) -> None:
        self.name = f"{locale}, {program}, {habit}"
        self.email = f"person-{number}@d{number % 9}.example"
        self.number, self.locale, self.program, self.habit = number, locale, program, habit
        self.sent: list[Sent] = []
        self.moves = 0
        self._house, self._rng = house, Random(f"{seed} {number}")
        self._welcome: Mail | None = None

    @property
    def leaves(self) -> bool:
        """Return whether this person resigns from the game, instead of playing it to its end."""
        return self.number % 2 == 0

    # What they send

    def _mailed(self, typed: Typed) -> Sent:
        write = PROGRAMS[self.program].write
        if self.program == "mutt":  # it sends the first charset that fits
            write = mutt._replace(charset=_charset(f"{typed.words}{typed.letter}"), transfer="8bit")
        return Sent(write(typed), self.email, typed.answered.reply_to, typed.message_id, typed.words)

    def _first_mail(self) -> Sent:
        """Return the email to the open address, which quotes nothing."""
        head = EmailMessage()
        head["From"], head["To"], head["Subject"] = self.email, DESK, GREETINGS[self.locale][:5]
        head["Message-ID"] = message_id = f"<{next(_numbers)}.first@example.org>"
        fields = head.as_bytes().rstrip(b"\n").replace(b"\n", b"\r\n") + b"\r\nMIME-Version: 1.0\r\n"
        text = GREETINGS[self.locale]
        page = part("html", paragraphs(text))
        body = {
            "gmail": multipart("alternative", part("plain", text), page),
            "outlook-html-only": page,
            "apple-mail": part("plain", text, transfer="base64"),
            "thunderbird": part("plain", text, transfer="8bit", more="; format=flowed"),
        }.get(self.program) or part("plain", text, transfer="8bit")
        return Sent(fields + body, self.email, DESK, message_id, text)

    def _reply(self, letter: Mail, words: str, subject: str = "") -> Sent:
        answered = answering(letter.message)._replace(reader=self.email)
        if subject:
            answered = answered._replace(subject=subject)
        message_id = f"<{next(_numbers)}.reply@example.org>"
        return self._mailed(
            Typed(words, self.locale, PLACES[self.program], letter.text, answered=answered, message_id=message_id)
        )

    def _writes(self, letter: Mail, *lines: str) -> Step:
        """Reply with these lines in the manner of this person, and return the answer."""
        text = "\n".join(lines)
        if self.habit == "command in the subject" and len(lines) == 1:
            sent = self._reply(letter, "", text)
        else:
            sent = self._reply(letter, HABITS[self.habit](text, self.locale))
        letter = yield from self._sends(sent)
        if self.habit == "sends twice" and lines[-1] != AGREED[self.locale]:
            return (yield from self._confirms(letter, _PROOF))  # the copy to the open address was read first
        return letter

    def _sends(self, sent: Sent) -> Step:
        self.sent.append(sent)
        letter = yield sent
        if len(letters_for(self, sent)) > 1 and self._is_to_anybody(letter):
            letter = yield lambda it: is_answer(it, sent) and not self._is_to_anybody(it)  # the open address explains
        return letter

    def _is_to_anybody(self, letter: Mail) -> bool:
        """Return whether this answers the copy to the open address, so that its subject repeats nothing."""
        return letter.message["Subject"] == language(self.locale).gettext("Your email to the post desk")

    def _asks(self, letter: Mail, *lines: str) -> Step:
        """Send commands in the words of this person's language, and return the answer to the last."""
        said = [_said(self.locale, line) for line in lines]
        if self.habit == "wrong words":
            letter = yield from self._writes(letter, misspelt(said[0]))
            assert language(self.locale).gettext("We don't understand this line.") in letter.text, letter.text
        if self.habit == "answers old letters":
            letter = self._welcome or letter
        if self.habit != "command in the subject":
            return (yield from self._writes(letter, *said))
        for line in said:
            letter = yield from self._writes(letter, line)
        return letter

    def _agrees(self, letter: Mail) -> Step:
        """Confirm what a letter asks, unless that was done with the proof of the sender."""
        return (yield from self._confirms(letter, _SURE))

    def _confirms(self, letter: Mail, question: str) -> Step:
        say = language(self.locale)
        asked = say.gettext(question, yes=say.gettext("yes"))
        if " ".join(asked.split()) not in " ".join(
            letter.text.split()
        ):  # French has narrow spaces, which are split, too
            return letter
        return (yield from self._writes(letter, AGREED[self.locale]))

    # What they do

    def lives(self) -> Step:
        self.sent.append(first := self._first_mail())
        hello = yield first
        name = {"fr": "nom", "it": "nome"}.get(self.locale, "name")
        letter = self._welcome = yield from self._writes(hello, f"{name} Ann")
        letter = yield from self._asks(letter, "set zone Europe/Rome", "set mails at-once", "settings")
        letter = yield from self._asks(letter, "help", "rules sternenglanz")
        if self.leaves:
            letter = yield from self._plays_and_leaves(letter)
        else:
            letter = yield from self._plays_to_the_end(letter)
        letter = yield from self._asks(letter, "games", "show 1", "history 1")
        finding = [f"find sternenhimmel 3 {self.number + 49} hours"]  # none has the usual pace of others' games
        more = ["cancel find", "new sternenhimmel 3", f"invite guest-{self.number}@d.example to 3"]
        more += ["leave 3", "vacation 2027-07-01..2027-07-14"]
        if self.habit == "several commands":
            more, finding = [*finding, *more], []
        for lines in filter(None, (finding, more, ["export"])):
            letter = yield from self._asks(letter, *lines)
        known = _attached(letter)["profile"]
        assert (known["name"].lower(), known["zone"], known["locale"]) == ("ann", "Europe/Rome", self.locale)
        assert known["calendar"]["vacations"] == [{"from": "2027-07-01", "to": "2027-07-14"}]
        self._expects_three_games()
        letter = yield from self._asks(letter, "goodbye")
        letter = yield from self._agrees(letter)
        assert not letter.message["Reply-To"]
        return letter

    def _plays_to_the_end(self, letter: Mail) -> Step:
        letter = yield from self._asks(letter, "play sternenglanz 2 max_rounds=2")
        turn = yield is_about_a_game
        while moves := moves_in(turn, "sternenglanz", self.locale):
            turn = yield from self._moves(turn, moves)
            if self._only_confirms(turn):
                turn = yield is_about_a_game
        letter = yield from self._asks(letter, "standings 1", "archive 1")
        archive = _attached(letter)
        assert check(json.dumps(archive).encode()).table.status == "finished"
        return letter

    def _plays_and_leaves(self, letter: Mail) -> Step:
        letter = yield from self._asks(letter, "play sternenhimmel")
        turn = yield is_about_a_game
        for _ in range(2):
            turn = yield from self._moves(turn, moves_in(turn, "sternenhimmel", self.locale))
            if self._only_confirms(turn):
                turn = yield is_about_a_game
        letter = yield from self._asks(letter, "leave 1")
        return (yield from self._agrees(letter))

    def _moves(self, turn: Mail, moves: Sequence[str]) -> Step:
        self.moves += 1
        sent = self._reply(turn, self._rng.choice(moves))
        return (yield from self._sends(sent))

    def _only_confirms(self, letter: Mail) -> bool:
        """Return whether this only confirms a move, so that an email about the next turn or about the end follows."""
        played = language(self.locale).gettext("Move played")
        is_asked = any(moves_in(letter, rules, self.locale) for rules in ("sternenhimmel", "sternenglanz"))
        return str(letter.message["Subject"]).startswith(played) and not is_asked

    def _expects_three_games(self) -> None:
        (row,) = self._house.rows(
            "SELECT (SELECT count(*) FROM games WHERE made_by = player_id) AS opened, "
            "(SELECT max(nr) FROM desk_games WHERE desk_games.player_id = players.player_id) AS numbers "
            "FROM players WHERE email = %s",
            self.email,
        )
        assert (row["opened"], row["numbers"]) == (3, 3), row


def _charset(text: str) -> str:
    for charset in ("us-ascii", "iso-8859-1"):
        with suppress(UnicodeEncodeError):
            text.encode(charset)
            return charset
    return "utf-8"


def _said(locale: str, line: str) -> str:
    name = max((it for it in BY_NAME if line == it or line.startswith(f"{it} ")), key=len)
    return BY_NAME[name].written(locale, line)


def _attached(letter: Mail) -> Any:
    (found,) = letter.message.iter_attachments()
    return json.loads(found.get_content())


def is_about_a_game(letter: Mail) -> bool:
    return bool(letter.message["Auto-Submitted"] == "auto-generated")


def moves_in(letter: Mail, rules: str, locale: str) -> list[str]:
    """Return the moves that a letter in any language lists, also those with common beginnings. Examples of the notation
    come later."""
    for block in re.findall(r"(?:^  \S.*\n)+", letter.text, re.MULTILINE):
        found = []
        for line in block.splitlines():
            beginning, _, endings = line.strip().rpartition(": ")
            found += [f"{beginning} {ending}".strip() for ending in endings.split(" | ")]
        if moves := [it for it in found if _is_move(it, rules, locale)]:
            return moves
    return []


def _is_move(text: str, rules: str, locale: str) -> bool:
    try:
        read_move(GAMES[rules], text, locale)
    except RuleError:
        return False
    return True


# The crowd


def everyone(house: House, seed: str) -> Iterator[Person]:
    """Yield a person of each language, program and habit, in random order."""
    kinds = list(product(LOCALES, PLACES, HABITS))
    Random(seed).shuffle(kinds)
    for number, (locale, program, habit) in enumerate(kinds):
        yield Person(house, number, locale, program, habit, seed)


class Crowd:
    """People who live at the same time. `happens` is called before each email is handed over, and after each letter arrives."""

    def __init__(self, house: House, people: Sequence[Person], happens: Callable[[], None] = lambda: None) -> None:
        self._house, self._happens = house, happens
        self._seen = len(house.post.letters)
        self._lives = {it.email: it.lives() for it in people}
        self._people = {it.email: it for it in people}
        self._waits: dict[str, Callable[[Mail], bool]] = {}
        self._unread: dict[str, list[Mail]] = {it.email: [] for it in people}
        self._read: set[tuple[str, str]] = set()
        self.failed: dict[str, str] = {}

    def lives(self) -> None:
        """Return when every life is over, or has failed."""
        for email in list(self._lives):
            self._goes_on(email, None)
        silent_since = time.monotonic()
        while self._lives and time.monotonic() - silent_since < PATIENCE:
            new = self._house.post.letters[self._seen :]
            self._seen += len(new)
            if not new:
                time.sleep(PAUSE)
                continue
            silent_since = time.monotonic()
            for letter in new:
                self._arrives(letter)
        for email in self._lives:
            self.failed[self._people[email].name] = f"waits after {self._people[email].sent[-1].words!r}"

    def _arrives(self, letter: Mail) -> None:
        """Put a letter into its mailbox, once even if its carrier was killed and it came again."""
        if letter.to not in self._lives or (letter.to, letter.message_id) in self._read:
            return
        self._read.add((letter.to, letter.message_id))
        self._happens()
        self._unread[letter.to].append(letter)
        self._looks(letter.to)

    def _looks(self, email: str) -> None:
        unread = self._unread[email]
        while email in self._lives and (found := next(filter(self._waits[email], unread), None)):
            unread.remove(found)
            self._goes_on(email, found)

    def _goes_on(self, email: str, letter: Mail | None) -> None:
        try:
            wish = next(self._lives[email]) if letter is None else self._lives[email].send(letter)
        except StopIteration:
            del self._lives[email]
        except Exception as error:  # noqa: BLE001  the others live on
            del self._lives[email]
            person = self._people[email]
            self.failed[person.name] = f"{error!r} after {person.sent[-1].words!r}"
        else:
            self._waits[email] = wish if callable(wish) else self._hands_over(email, wish)

    def _hands_over(self, email: str, sent: Sent) -> Callable[[Mail], bool]:
        self._happens()
        if self._people[email].habit == "sends twice":
            also = [] if sent.to == DESK else [DESK]
            hands_over(self._house, sent, *also)
        hands_over(self._house, sent)
        if sent.to == DESK:
            return lambda letter: True
        return lambda letter: is_answer(letter, sent)


def is_answer(letter: Mail, sent: Sent) -> bool:
    return bool(letter.message["In-Reply-To"] == sent.message_id)


def letters_for(person: Person, sent: Sent) -> Collection[int]:
    """Return how many letters an email may get. The copy of a `yes` or a move to the open address may get one, too,
    since it holds no command of the desk."""
    is_command = read_line(sent.words.partition("\n")[0], person.locale) is not None
    return (1, 2) if person.habit == "sends twice" and sent.to != DESK and not is_command else (1,)


def answers(house: House) -> Mapping[str, set[str]]:
    """Return the letters that answer each email, by its Message-ID. The first letter answers by its reader's address,
    since it repeats nothing of an email."""
    found: dict[str, set[str]] = defaultdict(set)
    for it in house.post.letters:
        if not is_about_a_game(it):
            found[str(it.message["In-Reply-To"] or it.to)].add(it.message_id)
    return found
