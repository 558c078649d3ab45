"""Pages behind the links in emails: a turn, an invitation, a return to a seat, a sign-in, unsubscribing.

GET never changes anything, since programs that scan mail follow links.
"""

from base64 import b64encode
from typing import Any, cast
from urllib.parse import urlencode
from uuid import UUID

from flask import Blueprint, Response, current_app, redirect, request, url_for
from flask_babel import gettext

from server.accounts.apps import app_of_link, end_app
from server.accounts.calendars import stored_zone, time_zone
from server.accounts.players import player_at, profile, suggested_name
from server.accounts.sign_in import redeem
from server.accounts.signed_links import INVITATION, verify
from server.accounts.tokens import NewToken
from server.accounts.unsubscribe import stop_mails, stop_state
from server.api.languages import speak, spoken
from server.api.origins import is_from_elsewhere
from server.api.pages import on_the_page, page, sorry
from server.api.problems import PROBLEMS, text_of
from server.errors import Closed, NotFound, NotRunning, PlayError, SeatTaken, StaleTurn, TooMany, Unfit, WrongCode
from server.games import Json, RuleError, Seat
from server.games import presentation as text
from server.games.presentation import bot_name, draw, notation, refusal, sentence
from server.play.game import Game, last_minute
from server.play.seating import seats
from server.play.seating.seats import (
    come_back,
    decline_invitation,
    enter_by_invitation,
    greeting_to,
    has_accepted,
    invitation,
    invited_address,
    inviter_to,
    is_kept,
    is_newcomer,
    restore_invitation,
)
from server.play.seating.stand_ins import decline_stand_in, enter_as_stand_in, is_stranger, open_stand_in_link
from server.play.table import OVER
from server.play.talk.motd import notice
from server.play.turns.going_back import take_backs_of
from server.play.turns.turn_links import check_line, future_turn, is_undone, open_turn, play_line, rest_of_turn
from server.play.views import view_of
from server.post.terms import terms_of
from server.sanitize import unless_link
from server.store.rows import SeatState
from server.translations import noted
from server.translations.times import moment

blp = Blueprint("link_pages", __name__)
blp.register_error_handler(Exception, sorry)
_LONGEST_LINE = 200  # characters; a turn may have several steps
_BEGINNING = 3  # moves share a line if they begin with the same words, up to this number of words


# One turn


@blp.get("/t/<word>")
def turn(word: str) -> Response:
    """Open the client at the turn of this link. The link serves as the client's token."""
    game, seat, is_open = open_turn(rest_of_turn(word) or word)
    _speak_to(game, seat)
    if not is_open:
        return _not_now(game, seat, word, 410)
    return on_the_page(url_for("link_pages.plain_turn", word=word), game=str(game.game_id))


@blp.get("/t/<word>/plain")
def plain_turn(word: str) -> Response:
    """Show the table as the seat of this link sees it, and a form for its move."""
    _game_of_turn(word)
    return _turn_page(word, line="")


@blp.post("/t/<word>")
def play_turn(word: str) -> Response:
    """Show the chosen move. Play it once it is confirmed."""
    line = request.form.get("move", "")[:_LONGEST_LINE]
    game, seat = _game_of_turn(word)
    try:
        if request.form.get("confirmed") != "yes":
            return _turn_page(word, check_line(word, line, spoken().locale), ask=True)
        played = play_line(word, line, spoken().locale)
    except StaleTurn:
        wrong = gettext("Part of this turn has already been played. Here's the rest.")
        return _turn_page(word, line="", wrong=wrong, status=409)
    except RuleError as error:
        return _turn_page(word, line, wrong=refusal(game.table.rules.NAME, error, spoken().locale))
    except PlayError as error:
        return _turn_page(word, line, wrong=text_of(error))
    about = game.names, spoken().locale, seat, game.head.rules
    told = [told for item in played.answer["events"] if (told := sentence(item, *about))]
    if rest_of_turn(word):
        return _turn_page(word, line="", played=line, told=told)
    return page("played.html", played=line, told=told, game=game, notice=notice())


def _game_of_turn(word: str) -> tuple[Game, Seat]:
    """Return the game and the seat of a link, and switch to the language of the seat."""
    game, seat, _ = open_turn(word)
    _speak_to(game, seat)
    return game, seat


def _speak_to(game: Game, seat: Seat) -> None:
    _speak_to_player(game.seats[seat].player_id)


def _speak_to_player(player_id: UUID | None) -> None:
    if player_id is not None:
        speak(profile(player_id)["locale"])


def _turn_page(
    word: str, line: str, ask: bool = False, wrong: str | None = None, status: int = 422, **played: Any
) -> Response:
    """Show the turn, or the rest of the turn after a part of it was played. `wrong` says what was wrong with the last
    attempt, and `status` is the HTTP status for that case."""
    word = rest_of_turn(word) or word
    game, seat, is_open = open_turn(word)
    if not is_open:
        return _not_now(game, seat, word, 409 if wrong else 410)
    rules, state, view, locale = game.table.rules, game.table.state, view_of(game, seat), spoken().locale
    moves = [text.write_move(rules, move, locale) for move in rules.legal_moves(state, seat)]
    return page(
        "turn.html",
        status if wrong else 200,
        word=word,
        is_mid_turn=rules.is_mid_turn(state, seat),
        notation=notation(rules.NAME, locale),
        title=game.head.title,
        rules=rules.NAME.capitalize(),
        table=text.table(rules.NAME, view, game.names, locale),
        picture=_picture(draw(rules.NAME, view, game.names, dark=False, locale=locale).svg()),
        dark_picture=_picture(draw(rules.NAME, view, game.names, locale=locale).svg()),
        due_at=game.seats[seat].due_at,
        due=_due(game.seats[seat]),
        moves=moves,
        choices=_by_beginning(moves),
        line=line,
        ask=ask,
        going_back=gettext(_GOING_BACK[take_backs_of(game)]),
        wrong=wrong,
        notice=notice(),
        **played,
    )


_GOING_BACK = {
    "consent": noted(
        "You can take the move back until another player moves, unless the move reveals something to you. After "
        "that, every player must agree."
    ),
    "free": noted("You can take the move back until another player moves, unless the move reveals something to you."),
    "never": noted("You can't take the move back."),
}


def _picture(svg: str) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _due(seat: SeatState) -> str:
    """Return the due time in the time zone of the player, or "" while the clock isn't running."""
    return "" if seat.due_at is None else moment(seat.due_at, stored_zone(seat.person.zone), spoken())


def _by_beginning(lines: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Group moves by their first words, so that hundreds of moves take a few lines. Each move is listed by its last
    words."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        words = line.split(" ")
        shared = min(len(words) - 1, _BEGINNING)
        found.setdefault(" ".join(words[:shared]), []).append((line, " ".join(words[shared:])))
    return found


def _not_now(game: Game, seat: Seat, word: str, status: int) -> Response:
    """Explain why the turn of a link can't be played now."""
    if game.table.status in OVER:
        return page(
            "message.html", status, title=gettext("This turn is over"), text=gettext("The game is over."), game=game
        )
    if game.table.status == "paused":
        text = gettext("Everyone agreed to a pause. This link works again when the game resumes.")
        return page("message.html", 409, title=gettext("The game is paused"), text=text, game=game)
    if bot := game.table.stand_ins[seat]:
        text = gettext(
            "The bot %(bot)s is playing for you. To take your seat back, use the link in the email about it.",
            bot=bot_name(bot),
        )
        return page("message.html", 409, title=gettext("A bot is playing for you"), text=text, game=game)
    if number := future_turn(word):
        text = gettext("There has been no turn %(number)s in this game.", number=number)
        return page("message.html", status, title=gettext("No such turn"), text=text, game=game)
    if is_undone(word):
        text = gettext("A move was taken back, and this turn with it. We'll email you when it's your turn again.")
    else:
        text = gettext("Your move was played, or your time ran out. We'll email you when it's your turn again.")
    return page("message.html", status, title=gettext("This turn is over"), text=text, game=game)


# Invitations and signing in


@blp.get("/i/<word>")
def invited(word: str) -> Response:
    """Show the game of an invitation, and a button to accept. If the invitation is for any open seat, or if it was
    accepted, open the table instead."""
    game, seat = invitation(word)
    if has_accepted(game, word) and "plain" not in request.args:
        return cast(Response, redirect(f"/#/games/{game.game_id}?{urlencode({'as': _masked(game, word)})}"))
    kept = is_kept(game, word)
    if game.head.private and not kept:
        return _not_kept(word, is_declined=_is_declined(game, seat))
    is_new = kept and is_newcomer(game, word)
    address = None if seat is None else game.seats[seat].email
    if seat is None and game.head.status == "open":
        return cast(Response, redirect(f"/#/games/{game.game_id}?invitation={word}"))
    own = seat if kept else None
    others = [row for row in game.seats if row.kind == "invited" and row.seat != own]
    response = page(
        "invitation.html",
        game=game,
        seat=seat,
        kept=kept,
        is_new=is_new,
        is_declined=_is_declined(game, seat),
        suggested=suggested_name(address or ""),
        word=word,
        introduction=_introduction(game),
        edition=text.edition_of(game.head.rules, game.head.options),
        host=_inviter(game, seat),
        greeting="" if seat is None or not kept else unless_link(greeting_to(game, seat), ""),
        people=[_shown(game, row, is_own=row.seat == own) for row in game.seats if row not in others],
        invited=len(others),
        invited_address=_masked(game, word) if is_new else "",
        terms=terms_of(game),
    )
    response.headers["Referrer-Policy"] = "same-origin"  # without it, older browsers hide the origin of a form
    return response


def _masked(game: Game, word: str) -> str:
    """Return the address to which an invitation was sent, as much of it as its reader needs to recognize it."""
    _, seat, mark = verify(INVITATION, word)
    name, _, domain = (invited_address(game, seat, mark) or "").partition("@")
    return f"{name[:1]}…@{domain}"


def _inviter(game: Game, seat: Seat | None) -> str:
    """Return the name of the player who reserved this seat, or of the host, or "" in an anonymous game."""
    if game.hides_names:
        return ""
    host = next((game.names[row.seat] for row in game.seats if row.player_id == game.head.host), "")
    return unless_link((None if seat is None else inviter_to(game, seat)) or host, "")


def _is_declined(game: Game, seat: Seat | None) -> bool:
    """Return whether the last invitation to this seat was declined, and the seat is still free."""
    return seat is not None and game.seats[seat].kind == "open" and game.seats[seat].lost_at is not None


def _not_kept(word: str, is_declined: bool) -> Response:
    """Explain that the seat in a private game isn't reserved for the reader, without revealing anything of the game."""
    text = gettext(
        "If you took the seat, we'll email you when it's your turn. Otherwise, you declined, or the player who invited "
        "you has asked someone else or withdrawn the invitation."
    )
    title, home = gettext("This invitation is no longer valid"), gettext("Go to the home page")
    return page("message.html", 409, title=title, text=text, home=home, word=word, is_declined=is_declined)


def _shown(game: Game, row: SeatState, is_own: bool) -> str:
    """Return who has this seat, for a person with an invitation."""
    name = game.names[row.seat]
    if is_own:
        return str(gettext("you"))
    if row.bot:
        return game.introduced(row)
    return name if row.player_id else str(gettext("an open seat"))


def _introduction(game: Game) -> tuple[str, str]:
    return text.introduction(game.head.rules, spoken().locale)


@blp.post("/i/<word>")
def accept(word: str) -> Response:
    """Take the seat that is reserved for the invited address, once. A new player is signed in.

    Reject forms from other origins. Otherwise, another site could make its visitors play under an account that isn't
    theirs.
    """
    _expect_own_page()
    game, token = enter_by_invitation(word, spoken().locale, request.form.get("name", ""), _zone_of_browser())
    return _accepted(game, token, url_for("link_pages.invited", word=word, plain=1))


@blp.post("/i/<word>/no")
def declined(word: str) -> Response:
    """Decline an invitation. The response offers to undo this."""
    _expect_own_page()
    game, seat = invitation(word)
    email = None if seat is None else game.seats[seat].email
    try:
        declined_at = decline_invitation(word)
    except NotFound:  # the invitation was declined or withdrawn before
        return cast(Response, redirect(url_for("link_pages.invited", word=word), 303))
    return page("declined.html", game=game, word=word, email=email, declined_at=declined_at.isoformat())


@blp.post("/i/<word>/undo")
def restored(word: str) -> Response:
    """Reserve the seat again after its invitation was declined."""
    _expect_own_page()
    try:
        restore_invitation(word, request.form.get("email", ""), request.form.get("declined_at", ""))
    except (NotRunning, SeatTaken):
        game, seat = invitation(word)
        if seat is None or not game.seats[seat].player_id or has_accepted(game, word):
            raise
        text = gettext("Another player took the seat after you declined.")
        title, home = gettext("Your seat has been taken"), gettext("Go to the home page")
        return page("message.html", 409, title=title, text=text, home=home)
    return cast(Response, redirect(url_for("link_pages.invited", word=word), 303))


def _zone_of_browser() -> str:
    """Return the time zone that `link.js` put into the form, or UTC."""
    try:
        return time_zone(request.form.get("zone")).key
    except Unfit:
        return "UTC"


def _expect_own_page() -> None:
    """Raise NotFound for a form from another origin."""
    if is_from_elsewhere():
        raise NotFound("Nothing was found at this address.")


def _accepted(game: Game, token: NewToken | None, plain: str) -> Response:
    """Open the game for a new account. The owner of an existing account signs in with a mailed code."""
    if token is not None:
        return on_the_page(plain, token=token.text, address=f"#/games/{game.game_id}")
    text = gettext("You've accepted.")
    sign_in = gettext("To open the game in this browser, sign in with your email address.")
    return page("message.html", title=gettext("You're in"), text=text, sign_in=sign_in, game=game)


@blp.get("/s/<word>")
def asked_to_stand_in(word: str) -> Response:
    """Show the game and the dates of a stand-in request, and a button to accept."""
    game, asked = open_stand_in_link(word)
    if game.head.private and asked is None:
        raise NotFound("Nothing was found at this address.")
    about: Json = {"is_new": False}
    if asked is not None:
        _speak_to_player(asked.player_id or player_at(str(asked.email)))
        zone = stored_zone(profile(asked.asked_by)["zone"])
        begin, end = (moment(at, zone, spoken()) for at in (asked.from_at, last_minute(asked.until_at)))
        suggested = suggested_name(asked.email or "")
        about = {"begin": begin, "end": end, "is_new": is_stranger(asked), "suggested": suggested}
        about["greeting"] = unless_link(asked.greeting or "", "")
    response = page("stand-in.html", game=game, asked=asked, word=word, introduction=_introduction(game), **about)
    response.headers["Referrer-Policy"] = "same-origin"  # as for an invitation
    return response


@blp.post("/s/<word>")
def stand_in(word: str) -> Response:
    """Accept a stand-in request. A new player is signed in. Reject forms from other origins."""
    _expect_own_page()
    game, token = enter_as_stand_in(word, spoken().locale, request.form.get("name", ""), _zone_of_browser())
    return _accepted(game, token, url_for("link_pages.asked_to_stand_in", word=word))


@blp.post("/s/<word>/no")
def declined_to_stand_in(word: str) -> Response:
    """Decline a stand-in request."""
    _expect_own_page()
    _, asked = open_stand_in_link(word)
    if asked is not None:
        _speak_to_player(asked.player_id or player_at(str(asked.email)))
    try:
        decline_stand_in(word)
    except NotFound:  # the request was accepted, declined or withdrawn before
        return cast(Response, redirect(url_for("link_pages.asked_to_stand_in", word=word), 303))
    text = gettext("Thanks for letting us know. The player who asked gets an email.")
    return page("message.html", title=gettext("Request declined"), text=text, home=gettext("Go to the home page"))


@blp.get("/back/<word>")
def returning(word: str) -> Response:
    """Show a button to take the seat back from a bot."""
    game, seat = seats.open_return_link(word)
    _speak_to(game, seat)
    absent = game.table.status in ("running", "paused") and game.table.stand_ins[seat] is not None
    return page("returning.html", game=game, absent=absent)


@blp.post("/back/<word>")
def back(word: str) -> Response:
    """Take the seat back from the bot."""
    _speak_to(*seats.open_return_link(word))
    game = come_back(word)
    text = gettext(
        "You're playing %(title)s yourself again. We'll email you when it's your turn.", title=game.head.title
    )
    return page("message.html", title=gettext("You're back"), text=text, game=game)


@blp.get("/ready/<word>")
def ready_or_not(word: str) -> Response:
    """Show a button to confirm that the player is ready."""
    game, seat = seats.open_ready_link(word)
    _speak_to(game, seat)
    return page("ready.html", game=game, asked=seats.is_asked(game, seat), salt=game.seats[seat].salt_hash)


@blp.post("/ready/<word>")
def said_ready(word: str) -> Response:
    """Confirm that the player is ready. Salts are revealed only at the table."""
    game, seat = seats.open_ready_link(word)
    _speak_to(game, seat)
    if not game.table.turns:
        player_id = game.seats[seat].player_id
        assert player_id is not None  # the link belongs to this player
        game = seats.ready(game.game_id, player_id)
    begun = gettext("The game has started.")
    text = begun if game.table.turns else gettext("Thanks. The game starts as soon as everyone is ready.")
    return page("message.html", title=gettext("You're ready"), text=text, game=game)


# Apps


@blp.get("/app/<word>")
def app_to_end(word: str) -> Response:
    """Show a button that revokes an app's access."""
    player_id, _, name = app_of_link(word)
    speak(profile(player_id)["locale"])
    return page("app-to-end.html", name=name)


@blp.post("/app/<word>")
def ended_app(word: str) -> Response:
    """Revoke the app's access, if it still exists."""
    player_id, app_id, name = app_of_link(word)
    speak(profile(player_id)["locale"])
    if name is not None:
        end_app(player_id, app_id)
    return page("app-to-end.html", name=None)


# Unsubscribing


@blp.get("/stop/<word>")
def stopping(word: str) -> Response:
    """Show a button for each kind of email that can be stopped."""
    return _stop_page(word, noted("Fewer emails"))


@blp.post("/stop/<word>")
def stop(word: str) -> Response:
    """Stop these emails, or send them again. Mail programs post here for a one-click unsubscribe (RFC 8058)."""
    again = request.form.get("again") == "yes"
    stop_mails(word, request.form.get("what"), again)
    return _stop_page(word, noted("Turned back on") if again else noted("Done"))


def _stop_page(word: str, title: str) -> Response:
    it = stop_state(word)
    if it.locale:
        speak(it.locale)
    return page("stop.html", title=gettext(title), it=it)


@blp.get("/sign-in/<uuid:sign_in>")
def sign_in(sign_in: UUID) -> Response:
    """Open the client, which asks for the mailed code. The link contains no secret."""
    return on_the_page(url_for("link_pages.plain_sign_in", sign_in=sign_in))


@blp.get("/sign-in/<uuid:sign_in>/plain")
def plain_sign_in(sign_in: UUID) -> Response:
    """Show a form for the code that works without scripts, and that leads to a token."""
    return page("sign-in.html", sign_in=sign_in)


@blp.post("/sign-in/<uuid:sign_in>")
def signed_in(sign_in: UUID) -> Response:
    """Show a token for programs once."""
    try:
        token = redeem(sign_in, request.form.get("code", "").strip()).text
    except (WrongCode, Closed) as error:
        return page("sign-in.html", PROBLEMS[type(error)].status, sign_in=sign_in, wrong=text_of(error))
    except TooMany as error:
        answer = page("sign-in.html", 429, sign_in=sign_in, wrong=text_of(error))
        answer.headers["Retry-After"] = str(error.retry_after)
        return answer
    return page("signed-in.html", token=token, base_url=current_app.config["BASE_URL"])
