"""Settings from the environment."""

from pathlib import Path

import pytest

from server.config import BadSetting, Settings
from server.post.letters.compose import trouble_with_letters


def test_every_setting_is_optional():
    settings = Settings.from_environment({})
    assert settings.database_url is None
    assert settings.smtp_url is None
    assert settings.base_url == "http://127.0.0.1:8000"
    assert settings.limits
    assert not settings.sandbox


def test_an_empty_variable_counts_as_unset():
    assert Settings.from_environment({"SMTP_URL": "", "STERNENPOST_PORT": " "}) == Settings.from_environment({})


def test_links_contain_the_port_unless_a_base_url_is_set():
    assert Settings.from_environment({"STERNENPOST_PORT": "9000"}).base_url == "http://127.0.0.1:9000"
    assert (
        Settings.from_environment({"STERNENPOST_BASE_URL": "https://stars.example/"}).base_url
        == "https://stars.example"
    )


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("https://münchen.example", "https://xn--mnchen-3ya.example"),
        ("https://MÜNCHEN.Example.:8443/", "https://xn--mnchen-3ya.example:8443"),
        ("HTTPS://Stars.Example./", "https://stars.example"),
        ("http://[2001:DB8::A]:8000", "http://[2001:db8::a]:8000"),
        ("http://192.0.2.1:80/", "http://192.0.2.1:80"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_a_base_url_is_normalized_as_in_dns(written, meant):
    assert Settings.from_environment({"STERNENPOST_BASE_URL": written}).base_url == meant


@pytest.mark.parametrize(
    "written",
    [
        *(
            "stars.example",
            "//stars.example",
            "ftp://stars.example",
            "https://",
            "https:///x",
            "https://my_host.example",
        ),
        *(
            "https://stars.example/letters",
            "https://stars.example?x=1",
            "https://stars.example/#",
            "https://stars.example?",
        ),
        *("https://ada@stars.example", "https://stars.example:0", "https://stars.example:65536", "https://a..example"),
        *("https://-a.example", "https://a-.example", "https://stars.example..", f"https://{'a' * 64}.example"),
        *(
            f"https://{'a.' * 100}example",
            "https://[::1",
            "https://[fe80::1%25eth0]",
            "https://[1.2.3.4]",
            "https://a b.example",
        ),
        *("https://a%2Eexample", "https://☃︎.example", "https://stars.example\\x"),
    ],
)
def test_a_base_url_that_breaks_links_or_emails_is_rejected(written):
    with pytest.raises(
        BadSetting, match="^STERNENPOST_BASE_URL must be like https://stars.example, without a path, not .*[.]$"
    ):
        Settings.from_environment({"STERNENPOST_BASE_URL": written})


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Reply.Stars.Example.", "reply.stars.example"),
        ("antwort.münchen.example", "antwort.xn--mnchen-3ya.example"),
        ("localhost", "localhost"),
        ("192.0.2.1.example", "192.0.2.1.example"),
    ],
)
def test_a_reply_domain_is_normalized_as_in_dns(written, meant):
    assert Settings.from_environment({"STERNENPOST_REPLY_DOMAIN": written}).reply_domain == meant


@pytest.mark.parametrize(
    "written",
    [
        "a_b.example",
        "-a.example",
        "a..example",
        ".example",
        ".",
        "a b",
        "ada@stars.example",
        "a/b",
        "a" * 64,
        "a." * 127,
    ],
)
def test_an_impossible_reply_domain_is_rejected(written):
    with pytest.raises(BadSetting, match="^STERNENPOST_REPLY_DOMAIN must be "):
        Settings.from_environment({"STERNENPOST_REPLY_DOMAIN": written})


@pytest.mark.parametrize(
    ("base_url", "reply_domain"),
    [
        ("https://münchen.example", "antwort.münchen.example"),
        ("http://[2001:db8::a]:8000", None),
        ("http://192.0.2.1", None),
        (f"https://{'a' * 61}.{'b' * 61}.{'c' * 61}.org", f"{'a' * 61}.{'b' * 61}.{'c' * 61}.org"),
    ],
)
def test_emails_can_be_composed_with_every_host_name_that_is_accepted(app, base_url, reply_domain):
    read = Settings.from_environment({"STERNENPOST_BASE_URL": base_url, "STERNENPOST_REPLY_DOMAIN": reply_domain or ""})
    with app.test_request_context():
        assert trouble_with_letters(read.base_url, read.reply_domain) == ""


@pytest.mark.parametrize("name", ["STERNENPOST_PROXIES", "STERNENPOST_PORT", "STERNENPOST_KEEP_ANSWERS"])
@pytest.mark.parametrize("value", ["-1", "1_000", "٣٠", "1.5", "1e3", "9" * 5000])
def test_a_number_consists_of_digits(name, value):
    with pytest.raises(BadSetting, match=f"^{name} must be "):
        Settings.from_environment({name: value})


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_common_postgres_url_scheme_is_accepted(scheme):
    settings = Settings.from_environment({"DATABASE_URL": f"{scheme}://stars@db.example/stars"})
    assert settings.database_url == "postgresql://stars@db.example/stars"


def test_a_database_may_have_several_hosts():
    url = "postgresql://stars@db1.example:5432,[2001:db8::2]:5433,db3.example/stars?target_session_attrs=read-write"
    assert Settings.from_environment({"DATABASE_URL": url}).database_url == url


def test_a_relative_directory_is_relative_to_the_working_directory(tmp_path, monkeypatch):
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
def test_an_invalid_variable_is_reported_in_one_sentence(name, value):
    with pytest.raises(BadSetting, match=f"^{name} must be .*, not {value}[.]$"):
        Settings.from_environment({name: value})


def test_passwords_appear_neither_in_the_list_nor_in_errors():
    settings = Settings.from_environment({"SMTP_URL": "smtp://stars:sec@ret@mail.example:587"})
    listed = {name: value for name, _, value, _ in settings.listed()}
    assert listed["SMTP_URL"] == "smtp://stars:***@mail.example:587"
    with pytest.raises(BadSetting, match="not mysql://stars:[*]{3}@db.example"):
        Settings.from_environment({"DATABASE_URL": "mysql://stars:secret@db.example"})


def test_several_mail_servers_can_be_set():
    found = Settings.from_environment({"SMTP_URL": "smtp://a:b,c@d.example:587, smtps://e.example,smtp://f"})
    assert found.smtp_url == ("smtp://a:b,c@d.example:587", "smtps://e.example", "smtp://f")
    listed = {name: value for name, _, value, _ in found.listed()}
    assert listed["SMTP_URL"] == "smtp://a:***@d.example:587,smtps://e.example,smtp://f"
    with pytest.raises(BadSetting):
        Settings.from_environment({"SMTP_URL": "smtp://a,smtp://"})


def test_several_inbound_routes_can_be_set():
    found = Settings.from_environment(
        {"STERNENPOST_MAIL_IN": "127.0.0.1:25, lmtp://[::1]:24,imaps://a:b%40c@d.example/In"}
    )
    assert found.mail_in == ("smtp://127.0.0.1:25", "lmtp://[::1]:24", "imaps://a:b%40c@d.example/In")
    listed = {name: value for name, _, value, _ in found.listed()}
    assert listed["STERNENPOST_MAIL_IN"] == "smtp://127.0.0.1:25,lmtp://[::1]:24,imaps://a:***@d.example/In"


def test_every_variable_is_listed_with_default_and_meaning():
    listed = Settings.from_environment({"STERNENPOST_LIMITS": "off"}).listed()
    assert (
        "STERNENPOST_LIMITS",
        "on",
        "off",
        "Whether rate limits apply. `off` ignores all limits below. Use it for load tests only.",
    ) in listed
    assert all(meaning for _, _, _, meaning in listed)


@pytest.mark.parametrize("password", ["se%cret", "top%00secret", "top secret"])
def test_a_password_that_breaks_the_url_is_not_shown(password):
    with pytest.raises(BadSetting, match=r"u:[*]{3}@h/db[.]$"):
        Settings.from_environment({"DATABASE_URL": f"postgresql://u:{password}@h/db"})
