"""Type check of the page's modules by tsc against the OpenAPI document: `python -m tests.page.types`.

openapi-typescript generates the API types; Preact and htm bring their own. All of it lies in a temporary directory.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.page.sources import copy_page
from tests.support import npm

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[2]
SETTINGS = ("tsconfig.json", "tsconfig.strict.json", "tsconfig.worker.json")


def main() -> int:
    if shutil.which("npm") is None:
        sys.exit("There is no npm (apt-get install npm), so nobody looks at the types of the page.")
    with TemporaryDirectory() as directory:
        workshop = Path(directory)
        bin_ = npm.install(workshop)
        page = workshop / "page"
        copy_page(page)
        shutil.copytree(HERE / "vendor", page / "vendor", dirs_exist_ok=True)
        document = CHECKOUT / "api_spec" / "openapi.yaml"
        generate = (bin_ / "openapi-typescript", document, "-o", page / "ui" / "openapi.d.ts")
        subprocess.run([*generate, "--default-non-nullable=false"], check=True, capture_output=True)
        checks = []
        for name in SETTINGS:
            shutil.copy(HERE / name, page)
            checks.append(subprocess.Popen([bin_ / "tsc", "--project", name], cwd=page))
        return max([check.wait() for check in checks])


if __name__ == "__main__":
    sys.exit(main())
