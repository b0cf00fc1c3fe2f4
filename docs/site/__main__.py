"""Build the site into out/docs/site, or bring the generated tables of pages up to date.

python -m docs.site          # every warning is an error
python -m docs.site tables
"""

import re
import subprocess
import sys
from pathlib import Path

from docs.site.check_site import find_faults
from docs.site.stage import SITE, stage
from docs.site.tables import renew_pages

GRUMBLE = re.compile(r"(griffe|mkdocstrings|autorefs|markdown)\w*:", re.IGNORECASE)


def main(words: list[str]) -> int:
    """Return the exit code: 1 if there was anything to warn of."""
    if words == ["tables"]:
        renew_pages()
        return 0
    if words:
        sys.stderr.write(f"docs.site knows 'tables' or no word, not {' '.join(words)!r}\n")
        return 2
    config = stage()
    zensical = Path(sys.executable).with_name("zensical")
    command = [str(zensical), "build", "--strict", "--clean", "--config-file", str(config)]
    built = subprocess.run(command, stderr=subprocess.STDOUT, stdout=subprocess.PIPE, check=False)
    said = built.stdout.decode()
    sys.stderr.write(said)
    if built.returncode:
        return 1
    # zensical is silent about what its parts grumble of, about pictures, and about its menu.
    faults = [line for line in said.splitlines() if GRUMBLE.match(line)]
    faults += find_faults(SITE, config.parent / "pages")
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    sys.stderr.write(f"{SITE}: {len(list(SITE.rglob('*.html')))} pages, {len(faults)} faults\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
