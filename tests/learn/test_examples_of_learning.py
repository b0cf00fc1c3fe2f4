"""Examples that need Stable-Baselines3 run as they stand, for a few updates."""

from pathlib import Path

import pytest

from tests.test_examples import LEARNING, ROOT, run


@pytest.mark.parametrize("name", LEARNING)
def test_an_example_of_learning_runs_on_its_own_and_writes_only_to_out(name: str, tmp_path: Path):
    printed = run([str(ROOT / "examples" / f"{name}.py")], tmp_path)
    assert "mean return" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert list((tmp_path / "out").iterdir())
