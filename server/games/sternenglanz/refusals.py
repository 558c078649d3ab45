"""The reasons why Sternenglanz's rules refuse a step, by code, for translation."""

from collections.abc import Mapping

from server.games.errors import IllegalMove, MalformedMove, RuleError
from server.translations import noted

NOTATION_HELPS = frozenset({"not-a-step"})
REFUSALS: Mapping[type[RuleError], Mapping[str, str]] = {
    IllegalMove: {
        "wrong-phase": noted("You can't take this step now."),
        "reveals": noted(
            "The previous step may reveal something. Play up to that step first, then decide how to go on."
        ),
        "bad-cards": noted("You can't choose or play these cards in this way."),
        "too-few-actions": noted("Use two slots in a turn, or all three."),
        "slot-not-open": noted("You can't use this slot now."),
        "must-act": noted("You can let a slot lapse only if you can't use any slot."),
        "wrong-action": noted("The card in this slot can't do that."),
        "no-supply": noted("The supply has no star of this class left."),
        "not-adjacent": noted("There is no star next to this space."),
        "needs-3": noted("This star needs more stars of another class next to it."),
        "ban": noted("You can't place and remove a star of this class on the same space in one turn."),
        "occupied": noted("This space is taken."),
        "empty": noted("There is no star on this space."),
        "immovable": noted("The piece on this space can't be moved or removed."),
        "wrong-length": noted("This card moves a star along a different number of lines."),
        "no-line": noted("No line joins these spaces."),
        "blocked": noted("The path is blocked."),
        "line-twice": noted("A star can use each line only once per turn."),
        "back-home": noted("The star has already stopped on this space this turn."),
    },
    MalformedMove: {
        "not-a-step": noted("This is not a step of a turn."),
        "bad-steps": noted("This move has too many steps."),
        "no-such-card": noted("This card doesn't exist."),
        "no-such-slot": noted("This slot doesn't exist. The slots are 1, 2 and 3."),
        "no-such-class": noted("This class of stars doesn't exist."),
        "no-such-field": noted("The Firmament has no such space."),
        "unknown-step": noted("The `cmd` of a step must be choose, act, finish or lay."),
        "unknown-action": noted("An action must be one of lay, move, remove, nova, lapse."),
        "bad-path": noted("A path needs two or more spaces, beginning with the star's own."),
    },
}
