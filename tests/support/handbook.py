"""Code blocks of the handbook, for tests that run them."""

import re
from html import unescape


def block(page: str, name: str) -> str:
    """Return the code block with this id from the HTML of a page."""
    found = re.search(rf'(?s)<pre[^>]* id="{name}">(.*?)</pre>', page)
    assert found is not None, f"The page has no block {name}."
    return unescape(found[1])
