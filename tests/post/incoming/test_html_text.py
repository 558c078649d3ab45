"""HTML emails: struck-out or hidden text never takes effect."""

from contextlib import suppress

import pytest

from server.games import sternenhimmel
from server.post.incoming.html_text import TooNested, lines_of_page
from server.post.incoming.mime import LARGEST_TEXT
from server.post.incoming.replies import Mail, parse, understand
from tests.post.incoming.effort import MOST, effort_of


def acts(page: str) -> bool:
    lines = tuple(line.text for line in lines_of_page(page) if not line.quoted)
    return understand(parse(Mail("ada@example.org", False, lines, None, "", None), sternenhimmel)).move is not None


@pytest.mark.parametrize("tag", ["s", "strike", "del"])
@pytest.mark.parametrize(
    "inner",
    ["{}", "<b>{}</b>", "<div>{}</div>", "Hi<br>{}<br>Ada", "<p>Hi</p><p>{}</p>", "<div>Hi</div><pre>{}\nAda</pre>"],
)
def test_struck_out_text_does_not_take_effect_however_it_is_marked_up(tag: str, inner: str) -> None:
    assert acts(inner.format("7 leo c"))
    assert not acts(f"<{tag}>{inner.format('7 leo c')}</{tag}>")
    assert not acts(inner.format(f"<{tag}>7 leo c</{tag}>"))
    assert not acts(inner.format(f"7 leo <{tag}>c</{tag}>"))
    assert acts(inner.format("7 leo c") + f"<p><{tag}>Hello</{tag}></p>")


STYLES = [
    *("text-decoration: line-through", "text-decoration: underline line-through red"),
    *("TEXT-DECORATION-LINE:line-through", "-webkit-text-decoration: line-through", "display:none"),
    *("display : none !important", "visibility: hidden", "visibility: collapse", "mso-hide:all", "font-size: 0"),
    *("font-size:0px", "opacity:0", "opacity: 0.0", "max-height:0;overflow:hidden", "color: transparent"),
    *("color: #fff", "color:rgb(255, 255, 255)", "color:white;background:#fdfdfd"),
    *("color:#123456; background: url(x.png) no-repeat #123456", "position:absolute;left:-9999px"),
    *("text-indent:-999em", "clip:rect(0 0 0 0)", "height:0;overflow:hidden", "font-size:1px"),
]


@pytest.mark.parametrize("style", STYLES)
def test_text_struck_out_or_hidden_by_a_style_does_not_take_effect(style: str) -> None:
    assert not acts(f'Hello<div style="{style}">7 leo c</div>')
    assert not acts(f'Hello<div style="margin:0;{style}"><div>7 leo c</div></div>')
    for head in (
        f"<style>.gone {{ {style} }}</style>",
        f"<style type='text/css'><!-- p {{ color: red }} div.gone, .other {{ margin: 0; {style}; }} --></style>",
        f"<STYLE>/* a }} */ body .gone{{{style}}}</STYLE>",
        f"<style>@media screen {{ p {{ color: red }} .GONE {{ {style} }} }}</style>",
        f"<style>#gone {{{style}}}</style>",
    ):
        assert not acts(f"{head}Hello<div class='one gone' id=gone>7 leo c</div>"), head
        assert acts(f"{head}Hello<br><br><div class=here>7 leo c</div>"), head


@pytest.mark.parametrize(
    "style",
    ["font-size:0.8em", "opacity:0.9", "display:block", "text-decoration:none", "max-height:100px", "color:#000"],
)
def test_visible_text_takes_effect(style: str) -> None:
    assert acts(f"<style>.seen {{ {style} }}</style><div class=seen style='{style}'>7 leo c</div>")


@pytest.mark.parametrize(
    "page",
    [
        *("<body bgcolor=black text=white>{}", "<td bgcolor='#003366'><font color=white>{}</font></td>"),
        "<div style='background:#000'><p style='color:white'>{}</p></div>",
        "<div style='color:white'><span style='color:black'>{}</span></div>",
        "<p style='background-color:rgba(0,0,0,0);color:rgb(0,0,0)'>{}</p>",
        "<style>.y{{color:#fff;background:#000}}</style><p class=y>{}</p>",
    ],
)
def test_white_text_on_a_dark_background_takes_effect(page: str) -> None:
    assert acts(page.format("7 leo c"))


@pytest.mark.parametrize(
    "page",
    ["<q>{}</q>", "<video>{}</video>", "<dialog>{}</dialog>", "<xml>{}</xml>", "<span class=gmail_quote>{}</span>"],
)
def test_fallback_text_and_inline_quotations_do_not_take_effect(page: str) -> None:
    assert not acts(f"<p>Hello</p>{page.format('7 leo c')}")


@pytest.mark.parametrize(
    "unit",
    [
        *("color:", "color:x ", "background: no-repeat ", "}a{color:#fff"),
        *("<style>", "<style>.a{", "<style>a</style>", "{", "<style>{display:none}", "/*", "<s>"),
        *("text-decoration:", "text-decoration: x ", "}a{text-decoration:", ">" + "a" * 199, "a" * 199 + "!,"),
    ],
)
def test_parsing_styles_is_fast(unit: str) -> None:
    many = (unit * 20_000)[:LARGEST_TEXT]
    for page in (many, f"<style>{many}", f"<style>{many}</style>"):
        with suppress(TooNested):
            assert effort_of(lambda page=page: lines_of_page(page)) < MOST


@pytest.mark.parametrize("digits", ["9" * 5_000, "x" + "f" * 5_000, "0" * 5_000], ids=["9", "xf", "0"])
def test_character_references_with_thousands_of_digits_are_ignored(digits: str) -> None:
    assert lines_of_page(f"<p title='&#{digits};'>7 leo c&#{digits};</p>")[0].text == "7 leo c\ufffd"
