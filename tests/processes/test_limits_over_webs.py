"""A request limit across two web servers of two processes each."""

import httpx

from server.accounts.players import player_token
from tests.support.live_server import new_house, until
from tests.support.stage import in_process

MOST, TAKEN = 100, 60


def test_requests_to_one_web_server_also_count_toward_the_limit_at_another() -> None:
    with new_house(STERNENPOST_LIMIT_PLAYER=f"{MOST}/1h") as house:
        with in_process(house.database_url):
            headers = {"Authorization": f"Bearer {player_token('ada@example.org')}"}
        house.start_web()
        other = house.start_another_web()

        def left(url: str) -> int:
            """Of a process that is as good as any, after one more request."""
            told = httpx.get(f"{url}/v1/me", headers=headers, timeout=60, verify=False).headers["RateLimit"]
            return int(told.partition(";r=")[2].partition(";")[0])

        for _ in range(TAKEN):
            left(house.url)
        until(lambda: left(other) < MOST - TAKEN)
        until(lambda: left(house.url) == 0)
        until(lambda: left(other) == 0)
