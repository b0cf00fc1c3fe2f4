"""Reading the engine's memory and calling its functions from compiled code, by address.

Addresses are arguments, never globals, so that what is compiled can be kept on disk.
"""

from typing import Any

from llvmlite import ir
from numba import carray, njit, types
from numba.extending import intrinsic


def _pointer_to(kind: Any) -> Any:
    @intrinsic
    def as_pointer(typing_context: Any, address: Any) -> Any:
        signature = types.CPointer(kind)(types.int64)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return signature, generate

    return as_pointer


_float_pointer = _pointer_to(types.float64)
_int_pointer = _pointer_to(types.int32)
_address_pointer = _pointer_to(types.int64)


@njit(inline="always")
def floats(address: int, count: int) -> Any:
    """Return `count` numbers at an address, as an array that shares their memory."""
    return carray(_float_pointer(address), count)


@njit(inline="always")
def integer(address: int) -> int:
    """Return the integer at an address."""
    return carray(_int_pointer(address), 1)[0]


@njit(inline="always")
def pointer(address: int) -> int:
    """Return the address that is kept at an address."""
    return carray(_address_pointer(address), 1)[0]


@intrinsic
def call_stage(typing_context: Any, function: Any, model: Any, data: Any) -> Any:
    """Call a stage of the engine: `void function(const mjModel*, mjData*)`."""
    signature = types.void(types.int64, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [word, word])
        callee = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(callee, arguments[1:])
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def call_solve(
    typing_context: Any, function: Any, model: Any, data: Any, x: Any, y: Any, count: Any
) -> Any:
    """Call `void mj_solveM(const mjModel*, mjData*, mjtNum* x, const mjtNum* y, int n)`."""
    signature = types.void(*([types.int64] * 6))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, small = ir.IntType(64), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [word, word, word, word, small])
        callee = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(callee, [*arguments[1:5], builder.trunc(arguments[5], small)])
        return context.get_dummy_value()

    return signature, generate
