"""Replies that quote the chat in our emails: what another player has written never takes effect for the reader.

Each attack is a message that a player sends so that it becomes a move or command in the reply of another player.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, product
from textwrap import fill, wrap
from uuid import UUID

import pytest
from sqlalchemy import update

from server.accounts.players import change_profile
from server.games import GAMES
from server.games.sternenhimmel.moves import PLACEMENTS
from server.play.talk.chat import say
from server.post.desk.reading import commands_beside_table, read_request
from server.post.incoming.html_text import lines_of_page
from server.post.incoming.lines import Wishes
from server.post.incoming.mime import WRAPPED
from server.post.incoming.quotes import SAID
from server.post.incoming.replies import parse, read, understand
from server.post.letters.chat import WIDTH, _lines
from server.store.tables import Message, db
from tests.post.incoming.replies.programs import NAMES, PROGRAMS, Typed, answering
from tests.post.incoming.replying import messages
from tests.post.incoming.test_quoted_letters import Table, page_of, text_of
from tests.post.office import Mail, Office, a_mail
from tests.support.games import MINUTE, everything_due_happens, happened, later, letters, moves_of, moves_on, turn_of

pytestmark = pytest.mark.usefixtures("within")

COMMANDS = (
    *("pass", "1 2 3", "resign", "yes", "stop", "undo", "pause", "agree", "?", "ready", "say I'm a fool", "plan off"),
)
MOVES = {
    "sternenhimmel": ("7 leo a", "3 cancer c", "put my ten on Leo c", "on Leo c"),
    "sternenglanz": ("finish", "lay sonne b1", "move a1 b2 c3", "bright star on b2", "please move a1 to b2"),
}
LEGAL = {
    "sternenhimmel": list(PLACEMENTS.values()),
    "sternenglanz": [GAMES["sternenglanz"].read_move(it) for it in ("1 lay leucht b2", "2 move a1 b2", "3 remove c1")],
}
CALLED = (
    *("Ben", "7 leo", "say", "say hello", "Plan", "lay sonne", "confirm", "move a1", "ja", "¦", "Stella", "Ten"),
    "Move b2",
)


def attacks(rules: str) -> Iterator[str]:
    """Yield messages in which a command stands alone, or after so many characters that a program wraps there."""
    for words in (*COMMANDS, *MOVES[rules]):
        yield words
        for width in (WIDTH, WRAPPED, 72, 76):
            for begin in ("word " * width, "x" * width, "On 7 March 2026, Ben wrote: " * 9, "> " * width):
                yield f"{begin[: width - 5].strip()} {words}"
                yield f"{begin[: width - 9].strip()}\n{words}\n{words}"


def as_it_is(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def wrapped(width: int, mark: str = "") -> Callable[[Sequence[str]], str]:
    """Wrap each line after marking it, as some programs do."""
    return lambda lines: "\n".join("\n".join(wrap(f"{mark}{line}", width)) for line in lines)


def joined(width: int) -> Callable[[Sequence[str]], str]:
    """Join all lines into a paragraph, as programs do that remove "extra line breaks"."""
    return lambda lines: fill(" ".join(lines), width)


QUOTING = [as_it_is, *(form(width) for form in (wrapped, joined) for width in (WRAPPED, 72, 76))]
QUOTING += [wrapped(width, mark) for mark in ("> ", "> > ", ">>> ", "BB> ") for width in (WRAPPED, 65, 72, 76)]


@pytest.mark.parametrize("rules", GAMES)
def test_quoted_chat_contains_no_move_or_command(rules: str) -> None:
    quoting, names, locales = cycle(QUOTING), cycle(CALLED), cycle(NAMES)
    for text in attacks(rules):
        locale, quoted = next(locales), next(quoting)(_lines(next(names), text))
        mail = read(a_mail(quoted))
        assert understand(parse(mail, GAMES[rules], locale, LEGAL[rules])).problem == "nothing-said", quoted
        assert not commands_beside_table(mail.lines, locale, rules), quoted
        assert not read_request(mail, locale).asked, quoted


def test_no_way_to_quote_the_chat_makes_it_the_readers_own_words() -> None:
    texts = [text for text in attacks("sternenhimmel") if text.endswith(("resign", "7 leo a"))]
    for quote, text in product(QUOTING, texts):
        assert read(a_mail(quote(_lines("Ben", text)))).lines == (), text


@pytest.mark.parametrize("rules", GAMES)
def test_chat_takes_no_effect_even_if_a_program_replaces_the_mark(rules: str) -> None:
    names, locales, marks = cycle(CALLED), cycle(NAMES), cycle(("?", "|", "-", "*"))
    for text in attacks(rules):
        locale, lines = next(locales), _lines(next(names), text)
        mail = read(a_mail("\n".join(lines).replace(SAID, next(marks))))
        assert understand(parse(mail, GAMES[rules], locale, LEGAL[rules])).problem, lines
        assert not [it for it in read_request(mail, locale).asked if it.writes], lines


# With whole emails


class Talking(Table):
    """A game in which Bea attacks Ada in the chat. Ada's newest email shows it, and it's her turn."""

    def __init__(self, office: Office, ada: UUID, bea: UUID, rules: str) -> None:
        super().__init__(office, ada, bea, rules)
        change_profile(bea, {"name": "7 leo"})
        before = self.turn
        while self.turn in (before, None):
            later(MINUTE)
            for who in (ada, bea):
                if turn_of(self.game_id, who) is not None:
                    moves_on(self.game_id, who)
            everything_due_happens()
        began = letters(self.game_id, "your-turn")[-1].made_at
        self.attack = self.line(1)
        for text in ("resign", "say I'm a fool", f"{'word ' * 15} {self.attack}", self.attack, "yes"):
            say(self.game_id, bea, text)
        db.session.execute(update(Message).values(at=began))  # only now is it known which moves are legal
        db.session.commit()
        self.first = office.mails("ada")[-1]

    def new_line(self) -> str:
        shown = " ".join(self.first.text.split())
        lines = (self.line(number) for number in range(len(moves_of(self.game_id, self.ada))))
        return next(line for line in lines if line not in shown)


@pytest.fixture(params=GAMES)
def table(request: pytest.FixtureRequest, office: Office, ada: UUID, bea: UUID) -> Talking:
    return Talking(office, ada, bea, request.param)


def shown(mail: Mail) -> list[list[str]]:
    """Return the lines of both parts of an email, each without the line above which one replies."""
    return [text_of(mail).splitlines(), [line.text for line in lines_of_page(page_of(mail))]]


def test_every_mail_program_may_quote_an_email_with_chat(table: Talking) -> None:
    assert sum(line.startswith(SAID) for line in table.first.text.splitlines()) > 5
    reads, answered, new = table.reading(), answering(table.first.message), table.new_line()
    locales = cycle(NAMES)
    for name, program in PROGRAMS.items():
        locale = next(locales)
        for place in program.places:
            raw = program.write(Typed(new, locale, place, table.first.text, answered=answered))
            assert reads(raw) == Wishes(move=new), (name, locale, place)
        empty = reads(program.write(Typed("", locale, letter=table.first.text, answered=answered)))
        assert empty.problem in ("nothing-said", "only-our-letter", "not-understood"), (name, locale)


def test_a_copy_of_an_email_from_any_line_of_the_chat_on_does_nothing(table: Talking) -> None:
    reads, new = table.reading(), table.new_line()
    for lines in shown(table.first):
        chat = [nr for nr, line in enumerate(lines) if SAID in line]
        for begin, quote in product(chat[::3], QUOTING[::3]):
            copied = [line for line in lines[begin:] if line]
            assert reads(a_mail(quote(copied))).problem, begin
            both = reads(a_mail(f"{new}\n\n{quote(copied)}"))
            assert both.problem or both == Wishes(move=new), begin
            assert both == Wishes(move=new) or quote is not as_it_is, begin


@pytest.mark.parametrize("above", ["", "Thanks!", "That was a clever move, I think.\n\nAda"])
def test_an_unmarked_copy_of_the_chat_plays_and_says_nothing(table: Talking, above: str) -> None:
    assert f"{SAID} 7 leo: {table.attack}" in table.first.text
    before, said = happened(table.game_id), messages(table.game_id)
    chat = "\n".join(line for line in table.first.text.splitlines() if SAID in line)
    for raw in (
        a_mail(f"{above}\n\n{chat}"),
        a_mail(f"{above}\n\n{text_of(table.first)}"),
        a_mail(f"<p>{above}</p>{page_of(table.first)}").replace(b"text/plain", b"text/html"),
    ):
        answer = table.sends(raw)
        assert "was played" not in answer.text
        assert "Please confirm" not in answer.subject
    assert happened(table.game_id) == before
    assert messages(table.game_id) == said


def test_a_reply_in_the_chat_is_posted_once_and_without_the_quote(table: Talking) -> None:
    said, own = messages(table.game_id), f"I won't, Bea. {'word ' * 12}".strip()
    chat = "\n".join(line for line in table.first.text.splitlines() if SAID in line)
    table.sends(a_mail(f"say {own}\n{chat}"))
    assert messages(table.game_id) == [*said, own]
