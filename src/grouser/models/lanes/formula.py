"""Straight-line arithmetic that is compiled as one expression, and vectors in space.

A `formula` is a Python function of numbers and tuples of numbers without loops or branches over
its arguments. It runs once, with `Term`s in place of numbers, when code that calls it is compiled,
and leaves behind the instructions of its arithmetic. The compiler then has one expression to work
on instead of hundreds, which is where its time goes; and the text reads like the mathematics.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from grouser.models.lanes.lanes import Lanes, Mask, common_kind, fuse, parts_of, promote

Vector = Any
"""Three numbers."""


class Term:
    """A number or truth value of an expression under construction, for one robot or in lanes."""

    __slots__ = ("builder", "is_mask", "native", "value")

    def __init__(self, builder: Any, native: Any, value: Any, *, is_mask: bool = False) -> None:
        self.builder, self.native, self.value, self.is_mask = builder, native, value, is_mask

    def _constant(self, number: float) -> Any:
        wide = isinstance(self.native, ir.VectorType)
        return ir.Constant(
            self.native, [float(number)] * self.native.count if wide else float(number)
        )

    def _with(self, other: Any, name: str, *, compares: str = "", swap: bool = False) -> "Term":
        if self.builder is None:  # only the shape of the result is wanted
            return Term(None, None, None, is_mask=bool(compares) or self.is_mask)
        a = self.value
        b = other.value if isinstance(other, Term) else self._constant(other)
        a, b = (b, a) if swap else (a, b)
        if compares:
            return Term(
                self.builder, self.native, self.builder.fcmp_ordered(compares, a, b), is_mask=True
            )
        value = getattr(self.builder, name)(a, b)
        return Term(self.builder, self.native, value, is_mask=self.is_mask)

    def __add__(self, other: Any) -> "Term":
        return self._with(other, "fadd")

    def __radd__(self, other: Any) -> "Term":
        return self._with(other, "fadd", swap=True)

    def __sub__(self, other: Any) -> "Term":
        return self._with(other, "fsub")

    def __rsub__(self, other: Any) -> "Term":
        return self._with(other, "fsub", swap=True)

    def __mul__(self, other: Any) -> "Term":
        return self._with(other, "fmul")

    def __rmul__(self, other: Any) -> "Term":
        return self._with(other, "fmul", swap=True)

    def __truediv__(self, other: Any) -> "Term":
        return self._with(other, "fdiv")

    def __rtruediv__(self, other: Any) -> "Term":
        return self._with(other, "fdiv", swap=True)

    def __neg__(self) -> "Term":
        value = None if self.builder is None else self.builder.fneg(self.value)
        return Term(self.builder, self.native, value)

    def __lt__(self, other: Any) -> "Term":
        return self._with(other, "", compares="<")

    def __gt__(self, other: Any) -> "Term":
        return self._with(other, "", compares=">")

    def __le__(self, other: Any) -> "Term":
        return self._with(other, "", compares="<=")

    def __ge__(self, other: Any) -> "Term":
        return self._with(other, "", compares=">=")

    def __and__(self, other: Any) -> "Term":
        return self._with(other, "and_")

    def __or__(self, other: Any) -> "Term":
        return self._with(other, "or_")

    def __bool__(self) -> bool:
        raise TypeError("a formula has no branches; use where()")

    def call(self, name: str, *others: "Term") -> "Term":
        """Return what a function of LLVM, such as `sqrt`, makes of it and others."""
        if self.builder is None:
            return self
        wide = isinstance(self.native, ir.VectorType)
        number = self.native.element if wide else self.native
        bits = 64 if isinstance(number, ir.DoubleType) else 32
        suffix = f"v{self.native.count}f{bits}" if wide else f"f{bits}"
        kind = ir.FunctionType(self.native, [self.native] * (1 + len(others)))
        function = cgutils.get_or_insert_function(
            self.builder.module, kind, f"llvm.{name}.{suffix}"
        )
        values = [self.value, *(other.value for other in others)]
        return Term(self.builder, self.native, self.builder.call(function, values))


def where(mask: Term, yes: Any, no: Any) -> Term:
    """Return one number where the mask holds, else another; the mask may be of other lanes."""
    if mask.builder is None:
        return Term(None, None, None)
    values = [x.value if isinstance(x, Term) else mask._constant(x) for x in (yes, no)]
    return Term(mask.builder, mask.native, mask.builder.select(mask.value, *values))


def sqrt(x: Term) -> Term:
    """Return the square root."""
    return x.call("sqrt")


def power(x: Term, exponent: Term) -> Term:
    """Return a power of a number that is not negative."""
    return x.call("pow", exponent)


def magnitude(x: Term) -> Term:
    """Return the absolute value."""
    return x.call("fabs")


def smaller(a: Term, b: Any) -> Term:
    """Return the smaller of two numbers; the second if one is NaN."""
    return where(a < b, a, b)


def larger(a: Term, b: Any) -> Term:
    """Return the larger of two numbers; the second if one is NaN."""
    return where(a > b, a, b)


def mad(a: Any, b: Any, c: Any) -> Term:
    """Return a b + c, rounded once."""
    term = next(x for x in (a, b, c) if isinstance(x, Term))
    if term.builder is None:
        return term
    values = [x.value if isinstance(x, Term) else term._constant(x) for x in (a, b, c)]
    return Term(term.builder, term.native, fuse(term.builder, *values))


def inner(a: Any, b: Any) -> Term:
    """Return the product of two vectors of any length."""
    chains: list[Any] = [None, None]
    for k, (p, q) in enumerate(zip(a, b, strict=True)):
        chain = chains[k % 2]
        chains[k % 2] = p * q if chain is None else mad(p, q, chain)
    return chains[0] if chains[1] is None else chains[0] + chains[1]


def outer(a: Vector, b: Vector) -> tuple[Term, Term, Term]:
    """Return the vector product."""
    return (
        mad(a[1], b[2], -(a[2] * b[1])),
        mad(a[2], b[0], -(a[0] * b[2])),
        mad(a[0], b[1], -(a[1] * b[0])),
    )


def _blank(kind: Any) -> Any:
    if isinstance(kind, types.BaseTuple):
        return tuple(_blank(part) for part in kind)
    return Term(None, None, None, is_mask=isinstance(kind, Mask | types.Boolean))


def _terms(context: Any, builder: Any, kind: Any, value: Any, like: Any) -> Any:
    native = context.get_value_type(like)
    if isinstance(kind, types.BaseTuple):
        parts = parts_of(context, builder, kind, value, like)
        return tuple(Term(builder, native, part) for part in parts)
    if isinstance(kind, Mask | types.Boolean):
        return Term(builder, native, value, is_mask=True)
    return Term(builder, native, promote(context, builder, value, kind, like))


def _build(function: Callable[..., Any], kinds: tuple[Any, ...]) -> Any:
    like = common_kind(*kinds)
    truth = Mask(like.width) if isinstance(like, Lanes) else types.boolean
    shape = function(*(_blank(kind) for kind in kinds))
    is_tuple = isinstance(shape, tuple)
    outs = [truth if term.is_mask else like for term in (shape if is_tuple else (shape,))]
    alike = all(out == outs[0] for out in outs)
    many = types.UniTuple(outs[0], len(outs)) if alike else types.Tuple(outs)
    result = many if is_tuple else outs[0]

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pairs = zip(sig.args, args, strict=True)
        terms = [_terms(context, builder, kind, value, like) for kind, value in pairs]
        made = function(*terms)
        if not is_tuple:
            return made.value
        return context.make_tuple(builder, result, [term.value for term in made])

    return result(*kinds), generate


def formula(function: Callable[..., Any]) -> Any:
    """Return a function for compiled code whose arithmetic is one expression; a decorator."""
    made: dict[int, Callable[..., Any]] = {
        1: lambda typingctx, a: _build(function, (a,)),
        2: lambda typingctx, a, b: _build(function, (a, b)),
        3: lambda typingctx, a, b, c: _build(function, (a, b, c)),
        4: lambda typingctx, a, b, c, d: _build(function, (a, b, c, d)),
        5: lambda typingctx, a, b, c, d, e: _build(function, (a, b, c, d, e)),
        6: lambda typingctx, a, b, c, d, e, f: _build(function, (a, b, c, d, e, f)),
        7: lambda typingctx, a, b, c, d, e, f, g: _build(function, (a, b, c, d, e, f, g)),
        8: lambda typingctx, a, b, c, d, e, f, g, h: _build(function, (a, b, c, d, e, f, g, h)),
    }
    chosen = made[function.__code__.co_argcount]
    chosen.__name__, chosen.__doc__ = function.__name__, function.__doc__
    return intrinsic(chosen)


@formula
def add(a: Vector, b: Vector) -> Any:
    """Return the sum of two vectors."""
    return tuple(p + q for p, q in zip(a, b, strict=True))


@formula
def sub(a: Vector, b: Vector) -> Any:
    """Return the difference of two vectors."""
    return tuple(p - q for p, q in zip(a, b, strict=True))


@formula
def scale(a: Vector, s: Term) -> Any:
    """Return a vector times a number."""
    return tuple(p * s for p in a)


@formula
def move(a: Vector, b: Vector, s: Term) -> Any:
    """Return a vector plus another one times a number."""
    return tuple(mad(q, s, p) for p, q in zip(a, b, strict=True))


@formula
def dot(a: Vector, b: Vector) -> Any:
    """Return the product of two vectors of any length."""
    return inner(a, b)


@formula
def cross(a: Vector, b: Vector) -> Any:
    """Return the vector product."""
    return outer(a, b)


@formula
def choose(mask: Term, yes: Any, no: Any) -> Any:
    """Return the numbers of one tuple where the mask holds, else those of another."""
    return tuple(where(mask, p, q) for p, q in zip(yes, no, strict=True))


@formula
def outward(a: Vector, rotation: Any) -> Any:
    """Return a vector of the hull's frame in the world's, by the rotation matrix in rows."""
    return tuple(inner(rotation[3 * k : 3 * k + 3], a) for k in range(3))


@formula
def inward(a: Vector, rotation: Any) -> Any:
    """Return a vector of the world's frame in the hull's, by the rotation matrix in rows."""
    return tuple(inner(rotation[k::3], a) for k in range(3))


@formula
def rotation_of(q: Any) -> Any:
    """Return the rotation matrix of a unit quaternion, in rows."""
    w, x, y, z = q
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@formula
def least(a: Term, b: Term) -> Any:
    """Return the smaller of two numbers, in compiled code."""
    return smaller(a, b)


@formula
def most(a: Term, b: Term) -> Any:
    """Return the larger of two numbers, in compiled code."""
    return larger(a, b)


@formula
def whole(x: Term) -> Any:
    """Return the largest whole number that is not above, in compiled code."""
    return x.call("floor")
