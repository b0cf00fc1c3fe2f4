"""Entities of the 3D panel."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from grouser.description import load_course, load_robot
from grouser.models import Contact
from grouser.plugs.foxglove.scene import contact_scene, course_scene, robot_scene
from tests.plugs.foxglove.protocol import decode, vector

ENTITIES, FRAME, ID, LOCKED, ARROWS, CUBES, LINES, TRIANGLES = 2, 2, 3, 5, 7, 8, 11, 12
"""Numbers of fields of SceneUpdate and SceneEntity."""
FORCES = [(0.0, 0.0, 100.0), (30.0, -40.0, 0.0), (-1.0, 0.0, 0.0), (5.0, 6.0, 7.0)]


def entities(update):
    return [decode(one) for one in decode(update.encode())[ENTITIES]]


def test_robot_and_flippers_follow_their_frames():
    found = entities(robot_scene(load_robot("absolem"), 0))
    assert [one[FRAME][0].decode() for one in found] == [
        "base_link", "front-left_link", "front-right_link", "rear-left_link", "rear-right_link",
    ]  # fmt: skip
    assert all(one[LOCKED] == [1] for one in found)
    assert [len(one[TRIANGLES]) for one in found] == [5, 2, 2, 2, 2]


@pytest.mark.parametrize("name", ["flat", "pallet", "rough", "slippery", "behaviour-2"])
def test_a_course_is_one_entity_of_the_map(name):
    (course,) = entities(course_scene(load_course(name), 0))
    assert course[FRAME] == [b"map"]
    assert course[CUBES] or course[TRIANGLES]
    for mesh in map(decode, course[TRIANGLES]):
        corners = np.array([vector(point) for point in mesh[2]])
        indices = np.array(_packed(mesh[5][0]))
        assert np.isfinite(corners).all()
        assert indices.max() < len(corners)
        assert len(indices) % 3 == 0
        assert len(mesh[4]) in (0, len(corners))


def test_triangles_of_a_course_reach_as_high_as_its_terrain():
    course = load_course("pallet")
    (entity,) = entities(course_scene(course, 0))
    heights = [vector(p)[2] for mesh in map(decode, entity[TRIANGLES]) for p in mesh[2]]
    tops = [max(slab.top_start, slab.top_end) for slab in course.terrain.slabs]
    assert max(heights) == pytest.approx(max(tops))


def test_arrows_point_along_the_forces():
    contacts = [
        Contact(drive="left", position_in_world=(1.0, 2.0, 3.0), normal_in_world=(0.0, 0.0, 1.0),
                force_in_world=force, slip_in_world=(0.0, 0.0, 0.0))
        for force in FORCES
    ]  # fmt: skip
    (entity,) = entities(contact_scene(contacts, 10.0, 0))
    assert len(entity[ARROWS]) == len(FORCES)
    for arrow, force in zip(entity[ARROWS], FORCES, strict=True):
        fields = decode(arrow)
        pose = decode(fields[1][0])
        turn = Rotation.from_quat(vector(pose[2][0], 1, 2, 3, 4))
        along = np.array(force) / np.linalg.norm(force)
        assert turn.apply((1.0, 0.0, 0.0)) == pytest.approx(along, abs=1e-9)
        assert vector(pose[1][0]) == (1.0, 2.0, 3.0)
        length = fields[2][0] + fields[4][0]
        assert length == pytest.approx(0.25 * np.linalg.norm(force) / (10.0 * 9.80665), rel=1e-3)


def test_a_contact_without_force_has_no_arrow():
    contact = Contact(
        drive="left", position_in_world=(0.0, 0.0, 0.0), normal_in_world=(0.0, 0.0, 1.0),
        force_in_world=(0.0, 0.0, 0.0), slip_in_world=(0.0, 0.0, 0.0),
    )  # fmt: skip
    (entity,) = entities(contact_scene([contact], 10.0, 0))
    assert not entity[ARROWS]


def _packed(data: bytes) -> list[int]:
    return np.frombuffer(data, "<u4").tolist()
