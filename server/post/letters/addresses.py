"""The envelope of an email: its language, the addresses for replies and bounces, and the unsubscribe link."""

from uuid import UUID

from server.accounts.bounces import bounce_token, invitation_bounce_token
from server.accounts.notice_kinds import ANSWER, DESK_WELCOME, INVITATION, MESSAGE, NOTICE_KINDS, SIGN_IN_CODE, Until
from server.accounts.players import player_at, stored_locale
from server.accounts.signed_links import mark_of
from server.accounts.unsubscribe import stop_token
from server.play.game import Game
from server.play.mail.mail_in import reply_word, rsvp_word, turn_before
from server.play.nameless import is_nameless
from server.post.desk.addresses import Offered, asked_word, mailbox_hash, player_word, stranger_word
from server.post.desk.commands import RULES
from server.post.letters.games import GameClosing
from server.post.letters.seats import Invitation, Rsvp, StandInAsked
from server.post.wording import Letter, spoken
from server.store.tables import LetterRow, Player, PlayerLetterRow, SignIn, db


def reply_address(words: Letter, row: LetterRow, game: Game, domain: str) -> str | None:
    """Return the address for replies to an email about a game, or None if the email expects no reply."""
    if row.player_id is None:
        if isinstance(words, Rsvp) and words.is_accepted and (player_id := player_at(row.data["to"])):
            return f"{player_word(player_id, row.data['to'])}@{domain}"
        may_return = isinstance(words, Rsvp) and words.played == "no" and "stand_in" not in row.data
        waits = isinstance(words, Invitation | StandInAsked) or may_return or (isinstance(words, Rsvp) and words.again)
        mark = row.data.get("stand_in", mark_of(row.data["to"]))
        return f"{rsvp_word(row.game_id, row.seat, mark)}@{domain}" if waits else None
    if game.seat_of(row.player_id) != row.seat:
        return None
    if isinstance(words, GameClosing):
        host = db.session.get_one(Player, row.player_id)
        return f"{player_word(host.player_id, host.email)}@{domain}"
    kind, turn = NOTICE_KINDS[row.kind], row.data.get("turn", row.version)
    if not game.table.turns:
        if not (kind in (ANSWER, MESSAGE) or kind.is_about_turn or kind.until is Until.READY):
            return None
        turn = turn_before(row.player_id)
    elif kind is MESSAGE:  # it waits, and another turn may have begun
        turn = game.table.turns[row.seat] or row.version
    return turn_address(row, turn, domain)


def desk_address(row: PlayerLetterRow, to: str, domain: str) -> str | None:
    """Return the reply address for a bundle, or for an email that the post desk sends to `to`. Return None for the last
    email to a deleted account, since a reply would create a new account."""
    if row.kind == DESK_WELCOME.name:
        lines = (f"{command} {rest}" for command, rest in row.data.get("wishes", ()) if command != RULES)
        settings = (f"{name} {value}" for name, value in row.data.get("settings", ()))
        offered = Offered(
            spoken().locale, tuple(lines), tuple(settings), row.data.get("all", False), row.data.get("cut", False)
        )
        return f"{stranger_word(to, offered)}@{domain}"
    if "to" in row.data:
        return None
    if table := row.data.get("table"):
        game_id, seat, turn = table
        return f"{reply_word(UUID(game_id), seat, turn)}@{domain}"
    asked_in = row.data.get("asked_in")
    return f"{asked_word(UUID(asked_in), to) if asked_in else player_word(row.player_id, to)}@{domain}"


def turn_address(row: LetterRow, turn: int, domain: str) -> str:
    """Return the address to which replies that play this turn are sent."""
    return f"{reply_word(row.game_id, row.seat, turn)}@{domain}"


def return_address(row: LetterRow | PlayerLetterRow, player: Player | None, domain: str) -> str | None:
    """Return the address for bounces and complaints. Return None for emails to an address without an account, unless
    they come from the post desk."""
    if player is not None:
        return f"{bounce_token(player.player_id, row.letter_id)}@{domain}"
    if isinstance(row, LetterRow):
        return f"{invitation_bounce_token(row.game_id, row.seat, row.data['to'])}@{domain}"
    if row.kind == DESK_WELCOME.name:
        return f"{bounce_token(UUID(bytes=mailbox_hash(row.data['to'])), row.letter_id)}@{domain}"
    return None


def stop_link(row: LetterRow | PlayerLetterRow, to: str, base_url: str, is_of_several: bool) -> str:
    """Return the link with which readers unsubscribe from this kind of email or from this game. Return "" for emails
    that are always sent."""
    kind = NOTICE_KINDS[row.kind]
    if not kind.stop:
        return ""
    if kind is INVITATION:
        word = stop_token(kind.name, to)
    else:
        game_id = row.game_id if isinstance(row, LetterRow) and not is_of_several and kind.stops_game else None
        word = stop_token(kind.name, str(row.player_id), game_id)
    return f"{base_url}/stop/{word}"


def locale_of(row: LetterRow | PlayerLetterRow, player: Player | None, game: Game | None) -> str:
    """Return the language of an email's reader. Without an account, it is that of the sign-in or of the host."""
    if "locale" in row.data:
        return stored_locale(row.data["locale"])
    if player is None and row.kind == SIGN_IN_CODE.name:
        sign_in = db.session.get(SignIn, UUID(row.data["sign_in"]))
        return stored_locale(sign_in.locale) if sign_in else "en"
    if player is None and game and is_nameless(game.head.options):
        return "en"  # the host's language would reveal something about the host
    if player is None:
        player = db.session.get(Player, UUID(row.data["by"]))
    return stored_locale(player.locale) if player else "en"
