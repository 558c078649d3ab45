"""The page's source files in one folder, laid out as they are served."""

import json
import shutil
from pathlib import Path

from server import page


def copy_page(target: Path) -> None:
    for name, paths in page.SOURCES.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if len(paths) == 1:
            shutil.copy(paths[0], path)
        else:
            words = {key: said for each in paths for key, said in json.loads(each.read_bytes()).items()}
            path.write_text(json.dumps(words), "utf-8")
    for name, code in page.GENERATED.items():
        (target / name).write_text(code, "utf-8")
