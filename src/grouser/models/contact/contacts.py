"""Contacts as a product: forces, slip and the margin against tipping over, from the last step."""

import numpy as np
import shapely

from grouser.geometry import Array
from grouser.models.contact.engine import ContactTable
from grouser.models.model import Contact


def read_contacts(table: ContactTable) -> tuple[Contact, ...]:
    """Return the contacts of a robot with the ground."""
    columns = (table.position, table.normal, table.force, table.slip)
    vectors = [[tuple(row) for row in column.tolist()] for column in columns]
    return tuple(
        Contact(
            drive=belt,
            position_in_world=position,
            normal_in_world=normal,
            force_in_world=force,
            slip_in_world=slip,
        )
        for belt, position, normal, force, slip in zip(table.belt, *vectors, strict=True)
    )


def tip_over_margin(centre_of_mass: Array, contacts: tuple[Contact, ...]) -> float:
    """Return how far the centre of mass is inside the ground that carries the robot [m].

    The distance, seen from above, from the centre of mass to the edge of the convex hull of
    the contacts; negative outside, where the robot is tipping over. Left out: motion.
    """
    if not contacts:
        return -np.inf
    points = np.array([contact.position_in_world[:2] for contact in contacts])
    support = shapely.MultiPoint(points).convex_hull
    centre = shapely.Point(centre_of_mass[:2])
    if support.geom_type != "Polygon" or not support.contains(centre):
        return -float(support.distance(centre))
    return float(support.exterior.distance(centre))
