"""Calendar feeds of players' move deadlines (iCalendar, RFC 5545)."""

from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, current_app, request
from flask_babel import gettext
from icalendar import Calendar, Event
from werkzeug.wrappers import Response as AnyResponse

from server.api.languages import speak
from server.api.pages import QUIET
from server.play.seating import calendar_feed
from server.play.seating.lobby import WaitingGame

_LOOK_AGAIN = timedelta(hours=1)  # RFC 7986, 5.7
blp = Blueprint("feeds", __name__)


@blp.get("/feed/<word>.ics")
def feed(word: str) -> AnyResponse:
    """Return a calendar with one event for each game in which it's the player's turn. The event starts when the seat's
    time runs out."""
    calendar = Calendar()
    for name, value in {
        "PRODID": "-//Sternenpost//Due times//EN",
        "VERSION": "2.0",
        "METHOD": "PUBLISH",
        "NAME": "Sternenpost",
        "X-WR-CALNAME": "Sternenpost",
    }.items():
        calendar.add(name, value)
    calendar.add("REFRESH-INTERVAL", _LOOK_AGAIN, parameters={"VALUE": "DURATION"})
    games, locale = calendar_feed.feed(word)
    speak(locale)
    for game in games:
        calendar.add_component(_event(game, current_app.config["BASE_URL"]))
    response = Response(calendar.to_ical(), mimetype="text/calendar")
    response.headers.update(QUIET | {"Cache-Control": "private, no-cache"})
    response.add_etag()
    return response.make_conditional(request)


def _event(game: WaitingGame, base_url: str) -> Event:
    """Return the event of a game. Unless the game changes, its bytes stay the same, and so does the feed's ETag. The
    event contains no link token, since feeds are shared."""
    event, rules = Event(), game.rules.capitalize()
    fields: dict[str, Any] = {
        "UID": f"{game.turn}.{game.seat}.{game.game_id}@sternenpost",
        "DTSTAMP": game.asked_at.replace(microsecond=0),
        "DTSTART": game.due_at.replace(microsecond=0),
        "SUMMARY": gettext("Your move is due: %(title)s", title=game.title),
        "DESCRIPTION": gettext(
            "Your time for this turn of %(rules)s runs out now. The link to play is in your last email.", rules=rules
        ),
        "URL": f"{base_url}/#/games/{game.game_id}",
        "TRANSP": "TRANSPARENT",
    }
    for name, value in fields.items():
        event.add(name, value)
    return event
