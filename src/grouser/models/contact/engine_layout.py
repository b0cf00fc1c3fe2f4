"""Where the engine keeps its numbers: field offsets and function addresses, for compiled code.

The engine ships declarations of its structures (`mujoco.introspect`). From them the offsets
follow by the rules of C, so they are right for whatever version is installed.
"""

import ctypes
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco.introspect import ast_nodes, structs
from numpy.typing import NDArray

_C_TYPES: dict[str, Any] = {
    "mjtNum": ctypes.c_double,
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "int": ctypes.c_int,
    "char": ctypes.c_char,
    "mjtByte": ctypes.c_ubyte,
    "unsigned char": ctypes.c_ubyte,
    "mjtBool": ctypes.c_bool,
    "size_t": ctypes.c_size_t,
    "uintptr_t": ctypes.c_size_t,
    "mjtSize": ctypes.c_int64,
    "int64_t": ctypes.c_int64,
    "uint64_t": ctypes.c_uint64,
}
"""The engine's scalar types; enumerations are integers."""


@cache
def structure(name: str) -> type[ctypes.Structure]:
    """Return one of the engine's structures as ctypes lays it out."""
    key = name if name in structs.STRUCTS else f"{name}_"
    return _lay_out(name, structs.STRUCTS[key].fields)


def offset(struct: str, field: str) -> int:
    """Return where a field begins in a structure [bytes]."""
    return int(getattr(structure(struct), field).offset)


@lru_cache(maxsize=1)
def engine_library() -> ctypes.CDLL:
    """Return the engine's own shared library, which Python has loaded already."""
    folder = Path(mujoco.__file__).parent
    names = [
        *folder.glob("libmujoco*.so*"),
        *folder.glob("libmujoco*.dylib"),
        *folder.glob("mujoco.dll"),
    ]
    return ctypes.CDLL(str(names[0]))


def addresses(*names: str) -> NDArray[np.int64]:
    """Return the addresses of functions of the engine."""
    library = engine_library()
    return np.array(
        [ctypes.cast(getattr(library, name), ctypes.c_void_p).value for name in names], np.int64
    )


def _lay_out(name: str, fields: Any) -> type[ctypes.Structure]:
    members = [(field.name, _c_type(field.type)) for field in fields]
    return type(name, (ctypes.Structure,), {"_fields_": members})


def _c_type(declared: Any) -> Any:
    match declared:
        case ast_nodes.PointerType():
            return ctypes.c_void_p
        case ast_nodes.ArrayType():
            inner = _c_type(declared.inner_type)
            for extent in reversed(declared.extents):
                inner = inner * extent
            return inner
        case ast_nodes.ValueType(name=name) if name in _C_TYPES:
            return _C_TYPES[name]
        case ast_nodes.ValueType(name=name) if name in structs.STRUCTS:
            return structure(name)
        case ast_nodes.ValueType():
            return ctypes.c_int
        case _:
            return _lay_out("anonymous", declared.fields)
