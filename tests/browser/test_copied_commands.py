"""The button of a block on the documentation site copies what is typed, and no prompt or output."""

from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name

from tests.viewer.browser import Browser

STYLE = (Path(__file__).parents[2] / "docs" / "site" / "site.css").read_text()
SESSION = "$ grouser robots\nname   what it is\n...\n$ grouser show tp100\ngauge  0.16  m\n"


def test_neither_prompt_nor_output_is_copied(browser: Browser, tmp_path: Path):
    spans = highlight(SESSION, get_lexer_by_name("console"), HtmlFormatter(nowrap=True))
    page = f"<style>{STYLE}</style><div class='highlight'><pre><code>{spans}</code></pre></div>"
    (tmp_path / "page.html").write_text(page)
    tab = browser.open((tmp_path / "page.html").as_uri())
    shown = tab.evaluate("document.querySelector('code').innerText")
    assert "gauge" in shown
    # What the site's script does at a press of the button.
    tab.evaluate("document.querySelector('code').setAttribute('data-md-copying', '')")
    copied = tab.evaluate("document.querySelector('code').innerText")
    assert copied.split("\n") != shown.split("\n")
    assert [line for line in copied.split("\n") if line] == ["grouser robots", "grouser show tp100"]
    tab.close()
