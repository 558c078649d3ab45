"""Letters to strangers: one invitation, in which no player text becomes a link."""

import re
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import change_profile
from server.accounts.sign_in import begin_sign_in
from server.games.presentation import introduction
from server.play.seating.games import open_game
from server.play.seating.seats import invite, take_seat
from server.play.talk.chat import say
from server.play.talk.motd import put_up_notice
from server.play.views import describe, load_visible
from server.post.letters.seats import is_signed
from server.sanitize import has_link
from server.store.tables import Delivery, SignIn, db
from tests.post.office import Mail, Office
from tests.support.games import BOT, DAY, ME, OPEN, everything_due_happens, later, person, wanted

CYD = "cyd@example.org"


pytestmark = pytest.mark.usefixtures("within")


def invites(host: UUID, email: str = CYD, **more: object) -> UUID:
    return open_game(host, wanted(ME, {"email": email}, OPEN, **more)).game_id


# One letter


def test_a_silent_person_without_an_account_gets_one_email_however_many_hosts_invite_them(
    ada: UUID, bea: UUID, office: Office
) -> None:
    first = invites(ada)
    assert len(office.mails("cyd")) == 1
    invites(bea)
    invite(invites(ada, "dan@example.org"), ada, CYD, 2)
    later(400 * DAY)
    invites(bea)
    say(first, ada, "Where are you?")
    take_seat(first, bea)
    put_up_notice("The house moves on Sunday.")
    everything_due_happens()
    later(2 * DAY)
    everything_due_happens()
    assert len(office.mails("cyd")) == 1
    reasons = {row.detail for row in db.session.scalars(db.select(Delivery).where(Delivery.result == "dropped"))}
    assert reasons == {"An address without an account gets only one invitation."}


def test_all_addresses_of_a_mailbox_together_get_only_one_email(ada: UUID, bea: UUID, office: Office) -> None:
    invites(ada, "cyd+one@example.org")
    invites(bea, "cyd+two@example.org")
    invites(bea)
    everything_due_happens()
    assert sum(len(office.mails(name)) for name in ("cyd+one", "cyd+two", "cyd")) == 1


def test_a_second_host_sees_that_the_invited_person_gets_no_email(ada: UUID, bea: UUID, office: Office) -> None:
    invites(ada)
    game_id = invites(bea)
    office.delivers()
    assert describe(load_visible(game_id, bea), 0)["seats"][1]["unreachable"]


def test_a_repeated_invitation_without_an_email_keeps_the_first_one_as_delivered(
    ada: UUID, bea: UUID, office: Office
) -> None:
    game_id = invites(ada)

    def invited_again(email: str = CYD) -> bool:
        """Return whether the invitation is shown as lost."""
        office.delivers()
        invite(game_id, ada, email, 1)
        office.delivers()
        return bool(describe(load_visible(game_id, ada), 0)["seats"][1]["unreachable"])

    assert not invited_again()
    assert len(office.mails("cyd")) == 1
    invites(bea, "dan@example.org")
    assert invited_again("dan@example.org")  # the seat's first email went to another address
    assert invited_again("dan@example.org")
    assert not invited_again("eve@example.org")


def test_a_person_without_an_account_is_not_notified_of_a_game_that_began_without_them(
    ada: UUID, bea: UUID, office: Office
) -> None:
    game_id = open_game(ada, wanted(ME, {"email": CYD}, BOT)).game_id
    office.delivers()
    invite(game_id, ada, "bea@example.org", 1)
    take_seat(game_id, bea)
    everything_due_happens()
    assert len(office.mails("cyd")) == 1


def test_a_person_who_has_signed_in_since_is_invited_normally(ada: UUID, bea: UUID, office: Office) -> None:
    invites(ada)
    office.delivers()
    person("cyd")
    for host in (ada, bea):
        invites(host)
    assert len(office.mails("cyd")) == 3


def test_the_same_email_is_retried_until_it_is_sent(ada: UUID, office: Office) -> None:
    office.is_closed = True
    invites(ada)
    office.delivers()
    office.is_closed = False
    later(DAY)
    assert len(office.mails("cyd")) == 1


def test_an_email_that_was_never_sent_is_replaced_by_another_email(ada: UUID, bea: UUID, office: Office) -> None:
    office.is_closed = True
    game_id = invites(ada)
    office.delivers()
    invite(game_id, ada, "dan@example.org", 1)
    later(DAY)
    office.is_closed = False
    office.delivers()
    invites(bea)
    invites(ada)
    assert len(office.mails("cyd")) == 1
    assert "bea invites you" in office.mails("cyd")[0].subject


def test_the_address_of_a_person_without_an_account_is_stored_only_with_the_seat(ada: UUID, office: Office) -> None:
    invites(ada)
    office.delivers()
    (row,) = db.session.execute(db.text("SELECT * FROM strangers")).all()
    assert CYD not in str(row)


def test_a_person_without_an_account_who_stops_invitations_gets_none_and_can_still_sign_in(
    ada: UUID, app: Flask, office: Office
) -> None:
    invites(ada)
    link = re.search(r"Fewer emails: http://[^/]+(\S+)", office.mails("cyd")[0].text)
    assert link is not None
    assert app.test_client().post(link[1], data={"List-Unsubscribe": "One-Click"}).status_code == 200
    invites(ada)
    assert len(office.mails("cyd")) == 1
    begin_sign_in(CYD, "en", None)
    assert len(office.mails("cyd")) == 2
    assert db.session.scalars(db.select(SignIn)).one().email == CYD


# No links


@pytest.mark.parametrize(
    "words",
    [
        "Win at https://evil.example/now",
        "hxxps: www EVIL",
        "evil.example",
        "Look at EVIL.COM!",
        "evil\uff0ecom",
        "evil\u3002com",
        "evil\u2024com",
        "\uff45\uff56\uff49\uff4c.com/x",
        "xn--p1ai.xn--p1ai",
        "mailto:ada",
        "ada@evil",
        "192.0.2.7",
        "//evil/now",
        "tel:+49 30 1",
        "Call 030 901 820 now",
        "javascript:alert",
    ],
)
def test_words_that_mail_programs_might_link_are_left_out_of_invitations(
    ada: UUID, bea: UUID, office: Office, words: str
) -> None:
    change_profile(ada, {"name": words[:40]})
    change_profile(bea, {"name": words[:40]})
    game_id = open_game(ada, wanted(ME, OPEN, {"email": CYD}, OPEN, title=words)).game_id
    take_seat(game_id, bea)
    (mail,) = office.mails("cyd")
    assert mail.subject == "A player invites you: Sternenhimmel"
    assert 'a seat for you in "Sternenhimmel". We' in " ".join(mail.text.split())
    assert "- At the table: A player, A player\n" in mail.text
    for part in (mail.subject, mail.text, mail.page):
        assert words not in part
        assert not re.search("evil|030 901|ada@", part, re.IGNORECASE)
    assert links(mail) == {"http://127.0.0.1:8000"}


@pytest.mark.parametrize(("rules", "turns"), [("sternenhimmel", 30), ("sternenglanz", 12)])
def test_an_invitation_shows_the_game_without_revealing_how_it_was_dealt(
    ada: UUID, office: Office, rules: str, turns: int
) -> None:
    pictures = []
    for name in ("cyd", "dan"):
        open_game(ada, wanted(ME, OPEN, {"email": f"{name}@example.org"}, rules=rules, title="Same"))
        (mail,) = office.mails(name)
        assert introduction(rules, "en")[0] in " ".join(mail.text.split())
        assert f"- Your time: about {turns} turns, " in mail.text
        assert "- Pace: 2 days per turn\n" in mail.text
        assert "- 1 more seat is free\n" in mail.text
        assert mail.page.count('class="play"') == 1
        (picture,) = (part.get_content() for part in mail.message.walk() if part.get_content_type() == "image/png")
        pictures.append(picture)
    assert pictures[0] == pictures[1]  # of two games with their own seeds
    assert len(pictures[0]) <= 60 * 1024


def links(mail: Mail) -> set[str]:
    """Where all that looks like a link leads."""
    return set(re.findall(r"https?://[^/\s\"<]+", mail.text + mail.page))


@pytest.mark.parametrize(
    "words",
    [
        "A clear night",
        "Bea & Ada: the 3rd round",
        "Round no. 5",
        "20:30, as ever",
        "5 : 3!",
        "Half/half",
        "St. Ada (2)",
    ],
)
def test_words_that_mail_programs_do_not_link_are_kept_in_invitations(ada: UUID, office: Office, words: str) -> None:
    assert not has_link(words)
    invites(ada, title=words)
    assert f'a seat for you in "{words}". We' in " ".join(office.mails("cyd")[0].text.split())


def test_a_greeting_that_its_writer_has_signed_is_not_signed_again() -> None:
    assert is_signed("It's fun, I promise. Paula", "Paula W.") and is_signed("Bis bald! paula.", "Paula")
    assert not is_signed("Paula", "Paula W.") and not is_signed("Come and play!", "Paula W.")
