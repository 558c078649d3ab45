"""Processing emails to the post desk, one at a time: who wrote the email, whether the sender is proved, and our reply.

Anyone can send an email to the public address with any sender, so it proves nothing and changes nothing. An address
without an account gets at most one reply to such emails per day, and a player a few, until they reply to one of ours. A
reply to a signed address takes effect immediately if it comes from the address to which we wrote. Programs, bounces and mailing lists get no reply (RFC 3834).
"""

import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import timedelta
from itertools import chain
from typing import Any
from uuid import UUID

from flask import current_app
from flask_babel import force_locale, gettext, ngettext
from sqlalchemy import delete

from server.accounts.bans import is_welcome
from server.accounts.bounces import mark_reachable
from server.accounts.closing import SIGN_UPS, expect_known_or_open, is_open
from server.accounts.notice_kinds import ANSWER, AT_ONCE, DESK_ANSWER, DESK_WELCOME, YOUR_TURN
from server.accounts.players import player_at, player_of, stored_locale
from server.accounts.preferences import mail_choice
from server.accounts.rate_limits import ALL, Use, count, has_left, keys_of
from server.accounts.signed_links import DESK, Capability, is_mark_of, keyed_hash
from server.accounts.strangers import is_stopped
from server.clock import clock
from server.errors import Closed, NotFound, TooMany
from server.games import GAMES, Json
from server.play.commits import load
from server.play.mail.mail_in import KEPT, open_reply_address
from server.play.mail.postmaster import take_postmaster_mail
from server.play.turns.reviewing import hand_over
from server.post.desk import account, commands, games
from server.post.desk.acting import ASKING, Errand, Records, Said, carry_out, offer, unreadable
from server.post.desk.addresses import (
    For,
    Offered,
    is_desk,
    is_held,
    is_stranger,
    mailbox_hash,
    offered_to_stranger,
    opened,
    player_word,
)
from server.post.desk.commands import BY_NAME, language_of
from server.post.desk.reading import (
    MOST,
    Asked,
    Request,
    first_name_in,
    in_own_words,
    is_for_desk,
    quoted_offers,
    read_request,
    request_of,
    settings_for_new,
    stored,
    unsigned,
    without_commands,
    without_repeats,
)
from server.post.desk.setting_lines import in_words_of_reader, setting_command
from server.post.desk.subjects import command_in_subject, letter_id_for
from server.post.desk.table_moves import help_on, names_moves, pass_on, pass_yes_on
from server.post.desk.wishes import Wish, lines_picked, name_in, naming, wants_all, wish_in, wishes_in
from server.post.general_answers import general_answer
from server.post.incoming import invitations, replies
from server.post.incoming.child import ChildDied, TooMuch, child
from server.post.incoming.commands import stops
from server.post.incoming.doubt import NAMES, is_courtesy, is_question, sentences_in, without_footer
from server.post.incoming.intake import identity
from server.post.incoming.mime import head_and_body
from server.post.mime import fit_id
from server.post.nearest_topics import SURE, nearest_topic
from server.post.table_help import numbered
from server.post.topics import HOW_LONG, INVITING, LATE, MAILS
from server.sanitize import clean, has_link, mailbox_of
from server.store import desk, reviews
from server.store.connections import let_go
from server.store.database_retry import Unavailable, is_outage, is_passing, with_retries
from server.store.outbox import add_to_turn, put_into_bundle
from server.store.tables import DeskMail, Player, RateLimit, db
from server.translations import noted

_ROOMS = account, games  # importing them registers their commands
_LEASE = timedelta(seconds=30)  # exceeding the lease is harmless, since steps are idempotent
_MOST_TRIES = 5  # attempts that ended in a crash
_LATEST_REVIEW = timedelta(hours=6)  # after that, an email explains why a review isn't complete
# This excludes links such as `a@https://evil.example`.
_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+(?![\w/:])")
_LONGEST_SUBJECT = 150
_FEW_WORDS = 6
_NO_PROOF_OF_MOVE = noted(
    "No move was played, since anyone could have sent this email in your name. Send moves as a reply to one of our emails."
)
_ANSWERED_TO_STRANGERS = (
    "online",
    "privacy",
    "operators",
    "levels",
    HOW_LONG,
    LATE,
    MAILS,
)  # topics of their questions
_AUTHENTIC = " authentic"  # ends the subjects of counts
_ONE_OF, _ALL_OF = "one of: ", "all of: "  # begin each line of an offer from which the player can pick

log = logging.getLogger(__name__)


def deal_with_desk(records: Records) -> None:
    """Process every due email to the post desk."""
    while mail := desk.claim(clock.now(), clock.now() + _LEASE):
        try:
            if mail.tries > _MOST_TRIES:
                _set_aside(mail)
            else:
                _deal(mail, records)
        except ChildDied:
            raise
        except TooMuch:
            let_go()
            _set_aside(mail)
        except Exception as error:
            let_go()
            if is_outage(error):
                desk.forget_try(mail)
            if is_passing(error):
                raise
            if isinstance(error, Unavailable):
                log.warning("Mail %s to the post desk is dealt with later: %s", mail.mail_id, error)
                continue
            log.exception("Mail %s to the post desk could not be dealt with", mail.mail_id)
            if mail.tries > 1:  # otherwise the email is due again after the lease, in case the fault was temporary
                _set_aside(mail)


def forget_desk_mails() -> None:
    """Delete emails that were processed long ago. Until then, the server recognizes copies of them."""
    desk.forget(clock.now() - KEPT)


def forward(mail_id: UUID, player_id: UUID | None, raw: bytes, asked: Sequence[Asked], word: str = "") -> None:
    """Pass the commands in a reply to an email about a game on to the post desk. If the sender isn't proved, the reply
    counts as an email to the public address. `word`: the game's reply address for our answer (see `reply_word`)."""
    if player_id is None:
        desk.keep(mail_id, current_app.config["DESK"], raw, clock.now())
    else:
        lines = [stored(it) for it in asked]
        desk.keep(mail_id, word or player_word(player_id, ""), raw, clock.now(), (player_id, lines))


def _set_aside(mail: DeskMail) -> None:
    """Store a faulty email for the operators, unless its sender is unknown, and notify its sender if possible."""
    with suppress(TooMany, NotFound):
        if opened(mail.recipient) is not None:
            take_postmaster_mail(current_app.config["DESK"], str(mail.mail_id), mail.raw, limited=False)
    player = db.session.get(Player, mail.player_id) if mail.player_id else None
    letter = _apology(mail, player) if player and is_welcome(player) else None
    _finish(mail, letter, player if letter else None)


def _apology(mail: DeskMail, player: Player) -> Json | None:
    """Return our reply to a faulty email, or None unless the reader of the signed address wrote it."""
    try:
        read: replies.Mail = child.run(replies.read, mail.raw, player.email)
    except Exception:  # this may be the fault of the email
        log.exception("Mail %s to the post desk gets no reply", mail.mail_id)
        return None
    if not read.is_from(player.email) or read.automatic or read.is_forged:
        return None
    with force_locale(stored_locale(player.locale)):
        told = gettext("Something went wrong on our side. We couldn't process your email.")
    return _letter(
        mail, player.player_id, DESK_ANSWER.name, _data(read, _Answer([Said(told=[told])])) | {"proved": True}
    )


def _deal(mail: DeskMail, records: Records) -> None:
    if mail.lines is not None and mail.player_id is None:
        return _take_leave(mail, records)
    try:
        capability = opened(mail.recipient)
    except NotFound:  # an address of a table, or signed with a secret that has expired
        capability = None
    reader = db.session.get(Player, capability.game_id) if capability and capability.seat == For.PLAYER else None
    read: replies.Mail = child.run(replies.read, mail.raw, reader.email if reader else "")
    sender = (read.sender or "").lower()
    if not sender or read.automatic or _is_of_a_desk(sender):
        return _finish(mail)
    if mail.lines is not None:
        player = db.session.get(Player, mail.player_id)
        return _deal_with_player(Errand(mail, read, player.player_id, records), player) if player else _finish(mail)
    player = _player_at(sender)
    if player is None:
        return _deal_with_stranger(mail, read, records, capability)
    errand = Errand(mail, read, player.player_id, records)
    if capability is None:
        return _answer_unproved(errand, player)
    match capability.seat:
        case For.STRANGER | For.OFFERED if is_stranger(capability, sender) and not read.is_forged:
            return _deal_with_reply_to_offer(errand, player, offered_to_stranger(capability), is_new=False)
        case For.PLAYER if player.player_id == capability.game_id:
            if is_mark_of(sender, capability.number):
                return _deal_with_player(errand, player)
            return _answer_unproved(errand, player)  # we wrote to the player's former address
        case For.ASKED if is_mark_of(sender, capability.number):
            waiting = desk.asked(capability.game_id)
            if waiting is None:
                return _answer_nothing_left(errand, player, capability.game_id)
            if waiting.player_id == player.player_id:
                return _deal_with_player(errand, player, waiting)
    return _finish(mail)  # the reply comes from a different address than our email was sent to


def _player_at(email: str) -> Player | None:
    player_id = player_at(email)
    return db.session.get(Player, player_id, populate_existing=True) if player_id else None


def _is_of_a_desk(sender: str) -> bool:
    """Return whether this is an address of a post desk. The desk replies neither to itself nor to another desk."""
    local, _, domain = sender.partition("@")
    own = (current_app.config["DESK_ADDRESS"] or "").partition("@")[2]
    return domain == own and (is_desk(local.partition("+")[0]) or local == "sternenpost")


# Without proof


def _deal_with_stranger(mail: DeskMail, read: replies.Mail, records: Records, capability: Capability | None) -> None:
    """Process an email from an address without an account. A reply to our first email creates one."""
    if capability is None:
        return _welcome(mail, read)
    if (
        capability.seat not in (For.STRANGER, For.OFFERED)
        or read.is_forged
        or not is_stranger(capability, read.sender or "")
    ):
        return _finish(mail)
    if _only_stops(read):
        return _confirm_stop(mail, read, offered_to_stranger(capability).locale, _Answer([]))
    if read.written_before(clock.now() - KEPT):  # a copy may outlive a deleted account
        return _welcome(mail, read)
    offered = offered_to_stranger(capability)
    if player := _new_player(mail, read, offered.locale):
        errand = Errand(mail, read, player.player_id, records)
        _deal_with_reply_to_offer(errand, player, offered, is_new=True)
    return None


def _deal_with_reply_to_offer(errand: Errand, player: Player, offered: Offered, is_new: bool) -> None:
    """Process a reply to our first email. The lines that it agrees to or picks replace its own, in the player's
    language."""
    own = [BY_NAME[it.partition(" ")[0]].written(stored_locale(player.locale), it) for it in offered.lines]
    agrees = invitations.agrees_to_several(errand.read, offered.locale)
    rest = replace(
        offered,
        lines=offered.lines if is_new and agrees and len(own) > 1 and not offered.is_all else (),
        is_cut=offered.is_cut and agrees,
    )
    read = invitations.with_offer(errand.read, offered.locale, own, offered.is_all)
    _deal_with_player(replace(errand, read=read), player, is_new=is_new, offered=rest)


def _welcome(mail: DeskMail, read: replies.Mail) -> None:
    """Send the one email that an address without an account gets. It quotes nothing from the inbound email.

    If the sender is forged, nothing is sent. Otherwise, forgers could use up the number of first emails that a domain
    may get.
    """
    if read.is_forged:
        return _finish(mail)
    locale = language_of(read.lines, read.subject, head_and_body(mail.raw)[0].first("content-language"))
    if _only_stops(read):
        return _confirm_stop(mail, read, locale)
    request = _request(mail, read, locale)
    asked = [wish_in(it.command, it.rest) for it in request.asked] if request.is_clear else [*request.wishes]
    if not (request.is_clear or request.outright) and _asks_how_to_invite(read.lines):
        asked = [*wishes_in([*read.lines, commands.AN_ADDRESS], is_near=False)]
    wishes = [it for it in asked if it and it.command != commands.SET]
    is_asked = bool(wishes) and (request.is_clear or request.outright != ())
    text = " ".join(read.lines)
    if all(it.command == commands.RULES for it in wishes):
        wishes += [Wish(commands.PLAY, game) for game in GAMES]
    settings = dict(it for sentence in sentences_in(read.lines) for it in settings_for_new(sentence)).items()
    lost = [it for it in settings if not is_held(setting_command(*it))]
    more: dict[str, Any] = {
        "all": len(wishes) > 1 and wants_all(text),
        "settings": [it for it in settings if it not in lost],
        "lost": lost,
        "cut": bool(lost) or not all(is_held(it.asked) for it in wishes if it.command != commands.RULES),
        "named": any(it.command == commands.SET for it in request.wishes) or name_in(text) != "",
    }
    closed = "" if is_open(SIGN_UPS) else SIGN_UPS
    asks = dict.fromkeys(map(nearest_topic, filter(is_question, sentences_in(read.lines))))
    with force_locale(locale):
        told = [it for topic in asks if topic in _ANSWERED_TO_STRANGERS for it in general_answer(topic).told]
    return _finish_with_welcome(mail, read, locale, closed, wishes=wishes, asked=is_asked, told=told, **more)


def _only_stops(read: replies.Mail) -> bool:
    """Return whether an email only asks, perhaps above a name, that we write no further emails."""
    lines = [it for line in without_footer(read.lines) if (it := line.strip()) and not is_courtesy(it)]
    own = lines if any(map(str.strip, read.lines)) else [read.subject]
    return (
        own != [] and stops(own[0]) and (len(own) == 1 or (len(own) == 2 and re.fullmatch(NAMES, own[1]) is not None))
    )


def _confirm_stop(mail: DeskMail, read: replies.Mail, of_letter: str, answer: "_Answer | None" = None) -> None:
    """Confirm that an address without an account gets no further emails. `answer`: given if the sender is proved, whom
    we may have written to today."""
    locale = language_of(read.lines, "", otherwise=of_letter)
    _finish_with_welcome(mail, read, locale, "", answer, stops=True)


def _finish_with_welcome(
    mail: DeskMail, read: replies.Mail, locale: str, closed: str, answer: "_Answer | None" = None, **more: object
) -> None:
    sender = (read.sender or "").lower()
    data = {"to": sender, "locale": locale, "closed": closed, "answers": "", **more}
    letter = _letter(mail, mail.mail_id, DESK_WELCOME.name, data)
    _finish(mail, letter, answer=answer, unproved=_letters_to(read, sender))


def _answer_unproved(errand: Errand, player: Player) -> None:
    """Reply to commands that anyone may send, and ask the player to confirm the others.

    Someone else may have written the email. So our reply repeats neither lines without commands nor lines with a link.
    If the sender is forged, no reply is sent.
    """
    mail, read = errand.mail, errand.read
    uses = _letters_to(read, player.email)
    may_answer = all(map(has_left, uses if has_left(uses[0]) else [_further(uses)]))
    if not is_welcome(player) or read.is_forged or not may_answer:
        return _finish(mail)
    locale = stored_locale(player.locale)
    request = _request(mail, read, locale)
    if any(it.command == commands.SET for it in request.outright):
        request = request.with_outright_wish()
    own = (
        it
        for it in request.asked
        if not has_link(_ADDRESS.sub("", it.line)) and (it.command or stops(it.line) or _has_answer(it.line))
    )
    asked = without_repeats([*own])
    wishes = [] if asked else [it for it in request.wishes if it.command != commands.SET]
    asked = [replace(part, near="") for it in asked for part in _apart(it)]  # a misspelt command would be repeated
    is_move = names_moves(read)
    if not (asked or wishes or is_move):
        asked = [Asked(request.prose if _has_answer(request.prose) else "", "")]
    with force_locale(locale):
        refused = {it: refusal for it in asked if (refusal := unreadable(it))}
        at_once = [it for it in asked if it in refused or it.command in ("", *commands.AT_ONCE)]
        said = [offer(wishes)] if wishes else [refused.get(it) or _said_unproved(errand, it) for it in at_once]
        if is_move:
            said.append(Said(told=[gettext(_NO_PROOF_OF_MOVE)]))
    # the question mark makes a final command ask once more, with its consequences
    waiting = (it for it in asked if it not in at_once)
    waits = [stored(replace(it, is_question=it.command in ASKING)) for it in waiting]
    answer = _Answer(said, is_cut=request.is_cut, waits=waits)
    return _finish(mail, _letter_to(errand, answer, is_proved=False), player, answer, unproved=uses)


# With proof


@with_retries
def _new_player(mail: DeskMail, read: replies.Mail, of_letter: str) -> Player | None:
    """Create an account for an address that has replied to our first email, whose language was `of_letter`. Return None
    while sign-ups are closed."""
    sender = (read.sender or "").lower()
    locale = language_of(read.lines, "", otherwise=of_letter)  # the language of our email outweighs the mail program's
    try:
        expect_known_or_open(sender)
    except Closed:
        _finish_with_welcome(mail, read, locale, SIGN_UPS)
        return None
    player_of(sender, locale, likely_name=first_name_in(read))
    db.session.commit()
    return _player_at(sender)


def _deal_with_player(
    errand: Errand,
    player: Player,
    waiting: DeskMail | None = None,
    is_new: bool = False,
    offered: Offered | None = None,
) -> None:
    """Carry out the commands of a player who has proved their address. `offered`: what our first email offers to a new
    player beside the lines that they agree to, with the lines of which they didn't pick one."""
    if not is_welcome(player):
        return _finish(errand.mail)
    with force_locale(stored_locale(player.locale)):
        if errand.read.is_forged:
            return _refuse_forged(errand, player)
        _note_proof(player)
        named = f"{errand.read.named} {player.name}"
        read = replace(unsigned(errand.read, player.name, stored_locale(player.locale)), named=named)
        # an earlier attempt may have created the account
        is_new = is_new or (errand.is_again and player.made_at >= errand.mail.arrived_at)
        return _carry_out(replace(errand, read=read), player, waiting, is_new, offered or Offered(""))


def _carry_out(errand: Errand, player: Player, waiting: DeskMail | None, is_new: bool, offered: Offered) -> None:
    mail, read, locale = errand.mail, errand.read, stored_locale(player.locale)
    request = _request(mail, read, locale)
    confirmed = request_of(waiting.lines or ()).asked if waiting else ()
    is_final = any(it.command in ASKING for it in confirmed)  # then any text beside the `yes` may take it back
    if request.says_yes and is_final and not request.is_alone:
        request = replace(request, says_yes=False, is_unsure=True)
    choice = _choice_in(waiting)
    picked = lines_picked(choice, read.lines) if choice else ()
    if (
        waiting
        and any(it.startswith(_ALL_OF) for it in waiting.lines or ())
        and invitations.agrees_to_start(read, locale)
    ):
        picked = choice
    if picked:
        confirmed, request = request_of(picked).asked, Request((), says_yes=True)
    elif waiting and not (request.says_yes or is_final) and invitations.agrees(read, locale):
        named = tuple(it for it in request.wishes if it.command == commands.SET)
        request = Request((), says_yes=True, wishes=named)
    answers = request.says_yes or request.says_no
    decides, has_commands = waiting is not None and answers, any(it.command for it in request.asked)
    acts = decides or request.is_unsure or request.outright or has_commands
    if acts and not _reserve(mail, player.player_id):
        if not decides:
            return _finish(mail)
        request = replace(request, asked=())  # one `yes` may confirm the commands of several emails
    if waiting is None and mail.lines is None and not (is_new or has_commands):
        pass_question_or_yes = pass_yes_on if request.says_yes else help_on
        told = pass_question_or_yes(errand, games.running_games(errand)[0])
        if told is not None:
            answer = _Answer(told)
            return _finish(mail, _letter_to(errand, answer) if told else None, player, answer)
    is_at_table = _seat_of(mail) is not None
    email, answer = player.email, _Answer([], is_new=is_new, is_cut=request.is_cut, is_at_table=is_at_table)
    if waiting and choice and not picked and (request.says_yes or request.is_unsure):
        answer.said.append(_offered(choice))
        answer.asks_again = waiting.mail_id
    elif waiting and request.says_yes:
        _carry_out_all(replace(errand, confirmed=waiting), confirmed, answer)
        answer.confirmed = waiting.mail_id
    elif waiting and request.is_unsure:
        answer.waits += waiting.lines or ()
        answer.asks_again = waiting.mail_id
        told = gettext("Your email says yes, but the rest of it contradicts or questions that. So we're asking again.")
        answer.said.append(Said(told=[told]))
    elif waiting and request.says_no:
        answer.confirmed = waiting.mail_id
        answer.said.append(Said(told=[gettext("OK, nothing has changed.")]))
    answer.text = _text_of(read, request)
    asks = any(it.is_question and _has_answer(f"{it.line}?") for it in request.asked)
    answer.has_command = request.is_clear or asks or any(it.command or it.near for it in request.asked)
    is_for_tables = bool(request.asked or request.prose) and not answers
    if is_for_tables and mail.lines is None and not is_new:
        for_table = replace(errand, read=child.run(without_commands, read, locale)) if has_commands else errand
        passed = pass_on(for_table, *games.running_games(errand), has_commands)
        if passed == [] and not has_commands:
            return _finish(mail, None, player)  # the table replies
        answer.said += passed or []
        if passed and not has_commands:
            letter = _letter_to(errand, answer)
            letter["data"]["beside"] = True  # the tables' replies to the same email can be sent together with it
            return _finish(mail, letter, player, answer)
        if passed is not None:
            request = replace(request, asked=tuple(it for it in request.asked if it.command))
    request = request.with_outright_wish()
    if is_new:
        _carry_out_all(errand, [Asked("", commands.SET, it) for it in offered.settings], answer)
        invited = child.run(quoted_offers, mail.raw, locale) if offered.is_cut else ()
        if invited:
            told = gettext(
                "Please confirm once more, since we'll email another person. If anything else from our first email is "
                "missing, copy it into your reply."
            )
            answer.said.append(Said(told=[told]))
        elif offered.is_cut:
            told = gettext("We couldn't do every line of our first email. Please copy the rest into your reply.")
            answer.said.append(Said(told=[told]))
    if not answer.has_gone:
        answer.is_unclear = not (answer.is_new or answer.confirmed or request.is_clear or asks)
        asked = _asked_in(request, answer)
        if not has_left(Use("desk-answers", player.player_id)) and not _uses_of_new(player, answer):
            asked = [it for it in asked if it.writes]  # the reply with the other results won't be sent
        _carry_out_all(replace(errand, is_doubted=request.is_doubted), asked, answer)
        if is_new:
            unpicked = (wish_in(command, rest) for command, _, rest in (it.partition(" ") for it in offered.lines))
            answer.wishes = [*filter(None, unpicked), *invited] or request.wishes
        elif request.wishes:
            line = "" if answers or any(it.line == request.prose for it in asked) else request.prose
            is_all = wants_all(" ".join(read.lines)) or len(request.wishes) == 1
            answer.said.append(replace(offer(request.wishes, request.settings, is_all), line=line))
    if answer.has_gone:
        _begin_leaving(mail, {"to": email, "locale": locale, **_data(read, _Answer(answer.said))}, errand.player_id)
        return _take_leave(mail, errand.records)
    player = db.session.get_one(Player, player.player_id, populate_existing=True)
    letter = _letter_to(errand, answer)
    if (seat := _seat_of(mail)) and not answer.waits:
        with force_locale(stored_locale(player.locale)):
            letter["data"] |= _at_table(seat, player.player_id, request, answer)
        letter["letter_id"] = letter_id_for(letter["data"]["subject"])
    return _finish(mail, letter, player, answer)


def _choice_in(waiting: DeskMail | None) -> list[str]:
    """Return the lines of which our email asked the player to pick one, or []."""
    lines = (waiting.lines or ()) if waiting else ()
    return [line.removeprefix(_ONE_OF).removeprefix(_ALL_OF) for line in lines if line.startswith((_ONE_OF, _ALL_OF))]


def _offered(lines: Sequence[str]) -> Said:
    told = ngettext("Reply with this line:", "Reply with the line that you want:", len(lines))
    return Said(told=[told], items=list(map(in_words_of_reader, lines)), offers=list(lines))


def _seat_of(mail: DeskMail) -> Capability | None:
    """Return the seat and turn of the game's email to which this is a reply, or None."""
    try:
        return open_reply_address(mail.recipient)
    except NotFound:
        return None


def _at_table(seat: Capability, player_id: UUID, request: Request, answer: "_Answer") -> Json:
    """Return the subjects of our answer to a reply to an email about a game, and of a later review. If the answer is about this game, also
    return the seat and turn to which further replies go."""
    number = desk.numbers(player_id, [seat.game_id])[seat.game_id]
    game = load(seat.game_id)
    about = (commands.RULES, commands.HELP, *(commands.OF_THIS_GAME if game.table.status == "running" else ()))
    is_about = any(it.command in about and it.rest == str(number) for it in request.asked)
    news, later = gettext(ANSWER.headline), gettext("Your review")
    if answer.said and all(it.rules for it in answer.said):
        news = gettext("The rules")
    elif request.asked and all(it.command == commands.REVIEW for it in request.asked):
        news = gettext("We're reviewing your moves") if any(it.review for it in answer.said) else later
    subject, subject_of_review = (
        numbered(
            clean(gettext("%(news)s: %(title)s", news=it, title=game.head.title), _LONGEST_SUBJECT), game, player_id
        )
        for it in (news, later)
    )
    seat_of_answer = [str(seat.game_id), seat.seat, seat.number] if is_about else []
    return {"subject": subject, "subject_of_review": subject_of_review, "table": seat_of_answer}


def _asked_in(request: Request, answer: "_Answer") -> Sequence[Asked]:
    if answer.is_new:  # the welcome letter answers other sentences
        return [it for it in request.asked if it.command or it.near or is_for_desk(it.line) or _has_answer(it.line)]
    if request.asked or request.wishes or answer.confirmed or answer.asks_again:
        return list(chain.from_iterable(map(_apart, request.asked)))
    return [Asked(request.prose, "")]


def _apart(asked: Asked) -> list[Asked]:
    """Return each question of a line with several, so that each gets an answer of its own."""
    questions = list(filter(is_question, sentences_in([f"{asked.line}?" if asked.is_question else asked.line])))
    is_plain = asked.command or asked.near or len(questions) < 2
    return [asked] if is_plain else [replace(asked, line=it.removesuffix("?"), is_question=True) for it in questions]


def _has_answer(line: str) -> bool:
    return is_for_desk(line) or any(map(nearest_topic, sentences_in([line])))


def _request(mail: DeskMail, read: replies.Mail, locale: str) -> Request:
    if mail.lines is not None:
        written = (*read.lines, *(read.beside or ()))
        return child.run(in_own_words, request_of(mail.lines, MOST), written, locale)
    request: Request = child.run(read_request, replace(read, subject=command_in_subject(read)), locale)
    if request.wishes and not request.outright and _asks_how_to_invite(read.lines):
        return replace(request, wishes=tuple(it for it in request.wishes if it.command == commands.SET))
    return request


def _asks_how_to_invite(lines: Sequence[str]) -> bool:
    """Return whether an email is about playing with friends, but doesn't name their addresses."""
    is_addressed = any("@" in line for line in lines)
    return not is_addressed and any(nearest_topic(it, SURE) == INVITING for it in sentences_in(lines))


def _text_of(read: replies.Mail, request: Request) -> str:
    """Return what identifies an email that a program sends again and again. Such programs count their emails. They don't
    misspell our commands in a few words."""
    text = " ".join(read.lines or [read.subject]).lower()
    is_misspelt = bool(request.asked) and all(it.near for it in request.asked) and len(text.split()) <= _FEW_WORDS
    return text if request.is_clear or is_misspelt else re.sub(r"\d+", "", text)


def _refuse_forged(errand: Errand, player: Player) -> None:
    """Notify the player of an email to an address that only they should know, but which their domain disowns."""
    told = [
        gettext("We received an email from your address, but couldn't verify its sender. We didn't act on it."),
        gettext("If you sent it, send it again through your own email provider. If not, you can ignore this."),
    ]
    letter = _letter_to(errand, _Answer([Said(told=told)]), is_proved=False)
    return _finish(errand.mail, letter, player, unproved=_letters_to(errand.read, player.email))


def _carry_out_all(errand: Errand, asked: Sequence[Asked], answer: "_Answer") -> None:
    """Carry out commands in order, each in the player's language at the time."""
    for step, it in enumerate(without_repeats(asked), 1):
        player = db.session.get_one(Player, errand.player_id, populate_existing=True)
        has_attached = any(said.files for said in answer.said)
        with force_locale(stored_locale(player.locale)):
            said = _said(replace(errand, step=step, has_attached=has_attached), it)
        db.session.rollback()  # discard rows read for this command
        answer.said.append(said)
        if said.asks:
            answer.waits.append(said.asks)
        if errand.is_sure and it.canonical == commands.GOODBYE and not it.is_question:
            answer.has_gone = True
            return


def _said(errand: Errand, asked: Asked) -> Said:
    """Carry out a command. If its game is unavailable to this process, others may try before the reply says so."""
    try:
        return carry_out(errand, asked)
    except Unavailable as error:
        if is_passing(error) or errand.mail.tries < _MOST_TRIES:
            raise
        log.warning("Mail %s to the post desk: %s", errand.mail.mail_id, error)
        told = gettext("This game is unavailable at the moment. Please try again later.")
        return Said(line=asked.line, told=[told])


def _said_unproved(errand: Errand, asked: Asked) -> Said:
    """Return the answer to a line that anyone may have written. It repeats a sentence only if it is a known one."""
    said = _said(errand, asked)
    return said if asked.command or stops(asked.line) else replace(said, line="")


def _answer_nothing_left(errand: Errand, player: Player, asked_in: UUID) -> None:
    """Reply to an email whose commands were already carried out, or are too old. The sender is proved if we know to
    whom the email to which they reply was sent."""
    owner = desk.owner_of(asked_in)
    if owner is None:
        return _answer_unproved(errand, player)
    if owner != player.player_id or not is_welcome(player):
        return _finish(errand.mail)
    request = _request(errand.mail, errand.read, stored_locale(player.locale))
    if request.asked or errand.read.is_forged:
        return _deal_with_player(errand, player)
    with force_locale(stored_locale(player.locale)):
        answer = _Answer([Said(told=[gettext("There's nothing left to confirm.")])], is_unclear=True)
    answer.text = _text_of(errand.read, request)
    return _finish(errand.mail, _letter_to(errand, answer), player, answer)


@with_retries
def _reserve(mail: DeskMail, player_id: UUID) -> bool:
    """Return whether the commands of an email are to be carried out for this copy. Other copies exist if the sender
    wrote to several of our addresses."""
    is_ours = _is_ours(mail, player_id)
    db.session.commit()
    return is_ours


def _is_ours(mail: DeskMail, player_id: UUID) -> bool:
    return desk.reserve(player_id, identity(mail.raw), mail.mail_id, clock.now())


@with_retries
def _note_proof(player: Player) -> None:
    """Record that this player receives our emails, and writes from this address."""
    now = clock.now()
    db.session.execute(delete(RateLimit).where(RateLimit.key.in_(_counts_of(player.email))))
    if mark_reachable(player.player_id):
        put_into_bundle(player.player_id, now, now)  # send what was held back while emails didn't reach the player
    db.session.commit()


# Replying


@dataclass
class _Answer:
    said: list[Said]
    is_new: bool = False
    wishes: Sequence[Wish] = ()  # of a new player
    is_cut: bool = False
    text: str = ""  # of the email
    has_command: bool = False  # whether the email contains a command, perhaps misspelt, or a question with an answer
    is_unclear: bool = False  # the email begins with no command; a program that doesn't say so may have written it
    asks_again: UUID | None = None  # the email whose commands still wait for `yes`
    has_gone: bool = False
    waits: list[str] = field(default_factory=list)  # commands that the player must confirm with `yes`
    confirmed: UUID | None = None  # the email whose commands were carried out
    is_at_table: bool = False  # whether the email answers one about a game

    @property
    def begins(self) -> UUID | None:
        """Return the first game of a new player, if nothing in the answer needs an email of its own beside the email
        about their turn."""
        games = [it.begins for it in self.said if it.begins]
        rest = [it for it in self.said if it.items or it.rules or it.table or it.files or it.asks or it.offers]
        is_plain = self.is_new and not (rest or self.wishes or self.waits or self.is_cut)
        return UUID(games[0]) if is_plain and len(games) == 1 else None

    @property
    def offered(self) -> list[str]:
        """Return the command that the answer offers, perhaps with a name for the player beside it, or several commands, each
        marked as one of them."""
        of_new = [] if any(it.command == commands.RULES for it in self.wishes) else [it.asked for it in self.wishes]
        found = [*of_new, *(line for said in self.said for line in said.offers)]
        if self.waits or self.is_at_table:
            return []
        mark = _ALL_OF if self.is_all else _ONE_OF
        return found if len(found) <= 1 else [f"{mark}{line}" for line in found]

    @property
    def is_all(self) -> bool:
        """Return whether a `yes` carries out all offered commands."""
        offering = [it for it in self.said if it.offers]
        lines = [*(it.asked for it in self.wishes), *(line for it in offering for line in it.offers)]
        is_plain = sum(not line.startswith(f"{commands.SET} ") for line in lines) <= 1
        return is_plain or (len(offering) == 1 and not self.wishes and offering[0].is_all)


def _letter_to(errand: Errand, answer: _Answer, is_proved: bool = True) -> Json:
    mail = errand.mail
    offered = answer.offered
    more = {
        "asked_in": str(mail.mail_id) if answer.waits or offered else "",
        "offered": len(offered) if any(it.startswith((_ONE_OF, _ALL_OF)) for it in offered) else min(1, len(offered)),
        "all": any(it.startswith(_ALL_OF) for it in offered),
        "proved": is_proved,
    }
    return _letter(mail, errand.player_id, DESK_ANSWER.name, _data(errand.read, answer, is_proved) | more)


def _data(read: replies.Mail, answer: _Answer, is_proved: bool = True) -> Json:
    return {
        "answers": fit_id(read.message_id),
        "subject": clean(read.subject, _LONGEST_SUBJECT) if is_proved else "",
        "said": [asdict(it) for it in answer.said],
        "new": answer.is_new,
        "wishes": answer.wishes,
        "cut": answer.is_cut,
        "asked": [it.removesuffix("?") for it in answer.waits],
        "asked_in": "",
        "last": False,
    }


def _letter(mail: DeskMail, player_id: UUID, kind: str, data: Json) -> Json:
    now = clock.now()
    return {
        "player_id": player_id,
        "letter_id": letter_id_for(data.get("subject", "")),
        "dedupe": f"desk/{mail.mail_id}/mail",
        "kind": kind,
        "data": data,
        "made_at": now,
        "due_at": now,
        "tries": 0,
    }


@with_retries
def _finish(
    mail: DeskMail,
    letter: Json | None = None,
    player: Player | None = None,
    answer: _Answer | None = None,
    unproved: Sequence[Use] = (),
) -> None:
    """Record that an email has been processed, with its answer unless a limit is reached. The call is idempotent.

    `unproved` is what the answer counts against if its reader hasn't proved themselves.
    """
    db.session.rollback()
    if letter and unproved and not _may_write(unproved, letter, player is not None, answer is not None):
        letter = answer = None
    elif unproved and player and not _is_ours(mail, player.player_id):
        letter = answer = None  # another copy was answered
    elif letter and player and not unproved:
        left = _answers_left(player, answer or _Answer([]))
        letter["data"]["last"] = left == 0
        if left < 0:
            letter = None
            log.warning("Mail %s to the post desk gets no answer: too many", mail.mail_id)
        elif answer and left and answer.begins and _is_told_with_turn(letter, answer, player):
            letter = None
    waits = answer.waits or answer.offered if answer and letter else None
    confirmed = (answer.confirmed or (answer.asks_again if letter else None)) if answer else None
    later = _reviews_of(letter) if letter else []
    desk.finish(mail, letter, player.player_id if player else None, waits or None, confirmed, later)
    db.session.commit()
    for it in later:
        which = it["data"]["said"][0]["review"]
        hand_over(UUID(which["game"]), which["seat"])


def _is_told_with_turn(letter: Json, answer: _Answer, player: Player) -> bool:
    """Let the email about the first turn contain the answer to a new player. Return whether it does."""
    if answer.begins is None or mail_choice(YOUR_TURN.name, player.notifications, None) != AT_ONCE:
        return False
    with force_locale(stored_locale(player.locale)):
        told = [
            gettext("Welcome, %(name)s! You can now play by email alone.", name=player.name),
            *chain(*(it.told for it in answer.said if not it.begins)),
            naming(player),
        ]
    more = {"told": list(filter(None, told)), "answers": letter["data"]["answers"]}
    return add_to_turn(answer.begins, player.player_id, more)


def _reviews_of(letter: Json) -> list[Json]:
    """Return an email for each review in an answer that is still being computed. It waits in the outbox until the review
    is complete."""
    subject = letter["data"].get("subject_of_review", letter["data"].get("subject"))
    return [
        letter
        | {
            "letter_id": letter_id_for(subject),
            "dedupe": reviews.waiting_letter(UUID(said["review"]["game"]), said["review"]["seat"]),
            "due_at": letter["due_at"] + _LATEST_REVIEW,
            "data": letter["data"]
            | {
                "subject": subject,
                "said": [said | {"told": []}],
                "new": False,
                "cut": False,
                "asked": [],
                "asked_in": "",
            },
        }
        for said in letter["data"].get("said", ())
        if said["review"]
    ]


def _uses_of_new(player: Player, answer: _Answer) -> list[Use]:
    """Return the limits that an answer to a new command counts against, as in games, or [] if others apply. A misspelt
    command is one, too."""
    if not (answer.text and answer.has_command):
        return []
    same = keyed_hash(DESK, f"new {player.player_id} {answer.text}").hex()
    uses = [Use("answers-same", same), Use("answers-daily", mailbox_of(player.email.lower()))]
    return uses if all(map(has_left, uses)) else []


def _answers_left(player: Player, answer: _Answer) -> int:
    """Count an answer to a player. Return how many more may follow, below 0 if this one exceeds a limit.

    Programs that don't say so also answer our emails. They repeat themselves, or write no command.
    """
    player_id, is_repeated, found = player.player_id, False, list[int]()
    if answer.text and not answer.confirmed:
        same = _left("desk-same", keyed_hash(DESK, f"{player_id} {answer.text}").hex())
        is_repeated = same < 0
        found += [same] if answer.is_unclear else []
    if uses := _uses_of_new(player, answer):
        return 1 + min(count(*uses).values(), default=0)
    found.append(_left("desk-answers", player_id))
    if answer.is_unclear or is_repeated:
        found.append(_left("desk-unclear", player_id))
    return min(found)


def _left(limit: str, by: object) -> int:
    return min(count(Use(limit, by)).values(), default=1)


def _letters_to(read: replies.Mail, email: str) -> list[Use]:
    """Return what a letter to a reader without proof counts against, by hashes.

    Members and strangers count alike, since a difference would reveal who is a member. Emails that their sender's
    domain vouches for count apart, so that no forger can use up the letters.
    """
    kind = _AUTHENTIC if read.is_authentic else ""
    domain = keyed_hash(DESK, email.partition("@")[2]).hex()
    return [
        Use("desk-letters", f"{mailbox_hash(email).hex()}{kind}"),
        Use("desk-letters-domain", f"{domain}{kind}"),
        Use("desk-letters-in-all", f"{ALL}{kind}"),
    ]


def _further(uses: Sequence[Use]) -> Use:
    """Return what a player's letters count against after the first of a day: only their own address, so that the counts
    of a domain don't reveal who is a player."""
    return uses[0]._replace(bound="desk-letters-further")


def _may_write(uses: Sequence[Use], letter: Json, is_known: bool, is_answer: bool) -> bool:
    """Count a letter to a reader without proof. Each bound counts only the letters that earlier bounds allow.

    Each email of a player gets its own answer, since silence would look like a fault of ours. The bound ends loops with
    programs, and a flood by someone who forges the sender. An earlier email's commands keep their own letter: if one
    `yes` confirmed them all, it would include what a forger has added.
    """
    if not is_known and is_stopped(mailbox_hash(letter["data"]["to"])):
        return False
    if is_answer and not has_left(uses[0]):  # a notice about a forged sender isn't repeated
        left = min(count(_further(uses)).values())
        letter["data"]["last"] = left == 0
        return left >= 0
    return all(left >= 0 for use in uses for left in count(use).values())


def _counts_of(email: str) -> list[str]:
    own = mailbox_hash(email).hex()
    return [
        key for key in keys_of(own, f"{own}{_AUTHENTIC}") if key.startswith(("desk-letters ", "desk-letters-further "))
    ]


@with_retries
def _begin_leaving(mail: DeskMail, letter: Json, player_id: UUID) -> None:
    """Store the last email to a player together with the player's own email, so that a retry can complete both."""
    mail.lines = [str(player_id), letter]
    desk.begin_leaving(mail, mail.lines)


def _take_leave(mail: DeskMail, records: Records) -> None:
    """Delete the account of a player who has confirmed the deletion, and queue the last email to them."""
    player_id, letter = mail.lines or [None, None]
    _count_last(mailbox_hash(letter["to"]).hex())
    records.delete(UUID(player_id))
    _replace_by_letter(mail, letter)


@with_retries
def _count_last(own: str) -> None:
    """Count the last email before the account is gone. If it weren't counted, late copies of the player's earlier emails
    would cause another first email. After an interruption it is counted twice, which does no harm."""
    db.session.rollback()
    count(Use("desk-letters", own), Use("desk-letters", f"{own}{_AUTHENTIC}"))
    db.session.commit()


@with_retries
def _replace_by_letter(mail: DeskMail, letter: Json) -> None:
    db.session.rollback()
    desk.put(_letter(mail, mail.mail_id, DESK_ANSWER.name, letter))
    desk.drop(mail.mail_id)
