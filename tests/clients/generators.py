"""Client generators, compilers for their output, and commands that play the handbook's bot.

Their tools come from PyPI and npm in the versions of requirements.txt and package-lock.json, and stay in `.data/`.
Compilers are those of the machine.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final, NamedTuple

HERE: Final = Path(__file__).parent
CHECKOUT: Final = HERE.parents[1]
OURS: Final = CHECKOUT / "api_spec" / "openapi.yaml"
BOTS: Final = CHECKOUT / "server" / "docs" / "clients"
TOOLS: Final = CHECKOUT / ".data" / "generators"
BOUND: Final = 600  # seconds for a step
_OF_NPM: Final = ("package.json", "package-lock.json")


class Generator(NamedTuple):
    """A generator's bash commands, which run in a directory with the document as `openapi.yaml`."""

    name: str
    language: str
    make: str
    compile: str
    needs: tuple[str, ...]  # commands for compiling it
    bot: str = ""  # file name of this language's bot
    prepare: str = ""  # compiles the bot
    play: str = ""  # gets the URLs of the server and of the player
    fetch: str = ""  # fetches the libraries for compiling
    libraries: str = ""  # their source


def _openapi_generator(name: str, *more: str) -> str:
    return " ".join(["openapi-generator-cli generate -i openapi.yaml -o client -g", name, *more])


# Webhooks are outgoing calls, which typescript-fetch takes for its own and cannot generate.
_NO_WEBHOOKS: Final = "--global-property apis,models,supportingFiles"
# serde drops a discriminator when it reads and writes it twice; lists and maps lose null.
_OF_RUST: Final = (
    "-p supportAsync=false,supportMultipleResponses=true "
    "--openapi-normalizer REPLACE_ONE_OF_BY_DISCRIMINATOR_MAPPING=true"
)
_TSC: Final = "tsc -p ."
_GO: Final = "export GO111MODULE=off GOPATH=$PWD/go:/usr/share/gocode GOCACHE=$TOOLS/go; "
_JAVA: Final = (
    "export CLASSPATH=classes:$(echo $TOOLS/venv/lib/*/site-packages/openapi_generator_cli/*.jar)"
    ":/usr/share/java/geronimo-annotation-1.3-spec.jar:/usr/share/java/jsr305.jar; "
)

GENERATORS: Final = (
    Generator(
        "openapi-python-client",
        "Python",
        f"openapi-python-client generate --path openapi.yaml --config {HERE}/python.yaml --meta none "
        "--output-path sternenpost_client",
        "python -m compileall -q sternenpost_client",
        ("python3",),
        bot="bot.py",
        play="python bot.py",
    ),
    Generator(
        "openapi-typescript",
        "TypeScript",
        "openapi-typescript openapi.yaml -o schema.ts --default-non-nullable=false",
        _TSC,
        ("node",),
        bot="bot.ts",
        prepare="tsc -p . --types node",
        play="node bot.js",
    ),
    Generator(
        "openapi-generator",
        "Go",
        _openapi_generator("go", "-p packageName=sternenpost,useOneOfDiscriminatorLookup=true"),
        f"{_GO} mkdir -p go/src && ln -s $PWD/client go/src/sternenpost && go build sternenpost",
        ("go",),
        bot="bot/bot.go",
        prepare=f"{_GO} go build -o bot/bot bot/bot.go",
        play="bot/bot",
    ),
    Generator(
        "openapi-generator",
        "Java",
        _openapi_generator(
            "java", "--library native -p openApiNullable=false,useJakartaEe=false,containerDefaultToNull=true"
        ),
        f"{_JAVA} javac -nowarn -d classes $(find client/src/main -name '*.java')",
        ("javac",),
        bot="FirstBot.java",
        prepare=f"{_JAVA} javac -d classes FirstBot.java",
        play=f"{_JAVA} java FirstBot",
    ),
    Generator(
        "openapi-generator",
        "C#",
        _openapi_generator(
            "csharp",
            "--library httpclient -p targetFramework=net8.0,supportsRetry=false,useOneOfDiscriminatorLookup=true --type-mappings date=string",
        ),
        "dotnet build -v quiet --nologo client/src/Org.OpenAPITools",
        ("dotnet",),
        bot="bot/Bot.cs",
        prepare=f"cp {HERE}/bot.csproj bot && dotnet build -v quiet --nologo bot >&2",
        play="dotnet bot/bin/Debug/net8.0/bot.dll",
        fetch="dotnet restore client/src/Org.OpenAPITools",
        libraries="nuget.org",
    ),
    Generator(
        "openapi-generator",
        "Rust",
        _openapi_generator("rust", _OF_RUST),
        "cd client && cargo build --quiet",
        ("cargo",),
        bot="client/examples/bot.rs",
        prepare="(cd client && cargo build --quiet --example bot)",
        play="client/target/debug/examples/bot",
        fetch="cd client && CARGO_NET_RETRY=0 timeout 60 cargo fetch",
        libraries="crates.io",
    ),
    Generator(
        "openapi-generator",
        "Kotlin",
        _openapi_generator("kotlin"),
        "kotlinc -nowarn -d classes client/src/main/kotlin",
        ("kotlinc",),
    ),
    Generator(
        "openapi-generator",
        "PHP",
        _openapi_generator("php"),
        "find client/lib -name '*.php' -print0 | xargs -0 -n1 php -l > said.txt || (cat said.txt; false)",
        ("php",),
    ),
    Generator(
        "openapi-generator", "TypeScript (fetch)", _openapi_generator("typescript-fetch", _NO_WEBHOOKS), _TSC, ("node",)
    ),
    Generator("hey-api", "TypeScript", "openapi-ts -i openapi.yaml -o client", _TSC, ("node",)),
    Generator("orval", "TypeScript", "orval --input openapi.yaml --output client.ts --client fetch", _TSC, ("node",)),
    Generator("kubb", "TypeScript", f"cp {HERE}/kubb.config.js . && kubb generate", _TSC, ("node",)),
    Generator(
        "datamodel-codegen",
        "Python (models)",
        "datamodel-codegen --input openapi.yaml --input-file-type openapi --output client.py "
        "--output-model-type pydantic_v2.BaseModel --formatters builtin",
        "python -c 'import client'",
        ("python3",),
    ),
)


def missing(*commands: str) -> str:
    return next((command for command in commands if shutil.which(command) is None), "")


def install() -> None:
    """Install the tools in TOOLS if missing. Raise RuntimeError with the message of pip or npm."""
    wanted = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in ("requirements.txt", *_OF_NPM))).hexdigest()
    stamp = TOOLS / "installed"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    shutil.rmtree(TOOLS, ignore_errors=True)
    TOOLS.mkdir(parents=True)
    for name in _OF_NPM:
        shutil.copy(HERE / name, TOOLS)
    for command in (
        (sys.executable, "-m", "venv", "venv"),
        ("venv/bin/pip", "install", "--quiet", "-r", str(HERE / "requirements.txt")),
        ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"),
    ):
        done = subprocess.run(command, cwd=TOOLS, capture_output=True, text=True, timeout=BOUND, check=False)
        if done.returncode:
            raise RuntimeError(done.stdout + done.stderr)
    stamp.write_text(wanted)


def environment() -> dict[str, str]:
    path = f"{TOOLS}/venv/bin:{TOOLS}/node_modules/.bin:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "TOOLS": str(TOOLS), "NO_COLOR": "1", "CI": "1"}


def workshop(where: Path, document: Path) -> None:
    shutil.copy(document, where / "openapi.yaml")
    shutil.copy(HERE / "tsconfig.json", where)
    (where / "package.json").write_text('{"type": "module"}')
    (where / "node_modules").symlink_to(TOOLS / "node_modules")


def runs(command: str, where: Path) -> tuple[bool, str]:
    """Return whether a command succeeded within BOUND, and its output."""
    try:
        done = subprocess.run(
            ("bash", "-euo", "pipefail", "-c", command),
            cwd=where,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=BOUND,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, f"It was not done after {BOUND} seconds."
    return done.returncode == 0, done.stdout
