"""The pictures in the READMEs show the current page."""

from pathlib import Path

from PIL import Image, ImageDraw

from tests.page.pictures import MOST, SHOWN, difference, drawn
from tests.page.windows import Windows
from tests.support.live_server import House


def test_the_pictures_in_the_readmes_are_current(house: House, windows: Windows) -> None:
    found = {name: difference((SHOWN / f"{name}.png").read_bytes(), png) for name, png in drawn(house, windows)}
    assert found.keys() == {path.stem for path in SHOWN.glob("*.png")}
    stale = {name: part for name, part in found.items() if part > MOST}
    assert not stale, "Draw them again: python -m tests.page.pictures"


def test_a_difference_in_a_board_is_detected(tmp_path: Path) -> None:
    path = SHOWN / "sternenhimmel.png"
    assert difference(path.read_bytes(), path.read_bytes()) == 0
    picture = Image.open(path).convert("RGB")
    ImageDraw.Draw(picture).rectangle((20, 100, 320, 300), fill="white")
    picture.save(tmp_path / "changed.png")
    assert difference(path.read_bytes(), (tmp_path / "changed.png").read_bytes()) > MOST
