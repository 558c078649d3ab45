"""Shared fixtures: a real Postgres, and databases with the real tables."""

import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Generator, Iterator
from contextlib import suppress
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import httpx
import hypothesis
import psycopg
import pytest
from flask import Flask

from server.accounts import signed_links
from server.api.rate_limits import full_buckets
from server.app import create_app
from server.clock import NOTHING, clock
from server.config import Settings
from server.play.seating import games
from server.play.turns import bot_moves
from server.store import announcements, embedded_postgres, migrate
from server.store.tables import Audit, EventRow, Setting, db
from server.webhooks import targets
from tests.support import citus, databases
from tests.support.contract import Contract, ContractClient, Someone
from tests.support.games import service_is_up
from tests.support.live_server import MAIL_IN_SECRET, METRICS_TOKEN, PATIENCE, House, new_house

# httpx's default of five seconds is too short on a busy machine.
for _call in (httpx.Client.__init__, httpx.stream, httpx.request, httpx.get, httpx.head, httpx.post):
    getattr(_call, "__wrapped__", _call).__kwdefaults__["timeout"] = httpx.Timeout(PATIENCE)

hypothesis.settings.register_profile(
    "house",
    derandomize=True,
    deadline=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],  # as a busy machine is
)
hypothesis.settings.load_profile("house")

PUBLIC = "93.184.215.14"

_numbers = count(1)
_MOST_PROCESSES = 4  # more would only wait for the longest file
_LONG = (  # files that start first, the longest at the top, so that all processes end together
    "machines play_by_mail fuzz page_whole_games up page_hostile links whole_game schemathesis stopping "
    "page_playing page_for_all crashes crashes_of_commits sender page_by_axe secrets clients scoring table "
    "settings event_streams archive pages many_due page_sternenglanz embedded_postgres tokens whole_turns "
    "metrics_and_logs readme_tour leaks hostile dry_run earlier_versions absences without_eyes ways_in imap "
    "layout explained app"
)
_ONLY_WITH_ALL = (  # browsers, killed processes, fuzzers, mail from every program
    "accounts/test_fair_shares.py accounts/test_rate_limits.py accounts/test_tokens.py api/test_closing.py "
    "api/test_ended_apps.py api/test_fairness_page.py api/test_forgotten_domains.py api/test_http_responses.py "
    "api/test_pages.py api/test_rate_limits_of_requests.py bots/test_exploitability.py bots/test_luck.py "
    "bots/test_open_spiel.py cli/test_audit.py cli/test_shown_secrets.py clients/test_adapters.py "
    "clients/test_generated_clients.py contract/test_clients.py contract/test_conform.py contract/test_fuzz.py "
    "contract/test_hostile.py contract/test_linters.py contract/test_recipes.py contract/test_schemathesis.py "
    "every_game/test_many_samples.py every_game/test_refused_data.py every_game/test_rule_faults.py "
    "operations/test_archives.py operations/test_bot_games.py operations/test_full_temporary_directory.py "
    "operations/test_metrics_and_logs.py operations/test_rebuild.py operations/test_shelve.py "
    "operations/test_starting.py operations/test_stopping.py page post/desk/test_crowd.py post/desk/test_postfix.py "
    "post/desk/test_whole_life.py post/incoming/test_child.py post/incoming/test_imap.py "
    "post/incoming/test_quoted_chat.py post/incoming/test_quoted_letters.py post/incoming/test_shapes.py "
    "post/incoming/test_ways_in.py post/test_languages.py post/test_mail_check.py processes secrecy/test_dry_run.py "
    "secrecy/test_leaks.py secrecy/test_secrets.py store/test_disk_full.py store/test_embedded_postgres.py "
    "store/test_roles.py test_patterns.py test_skips.py web webhooks/test_sender.py"
)
_WITH_CI = (  # also with --ci: whole games as people play them, guarantees about data, races and secrets, and slow ones
    "accounts/test_signed_links.py api/test_oauth.py api/test_other_origins.py api/test_own_account.py "
    "api/test_reviews.py bots/test_search.py bots/test_sternenglanz_bots.py cli/test_bot.py cli/test_commands.py "
    "contract/test_examples.py every_game/test_absences.py every_game/test_earlier_versions.py "
    "every_game/test_resample.py every_game/test_rules_alone.py operations/test_doctor.py page/test_page_playing.py "
    "play/test_archive.py play/test_races.py post/desk/test_proof.py post/incoming/test_bounces.py "
    "post/incoming/test_command_words.py post/incoming/test_doubtful_replies.py post/incoming/test_hints_by_mail.py "
    "post/incoming/test_mails_twice.py post/incoming/test_offered_lines.py post/incoming/test_providers.py "
    "post/incoming/test_senders.py post/incoming/test_smtp_server.py post/test_batching.py post/test_hints.py "
    "post/test_joined_letters.py post/test_letters_read.py processes/test_whole_game.py "
    "render/test_pictures_of_sternenglanz.py render/test_svg_png.py rules/test_sternenglanz_checks.py "
    "secrecy/test_former_seats.py secrecy/test_link_purposes.py secrecy/test_nameless.py store/test_connections.py "
    "store/test_migrations_in_use.py store/test_plans.py webhooks/test_chats.py webhooks/test_failures.py"
)
_ON_CITUS = "store/test_citus.py"
_TESTS = Path(__file__).parent
_KEPT = (EventRow.__table__, Audit.__table__, Setting.__table__)  # the first two cannot be emptied
_FORGET_ALL = "; ".join(  # in one round trip
    [
        *(f"DELETE FROM {table.name}" for table in reversed(db.metadata.sorted_tables) if table not in _KEPT),
        "DELETE FROM settings WHERE name <> 'secret'",
    ]
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="with those that take long, or need a browser or Node.js")
    parser.addoption("--ci", action="store_true", help="with those of them that a change must pass")
    parser.addoption(
        "--seed", default=f"{secrets.randbits(32)}", help="of deals and bots, as a test that failed names it"
    )


def is_everything_asked_for(config: pytest.Config) -> bool:
    """Return whether no file or folder was named."""
    return [Path(argument).resolve() for argument in config.args] == [_TESTS]


def left_out(config: pytest.Config) -> list[str]:
    """Return the files and folders that are left out, of which --ci adds some files."""
    if config.getoption("--all") or not is_everything_asked_for(config):
        return []
    return _ONLY_WITH_ALL.split() + ([] if config.getoption("--ci") else _WITH_CI.split())


def pytest_report_header(config: pytest.Config) -> list[str]:
    said = [f"left out but with --all: {' '.join(files)}"] if (files := left_out(config)) else []
    return said if citus.URL else [*said, f"LEFT OUT: {_ON_CITUS}, since STERNENPOST_TEST_CITUS names no Citus"]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    if not collection_path.is_relative_to(_TESTS):
        return None
    file = collection_path.relative_to(_TESTS)
    is_left_out = any(str(it) in left_out(config) for it in (file, *file.parents))
    is_added = config.getoption("--ci") and any(Path(it).is_relative_to(file) for it in _WITH_CI.split())
    return (is_left_out and not is_added) or (not citus.URL and file == Path(_ON_CITUS)) or None


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return the number of processes, each with a Postgres: two more than cores, since tests wait a third of their
    time.

    Runs of named files use one process, which is faster.
    """
    return min((os.cpu_count() or 1) + 2, _MOST_PROCESSES) if is_everything_asked_for(config) else 0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {f"test_{name}.py": place for place, name in enumerate(_LONG.split())}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Return a report that another process can read. A lone surrogate from a fuzzer would end the run."""
    data = yield
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.loads(json.dumps(data, ensure_ascii=False).encode(errors="replace"))
    return data  # unchanged, because pytest expects the tuple of a skip, which JSON makes a list


@pytest.fixture
def open_directory() -> Iterator[Path]:
    """Yield a new directory that every user may enter, unlike tmp_path: under root, Postgres runs as `nobody`."""
    path = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def postgres() -> Iterator[embedded_postgres.Server]:
    path = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    path.chmod(0o755)
    with embedded_postgres.start(path) as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")  # a power failure would only cost the run
            connection.execute("SELECT pg_reload_conf()")
        yield server
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def template_url(postgres: embedded_postgres.Server) -> str:
    """Create a database with migrated tables. Tests copy it, so no connection to it may be open."""
    url = databases.create_database(postgres.url, "template_of_tests")
    migrate.upgrade(url)
    return url


@pytest.fixture
def database_url(postgres: embedded_postgres.Server, template_url: str) -> Iterator[str]:
    url = databases.create_database(postgres.url, f"test_{next(_numbers)}", template="template_of_tests")
    yield url
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {urlsplit(url).path[1:]} WITH (FORCE)")


@pytest.fixture(scope="session")
def shared_url(postgres: embedded_postgres.Server, template_url: str) -> str:
    """Create a database for all tests that need only empty tables, since one for each is far slower."""
    url = databases.create_database(postgres.url, "shared_by_tests", template="template_of_tests")
    _shared.append(url)
    return url


_shared: list[str] = []


@pytest.fixture(autouse=True, scope="module")
def left_empty() -> Iterator[None]:
    """Empty the shared database after each file, which may have used it without `app`."""
    yield
    clock.offset = NOTHING
    for url in _shared:
        with psycopg.connect(url) as connection:
            connection.execute(_FORGET_ALL)


@pytest.fixture(scope="session")
def session_app(shared_url: str) -> Flask:
    app = create_app(
        Settings.from_environment(
            {
                "DATABASE_URL": shared_url,
                "STERNENPOST_METRICS_TOKEN": METRICS_TOKEN,
                "STERNENPOST_MAIL_IN_SECRET": MAIL_IN_SECRET,
            }
        )
    )
    app.test_client_class = type("Client", (ContractClient,), {"contract": Contract(app)})
    return app


@pytest.fixture
def app(session_app: Flask) -> Iterator[Flask]:
    """Yield the app with empty tables (except the log, which cannot be emptied) and the right clock."""
    yield session_app
    clock.offset = NOTHING
    session_app.extensions["limits"] = full_buckets(session_app)
    announcements.forget()
    signed_links._seen.clear()  # a command may have rotated the secret
    with session_app.app_context(), db.engine.begin() as connection:
        connection.connection.cursor().execute(_FORGET_ALL)


@pytest.fixture
def commands(app: Flask, shared_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Enter the app's context while the service is up. Commands use the same database."""
    monkeypatch.setenv("DATABASE_URL", shared_url)
    with app.app_context():
        service_is_up()
        yield


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """Yield a live server with a worker."""
    with new_house() as house:
        house.start_web()
        house.start_worker()
        yield house


@pytest.fixture
def ada(app: Flask) -> Someone:
    """Return a caller of the API. Rooms that call `play` use tests/support/players.py."""
    return Someone(app, "ada")


@pytest.fixture
def bea(app: Flask) -> Someone:
    return Someone(app, "bea")


@pytest.fixture
def stranger(app: Flask) -> Someone:
    return Someone(app)


@pytest.fixture
def no_limits(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch limits off for tests that exceed them for other reasons."""
    monkeypatch.setitem(app.config, "LIMITS", False)


@pytest.fixture(autouse=True)
def chance(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed the dice of games and the moves of bots, so that `--seed` repeats them."""
    seed = request.config.getoption("--seed")
    print(f"--seed {seed}")  # pytest shows it for a failing test
    rng = Random(f"{seed} {request.node.nodeid}")
    monkeypatch.setattr(games, "secrets", SimpleNamespace(token_bytes=rng.randbytes))
    monkeypatch.setattr(bot_moves, "random", SimpleNamespace(SystemRandom=lambda: rng))


@pytest.fixture(autouse=True)
def no_name_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve every name to a public address without asking a name server."""
    monkeypatch.setattr(targets, "resolve", lambda host, port: [host if is_address(host) else PUBLIC])


def is_address(host: str) -> bool:
    with suppress(ValueError):
        return bool(ip_address(host))
    return False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    report = yield
    if call.excinfo and (found := _seeds(call.excinfo)):
        report.sections.append(("Seeds", "\n".join(found)))
    return _no_skips(item.nodeid, report)


def _seeds(failure: pytest.ExceptionInfo[BaseException]) -> list[str]:
    """Return the seeds of random choices that were being tested, innermost last."""
    frames = (entry.frame for entry in failure.traceback)
    return [f"{it.code.name}: seed = {it.f_locals['seed']!r}" for it in frames if "seed" in it.f_locals]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    return _no_skips(collector.nodeid, (yield))


def _no_skips(name: str, report):
    """Turn skips into failures under STERNENPOST_NO_SKIPS."""
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("STERNENPOST_NO_SKIPS"):
        report.outcome, report.longrepr = "failed", f"{name} was skipped: {report.longrepr}"
    return report
