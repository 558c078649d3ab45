"""Sends notices about games to webhooks, signed as in Standard Webhooks (standardwebhooks.com)."""

import hashlib
import hmac
import logging
import random
import ssl
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from functools import partial
from importlib.metadata import version
from uuid import UUID

from flask import Flask

from server.accounts.notice_kinds import NOTICE_KINDS
from server.clock import clock
from server.leases import LENGTH, Lease, Leases, Lost
from server.store import webhook_queue as store
from server.store.connections import let_go
from server.store.database_retry import Unavailable, is_passing
from server.store.tables import Webhook, WebhookDelivery
from server.store.webhook_queue import Waiting
from server.webhooks import chats, failures
from server.webhooks.chats import DISCORD, game_of
from server.webhooks.failures import NoLonger
from server.webhooks.http import Answer, Request, Unanswered, fetch
from server.webhooks.retries import is_hopeless, pause
from server.webhooks.subscriptions import FAILING, GONE, hand_over
from server.webhooks.targets import BadAddress, Target, addresses_of, target_of

TIMEOUT = 10.0  # seconds for each attempt, from the connection to the response
_GONE = 410
_UNKNOWN = 404  # a chat's response if the webhook was deleted
_HEADERS = {"Content-Type": "application/json", "User-Agent": f"Sternenpost/{version('sternenpost')}"}
_CARRIERS = 32
_ROUND = 10  # deliveries
_BATCH = 200
_LATE = timedelta(minutes=1)  # after such a delay, the turn may be over
_NOTE_LATER = timedelta(minutes=5)

log = logging.getLogger(__name__)


class HookOffice:
    """Sends webhook deliveries. Webhooks are served in parallel, and each webhook's deliveries are sent in order. A
    slow webhook delays only its own deliveries."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._sandbox: bool = app.config["SANDBOX"]
        self._tls = ssl.create_default_context()
        self._threads = ThreadPoolExecutor(_CARRIERS, thread_name_prefix="webhooks")
        self._under_way: dict[UUID, Future[None]] = {}
        self._leases = Leases(app)

    def deliver_due(self) -> None:
        """Queue the notices about games, then start a round for each webhook that has deliveries due."""
        with self._leases.look() as lapsed_at:
            while self._hand_over() == _BATCH:
                pass
            self._under_way = {hook: run for hook, run in self._under_way.items() if not run.done()}
            if len(self._under_way) < _BATCH:
                for hook in store.due(clock.now(), _BATCH, self._under_way.keys(), lapsed_at):
                    self._under_way[hook.webhook_id] = self._threads.submit(self._round, hook)

    def wait(self) -> None:
        """Block until every delivery in progress has succeeded or failed."""
        wait(self._under_way.values())

    def close(self, seconds: float) -> None:
        """Stop starting rounds, and wait up to `seconds` for rounds in progress. The leases of unfinished rounds
        expire."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        wait(self._under_way.values(), seconds)

    def _hand_over(self) -> int:
        now = clock.now()
        notes = store.notes(now, _BATCH)
        for note in notes:
            try:
                hand_over(note, now)
            except Exception as error:
                let_go()
                if is_passing(error):
                    raise
                log.exception("Note %s could not be handed over", note.letter_id)
                store.postpone_note(note, now + _NOTE_LATER)
        return len(notes)

    def _round(self, hook: Waiting) -> None:
        """Send the deliveries that are due for one webhook. After a failure, the remaining deliveries wait."""
        with self._app.app_context():
            try:
                began = time.monotonic()
                if ours := store.claim(hook, clock.real() + LENGTH):
                    with self._leases.hold(partial(store.renew, ours), began) as lease:
                        store.release(ours, self._carry(ours, lease))
            except Lost:
                log.warning("Webhook %s is left to another office: our lease on it ran out", hook.webhook_id)
            except Exception as error:
                if not is_passing(error):
                    log.exception("Webhook %s could not be told", hook.webhook_id)

    def _carry(self, hook: Waiting, lease: Lease) -> datetime | None:
        """Send the deliveries that are due for one webhook. Return when the webhook may get its next delivery, or None
        for immediately."""
        for delivery in store.queue_of(hook, clock.now(), _ROUND):
            row = store.load_leased(hook)
            if row is None:
                break
            rests_until = self._deliver(row, delivery, lease)
            if rests_until is not None:
                return rests_until
        return None

    def _deliver(self, hook: Webhook, delivery: WebhookDelivery, lease: Lease) -> datetime | None:
        """Send a delivery. Return None if it succeeded, otherwise when the webhook may get its next delivery."""
        try:
            answer, reason = self._send(hook, delivery, lease), ""
        except NoLonger:
            store.record_drop(hook, delivery, clock.now(), failures.NO_LONGER)
            return None
        except (Unanswered, BadAddress) as error:
            answer, reason = None, str(error)
        except OSError:
            answer, reason = None, failures.NO_ADDRESS
        now = clock.now()
        status = answer and answer.status
        if answer is not None and 200 <= answer.status < 300:
            store.record_success(hook, delivery, now, answer.status, f"{answer.status}")
            return None
        detail = reason or failures.BAD_STATUS % {"status": status}
        scattered = random.uniform(1.0, 1.1)
        rests_until = now + pause(hook.failures, answer) * scattered
        later = max(rests_until, now + pause(delivery.tries, answer) * scattered)
        disabled = None
        if status == _GONE or (status == _UNKNOWN and chats.stored_form(hook.form)):
            disabled = GONE
        elif is_hopeless(hook.failing_since, hook.failures, now):
            disabled = FAILING
        failed = store.Attempt(now, "failed", status, detail, later)
        if is_hopeless(delivery.begun_at, delivery.tries, now):
            failed = failed._replace(result="given-up", due_at=None)
        store.record_failure(hook, delivery, failed, disabled)
        return rests_until

    def _send(self, hook: Webhook, delivery: WebhookDelivery, lease: Lease) -> Answer:
        """Send a delivery. Raise Unanswered, BadAddress, OSError, Lost, NoLonger."""
        if clock.now() - delivery.begun_at > _LATE:
            _expect_to_matter(delivery)
        let_go()  # a slow receiver must not hold a connection
        target = target_of(hook.url)
        addresses = addresses_of(target, self._sandbox)
        if chats.stored_form(hook.form):
            return self._write(hook, delivery, lease, partial(self._request, addresses), target)
        # Receivers compare this time with their own clocks, which a sandbox can't move forward.
        at = int(clock.real().timestamp())
        secrets = [hook.secret]
        if hook.old_secret is not None and hook.old_until is not None and clock.now() < hook.old_until:
            secrets.append(hook.old_secret)
        body = delivery.payload.encode()
        headers = {
            **_HEADERS,
            "webhook-id": str(delivery.delivery_id),
            "webhook-timestamp": str(at),
            "webhook-signature": signature(secrets, str(delivery.delivery_id), at, body),
        }
        lease.confirm()
        return fetch(target, addresses, Request(headers, body), self._tls, TIMEOUT)

    def _write(
        self,
        hook: Webhook,
        delivery: WebhookDelivery,
        lease: Lease,
        request: Callable[[Target, bytes, str], Answer],
        target: Target,
    ) -> Answer:
        """Post a message to a chat. On Discord, edit the game's message, unless it was deleted there."""
        assert hook.form
        game, body = chats.message_for(hook.form, delivery, self._app.config["BASE_URL"])
        if hook.form != DISCORD or game is None:
            lease.confirm()
            return request(target, body, "POST")
        message_id = store.message_of(hook, UUID(game))
        lease.confirm()
        if message_id:
            answer = request(chats.edit_target(target, message_id), body, "PATCH")
            if answer.status != _UNKNOWN:
                return answer
        answer = request(chats.confirming_target(target), body, "POST")
        if 200 <= answer.status < 300 and (message_id := chats.id_in(answer.body)):
            store.note_message(hook, UUID(game), message_id, clock.now())
        return answer

    def _request(self, addresses: Sequence[str], target: Target, body: bytes, method: str) -> Answer:
        return fetch(target, addresses, Request(_HEADERS, body, method), self._tls, TIMEOUT)


def _expect_to_matter(delivery: WebhookDelivery) -> None:
    """Raise NoLonger if the turn that a delivery is about is over. If this release can't read the game, the delivery
    counts as relevant."""
    try:
        if NOTICE_KINDS[delivery.kind].is_about_turn:
            game_of(delivery)
    except Unavailable as error:
        if is_passing(error):
            raise


def signature(secrets: Sequence[bytes], message_id: str, at: int, body: bytes) -> str:
    """Return the `webhook-signature` header. For each secret, it contains an HMAC-SHA256 of the id, the time (Unix
    seconds) and the body."""
    signed = f"{message_id}.{at}.".encode() + body
    macs = [hmac.digest(secret, signed, hashlib.sha256) for secret in secrets]
    return " ".join(f"v1,{b64encode(mac).decode()}" for mac in macs)
