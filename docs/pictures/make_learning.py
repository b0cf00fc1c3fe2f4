"""Draw learning.png: what `examples/10_learn_flippers.py` gains from round to round.

python docs/pictures/make_learning.py
"""

import os
import runpy
import shutil
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE / "learning.png"


def main() -> None:
    """Run the example, all rounds, and take its picture."""
    os.environ.pop("GROUSER_QUICK", None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        runpy.run_path(str(HERE.parents[1] / "examples" / "10_learn_flippers.py"))
        shutil.copyfile("out/10_learning.png", TARGET)


if __name__ == "__main__":
    main()
