"""Belts on soil: sinkage by Bekker's law with unloading and reloading, and what resists motion.

A patch on soil carries area times pressure at its sinkage, linearised about the last step, so that
it is a soft normal of the solver. The ground that passes below a belt keeps its greatest sinkage:
it moves against the robot, not with the belt. Work that compacts ground, and soil that is pushed
ahead, resist like dry friction against the ground: one more contact for each belt, whose limit is
the sum over its patches.
"""

from typing import Any

from grouser.models.contact.compiled import compiled, inlined
from grouser.models.contact.native.layout import *
from grouser.models.contact.traction.hooks import soil_of
from grouser.models.lanes.formula import (
    Term,
    choose,
    formula,
    inner,
    larger,
    magnitude,
    most,
    outer,
    power,
    smaller,
    sqrt,
    where,
)
from grouser.models.lanes.lanes import anyof, gather, load, put, select, store, take3, take4, take10
from grouser.models.lanes.places import fetch, restore

DAMPING = 1.0
"""Damping of sinkage over the critical one [1]."""
RELOAD = 20.0
"""Stiffness of unloading over that of first loading, for soils that do not state it [1]."""
LEAST_SINKAGE = 1e-9
"""Sinkage that powers are taken of at least [m]."""
NEAR = 0.02
"""Relative change of a sinkage within which its power follows from the one before [1]."""
STANDS = 1e-4
"""Speed below which a belt keeps its last direction [m/s]."""
NO_SUPPORT = 1e9
"""Softness of a contact that carries nothing [1/kg]."""
RESIST_KEY = 3.0e6
"""Identity of that contact."""
MOST_SLIP = 0.95
"""Slip ratio above which sinkage by slip does not grow [1]."""


@formula
def drive_speed(hull: Any, spin: Any, rotation: Any, ends: Any, y: Term) -> Any:
    """Return how fast the middle of a link moves from its circle a towards b [m/s].

    `hull` is the velocity of O in the world.
    """
    own = [inner(rotation[k::3], hull) for k in range(3)]
    middle = (0.5 * (ends[0] + ends[2]), y, 0.5 * (ends[1] + ends[3]))
    turned = outer(spin, middle)
    way = (ends[2] - ends[0], ends[3] - ends[1])
    length = sqrt(larger(inner(way, way), 1e-18))
    return ((own[0] + turned[0]) * way[0] + (own[2] + turned[2]) * way[1]) / length


@formula
def pass_ground(own: Term, neighbours: Any, share: Term, way: Term) -> Any:
    """Return greatest sinkage below a place after ground has passed, and that of ground ahead.

    `neighbours` are those towards circles a and b; `share` is how much of its length the robot
    moves towards b, `way` its last direction.
    """
    low, high = neighbours
    forwards = way >= 0.0
    ahead = where(forwards, high, low)
    part = smaller(larger(where(forwards, share, -share), 0.0), 1.0)
    return own + part * (ahead - own), ahead


@formula
def last_way(speed: Term, old: Term) -> Any:
    """Return the direction of a belt, which it keeps at rest."""
    return where(speed > STANDS, 1.0, where(speed < -STANDS, -1.0 + 0.0 * old, old))


@compiled
def carry_sinkage(
    z: Any, st: Any, sb: int, ws: Any, mem: Any, mb: int, rob: Any, lay: Any, rotation: Any
) -> None:
    """Let the ground below the places move against the robot; before `finish_places`."""
    step, hull, spin = rob[N_TIMESTEP], take3(st, sb + VEL, z), take3(ws, SPIN_NOW, z)
    speed, before, way = z, z, z
    for j in range(lay[AT_PLACES]):
        at, row = mb + lay[AT_LAW_MEMORY] + PLACE_MEMORY * j, lay[AT_OF_PLACES] + PLACE_ROW * j
        if rob[row + P_FIRST] > 0.0:
            link = lay[AT_OF_LINKS] + LINK * int(rob[row + P_LINK])
            ends = take4(ws, lay[AT_WS_LINKS] + LINK_WORK * int(rob[row + P_LINK]), z)
            middle = 0.5 * (rob[link + Y0] + rob[link + Y1])
            speed = drive_speed(hull, spin, rotation, ends, middle)
            way, before = last_way(speed, load(mem, at + M_WAY, z)), load(mem, at + M_BEYOND, z)
            store(mem, at + M_WAY, way)
        after = load(mem, at + M_BEYOND if rob[row + P_LAST] > 0.0 else
                     at + PLACE_MEMORY + M_DEEPEST, z)  # fmt: skip
        own = load(mem, at + M_DEEPEST, z)
        share = speed * (step / rob[row + P_LENGTH])
        deepest, ahead = pass_ground(own, (before, after), share, way)
        store(mem, at + M_AHEAD, ahead)
        if lay[AT_RUTS] == 0:
            store(mem, at + M_DEEPEST, deepest)
        before = own


@formula
def deepest_of(sinkage: Term, deepest: Term, slip: Term) -> Any:
    """Return sinkage without what slip adds, and the greatest so far, of which powers are taken."""
    now = larger(sinkage, 0.0) / slip  # the middle of a patch may lie above the ground
    return now, larger(larger(now, deepest), LEAST_SINKAGE)


@formula
def near_power(depth: Term, exponent: Term, known: Any) -> Any:
    """Return whether a depth is near one whose power is known, and its power by a series then."""
    old, old_exponent, old_power = known
    e = depth / larger(old, LEAST_SINKAGE) - 1.0
    n = exponent
    third = n * (n - 1.0) * (n - 2.0) * (1.0 / 6.0)
    series = 1.0 + e * (n + e * (0.5 * n * (n - 1.0) + e * third * (1.0 + 0.25 * (n - 3.0) * e)))
    is_near = (magnitude(e) < NEAR) & (exponent >= old_exponent) & (exponent <= old_exponent)
    return is_near, old_power * series


@formula
def exact_power(depth: Term, exponent: Term) -> Any:
    """Return a power of a depth."""
    return power(depth, exponent)


@inlined
def power_of(z: Any, mem: Any, at: int, place: Any, on: Any, depth: Any, exponent: Any) -> Any:
    """Return a power of a depth: from that of the same place before, or else exactly.

    What a lane gets does not depend on the others; only whether exact powers are computed does.
    """
    known = (
        fetch(mem, at, place, PLACE_MEMORY),
        fetch(mem, at + 1, place, PLACE_MEMORY),
        fetch(mem, at + 2, place, PLACE_MEMORY),
    )
    is_near, found = near_power(depth, exponent, known)
    is_near = is_near & (place >= 0.0)
    missing = on & (select(is_near, 1.0 + z, z) < 0.5)
    if anyof(missing):
        exact = exact_power(depth, exponent)
        found = select(is_near, found, exact)
        kept = missing & (place >= 0.0)
        restore(mem, at, place, PLACE_MEMORY, depth, kept)
        restore(mem, at + 1, place, PLACE_MEMORY, exponent, kept)
        restore(mem, at + 2, place, PLACE_MEMORY, exact, kept)
    return found


@formula
def support(sinks: Any, raised: Term, ground: Any, limits: Any, step: Term) -> Any:
    """Return softness and aim of the normal of a patch on soil, and its work of compaction.

    `sinks` are sinkage now, the greatest sinkage with it and before it, `raised` a power of the
    second; `ground` is modulus, exponent and the stiffness of reloading (constant, per sinkage);
    `limits` are area, largest stiffness and gravity.
    """
    now, most, deepest = sinks
    modulus, exponent, constant, per_depth = ground
    area, stiffest, gravity = limits
    peak = smaller(modulus * raised, stiffest * most)
    tangent = smaller(exponent * peak / most, stiffest)
    stated = constant + per_depth * most
    reload = smaller(larger(where(stated > 0.0, stated, RELOAD * tangent), tangent), stiffest)
    virgin = now >= deepest
    pressure = where(virgin, peak, larger(peak - reload * (deepest - now), 0.0))
    damping = (2.0 * DAMPING) * tangent * sqrt(most / (exponent * gravity))
    firm = where(virgin, tangent, reload) * step + damping
    soft = where(pressure > 0.0, 1.0 / (step * area * firm), NO_SUPPORT + 0.0 * firm)
    return soft, pressure / firm, peak * most / (exponent + 1.0)


@formula
def resistance(sinkage: Term, ahead: Term, work: Term, bulldozing: Any, size: Any) -> Any:
    """Return what a patch adds to the resistance of its belt, and to its strength sideways [N].

    `work` is that of compaction, per area of fresh ground. On ground that was compacted to `ahead`
    only the rest is done; that rest is also the height of soil pushed ahead.
    """
    by_weight, by_cohesion = bulldozing
    length, width = size
    high = larger(sinkage - ahead, 0.0)
    share = smaller(ahead / larger(sinkage, LEAST_SINKAGE), 1.0)
    front = by_weight * high * high + by_cohesion * high
    side = by_weight * sinkage * sinkage + by_cohesion * sinkage
    # Each belt has two lines of patches, and pushes with one side at a time.
    return width * (work * (1.0 - share * share) + front), 0.5 * length * side


@formula
def into_middle(vectors: Any, depth: Term) -> Any:
    """Return where load acts, in the middle of its patch, and the depth there."""
    rub, normal = vectors[3:6], vectors[6:9]
    away = [p - q for p, q in zip(rub, vectors[:3], strict=True)]
    return (*rub, *rub, *normal, *vectors[9:], depth + inner(normal, away))


@inlined
def length_of(rob: Any, lay: Any, place: Any) -> Any:
    """Return the length of the patch of a place [m]; of the first for contacts without one."""
    return gather(rob, most(place, 0.0 * place) * PLACE_ROW + (lay[AT_OF_PLACES] + P_LENGTH))


@formula
def add_force(sums: Any, force: Term, vectors: Any) -> Any:
    """Return the resistance of a belt with that of one more patch."""
    more = sums[0] > 0.0
    places = [
        where(more, s, 0.0 * s) + force * p for s, p in zip(sums[1:4], vectors[3:6], strict=True)
    ]
    ways = [where(force > 0.0, v, s) for s, v in zip(sums[4:], vectors[6:], strict=True)]
    return (sums[0] + force, *places, *ways)


@inlined
def sink_in(
    z: Any, ws: Any, mem: Any, mb: int, rob: Any, lay: Any, law: Any, active: Any, vectors: Any,
    numbers: Any,
) -> Any:  # fmt: skip
    """Return a contact's activity, vectors and numbers on soil, and its strength sideways [N].

    Adds its resistance to that of its belt. Contacts on firm ground stay as they are.
    """
    is_soil, ground, bulldozing, slip_counts = soil_of(law, numbers[1])
    place = numbers[11]
    # Crests between the places of a belt, which rolls over them, give way like a patch.
    crest = (is_soil > 0.5) & (place < 0.0) & (numbers[6] * numbers[6] > 0.0)
    on_soil = crest | ((is_soil > 0.5) & (place >= 0.0))
    beside = z
    if anyof(active & on_soil):
        # Grousers cut into soil: the belt above them carries, and they add to its strength.
        active = active & ((is_soil < 0.5) | (place < lay[AT_SPOT_PLACES]))
        on_soil, crest = on_soil & active, crest & active
        moved = into_middle(vectors, numbers[0])
        at = mb + lay[AT_LAW_MEMORY]
        slip = 1.0 + slip_counts * fetch(mem, at + M_SLIP, place, PLACE_MEMORY)
        slip = select(crest, 1.0 + z, slip)
        deepest = select(crest, z, fetch(mem, at + M_DEEPEST, place, PLACE_MEMORY))
        ahead = fetch(mem, at + M_AHEAD, place, PLACE_MEMORY)
        length = length_of(rob, lay, place)
        area = select(crest, length * rob[lay[AT_OF_PLACES] + P_WIDE], numbers[10])
        stiffest = numbers[9] / (numbers[2] * rob[N_TIMESTEP] * area)
        now, below = deepest_of(z - moved[12], deepest, slip)
        raised = power_of(z, mem, at + M_POWER, place, on_soil, below, ground[1])
        found = support((now, below, deepest), raised, ground, (area, stiffest, rob[N_GRAVITY]),
                        rob[N_TIMESTEP])  # fmt: skip
        soft, aim = found[0], z - found[1]
        vectors = choose(crest, moved[:12], vectors)
        numbers = choose(crest, with_support(numbers, soft, aim), numbers)
        on_soil = on_soil & (place >= 0.0)
        now = select(on_soil, now, z)
        pressed = most(now, fetch(mem, at + M_SINKS, place, PLACE_MEMORY))
        restore(mem, at + M_SINKS, place, PLACE_MEMORY, pressed, on_soil)
        restore(mem, at + M_DEEPEST, place, PLACE_MEMORY, most(now, deepest), on_soil)
        push, beside = resistance(now, ahead, found[2], bulldozing, (length, area / length))
        sums = take10(ws, lay[AT_WS_DRAG], z)  # the first alone is set before
        put(ws, lay[AT_WS_DRAG], add_force(sums, select(on_soil, push, z), vectors), z)
        beside = select(on_soil, beside, z)
        vectors = choose(on_soil, moved[:12], vectors)
        numbers = choose(on_soil, with_support(numbers, soft, aim), numbers)
    return active, vectors, numbers, beside


@formula
def with_support(numbers: Any, soft: Term, aim: Term) -> Any:
    """Return the numbers of a contact that soil carries: softness, and an aim instead of depth."""
    one = 1.0 + 0.0 * soft
    return (aim, numbers[1], soft, *numbers[3:8], 0.0 * soft, one, *numbers[10:12])


@formula
def middle_of_force(sums: Any) -> Any:
    """Return the place of a belt's resistance."""
    share = 1.0 / larger(sums[0], 1e-12)
    return tuple(part * share for part in sums[1:4])


@inlined
def slip_deeper(z: Any, mem: Any, mb: int, rob: Any, lay: Any, live: Any, point: Any) -> None:
    """Keep by how much slip makes a patch sink deeper: over the patch's own length of belt."""
    at = mb + lay[AT_LAW_MEMORY] + M_SLIP
    share = rob[N_TIMESTEP] / length_of(rob, lay, point.place)
    old = fetch(mem, at, point.place, PLACE_MEMORY)
    new = deeper_by_slip(old, point.slip_along, point.belt_speed, share)
    restore(mem, at, point.place, PLACE_MEMORY, new, live & (point.place >= 0.0))


@formula
def deeper_by_slip(old: Term, slip: Term, speed: Term, share: Term) -> Any:
    """Return Lyasko's factor less 1, (1 + i) / (1 - i / 2) - 1, reached over a length of belt."""
    runs = speed * speed > 1e-12
    ratio = where(runs, -slip / where(runs, speed, 1.0), 0.0 * slip)
    ratio = smaller(larger(ratio, 0.0), MOST_SLIP)
    part = smaller(magnitude(speed) * share, 1.0)
    return old + part * (1.5 * ratio / (1.0 - 0.5 * ratio) - old)
