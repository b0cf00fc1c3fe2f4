"""Without extras no command ends in a traceback: it works, or says which extra to install."""

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from docs.make_licences import installed_with
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
BLOCK = """import sys
for name in {names!r}:
    sys.modules[name] = None
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which all but what grouser always needs cannot be imported."""
    always = installed_with("grouser")
    names = [
        module
        for module, owners in packages_distributions().items()
        if not always & {canonicalize_name(owner) for owner in owners}
    ]
    assert {"cobs", "serial", "viser", "pyarrow", "plotly", "cv2", "PIL"} <= set(names)
    folder = tmp_path_factory.mktemp("site")
    (folder / "sitecustomize.py").write_text(BLOCK.format(names=sorted(names)))
    paths = (str(folder), str(ROOT / "src"), os.environ.get("PYTHONPATH", ""))
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}


def test_without_extras_every_command_works_or_names_its_extra(
    bare: dict[str, str], tmp_path: Path
):
    done = subprocess.run(
        [sys.executable, ROOT / "tests" / "without_extras.py", tmp_path],
        env=bare, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
