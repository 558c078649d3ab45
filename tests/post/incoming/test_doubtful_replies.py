"""Doubtful emails: they lead to a question and play nothing."""

import os
from random import Random

import pytest

from server.games import sternenglanz, sternenhimmel
from server.post.incoming.lines import Wishes
from server.post.incoming.replies import acting_keys, parse, read, understand
from tests.post.incoming.effort import MOST, effort_of
from tests.post.incoming.replies import talk
from tests.post.incoming.replies.make import plain, understood
from tests.post.incoming.replies.programs import LETTER, PROGRAMS, Typed, mail, multipart, part

RULES = {"sternenhimmel": sternenhimmel, "sternenglanz": sternenglanz}
MADE_UP = int(os.environ.get("STERNENPOST_REPLIES", "200"))  # of each kind


def wishes(raw: bytes, game: str = "sternenhimmel") -> Wishes:
    return understand(parse(read(raw), RULES[game]), LETTER.split("\n"))


# Plain text and a page


def both(text: str, page: str) -> Wishes:
    body = multipart("alternative", part("plain", text), part("html", page))
    return wishes(mail(Typed(""), body, "X-Mailer: any"))


@pytest.mark.parametrize(
    "page",
    [
        *("<div><s>7 leo c</s></div>", "<div>Hi</div><del><div>Oh.</div><div>7 leo c</div></del>"),
        *("<div>7 leo <strike>c</strike></div>", '<p style="text-decoration:line-through">7 leo c</p>'),
        "<style>.x{text-decoration:line-through}</style><p class=x>7 leo c</p>",
        *('<p style="display:none">7 leo c</p>', "<p hidden>7 leo c</p>", "<p>5 leo d</p>"),
        *("<p>7 leo c</p><p>5 leo d</p>", "<p>7 leo c</p><p>pause</p>", "<p>7 leo c</p><p>say Hello</p>"),
        *("<p>I would not play 7 leo c</p>", "<blockquote>7 leo c</blockquote>"),
        *("<div class=gmail_signature>7 leo c</div>", "<p>Hi</p>", ""),
    ],
)
def test_nothing_takes_effect_if_html_and_plain_text_differ(page: str) -> None:
    assert both("7 leo c", "<p>7 leo c</p>") == Wishes(move="7 leo c")
    found = both("7 leo c", page)
    assert (found.problem, found) == ("parts-differ", Wishes(problem="parts-differ", line=found.line))


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("Hi *all*\n\n7 leo c", "<p>Hi <b>all</b></p><p>7 leo c</p>"),
        ("7 leo c\n\nsay look at *this*: it shines", "<p>7 leo c</p><p>say look at <i>this</i>: it shines</p>"),
        ("7 leo c\n\n[image: logo.png]", "<p>7&nbsp;leo c</p><img src='cid:1' alt='logo.png'>"),
        ("7 leo c\n\nAda <https://ada.example>", "<p>7 leo c</p><a href='https://ada.example'>Ada</a>"),
        ("7 leo c\n\n> Have fun!", "<p>7 leo c</p><blockquote>Have fun!</blockquote>"),
        (" \n", "<p>7 leo c</p>"),
    ],
)
def test_html_and_plain_text_with_the_same_words_count_as_equal_however_mail_programs_render_them(
    text: str, page: str
) -> None:
    assert both(text, page).move == "7 leo c"


@pytest.mark.parametrize(
    ("text", "page", "says"),
    [
        (
            "see boardgames.example/x<http://boardgames.example/x>",
            'see <a href="http://boardgames.example/x">boardgames.example/x</a>',
            "see boardgames.example/x",
        ),
        ("ask Ada <https://ada.example>", '<a href="https://ada.example">ask Ada</a>', "ask Ada"),
        ("nice :-)", "nice \U0001f642", "nice \U0001f642"),
        ("nice :D", 'nice <img src="cid:1" alt="\U0001f600">', "nice"),
        ("nice [image: \U0001f600]", '<span>nice</span> <img alt="\U0001f600">', "nice"),
        ("so *true*", "so <b>true</b>", "so true"),
        ("call 030 1234567<tel:030%201234567>", 'call <a href="tel:030">030 1234567</a>', "call 030 1234567"),
    ],
)
def test_chat_messages_count_as_equal_however_links_and_emoji_are_rendered(text: str, page: str, says: str) -> None:
    found = both(f"7 leo c\n\nsay {text}", f"<p>7 leo c</p><p>say {page}</p>")
    assert found == Wishes(move="7 leo c", says=(says,))


@pytest.mark.parametrize(
    "text",
    [
        *("* 7 leo c", "  *   7 leo c", "- 7 leo c", "\u2022 7 leo c", "*7 leo c*", "_7 leo c_"),
        "7 leo c [cid:logo.png@01D]",
    ],
)
def test_a_move_counts_as_equal_with_a_bullet_or_in_bold(text: str) -> None:
    assert both(text, "<ul><li><b>7 leo c</b></li></ul>") == Wishes(move="7 leo c")
    assert both(text, "<ul><li><s>7 leo c</s></li></ul>").problem
    assert both(text, "<ul><li>5 leo d</li></ul>").problem


def test_a_struck_out_line_from_any_mail_program_does_not_take_effect() -> None:
    pages = [raw for program in PROGRAMS.values() if b">7 leo c<" in (raw := program.write(Typed("7 leo c")))]
    assert len(pages) > 5
    for raw in pages:
        assert wishes(raw).move == "7 leo c"
        assert wishes(raw.replace(b">7 leo c<", b"><s>7 leo c</s><")).problem in ("parts-differ", "not-understood")


def test_the_html_part_is_found_wherever_it_is() -> None:
    inner = multipart("related", part("html", "<s>7 leo c</s>"), boundary="r")
    nested = multipart("mixed", multipart("alternative", part("plain", "7 leo c"), inner), boundary="m")
    assert wishes(mail(Typed(""), nested, "X-Mailer: any")).problem == "parts-differ"
    assert wishes(plain("7 leo c")).move == "7 leo c"


# Prose beside a line that acts


@pytest.mark.parametrize(
    "words",
    [
        "I have thought about it for days and would rather not take\n7 leo c",
        "Wir fahren am Montag alle weg, darum mache ich eine\nPause",
        *("Hello Ben, do you think that I should\n7 leo c", "He used to\nsay that all is well"),
        *("7 leo c\nis what I would have played", "7 leo c\nund dann w\u00e4re nichts mehr \u00fcbrig"),
        *("Hello all,\nwhat a week!\n7 leo c", "eine\nPause"),
        *("resume\nsent with these words, a letter would make me laugh", "7 leo c\nnot"),
    ],
)
def test_a_line_that_may_be_part_of_a_sentence_is_not_executed(words: str) -> None:
    assert wishes(plain(words)).problem in ("in-a-sentence", "spoken-against", "not-understood")
    assert wishes(plain(words.replace("\n", "<br>"), kind="text/html")).problem == wishes(plain(words)).problem


@pytest.mark.parametrize(
    "above",
    [
        *("Hi,", "Hallo zusammen,", "Bonjour \u00e0 tous !", "Ciao Ben,", "Liebe Ada, lieber Ben,", "My move:"),
        *("Hi, I'd play", "ok then"),
    ],
)
@pytest.mark.parametrize(
    "below",
    ["Ada", "ada", "Viele Gr\u00fc\u00dfe", "Cheers, Ada", "Merci !", "Have fun!", "-----", "Sent from my iPhone"],
)
def test_a_greeting_or_closing_line_next_to_a_move_is_harmless(above: str, below: str) -> None:
    assert wishes(plain(f"{above}\n7 leo c\n{below}")) == Wishes(move="7 leo c")


@pytest.mark.parametrize(
    "below",
    [
        *("Dr. Ada M\u00fcller-L\u00fcdenscheidt", "Ada van den Berg", "i. A. Ada Byron", "(Ada)", "ab", "*Ada*"),
        *("Raum 7 C", "ul. D\u0142uga 7/3", "\u3012100-0001 \u6771\u4eac\u90fd1-1"),
        "Skaffa Outlook f\u00f6r iOS<https://aka.ms/o0ukef>",
        "Ta wiadomo\u015b\u0107 e-mail zosta\u0142a sprawdzona pod k\u0105tem wirus\u00f3w przez Avast.",
    ],
)
def test_a_new_sentence_right_below_a_move_is_harmless(below: str) -> None:
    assert wishes(plain(f"7 leo c\n{below}")) == Wishes(move="7 leo c")


@pytest.mark.parametrize(
    "words",
    [
        *("7 leo c\nIs what Ben would have played", "7 leo c\nNiet spelen!"),
        *("7 leo c\n\u041d\u0435 \u043d\u0430\u0434\u043e", "He said,\n7 leo c", "Please disregard.\n7 leo c"),
        "ok\n\n> On 24 Nov 2026, Ben <ben@example.net> wrote:\n\n7 leo c",
        "ok\n\n>>> Ben <ben@example.net> 24.11.2026 18:30 >>>\n7 leo c",
        "ok\n\n> From: Ben <ben@example.net>\n> Subject: Stars\n>\n7 leo c",
    ],
)
def test_a_line_that_only_seems_to_start_a_sentence_is_not_executed(words: str) -> None:
    assert wishes(plain(words)).problem


@pytest.mark.parametrize(
    "above",
    [
        "CAUTION: This email came from an external sender.\n________________\n",
        *("ATENCI\u00d3N: Este correo proviene de fuera de la organizaci\u00f3n.\n\n", "TLP:GREEN\n\n"),
        *("Classification: Public\n", "Hola a todos:\n\n", "Mijn zet:\n"),
    ],
)
def test_lines_added_by_gateways_above_a_move_are_harmless(above: str) -> None:
    assert wishes(plain(f"{above}7 leo c")) == Wishes(move="7 leo c")


def test_a_plain_text_part_that_only_refers_to_the_html_part_is_ignored() -> None:
    assert both("Your mail program does not support HTML.", "<p>7 leo c</p>") == Wishes(move="7 leo c")
    assert both("I do not support HTML and play 5 leo d", "<p>7 leo c</p>").problem


def test_the_root_of_a_multipart_related_email_is_read() -> None:
    root = b"Content-ID: <root@x>\r\n" + part("html", "<p>7 leo c</p>")
    picture = b"Content-Type: image/png\r\nContent-ID: <1@x>\r\n\r\n"
    body = multipart("related", picture, root).replace(b"boundary=", b'start="<root@x>"; boundary=', 1)
    assert wishes(mail(Typed(""), body, "X-Mailer: any")) == Wishes(move="7 leo c")


def test_our_reply_quotes_the_line_that_contradicts_the_move() -> None:
    for words, line in [
        ("7 leo c\n\nHm. Is that\nallowed? I wonder.", "Is that allowed?"),
        ("Please do not play\nthat yet.\n\n7 leo c\n\nAda", "Please do not play that yet."),
        ("pause\n\nNein, doch nicht.", "Nein, doch nicht."),
    ]:
        assert wishes(plain(words)) == Wishes(problem="spoken-against", line=line)
    assert wishes(plain("?\n\nIs that allowed?")) == Wishes(asks=True)
    assert wishes(plain("7 leo c\n\nsay is that allowed?")) == Wishes(move="7 leo c", says=("is that allowed?",))


@pytest.mark.parametrize(
    "below",
    [
        ":+1:",
        "CAUTION: This mail came from outside. Do not click links or open attachments unless you know its sender.",
        "Klicken Sie nicht auf Links und \u00f6ffnen Sie keine Anh\u00e4nge, es sei denn, Sie kennen den Absender.",
        "Ada - ada@example.org\n\nFingerprint:\nFEC2 57F1 D465 EB15 5D6E  7C11 332A 551C 796C 9F04",
        "2013/7/20 Ben via Stars <ben@example.org>\n\n| Is that allowed?\n| Please do not play that yet.",
        "*To:* stars@example.org\n*Subject:* Are you there?\n\nSome words.",
        "Original Message processed by david\u00ae\n\nIs that allowed?",
        "On Wed, 14 Nov 2018 08:14:43 -0200 Ben Nevis <ben@example.org> wrote\n\nIs that allowed?",
    ],
)
def test_lines_added_by_programs_below_a_move_are_ignored(below: str) -> None:
    assert wishes(plain(f"7 leo c\n\n{below}")) == Wishes(move="7 leo c")


@pytest.mark.parametrize(
    "words",
    [
        "7 leo c\n\nNein, doch nicht.\nDiese Nachricht ist vertraulich und nur f\u00fcr den Empf\u00e4nger bestimmt.",
        "7 leo c\n\nNein, doch nicht\nDiese Nachricht ist vertraulich und nur f\u00fcr den Empf\u00e4nger bestimmt.",
        "7 leo c\n\nThis e-mail is confidential and for the intended recipient only.\nWait, not yet!\nNotify the sender.",
        "7 leo c\n\nThis e-mail is confidential and for the intended recipient only. Please do not play that yet.",
        "7 leo c\n\nThis message was sent by mistake, please ignore it.",
        "7 leo c\n\nThis email was meant for another recipient. Please delete it and ignore the move.",
        "[EXTERNAL]\n\nDo not play that yet.\n\n7 leo c",
        "This message is from an external sender.\nI would not play\n7 leo c",
    ],
)
def test_a_contradiction_next_to_a_legal_notice_counts(words: str) -> None:
    assert wishes(plain(words)).problem
    assert wishes(plain(words.replace("\n", "<br>"), kind="text/html")).problem


QUESTIONS = {
    "en": [
        *(
            "Is Alcor a bot?",
            "is alcor a bot?",
            "Which bot is playing here?",
            "How many points do I have?",
            "Who is winning?",
        ),
        *("Do you also have chess?", "How do I invite my brother?", "Can I play on my phone?", "Why is the sky empty?"),
        *("Is it possible to pause the game?", "Are the bots human or machines?", "Does Leo count double?"),
        *(
            "What does the ten do?",
            "Did Mizar resign?",
            "Could you tell me who starts next?",
            "how many stars are left?",
        ),
        *("Is Mizar stronger than Alcor, or are they the same?", "Will there be a rematch?"),
    ],
    "de": [
        *(
            "Welcher Bot spielt da?",
            "Ist Alcor ein Bot?",
            "Wie viele Punkte habe ich?",
            "Kann man das Spiel pausieren?",
        ),
        *("Spielt ihr auch Schach?", "Geht das auch auf dem Handy?", "Wie lade ich meine Schwester ein?"),
        *("Was bedeutet die Zahl neben dem Löwen?", "Hat Mizar schon gezogen?", "Gibt es eine App?", "wer ist alcor?"),
    ],
    "fr": [
        *("Alcor est-il un bot ?", "Quel bot joue ici ?", "Combien de points ai-je ?", "Comment inviter mon frère ?"),
        *(
            "Est-ce que je peux jouer sur mon téléphone ?",
            "Peut-on mettre la partie en pause ?",
            "Que veut dire le D ?",
        ),
    ],
    "it": [
        *("Alcor è un bot?", "Quale bot gioca qui?", "Quanti punti ho?", "Posso giocare dal telefono?"),
        *("Come invito mio fratello?", "Si può mettere in pausa la partita?", "Mizar ha già giocato?"),
    ],
}
SHAPES = (
    *("MOVE\n\n{0}", "{0}\n\nMOVE", "MOVE\n{0}", "{0}\nMOVE", "MOVE. {0}", "{0} MOVE", "MOVE. {0} Thanks!"),
    *("Hi! {0}\nMOVE\nThanks, Ada", "{0} MOVE. {0}"),
)
PLAYED = {"sternenhimmel": "7 leo c", "sternenglanz": "1 lay punkt b1"}


@pytest.mark.parametrize("game", RULES)
@pytest.mark.parametrize(("locale", "question"), [(it, question) for it in QUESTIONS for question in QUESTIONS[it]])
def test_a_question_beside_a_move_never_holds_the_move(game: str, locale: str, question: str) -> None:
    for shape in SHAPES:
        text = shape.replace("MOVE", PLAYED[game]).format(question)
        found = understood(text, RULES[game], locale)
        assert (found.problem, found.move, set(found.questions)) == (None, PLAYED[game], {question}), text


@pytest.mark.parametrize(
    "question",
    [
        "Is Mizar, who has beaten me in each of the last games,\nreally a bot?",
        "Wie lange dauert die Partie denn noch, wenn alle so\nlange brauchen?",
    ],
)
def test_a_wrapped_question_beside_a_move_does_not_hold_the_move(question: str) -> None:
    for text in (f"7 leo c\n{question}", f"{question}\n7 leo c", f"7 leo c\n\n{question}"):
        assert wishes(plain(text)).move == "7 leo c", text


@pytest.mark.parametrize(
    "question",
    [
        *("Should I play that?", "Is that ok?", "Really?", "ok?", "Is this a good move?", "Was that a mistake?"),
        *("Does that work?", "Is my move valid?", "Do you agree?", "What if I wait?", "May I do this?"),
        *("Soll ich das spielen?", "Geht das?", "Ist das ein guter Zug?", "Bist du einverstanden damit?", "Passt das?"),
        *("C'est permis ?", "Est-ce un bon coup ?", "Ça va comme ça ?", "Je peux jouer ça ?", "Tu crois ?"),
        *("È una buona mossa?", "Si può fare?", "Va bene?", "La mossa è valida?", "Is dat goed?", "Puedo hacer esto?"),
        *("Is 7 leo c allowed?", "Should I play 7 leo c?"),
    ],
)
def test_a_question_about_the_move_holds_it(question: str) -> None:
    for text in (f"7 leo c\n{question}", f"{question}\n7 leo c", f"7 leo c. {question}"):
        assert wishes(plain(text)).problem, text


@pytest.mark.parametrize(
    "line",
    [
        "7 leo c and what was my last move?",
        "7 leo c und wer ist als nächstes dran?",
        "7 leo c et qui gagne ?",
        "7 leo c e chi vince?",
        "7 leo c, and who is winning?",
    ],
)
def test_a_question_joined_to_a_move_by_and_keeps_the_move(line: str) -> None:
    assert wishes(plain(line)).move == "7 leo c"


@pytest.mark.parametrize(
    "line", ["7 leo c and 3 leo d, who is next?", "7 leo c and should I?", "7 leo c and is that allowed?"]
)
def test_a_second_move_or_a_doubt_joined_to_a_move_holds_it(line: str) -> None:
    assert wishes(plain(line)).problem


def test_a_question_that_names_a_move_plays_nothing() -> None:
    for text in (
        "Is 7 leo c allowed?",
        "Should I play 7 leo c?",
        "Can I play 7 leo c? Or 5 leo d?",
        "5 leo d?",
        "7 leo c\nis what I'd play, ok?",
    ):
        assert wishes(plain(text)).problem, text
    assert wishes(plain("7 leo c\n5 leo d\nIs Alcor a bot?")).problem == "two-moves"


def test_a_contradiction_in_a_marked_signature_counts() -> None:
    begins = '<body>7 leo c<br id="lineBreakAtBeginningOfSignature">'
    for page in (
        "<div>7 leo c</div><div class='gmail_signature'>Please do not play that yet.</div>",
        f'{begins}<div dir="ltr">Ada. Wait, not yet!</div></body>',
        f'{begins}<div dir="ltr">Ada</div><div>Is that allowed?</div></body>',
    ):
        assert wishes(plain(page, kind="text/html")).problem
    page = f'{begins}<div dir="ltr">5 leo d</div></body>'
    assert wishes(plain(page, kind="text/html")) == Wishes(move="7 leo c")


@pytest.mark.parametrize(
    "below",
    [":-1:", "+1 leo c", "Do not play that; see the attachment.", "Subject to change!\nIs that allowed?", "leo7 c"],
)
def test_a_move_above_a_fake_program_footer_is_not_executed(below: str) -> None:
    assert wishes(plain(f"7 leo c\n\n{below}")).problem


@pytest.mark.parametrize("line", ["7 leo c?", "7 leo c (?)", "ready?", "pause?", "resign ?", "undo?", "plan 7 leo c?"])
def test_a_line_that_ends_with_a_question_mark_is_not_executed(line: str) -> None:
    assert wishes(plain(line)) == Wishes(problem="not-understood", line=line)


@pytest.mark.parametrize(
    "unit",
    [
        *("spiel ", "n'", "danke'", "cheers ' - ", "......x", "a@", "ne ", "non la ", "Hi ", "jouela", "I do "),
        *("ich will noch ", "je le ", "was,"),
    ],
)
def test_parsing_prose_is_fast(unit: str) -> None:
    line = unit * (990 // len(unit))
    for words in (f"{line}\n" * 290, f"{line[:300]}\n\n" * 140, f"{line}\n7 leo c\n{line}"):
        assert effort_of(lambda words=words: wishes(plain(f"{words}\n7 leo c"))) < MOST


def test_sentences_that_wrap_before_a_command_word_are_never_executed() -> None:
    for seed in range(MADE_UP):
        dice = Random(seed)
        game = dice.choice(list(RULES))
        words = talk.wrapped_sentence(dice, game)
        assert wishes(plain(words), game).problem, words


def test_moves_that_the_email_contradicts_are_never_played() -> None:
    for seed in range(MADE_UP):
        dice = Random(seed)
        game = dice.choice(list(RULES))
        words = talk.objection(dice, game)
        assert wishes(plain(words), game).problem, words


def test_plain_moves_with_friendly_words_are_rarely_rejected() -> None:
    asked = []
    for seed in range(MADE_UP):
        dice = Random(seed)
        game = dice.choice(list(RULES))
        move, words = talk.plain_move(dice, game)
        found = wishes(plain(words), game)
        assert found.problem or found.move == RULES[game].write_move(RULES[game].read_move(move)), words
        asked += [words] if found.problem else []
    assert len(asked) <= MADE_UP / 100, asked[:5]


@pytest.mark.parametrize(
    "words",
    [
        *("I'll wait for your move.", "I shall wait patiently.", "We need to wait for Bob, he is slow."),
        *("Sorry it took so long, I was still thinking.", "Thanks for waiting, I couldn't make up my mind."),
        *("Thanks for giving me time to think it over.", "You made me think twice!"),
        *("I'll play my next move tomorrow.", "I'd love to play again tomorrow!", "I can play again tomorrow."),
        *("I'm moving house tomorrow.", "Good luck with making dinner tonight.", "I'll answer your email later."),
        *("Sorry that I answer a day later.", "Danke fürs Warten, ich musste noch überlegen."),
        *("Entschuldigung, ich war noch unentschlossen.", "Ich ziehe morgen um.", "Ich mache nächste Woche Urlaub."),
        *("Ich spiele heute Abend Fußball.", "Mach dir morgen einen schönen Tag!", "Ich warte noch auf das Paket."),
        *("Wir müssen auf Bob warten.", "Ich muss jetzt schlafen, gute Nacht!", "Das macht gar nichts."),
        *("On verra bien qui gagne !", "Pardon, j'hésite toujours trop.", "J'étais indécise, désolée."),
        *("Je prends le train demain.", "Je joue ce soir au foot.", "Je fais mon prochain coup demain."),
        *("Je vais attendre ta réponse.", "Je vais penser à toi.", "Bof, c'est le hasard.", "Tu joues pas mal !"),
        *("Ci penso io alle birre!", "Ero indeciso, scusate.", "Mah, speriamo bene!"),
        *("Faccio la prossima mossa domani.", "Gioco stasera a calcetto.", "Devo aspettare la tua mossa."),
        *("Ti faccio sapere domani per la cena.", "I'm back and can play again tomorrow!"),
        *("Ich ziehe nächste Woche um.", "I'll wait for you all.", "I'll answer your mail later."),
        *("See you at the club\ntomorrow.", "Ci vediamo\ndomani.", "On se voit\ndemain.", "Later!", "Later,\nAda"),
        *("Morgen", "Morgen!", "Morgen Anna,", "Don't let me wait too long!"),
        *("I'm still thinking about your last move, brilliant.", "I'll think of you.", "I had to sleep on it."),
        *("We should do that again tomorrow!", "Das wird sich noch entscheiden.", "Jetzt muss Bob überlegen!"),
        *("Il faut réfléchir dans ce jeu !", "Je dois penser à acheter du pain.", "On verra !"),
        *("Devo pensare alla cena.", "Ich spiele morgen im Club Schach.", "Wir reden noch drüber."),
        *("We could meet afterwards if you want.", "Good luck to Ben, or to you!", "I give you a free pass :)"),
        *("Wenn ihr mögt, spielen wir danach noch eine.", "Or Cohen", "Ich warte auf euch."),
        *("I'll move to Berlin next week.", "We'll play chess tomorrow.", "J'attends encore ta réponse."),
        *("Ho ancora pensato a te.", "Rien du tout à signaler, ça ne fait rien du tout."),
        *("Ich habe noch lange überlegt.", "I'd love to see you play tomorrow.", "I'm making a cake tomorrow."),
        *("Sorry for the wait, I was undecided.", "Ich musste noch eine Nacht darüber schlafen."),
        *("J'ai hésité longtemps.", "Je pense à toi.", "I'll be back tomorrow.", "Back tomorrow.", "More tomorrow."),
        *("Morgen mehr.", "Bis morgen!", "A domani!", "See you tomorrow", "Talk to you later"),
        *("I'll write more later.", "I'll tell you later.", "Ich schreibe später mehr.", "Ich melde mich morgen."),
        *("Je t'appelle demain.", "Ti chiamo domani.", "Ti scrivo dopo.", "I'll finish my coffee later."),
        *("Gute Nacht, ich gehe jetzt schlafen.", "Can't wait!", "I'll wait and see what you do."),
        *("Pourvu que ça dure !", "Thanks for waiting as long as you did!"),
        *("The weather is fine as long as it is summer.", "The lunch provided was great."),
        *("Can you tell Freddy I said hello?", "Kannst du Freddy von mir grüßen?", "Tu peux dire bonjour à Freddy ?"),
        *("I can't play tomorrow.", "Morgen kann ich nicht spielen.", "Domani non posso giocare."),
        *("I won't be able to play until Monday.", "Hoffentlich war das nicht zu dumm."),
        "I'm assuming you are fine.",
    ],
)
def test_a_friendly_sentence_does_not_prevent_a_move(words: str) -> None:
    assert wishes(plain(f"7 leo c\n\n{words}\n\nAda")) == Wishes(move="7 leo c")


@pytest.mark.parametrize(
    "words",
    [
        *("I am still thinking.", "Not yet.", "Wait!", "tomorrow", "later", "I'll do it tomorrow."),
        *("Ich überlege noch.", "Ich mache das morgen.", "Je réfléchis encore.", "Demain.", "Ci penso ancora."),
        *("Lo faccio domani.", "I am still thinking\nAda", "I'll play tomorrow\nAda", "I'll play tomorrow."),
        *("Tomorrow\nAda", "Later.", "I'll wait.", "I'd rather wait a day.", "I'll wait with this move."),
        *("Let me think it over.", "I need more time to think it over.", "I can't make up my mind."),
        *("I haven't made up my mind.", "I'll make my move later.", "I'm going to do it tomorrow."),
        *("I'd like to do this tomorrow.", "Please do it tomorrow.", "Will decide tomorrow."),
        *("I'll have to sleep on it.", "Ich muss noch überlegen.", "Muss noch überlegen"),
        *("Ich bin noch unentschlossen.", "Ich denke noch nach.", "Ich denke noch darüber nach."),
        *("Ich schlafe noch drüber.", "Ich warte noch.", "Ich warte damit bis morgen.", "Ich will lieber warten."),
        *("Ich spiele morgen.", "Das mache ich morgen.", "Das mache ich später\nAda", "Ich ziehe erst später."),
        *("Ich bin noch am Überlegen.", "Wir müssen noch überlegen.", "Ich grüble noch.", "Morgen Abend."),
        *("Vielleicht morgen.", "J'y réfléchis encore.", "Je dois encore y penser.", "Je suis indécise."),
        *("Je le ferai demain.", "Je jouerai plus tard.", "Je préfère attendre.", "Laisse-moi réfléchir."),
        *("J'hésite encore.", "Je ferai ça demain.", "Ci sto ancora pensando.", "Devo pensarci.", "Sono indecisa."),
        *("Lo farò più tardi.", "Faccio la mossa domani.", "Gioco stasera.", "Fammi riflettere.", "Devo aspettare."),
        *("Preferisco aspettare.", "Sto ancora pensando.", "Devo pensarci ancora.", "nah", "gar nichts"),
        *("rien du tout", "boh", "Ne joue pas.", "Please wait for Bob.", "I'll wait until tomorrow."),
        *("Sorry, I'm still thinking.", "Sorry for the delay, I am still thinking.", "I was away, I'm still thinking."),
    ],
)
def test_a_sentence_that_postpones_the_move_prevents_it(words: str) -> None:
    assert wishes(plain(f"7 leo c\n\n{words}\n\nAda")).problem in ("spoken-against", "not-understood")


@pytest.mark.parametrize(
    "words",
    [
        *("or rather pass, if Ben agrees", "Or rather pass, if Ben agrees.", "Or maybe the ten."),
        *("or perhaps something else", "I could wait, or better pass.", "no wait", "Oh no, wait!", "Hmm wait"),
        *("Actually, wait", "Unless Ben objects", "If Ben agrees.", "If everyone is fine with it"),
        *("if Ben doesn't mind", "I pass", "I'll pass.", "pass", "oder lieber passen, wenn Ben zustimmt"),
        *("Oder doch etwas anderes.", "Oder vielleicht die 10.", "nein warte", "Es sei denn, Ben ist dagegen."),
        *("Wenn alle einverstanden sind.", "wenn Ben nichts dagegen hat", "außer Ben hat etwas dagegen", "Ich passe"),
        *("ou plutôt passer, si Ben est d'accord", "Ou peut-être le dix.", "ou mieux, le dix", "non attends"),
        *("À moins que Ben ne soit contre.", "Si Ben accepte.", "si tout le monde est d’accord", "Je passe"),
        *("o meglio, passo, se Ben è d'accord", "O forse il dieci.", "oppure passo", "no aspetta"),
        *("A meno che Ben non sia contrario.", "Se tutti sono d'accordo.", "se Ben accetta", "Passo."),
        *("if everyone's ok with that", "If everyone’s okay with it.", "if Ben's fine with it"),
        *("If you're all happy with that", "provided Ben agrees", "Providing everyone is happy."),
        *("as long as Ben agrees", "so long as nobody minds", "on condition that Ben agrees", "assuming Ben agrees"),
        *("vorausgesetzt, Ben ist einverstanden", "Vorausgesetzt dass alle zustimmen."),
        *("unter der Bedingung, dass Ben zustimmt", "à condition que Ben soit d'accord"),
        *("Pourvu que Ben soit d'accord", "purché Ben sia d'accord", "A patto che Ben accetti."),
        "a condizione che tutti siano d'accordo",
    ],
)
def test_an_alternative_or_a_condition_prevents_the_move(words: str) -> None:
    assert wishes(plain(f"7 leo c\n\n{words}\nAda")).problem
    assert wishes(plain(f"{words}\n\n7 leo c")).problem


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("resume", "I'm back and can play again tomorrow!"),
        ("pause", "Ich ziehe n\u00e4chste Woche um."),
        ("ready", "I'll wait for you all."),
        ("say hello", "I'll answer your mail later."),
    ],
)
def test_a_friendly_sentence_does_not_prevent_a_command(command: str, words: str) -> None:
    assert not wishes(plain(f"{command}\n\n{words}\n\nAda")).problem


# Lines that stood in an earlier mail


def after(earlier: str, words: str, game: str = "sternenhimmel") -> Wishes:
    known = acting_keys(parse(read(plain(earlier)), RULES[game]))
    assert known
    return understand(parse(read(plain(words)), RULES[game]), LETTER.split("\n"), stood=known.__contains__)


def test_new_lines_above_a_quote_intro_take_effect_and_old_lines_below_it_never_do() -> None:
    asked = []
    for seed in range(MADE_UP):
        dice = Random(seed)
        game = dice.choice(list(RULES))
        move, earlier, words = talk.below_an_intro(dice, game)
        meant = RULES[game].write_move(RULES[game].read_move(move))
        found = after(earlier, words, game)
        assert found.problem or found == Wishes(move=meant), words
        asked += [words] if found.problem else []
    assert len(asked) <= MADE_UP / 20, asked[:9]


@pytest.mark.parametrize("intro", talk.INTROS)
@pytest.mark.parametrize("old", ["7 leo c", "pause", "say Good evening, all of you at this table, from far away"])
def test_an_old_line_below_a_quote_intro_does_nothing(intro: str, old: str) -> None:
    for above in ("", "Thanks!\n\n", "Das habe ich gestern geschrieben.\n\n"):
        for gap in ("\n", "\n\n"):
            assert after(old, f"{above}{intro}{gap}{old}\n\nAda").problem


def test_a_quoted_line_is_recognized_however_mail_programs_send_it_back() -> None:
    said = "say Good evening, all of you at this table, from far away in the north"
    for earlier, again in [
        ("7 leo c", "7 LEO\u00a0c"),
        (said, said[:60]),
        ("1 lay punkt b1; 2 move a1 b2 c3", "1 lay punkt b1;\n2 move a1 b2 c3"),
        ("1 lay punkt b1\n2 move a1 b2 c3", "1 lay punkt b1; 2 move a1 b2 c3"),
        ("1 lay punkt b1; 2 move a1 b2 c3", "1 lay punkt b1, 2 move a1 b2 c3"),
        ("1 lay punkt b1; 2 move a1 b2 c3", "1 lay punkt b1 and then 2 move a1 b2 c3"),
        ("1 lay punkt b1; 2 move a1 b2 c3", "1 lay punkt b1, und 2 move a1 b2 c3"),
    ]:
        game = "sternenglanz" if "lay" in earlier else "sternenhimmel"
        assert not after(earlier, again, game).problem
        assert after(earlier, f"Ada kirjoitti\n\n{again}", game).problem == "perhaps-quoted"


@pytest.mark.parametrize(
    "above", ["", "Hi,\n", "Hello all,\n\n", "What a night we had!\n\n", "Danke :)\n\n", "My move:\n", "say Hello\n"]
)
def test_a_line_from_an_earlier_email_takes_effect_again_at_the_top(above: str) -> None:
    assert after("7 leo c", f"{above}7 leo c\n\nAda").move == "7 leo c"
    quote = "On Friday, Ada wrote:\n> Which star?\n\n"
    assert after("7 leo c", f"{quote}{above}7 leo c\n\nAda").move == "7 leo c"


def test_a_new_line_below_a_line_from_an_earlier_email_is_not_executed() -> None:
    assert after("7 leo c", "5 leo d\n\nAda kirjoitti\n\n7 leo c\n\npause").problem == "perhaps-quoted"
    assert after("7 leo c", "5 leo d\n\nAda kirjoitti\n\n7 leo c") == Wishes(move="5 leo d")
    assert wishes(plain("Ada skrev:\n\n7 leo c")).problem == "perhaps-quoted"


def test_an_old_line_is_recognized_even_if_it_now_means_another_move() -> None:
    dot, lapse, finish = map(sternenglanz.read_move, ("1 lay punkt b1", "2 lapse", "finish"))
    known = acting_keys(parse(read(plain("I pass")), sternenglanz, legal=[dot, lapse]))
    for text, problem in [("I pass", None), ("Ada kirjoitti\n\nI pass", "perhaps-quoted")]:
        found = understand(parse(read(plain(text)), sternenglanz, legal=[dot, finish]), stood=known.__contains__)
        assert (found.problem, found.move) == (problem, None if problem else "finish")
    again = understand(parse(read(plain("Ada kirjoitti\n\n2 lapse")), sternenglanz), stood=known.__contains__)
    assert again.problem == "perhaps-quoted"


# The line that our reply names


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ("I give up!\n\n7 leo c", "contradiction", "I give up!"),
        ("7 leo c\n\nput my ten on Leo d", "two-moves", "put my ten on Leo d"),
        ("name Ann\n\nHow nice it is here tonight.", "not-understood", "How nice it is here tonight."),
        ("Hello,\nname Ann\n\nDo as you like.", "not-understood", "Do as you like."),
    ],
)
def test_our_reply_names_the_line_as_written(text: str, problem: str, line: str) -> None:
    legal = [sternenhimmel.read_move(it) for it in ("7 leo c", "10 leo d")]
    parsed = parse(read(plain(text)), sternenhimmel, legal=legal, settings={"name Ann": "set name Ann"})
    assert understand(parsed) == Wishes(problem=problem, line=line)
