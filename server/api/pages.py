"""Plain pages for people with nothing but a mail program: a turn, an invitation, a sign-in; and the API's handbook."""

import re
from base64 import b64encode
from importlib.metadata import version
from pathlib import Path
from typing import Any
from uuid import UUID

from flask import Blueprint, Response, current_app, render_template, request, url_for
from flask_babel import gettext

from server.accounts.apps import app_of_link, end_app
from server.accounts.calendars import time_zone
from server.accounts.players import player_at, profile
from server.accounts.rate_limits import most_of
from server.accounts.sign_in import redeem
from server.accounts.unsubscribe import stop_mails, stopped
from server.api.changelog import for_programs
from server.api.languages import speak, spoken
from server.api.origins import is_from_elsewhere
from server.api.problems import ALL, answer_to, example_of, said
from server.errors import NotFound, PlayError, SeatTaken, StaleTurn, TooMany, WrongCode
from server.operations.motd import notice
from server.page import index
from server.play.game import Game
from server.play.going_back import take_backs_of
from server.play.moves import check_line, is_undone, open_turn, play_line, rest_of_turn
from server.play.seating import seats
from server.play.seating.seats import come_back, enter_by_invitation, invitation, is_kept, is_newcomer
from server.play.seating.stand_ins import asked_by_word, enter_as_stand_in, is_stranger, last_minute
from server.play.table import OVER
from server.play.views import view_of
from server.render import text
from server.render.picture import draw
from server.render.refusals import notation, refusal
from server.render.story import sentence
from server.rules import GAMES, Json, RuleError, Seat
from server.translations import noted
from server.translations.times import moment

blp = Blueprint("pages", __name__, template_folder="templates", static_folder="static", static_url_path="/static")
_LONGEST_LINE = 200  # a turn of several steps
_HEADING = re.compile(r'<h2(?: id="([^"]+)")?>(.*?)</h2>')
_CONTENTS = "<!-- contents -->"
_BEGINNING = 3  # words by which moves are put together
QUIET = {"Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "X-Robots-Tag": "noindex"}
_HEADERS = {
    **QUIET,
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
}


def page(template: str, status: int = 200, **values: Any) -> Response:
    """A template as an answer that runs nothing, asks nobody else for anything, and is kept nowhere."""
    response = Response(render_template(template, locale=spoken().locale, **values), status, mimetype="text/html")
    response.headers.update(_HEADERS)
    return response


def on_the_page(plain: str, **opened_for: str) -> Response:
    """The page for people, kept nowhere, opened by a mailed link; `plain` is where the same is done without scripts."""
    response = index(plain=plain, words=gettext("Go on without scripts"), language=spoken().locale, **opened_for)
    response.headers.update(QUIET | {"Cache-Control": "no-store"})
    return response


@blp.errorhandler(Exception)
def sorry(error: Exception) -> Response:
    """A page for people with the problem that a program would get."""
    problem = answer_to(error)
    title, detail = (problem.get_json()[name] for name in ("title", "detail"))
    if problem.status_code == 404:
        title, detail = (
            gettext("Nothing here"),
            gettext("Perhaps a part of the link is missing. Try it again from the mail, the whole of it."),
        )
    answer = page("message.html", problem.status_code, title=title, text=detail)
    answer.headers.extend((name, value) for name, value in problem.headers if name in ("Allow", "Retry-After"))
    return answer


@blp.get("/docs")
def docs() -> Response:
    """The OpenAPI document as a page that asks nobody else for anything."""
    response = page("docs.html", pages=PAGES, reader=spoken().locale)
    response.headers["Content-Security-Policy"] = (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
        "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"  # RapiDoc writes its styles into the page
    )
    return response


@blp.get("/problems/<code>")
def problem(code: str) -> Response:
    """What an error means: the address in a problem's `type` (RFC 9457)."""
    found = ALL.get(code)
    if found is None:
        return page("message.html", 404, title=gettext("Nothing here"), text=gettext("There is no such problem."))
    return _handbook("problem.html", problem=found, example=example_of(found))


@blp.get("/problems")
def problems() -> Response:
    """All of them."""
    return _handbook("problems.html", problems=sorted(ALL.values(), key=lambda it: (it.status, it.code)))


def _handbook(template: str, **values: Any) -> Response:
    """A page of the handbook: with its contents, and with buttons that copy what is to be typed."""
    response = page(template, **values)
    html, found = response.get_data(as_text=True), []

    def named(heading: re.Match[str]) -> str:
        name = heading[1] or re.sub(r"\W+", "-", heading[2].lower()).strip("-")
        found.append((name, heading[2]))
        return f'<h2 id="{name}">{heading[2]}</h2>'

    html = _HEADING.sub(named, html).replace("<pre", '<pre tabindex="0"')  # whoever has keys only can move it sideways
    links = "".join(f'<li><a href="#{name}">{words}</a></li>' for name, words in found)
    response.set_data(html.replace(_CONTENTS, f'<ol class="contents">{links}</ol>'))
    policy = response.headers["Content-Security-Policy"]
    response.headers["Content-Security-Policy"] = policy.replace(
        "default-src 'none';", "default-src 'none'; script-src 'self';"
    )
    return response


# Its pages, in the order in which whoever comes needs them: their titles, and what each is for.
PAGES = {
    "bot": ("Write a bot in 30 lines", "a program that plays both games, by HTTP or by lines of JSON"),
    "bots": ("A first bot, by a generated client", "in several languages, and how what generators make fares"),
    "live": ("Show a game on your own page", "a table as it goes on, in one file that anybody can put anywhere"),
    "recipes": ("Recipes", "what programs have to cope with: errors, lost answers, streams, time, lists, limits"),
    "app": ("Sign people in from your own page", "OAuth 2.1 in one file"),
    "fairness": ("Fair chance, and how to check it", "seeds, archives, and the method on a page"),
    "changes": ("What stays, and what changes", "what is promised to programs, and what is new in each version"),
    "scaling": ("From one machine to several", "processes, backups, releases and what to watch, for operators"),
    "cost": ("What a million moves cost", "CPU, bytes, letters and money, and where each resource ends, for operators"),
    "mail": ("Mail, out and in", "four ways to run it, for operators"),
}


def _page(name: str, **values: Any) -> Response:
    """One of them, in English."""
    title, base = PAGES[name][0], current_app.config["BASE_URL"]
    return _handbook(f"{name}.html", title=title, base=base, reader=spoken().locale, **values)


@blp.get("/docs/bot")
def bot() -> Response:
    """A program that plays, and what there is to know about it."""
    bounds = {name.replace("-", "_"): most_of(name) for name in ("player", "games", "program-games")}
    return _page("bot", bounds=bounds)


@blp.get("/docs/live")
def live() -> Response:
    """A page of another origin that shows a game."""
    return _page("live")


@blp.get("/docs/recipes")
def recipes() -> Response:
    """What programs have to cope with, and how."""
    return _page("recipes")


_BOTS = Path(__file__).parent / "bots"  # tests play with these very files: see tests/clients


@blp.get("/docs/bots")
def bots() -> Response:
    """The same bot in several languages, by clients that generators make, and how these fare."""
    programs = {path.stem: path.read_text("utf-8") for path in sorted(_BOTS.glob("*.txt"))}
    table = (_BOTS / "generators.md").read_text("utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]
    return _page("bots", programs=programs, rows=rows)


@blp.get("/docs/app")
def app() -> Response:
    """A page of another origin that signs people in, and what there is to know about it."""
    return _page("app")


@blp.get("/docs/fairness")
def fairness() -> Response:
    """How chance is kept fair, and how anybody can check it."""
    return _page("fairness", games={name: rules.describe() for name, rules in GAMES.items()})


@blp.get("/docs/changes")
def changes() -> Response:
    """What is promised to programs, and what is new for them."""
    return _page("changes", parts=for_programs(), version=version("sternenpost"))


@blp.get("/docs/scaling")
def scaling() -> Response:
    """How one machine becomes several."""
    return _page("scaling")


@blp.get("/docs/cost")
def cost() -> Response:
    """What a million moves take, and where each resource ends."""
    return _page("cost")


@blp.get("/docs/mail")
def mail() -> Response:
    """How letters go out, and how replies come in."""
    return _page("mail")


# One turn


@blp.get("/t/<word>")
def turn(word: str) -> Response:
    """The page for the turn of this link, whose word is its token; looking changes nothing."""
    game, seat, is_open = open_turn(rest_of_turn(word) or word)
    _speak_to(game, seat)
    if not is_open:
        return _not_now(game, seat, word, 410)
    return on_the_page(url_for("pages.plain_turn", word=word), game=str(game.game_id))


@blp.get("/t/<word>/plain")
def plain_turn(word: str) -> Response:
    """The table as the seat of this link sees it, and a form for its move; looking changes nothing."""
    _game_of_turn(word)
    return _turn_page(word, line="")


@blp.post("/t/<word>")
def play_turn(word: str) -> Response:
    """First shows the move that was chosen, then, when confirmed, plays it."""
    line = request.form.get("move", "")[:_LONGEST_LINE]
    game = _game_of_turn(word)
    try:
        if request.form.get("confirmed") != "yes":
            return _turn_page(word, check_line(word, line), ask=True)
        played = play_line(word, line)
    except StaleTurn:
        wrong = gettext("A part of this turn has been played; here is the rest.")
        return _turn_page(word, line="", wrong=wrong, status=409)
    except RuleError as error:
        return _turn_page(word, line, wrong=refusal(game.table.rules.NAME, error, spoken().locale))
    except PlayError as error:
        return _turn_page(word, line, wrong=said(error))
    told = [told for item in played.answer["events"] if (told := sentence(item, game.names, spoken().locale))]
    if rest_of_turn(word):
        return _turn_page(word, line="", played=line, told=told)
    return page("played.html", played=line, told=told, game=game, notice=notice())


def _game_of_turn(word: str) -> Game:
    """The game of a link; from here on its seat's language is spoken."""
    game, seat, _ = open_turn(word)
    _speak_to(game, seat)
    return game


def _speak_to(game: Game, seat: Seat) -> None:
    _speak_to_player(game.seats[seat]["player_id"])


def _speak_to_player(player_id: UUID | None) -> None:
    if player_id is not None:
        speak(profile(player_id)["locale"])


def _turn_page(
    word: str, line: str, ask: bool = False, wrong: str | None = None, status: int = 422, **played: Any
) -> Response:
    """The turn, or what is left of it when a part was played; `status` is for what is `wrong`."""
    word = rest_of_turn(word) or word
    game, seat, is_open = open_turn(word)
    if not is_open:
        return _not_now(game, seat, word, 409 if wrong else 410)
    rules, state, view, locale = game.table.rules, game.table.state, view_of(game, seat), spoken().locale
    moves = [rules.write_move(move) for move in rules.legal_moves(state, seat)]
    return page(
        "turn.html",
        status if wrong else 200,
        word=word,
        is_mid_turn=rules.is_mid_turn(state, seat),
        notation=notation(rules.NAME, locale),
        example=rules.describe()["notation"]["examples"][-1]["text"],
        title=game.head["title"],
        rules=rules.NAME.capitalize(),
        table=text.table(rules.NAME, view, game.names, locale),
        picture=_picture(draw(rules.NAME, view, game.names, dark=False, locale=locale).svg()),
        dark_picture=_picture(draw(rules.NAME, view, game.names, locale=locale).svg()),
        due_at=game.seats[seat]["due_at"],
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
        "It can be taken back at once while nobody else has moved and it has shown you nothing new, and later only if all "
        "who play agree."
    ),
    "free": noted("It can be taken back only while nobody else has moved and it has shown you nothing new."),
    "never": noted("It cannot be taken back."),
}


def _picture(svg: str) -> str:
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


def _due(seat: Json) -> str:
    """When this seat is due, on the clocks of its player; "" if no time runs."""
    if seat["due_at"] is None:
        return ""
    return moment(seat["due_at"], time_zone(profile(seat["player_id"])["zone"]), spoken())


def _by_beginning(lines: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Moves, each with its last words, by the words before them, so that hundreds of moves are a few lines to tap on."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        words = line.split(" ")
        shared = min(len(words) - 1, _BEGINNING)
        found.setdefault(" ".join(words[:shared]), []).append((line, " ".join(words[shared:])))
    return found


def _not_now(game: Game, seat: Seat, word: str, status: int) -> Response:
    """Why the turn of a link is not open: for good, or for now."""
    if game.table.status in OVER:
        return page(
            "message.html", status, title=gettext("This turn is over"), text=gettext("The game is over."), game=game
        )
    if game.table.status == "paused":
        text = gettext("All who play agreed to a pause. This link works again when the game goes on.")
        return page("message.html", 409, title=gettext("The game rests"), text=text, game=game)
    if bot := game.table.stand_ins[seat]:
        text = gettext(
            "The bot %(bot)s keeps your seat. The mail that told you so has a link to take it back.", bot=bot
        )
        return page("message.html", 409, title=gettext("A bot plays for you"), text=text, game=game)
    if is_undone(word):
        text = gettext("A move was taken back, and with it this turn. A mail tells you when it is your turn again.")
    else:
        text = gettext("It has been answered, or time ran out. A mail tells you when it is your turn again.")
    return page("message.html", status, title=gettext("This turn is over"), text=text, game=game)


# Invitations and signing in


@blp.get("/i/<word>")
def invited(word: str) -> Response:
    """What game one is invited to, and a button; looking changes nothing."""
    game, seat = invitation(word)
    kept = is_kept(game, word)
    if game.head["private"] and not kept:
        raise SeatTaken("No seat is kept for you here any more.")
    is_new = kept and is_newcomer(game, word)
    response = page("invitation.html", game=game, seat=seat, kept=kept, is_new=is_new, word=word)
    response.headers["Referrer-Policy"] = "same-origin"  # without it, older browsers do not say whose form they send
    return response


@blp.post("/i/<word>")
def accept(word: str) -> Response:
    """Take the seat that is kept for the invited address, and sign in: once, since the seat is taken afterwards.

    Not for the form of a page elsewhere, whose sender might have somebody play under his own name.
    """
    if is_from_elsewhere():
        raise NotFound("There is nothing here.")
    game, token = enter_by_invitation(word, spoken().locale, request.form.get("name", ""))
    plain = url_for("pages.invited", word=word)
    return on_the_page(plain, token=token.text, address=f"#/games/{game.game_id}")


@blp.get("/s/<word>")
def asked_to_stand_in(word: str) -> Response:
    """In which game one is asked to stand in, from when until when, and a button; looking changes nothing."""
    game, asked = asked_by_word(word)
    if game.head["private"] and asked is None:
        raise NotFound("There is nothing here.")
    about: Json = {"is_new": False}
    if asked is not None:
        _speak_to_player(asked.player_id or player_at(str(asked.email)))
        zone = time_zone(profile(asked.asked_by)["zone"])
        begin, end = (moment(at, zone, spoken()) for at in (asked.from_at, last_minute(asked.until_at)))
        about = {"begin": begin, "end": end, "is_new": is_stranger(asked)}
    response = page("stand-in.html", game=game, asked=asked, word=word, **about)
    response.headers["Referrer-Policy"] = "same-origin"  # as an invitation's
    return response


@blp.post("/s/<word>")
def stand_in(word: str) -> Response:
    """Accept, as the one to whom it was mailed, and sign in: once. Not for the form of a page elsewhere."""
    if is_from_elsewhere():
        raise NotFound("There is nothing here.")
    game, token = enter_as_stand_in(word, spoken().locale, request.form.get("name", ""))
    plain = url_for("pages.asked_to_stand_in", word=word)
    return on_the_page(plain, token=token.text, address=f"#/games/{game.game_id}")


@blp.get("/back/<word>")
def returning(word: str) -> Response:
    """A button for somebody whose seat a bot keeps; looking changes nothing."""
    game, seat = seats.returning(word)
    _speak_to(game, seat)
    absent = game.table.status in ("running", "paused") and game.table.stand_ins[seat] is not None
    return page("returning.html", game=game, absent=absent)


@blp.post("/back/<word>")
def back(word: str) -> Response:
    """Take the seat back from the bot."""
    _speak_to(*seats.returning(word))
    game = come_back(word)
    text = gettext(
        "You play %(title)s yourself again. A mail tells you when it is your turn.", title=game.head["title"]
    )
    return page("message.html", title=gettext("You are back"), text=text, game=game)


@blp.get("/ready/<word>")
def ready_or_not(word: str) -> Response:
    """A button for somebody who is asked whether he is ready; looking changes nothing."""
    game, seat = seats.asked_by(word)
    _speak_to(game, seat)
    return page("ready.html", game=game, asked=seats.is_asked(game, seat), salt=game.seats[seat]["salt_hash"])


@blp.post("/ready/<word>")
def said_ready(word: str) -> Response:
    """Say so for him; a salt is revealed at the table only."""
    game, seat = seats.asked_by(word)
    _speak_to(game, seat)
    if not game.table.turns:
        game = seats.ready(game.game_id, game.seats[seat]["player_id"])
    begun = gettext("The game has begun.")
    text = begun if game.table.turns else gettext("You are ready; the game begins as soon as all who play are.")
    return page("message.html", title=gettext("You are ready"), text=text, game=game)


# Apps


@blp.get("/app/<word>")
def app_to_end(word: str) -> Response:
    """A button that ends an app, of which a mail has told; looking changes nothing."""
    player_id, _, name = app_of_link(word)
    speak(profile(player_id)["locale"])
    return page("app-to-end.html", name=name)


@blp.post("/app/<word>")
def ended_app(word: str) -> Response:
    """End it, if that has not been done."""
    player_id, app_id, name = app_of_link(word)
    speak(profile(player_id)["locale"])
    if name is not None:
        end_app(player_id, app_id)
    return page("app-to-end.html", name=None)


# Fewer mails


@blp.get("/stop/<word>")
def stopping(word: str) -> Response:
    """What of the mails can be stopped, with a button for each; looking changes nothing."""
    return _stop_page(word, noted("Fewer mails"))


@blp.post("/stop/<word>")
def stop(word: str) -> Response:
    """Stop them, or send them again. A mail program comes here by itself, with one click of its reader (RFC 8058)."""
    again = request.form.get("again") == "yes"
    stop_mails(word, request.form.get("what"), again)
    return _stop_page(word, noted("They come again") if again else noted("It is done"))


def _stop_page(word: str, title: str) -> Response:
    it = stopped(word)
    if it.locale:
        speak(it.locale)
    return page("stop.html", title=gettext(title), it=it, letters=gettext(_LETTERS[it.kind]))


_LETTERS = {
    "your-turn": noted("letters that tell you that it is your turn"),
    "reminder": noted("reminders that your time runs out"),
    "time-extended": noted("letters that tell you that your time was extended"),
    "bot-moved": noted("letters that tell you that a bot played a turn for you"),
    "seat-handed-over": noted("letters that tell you that a bot has your seat"),
    "game-ended": noted("letters that tell you that a game is over"),
    "game-paused": noted("letters that tell you that a game rests"),
    "take-back-asked": noted("letters that ask whether you agree that a move is taken back"),
    "move-taken-back": noted("letters that tell you that your turn is gone, since a move was taken back"),
    "game-abandoned": noted("letters that tell you that a game has ended without a result"),
    "game-closing": noted("letters that tell you that a game of yours will close because seats are free"),
    "sent-away": noted("letters that tell you that a host has taken your seat from you"),
    "ready-asked": noted("letters that ask whether you are ready for a game to begin"),
    "not-ready": noted("letters that tell you that a game does not begin, since not everybody was ready"),
    "stand-in": noted("letters that tell you that somebody stands in for you, or you for somebody"),
    "seat-taken-over": noted("letters that tell you that somebody has taken over a seat of yours"),
    "invitation": noted("invitations"),
    "bundle": noted("mails with all games that wait for you"),
}


@blp.get("/sign-in/<uuid:sign_in>")
def sign_in(sign_in: UUID) -> Response:
    """The page, which asks for the mailed code: the link holds no secret, since programs that scan mails follow links."""
    return on_the_page(url_for("pages.plain_sign_in", sign_in=sign_in))


@blp.get("/sign-in/<uuid:sign_in>/plain")
def plain_sign_in(sign_in: UUID) -> Response:
    """Asks for the code, too, for a token."""
    return page("sign-in.html", sign_in=sign_in)


@blp.post("/sign-in/<uuid:sign_in>")
def signed_in(sign_in: UUID) -> Response:
    """A token for programs, shown once."""
    try:
        token = redeem(sign_in, request.form.get("code", "").strip()).text
    except WrongCode as error:
        return page("sign-in.html", 401, sign_in=sign_in, wrong=said(error))
    except TooMany as error:
        answer = page("sign-in.html", 429, sign_in=sign_in, wrong=said(error))
        answer.headers["Retry-After"] = str(error.retry_after)
        return answer
    return page("signed-in.html", token=token, base_url=current_app.config["BASE_URL"])
