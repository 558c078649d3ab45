"""The time of a seat, as pure functions: when its turn ends, when reminders are due, and how much time is left for the
next turn."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from server.accounts.calendars import ALWAYS, Calendar, counting_hours
from server.accounts.preferences import DEFAULT_REMINDERS
from server.clock import NOTHING, Stretch
from server.durations import duration
from server.play.timing.time_control import Bank, GameClock, next_allowance


@dataclass(frozen=True, slots=True)
class SeatTime:
    """What a seat's time depends on: the game's clock, the hours in which time runs, and the outages since the turn
    began.

    `awake`: the hours for reminders, if they differ from the hours in which time runs.
    """

    clock: GameClock
    calendar: Calendar = ALWAYS
    outages: Collection[Stretch] = ()
    awake: Calendar | None = None

    def due(self, asked_at: datetime, allowed: timedelta) -> datetime:
        """Return the first moment at which the time `allowed` has passed since `asked_at`, counting only hours in which
        time runs."""
        return _due(asked_at, allowed, self.calendar, self.outages)

    def used(self, asked_at: datetime, until: datetime) -> timedelta:
        """Return how much of the time between these moments counts: `used(asked, due(asked, allowed)) == allowed`."""
        return _used(asked_at, until, self.calendar, self.outages)

    def after_commit(self, allowed: timedelta, asked_at: datetime | None, answered_at: datetime) -> timedelta:
        """Return the time for the next turn, after a commit that ends a turn for which `allowed` was available.

        Extensions aren't carried over.
        """
        is_counted = isinstance(self.clock, Bank) and asked_at is not None
        used = self.used(asked_at, answered_at) if is_counted and asked_at else NOTHING
        return next_allowance(self.clock, allowed, used)

    def before_commit(self, allowed: timedelta, answered: Stretch) -> timedelta:
        """Return the time of a turn, computed from the time for the next turn. This is the inverse of `after_commit`.
        `answered`: when the turn began and when it was answered."""
        return allowed - self.clock.increment + self.used(*answered) if isinstance(self.clock, Bank) else allowed

    def extended(self, allowed: timedelta, asked_at: datetime | None, by: timedelta, now: datetime) -> timedelta:
        """Return the extension that a turn with the time `allowed` needs in order to end when the time `by` has passed
        from now on."""
        return (self.used(asked_at, now) if asked_at else NOTHING) - allowed + by

    def reminders(
        self, asked_at: datetime, due_at: datetime, thresholds: Sequence[str] = DEFAULT_REMINDERS
    ) -> list[datetime]:
        """Return the times of reminders between `asked_at` and `due_at`, in order.

        A reminder that falls outside the player's hours waits until they begin. It is dropped if the next reminder
        comes before that. Only the last reminder is sent at any hour.
        """
        moments = {self._reached(threshold, asked_at, due_at) for threshold in thresholds}
        times = sorted(moment for moment in moments if asked_at < moment < due_at)
        awake = self.awake or self.calendar
        put_off = [(next(counting_hours(moment, awake))[0], following) for moment, following in pairwise(times)]
        return sorted({moment for moment, following in put_off if moment < following}) + times[-1:]

    def next_reminder(
        self, asked_at: datetime, due_at: datetime, thresholds: Sequence[str], after: datetime
    ) -> datetime | None:
        """Return the first reminder later than `after`, or None. A missed reminder is not sent late."""
        return next((moment for moment in self.reminders(asked_at, due_at, thresholds) if moment > after), None)

    def _reached(self, threshold: str, asked_at: datetime, due_at: datetime) -> datetime:
        if threshold == "half":
            return _due(asked_at, _used(asked_at, due_at, self.calendar) / 2, self.calendar)
        return due_at.astimezone(UTC) - duration(threshold)


def _due(asked_at: datetime, allowed: timedelta, calendar: Calendar, outages: Collection[Stretch] = ()) -> datetime:
    asked_at = asked_at.astimezone(UTC)
    if calendar.counts_always and not outages:
        return asked_at + allowed
    left = allowed
    for begin, end in _counted(asked_at, calendar, outages):
        if left <= NOTHING:
            return asked_at
        if begin + left <= end:
            return begin + left
        left -= end - begin
    raise OverflowError("No moment is that late.")


def _used(start: datetime, end: datetime, calendar: Calendar, outages: Collection[Stretch] = ()) -> timedelta:
    start, end = start.astimezone(UTC), end.astimezone(UTC)
    total = NOTHING
    for stretch_begin, stretch_end in _counted(start, calendar, outages):
        if stretch_begin >= end:
            break
        total += min(stretch_end, end) - stretch_begin
    return total


def _counted(start: datetime, calendar: Calendar, outages: Collection[Stretch]) -> Iterator[Stretch]:
    """Yield the periods in which time runs, from `start` on, in order and without end."""
    gaps = _merged(outages)
    for begin, end in counting_hours(start, calendar):
        for gap_begin, gap_end in gaps:
            if gap_end <= begin:
                continue
            if gap_begin >= end:
                break
            if gap_begin > begin:
                yield begin, gap_begin
            begin = gap_end
        if begin < end:
            yield begin, end


def _merged(outages: Collection[Stretch]) -> list[Stretch]:
    merged: list[Stretch] = []
    for begin, end in sorted((begin.astimezone(UTC), end.astimezone(UTC)) for begin, end in outages):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        elif begin < end:
            merged.append((begin, end))
    return merged
