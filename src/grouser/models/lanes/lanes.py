"""Numbers with lanes for compiled code: one source for one robot and for several at once.

`Lanes` is a vector of floating-point numbers, one per robot, that compiled code passes around like
a number; with one robot it is a plain float. Code that is written with `+ - * / < >`, `select`,
`load` and `store` compiles for both:

    z = lanes(8)                # a zero whose type says how many lanes
    x = load(array, 3, z)       # field 3 of 8 robots: array[3 * 8 : 4 * 8]
    y = select(x > 0.0, x, z)   # per lane
    if anyof(y > 1.0): ...      # a branch that all lanes take together: it may only save work

Nothing is reordered, and products are fused with sums only where the source says so: every
operation is rounded as IEEE 754 says, so a lane has the same bits as a robot that is computed
alone. Longer arithmetic is written as a `formula`.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

LONG, WORD = ir.IntType(64), ir.IntType(32)


class Lanes(types.Type):
    """A floating-point number for each of several robots."""

    def __init__(self, width: int, bits: int) -> None:
        self.width, self.bits = width, bits
        super().__init__(name=f"Lanes{width}f{bits}")


class Mask(types.Type):
    """A truth value for each of several robots."""

    def __init__(self, width: int) -> None:
        self.width = width
        super().__init__(name=f"Mask{width}")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, kind: Lanes) -> None:
        number = ir.DoubleType() if kind.bits == 64 else ir.FloatType()
        super().__init__(dmm, kind, ir.VectorType(number, kind.width))


@register_model(Mask)
class _MaskModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, kind: Mask) -> None:
        super().__init__(dmm, kind, ir.VectorType(ir.IntType(1), kind.width))


def common_kind(*kinds: Any) -> Any:
    """Return the type of a result: lanes if any number or part of a tuple has lanes, else float."""
    for kind in kinds:
        inner = common_kind(*kind) if isinstance(kind, types.BaseTuple) else kind
        if isinstance(inner, Lanes):
            return inner
    return types.float64


def promote(context: Any, builder: Any, value: Any, kind: Any, like: Any) -> Any:
    """Return a number as lanes, if the others are."""
    if kind == like:
        return value
    value = context.cast(builder, value, kind, types.float64)
    if not isinstance(like, Lanes):
        return value
    vector = context.get_value_type(like)
    if vector.element != value.type:
        value = builder.fptrunc(value, vector.element)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), value, WORD(0))
    zeros = ir.Constant(ir.VectorType(WORD, vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, ir.Constant(vector, ir.Undefined), zeros)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, Lanes | types.Float | types.Integer)


def _binary(op: Any, emit: Callable[..., Any], *, compares: bool) -> None:
    @infer_global(op)
    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            has_lanes = len(args) == 2 and any(isinstance(a, Lanes) for a in args)
            if not has_lanes or not all(_is_number(a) for a in args):
                return None
            like = common_kind(*args)
            return signature(Mask(like.width) if compares else like, *args)

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        like = common_kind(*sig.args)
        pairs = zip(args, sig.args, strict=True)
        return emit(builder, *(promote(context, builder, a, kind, like) for a, kind in pairs))

    number = types.Float, types.Integer
    for pair in ((Lanes, Lanes), *((Lanes, k) for k in number), *((k, Lanes) for k in number)):
        lower_builtin(op, *pair)(lower)


_binary(operator.add, lambda b, x, y: b.fadd(x, y), compares=False)
_binary(operator.sub, lambda b, x, y: b.fsub(x, y), compares=False)
_binary(operator.mul, lambda b, x, y: b.fmul(x, y), compares=False)
_binary(operator.truediv, lambda b, x, y: b.fdiv(x, y), compares=False)
_binary(operator.lt, lambda b, x, y: b.fcmp_ordered("<", x, y), compares=True)
_binary(operator.gt, lambda b, x, y: b.fcmp_ordered(">", x, y), compares=True)
_binary(operator.le, lambda b, x, y: b.fcmp_ordered("<=", x, y), compares=True)
_binary(operator.ge, lambda b, x, y: b.fcmp_ordered(">=", x, y), compares=True)


@infer_global(operator.neg)
class _Negative(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        return signature(args[0], args[0]) if isinstance(args[0], Lanes) else None


@lower_builtin(operator.neg, Lanes)
def _negate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.fneg(args[0])


def _logic(op: Any, name: str) -> None:
    @infer_global(op)
    class Typing(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            masks = len(args) == 2 and all(isinstance(a, Mask) for a in args)
            return signature(args[0], *args) if masks else None

    @lower_builtin(op, Mask, Mask)
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, name)(*args)


_logic(operator.and_, "and_")
_logic(operator.or_, "or_")


SINGLE = 100
"""Added to the number of lanes for single precision."""


@intrinsic
def lanes(typingctx: Any, code: Any) -> Any:
    """Return zero in as many lanes as the literal says; a float for 1, single from 100 on."""
    if not isinstance(code, types.IntegerLiteral):
        return None
    count = code.literal_value
    wide = Lanes(count, 64) if count < SINGLE else Lanes(count - SINGLE, 32)
    kind = types.float64 if count == 1 else wide

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        native = context.get_value_type(kind)
        is_vector = isinstance(native, ir.VectorType)
        return ir.Constant(native, [0.0] * native.count) if is_vector else native(0.0)

    return kind(code), generate


def _place(context: Any, builder: Any, kind: Any, array: Any, index: Any, like: Any) -> Any:
    """Return the address of a field: lanes of robots lie side by side."""
    struct = context.make_array(kind)(context, builder, array)
    width = getattr(like, "width", 1)
    at = builder.gep(struct.data, [builder.mul(index, LONG(width)) if width > 1 else index])
    native = context.get_value_type(like)
    return at if width == 1 else builder.bitcast(at, native.as_pointer())


def load_field(context: Any, builder: Any, kind: Any, array: Any, index: Any, like: Any) -> Any:
    """Return the value of a field, in as many lanes as `like` has."""
    value = builder.load(_place(context, builder, kind, array, index, like))
    if isinstance(like, Lanes):
        value.align = like.bits // 8
    return value


def store_field(
    context: Any, builder: Any, kind: Any, array: Any, at: Any, like: Any, value: Any
) -> None:
    """Set a field, in as many lanes as `like` has."""
    done = builder.store(value, _place(context, builder, kind, array, at, like))
    if isinstance(like, Lanes):
        done.align = like.bits // 8


@intrinsic
def load(typingctx: Any, array: Any, index: Any, like: Any) -> Any:
    """Return field `index` of a flat array, for as many robots as `like` has lanes."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return load_field(context, builder, array, args[0], args[1], like)

    return like(array, types.int64, like), generate


@intrinsic
def store(typingctx: Any, array: Any, index: Any, value: Any) -> Any:
    """Set field `index` of a flat array."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        store_field(context, builder, array, args[0], args[1], value, args[2])
        return context.get_dummy_value()

    return types.void(array, types.int64, value), generate


@intrinsic
def select(typingctx: Any, mask: Any, yes: Any, no: Any) -> Any:
    """Return `yes` in lanes where the mask holds, else `no`."""
    like = common_kind(yes, no)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        first = promote(context, builder, args[1], yes, like)
        return builder.select(args[0], first, promote(context, builder, args[2], no, like))

    return like(mask, yes, no), generate


def _reduce(comparison: str, every: bool) -> Any:
    @intrinsic
    def reduce(typingctx: Any, mask: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            if not isinstance(mask, Mask):
                return args[0]
            bits = ir.IntType(mask.width)
            packed = builder.bitcast(args[0], bits)
            return builder.icmp_unsigned(
                comparison, packed, bits(2**mask.width - 1 if every else 0)
            )

        return types.boolean(mask), generate

    return reduce


anyof: Any = _reduce("!=", every=False)
"""Return whether a mask holds in any lane."""
allof: Any = _reduce("==", every=True)
"""Return whether a mask holds in all lanes."""


@intrinsic
def gather(typingctx: Any, array: Any, index: Any) -> Any:
    """Return the elements of a flat array at whole numbers, one per lane."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        struct = context.make_array(array)(context, builder, args[0])
        wanted = context.get_value_type(index)
        number = wanted.element if isinstance(index, Lanes) else wanted

        def fetch(at: Any) -> Any:
            value = builder.load(builder.gep(struct.data, [at]))
            return value if value.type == number else builder.fptrunc(value, number)

        if not isinstance(index, Lanes):
            return fetch(builder.fptosi(args[1], LONG))
        places = builder.fptosi(args[1], ir.VectorType(LONG, index.width))
        out = ir.Constant(wanted, ir.Undefined)
        for lane in range(index.width):
            value = fetch(builder.extract_element(places, WORD(lane)))
            out = builder.insert_element(out, value, WORD(lane))
        return out

    return index(array, index), generate


def parts_of(context: Any, builder: Any, kind: Any, value: Any, like: Any) -> list[Any]:
    """Return the numbers of a tuple, all with lanes if the others have."""
    items = [builder.extract_value(value, k) for k in range(len(kind))]
    return [promote(context, builder, v, t, like) for v, t in zip(items, kind, strict=True)]


def _taker(count: int) -> Any:
    @intrinsic
    def take(typingctx: Any, array: Any, index: Any, like: Any) -> Any:
        kind = types.UniTuple(like, count)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            places = [builder.add(args[1], LONG(k)) for k in range(count)]
            values = [load_field(context, builder, array, args[0], at, like) for at in places]
            return context.make_tuple(builder, kind, values)

        return kind(array, types.int64, like), generate

    return take


take2, take3, take4, take6, take9, take10, take12, take21 = (
    _taker(count) for count in (2, 3, 4, 6, 9, 10, 12, 21)
)
"""Return fields from `index` on, as a tuple."""


@intrinsic
def put(typingctx: Any, array: Any, index: Any, values: Any, like: Any) -> Any:
    """Set fields from `index` on to the numbers of a tuple; numbers become lanes as `like` is."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        for k, value in enumerate(parts_of(context, builder, values, args[2], like)):
            store_field(
                context, builder, array, args[0], builder.add(args[1], LONG(k)), like, value
            )
        return context.get_dummy_value()

    return types.void(array, types.int64, values, like), generate


@intrinsic
def dot_row(typingctx: Any, array: Any, index: Any, values: Any) -> Any:
    """Return the sum of fields from `index` on times the numbers of a tuple."""
    like = common_kind(values)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers = parts_of(context, builder, values, args[2], like)
        places = [builder.add(args[1], LONG(k)) for k in range(len(numbers))]
        row = [load_field(context, builder, array, args[0], at, like) for at in places]
        return multiply_add(builder, row, numbers)

    return like(array, types.int64, values), generate


@intrinsic
def add_rows(typingctx: Any, total: Any, array: Any, index: Any, factors: Any) -> Any:
    """Return a vector plus rows of fields (one after another, from `index` on) times factors."""
    like, count = common_kind(total), len(total)
    kind = types.UniTuple(like, count)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        numbers = parts_of(context, builder, factors, args[3], like)
        out = []
        for k, value in enumerate(parts_of(context, builder, total, args[0], like)):
            places = [builder.add(args[2], LONG(k + count * r)) for r in range(len(numbers))]
            row = [load_field(context, builder, array, args[1], at, like) for at in places]
            for a, b in zip(row, numbers, strict=True):
                value = fuse(builder, a, b, value)  # noqa: PLW2901
            out.append(value)
        return context.make_tuple(builder, kind, out)

    return kind(total, array, types.int64, factors), generate


def fuse(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once: as exact in lanes as it is alone."""
    native = a.type
    wide = isinstance(native, ir.VectorType)
    number = native.element if wide else native
    bits = 64 if isinstance(number, ir.DoubleType) else 32
    suffix = f"v{native.count}f{bits}" if wide else f"f{bits}"
    kind = ir.FunctionType(native, [native] * 3)
    function = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.{suffix}")
    return builder.call(function, [a, b, c])


def multiply_add(builder: Any, x: list[Any], y: list[Any]) -> Any:
    """Return the sum of products, always in the same order: two chains, which then are added."""
    chains: list[Any] = [None, None]
    for k, (a, b) in enumerate(zip(x, y, strict=True)):
        chain = chains[k % 2]
        chains[k % 2] = builder.fmul(a, b) if chain is None else fuse(builder, a, b, chain)
    return chains[0] if chains[1] is None else builder.fadd(*chains)
