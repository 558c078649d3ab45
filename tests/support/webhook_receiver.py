"""A webhook receiver on the loopback, which only a sandbox may call, and a player who has one."""

import json
import ssl
import threading
from collections.abc import Callable
from http.server import ThreadingHTTPServer
from typing import NamedTuple
from uuid import UUID

from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from server.accounts.notice_kinds import WEBHOOK_KINDS
from server.games import Json
from server.webhooks.sender import HookOffice
from server.webhooks.subscriptions import Subscription, make_webhook, ping_webhook, webhook, webhook_deliveries
from tests.support.games import person
from tests.support.web_servers import Quiet


class Call(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes
    method: str = "POST"

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> Json:
        told: Json = json.loads(self.body)
        return told

    @property
    def kind(self) -> str:
        return str(self.payload["type"])

    def is_signed_with(self, secret: str) -> bool:
        try:
            Verifier(secret).verify(self.body, self.headers)
        except WebhookVerificationError:
            return False
        return True


class Receiver:
    """A server on the loopback that stores its calls; `answer` decides the response."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.calls: list[Call] = []
        self.answer: Callable[[Call], int] = lambda call: 204
        self.says: Callable[[Call], bytes] = lambda call: b""
        self.headers: dict[str, str] = {}
        receiver = self

        class Handler(Quiet):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                call = Call(self.path, headers, body, self.command)
                receiver.calls.append(call)
                status = receiver.answer(call)
                self.send_response(status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(receiver.says(call))

            do_PATCH = do_POST

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook?for=ada"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def kinds(self) -> list[str]:
        return [call.kind for call in self.calls]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def carry(office: HookOffice) -> None:
    office.deliver_due()
    office.wait()


class Hook:
    def __init__(self, who: UUID, url: str, *kinds: str, game: UUID | None = None, form: str = "standard") -> None:
        made = make_webhook(who, Subscription(url, kinds or WEBHOOK_KINDS, game, form), sandbox=True)
        self.who, self.id, self.secret = who, made.webhook["id"], made.secret

    @property
    def resource(self) -> Json:
        return webhook(self.who, self.id)

    @property
    def deliveries(self) -> list[Json]:
        return webhook_deliveries(self.who, self.id, None, 100).items

    def ping(self) -> Json:
        return ping_webhook(self.who, self.id)


def pinged(office: HookOffice, receiver: Receiver) -> Hook:
    """Return Ada's webhook, which has been called once."""
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    carry(office)
    return hook
