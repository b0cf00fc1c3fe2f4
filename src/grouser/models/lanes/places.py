"""Numbers that each lane looks up at a place or row of its own.

Mostly all lanes name the same one; then it is loaded at once.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from grouser.models.lanes.lanes import LONG, WORD, Lanes, load_field, store_field


def _is_uniform(builder: Any, vector: Any, width: int) -> Any:
    """Return whether all lanes of a vector are the same number."""
    first = builder.extract_element(vector, WORD(0))
    zeros = ir.Constant(ir.VectorType(WORD, width), [0] * width)
    start = builder.insert_element(ir.Constant(vector.type, ir.Undefined), first, WORD(0))
    same = builder.shuffle_vector(start, ir.Constant(vector.type, ir.Undefined), zeros)
    packed = builder.bitcast(builder.fcmp_ordered("==", vector, same), ir.IntType(width))
    return builder.icmp_unsigned("==", packed, ir.IntType(width)(2**width - 1))


def _either(builder: Any, condition: Any, native: Any, yes: Callable[[], Any], no: Any) -> Any:
    """Return what one of two pieces of code gives."""
    found = cgutils.alloca_once(builder, native)
    with builder.if_else(condition) as (then, otherwise):
        with then:
            builder.store(yes(), found)
        with otherwise:
            builder.store(no(), found)
    return builder.load(found)


def _own_field(builder: Any, base: Any, place: Any, stride: Any) -> Any:
    """Return a field of the place that a lane names; of the first place for one without."""
    number = builder.fptosi(place, LONG)
    number = builder.select(builder.icmp_signed("<", number, LONG(0)), LONG(0), number)
    return builder.add(base, builder.mul(number, stride))


@intrinsic
def fetch(typingctx: Any, array: Any, base: Any, place: Any, stride: Any) -> Any:
    """Return field `base + place * stride`, where each lane names its own place."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        values, first, places, step = args
        if not isinstance(place, Lanes):
            return builder.load(builder.gep(data, [_own_field(builder, first, places, step)]))
        width, native = place.width, context.get_value_type(place)

        def together() -> Any:
            own = builder.extract_element(places, WORD(0))
            field = _own_field(builder, first, own, step)
            return load_field(context, builder, array, values, field, place)

        def apart() -> Any:
            out = ir.Constant(native, ir.Undefined)
            for lane in range(width):
                own = builder.extract_element(places, WORD(lane))
                field = builder.mul(_own_field(builder, first, own, step), LONG(width))
                value = builder.load(builder.gep(data, [builder.add(field, LONG(lane))]))
                out = builder.insert_element(out, value, WORD(lane))
            return out

        return _either(builder, _is_uniform(builder, places, width), native, together, apart)

    return place(array, types.int64, place, types.int64), generate


@intrinsic
def restore(
    typingctx: Any, array: Any, base: Any, place: Any, stride: Any, value: Any, mask: Any
) -> Any:
    """Set field `base + place * stride` where the mask holds; each lane names its own place."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        values, first, places, step, new, holds = args

        def set_one(at: Any, number: Any, is_set: Any) -> None:
            address = builder.gep(data, [at])
            builder.store(builder.select(is_set, number, builder.load(address)), address)

        if not isinstance(place, Lanes):
            set_one(_own_field(builder, first, places, step), new, holds)
            return context.get_dummy_value()
        width = place.width
        with builder.if_else(_is_uniform(builder, places, width)) as (then, otherwise):
            with then:
                field = _own_field(builder, first, builder.extract_element(places, WORD(0)), step)
                old = load_field(context, builder, array, values, field, place)
                chosen = builder.select(holds, new, old)
                store_field(context, builder, array, values, field, place, chosen)
            with otherwise:
                for lane in range(width):
                    own, number, is_set = (
                        builder.extract_element(part, WORD(lane)) for part in (places, new, holds)
                    )
                    field = builder.mul(_own_field(builder, first, own, step), LONG(width))
                    set_one(builder.add(field, LONG(lane)), number, is_set)
        return context.get_dummy_value()

    return types.void(array, types.int64, place, types.int64, place, mask), generate


@intrinsic
def look_up(typingctx: Any, array: Any, row: Any, column: Any, columns: Any) -> Any:
    """Return a number of a flat table, row by row; each lane names its own row."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data

        def number(own: Any, kind: Any) -> Any:
            at = builder.add(builder.mul(builder.fptosi(own, LONG), args[3]), args[2])
            value = builder.load(builder.gep(data, [at]))
            return value if value.type == kind else builder.fptrunc(value, kind)

        native = context.get_value_type(row)
        if not isinstance(row, Lanes):
            return number(args[1], native)
        width = row.width

        def together() -> Any:
            value = number(builder.extract_element(args[1], WORD(0)), native.element)
            first = builder.insert_element(ir.Constant(native, ir.Undefined), value, WORD(0))
            zeros = ir.Constant(ir.VectorType(WORD, width), [0] * width)
            return builder.shuffle_vector(first, ir.Constant(native, ir.Undefined), zeros)

        def apart() -> Any:
            out = ir.Constant(native, ir.Undefined)
            for lane in range(width):
                value = number(builder.extract_element(args[1], WORD(lane)), native.element)
                out = builder.insert_element(out, value, WORD(lane))
            return out

        return _either(builder, _is_uniform(builder, args[1], width), native, together, apart)

    return row(array, row, types.int64, types.int64), generate
