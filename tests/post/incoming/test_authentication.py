"""Results of DMARC in the headers that the receiving server adds."""

import pytest

from server.post.incoming.replies import read
from tests.post.office import a_mail

AT = "mx.stars.example; spf=softfail; "


@pytest.mark.parametrize(
    ("found", "is_forged"),
    [
        (f"{AT}dmarc=fail header.from=example.org", True),
        (f"{AT}dmarc=fail (p=REJECT sp=REJECT dis=NONE) header.from=example.org", True),
        (f"{AT}dmarc=fail (p=QUARANTINE dis=NONE) header.from=example.org", True),
        (f"{AT}dmarc=fail (p=NONE sp=REJECT dis=NONE) header.from=shop.example.org", True),
        (f"{AT}dmarc=fail action=oreject header.from=example.org", True),
        (f"{AT}dmarc=fail policy.published-domain-policy=reject policy.applied-disposition=none", True),
        (f'{AT}dmarc=fail header.from=example.org reason="dmarc=fail (p=none)"', True),
        ("mx.stars.example; spf=fail (p=none) smtp.mailfrom=example.org; dmarc=fail (p=reject)", True),
        (f"{AT}dmarc=fail (p=reject); dmarc=fail (p=none)", True),
        ("mx.stars.example; spf=fail (dmarc=fail (p=none)); dmarc=fail", True),
        (f"{AT}dmarc=fail (p=NONE sp=NONE dis=NONE) header.from=example.org", False),
        (f"{AT}dmarc=fail (p=none dis=none)", False),
        (f"{AT}dmarc=fail action=none header.from=example.org", False),
        (f"{AT}dmarc=fail policy.published-domain-policy=none header.from=example.org", False),
    ],
)
def test_an_email_that_fails_dmarc_is_not_forged_if_its_domains_policy_is_none(found: str, is_forged: bool) -> None:
    mail = read(a_mail("7 leo c", **{"Authentication-Results": found}))
    assert (mail.is_forged, mail.is_authentic) == (is_forged, False)


def test_only_the_topmost_authentication_results_header_counts() -> None:
    raw = a_mail("7 leo c", **{"Authentication-Results": f"{AT}dmarc=fail"})
    below = b"Authentication-Results: evil.example; dmarc=pass; dmarc=fail (p=none)\r\n"
    raw = raw.replace(b"Content-Type:", below + b"Content-Type:", 1)
    assert below in raw
    assert read(raw).is_forged


@pytest.mark.parametrize(
    "told",
    [
        f'dmarc=fail reason="{"x" * 2000}; dmarc=pass"',
        f"dmarc=fail ({'x' * 2000}; dmarc=pass)",
        'dmarc=fail reason="open (; dmarc=pass)',
        'spf=pass smtp.mailfrom="open; dmarc=fail (; dmarc=pass)',
    ],
)
def test_long_or_open_strings_and_comments_contain_no_results(told: str) -> None:
    mail = read(a_mail("7 leo c", **{"Authentication-Results": f"{AT}{told}"}))
    assert (mail.is_forged, mail.is_authentic) == (True, False)
