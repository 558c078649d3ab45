"""The reader of emails to the post desk, and its list of commands."""

import re
from dataclasses import replace
from datetime import date
from time import process_time
from zoneinfo import ZoneInfo

import pytest

from server.games import GAMES
from server.post.desk import account, games  # noqa: F401  they register their commands
from server.post.desk.acting import _ACTS
from server.post.desk.arguments import ANY, Unclear, invitation_in, number_and_version, wanted_in
from server.post.desk.commands import (
    BY_NAME,
    CANCEL_FIND,
    COMMANDS,
    GOODBYE,
    LEAVE,
    SETTABLE,
    language_of,
    setting_of,
    setting_word,
    words_of,
)
from server.post.desk.days import days_in
from server.post.desk.reading import (
    MOST,
    commands_beside_table,
    example_of,
    read_line,
    read_request,
    request_of,
    stored,
    without_repeats,
)
from server.post.desk.rule_texts import options_of, rule_sections
from server.post.incoming.child import SECONDS
from server.post.incoming.commands import words_of as words_at_tables
from server.post.incoming.quotes import LONGEST_LINE
from server.post.incoming.replies import MOST_LINES, Mail
from server.translations import LOCALES

POLITE = {"en": "Hello,", "de": "Guten Tag,", "fr": "Bonjour,", "it": "Buongiorno,"}


def a_mail(text: str, subject: str = "") -> Mail:
    return Mail("ann@example.net", False, tuple(text.splitlines()), None, subject, None)


def read(text: str, locale: str = "en", subject: str = "") -> list[tuple[str, str]]:
    return [(it.command, it.rest) for it in read_request(a_mail(text, subject), locale).asked]


@pytest.mark.parametrize(
    ("line", "locale"),
    [("Nom de Dieu !", "fr"), ("Nome strano!", "it"), ("Name it!", "en"), ("Namen sind Schall!", "de")],
)
def test_an_exclamation_gives_no_new_name(line: str, locale: str) -> None:
    assert beside_table(line, locale) == []


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("line", "setting"),
    [
        ("sprache de", "language de"),
        ("Langue : français", "language français"),
        ("lingua it.", "language it"),
        ("zeitzone Europe/Berlin", "zone Europe/Berlin"),
    ],
)
def test_a_setting_and_its_value_need_no_command_before_them(line: str, setting: str, locale: str) -> None:
    assert read(line, locale) == [("set", setting)]


@pytest.mark.parametrize("line", ["language is difficult", "Sprache und Stil", "zone of silence"])
def test_a_word_for_a_setting_in_prose_sets_nothing(line: str) -> None:
    assert not any(command for command, _ in read(line))


def beside_table(text: str, locale: str = "en", game: str = "sternenhimmel") -> list[str]:
    return [it.canonical for it in commands_beside_table(text.splitlines(), locale, game)]


def test_every_command_has_a_function_and_an_example_that_can_be_parsed() -> None:
    assert _ACTS.keys() == BY_NAME.keys()
    for it in COMMANDS:
        for locale in LOCALES:
            found = read_line(example_of(it.name, locale), locale)
            assert found and found.command == it.name


@pytest.mark.parametrize("locale", LOCALES)
def test_examples_mean_the_same_in_every_language(locale: str) -> None:
    def rest(name: str) -> str:
        found = read_line(example_of(name, locale), locale)
        assert found
        return found.rest

    wanted = wanted_in(rest("new"))
    assert (wanted.seats, wanted.clock, wanted.emails) == (4, {"per_move": "P2D"}, ["bob@example.org"])
    assert invitation_in(rest("invite")) == ("bob@example.org", 3)
    word, _, zone = rest("set").partition(" ")
    assert setting_of(word) == "zone"
    assert ZoneInfo(zone)
    for name in SETTABLE:
        assert setting_of(setting_word(name, locale)) == name
        assert setting_word(name, locale) in BY_NAME["set"].form(locale)
    said = {"de": "bei", "en": "at", "fr": "à", "it": "alla"}[locale]
    assert f"[{said} " in BY_NAME["show"].form(locale)
    assert number_and_version(f"3 {said} 12") == (3, 12)
    any_game = read_line(BY_NAME["join"].form(locale).replace("N|", ""), locale)
    assert any_game and any_game.rest in ANY


@pytest.mark.parametrize("locale", LOCALES)
def test_the_rules_in_a_letter_do_not_mention_a_page(locale: str) -> None:
    for game in GAMES:
        told = " ".join(line for section in rule_sections(game, locale) for line in section.lines)
        assert not re.search(r"\b(?:page|Seite|pagina)\b", told)
        assert locale != "fr" or not re.search(r"(?<![\u202f\u00a0])[:;?!] ", told)


def test_the_rules_in_a_letter_tell_the_patterns_of_black_holes_where_they_score() -> None:
    def told(scenario: int) -> list[str]:
        found = rule_sections("sternenglanz", "en", options_of("sternenglanz", f"scenario-{scenario}"))
        return [line for section in found for line in section.lines if line.startswith("- Black hole ")]

    assert [line[13] for line in told(1)] == ["A", "B", "C"]
    assert all(line.count(" = ") == 3 for line in told(1))
    assert told(2) == []


@pytest.mark.parametrize("locale", LOCALES)
def test_no_two_commands_share_a_word(locale: str) -> None:
    own = [word for it in COMMANDS for word in it.words.get(locale, ())]
    assert len(own) == len(set(own))
    for it in COMMANDS:
        assert all(words_of(locale)[word] == it.name for word in it.words.get(locale, ()))
    shared = set(words_of(locale)) & set(words_at_tables(locale))
    assert {words_of(locale)[word] for word in shared} <= {"vacation"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GAMES!", [("games", "")]),
        ("Hello,\n\nplease join 3.\n\nThanks\nAnn", [("join", "3")]),
        ("“show 3 at 12”", [("show", "3 at 12")]),
        ("1. join 3\n2) leave 4\n- open", [("join", "3"), ("leave", "4"), ("open", "")]),
        ("set zone=Europe/Berlin", [("set", "zone=Europe/Berlin")]),
        ("name: Ann", [("set", "name Ann")]),
        ("name Ann.", [("set", "name Ann")]),
        ("name Zoë Q.", [("set", "name Zoë Q.")]),
        ("set name J.R.", [("set", "name J.R.")]),
        ("name Zoë Q...", [("set", "name Zoë Q")]),
        ("set zone Etc/GMT Z.", [("set", "zone Etc/GMT Z")]),
        ("cancel find", [("cancel find", "")]),
        ("vacation 2027-07-01–2027-07-14", [("vacation", "2027-07-01-2027-07-14")]),
        ("What is this about? I'd rather not say.", []),
        ("games\n\nAnn Example\nBerlin", [("games", "")]),
    ],
)
def test_commands_are_understood_despite_greetings_punctuation_and_formatting(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "locale", "expected"),
    [
        ("set name Bianchi Marco", "it", ("set", "name Bianchi Marco")),
        ("name Franceschi Anna", "it", ("set", "name Franceschi Anna")),
        ("set name Ciao Bella", "it", ("set", "name Ciao Bella")),
        ("set name Ann - Smith", "en", ("set", "name Ann - Smith")),
        ('new sternenhimmel title="Sushi night"', "en", ("new", 'sternenhimmel title="Sushi night')),
        ('new sternenhimmel title="Part 2. The stars"', "en", ("new", 'sternenhimmel title="Part 2. The stars')),
        ("play sternenhimmel 5. Thanks!", "en", ("play", "sternenhimmel 5")),
        ("leave 3. 4", "en", ("leave", "3. 4")),
        ("show 3. Thanks!", "en", ("show", "3")),
        ("urlaub 1.7.2027 – 14.7.2027", "de", ("vacation", "1.7.2027 - 14.7.2027")),
        ("set nights 22:00 - 08:00", "en", ("set", "nights 22:00 - 08:00")),
        ("zeige bitte 3", "de", ("show", "3")),
        ("Hi! Please join - 3", "en", ("join", "3")),
        ('"1. join 3"', "en", ("join", "3")),
    ],
)
def test_polite_words_and_bullets_are_removed_only_around_a_command(
    text: str, locale: str, expected: tuple[str, str]
) -> None:
    assert read(text, locale) == [expected]


@pytest.mark.parametrize("line", ["'\u3000'", '"\u2003"', "?\u202f!", "*\u00a0*", "- \u3000 -"])
def test_a_line_of_marks_and_blanks_is_ignored(line: str) -> None:
    assert read(f"games\n{line}") == [("games", "")]
    assert beside_table(f"games\n{line}") == ["games"]


def test_the_subject_is_the_command_if_the_email_is_empty() -> None:
    assert read("", subject="Re: Games") == [("games", "")]
    assert read("open", subject="games") == [("open", "")]


@pytest.mark.parametrize(("line", "near"), [("gmaes", "games"), ("shwo 3", "show"), ("standigs 2", "standings")])
def test_a_misspelt_command_is_reported_with_the_nearest_one(line: str, near: str) -> None:
    (asked,) = read_request(a_mail(line), "en").asked
    assert (asked.command, asked.near) == ("", near)


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("Yes?\n\nI did not ask for this, please do not delete anything!", "en"),
        ("yes\n\nbut I never asked for that.", "en"),
        ("ok", "en"),
        ("Ja?\nDas war ich.", "de"),
        ("Ja\nDas war ich nicht!", "de"),
        ("Ja\n\nLösch bitte nichts", "de"),
        ("Oui\nCe n’est pas moi !", "fr"),
        ("Sì\nNon sono stato io!", "it"),
        ("Yes\n\nI am still thinking", "en"),
        ("yes\nTomorrow\nAnn", "en"),
        ("Ja\n\nIch überlege noch", "de"),
        ("ja\ngar nichts", "de"),
        ("Oui\n\nJe réfléchis encore", "fr"),
        ("Sì\n\nCi penso ancora", "it"),
    ],
)
def test_a_questioned_or_contradicted_yes_confirms_nothing(text: str, locale: str) -> None:
    assert not read_request(a_mail(text), locale).says_yes


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("no, I changed my mind", "en"),
        ("No thanks, I’ve changed my mind.", "en"),
        ("Nein, ich habe es mir anders überlegt", "de"),
        ("nein, ich hab’s mir anders überlegt!", "de"),
        ("Non, j’ai changé d’avis", "fr"),
        ("No, ho cambiato idea.", "it"),
    ],
)
def test_a_no_with_its_reason_wishes_for_nothing_else(text: str, locale: str) -> None:
    request = read_request(a_mail(text), locale)
    assert request.says_no and not request.asked and not request.wishes


@pytest.mark.parametrize(
    "text", ["yes", "YES!", "Yes, please\n\nAnn", "yes\ngames", "Hello,\n\nyes\n\nBest regards\nAnn"]
)
def test_a_yes_counts_next_to_greetings_and_commands(text: str) -> None:
    assert read_request(a_mail(text), "en").says_yes


@pytest.mark.parametrize(
    ("text", "is_alone"),
    [
        ("YES!", True),
        ("Hello,\n\nYes, please\n\nBest regards\nAnn Example", True),
        ("yes\n\n- A.\n\nSent from my iPhone", True),
        ("Oui\n\nBien à vous\nAnne-Marie", True),
        (
            "yes\n\nAnn\n\nThis email is confidential and privileged.\nIf received in error, please notify the sender.",
            True,
        ),
        ("yes\n-- \nAda de Lovelace\nSterngasse 7, 10115 Berlin\nTel. +49 30 1234567\nwww.ada.example", True),
        ("yes\n\nAnn Maria", True),
        ("Yes\n\nSmith", True),
        ("Yes!\n\nThanks,\nBobby", True),
        ("Yes\n\nCancel", False),
        ("Yes\n\nAbbrechen", False),
        ("Yes\n\nUndo", False),
        ("Yes\n\nKeep Account", False),
        ("Yes\n\nKeep Ann", False),
        ("Yes\n\nExample Account", False),
        ("yes\n\nName: keep it", False),
        ("Yes\n\nIrrtum", False),
        ("Yes\n\nLasciatemi Stare", False),
        ("yes\n\nBut keep my account.", False),
        ("yes\n\nI was only curious what happens.", False),
        ("yes\n\nI only wanted to see what you would write to me, and I would like to stay with you", False),
        ("yes\nOn Monday.", False),
        ("yes\nOn Monday", False),
        ("ja\n\nLass mal.", False),
        ("ja\n\nlass mal", False),
        ("ja\n\nMorgen", False),
        ("yes\n\nLater!", False),
        ("Ja\n\nWar nur Spaß.", False),
        ("Ja\n\nHab mich vertippt", False),
        ("Oui\n\nJe plaisante !", False),
        ("Oui\nLaisse tomber.", False),
        ("Sì\n\nScherzavo!", False),
        ("Sì\nAnzi resto.", False),
        ("yes\nplay sternenhimmel", False),
    ],
)
def test_only_greetings_and_signatures_may_stand_next_to_a_yes_to_a_final_command(text: str, is_alone: bool) -> None:
    request = read_request(replace(a_mail(text), named='"Ann Smith" <ann@example.net>'), "en")
    assert (request.says_yes and request.is_alone) == is_alone


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("play sternenhimmel\n\nGoodbye!", "en"),
        ("play sternenhimmel\n\nGoodbye\nAda", "en"),
        ("jouer sternenhimmel\n\nAdieu !", "fr"),
        ("gioca sternenhimmel\n\nAddio!\nAda", "it"),
    ],
)
def test_goodbye_after_another_command_is_not_a_command(text: str, locale: str) -> None:
    assert read(text, locale) == [("play", "sternenhimmel")]
    assert read(text.splitlines()[2], locale) == [("goodbye", "")]
    assert beside_table(f"games\n\n{text.splitlines()[2]}", locale) == ["games"]
    assert beside_table(text.splitlines()[2], locale) == ["goodbye"]


@pytest.mark.parametrize(
    ("text", "is_doubted"),
    [
        ("Please don't do this yet:\n\njoin 3", True),
        ("vacation 2027-07-01..2027-07-14\n\nNo wait, the other week.", True),
        ("join 3\nNot yet", True),
        ("join 3\n\nNever mind", True),
        ("join 3\n\nOr is game 4 better?", True),
        ("Hello,\n\njoin 3\nset name Ann\n\nThank you very much!\nAnn", False),
        ("Hi, how are you?\n\nleave 3?\n\nAnn", False),
        ("No\n\njoin 3", False),
    ],
)
def test_lines_that_question_or_contradict_commands_are_detected(text: str, is_doubted: bool) -> None:
    request = read_request(a_mail(text), "en")
    assert request.asked
    assert request.is_doubted == is_doubted


@pytest.mark.parametrize(
    "below", ["Not yet", "Not Yet", "Never mind", "nope", "On second thought", "wait.", "Really?", "Stop!", "Cancel"]
)
def test_a_reply_to_a_game_email_with_doubtful_lines_gives_no_commands(below: str) -> None:
    assert beside_table(f"join 3\n\n{below}") == []
    assert beside_table("join 3\n\nAnn Example\nSent from my iPhone") == ["join 3"]


def test_a_yes_with_a_question_mark_in_the_subject_confirms_nothing() -> None:
    assert read_request(a_mail("", "Re: yes"), "en").says_yes
    assert not read_request(a_mail("", "Re: yes?"), "en").says_yes


@pytest.mark.parametrize("run", ["?", "？ ", " ,", ". ", "thanks ", "- ", "hi ", "!*"])
def test_an_email_with_the_worst_lines_is_read_in_time(run: str) -> None:
    worst = (f"set name {run * LONGEST_LINE}"[: LONGEST_LINE - 1] + "x",) * MOST_LINES
    begun = process_time()
    read_request(replace(a_mail(""), lines=worst), "en")
    commands_beside_table(worst, "en", "sternenhimmel")
    assert process_time() - begun < SECONDS


@pytest.mark.parametrize("text", ["leave 3?", "“leave 3?”", "Leave 3, please?", "leave 3? Thanks", "- leave #3 ?"])
def test_a_question_mark_after_a_command_makes_the_command_a_question(text: str) -> None:
    (asked,) = read_request(a_mail(text), "en").asked
    assert (asked.command, asked.is_question) == ("leave", True)
    (again,) = request_of([stored(asked)]).asked
    assert again.is_question
    assert not request_of([asked.canonical]).asked[0].is_question


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("Open hours: Monday to Friday, 9 to 5\nThanks for your message.", "en"),
        ("Help desk: your ticket is 4711", "en"),
        ("Leave 3 bottles at the door, please", "en"),
        ("We are closed today.\n\nOpen\nMonday to Friday", "en"),
        ("Rules of our house: be kind", "en"),
        ("Spiele nur am Wochenende", "de"),
        ("Stand: 27. November 2026", "de"),
        ("Aide : appelez le 01 23 45 67 89", "fr"),
        ("Aperte le iscrizioni al corso", "it"),
    ],
)
def test_prose_that_begins_like_a_command_is_unclear(text: str, locale: str) -> None:
    assert not read_request(a_mail(text), locale).is_clear


@pytest.mark.parametrize("locale", LOCALES)
def test_example_commands_are_understood_in_every_language(locale: str) -> None:
    for it in COMMANDS:
        request = read_request(a_mail(f"{POLITE[locale]}\n\n{example_of(it.name, locale)}\n\nAnn Example"), locale)
        assert request.is_clear, example_of(it.name, locale)


def test_repeated_queries_run_once_and_repeated_changes_run_each_time() -> None:
    text = "export\nexport\ngames\nexport\nnew sternenhimmel\nnew sternenhimmel\ngames"
    asked = without_repeats(read_request(a_mail(text), "en").asked)
    assert [it.command for it in asked] == ["export", "games", "new", "new", "games"]


def test_the_subject_of_an_unreadable_email_is_not_read_as_a_command() -> None:
    unreadable = replace(a_mail("", "play sternenglanz"), doubt="encrypted")
    assert read_request(unreadable, "en").asked == ()


def test_only_the_first_ten_commands_of_an_email_are_read() -> None:
    request = read_request(a_mail("games\n" * (MOST + 1)), "en")
    assert len(request.asked) == MOST
    assert request.is_cut


def test_a_new_game_can_be_described_in_ordinary_words() -> None:
    wanted = wanted_in("sternenhimmel 4 players 2 days per move with bob@example.org")
    assert (wanted.rules, wanted.seats, wanted.clock) == ("sternenhimmel", 4, {"per_move": "P2D"})
    assert wanted.emails == ["bob@example.org"]
    assert wanted_in("glanz 2 Spieler 12 Stunden pro Zug").clock == {"per_move": "PT12H"}
    assert wanted_in('himmel 3 title="Our sky" private=yes').head == {"title": "Our sky", "private": True}


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("sternenhimmel 4 players, 2 days per move", 4),
        ("sternenhimmel, 3 players; 2 days per move, please", 3),
        ("himmel - 5 - 2 days", 5),
        ("himmel please 4, 2 days", 4),
    ],
)
def test_commas_and_polite_words_in_a_description_do_not_matter(text: str, seats: int) -> None:
    wanted = wanted_in(text)
    assert (wanted.seats, wanted.clock) == (seats, {"per_move": "P2D"})


@pytest.mark.parametrize("seats", ["seats=50000000", "seats=9999999999", "players=0", "9", f"seats={'9' * 80}"])
def test_a_number_of_seats_that_the_game_lacks_is_unclear(seats: str) -> None:
    for game in GAMES:
        with pytest.raises(Unclear):
            wanted_in(f"{game} {seats}")


@pytest.mark.parametrize("text", ["", "chess", "himmel tonight", "himmel colour=red", "himmel min_reliability=200"])
def test_an_unclear_description_opens_no_game(text: str) -> None:
    with pytest.raises(Unclear):
        wanted_in(text)


@pytest.mark.parametrize(
    "before", ["Cara: cara@example.org", "Cara Muster <cara@example.org>", "my friend cara@example.org"]
)
def test_the_name_of_an_invited_person_may_stand_before_the_address(before: str) -> None:
    assert read(f"Invite {before} to game 2") == [("invite", f"{before} to game 2")]
    assert invitation_in(f"{before} to game 2") == ("cara@example.org", 2)
    assert invitation_in(before) == ("cara@example.org", None)


@pytest.mark.parametrize(
    "text", ["sternenhimmel cara@example.org", "2 or 3 cara@example.org", "cara@example.org to chess"]
)
def test_other_words_before_an_address_are_unclear(text: str) -> None:
    with pytest.raises(Unclear):
        invitation_in(text)


def test_arguments_can_be_written_in_several_forms() -> None:
    assert invitation_in("bob@example.org to 3") == invitation_in("3 <bob@example.org>") == ("bob@example.org", 3)
    assert number_and_version("#3 at 12") == (3, 12)
    assert days_in("1.7.-14.7.", date(2026, 11, 27)) == (date(2027, 7, 1), date(2027, 7, 14))
    assert days_in("28.12.-3.1.", date(2026, 11, 27)) == (date(2026, 12, 28), date(2027, 1, 3))
    assert days_in("1.7.2028-14.7", date(2026, 11, 27)) == (date(2028, 7, 1), date(2028, 7, 14))
    (asked,) = read_request(a_mail("urlaub 1.7.-14.7."), "de").asked
    assert asked.command == "vacation"
    for rest in (asked.rest, "1/7 - 14/7", "1.7 .. 14.7"):
        assert days_in(rest, date(2026, 11, 27)) == (date(2027, 7, 1), date(2027, 7, 14))
    with pytest.raises(Unclear):  # 1 to 8 July, or 7 January to 7 August
        days_in("7/1/2027 to 7/8/2027", date(2026, 11, 27), "en")
    for text in ("bob", "3 o'clock", "at 3"):
        with pytest.raises(Unclear):
            number_and_version(text)


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("sternenhimmel", "7 leo c"),
        ("sternenhimmel", "games\n7 leo c"),
        ("sternenhimmel", "say games"),
        ("sternenhimmel", "pause"),
        ("sternenhimmel", "vacation 2027-07-01..2027-07-02"),
        ("sternenhimmel", "?"),
        ("sternenglanz", "Show 3\n\nFinish"),
        ("sternenglanz", "show 3\n\nDot B1"),
        ("sternenhimmel", "Games\n\nD Cnc A"),
        ("sternenhimmel", "games\n?"),
        *(
            ("sternenhimmel", f"show 3\n\n{line}")
            for line in ("Resign", "Resgin", "Pause", "Undo", "Agree", "Say Hi All")
        ),
    ],
)
def test_what_a_table_could_act_on_stays_with_the_table(game: str, text: str) -> None:
    assert beside_table(text, "en", game) == []


def test_desk_commands_are_found_in_replies_to_game_emails() -> None:
    assert beside_table("Hello,\n\ngames\nshow 3\n\nAnn") == ["games", "show 3"]
    assert beside_table("hilfe neu\n\nAnn", "de") == ["help neu"]
    assert beside_table("play it again tomorrow, I have no time to look at the table today") == []


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "name", ["Ann", "Leo", "Paula", "Dot", "Ada Lovelace", "A.", "Jean-Luc", "Anna de Luca", "Mark"]
)
def test_a_signature_below_desk_commands_is_not_meant_for_the_table(game: str, name: str) -> None:
    assert beside_table(f"games\n\nThanks!\n{name}", "en", game) == ["games"]


@pytest.mark.parametrize(
    "below",
    [
        *("Sent from my phone", "sent from my iPhone", "Best, Anna", "Get Outlook for iOS", "Sent via Proton Mail"),
        *("Von meinem iPhone gesendet", "Mobil gesendet", "Viele Grüße", "viele grüße ann", "LG Ann", "-- ", "--\nAnn"),
        *(
            "Envoyé de mon iPhone",
            "Bien à toi",
            "Inviato da iPhone",
            "Un saluto, Ann",
            "Dr. Ann Muster",
            "Ann (she/her)",
        ),
        *("Sent from Outlook for Android", "xx", "hugs", "Typed on a tiny keyboard"),
    ],
)
def test_a_footer_directly_below_a_command_gets_no_answer(below: str) -> None:
    for above in ("games\n", "play sternenhimmel\n\n"):
        assert all(it.command for it in read_request(a_mail(f"{above}{below}"), "en").asked), below
    for line in ("reveiw 2", "I resign game 1", "7 leo c"):
        assert len(read_request(a_mail(f"games\n{line}\n{below}"), "en").asked) == 2, line


@pytest.mark.parametrize("label", ["Name: Ann", "Nom : Ann"])
def test_a_label_in_a_signature_does_not_rename_the_player(label: str) -> None:
    listed, said = read_request(a_mail(f"games\n\n{label}"), "en").asked
    assert (listed.command, said.command, said.near) == ("games", "", "set")  # we say that we don't understand it
    assert beside_table(f"games\n\n{label}") == ["games"]
    for text in (f"games\n{label}", "games\n\nname Ann"):
        assert read(text) == [("games", ""), ("set", "name Ann")]


def test_a_reply_to_a_game_email_that_is_cut_says_so() -> None:
    found = commands_beside_table([f"show {nr}" for nr in range(MOST + 3)], "en", "sternenhimmel")
    request = request_of(list(map(stored, found)), MOST)
    assert len(request.asked) == MOST
    assert request.is_cut


@pytest.mark.parametrize(
    ("text", "locale"),
    [("Hallo, ich möchte spielen", "de"), ("Bonjour, je voudrais jouer", "fr"), ("Ciao, vorrei giocare", "it")]
    + [("Hello there", "en"), ("", "en"), ("12345", "en"), ("partien", "de")]
    + [("find sternenglanz 3 2 days per move", "en"), ("invite bob@example.org to 3", "en")],
)
def test_a_strangers_language_is_guessed_from_their_words(text: str, locale: str) -> None:
    assert language_of([text], "") == locale


@pytest.mark.parametrize("locale", LOCALES)
def test_a_sentence_never_resembles_a_command_that_ends_something(locale: str) -> None:
    ending = {LEAVE, GOODBYE, CANCEL_FIND}
    for word in (word for word, name in words_of(locale).items() if name in ending):
        for line in (
            f"{word[:-1]}x my ten now",
            f"on my {word[:-1]}x",
            f"I {word}e it",
            "7 lea c",
            "7 leaf c",
            "lea on c",
        ):
            near = {it.near for it in read_request(a_mail(line), locale).asked}
            assert not near & ending, line
    assert [it.near for it in read_request(a_mail("laeve 3"), "en").asked] == [LEAVE]


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("Rematch, please! And a review.", "en"),
        ("Rematch and review, please", "en"),
        ("Hi all,\n\nRematch, please! And a review.\n\nAda", "en"),
        ("Bitte eine Revanche und einen Rückblick!", "de"),
        ("La revanche et l'analyse, merci !", "fr"),
        ("La rivincita, per favore. E l'analisi!", "it"),
    ],
)
def test_one_line_may_wish_for_several_things_after_a_game(text: str, locale: str) -> None:
    found = commands_beside_table(text.splitlines(), locale, "sternenglanz")
    assert [it.command for it in found] == ["rematch", "review"]


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("Good game! What did I do wrong?\nreview\nrematch", "en"),
        ("Good game!\n\nreview and rematch please", "en"),
        ("Hi all,\nWhat did I do wrong?\nreview\nrematch", "en"),
        ("Gutes Spiel! Was habe ich falsch gemacht?\nRückblick\nRevanche", "de"),
        ("Belle partie ! Qu'est-ce que j'ai mal fait ?\nanalyse\nrevanche", "fr"),
        ("Bella partita! Cosa ho sbagliato?\nanalisi\nrivincita", "it"),
    ],
)
def test_a_sentence_may_stand_above_commands_after_a_game(text: str, locale: str) -> None:
    found = commands_beside_table(text.splitlines(), locale, "sternenglanz")
    assert [it.command for it in found] == ["review", "rematch"]


@pytest.mark.parametrize("text", ["Don't do this!\nreview", "Should I?\nrematch", "I like it.\nset mails off"])
def test_a_sentence_above_commands_that_may_change_them_is_left_to_the_table(text: str) -> None:
    assert commands_beside_table(text.splitlines(), "en", "sternenglanz") == []


@pytest.mark.parametrize("text", ["Rematch and review?", "No rematch, no review.", "Rematch, and then a review of Ada"])
def test_unclear_wishes_in_a_line_are_left_to_the_table(text: str) -> None:
    assert commands_beside_table([text], "en", "sternenglanz") == []


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("Please give the empty seat in game 3 to a bot.", "en"),
        ("Put a bot in the free seat of game 3, please!", "en"),
        ("Gib bitte den freien Platz in Partie 3 an einen Bot.", "de"),
        ("Besetze die leeren Plätze in Partie 3 mit Bots", "de"),
        ("Donne la place libre dans la partie 3 à un bot, s'il te plaît.", "fr"),
        ("Assegna il posto libero nella partita 3 a un bot, per favore.", "it"),
    ],
)
def test_a_sentence_may_give_a_seat_to_a_bot(text: str, locale: str) -> None:
    (asked,) = read_request(a_mail(text), locale).asked
    assert (asked.command, asked.rest) == ("fill", "3")


def test_a_question_about_a_bot_in_a_seat_gives_no_seat_away() -> None:
    asked = read_request(a_mail("Can you give the empty seat in game 3 to a bot?"), "en").asked
    assert not any(it.command for it in asked)
