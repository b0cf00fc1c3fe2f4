"""What is wrong with the site as it was built: links, pictures and pages that lead nowhere."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

UNLINKED = {"404.html"}
"""Pages that no page leads to."""
FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
"""Elements that a browser fetches by itself, with the attribute that says from where."""
FETCHING_RELATIONS = {"stylesheet", "preload", "modulepreload", "icon", "preconnect"}


class _Reader(HTMLParser):
    """Gathers where a page leads, what it fetches and which anchors it has."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def has(self, fragment: str) -> bool:
        """Return whether an address with this fragment leads to a place on the page."""
        return not fragment or unquote(fragment) in self.anchors

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of an element."""
        values = {key: value or "" for key, value in attrs}
        self.anchors |= {values[key] for key in ("id", "name") if key in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        address = values.get(FETCHED.get(tag, ""), "")
        if address and (tag != "link" or set(values.get("rel", "").split()) & FETCHING_RELATIONS):
            self.fetched.append(address)


def find_faults(site: Path, pages: Path) -> list[str]:
    """Return one sentence for each fault.

    Args:
        site: The folder with the built pages.
        pages: The folder with the Markdown that they were built from.
    """
    readers = {path: _Reader(path.read_text()) for path in sorted(site.rglob("*.html"))}
    faults = [
        f"{page.relative_to(pages)} did not become a page"
        for page in sorted(pages.rglob("*.md"))
        if not (site / _built(page.relative_to(pages))).is_file()
    ]
    reached = {site / "index.html"}
    for path, reader in readers.items():
        faults += _faults_of(path, reader, readers, site, reached)
    lost = [path for path in readers if path not in reached and path.name not in UNLINKED]
    return faults + [f"{path.relative_to(site)} has no link to it" for path in lost]


def _built(page: Path) -> Path:
    return page.with_name("index.html") if page.stem == "README" else page.with_suffix(".html")


def _faults_of(
    path: Path, reader: _Reader, readers: dict[Path, _Reader], site: Path, reached: set[Path]
) -> Iterator[str]:
    name = path.relative_to(site)
    for address in reader.fetched:
        if urlsplit(address).netloc:
            yield f"{name} fetches {address} from a network"
        elif not address.startswith("data:") and not _target(path, address, site).is_file():
            yield f"{name} shows {address}, which is not there"
    for address in reader.links:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = _target(path, address, site)
        if not target.is_file():
            yield f"{name} leads to {address}, which is not there"
        elif target in readers and not readers[target].has(parts.fragment):
            yield f"{name} leads to {address}, which has no such heading"
        if target != path:
            reached.add(target)


def _target(page: Path, address: str, site: Path) -> Path:
    path = unquote(urlsplit(address).path)
    if not path:
        return page
    target = site / path.lstrip("/") if path.startswith("/") else (page.parent / path).resolve()
    return target / "index.html" if target.is_dir() else target
