"""Replies that quote our letters without quote marks: our own text never takes effect.

The first line of each letter ends what a person wrote. Here it is missing, as if the player had deleted it.
"""

import re
from collections.abc import Callable, Iterator
from itertools import cycle
from uuid import UUID

import pytest
from flask_babel import force_locale

from server.accounts.players import change_profile
from server.accounts.rate_limits import most_of
from server.clock import clock
from server.games import GAMES
from server.post.incoming import replies
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.html_text import lines_of_page
from server.post.incoming.lines import Wishes
from server.post.incoming.replies import parse, read, understand
from server.post.incoming.smtp_server import LARGEST
from server.post.letters.answers import lines_for
from server.store import inbox
from server.translations.update import TRANSLATED
from tests.post.incoming.replies.programs import NAMES, PROGRAMS, Typed, answering
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import DAY, game_of, happened, head_of, moves_of, seats_of

pytestmark = pytest.mark.usefixtures("within")


class Table:
    """A game in which it is Ada's turn, and what she writes to it."""

    def __init__(self, office: Office, ada: UUID, bea: UUID, rules: str, locale: str = "en") -> None:
        change_profile(ada, {"locale": locale})
        self.office, self.ada, self.locale = office, ada, locale
        options = {"start_seat": 0} if rules == "sternenhimmel" else {}
        self.game_id = game_of(ada, bea, bots=1, rules=rules, options=options)
        assert self.turn is not None
        self.first = office.mails("ada")[-1]

    @property
    def turn(self) -> int | None:
        return seats_of(self.game_id)[0].turn

    def line(self, number: int) -> str:
        """The move of this number that is open to her."""
        rules = GAMES[head_of(self.game_id).head.rules]
        return rules.write_move(rules.move_from_json(moves_of(self.game_id, self.ada)[number]))

    def new_line(self) -> str:
        """A move that is in no letter as an example."""
        number = len(moves_of(self.game_id, self.ada)) // 2 + 1
        assert self.line(number) not in [line.strip() for line in self.first.text.splitlines()]
        return self.line(number)

    def first_offered(self) -> str:
        """A move that the letter of her turn gives as an example."""
        lines = [line.strip() for line in self.first.text.splitlines()]
        return next(line for number in range(99) if (line := self.line(number)) in lines)

    def sends(self, raw: bytes, answered: Mail | None = None) -> Mail:
        """The answer to it."""
        arrives((answered or self.first).reply_to, raw)
        deal_with_mails()
        return self.office.mails("ada")[-1]

    def reading(self) -> Callable[[bytes], Wishes]:
        """What would be read in a mail, now and for the present turn."""
        game = head_of(self.game_id)
        assert self.turn is not None
        answers = inbox.answers(self.game_id, 0, self.turn, most_of("answers").most)
        with force_locale(self.locale):
            ours = lines_for(game, 0, self.turn, answers, "http://127.0.0.1:8000")
        repeated = {line for said in answers for line in (said["line"], *said["asked"])}
        return lambda raw: understand(parse(read(raw), game.table.rules, self.locale), ours, repeated)

    def letters(self) -> Iterator[Mail]:
        """The letter of her turn, and an answer of each kind that plays nothing."""
        yield self.first
        day = (clock.now() + 10 * DAY).date()
        for words in (
            "?",
            f"I play {self.line(0)}, I think.",
            f"{self.line(0)}\n{self.line(1)}; {self.line(2)}\n{self.line(3)}",
            "What a night we have!",
            "say Good evening!",
            "pause\nresume",
            "resign",
            f"vacation {day}..{day}",
        ):
            yield self.sends(a_mail(words))
        yield self.sends(a_mail(f"{self.line(0)}\nsay From my other desk.", sender="ada@work.example"))


def text_of(mail: Mail) -> str:
    """Without its first line, above which one answers, and without its signature."""
    return mail.text.partition("\n\n")[2].partition("\n-- \n")[0]


def page_of(mail: Mail) -> str:
    return re.sub('<p class="mark">.*?</p>', "", mail.page)


def of(*lines: str) -> bytes:
    return a_mail("\n".join(lines))


def typed(line: str) -> replies.Mail:
    return replies.Mail("ada@example.org", False, (line,), None, "", None)


def copies(mail: Mail, rules: str, locale: str = "en") -> Iterator[list[str]]:
    """Yield either part of a letter: whole, and cut off above each line that acts by itself. A rest of only such lines
    may have been typed by a player."""
    for lines in (text_of(mail).splitlines(), [line.text for line in lines_of_page(page_of(mail))]):
        filled = [line for line in lines if line.strip()]
        acts = [not understand(parse(typed(line), GAMES[rules], locale)).problem for line in filled]
        for place in range(len(filled)):
            if (place == 0 or acts[place]) and not all(acts[place:]):
                yield filled[place:]


@pytest.mark.parametrize(
    ("rules", "locale"), [*((rules, "en") for rules in GAMES), *(("sternenhimmel", locale) for locale in TRANSLATED)]
)
def test_lines_copied_from_our_email_are_never_executed(
    office: Office, ada: UUID, bea: UUID, rules: str, locale: str
) -> None:
    table = Table(office, ada, bea, rules, locale)
    for letter in table.letters():
        reads = table.reading()
        for lines in copies(letter, rules, locale):
            assert reads(of(*lines)).problem, lines


@pytest.mark.parametrize("rules", GAMES)
def test_a_line_above_a_copy_of_our_email_is_executed_as_written(
    office: Office, ada: UUID, bea: UUID, rules: str
) -> None:
    table = Table(office, ada, bea, rules)
    new, example = table.new_line(), table.line(0)
    for letter in table.letters():
        reads = table.reading()
        for lines in copies(letter, rules):
            assert reads(of(new, "", *lines)) == Wishes(move=new), lines
        for whole in (text_of(letter).splitlines(), [line.text for line in lines_of_page(page_of(letter))]):
            assert reads(of(example, "", *whole)) == reads(of(example, *whole)) == Wishes(move=example)


@pytest.mark.parametrize("rules", GAMES)
def test_a_reply_from_any_mail_program_to_any_of_our_emails_is_understood(
    office: Office, ada: UUID, bea: UUID, rules: str
) -> None:
    table = Table(office, ada, bea, rules)
    locales, new = cycle(NAMES), table.new_line()
    for letter in table.letters():
        reads, answered = table.reading(), answering(letter.message)
        for name, program in PROGRAMS.items():
            locale = next(locales)
            for place in program.places:
                raw = program.write(Typed(new, locale, place, letter.text, answered=answered))
                assert len(raw) < LARGEST
                assert reads(raw) == Wishes(move=new), (name, locale, place)
            empty = reads(program.write(Typed("", locale, letter=letter.text, answered=answered)))
            assert empty.problem in ("nothing-said", "only-our-letter", "not-understood"), (name, locale)


# By mail


@pytest.fixture
def table(office: Office, ada: UUID, bea: UUID) -> Table:
    return Table(office, ada, bea, "sternenhimmel")


def as_text(words: str, letter: Mail) -> bytes:
    return a_mail(f"{words}\n\n{text_of(letter)}")


def as_page(words: str, letter: Mail) -> bytes:
    return a_mail(f"<div>{words}</div>{page_of(letter)}").replace(b"text/plain", b"text/html")


BOTH = pytest.mark.parametrize("quoting", [as_text, as_page])
Quoting = Callable[[str, Mail], bytes]


@BOTH
def test_quoting_our_email_does_not_answer_its_question(table: Table, quoting: Quoting) -> None:
    asked = table.sends(a_mail("resign"))
    answer = table.sends(quoting("", asked), asked)
    assert "Your email contains only lines from our email" in answer.text
    assert "seat-handed-over" not in happened(table.game_id)
    confirmed = re.search("^  (confirm .*)$", asked.text, re.MULTILINE)
    assert confirmed
    assert "You've resigned" in table.sends(quoting(confirmed[1], asked), asked).text


@BOTH
def test_a_rejected_move_that_our_reply_quoted_is_not_tried_again(table: Table, quoting: Quoting) -> None:
    asked = table.sends(a_mail(f"{table.line(0)}\n{table.line(1)}"))
    assert f"\n  {table.line(1)}\n" in asked.text
    assert "nothing was done" in table.sends(quoting("", asked), asked).text
    assert "star-placed" not in happened(table.game_id)
    assert f"your move was played: {table.line(1)}" in table.sends(quoting(table.line(1), asked), asked).text


@BOTH
def test_a_line_below_a_copy_of_our_reply_is_not_executed(table: Table, quoting: Quoting) -> None:
    asked = table.sends(a_mail("?"))
    new = table.new_line()
    below = quoting("", asked).replace(b"</body>", b"").replace(b"</html>", b"") + f"\r\n{new}\r\n".encode()
    answer = table.sends(below, asked)
    assert f"\n  {new}\n\nThis line is inside a copy of our email" in answer.text
    assert "star-placed" not in happened(table.game_id)


def test_a_player_who_copies_our_examples_gets_a_helpful_reply(office: Office, ada: UUID, bea: UUID) -> None:
    table = Table(office, ada, bea, "sternenglanz")
    examples = [line.strip() for line in table.first.text.splitlines() if line.startswith("  choose")][:3]
    answer = table.sends(a_mail("\n".join(examples)))
    assert "write it at the top and delete our email below" in answer.text
    assert "was played" in table.sends(a_mail(examples[0]), answer).text


def test_repeating_an_email_from_the_players_own_address_needs_no_confirmation(table: Table) -> None:
    words = f"A good evening to all of you!\n\n{table.line(0)}\nsay One.\nsay Two."
    asked = table.sends(a_mail(words, sender="ada@work.example"))
    assert "please confirm" in asked.text
    assert "was played" in table.sends(a_mail(words), asked).text


def test_an_email_that_begins_like_the_previous_one_is_still_understood(table: Table) -> None:
    answer = table.sends(a_mail("A good evening to all of you!"))
    assert "A good evening to all of you!" in answer.text
    assert "was played" in table.sends(a_mail(f"A good evening to all of you!\n{table.line(0)}"), answer).text


def test_our_reply_to_an_overlong_email_asks_the_player_to_shorten_it(table: Table) -> None:
    quoted = "\n".join(f"* {line}" for line in table.first.text.splitlines()[2:]) * 8
    answer = table.sends(a_mail(f"{table.line(0)}\n{quoted}"))
    assert "without quoted emails" in answer.text
    assert "star-placed" not in happened(table.game_id)


@BOTH
@pytest.mark.parametrize("separator", ["*-------- Original Message --------*", "Vanha viesti", "* * *", ""])
@pytest.mark.parametrize("above", ["ok thanks", "thanks!", "Hello all,\n\nthat was fun"])
def test_lines_quoted_from_a_reply_are_never_executed(
    table: Table, quoting: Quoting, separator: str, above: str
) -> None:
    refused = table.sends(a_mail(f"{table.line(0)}\n{table.line(1)}"))
    assert f"\n  {table.line(1)}\n" in refused.text
    for letter in (refused, table.sends(a_mail("?"))):
        words = f"{above}\n\n{separator}".strip()
        table.sends(quoting(words.replace("\n", "<br>") if quoting is as_page else words, letter), letter)
        assert "star-placed" not in happened(table.game_id)


@pytest.mark.parametrize("title", ["*-------- Original Message --------*", "Vanha viesti", "ok thanks", "* * *"])
def test_a_move_copied_from_our_email_is_not_played_below_a_quote_heading(table: Table, title: str) -> None:
    table.sends(a_mail(f"ok thanks\n\n{title}\n\n{table.first_offered()}"))
    assert "star-placed" not in happened(table.game_id)


@pytest.mark.parametrize(
    "above",
    ["", "Hi,\n", "Thanks!\n\n", "My move:\n", "That was a clever move.\n\n", "Now it gets interesting, I think\n\n"],
)
def test_a_move_copied_from_our_email_is_played_where_it_was_clearly_typed(table: Table, above: str) -> None:
    assert "was played" in table.sends(a_mail(f"{above}{table.first_offered()}\n\nAda")).text
