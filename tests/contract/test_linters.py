"""Third-party linters accept the published document. tests/contract/linters/ lists rules that are off, with reasons."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support import npm
from tests.support.live_server import PLAYED

HERE = Path(__file__).parent / "linters"
PUBLISHED = HERE.parents[2] / "api_spec" / "openapi.yaml"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("There is no npm (apt-get install npm), so no linter looks at the document")
    path = tmp_path_factory.mktemp("linters")
    npm.install(path, "linters")
    for name in ("redocly.yaml", "spectral.yaml"):
        shutil.copy(HERE / name, path)
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("redocly", "lint", PUBLISHED, "--max-problems=1000"),
        ("spectral", "lint", PUBLISHED, "--ruleset", "spectral.yaml", "--fail-severity", "hint", "--quiet"),
    ],
    ids=["redocly", "spectral with the OWASP rules"],
)
def test_linters_report_nothing(workshop: Path, command: tuple[str | Path, ...]) -> None:
    tool, *words = command
    asked = [workshop / "node_modules" / ".bin" / tool, *words]
    told = subprocess.run(asked, cwd=workshop, capture_output=True, text=True, timeout=PLAYED, check=False)
    assert told.returncode == 0, told.stdout + told.stderr
