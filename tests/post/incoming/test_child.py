"""The child process that parses emails: its limits, and emails that exceed them."""

from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from server.play.mail.postmaster import kept_mails
from server.post.incoming import answering
from server.post.incoming.child import Child, ChildDied, TooMuch, child
from server.post.incoming.mime import Doubt
from tests.post.incoming.replying import ada_writes, messages
from tests.post.office import Office
from tests.support.child_work import burn, die, die_always, double, doubt, hoard


def test_a_child_process_returns_results_and_raises_errors() -> None:
    reader = Child()
    assert reader.run(double, "leo") == "leoleo"
    with pytest.raises(Doubt, match="broken"):
        reader.run(doubt)


@pytest.mark.parametrize("greedy", [burn, hoard])
def test_a_call_that_exceeds_a_limit_is_stopped_and_the_next_call_works(greedy: Callable[[], object]) -> None:
    reader = Child()
    with pytest.raises(TooMuch):
        reader.run(greedy)
    assert reader.run(double, "leo") == "leoleo"


def test_a_killed_child_is_replaced(tmp_path: Path) -> None:
    reader = Child()
    assert reader.run(die, str(tmp_path / "died")) == "alive"
    with pytest.raises(ChildDied):
        reader.run(die_always)
    assert reader.run(double, "leo") == "leoleo"


@pytest.mark.usefixtures("within")
def test_an_email_that_takes_too_long_is_set_aside_and_its_sender_is_notified(
    office: Office, game_id: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(answering, "_read", lambda mail, known: child.run(burn))
        answer = ada_writes(office, "say One.")
    assert "Something went wrong on our side" in answer.text
    assert [it["fault"] for it in kept_mails(10)] == ["It takes more than 2 seconds of CPU to read this mail."]
    ada_writes(office, "say Two.")
    assert messages(game_id) == ["Two."]
