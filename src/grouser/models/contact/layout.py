"""The addresses and offsets that the compiled traction reads and writes."""

import ctypes
from functools import lru_cache
from typing import NamedTuple

from grouser.models.contact.engine_layout import addresses, offset, structure

STAGES = (
    "mj_kinematics",
    "mj_comPos",
    "mj_camlight",
    "mj_tendon",
    "mj_makeM",
    "mj_factorM",
    "mj_collision",
    "mj_makeConstraint",
    "mj_island",
    "mj_projectConstraint",
    "mj_transmission",
    "mj_fwdVelocity",
    "mj_step2",
    "mj_fwdActuation",
    "mj_fwdAcceleration",
    "mj_fwdConstraint",
    "mj_solveM",
)
"""Functions of the engine, in the order of `Layout`."""


class Layout(NamedTuple):
    """Addresses of functions, and offsets of fields [bytes]."""

    kinematics: int
    centres: int
    cameras: int
    tendons: int
    inertia: int
    factors: int
    collision: int
    rows: int
    islands: int
    projection: int
    transmission: int
    velocities: int
    step2: int
    actuation: int
    acceleration: int
    constraint: int
    solve: int
    contact_size: int
    contact_position: int
    contact_frame: int
    contact_geoms: int
    contact_row: int
    contacts: int
    contact_count: int
    row_forces: int
    velocity: int
    accelerations: int
    applied: int
    motion_axes: int
    tree_centres: int
    geom_positions: int
    geom_rotations: int
    body_rotations: int
    body_positions: int
    timestep: int
    degrees: int
    geom_body: int
    body_parent: int
    body_root: int
    body_first_degree: int
    body_degree_count: int
    degree_parent: int
    step: int
    positions: int
    controls: int
    contact_excluded: int
    contact_distance: int
    wrenches: int
    body_centres: int
    row_count: int
    row_jacobian: int
    row_stiffness: int
    row_states: int
    row_sizes: int
    row_starts: int
    row_columns: int
    row_velocities: int
    row_references: int
    row_gains: int
    row_inverse_masses: int
    full_inertia: int


@lru_cache(maxsize=1)
def engine_layout() -> Layout:
    """Return the layout of the engine that is installed."""
    calls = addresses(*STAGES)
    contact = [offset("mjContact", name) for name in ("pos", "frame", "geom", "efc_address")]
    data = [
        offset("mjData", name)
        for name in (
            "contact", "ncon", "efc_force", "qvel", "qacc", "qfrc_applied", "cdof", "subtree_com",
            "geom_xpos", "geom_xmat", "xmat", "xpos",
        )
    ]  # fmt: skip
    option = offset("mjModel", "opt") + offset("mjOption", "timestep")
    model = [
        offset("mjModel", name)
        for name in (
            "nv", "geom_bodyid", "body_parentid", "body_rootid", "body_dofadr",
            "body_dofnum", "dof_parentid",
        )
    ]  # fmt: skip
    size = ctypes.sizeof(structure("mjContact"))
    numbers = [*calls, size, *contact, *data, option, *model, *_offsets_of_others()]
    return Layout(*(int(number) for number in numbers))


def _offsets_of_others() -> list[int]:
    """Return what batches, virtual forces, belts of plates and grousers need besides."""
    names = ("xfrc_applied", "xipos", "nefc", "efc_J", "efc_D", "efc_state", "efc_J_rownnz",
             "efc_J_rowadr", "efc_J_colind", "efc_vel", "efc_aref", "efc_KBIP",
             "efc_diagA")  # fmt: skip
    return [
        *addresses("mj_step"),
        offset("mjData", "qpos"),
        offset("mjData", "ctrl"),
        offset("mjContact", "exclude"),
        offset("mjContact", "dist"),
        *(offset("mjData", name) for name in names),
        *addresses("mj_fullM"),
    ]
