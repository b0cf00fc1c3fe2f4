import ast
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from grouser import report
from grouser.errors import InvalidValue, MissingExtra
from grouser.log import Column, Log
from grouser.report import Metric, write_page, write_picture, write_report
from tests.report.conftest import make_log

EVIL = '<img src=x onerror="alert(1)"></script>'


class Tags(HTMLParser):
    """All opening tags of a page with their attributes, and the words outside scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._hidden = False

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, tag):
        self._hidden = False

    def handle_data(self, data):
        if not self._hidden and data.strip():
            self.words.append(data.strip())


def parse(path) -> Tags:
    parser = Tags()
    parser.feed(path.read_text(encoding="utf-8"))
    return parser


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page of two runs with an unpleasant name."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    origin = {"robot": "tp100", "robot_hash": "0123456789abcdef", "model": EVIL, "dt": 0.01}
    runs = {"good": make_log(**origin), EVIL: make_log(offset=0.03, **origin)}
    write_page(runs, path)
    return path


def test_page_is_one_file_that_fetches_nothing(page):
    tags = parse(page).tags
    assert not [tag for tag, _ in tags if tag in ("link", "iframe", "img", "base")]
    assert not [attrs for _, attrs in tags if "src" in attrs or "href" in attrs]
    (policy,) = [a["content"] for t, a in tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    assert [entry.name for entry in page.parent.iterdir()] == ["page.html"]


def test_page_holds_the_script_of_plotly_once_and_sends_nothing_to_a_cloud(page):
    text = page.read_text(encoding="utf-8")
    assert len(re.findall(r"plotly\.js v\d", text)) == 1
    figures = sum("plotly-graph-div" in (a.get("class") or "") for _, a in parse(page).tags)
    assert text.count('"showSendToCloud": false') == figures > 0


def test_page_escapes_names(page):
    text = page.read_text(encoding="utf-8")
    assert EVIL not in text
    assert "<img" not in text.partition("</head>")[2]
    assert EVIL in parse(page).words  # as words, not as tags


def test_page_shows_provenance_and_numbers(page):
    words = parse(page).words
    assert "tp100 (01234567)" in words
    assert words[words.index("tick") + 1] == "0.01 s"
    assert words[words.index("diverged by 5 cm at") + 1] == "4 s"
    assert words[words.index("duration") + 1 :][:2] == ["4 s", "4 s"]


def test_page_has_one_figure_per_panel_with_its_title(page):
    words = parse(page).words
    assert "Path seen from above" in words
    assert "Distance from run good at the same time" in words
    kinds = [attrs.get("class") for tag, attrs in parse(page).tags if tag == "section"]
    assert kinds == [None, None, "figure plan", *["figure"] * 7]  # the first two are tables


def test_title_says_what_was_run_unless_given(run, tmp_path):
    write_page({"slip": run}, tmp_path / "a.html")
    write_report({"slip": run}, tmp_path / "same.html")
    assert "tp100 on yard: slip" in parse(tmp_path / "a.html").words
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "same.html").read_bytes()
    metrics = {"slip": [Metric("real-time factor", 12.5, "1")]}
    write_page({"slip": run}, tmp_path / "b.html", title="A & B", metrics=metrics)
    words = parse(tmp_path / "b.html").words
    assert "A & B" in words
    assert words[words.index("real-time factor") + 1] == "12.5"
    assert "duration" not in words


def test_png_has_what_its_name_promises(run, tmp_path):
    write_picture({"$x$ _ <b>": run, "b": make_log()}, tmp_path / "a.PNG")
    png = (tmp_path / "a.PNG").read_bytes()
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(png) > 20_000


def test_svg_has_what_its_name_promises_and_the_same_bytes_for_the_same_run(tmp_path):
    time, yaw = Column(np.arange(3.0), "s"), Column(np.zeros(3), "rad")
    for name in ("a.svg", "b.svg"):
        write_report({"a": Log({"time": time, "yaw": yaw})}, tmp_path / "sub" / name)
    first, second = ((tmp_path / "sub" / name).read_bytes() for name in ("a.svg", "b.svg"))
    assert first.startswith(b"<?xml")
    assert b"</svg>" in first
    assert first == second


@pytest.mark.parametrize("write", [write_page, write_picture, write_report])
def test_other_suffixes_raise_an_error_that_lists_valid_ones(write, run, tmp_path):
    with pytest.raises(InvalidValue, match=r"\.html") as caught:
        write({"run": run}, tmp_path / "a.pdf")
    assert all(suffix in str(caught.value) for suffix in (".png", ".svg", ".html"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("package", "suffix", "sentence"),
    [
        ("plotly", "html", r"a page needs the package 'plotly', .* pip install 'grouser\[plots\]'"),
        ("matplotlib", "png", r"a picture needs the package 'matplotlib', .*grouser\[plots\]"),
    ],
)
def test_missing_extra_says_what_to_install(package, suffix, sentence, run, tmp_path, monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtra, match=sentence):
        write_report({"run": run}, tmp_path / f"a.{suffix}")


@pytest.mark.parametrize(
    "path", sorted(Path(report.__file__).parent.glob("*.py")), ids=lambda p: p.stem
)
def test_no_module_needs_plotly_or_matplotlib_to_be_imported(path):
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            assert not re.search(
                r"\b(plotly|matplotlib)", ast.unparse(node).partition(" import")[0]
            )
