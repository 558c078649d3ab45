"""What happened, in words: one sentence for each item of a story."""

from collections.abc import Callable, Mapping, Sequence

from server.render import games
from server.rules import Json
from server.translations import Language, language


def sentence(item: Json, names: Sequence[str], locale: str = "en") -> str | None:
    """The item as a sentence, or None where there is nothing worth telling; `names` by seat."""
    telling = SENTENCES.get(item["type"])
    return telling and telling(item, names, language(locale))


def _time_ran_out(item: Json, names: Sequence[str], say: Language) -> str:
    name, bot = names[item["seat"]], item["bot"]
    if bot:
        return say.gettext("%(name)s ran out of time; the bot %(bot)s moved instead.", name=name, bot=bot)
    return say.gettext("%(name)s ran out of time.", name=name)


def _handed_over(item: Json, names: Sequence[str], say: Language) -> str:
    return say.gettext("The bot %(bot)s plays for %(name)s now.", bot=item["bot"], name=names[item["seat"]])


def _game_ended(item: Json, names: Sequence[str], say: Language) -> str:
    winners = [name for name, place in zip(names, item["places"], strict=True) if place == 1]
    return say.ngettext(
        "The game is over: %(names)s won with %(score)s.",
        "The game is over: %(names)s won together with %(score)s.",
        len(winners),
        names=say.listed(winners),
        score=max(item["scores"]),
    )


SENTENCES: Mapping[str, Callable[[Json, Sequence[str], Language], str]] = {
    **games.SENTENCES,
    "game-started": lambda item, names, say: say.gettext("The game began."),
    "time-extended": lambda item, names, say: say.gettext("%(name)s got more time.", name=names[item["seat"]]),
    "time-ran-out": _time_ran_out,
    "seat-handed-over": _handed_over,
    "stand-in-began": lambda item, names, say: say.gettext(
        "Somebody stands in for %(name)s now.", name=names[item["seat"]]
    ),
    "stand-in-ended": lambda item, names, say: say.gettext(
        "Nobody stands in for %(name)s any more.", name=names[item["seat"]]
    ),
    "seat-taken-over": lambda item, names, say: say.gettext(
        "%(name)s has taken the seat over from the bot.", name=names[item["seat"]]
    ),
    "seat-taken-back": lambda item, names, say: say.gettext("%(name)s is back.", name=names[item["seat"]]),
    "move-taken-back": lambda item, names, say: say.gettext("%(name)s took a move back.", name=names[item["seat"]]),
    "game-paused": lambda item, names, say: say.gettext("The game was paused."),
    "game-resumed": lambda item, names, say: say.gettext("The game went on."),
    "game-ended": _game_ended,
    "game-abandoned": lambda item, names, say: say.gettext("The game was abandoned."),
}
