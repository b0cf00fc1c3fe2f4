"""Reading the engine's memory and calling its functions from compiled code, by address.

Addresses are arguments, never globals, so that what is compiled can be kept on disk.
"""

from typing import Any

from llvmlite import ir
from numba import carray, njit, types  # pyright: ignore[reportPrivateImportUsage]
from numba.extending import intrinsic


def _load(kind: Any, native: Any) -> Any:
    @intrinsic
    def load(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.load(builder.inttoptr(arguments[0], native.as_pointer()))

        return kind(types.int64), generate

    return load


number = _load(types.float64, ir.DoubleType())
"""`number(address)` is the number at an address."""
pointer = _load(types.int64, ir.IntType(64))
"""`pointer(address)` is the address that is kept at an address."""
_small = _load(types.int32, ir.IntType(32))


@intrinsic
def put_integer(typing_context: Any, address: Any, value: Any) -> Any:
    """Write an integer to an address."""
    signature = types.void(types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        small = ir.IntType(32)
        place = builder.inttoptr(arguments[0], small.as_pointer())
        builder.store(builder.trunc(arguments[1], small), place)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def put_number(typing_context: Any, address: Any, value: Any) -> Any:
    """Write a number to an address."""
    signature = types.void(types.int64, types.float64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.inttoptr(arguments[0], ir.DoubleType().as_pointer())
        builder.store(arguments[1], place)
        return context.get_dummy_value()

    return signature, generate


@njit(inline="always")
def integer(address: int) -> int:
    """Return the integer at an address."""
    return types.int64(_small(address))


@intrinsic
def _as_pointer(typing_context: Any, address: Any) -> Any:
    signature = types.CPointer(types.float64)(types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return signature, generate


@njit(inline="always")
def floats(address: int, count: int) -> Any:
    """Return `count` numbers at an address, as an array that shares their memory."""
    return carray(_as_pointer(address), count)


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


@intrinsic
def call_fill(typing_context: Any, function: Any, model: Any, data: Any, target: Any) -> Any:
    """Call `void mj_fullM(const mjModel*, const mjData*, mjtNum* dst)`."""
    signature = types.void(*([types.int64] * 4))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [word, word, word])
        callee = builder.inttoptr(arguments[0], kind.as_pointer())
        builder.call(callee, arguments[1:])
        return context.get_dummy_value()

    return signature, generate
