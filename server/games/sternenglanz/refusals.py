"""The reasons why Sternenglanz's rules refuse a step, by code, for translation."""

from collections.abc import Mapping

from server.translations import noted

NOTATION_HELPS = frozenset({"not-a-step"})
REFUSALS: Mapping[str, str] = {
    "wrong-phase": noted("This step cannot be taken now."),
    "reveals": noted("The step before may show you something new: play as far as that, and look first."),
    "bad-cards": noted("These cards cannot be chosen or laid like this."),
    "too-few-actions": noted("A turn takes a pair of slots, or all three."),
    "slot-not-open": noted("This slot is not open now."),
    "must-act": noted("A slot that can be performed must not lapse."),
    "wrong-action": noted("The card on this slot cannot do that."),
    "no-supply": noted("There is none left in the supply."),
    "not-adjacent": noted("No star lies next to this field."),
    "needs-3": noted("A splendid star needs more stars beside it."),
    "ban": noted("A star of this class cannot be laid and removed on the same field in one turn."),
    "occupied": noted("This field is not free."),
    "empty": noted("No star lies on this field."),
    "immovable": noted("What lies on this field cannot be moved or removed."),
    "wrong-length": noted("This card moves a star over another number of lines."),
    "no-line": noted("No line joins these fields."),
    "blocked": noted("The way is not free."),
    "line-twice": noted("A line can be passed only once in a turn."),
    "back-home": noted("The star rested on this field in this turn already."),
    "not-a-step": noted("This is not a step of a turn."),
    "bad-steps": noted("A move has fewer steps."),
    "no-such-card": noted("There is no such card."),
    "no-such-slot": noted("There is no such slot; the slots are 1, 2 and 3."),
    "no-such-class": noted("There is no such class of stars."),
    "no-such-field": noted("There is no such field on the Firmament."),
    "unknown-step": noted("The `cmd` of a step is choose, act, finish or lay."),
    "unknown-action": noted("An action does one of lay, move, remove, nova, lapse."),
    "bad-path": noted("A path has two or more fields, the star's own first."),
}
