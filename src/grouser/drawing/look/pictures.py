"""Textures as encoded pictures, made once and then read from the user's cache folder."""

import hashlib
from functools import cache
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from grouser.drawing.look.glb import Image, Skin
from grouser.drawing.look.materials import Material, palette_rows
from grouser.drawing.look.textures import MAKERS, SIZE, sky
from grouser.errors import Unreadable, Unwritable
from grouser.models.kept_code import user_folders
from grouser.storage import read_file, write_atomically

QUALITY = 82
"""Quality of JPEG files, from 1 to 95 [1]."""
LARGEST = 2_000_000
"""Largest size of a file of the cache that is read [bytes]."""


@cache
def texture(name: str, size: int = SIZE) -> Image:
    """Return the texture of a material, by its name, as a JPEG file of a size [pixels]."""
    file = _cache_file(f"{name}-{size}")
    content = _kept(file)
    if content is None:
        content = encode(sky(size) if name == "sky" else MAKERS[name](size))
        if file is not None:
            _keep(file, content)
    return Image(content=content)


def decode(image: Image) -> NDArray[np.uint8]:
    """Return the pixels (rows, columns, 3) of a picture."""
    from PIL import Image as Pillow

    return np.asarray(Pillow.open(BytesIO(image.content)).convert("RGB"))


def encode(pixels: NDArray[np.uint8]) -> bytes:
    """Return a picture (rows, columns, 3) as a JPEG file, or with an alpha channel as a PNG."""
    from PIL import Image as Pillow

    stream, picture = BytesIO(), Pillow.fromarray(pixels)
    if pixels.shape[2] == 4:
        picture.save(stream, "PNG")
    else:
        picture.save(stream, "JPEG", quality=QUALITY)
    return stream.getvalue()


def skin_of(material: Material, *, is_unlit: bool = False, size: int | None = None) -> Skin:
    """Return the material of a surface as glTF has it; `size` is that of its texture [pixels]."""
    # The floor is seen from closest.
    own = 2 * SIZE if material.name == "pavement" and not is_unlit else SIZE
    picture = texture(material.name, size or own)
    return Skin(texture=picture, roughness=material.roughness, is_unlit=is_unlit)


@cache
def palette_skin() -> Skin:
    """Return the material of all parts of robots: the palette, one pixel for each paint."""
    images = {}
    for name, row in palette_rows().items():
        opaque = np.concatenate((row, np.full((*row.shape[:2], 1), 255, np.uint8)), axis=2)
        images[name] = Image(content=encode(opaque), is_sharp=True)
    return Skin(
        metallic=1.0, texture=images["colour"], surface=images["surface"], glow=images["glow"]
    )


@cache
def _edition() -> str:
    """Return a word that changes when the textures do."""
    source = (files("grouser.drawing.look") / "textures.py").read_bytes()
    return hashlib.sha256(source).hexdigest()[:12]


def _cache_file(name: str) -> Path | None:
    folder = next(user_folders(), None)
    return None if folder is None else folder / "textures" / f"{name}-{_edition()}.jpg"


def _kept(file: Path | None) -> bytes | None:
    if file is None:
        return None
    try:
        content = read_file(file, LARGEST)
    except Unreadable:
        return None
    whole = content.startswith(b"\xff\xd8") and content.endswith(b"\xff\xd9")
    return content if whole else None


def _keep(file: Path, content: bytes) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(file, content)
    except (OSError, Unwritable):
        return  # it is made again the next time
