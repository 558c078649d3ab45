"""Corpus generator: mails as programs and people write them, each with its expected effect.

Expectations are literals beside the mail. None comes from the code under test.
"""

import base64
import quopri
from collections.abc import Sequence
from typing import Any, NamedTuple

from server.post.incoming.lines import Wishes
from server.post.incoming.replies import parse, read, understand
from tests.post.incoming.replies.programs import (
    ADA,
    ADDRESS,
    LETTER,
    LETTER_OF_STEPS,
    NAMES,
    PROGRAMS,
    Typed,
    fresh,
    gmail,
    mail,
    marked,
    multipart,
    mutt,
    outlook_2003,
    paragraphs,
    part,
    thunderbird,
)

SKY, GLANZ = "sternenhimmel", "sternenglanz"
LETTERS = {SKY: LETTER, GLANZ: LETTER_OF_STEPS}

Expected = dict[str, Any]  # what is not given is as usual: no wish, Ada's address, no machine, no doubt


class Case(NamedTuple):
    raw: bytes
    expected: Expected
    game: str = SKY


CASES: dict[str, Case] = {}
LATIN = {"de": "Viele Grüße\nAda", "en": "Best wishes\nAda", "fr": "À bientôt\nAda", "it": "Più tardi altro\nAda"}


def case(name: str, raw: bytes, expected: Expected, game: str = SKY) -> None:
    assert name not in CASES, name
    CASES[name] = Case(raw, expected, game)


def problem(code: str, **more: Any) -> Expected:
    return {"problem": code, **more}


def unreadable(doubt: str) -> Expected:
    return {"problem": "too-long" if doubt == "too-large" else "unreadable", "doubt": doubt}


def plain(
    words: str | bytes, head: str = "", kind: str = "text/plain; charset=utf-8", sender: str = f"Ada <{ADA}>"
) -> bytes:
    """Return a mail with minimal headers around the words."""
    octets = words if isinstance(words, bytes) else words.encode("utf-8", "surrogatepass")
    top = f"From: {sender}\r\nTo: {ADDRESS}\r\nSubject: Re: Tuesday stars\r\n{head}Content-Type: {kind}\r\n\r\n"
    return top.encode("utf-8", "surrogateescape") + octets + b"\r\n"


def understood(text: str, rules: Any, locale: str = "en", legal: Sequence[Any] = ()) -> Wishes:
    """What an email with this text asks for at a table of this game."""
    return understand(parse(read(plain(text)), rules, locale, legal))


def page(html: str) -> bytes:
    return plain(html, kind="text/html; charset=utf-8")


MOVE = {"move": "7 leo c"}
STEPS = {"move": "1 lay punkt b1; 2 move a1 b2 c3"}
UNCLEAR = problem("not-understood")


# What people write, in any program

WISHES: list[tuple[str, str, Expected]] = [
    (SKY, "7 leo c", MOVE),
    (SKY, "Hallo zusammen,\n\n5 Cnc a\n\n{bye}", {"move": "5 cancer a"}),
    (GLANZ, "1 lay punkt b1; 2 move a1 b2 c3", STEPS),
    (SKY, "D VIRGO d", {"move": "D virgo d"}),
    (SKY, "?", {"asks": True}),
    (GLANZ, "1 lay punkt b1\n2 move a1 b2 c3", STEPS),
    (SKY, "say Bravo, Ben!\n7 leo c", {"move": "7 leo c", "says": ["Bravo, Ben!"]}),
    (SKY, "Which moves do I have?", UNCLEAR),
    (SKY, "pause\n\n{bye}", {"pause": True}),
    (GLANZ, "finish", {"move": "finish"}),
    (SKY, "7 leo c\n\nor rather\n\n5 leo c", problem("two-moves") | UNCLEAR),
    (SKY, "", problem("nothing-said")),
    (GLANZ, "lay geburt#4 -\n\n{bye}", {"move": "lay geburt#4 -"}),
    (SKY, "resume", {"resume": True}),
    (SKY, "7 loe c", UNCLEAR),
    (GLANZ, "1 lay punkt b1\n2 mvoe a1 b2 c3", UNCLEAR),
    (SKY, "resign", {"resign": True}),
    (
        SKY,
        "10 sgr b\n\nvacation 2026-12-20..2027-01-03",
        {"move": "10 sagittarius b", "vacation": ["2026-12-20", "2027-01-03"]},
    ),
    (GLANZ, "{bye}\n\n3 remove c1", {"move": "3 remove c1"}),
    (SKY, "7 leo c, please", UNCLEAR),
    (SKY, "7 leo c\n5 leo d", problem("two-moves")),
    (GLANZ, "choose geburt#3 loch-a#1", {"move": "choose geburt#3 loch-a#1"}),
    (SKY, "confirm resign", {"confirms": "resign"}),
    (SKY, "1 leo b", {"move": "1 leo b"}),
    (GLANZ, "1 lay punkt b1\nfinsh", UNCLEAR),
    (SKY, "b Aqr e\n\n?", {"move": "B aquarius e", "asks": True}),
    (GLANZ, "drop lay geburt#4 loch-c#2", {"move": "drop lay geburt#4 loch-c#2"}),
]


def from_every_program() -> None:
    number = 0
    for name, program in PROGRAMS.items():
        for locale in NAMES:
            for place in program.places:
                if place != "top" and locale not in ("de", "fr"):
                    continue
                game, words, expected = WISHES[number % len(WISHES)]
                number += 1
                bye = "Viele Gruesse\nAda" if name in ("mutt", "claws", "aol") else LATIN[locale]
                typed = Typed(words.replace("{bye}", bye), locale, place, LETTERS[game])
                case(f"program-{name}-{locale}-{place}", program.write(typed), expected, game)


# Lines


def lines() -> None:
    for name, words, expected, game in [
        ("capitals", "7 LEO C", MOVE, SKY),
        ("many-blanks", "   7    leo\tc   ", MOVE, SKY),
        ("no-break-spaces", "7\u00a0leo\u202fc", MOVE, SKY),
        ("right-to-left-embedding", "\u202b7 leo c\u202c", MOVE, SKY),
        ("arabic-letter-mark", "\u061c7 leo c", MOVE, SKY),
        ("variation-selectors", "7\ufe0f leo\ufe01 c\U000e0101", MOVE, SKY),
        ("joined-by-nothing", "7\u034f le\u2063o c", MOVE, SKY),
        ("blank-letters", "7\u3164leo\u2800c", MOVE, SKY),
        ("command-between-marks", "\u2068pause\u2069", {"pause": True}, SKY),
        ("chat-between-marks", "\u202bsay hello\u202c", {"says": ["hello"]}, SKY),
        ("dashes-between-marks", "7 leo c\n\u200e-- \u200f\nAda, and 5 leo d", MOVE, SKY),
        ("quote-below-a-mark", "7 leo c\n\n\u200e> 5 leo d", MOVE, SKY),
        ("zero-width", "\ufeff7\u200b leo\u200d c\u2060", MOVE, SKY),
        ("soft-hyphen", "7 l\u00adeo c", MOVE, SKY),
        ("full-width", "\uff17\u3000\uff4c\uff45\uff4f\u3000\uff43", MOVE, SKY),
        ("dash-made-pretty", "lay geburt#4 \u2013", {"move": "lay geburt#4 -"}, GLANZ),
        ("minus-sign", "lay \u2212 wanderung\u20112#1", {"move": "lay - wanderung-2#1"}, GLANZ),
        ("full-stop", "7 leo c.", UNCLEAR, SKY),
        ("exclamation", "7 leo c!", UNCLEAR, SKY),
        ("in-quotation-marks", "\u201e7 leo c\u201c", UNCLEAR, SKY),
        ("bullet", "- 7 leo c", UNCLEAR, SKY),
        ("numbered", "1. 7 leo c", UNCLEAR, SKY),
        ("bold-in-markdown", "**7 leo c**", MOVE, SKY),
        ("struck-in-markdown", "~~7 leo c~~\n\n5 leo d", UNCLEAR, SKY),
        ("with-a-label", "Move: 7 leo c", UNCLEAR, SKY),
        ("in-a-sentence", "I play 7 leo c and hope for the best.", UNCLEAR, SKY),
        ("two-in-a-line", "7 leo c 5 leo d", UNCLEAR, SKY),
        ("two-with-semicolon", "7 leo c; 5 leo d", UNCLEAR, SKY),
        ("the-same-twice", "7 leo c\n\n7 Leo C", MOVE, SKY),
        ("changed-his-mind", "7 leo c\n\nNo, wait, rather 5 leo d.", UNCLEAR, SKY),
        ("one-word-short", "7 leo", UNCLEAR, SKY),
        ("words-run-together", "7leo c", UNCLEAR, SKY),
        ("all-run-together", "7leoc\n\n7 leo c", UNCLEAR, SKY),
        ("letter-for-digit", "l leo c", UNCLEAR, SKY),
        ("number-in-words", "seven leo c", UNCLEAR, SKY),
        ("no-such-star", "9 leo c", UNCLEAR, SKY),
        ("no-such-space-is-for-the-rules", "7 leo z", {"move": "7 leo z"}, SKY),
        ("name-of-a-board", "7 leo c\nLeo", MOVE, SKY),
        ("name-and-gap", "7 leo c\n\nLeo", MOVE, SKY),
        ("line-and-signature", "7 leo c\n-- \n5 leo d", MOVE, SKY),
        ("line-and-signature-without-blank", "7 leo c\n--\n5 leo d", MOVE, SKY),
        ("only-a-signature", "-- \n7 leo c", problem("nothing-said"), SKY),
        ("address-below", "7 leo c\n\nAda Byron\nMusterstr. 12, 10115 Berlin\nTel. +49 30 1234567", MOVE, SKY),
        ("address-in-paris", "7 leo c\n\nAda Lefèvre\n12 rue de Rivoli\n75001 Paris", MOVE, SKY),
        ("long-chatter", "Hello all,\n\nwhat a week! We were in the mountains and it snowed.\n\n7 leo c\n\nSee you", MOVE, SKY),
        ("on-begins-a-sentence", "On Friday I am away.\n\n7 leo c", MOVE, SKY),
        ("am-begins-a-sentence", "Am Freitag bin ich weg: leider.\n\n7 leo c", MOVE, SKY),
        ("wrote-in-a-sentence", "On Friday my sister wrote: come home!\n\n7 leo c", MOVE, SKY),
        ("from-begins-a-sentence", "From: me, with love\n\n7 leo c", problem("perhaps-quoted"), SKY),
        ("steps-with-gaps", "1 lay punkt b1\n\n2 move a1 b2 c3", STEPS, GLANZ),
        ("steps-with-a-word-between", "1 lay punkt b1\nor\n2 move a1 b2 c3", UNCLEAR, GLANZ),
        ("steps-twice", "1 lay punkt b1\n2 move a1 b2 c3\n1 lay punkt b1\n2 move a1 b2 c3", STEPS, GLANZ),
        ("steps-ending-in-semicolons", "1 lay punkt b1;\n2 move a1 b2 c3", STEPS, GLANZ),
        ("steps-last-semicolon", "1 lay punkt b1; 2 move a1 b2 c3;", UNCLEAR, GLANZ),
        ("steps-beside-a-whole-turn", "1 lay punkt b1; finish\n2 lapse", problem("two-moves"), GLANZ),
        ("five-steps", "1 lay punkt b1\n2 lapse\n3 lapse\nfinish\nlay - -", problem("two-moves"), GLANZ),
        ("path-broken-off", "1 lay leucht b1; 3 remove c1; 2 move a1 b2 c3\nd4", UNCLEAR, GLANZ),
        ("step-with-a-hole", "3 remove c3\n\nfin sh", UNCLEAR, GLANZ),
        ("steps-run-together", "2 nova c3\n\n3 lapsefinish", UNCLEAR, GLANZ),
        ("step-with-wrong-slot", "4 lay punkt b1", UNCLEAR, GLANZ),
        ("step-with-wrong-class", "1 lay punk b1", UNCLEAR, GLANZ),
        ("step-without-field", "1 lay punkt", UNCLEAR, GLANZ),
        ("card-without-number", "lay geburt -", UNCLEAR, GLANZ),
        ("finish-in-a-sentence", "Let me finish this before the weekend, then.\n\n2 lapse", {"move": "2 lapse"}, GLANZ),
        ("finish-nearly-alone", "2 lapse\n\nand finish", UNCLEAR, GLANZ),
        ("question-mark-wide", "\uff1f", {"asks": True}, SKY),
        ("question-marks", "???", UNCLEAR, SKY),
        ("move-and-question", "7 leo c\n?", {"move": "7 leo c", "asks": True}, SKY),
        ("move-with-question-mark", "7 leo c?", UNCLEAR, SKY),
        ("say-nothing", "say", UNCLEAR, SKY),
        ("say-with-colon", "say: hello", UNCLEAR, SKY),
        ("say-twice", "say hello\nsay how are you?", {"says": ["hello", "how are you?"]}, SKY),
        ("say-a-move", "say I nearly played 7 leo c", {"says": ["I nearly played 7 leo c"]}, SKY),
        ("say-keeps-its-signs", "say \uff08well\uff09 \u2013 \U0001f468\u200d\U0001f469", {"says": ["\uff08well\uff09 \u2013 \U0001f468\u200d\U0001f469"]}, SKY),
        ("say-with-another-blank", "say\u00a0hello", {"says": ["hello"]}, SKY),
        ("say-in-kanji", "say \u3044\u3044\u624b\u3067\u3059\u306d", {"says": ["\u3044\u3044\u624b\u3067\u3059\u306d"]}, SKY),
        ("say-broken-by-the-program", f"say {'this goes on for a while, ' * 3}and\nthen some more", {"says": [f"{'this goes on for a while, ' * 3}and then some more"]}, SKY),
        ("long-say-then-a-move", f"say {'this goes on for a while, ' * 3}and\n7 leo c", UNCLEAR, SKY),
        ("long-say-gap-move", f"say {'this goes on for a while, ' * 3}and\n\n7 leo c", {"move": "7 leo c", "says": [f"{'this goes on for a while, ' * 3}and"]}, SKY),
        ("pause-and-resume", "pause\nresume", problem("contradiction"), SKY),
        ("undo", "undo\n\n{bye}", {"undo": True}, SKY),
        ("undo-and-move", "undo\n7 leo c", problem("contradiction"), SKY),
        ("undo-misspelt", "7 leo c\nundoo", UNCLEAR, SKY),
        ("agree-in-a-sentence", "I could not agree more with what Ben said about the weather.\n\n7 leo c", MOVE, SKY),
        ("resign-and-move", "resign\n7 leo c", problem("contradiction"), SKY),
        ("resign-loudly", "RESIGN!", {"resign": True}, SKY),
        ("resign-politely", "I resign", {"resign": True}, SKY),
        ("resign-misspelt", "resgin", UNCLEAR, SKY),
        ("resign-in-a-sentence", "I will never resign as long as there is one star left!\n\n7 leo c", MOVE, SKY),
        ("vacation-in-german", "vacation 20.12.2026 bis 3.1.2027", UNCLEAR, SKY),
        ("vacation-backwards", "vacation 2027-01-03..2026-12-20", UNCLEAR, SKY),
        ("vacation-in-no-month", "vacation 2026-02-30..2026-03-02", UNCLEAR, SKY),
        ("vacation-one-day", "vacation 2026-12-24..2026-12-24", {"vacation": ["2026-12-24", "2026-12-24"]}, SKY),
        ("vacation-twice", "vacation 2026-12-24..2026-12-25\nvacation 2026-12-24..2026-12-26", problem("contradiction"), SKY),
        ("vacation-typo-beside-a-move", "7 leo c\nvacation 2026-12-24-2026-12-25", UNCLEAR, SKY),
        ("confirm-nothing", "confirm", UNCLEAR, SKY),
        ("confirm-two-things", "confirm resign\nconfirm vacation", problem("contradiction"), SKY),
        ("only-blanks", "  \n\t\n\u00a0\n", problem("nothing-said"), SKY),
        ("thanks-only", "Danke!", UNCLEAR, SKY),
    ]:  # fmt: skip
        case(f"line-{name}", fresh(Typed(words)), expected, game)


# Quotes


def quotes() -> None:
    wrote = "On 2026-11-21 10:00, Sternenpost wrote:"
    for name, words, expected, game in [
        ("only-a-quote", f"{wrote}\n{marked(LETTER)}", problem("nothing-said"), SKY),
        ("quoted-move", "> 7 leo c", problem("nothing-said"), SKY),
        ("quoted-move-deeper", ">>> 7 leo c\n>>  5 leo d", problem("nothing-said"), SKY),
        ("quoted-without-blank", ">7 leo c", problem("nothing-said"), SKY),
        ("quoted-with-blank-first", " > 7 leo c", problem("nothing-said"), SKY),
        ("quoted-with-initials", "SP> 7 leo c", problem("nothing-said"), SKY),
        ("quoted-with-a-bar", "| 7 leo c", UNCLEAR, SKY),
        ("quoted-with-guillemets", "\u00bb 7 leo c", UNCLEAR, SKY),
        ("no-mark-below-attribution", f"Thanks\n\n{wrote}\n\n7 leo c", UNCLEAR, SKY),
        ("no-mark-and-nothing-above", f"{wrote}\n\n7 leo c", problem("nothing-said"), SKY),
        ("attribution-in-four-lines", "On Sat, 21 Nov 2026\nat 10:00, Sternenpost\n<turn@stars.example>\nwrote:\n\n7 leo c", problem("nothing-said"), SKY),
        ("below-two-quotes", f"{wrote}\n> On Friday Ben wrote:\n>> 5 leo d\n> yes\n\n7 leo c", MOVE, SKY),
        ("tail-of-a-broken-quote", f"{wrote}\n> it is open to you to play a move that is such as this one,\n7 leo c", problem("nothing-said"), SKY),
        ("below-a-short-quote", f"{wrote}\n> Have fun!\n7 leo c", MOVE, SKY),
        ("forwarded", "fyi\n\n---------- Forwarded message ---------\nFrom: Ben\n\n7 leo c", UNCLEAR, SKY),
        ("begin-forwarded", "fyi\n\nBegin forwarded message:\n\nFrom: Ben <b@example.org>\nSubject: Hi\n\n7 leo c", UNCLEAR, SKY),
        ("block-in-bold", "5 leo d\n\n*Von:* Sternenpost\n*Gesendet:* heute\n\n7 leo c", {"move": "5 leo d"}, SKY),
        ("block-in-dutch", "5 leo d\n\nVan: Sternenpost\nVerzonden: vandaag\nAan: Ada\n\n7 leo c", {"move": "5 leo d"}, SKY),
        ("drawn-line-touches", f"7 leo c\n{'_' * 32}\nFrom: Sternenpost <turn@stars.example>\nSent: today\nTo: Ada\n\n5 leo d", MOVE, SKY),
        ("drawn-line-in-finnish", f"7 leo c\n{'_' * 32}\nL\u00e4hett\u00e4j\u00e4: Sternenpost <turn@stars.example>\nL\u00e4hetetty: 21.11.2026\n\n5 leo d", MOVE, SKY),
        ("drawn-line-in-japanese", f"7 leo c\n{chr(0x2500) * 32}\n\u5dee\u51fa\u4eba: Sternenpost <turn@stars.example>\n\u9001\u4fe1\u65e5\u6642: 2026\n\n5 leo d", MOVE, SKY),
        ("dashes-in-bold", "ok thanks\n\n*-------- Original Message --------*\n\n5 leo d", UNCLEAR, SKY),
        ("dashes-in-bold-below-a-move", "7 leo c\n*-------- Original Message --------*\n\n5 leo d", MOVE, SKY),
        ("dashes-in-bold-italics", "ok thanks\n\n**_---- Alkuper\u00e4inen viesti ----_**\n\n5 leo d", UNCLEAR, SKY),
        ("dashes-of-boxes", "ok thanks\n\n\u2500\u2500\u2500\u2500 Algne s\u00f5num \u2500\u2500\u2500\u2500\n\n5 leo d", UNCLEAR, SKY),
        ("objection-between-dashes", "7 leo c\n\n--- do not play that yet ---", problem("spoken-against"), SKY),
        ("title-in-bold", "ok thanks\n\n**Original Message**\n\n5 leo d", UNCLEAR, SKY),
        ("typed-example", f"1 leo b\n\n{wrote}\n{marked(LETTER)}", {"move": "1 leo b"}, SKY),
        ("typed-example-above-unmarked", f"1 leo b\n\n{LETTER}", {"move": "1 leo b"}, SKY),
        ("unmarked-copy", LETTER, problem("only-our-letter"), SKY),
        ("unmarked-copy-and-a-question", LETTER.split("-- ")[0] + "\nHow long does a game take?", UNCLEAR, SKY),
        ("unmarked-copy-of-steps", LETTER_OF_STEPS, problem("only-our-letter"), GLANZ),
        ("unmarked-and-below", LETTER.split("-- ")[0] + "\n7 leo c", problem("amid-our-letter"), SKY),
        ("unmarked-and-example-below", LETTER.split("-- ")[0] + "\n1 leo b", problem("only-our-letter"), SKY),
        ("unmarked-and-amid", LETTER.replace("The table:", "7 leo c\n\nThe table:"), problem("amid-our-letter"), SKY),
        ("unmarked-and-thanks-below", "7 leo c\n\n" + LETTER.split("-- ")[0] + "\nThank you!", MOVE, SKY),
        ("unmarked-from-the-table-on", "5 leo d\n\n" + LETTER[LETTER.index("Leo (leo)") :], {"move": "5 leo d"}, SKY),
        ("examples-only", "  1 leo b\n  3 leo b\n  5 cancer a\n  D virgo d", problem("only-our-letter"), SKY),
        ("three-examples-in-a-row", "1 lay punkt b1\n2 move a1 b2 c3\n3 remove c1", problem("only-our-letter"), GLANZ),
        ("unmarked-and-rewrapped", "7 leo c\n\n" + " ".join(LETTER.split("\n")).replace("The ", "\nThe "), MOVE, SKY),
        ("example-steps-typed", "1 lay punkt b1\n2 move a1 b2 c3", STEPS, GLANZ),
        ("below-the-mark", "Hi\n\n##- Please write above this line -##\n\n7 leo c", UNCLEAR, SKY),
        ("above-the-mark", "7 leo c\n\n##- Please write above this line -##\n\n5 leo d", MOVE, SKY),
        ("mark-quoted", f"{wrote}\n> ##- Please write above this line -##\n{marked(LETTER)}\n\n7 leo c", MOVE, SKY),
        ("usenet-signature-in-the-middle", f"7 leo c\n-- \nAda\n\n{wrote}\n{marked(LETTER)}\n\n5 leo d", MOVE, SKY),
        ("inline-twice-the-same", f"{wrote}\n> Leo (leo)\n\n7 leo c\n\n> Have fun!\n\n7 leo c", MOVE, SKY),
        ("inline-two-moves", f"{wrote}\n> Leo (leo)\n\n7 leo c\n\n> Have fun!\n\n5 leo d", problem("two-moves"), SKY),
        ("inline-steps", f"{wrote}\n> slot 1?\n\n1 lay punkt b1\n\n> slot 2?\n\n2 move a1 b2 c3", STEPS, GLANZ),
    ]:  # fmt: skip
        case(f"quote-{name}", fresh(Typed(words)), expected, game)


def pages() -> None:
    quote = f"<blockquote>{paragraphs(LETTER)}</blockquote>"
    for name, html, expected in [
        ("bare", "7 leo c", MOVE),
        ("entities", "7&nbsp;leo&#32;c", MOVE),
        ("spans", "<span>7</span> <span style='color:red'>leo</span> <b>c</b>", MOVE),
        ("unclosed", "<p>7 leo c<p>Thanks<br><blockquote>5 leo d", MOVE),
        ("closed-too-often", "</div></div><div>7 leo c</div></blockquote></p>" + quote, MOVE),
        ("source-broken-over-lines", "<div>7\r\nleo\r\nc</div>" + quote, MOVE),
        ("two-lines", "7 leo c<br>5 leo d", problem("two-moves")),
        ("two-cells", "<table><tr><td>7 leo c</td><td>Ada</td></tr></table>", MOVE),
        ("struck-out", "<p><s>7 leo c</s></p><p>5 leo d</p>", UNCLEAR),
        ("struck-out-by-style", "<p><span style='text-decoration: line-through'>7 leo c</span></p>", UNCLEAR),
        ("hidden", "<div style='display: none'>7 leo c</div>Hi", UNCLEAR),
        ("hidden-by-size", "<span style='font-size:0px'>7 leo c</span>", problem("nothing-said")),
        ("small-but-not-hidden", "<span style='font-size:0.8em'>7 leo c</span>", MOVE),
        ("in-the-title", "<html><head><title>7 leo c</title></head><body>Hi</body></html>", UNCLEAR),
        ("in-a-script", "<script>\n7 leo c\n</script>", problem("nothing-said")),
        ("in-a-comment", "<!--\n7 leo c\n-->", problem("nothing-said")),
        ("in-an-open-comment", "Hi<!--\n7 leo c", UNCLEAR),
        ("in-a-field", "<textarea>7 leo c</textarea>", problem("nothing-said")),
        ("in-an-attribute", "<img alt='7 leo c'>", problem("nothing-said")),
        ("preformatted", "<pre>Hi\n\n7 leo c\n\nAda</pre>", MOVE),
        ("preformatted-quote", "<pre>7 leo c</pre><blockquote><pre>5 leo d</pre></blockquote>", MOVE),
        ("marked-lines-in-html", "7 leo c<br>&gt; 5 leo d", UNCLEAR),
        ("signature", "7 leo c<div class='gmail_signature'>5 leo d</div>", MOVE),
        ("signature-by-dashes", "<p>7 leo c</p><p>-- </p><p>5 leo d</p>", MOVE),
        ("quote-in-quote", "<blockquote>a<blockquote>5 leo d</blockquote>1 leo b</blockquote>7 leo c", MOVE),
        ("outlook-classes-renamed", "7 leo c<div id='x_divRplyFwdMsg'>From: x</div>5 leo d", MOVE),
        ("less-than-sign", "7 leo c<br><br>x < y", MOVE),
        ("nothing-but-a-tag", "<", UNCLEAR),
        ("empty-tags", "<></>7 leo c", UNCLEAR),
        ("right-to-left", "<p dir='rtl'>7 leo c</p>", MOVE),
        ("bidi-override", "<p>&#x202e;c oel 7</p>", UNCLEAR),
    ]:
        case(f"page-{name}", page(html), expected)


# Encodings


def encodings() -> None:
    greeting = "Grüße!\n\n7 leo c\n"
    for charset in (
        *("utf-8", "iso-8859-1", "iso-8859-15", "windows-1252", "cp850", "macintosh", "koi8-r", "gb18030", "big5"),
    ):
        body = part("plain", greeting, charset, "8bit")
        case(f"charset-{charset}", mail(Typed(""), body, "X-Mailer: any"), MOVE)
    kana = "\u3053\u3093\u306b\u3061\u306f\n\n7 leo c\n"
    for charset in ("shift_jis", "euc-jp"):
        case(f"charset-{charset}", mail(Typed(""), part("plain", kana, charset, "8bit"), "X-Mailer: any"), MOVE)
    latin = "Grüße!\r\n\r\n7 leo c".encode("iso-8859-1")
    for name, octets, kind, expected in [
        ("said-utf-8-is-latin", latin, "text/plain; charset=utf-8", MOVE),
        ("said-ascii-is-latin", latin, "text/plain; charset=us-ascii", MOVE),
        ("said-latin-is-utf-8", "Grüße\n\n7 leo c".encode(), "text/plain; charset=iso-8859-1", MOVE),
        ("none-said", latin, "text/plain", MOVE),
        ("empty", latin, "text/plain; charset=", MOVE),
        ("byte-order-mark", b"\xef\xbb\xbf7 leo c", "text/plain; charset=utf-8", MOVE),
        ("unknown", b"7 leo c", "text/plain; charset=x-klingon", unreadable("unknown-charset")),
        ("utf-7", b"7 leo +AGM-", "text/plain; charset=utf-7", unreadable("unknown-charset")),
        ("utf-16", "7 leo c".encode("utf-16"), "text/plain; charset=utf-16", unreadable("unknown-charset")),
        ("iso-2022", b"7 leo c", "text/plain; charset=iso-2022-kr", MOVE),
        ("iso-2022-kr", "안녕하세요\n7 leo c".encode("iso2022_kr"), "text/plain; charset=iso-2022-kr", MOVE),
        ("iso-2022-jp", "こんにちは\n7 leo c".encode("iso2022_jp"), "text/plain; charset=ISO-2022-JP", MOVE),
        ("iso-2022-jp-broken", b"\x1b$B7 leo c\xff", "text/plain; charset=iso-2022-jp", unreadable("undecodable")),
        ("iso-2022-jp-hidden", b"\x1b$B\n7 leo c\n", "text/plain; charset=iso-2022-jp", unreadable("undecodable")),
        ("cp932", "こんにちは①\n\n7 leo c".encode("cp932"), "text/plain; charset=cp932", MOVE),
        ("windows-31j", "こんにちは①\n\n7 leo c".encode("cp932"), "text/plain; charset=Windows-31J", MOVE),
        ("windows-874", "สวัสดี\n7 leo c".encode("cp874"), "text/plain; charset=windows-874", MOVE),
        ("tis-620", "สวัสดี\n7 leo c".encode("tis-620"), "text/plain; charset=TIS-620", MOVE),
        ("iso-8859-8-i", "שלום\n7 leo c".encode("iso8859-8"), "text/plain; charset=iso-8859-8-i", MOVE),
        ("codec-of-python", b"7 leo c", "text/plain; charset=unicode_escape", unreadable("unknown-charset")),
        ("codec-rot13", b"7 yrb p", "text/plain; charset=rot13", unreadable("unknown-charset")),
        ("codec-zip", b"7 leo c", "text/plain; charset=zlib_codec", unreadable("unknown-charset")),
        ("idna", b"7 leo c", "text/plain; charset=idna", unreadable("unknown-charset")),
        ("with-nul", b"7 leo c", 'text/plain; charset="utf-8\0"', unreadable("unknown-charset")),
        ("path", b"7 leo c", "text/plain; charset=../../etc/passwd", unreadable("unknown-charset")),
    ]:
        expected = expected | ({"sender": None} if "\0" in kind else {})
        case(f"charset-{name}", plain(octets, kind=kind), expected)

    def transferred(encoding: str, octets: bytes) -> bytes:
        return plain(octets, head=f"Content-Transfer-Encoding: {encoding}\r\n")

    for name, encoding, octets, expected in [
        ("quoted-printable", "quoted-printable", quopri.encodestring("7 leo\u00a0c".encode()), MOVE),
        ("quoted-printable-soft-break", "Quoted-Printable", b"7 l=\r\neo c", MOVE),
        ("quoted-printable-all-hex", "quoted-printable", b"=37=20=6C=65=6F=20=63", MOVE),
        ("quoted-printable-broken", "quoted-printable", b"7 leo c=ZZ", UNCLEAR),
        ("base64", "BASE64", base64.b64encode(b"7 leo c"), MOVE),
        ("base64-in-short-lines", "base64", b"NyBs\r\nZW8g\r\nYw==\r\n", MOVE),
        ("base64-cut-off", "base64", b"NyBsZW8gY", unreadable("undecodable")),
        ("base64-with-a-footer", "base64", b"NyBsZW8gYw==\r\n__________\r\nlist footer", unreadable("undecodable")),
        ("base64-of-nothing", "base64", b"", problem("nothing-said")),
        ("uuencode", "x-uuencode", b"begin 644 x\r\n'-R!L96\\@8P``\r\n`\r\nend", unreadable("undecodable")),
        ("uuencode-in-the-text", "7bit", b"begin 644 x\r\n'-R!L96\\@8P``\r\n`\r\nend", UNCLEAR),
        ("unknown", "rot13", b"7 leo c", unreadable("undecodable")),
        ("8bits", "8bits", b"7 leo c", MOVE),
        ("8bits-of-more-than-ascii", "8bits", "7 leo c\n\nGr\u00fc\u00dfe".encode(), MOVE),
        ("a-charset-of-more-than-ascii", "utf-8", "7 leo c\n\nGr\u00fc\u00dfe".encode(), MOVE),
        ("a-charset", "utf-8", b"7 leo c", MOVE),
        ("in-quotes", '"quoted-printable"', b"7 leo=20c", MOVE),
        ("with-a-comment", "7bit (plain)", b"7 leo c", MOVE),
        ("in-quotes-base64", "'base64';", base64.b64encode(b"7 leo c"), MOVE),
        ("in-words", "8bit", "7 leo c\n\nGrüße".encode(), MOVE),
    ]:
        case(f"transfer-{name}", transferred(encoding, octets), expected)

    def flowed(words: str, more: str = "") -> bytes:
        return plain(words, kind=f"text/plain; charset=utf-8; format=flowed{more}")

    for name, raw, expected, game in [
        ("steps-joined", flowed("1 lay punkt b1; \r\n2 move a1 b2 c3"), STEPS, GLANZ),
        ("joined-into-a-sentence", flowed("7 leo c \r\nis what I would play"), UNCLEAR, SKY),
        ("delsp", flowed("7 le \r\no c", "; delsp=yes"), MOVE, SKY),
        ("stuffed", flowed(" 7 leo c\r\n >5 leo d"), UNCLEAR, SKY),
        ("quote-joined", flowed("> it would be \r\n> 7 leo c \r\n5 leo d"), {"move": "5 leo d"}, SKY),
        ("signature", flowed("7 leo c\r\n-- \r\n5 leo d"), MOVE, SKY),
        ("ends-in-a-blank", flowed("Hi \r\n\r\n7 leo c "), MOVE, SKY),
        ("long-quote-unwrapped", flowed(f"{marked(LETTER)}\r\n7 leo c"), MOVE, SKY),
    ]:
        case(f"flowed-{name}", raw, expected, game)


# Unusual structures


def structures() -> None:
    text, html = part("plain", "7 leo c"), part("html", "<p>7 leo c</p>")
    picture = b"Content-Type: image/png; name=logo.png\r\nContent-Transfer-Encoding: base64\r\n\r\niVBORw0KGgo=\r\n"
    notes = b"Content-Type: text/plain\r\nContent-Disposition: attachment; filename=moves.txt\r\n\r\n5 leo d\r\n"
    named = b'Content-Type: text/plain; name="moves.txt"\r\n\r\n5 leo d\r\n'
    letter = b"Content-Type: message/rfc822\r\n\r\n" + fresh(Typed("5 leo d"))
    secret = b"Content-Type: application/octet-stream\r\n\r\n-----BEGIN PGP MESSAGE-----\r\n"
    blank = part("plain", "\n  \n")
    inner = multipart("alternative", text, multipart("related", html, picture, boundary="r"), boundary="a")
    armour = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n7 leo c\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----"
    calendar = b"Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\n"
    deep = text
    for level in range(8):
        deep = multipart("mixed", deep, boundary=f"b{level}")
    for name, body, expected in [
        ("alternative", multipart("alternative", text, html), MOVE),
        ("html-first", multipart("alternative", html, text), MOVE),
        ("blank-text-beside-html", multipart("alternative", blank, html), MOVE),
        ("html-only-in-related", multipart("related", html, picture), MOVE),
        ("text-in-related-in-mixed", multipart("mixed", inner, picture, boundary="m"), MOVE),
        ("text-attached", multipart("mixed", text, notes), MOVE),
        ("text-attached-by-name", multipart("mixed", text, named), MOVE),
        ("only-attached", multipart("mixed", notes), unreadable("no-text")),
        ("only-a-picture", picture, unreadable("no-text")),
        ("letter-attached", multipart("mixed", text, letter), MOVE),
        ("only-a-letter-attached", multipart("mixed", letter), unreadable("no-text")),
        ("digest", multipart("digest", letter), unreadable("no-text")),
        ("two-texts", multipart("mixed", text, part("plain", "5 leo d")), problem("two-moves")),
        ("picture-between-texts", multipart("mixed", text, picture, part("plain", "Ada")), MOVE),
        ("footer-of-a-scanner", multipart("mixed", text, part("plain", "Virus-free. www.scanner.example")), MOVE),
        ("signed", multipart("signed", text, b"Content-Type: application/pkcs7-signature; name=smime.p7s\r\n\r\nMII="), MOVE),
        ("signed-in-the-text", part("plain", armour), MOVE),
        ("encrypted", multipart("encrypted", b"Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n", secret), unreadable("encrypted")),
        ("encrypted-in-the-text", part("plain", "-----BEGIN PGP MESSAGE-----\n\nhQ==\n-----END PGP MESSAGE-----"), unreadable("encrypted")),
        ("smime", b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\nMIAG\r\n", unreadable("encrypted")),
        ("winmail", b"Content-Type: application/ms-tnef; name=winmail.dat\r\n\r\nx", unreadable("no-text")),
        ("calendar", calendar, unreadable("no-text")),
        ("rich-text", b"Content-Type: text/enriched\r\n\r\n<bold>7 leo c</bold>", unreadable("no-text")),
        ("boundary-in-pieces", b"Content-Type: multipart/mixed;\r\n boundary*0*=us-ascii\'\'%3D_7ea0;\r\n boundary*1*=54878_%3D\r\n\r\n--=_7ea054878_=\r\n\r\n7 leo c\r\n--=_7ea054878_=--", MOVE),
        ("boundary-in-plain-pieces", b'Content-Type: multipart/mixed; boundary*0="a b"; boundary*1=c\r\n\r\n--a bc\r\n\r\n7 leo c\r\n--a bc--', MOVE),
        ("boundary-in-pieces-in-no-order", b"Content-Type: multipart/mixed; boundary*1=b; boundary*0=a\r\n\r\n--ab\r\n\r\n7 leo c\r\n--ab--", MOVE),
        ("boundary-extended", b"Content-Type: multipart/mixed; boundary*=utf-8\'en\'a%20b\r\n\r\n--a b\r\n\r\n7 leo c\r\n--a b--", MOVE),
        ("charset-extended", b"Content-Type: text/plain; charset*=us-ascii\'\'utf-8\r\n\r\n7 leo c", MOVE),
        ("two-boundaries", b"Content-Type: multipart/mixed; boundary=a; boundary*=us-ascii\'\'b\r\n\r\n--a\r\n\r\n7 leo c\r\n--b\r\n\r\n5 leo d", unreadable("broken")),
        ("attached-by-name-in-pieces", multipart("mixed", text, b"Content-Type: text/plain; name*0*=utf-8\'\'mo; name*1*=ves.txt\r\n\r\n5 leo d\r\n"), MOVE),
        ("no-boundary", b"Content-Type: multipart/mixed\r\n\r\n7 leo c", unreadable("broken")),
        ("wrong-boundary", b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--y\r\n\r\n7 leo c", unreadable("broken")),
        ("never-closed", multipart("mixed", text).removesuffix(b"--000000000000a1b2c3d4e5f6--\r\n"), MOVE),
        ("preamble-and-epilogue", multipart("mixed", text).replace(b"\r\n\r\n--", b"\r\n\r\n5 leo d\r\n--", 1) + b"5 leo d", MOVE),
        ("nested", deep, MOVE),
        ("nested-too-deep", multipart("mixed", multipart("mixed", multipart("mixed", deep, boundary="x"), boundary="y"), boundary="z"), unreadable("too-nested")),
        ("type-in-capitals", b'CONTENT-TYPE: TEXT/PLAIN; CHARSET="UTF-8"\r\n\r\n7 leo c', MOVE),
        ("type-that-is-none", b"Content-Type: nonsense\r\n\r\n7 leo c", unreadable("no-text")),
        ("no-type", b"X-Any: thing\r\n\r\n7 leo c", MOVE),
        ("alternative-without-text", multipart("alternative", calendar), unreadable("no-text")),
    ]:  # fmt: skip
        case(f"structure-{name}", mail(Typed(""), body, "X-Mailer: any"), expected)
    case("structure-line-feeds-only", gmail(Typed("7 leo c")).replace(b"\r\n", b"\n"), MOVE)
    case("structure-no-body", plain("7 leo c").split(b"\r\n\r\n")[0], problem("nothing-said"))
    case("structure-empty", b"", problem("nothing-said", sender=None))
    case("structure-no-head", b"\r\n7 leo c", MOVE | {"sender": None})


# Senders


def senders() -> None:
    for name, value, sender in [
        ("bare", ADA, ADA),
        ("in-brackets", f"<{ADA}>", ADA),
        ("with-a-name", f"Ada Byron <{ADA}>", ADA),
        ("quoted-name", f'"Byron, Ada" <{ADA}>', ADA),
        ("address-as-name", f'"{ADA}" <{ADA}>', ADA),
        ("encoded-name", f"=?utf-8?B?QWRhIE3DvGxsZXI=?= <{ADA}>", ADA),
        ("name-in-utf-8", f"Ada Müller <{ADA}>", ADA),
        ("dotted-name", f"Ada M. Byron <{ADA}>", ADA),
        ("folded", f"Ada\r\n <{ADA}>", ADA),
        ("domain-in-capitals", "ada@EXAMPLE.org", ADA),
        ("another-address-as-name", f"{ADA} <mallory@example.net>", None),
        ("another-address-as-quoted-name", f'"{ADA}" <mallory@example.net>', None),
        ("another-address-as-encoded-name", f"=?utf-8?Q?mallory=40example.net?= <{ADA}>", None),
        ("another-address-in-a-name", f"Ada mallory@example.net <{ADA}>", None),
        ("another-address-in-a-quoted-name", f'"Ada (mallory@example.net)" <{ADA}>', None),
        ("its-own-address-as-name", f"{ADA} <{ADA}>", ADA),
        ("its-own-address-in-capitals-as-name", f"ADA@Example.org <{ADA}>", ADA),
        ("its-own-address-in-apostrophes", f"'{ADA}' <{ADA}>", ADA),
        ("comment-in-the-name", f"Ada Byron (she/her) <{ADA}>", ADA),
        ("comments-within-each-other", f"Ada (works (mostly) at home) <{ADA}>", ADA),
        ("comment-behind", f"{ADA} (Ada Byron)", ADA),
        ("comment-behind-brackets", f"Ada <{ADA}> (home)", ADA),
        ("comment-not-closed", f"Ada (home <{ADA}>", None),
        ("brackets-in-the-name", f"Ada [Stars] Byron <{ADA}>", ADA),
        ("emoji-in-the-name", f"Ada \U0001f31f <{ADA}>", ADA),
        ("blanks-in-brackets", f"Ada < {ADA} >", ADA),
        ("at-in-the-name", f"Ada @ home <{ADA}>", None),
        ("glued-quote", f'"x"{ADA}', None),
        ("name-in-latin-1", f"Ada M\udcfcller <{ADA}>", ADA),
        ("two-addresses", f"{ADA}, mallory@example.net", None),
        ("two-in-brackets", f"<{ADA}> <mallory@example.net>", None),
        ("brackets-in-brackets", f"<<{ADA}>>", None),
        ("route", f"<@relay.example:{ADA}>", None),
        ("group", f"friends: {ADA};", None),
        ("comment", f"{ADA} (mallory@example.net)", None),
        ("comment-inside", "ada(x)@example.org", None),
        ("open-quote", f'"Ada <{ADA}>', None),
        ("quoted-local-part", '"ada"@example.org', None),
        ("no-domain", "ada", None),
        ("address-literal", "ada@[192.0.2.1]", None),
        ("encoded-address", "=?utf-8?Q?ada=40example.org?=", None),
        ("address-in-cyrillic", "\u0430da@example.org", None),
        ("word-after", f"<{ADA}> x", None),
        ("empty", "", None),
        ("nul", f"{ADA}\0", None),
        ("bare-cr", f"mallory@example.net\rFrom: {ADA}", None),
        ("semicolon", f"{ADA};", None),
        ("two-ats", "ada@example.org@example.net", None),
    ]:
        case(f"sender-{name}", plain("7 leo c", sender=value), MOVE | {"sender": sender})
    two = plain("7 leo c", head="From: mallory@example.net\r\n")
    case("sender-two-froms", two, MOVE | {"sender": None})
    case("sender-no-from", plain("7 leo c").replace(b"From:", b"X-From:"), MOVE | {"sender": None})
    case("sender-from-with-blank", plain("7 leo c").replace(b"From:", b"From :"), MOVE | {"sender": None})
    broken = plain("7 leo c", head="this is no field\r\n")
    case("sender-broken-head", broken, MOVE | {"sender": None})


# Machines


def machines() -> None:
    machine = {"problem": "automatic", "automatic": True}
    for name, head, expected in [
        ("auto-replied", "Auto-Submitted: auto-replied\r\n", machine),
        ("auto-generated", "auto-submitted: Auto-Generated; owner-email=x\r\n", machine),
        ("auto-notified", "Auto-Submitted: auto-notified\r\n", machine),
        ("auto-submitted-no", "Auto-Submitted: no\r\n", MOVE),
        ("auto-submitted-no-comment", "Auto-Submitted: no (typed)\r\n", MOVE),
        ("auto-submitted-twice", "Auto-Submitted: no\r\nAuto-Submitted: auto-replied\r\n", machine),
        ("precedence-bulk", "Precedence: bulk\r\n", machine),
        ("precedence-junk", "Precedence: JUNK\r\n", machine),
        ("precedence-list", "Precedence: list\r\n", machine),
        ("precedence-auto-reply", "Precedence: auto_reply\r\n", machine),
        ("precedence-first-class", "Precedence: first-class\r\n", MOVE),
        ("suppress", "X-Auto-Response-Suppress: All\r\n", machine),
        ("suppress-oof", "X-Auto-Response-Suppress: DR, OOF, AutoReply\r\n", MOVE),
        ("suppress-oof-only", "X-Auto-Response-Suppress: OOF\r\n", MOVE),
        ("suppress-receipts", "X-Auto-Response-Suppress: DR, RN, NRN\r\n", MOVE),
        ("x-autoreply", "X-Autoreply: yes\r\n", machine),
        ("x-autorespond", "X-Autorespond: Re: Tuesday stars\r\n", machine),
        ("inbox-rule", "x-ms-exchange-inbox-rules-loop: ada@example.org\r\n", machine),
        ("list-id", "List-Id: Stars <stars.example.net>\r\n", machine),
        ("list-unsubscribe", "List-Unsubscribe: <https://example.net/u>\r\n", MOVE),
        ("list-post", "List-Post: <mailto:stars@example.net>\r\n", machine),
        ("our-loop", "X-Loop: sternenpost\r\n", machine),
        ("another-loop", "X-Loop: ada@example.org\r\n", MOVE),
        ("null-return-path", "Return-Path: <>\r\n", machine),
        ("return-path", "Return-Path: <ada@example.org>\r\n", MOVE),
        ("failed-recipients", "X-Failed-Recipients: ben@example.org\r\n", machine),
        ("folded-mark", "Auto-Submitted:\r\n auto-replied\r\n", machine),
    ]:
        case(f"machine-{name}", plain("7 leo c", head=head), expected)
    for name, subject in [
        ("automatische-antwort", "=?utf-8?Q?Automatische_Antwort=3A?= Tuesday stars"),
        ("abwesenheitsnotiz", "Abwesenheitsnotiz: Urlaub"),
        ("automatic-reply", "Automatic reply: Tuesday stars"),
        ("out-of-office", "Out of Office: Tuesday stars"),
        ("reponse-automatique", "=?iso-8859-1?Q?R=E9ponse_automatique_=3A_Tuesday_stars?="),
        ("absence-du-bureau", "Absence du bureau : Tuesday stars"),
        ("risposta-automatica", "Risposta automatica: Tuesday stars"),
        ("fuori-sede", "Fuori sede: Tuesday stars"),
        ("undeliverable", "Undeliverable: Tuesday stars"),
    ]:
        raw = plain("Ich bin bis 3.1. weg.\n\n7 leo c").replace(
            b"Subject: Re: Tuesday stars", f"Subject: {subject}".encode()
        )
        case(f"machine-subject-{name}", raw, machine)
    for name, subject in [("gelesen", "Gelesen"), ("read", "Read"), ("lu", "Lu "), ("letto", "Letto")]:
        raw = plain("7 leo c").replace(b"Subject: Re: Tuesday stars", f"Subject: {subject}: Tuesday stars".encode())
        case(f"machine-subject-{name}", raw, MOVE)
    talks = plain("7 leo c").replace(b"Subject: Re: Tuesday stars", b"Subject: Re: Out of office: the game")
    case("machine-subject-of-a-game", talks, MOVE)
    for name, sender in [
        ("mailer-daemon", "MAILER-DAEMON@mx.example.org (Mail Delivery System)"),
        ("mailer-daemon-bare", "Mailer-Daemon"),
        ("postmaster", "Postmaster <postmaster@example.org>"),
        ("noreply", "Shop <no-reply@shop.example>"),
        ("donotreply", "donotreply@bank.example"),
        ("bounces", "bounces+8212@lists.example.net"),
    ]:
        address = sender.partition(" (")[0].rpartition("<")[2].rstrip(">")
        expected = machine | {"sender": address if "@" in address else None}
        case(f"machine-from-{name}", plain("7 leo c", sender=sender), expected)
    report = multipart(
        "report", part("plain", "7 leo c"), b"Content-Type: message/delivery-status\r\n\r\nAction: failed\r\n"
    )
    case("machine-bounce", mail(Typed(""), report, "X-Mailer: any"), machine)
    receipt = report.replace(b"delivery-status", b"disposition-notification")
    case("machine-receipt", mail(Typed(""), receipt, "X-Mailer: any"), machine)
    case("machine-bounced-letter", gmail(Typed("", head="Auto-Submitted: auto-replied\r\n")), machine)
    case("machine-vacation-with-quote", outlook_2003(Typed("Bin weg", "de", head="X-Autoreply: yes\r\n")), machine)


# What an attacker might send


def hostile() -> None:
    for name, words, expected in [
        ("cyrillic-c", "7 leo \u0441", UNCLEAR),
        ("greek-o", "7 le\u03bf c", UNCLEAR),
        ("cyrillic-whole", "7 \u0406\u0435\u043e \u0441", UNCLEAR),
        ("mathematical-letters", "7 \U0001d425\U0001d41e\U0001d428 c", UNCLEAR),
        ("circled-digit", "\u2466 leo c", UNCLEAR),
        ("superscript", "\u2077 leo c", UNCLEAR),
        ("arabic-digit", "\u0667 leo c", UNCLEAR),
        ("keycap", "7\ufe0f\u20e3 leo c", UNCLEAR),
        ("combining-mark", "7 leo c\u0338", UNCLEAR),
        ("right-to-left-override", "\u202e7 leo c", UNCLEAR),
        ("override-inside", "7 leo \u202ec", UNCLEAR),
        ("isolates", "\u20677 leo c\u2069", MOVE),
        ("right-to-left-mark", "7 \u200fleo c", MOVE),
        ("nul", "7 leo c\0", UNCLEAR),
        ("nul-inside", "7 le\0o c", UNCLEAR),
        ("backspaces", "7 leo d\x08c", UNCLEAR),
        ("escape-codes", "7 leo c\x1b[2K", UNCLEAR),
        ("line-separator", "5 leo d\u20287 leo c", UNCLEAR),
        ("next-line", "5 leo d\x857 leo c", UNCLEAR),
        ("form-feed", "5 leo d\x0c7 leo c", UNCLEAR),
        ("carriage-return", "5 leo d\r7 leo c", problem("two-moves")),
        ("tags", "7 leo c\U000e0063", MOVE),
        ("lone-surrogate", "Hi \ud800\n\n7 leo c", MOVE),
        ("mid-air-zalgo", "Hi " + "a\u0301" * 400 + "\n\n7 leo c", MOVE),
        ("long-line", "x" * 200_000 + "\n7 leo c", problem("in-a-sentence")),
        ("long-line-ending-in-a-move", "x" * 200_000 + " 7 leo c", UNCLEAR),
        ("many-words", ("word " * 12 + "\n") * 290 + "7 leo c", unreadable("too-large")),
        ("many-lines", "\n" * 20_000 + "7 leo c", unreadable("too-large")),
        ("huge", "x" * 500_000 + "\n7 leo c", unreadable("too-large")),
        ("many-moves", "".join(f"{star} leo {space}\n" for star in "1356" for space in "abcdef"), problem("two-moves")),
        ("semicolons", ";" * 900 + "\n7 leo c", problem("not-understood")),
        ("template", "{{ 7*7 }} {% leo %} ${c}\n7 leo c", UNCLEAR),
        ("sql", "7 leo c'; DROP TABLE events; --", UNCLEAR),
        ("say-escape-codes", "say \x1b[31mred", {"says": ["\x1b[31mred"]}),
        ("say-html", "say <script>alert(1)</script>", {"says": ["<script>alert(1)</script>"]}),
    ]:
        case(f"hostile-{name}", plain(words), expected)
    bomb = multipart("mixed", *[part("plain", "7 leo c")] * 500)
    case("hostile-many-parts", mail(Typed(""), bomb, "X-Mailer: any"), unreadable("too-nested"))
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(1000))
    case("hostile-nested", mail(Typed(""), nested + b"\r\n7 leo c", "X-Mailer: any"), unreadable("too-nested"))
    case("hostile-nested-page", page("<div>" * 5_000 + "7 leo c"), unreadable("too-nested"))
    case("hostile-tags-without-end", page("<a " * 50_000 + "7 leo c"), UNCLEAR)
    case("hostile-page-of-brackets", page("7 leo c<br>" + "<" * 50_000), MOVE)
    zeros = base64.encodebytes(b"\0" * 200_000)
    case("hostile-base64-of-zeros", plain(zeros, head="Content-Transfer-Encoding: base64\r\n"), UNCLEAR)
    huge = plain(b"QUFB" * 200_000, head="Content-Transfer-Encoding: base64\r\n")
    case("hostile-base64-huge", huge, unreadable("too-large"))
    case("hostile-injected-subject", plain("7 leo c", head="Subject: =?utf-8?q?x=0D=0ABcc=3A_v=40z=2Eorg?=\r\n"), MOVE)
    case("hostile-encoded-everywhere", plain("=?utf-8?q?7_leo_c?="), UNCLEAR)
    case("hostile-encoded-type", plain("7 leo c", kind="=?utf-8?q?text/html?="), unreadable("no-text"))
    case(
        "hostile-two-types",
        plain("7 leo c", head="Content-Type: multipart/mixed; boundary=x\r\n"),
        unreadable("broken"),
    )
    case("hostile-two-charsets", plain("7 leo c", head="Content-Type: text/plain\r\n"), unreadable("broken"))
    encoded = "Content-Transfer-Encoding: base64\r\nContent-Transfer-Encoding: 8bit\r\n"
    case("hostile-two-encodings", plain("NyBsZW8gYw==", head=encoded), unreadable("broken"))
    case("hostile-same-type-twice", plain("7 leo c", head="Content-Type: text/plain; charset=utf-8\r\n"), MOVE)
    case("hostile-two-subjects", plain("7 leo c", head="Subject: Automatic reply: no\r\n"), MOVE)
    case(
        "hostile-many-fields", plain("7 leo c", head="X-A: b\r\n" * 20_000), unreadable("too-large") | {"sender": None}
    )
    case("hostile-long-boundary", plain("x", kind=f"multipart/mixed; boundary={'b' * 5_000}"), unreadable("broken"))
    case(
        "hostile-boundary-with-pattern", plain("--(a+)+\r\n\r\n7 leo c", kind='multipart/mixed; boundary="(a+)+"'), MOVE
    )
    case("hostile-quotes-in-from", plain("7 leo c", sender='"a" ' * 300), MOVE | {"sender": None})
    case("hostile-letters-in-from", plain("7 leo c", sender="a" * 900 + "@"), MOVE | {"sender": None})
    case("hostile-all-octets", bytes(range(256)) * 20, problem("nothing-said", sender=None))
    case("hostile-all-octets-below", plain(bytes(range(256)) * 20), UNCLEAR)
    flood = mutt(Typed("7 leo c", place="bottom", letter="x\n" * 400))
    case("hostile-long-quote", flood, MOVE)
    case("hostile-attributions", plain("On 1 a@b wrote:\n\n" * 2_000 + "7 leo c"), problem("nothing-said"))
    case("hostile-flowed-for-ever", plain("x \r\n" * 3_000 + "7 leo c", kind="text/plain; format=flowed"), UNCLEAR)
    case("hostile-thunderbird-two-moves", thunderbird(Typed("7 leo c\n5 leo c", place="bottom")), problem("two-moves"))


def corpus() -> dict[str, Case]:
    CASES.clear()
    for chapter in (from_every_program, lines, quotes, pages, encodings, structures, senders, machines, hostile):
        chapter()
    return CASES
