"""Write the tables of docs/licences.md from the packages that are installed here.

python -m docs.make_licences
"""

import re
from importlib.metadata import PackageMetadata, distribution, distributions, metadata
from pathlib import Path

from docs.claim_tables import replace_between
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grouser.storage import write_atomically

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "licences.md"
PINNED = ("constraints.txt", "constraints-peers.txt")
"""Files that pin what `make test` installs."""
NOT_PINNED = {"all", "dev", "learn", "ros"}
"""Extras that are sums of others, or that `make learn` and the tests of ROS 2 install apart."""
PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "ISC",
    "LLVM-exception", "MIT", "MIT-CMU", "PSF-2.0", "Zlib",
}  # fmt: skip
"""Licences that permit all that Apache-2.0 permits."""
EXAMINED = {
    "apsw": "`any-OSI`: its author permits any licence that the Open Source Initiative approves",
    "certifi": "MPL-2.0 covers its own files only; they are used unchanged",
    "cmeel-qhull": "the wheel names none; Qhull has a permissive licence of its own; used by tests",
    "hypothesis": "MPL-2.0 covers its own files only; used by tests",
    "pathspec": "MPL-2.0 covers its own files only; used when grouser is built",
    "tqdm": "MPL-2.0 covers its own files only; they are used unchanged",
}
"""Packages with another licence, and why that is no obstacle."""
WORDS = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "ISC license": "ISC",
    "MIT Licence": "MIT",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Names of licences in metadata, by what they are called here."""
COPYLEFT = {
    "libasound": "LGPL-2.1-or-later",
    "libavcodec": "LGPL, or GPL with what it is linked with",
    "libgeos": "LGPL-2.1-or-later",
    "libgfortran": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "libgmp": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libgnutls": "LGPL-2.1-or-later",
    "libmp3lame": "LGPL-2.0-or-later",
    "libnettle": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libquadmath": "LGPL-2.1-or-later",
    "libunistring": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libx264": "GPL-2.0-or-later",
    "libx265": "GPL-2.0-or-later",
}
"""Licences of the GPL family of libraries that wheels bring along."""


def installed_with(name: str, *extras: str) -> set[str]:
    """Return the packages that come with one, itself included, where these extras are given."""
    seen, todo = set(), [(canonicalize_name(name), extra) for extra in ("", *extras)]
    while todo:
        if (item := todo.pop()) in seen:
            continue
        seen.add(item)
        package, extra = item
        for text in distribution(package).requires or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": extra}):
                todo += [(canonicalize_name(needed.name), e) for e in ("", *needed.extras)]
    return {package for package, _ in seen}


def find_licence(found: PackageMetadata) -> str:
    """Return the licence that a package names; empty if none."""
    if expression := found.get("License-Expression"):
        return expression
    named = [c.split(" :: ")[-1] for c in found.get_all("Classifier") or () if "License ::" in c]
    text = found.get("License") or ""
    is_name = "\n" not in text and len(text) < 40 and text != "UNKNOWN"
    chosen = text if is_name and text else " AND ".join(WORDS.get(name, name) for name in named)
    return WORDS.get(chosen, chosen)


def find_strange(package: str, licence: str) -> list[str]:
    """Return the parts of a licence that nobody has judged for this package."""
    if package in EXAMINED:
        return []
    parts = re.split(r" (?:AND|OR|WITH) ", licence.replace("(", "").replace(")", ""))
    return [part or "none" for part in parts if part not in PERMISSIVE]


def read_pins() -> dict[str, str]:
    """Return the version of each pinned package."""
    words = (word for file in PINNED for word in (ROOT / file).read_text().split())
    return dict(word.split("==") for word in words)


def tabulate_packages() -> str:
    """Return the table of all pinned packages."""
    always, build = installed_with("grouser"), installed_with("hatchling") | {"editables"}
    extras = sorted(set(metadata("grouser").get_all("Provides-Extra") or ()) - NOT_PINNED)
    needed = {extra: installed_with("grouser", extra) for extra in extras}
    lines = ["| package | version | licence | needed by |", "|---|---|---|---|"]
    for name, version in sorted(read_pins().items(), key=lambda pin: canonicalize_name(pin[0])):
        package = canonicalize_name(name)
        users = ["grouser"] if package in always else [e for e in extras if package in needed[e]]
        users = users or (["building"] if package in build else ["dev"])
        lines.append(
            f"| {name} | {version} | {find_licence(metadata(name))} | {', '.join(users)} |"
        )
    return "\n".join(lines)


def tabulate_bundled() -> str:
    """Return the table of libraries of the GPL family inside wheels, as they are on Linux."""
    lines = ["| wheel | library | licence |", "|---|---|---|"]
    for package in sorted(distributions(), key=lambda d: canonicalize_name(d.name)):
        files = {f.name for f in package.files or () if f.parent.name.endswith(".libs")}
        found = {stem for stem in COPYLEFT if any(f.startswith(f"{stem}-") for f in files)}
        lines += [f"| {package.name} | {stem} | {COPYLEFT[stem]} |" for stem in sorted(found)]
    return "\n".join(lines)


def tabulate_examined() -> str:
    """Return the table of packages that are neither permissive nor unknown."""
    rows = (f"| {name} | {reason} |" for name, reason in EXAMINED.items())
    return "\n".join(["| package | why it is no obstacle |", "|---|---|", *rows])


TABLES = {
    "packages": tabulate_packages,
    "bundled": tabulate_bundled,
    "examined": tabulate_examined,
}


def main() -> None:
    """Write the tables."""
    text = PAGE.read_text()
    for word, tabulate in TABLES.items():
        text = replace_between(text, word, tabulate())
    write_atomically(PAGE, text)


if __name__ == "__main__":
    main()
