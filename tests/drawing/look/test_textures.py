"""Textures: seamless, the same everywhere, and of the colour of their material."""

import numpy as np
import pytest

from grouser.drawing.look import pictures
from grouser.drawing.look.materials import MATERIALS
from grouser.drawing.look.textures import HAZE, MAKERS, sky

SMALL = 128


@pytest.mark.parametrize("name", MAKERS)
def test_a_texture_repeats_without_a_seam(name: str):
    pixels = MAKERS[name](SMALL).astype(np.float64).mean(axis=2)
    for axis in (0, 1):
        inside = np.abs(np.diff(pixels, axis=axis)).mean(axis=1 - axis)
        seam = np.abs(pixels.take(0, axis=axis) - pixels.take(-1, axis=axis)).mean()
        assert seam <= 1.3 * inside.max() + 1.0


@pytest.mark.parametrize("name", MAKERS)
def test_a_texture_is_the_same_again_and_has_the_colour_of_its_material(name: str):
    pixels = MAKERS[name](SMALL)
    assert pixels.shape == (SMALL, SMALL, 3)
    assert np.array_equal(MAKERS[name](SMALL), pixels)
    assert pixels.std() > 2.0
    mean = MAKERS[name](256).mean(axis=(0, 1)) / 255.0
    assert np.abs(mean - MATERIALS[name].colour).max() < 0.06


def test_every_material_has_a_texture():
    assert set(MATERIALS) == set(MAKERS)


def test_the_sky_ends_in_haze_and_closes_on_itself():
    pixels = sky(256).astype(np.float64)
    assert np.abs(pixels[-1] - HAZE).max() <= 2.0
    seam = np.abs(pixels[:, 0] - pixels[:, -1]).mean()
    assert seam <= 2.0 * np.abs(np.diff(pixels, axis=1)).mean() + 1.0


def test_a_texture_is_kept_and_a_damaged_file_is_made_again(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "user_folders", lambda: iter([tmp_path]))
    pictures.texture.cache_clear()
    first = pictures.texture("ice", 64)
    (file,) = (tmp_path / "textures").iterdir()
    assert file.read_bytes() == first.content
    file.write_bytes(b"half of it")
    pictures.texture.cache_clear()
    assert pictures.texture("ice", 64).content == first.content
    pictures.texture.cache_clear()
    monkeypatch.setitem(MAKERS, "ice", None)  # it is read, not made
    assert pictures.texture("ice", 64).content == first.content
    pictures.texture.cache_clear()


def test_without_a_folder_textures_are_made_all_the_same(tmp_path, monkeypatch):
    pictures.texture.cache_clear()
    (tmp_path / "file").write_text("")
    for folders in ((), (tmp_path / "file",)):
        monkeypatch.setattr(pictures, "user_folders", lambda found=folders: iter(found))
        assert pictures.texture("mud", 64).content.startswith(b"\xff\xd8")
        pictures.texture.cache_clear()
