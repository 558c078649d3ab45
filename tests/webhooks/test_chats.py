"""Webhooks of Discord and Slack: whose turn it is, in the seated player's language."""

import json
from itertools import count
from uuid import UUID

import pytest

from server.accounts.players import change_profile
from server.errors import BadField
from server.games import Json
from server.play import commits
from server.play.story.table_cache import TableCache
from server.store.tables import WebhookMessage, db
from server.webhooks import chats
from server.webhooks.sender import HookOffice
from server.webhooks.subscriptions import change_webhook
from tests.support.games import HOUR, everything_due_happens, game_of, later, moves_on, person, seats_of
from tests.support.webhook_receiver import Call, Hook, Receiver, carry

_numbers = count(1_200_000_000_000_000_000)


@pytest.fixture
def there() -> set[str]:
    """The messages that a channel shows, by their ids."""
    return set()


@pytest.fixture
def discord(receiver: Receiver, there: set[str], monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """As Discord documents it: who waits is told the message; one that is not there cannot be changed."""
    monkeypatch.setitem(chats.HOSTS, "127.0.0.1", chats.DISCORD)

    def status(call: Call) -> int:
        if call.method == "PATCH":
            return 200 if call.path.partition("?")[0].rpartition("/")[2] in there else 404
        return 200 if "wait=true" in call.path else 204

    def says(call: Call) -> bytes:
        if call.method == "PATCH" or "wait=true" not in call.path:
            return b"{}"
        message_id = str(next(_numbers))
        there.add(message_id)
        return json.dumps({"id": message_id, "type": 0, "embeds": [], **call.payload}).encode()

    receiver.answer, receiver.says = status, says
    return receiver


@pytest.fixture
def slack(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> Receiver:
    monkeypatch.setitem(chats.HOSTS, "127.0.0.1", chats.SLACK)
    receiver.answer, receiver.says = lambda call: 200, lambda call: b"ok"
    return receiver


def hook_at(receiver: Receiver, form: str) -> Hook:
    return Hook(person("ada"), receiver.url, "your-turn", form=form)


def goes_round(game_id: UUID) -> None:
    """Let Ada, Bea and the bot move."""
    for name in ("ada", "bea"):
        moves_on(game_id, person(name))
    everything_due_happens()


def text(call: Call) -> str:
    told: Json = call.payload
    return str(told.get("content") or told["text"])


def test_discord_shows_one_message_per_game_that_is_updated(office: HookOffice, discord: Receiver) -> None:
    hook_at(discord, "discord")
    first, second = (game_of(person("ada"), person("bea"), bots=1) for _ in range(2))
    carry(office)
    assert [(it.method, it.path) for it in discord.calls] == [("POST", "/hook?for=ada&wait=true")] * 2
    goes_round(first)
    carry(office)
    edit = discord.calls[-1]
    (written,) = db.session.scalars(db.select(WebhookMessage.message_id).where(WebhookMessage.game_id == first))
    assert (edit.method, edit.path) == ("PATCH", f"/hook/messages/{written}?for=ada")
    assert str(first) in text(edit)
    assert str(second) not in text(edit)
    assert len(discord.calls) == 3


def test_slack_gets_each_turn_once(office: HookOffice, slack: Receiver) -> None:
    hook_at(slack, "slack")
    game_id = game_of(person("ada"), person("bea"), bots=1)
    carry(office)
    goes_round(game_id)
    carry(office)
    carry(office)
    assert [it.method for it in slack.calls] == ["POST", "POST"]
    assert "<!date^" in text(slack.calls[0])


@pytest.mark.parametrize(
    ("locale", "words"), [("en", "Your turn"), ("de", "Du bist am Zug"), ("fr", "À toi de jouer"), ("it", "Tocca a te")]
)
def test_a_message_is_in_the_seated_players_language(
    locale: str, words: str, office: HookOffice, discord: Receiver
) -> None:
    change_profile(person("ada"), {"locale": locale})
    hook_at(discord, "discord")
    game_id = game_of(person("ada"), person("bea"), bots=1)
    carry(office)
    (call,) = discord.calls
    assert text(call).startswith(words)
    due = int(seats_of(game_id)[0].due_at.timestamp())
    assert f"<t:{due}:F>" in text(call)
    assert f"/#/games/{game_id}" in text(call)


def test_the_table_read_for_discord_is_cached(
    office: HookOffice, discord: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook_at(discord, "discord")
    game_id = game_of(person("ada"), person("bea"), bots=1)
    tables = TableCache()
    monkeypatch.setattr(commits, "tables", tables)
    carry(office)
    assert len(discord.calls) == 1
    assert tables.get(game_id) is not None


def test_a_title_cannot_mention_users_or_use_formatting(office: HookOffice, discord: Receiver) -> None:
    hook_at(discord, "discord")
    game_of(person("ada"), person("bea"), bots=1, title="@everyone **x** <@1> [a](http://b.example)")
    carry(office)
    (call,) = discord.calls
    assert call.payload["allowed_mentions"] == {"parse": []}
    assert r"\@everyone \*\*x\*\* \<\@1\> \[a\]\(http\:\/\/b\.example\)" in text(call)


def test_a_title_cannot_mention_users_in_slack(office: HookOffice, slack: Receiver) -> None:
    hook_at(slack, "slack")
    game_of(person("ada"), person("bea"), bots=1, title="<!channel> & *x*")
    carry(office)
    assert "*&lt;!channel&gt; &amp; ∗x∗*" in text(slack.calls[0])


def test_a_past_turn_is_not_sent(office: HookOffice, discord: Receiver) -> None:
    hook = hook_at(discord, "discord")
    game_id = game_of(person("ada"), person("bea"), bots=1)
    moves_on(game_id, person("ada"))
    carry(office)
    assert discord.calls == []
    (newest,) = hook.deliveries
    assert (newest["result"], newest["detail"]) == ("given-up", "No longer relevant")
    assert hook.resource["failing_since"] is None


def test_after_a_day_without_a_response_only_the_current_turn_is_sent(office: HookOffice, discord: Receiver) -> None:
    works, discord.answer = discord.answer, lambda call: 503
    hook_at(discord, "discord")
    game_id = game_of(person("ada"), person("bea"), bots=1)
    carry(office)
    goes_round(game_id)
    discord.answer = works
    discord.calls.clear()
    for _ in range(24):
        later(HOUR)
        carry(office)
    assert [it.method for it in discord.calls] == ["POST"]


def test_a_message_that_was_deleted_is_posted_again(office: HookOffice, discord: Receiver, there: set[str]) -> None:
    hook_at(discord, "discord")
    game_id = game_of(person("ada"), person("bea"), bots=1)
    carry(office)
    there.clear()
    goes_round(game_id)
    carry(office)
    assert [it.method for it in discord.calls] == ["POST", "PATCH", "POST"]


def test_a_webhook_that_was_deleted_in_the_chat_service_is_disabled(office: HookOffice, discord: Receiver) -> None:
    discord.answer = lambda call: 404
    hook = hook_at(discord, "discord")
    game_of(person("ada"), person("bea"), bots=1)
    carry(office)
    assert hook.resource["disabled_because"] == "gone"


@pytest.mark.parametrize("form", ["discord", "slack"])
def test_a_ping_is_a_separate_message(
    form: str, office: HookOffice, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(chats.HOSTS, "127.0.0.1", form)
    hook_at(receiver, form).ping()
    carry(office)
    (call,) = receiver.calls
    assert text(call) == "We'll post here when it's your turn."


@pytest.mark.parametrize(
    ("url", "chat"),
    [
        ("https://discord.com/api/webhooks/1/x", "Discord"),
        ("https://DISCORD.com/api/webhooks/1/x", "Discord"),
        ("https://canary.discord.com/api/webhooks/1/x", "Discord"),
        ("https://hooks.slack.com/services/T/B/x", "Slack"),
    ],
)
def test_a_plain_webhook_to_a_chat_address_is_rejected_with_advice(url: str, chat: str, sandbox: object) -> None:
    with pytest.raises(BadField, match=f"{chat} webhook.*Send `form` {chat.lower()}") as told:
        Hook(person("ada"), url)
    assert told.value.field == "url"
    hook = Hook(person("ada"), url, "your-turn", form=chat.lower())
    assert hook.resource["form"] == chat.lower()
    with pytest.raises(BadField, match=f"{chat} webhook"):
        change_webhook(hook.who, hook.id, {"form": "standard"}, sandbox=True)
    with pytest.raises(BadField, match=f"{chat} can only be notified of your turns"):
        change_webhook(hook.who, hook.id, {"kinds": ["reminder"]}, sandbox=True)
    with pytest.raises(BadField, match=f"not a {chat} webhook"):
        change_webhook(hook.who, hook.id, {"url": "https://stars.example/hook"}, sandbox=True)
    changes = {"url": "https://stars.example/hook", "form": "standard", "kinds": ["reminder"]}
    assert change_webhook(hook.who, hook.id, changes, sandbox=True)["form"] == "standard"
