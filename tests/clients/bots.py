"""The bots of the handbook (`/docs/clients`), each played with a generated client."""

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Final

from tests.clients.generators import BOTS, Generator, environment
from tests.support.live_server import PLAYED, House, new_house, sign_in, until

RULES: Final = ("sternenhimmel", "sternenglanz")


def play(generator: Generator, where: Path) -> str:
    """Play both games with this language's bot on a server of its own and return the error, or ""."""
    with new_house() as house:
        house.start_web()
        house.start_worker()
        return played(generator, where, house)


def played(generator: Generator, where: Path, house: House) -> str:
    """Let the bot sign in, open a game of each kind and play it to the end. Return the error, or ""."""
    language = generator.language.lower().replace("c#", "csharp")
    email = f"{language}@example.org"
    (where / generator.bot).parent.mkdir(exist_ok=True)
    shutil.copy(BOTS / f"{language}.txt", where / generator.bot)
    program = subprocess.Popen(
        ("bash", "-euo", "pipefail", "-c", f"{generator.prepare}\n{generator.play} {house.url} {email}"),
        cwd=where,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        until(lambda: program.poll() is not None or house.post.of(email), PLAYED)
        code = "".join(mail.message["Subject"][:6] for mail in house.post.of(email))
        told, wrong = program.communicate(f"{code}\n", timeout=PLAYED)
    except subprocess.TimeoutExpired:
        return f"It was not done after {PLAYED} seconds."
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)
    if program.returncode:
        return told + wrong
    found = re.findall(rf"({'|'.join(RULES)})([^a-z]+)", told)
    ends = {rules: [int(score) for score in re.findall(r"-?\d+", scores)] for rules, scores in found}
    games = sign_in(house, email).get("/v1/games?mine=true")["items"]
    really = {game["rules"]: game["outcome"] and game["outcome"]["scores"] for game in games}
    return "" if ends == really and really.keys() == set(RULES) else f"It said {ends}, and it was {really}.\n{wrong}"
