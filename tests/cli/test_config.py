"""Settings from the environment."""

from pathlib import Path

import pytest

from server.config import BadSetting, Settings


def test_nothing_needs_to_be_set():
    settings = Settings.from_environment({})
    assert settings.database_url is None
    assert settings.smtp_url is None
    assert settings.base_url == "http://127.0.0.1:8000"
    assert settings.limits
    assert not settings.sandbox


def test_an_empty_variable_counts_as_one_that_is_not_set():
    assert Settings.from_environment({"SMTP_URL": "", "STERNENPOST_PORT": " "}) == Settings.from_environment({})


def test_links_lead_to_the_port_unless_a_base_url_is_set():
    assert Settings.from_environment({"STERNENPOST_PORT": "9000"}).base_url == "http://127.0.0.1:9000"
    assert (
        Settings.from_environment({"STERNENPOST_BASE_URL": "https://stars.example/"}).base_url
        == "https://stars.example"
    )


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_usual_name_of_postgres_is_understood(scheme):
    settings = Settings.from_environment({"DATABASE_URL": f"{scheme}://stars@db.example/stars"})
    assert settings.database_url == "postgresql://stars@db.example/stars"


def test_a_database_may_have_several_hosts():
    url = "postgresql://stars@db1.example:5432,[2001:db8::2]:5433,db3.example/stars?target_session_attrs=read-write"
    assert Settings.from_environment({"DATABASE_URL": url}).database_url == url


def test_a_relative_directory_starts_where_the_command_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Settings.from_environment({"STERNENPOST_DATA": "data"}).data == Path(tmp_path, "data")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "mysql://db.example/stars"),
        ("DATABASE_URL", "postgresql://db1.example:5432,db2.example:99999/stars"),
        ("DATABASE_URL", "postgresql://db1.example:5432,db2.example:0/stars"),
        ("SMTP_URL", "mail.example:25"),
        ("STERNENPOST_MAIL_IN", "8025"),
        ("STERNENPOST_MAIL_IN", "127.0.0.1"),
        ("STERNENPOST_MAIL_IN", "127.0.0.1:25/x"),
        ("STERNENPOST_MAIL_IN", "127.0.0.1:25,"),
        ("STERNENPOST_MAIL_IN", "imaps://stars.example/INBOX"),
        ("STERNENPOST_MAIL_IN", "pop3s://stars.example:995"),
        ("STERNENPOST_REPLY_DOMAIN", "ada@stars.example"),
        ("STERNENPOST_PORT", "0"),
        ("STERNENPOST_PORT", "65536"),
        ("STERNENPOST_PORT", "eight"),
        ("STERNENPOST_BASE_URL", "stars.example"),
        ("STERNENPOST_LIMITS", "maybe"),
        ("STERNENPOST_KEEP_ANSWERS", "6"),
        ("STERNENPOST_KEEP_DELIVERIES", "13"),
    ],
)
def test_what_a_variable_cannot_mean_is_told_in_one_sentence(name, value):
    with pytest.raises(BadSetting, match=f"^{name} should be .*, not {value}[.]$"):
        Settings.from_environment({name: value})


def test_passwords_are_shown_neither_in_the_list_nor_in_a_refusal():
    settings = Settings.from_environment({"SMTP_URL": "smtp://stars:sec@ret@mail.example:587"})
    listed = {name: value for name, _, value, _ in settings.listed()}
    assert listed["SMTP_URL"] == "smtp://stars:***@mail.example:587"
    with pytest.raises(BadSetting, match="not mysql://stars:[*]{3}@db.example"):
        Settings.from_environment({"DATABASE_URL": "mysql://stars:secret@db.example"})


def test_letters_may_go_out_by_several_servers():
    found = Settings.from_environment({"SMTP_URL": "smtp://a:b,c@d.example:587, smtps://e.example,smtp://f"})
    assert found.smtp_url == ("smtp://a:b,c@d.example:587", "smtps://e.example", "smtp://f")
    listed = {name: value for name, _, value, _ in found.listed()}
    assert listed["SMTP_URL"] == "smtp://a:***@d.example:587,smtps://e.example,smtp://f"
    with pytest.raises(BadSetting):
        Settings.from_environment({"SMTP_URL": "smtp://a,smtp://"})


def test_replies_may_come_in_by_several_ways():
    found = Settings.from_environment(
        {"STERNENPOST_MAIL_IN": "127.0.0.1:25, lmtp://[::1]:24,imaps://a:b%40c@d.example/In"}
    )
    assert found.mail_in == ("smtp://127.0.0.1:25", "lmtp://[::1]:24", "imaps://a:b%40c@d.example/In")
    listed = {name: value for name, _, value, _ in found.listed()}
    assert listed["STERNENPOST_MAIL_IN"] == "smtp://127.0.0.1:25,lmtp://[::1]:24,imaps://a:***@d.example/In"


def test_a_token_is_shown_neither_in_the_list_nor_in_a_refusal():
    settings = Settings.from_environment({"STERNENPOST_METRICS_TOKEN": "a-token-for-prometheus"})
    assert ("STERNENPOST_METRICS_TOKEN", "***") in {(name, value) for name, _, value, _ in settings.listed()}
    with pytest.raises(BadSetting, match="STERNENPOST_METRICS_TOKEN should be .*, not [*]{3}[.]"):
        Settings.from_environment({"STERNENPOST_METRICS_TOKEN": "short"})


def test_every_variable_is_listed_with_its_default_and_meaning():
    listed = Settings.from_environment({"STERNENPOST_LIMITS": "off"}).listed()
    assert ("STERNENPOST_LIMITS", "on", "off", "rate limits; off for load tests only: then none below counts") in listed
    assert all(meaning for _, _, _, meaning in listed)


@pytest.mark.parametrize("password", ["se%cret", "top%00secret", "top secret"])
def test_a_password_that_no_url_may_hold_is_told_to_nobody(password):
    with pytest.raises(BadSetting, match=r"u:[*]{3}@h/db[.]$"):
        Settings.from_environment({"DATABASE_URL": f"postgresql://u:{password}@h/db"})
