"""Draw learning.png and ppo.png: what two examples gain from round to round.

python docs/pictures/make_learning.py learning.png    # examples/10_learn_flippers.py
python docs/pictures/make_learning.py ppo.png         # examples/14_ppo.py, in .venv-learn
"""

import os
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLES = {
    "learning.png": ("10_learn_flippers.py", "out/10_learning.png"),
    "ppo.png": ("14_ppo.py", "out/14_learning.png"),
}
"""Pictures, the example that draws each, and where."""


def main() -> None:
    """Run the example of a picture, all rounds, and take it."""
    os.environ.pop("GROUSER_QUICK", None)
    for name in sys.argv[1:] or EXAMPLES:
        example, drawn = EXAMPLES[name]
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            runpy.run_path(str(HERE.parents[1] / "examples" / example))
            shutil.copyfile(drawn, HERE / name)


if __name__ == "__main__":
    main()
