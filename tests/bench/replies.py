"""What the reader of replies makes of doubtful mails: `python -m tests.bench.replies [--structures DIR] [--mails N]`.

Of sentences broken before words that would act, and of moves that something speaks against, none may be played; of plain
moves with friendly words, few may be asked about. The mails are made up from seeds, see tests/post/incoming/replies/talk.py.

DIR is a folder of mails that others collected, or of git repositories of such, bare or not; there may be several. Into
what such a mail quotes goes a line that acts and that its writer had written before: it must not act again, neither
alone nor below a new move, which is to be played. A quote is what is marked by >, or all that is below a line that may
begin one where no mark follows: below a marked quote people answer, and what stands there is their own.
"""

import argparse
import re
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

from server.post.incoming.replies import Wishes, acting_keys, parse, read, understand
from server.rules import sternenglanz, sternenhimmel
from tests.post.incoming.replies import talk
from tests.post.incoming.replies.make import plain
from tests.post.incoming.replies.programs import LETTER, LETTER_OF_STEPS

RULES = {"sternenhimmel": sternenhimmel, "sternenglanz": sternenglanz}
LETTERS = {"sternenhimmel": LETTER.split("\n"), "sternenglanz": LETTER_OF_STEPS.split("\n")}
MAILS = 3000  # of each kind
LONGEST = 20_000  # octets of a foreign mail
_MAIL = re.compile(
    r"(?:^|.*/)[^/]*(?:test|spec|fixture|mail)[^/]*/(?:.*/)?(?:[^/]*\.(?:txt|eml|email)|[^/.]+)", re.IGNORECASE
)
_MARKED = re.compile(r"\s*>")
_MAY_BEGIN_QUOTE = re.compile(r"[:：]\s*$|\S@\S|^\W{0,3}[-_]{3,}|[-_]{3,}\s*$|\b\d{1,2}:\d\d\b|\w ?[:：] ")
_GREETING = re.compile(r"\s*(?:dear|hi|hello|hey) [^\d@]{0,30}\s*", re.IGNORECASE)
_ATTRIBUTION = 4  # lines, as some programs break it


class Structure(NamedTuple):
    """A foreign mail, from which line on it quotes, and above which of its lines something quoted may stand."""

    name: str
    lines: list[str]
    first: int
    places: list[int]


class Kind(NamedTuple):
    """What must not become of a mail, and of how many in a hundred it may."""

    title: str
    most: float = 0


ACTED = Kind("sentences broken before words that would act: acted")
PLAYED = Kind("moves that something speaks against: played")
ASKED = Kind("plain moves with friendly words: asked about", 1)
MISTAKEN = Kind("plain moves with friendly words: taken for something else")
OLD = Kind("old lines in a foreign quote: acted")
NEW_ASKED = Kind("new moves above a foreign quote: asked about", 1)
NEW_MISTAKEN = Kind("new moves above a foreign quote: taken for something else")

Met = dict[Kind, list[str]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--structures", type=Path, nargs="+", default=[], metavar="DIR")
    parser.add_argument("--mails", type=int, default=MAILS, metavar="N", help="of each kind")
    parser.add_argument("--examples", type=int, default=0, help="how many of each kind to print")
    wanted = parser.parse_args()
    met: Met = {kind: [] for kind in (ACTED, PLAYED, ASKED, MISTAKEN)}
    for seed in range(wanted.mails):
        make_up(Random(seed), met)
    if wanted.structures:
        found = [it for folder in wanted.structures for it in structures(folder)]
        print(f"{len(found)} structures")
        if not found:
            parser.error("there are no mails that quote anything")
        met |= {kind: [] for kind in (OLD, NEW_ASKED, NEW_MISTAKEN)}
        for seed in range(wanted.mails):
            transplant(Random(seed), found, met)
    for kind, mails in met.items():
        share = 100 * len(mails) / wanted.mails
        print(f"{kind.title:<62}{len(mails):>5} of {wanted.mails} ({share:.2f} %; target: at most {kind.most:g} %)")
        print(*mails[: wanted.examples], sep=f"\n{'=' * 20}\n", end="\n" if wanted.examples else "")
    if any(100 * len(mails) > kind.most * wanted.mails for kind, mails in met.items()):
        raise SystemExit(1)


def make_up(dice: Random, met: Met) -> None:
    game = dice.choice(list(RULES))
    move, words = talk.plain_move(dice, game)
    _play(words, game, move, met[ASKED], met[MISTAKEN])
    for write, acted in ((talk.wrapped_sentence, met[ACTED]), (talk.objection, met[PLAYED])):
        words = write(dice, game)
        if not wishes(words, game).problem:
            acted.append(words)


def transplant(dice: Random, found: list[Structure], met: Met) -> None:
    game, structure = dice.choice(list(RULES)), dice.choice(found)
    new, old = dice.sample(talk.MOVES[game], 2)
    old = dice.choice([old, *talk.COMMANDS])
    lines, place = structure.lines, dice.choice(structure.places)
    gap = dice.choice([[], [""]])
    quoted = [*gap, f"> {old}" if _is_beside_marked(lines, place) else old, *gap, *lines[place:]]
    words = "\n".join([*lines[:place], *quoted, *(["", *LETTERS[game]] if dice.random() < 0.5 else [])])
    before = acting_keys(parse(read(plain(old)), RULES[game]))
    if not wishes(words, game, before).problem:
        met[OLD].append(words)
    words = "\n".join([new, "", *lines[structure.first : place], *quoted])
    _play(words, game, new, met[NEW_ASKED], met[NEW_MISTAKEN], before)


def _play(
    words: str, game: str, move: str, asked: list[str], mistaken: list[str], before: Collection[str] = ()
) -> None:
    meant = RULES[game].write_move(RULES[game].read_move(move))
    found = wishes(words, game, before)
    if found.problem:
        asked.append(f"{found.problem}: {found.line}\n\n{words}")
    elif found != Wishes(move=meant):
        mistaken.append(words)


def wishes(words: str, game: str, before: Collection[str] = ()) -> Wishes:
    """What is understood of a mail whose writer had written lines with these keys before."""
    mail = read(plain(words.encode("utf-8", "replace")))
    return understand(parse(mail, RULES[game]), LETTERS[game], stood=before.__contains__)


def structures(folder: Path) -> Iterator[Structure]:
    for name, octets in _files(folder):
        if len(octets) > LONGEST:
            continue
        lines = octets.decode("utf-8", "replace").replace("\r", "").split("\n")
        begins = [nr for nr, line in enumerate(lines) if _MARKED.match(line) or _may_begin_quote(line)]
        unmarked = next((nr for nr in begins if not any(map(_MARKED.match, lines[nr : nr + _ATTRIBUTION]))), len(lines))
        places = [nr for nr in range(len(lines) + 1) if nr > unmarked or _is_beside_marked(lines, nr)]
        if places:
            yield Structure(name, lines, begins[0], [nr for nr in places if nr > begins[0]])


def _may_begin_quote(line: str) -> bool:
    return _MAY_BEGIN_QUOTE.search(line) is not None and not _GREETING.fullmatch(line)


def _is_beside_marked(lines: list[str], place: int) -> bool:
    """Whether the nearest line with words above this place is marked, or the one below it."""
    near = (next(filter(str.strip, side), "") for side in (reversed(lines[:place]), lines[place:]))
    return any(map(_MARKED.match, near))


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Whatever is likely to be a mail, by its path."""
    repositories = sorted(head.parent for head in folder.rglob("HEAD") if (head.parent / "objects").is_dir())
    for repository in repositories:
        git = ("git", f"--git-dir={repository}")
        names = subprocess.check_output([*git, "ls-tree", "-rz", "--name-only", "HEAD"]).decode().split("\0")
        for name in filter(_MAIL.fullmatch, names):
            yield name, subprocess.check_output([*git, "show", f"HEAD:{name}"])
    if not repositories:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and _MAIL.fullmatch(f"mails/{path.relative_to(folder).as_posix()}"):
                yield path.name, path.read_bytes()


if __name__ == "__main__":
    main()
