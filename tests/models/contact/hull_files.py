"""Hulls with an arm, as URDF and as MJCF."""

import struct
from pathlib import Path

import numpy as np

from grouser.description import Robot, load_robot

ARM_MASS = 0.2

URDF = f"""
<robot name="carrier">
  <link name="base">
    <inertial>
      <mass value="99"/><inertia ixx="9" iyy="9" izz="9" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><geometry><sphere radius="0.02"/></geometry></visual>
    <collision><geometry><box size="0.15 0.1 0.04"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial>
      <origin xyz="0.05 0 0"/><mass value="{ARM_MASS}"/>
      <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <collision><origin xyz="0.05 0 0"/><geometry><box size="0.1 0.02 0.02"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/><origin xyz="0 0 0.03"/><axis xyz="0 1 0"/>
    <limit lower="-0.5" upper="0.25" effort="5" velocity="1"/><dynamics damping="0.05"/>
  </joint>
</robot>
"""

MJCF = f"""
<mujoco>
  <compiler angle="degree" meshdir="meshes"/>
  <asset><mesh name="wedge" file="wedge.stl"/></asset>
  <worldbody>
    <light pos="0 0 3"/>
    <body name="base">
      <freejoint/>
      <geom type="mesh" mesh="wedge" mass="99"/>
      <body name="mast"><geom type="box" size="0.01 0.01 0.05" pos="0 0 0.05" mass="99"/></body>
      <body name="arm" pos="0 0 0.03">
        <joint name="shoulder" axis="0 1 0" range="-30 15" damping="0.05"/>
        <geom type="capsule" size="0.01" fromto="0 0 0 0.1 0 0" mass="{ARM_MASS}"/>
      </body>
    </body>
  </worldbody>
  <actuator><position name="servo" joint="shoulder" kp="20"/></actuator>
  <keyframe><key name="up" qpos="0 0 1 1 0 0 0 -0.2"/></keyframe>
</mujoco>
"""


def write_hull(folder: Path, name: str, text: str) -> Robot:
    """Write a file of a hull and a TP100 whose hull it is; return the robot."""
    (folder / name).write_text(text)
    lines = f'[body]\nmodel = "{name}"\nmodel_origin_m = [0.0, 0.0, 0.05]\n'
    (folder / "mine.toml").write_text(load_robot("tp100").text.replace("[body]\n", lines))
    return load_robot(folder / "mine.toml")


def write_wedge(path: Path) -> np.ndarray:
    """Write a mesh of four corners, away from its middle; return the corners [m]."""
    corners = np.array(
        [[-0.05, -0.03, 0.0], [0.1, -0.03, 0.0], [-0.05, 0.05, 0.0], [-0.05, 0, 0.04]]
    )
    faces = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    rows = [struct.pack("<12fH", 0, 0, 0, *corners[list(face)].ravel(), 0) for face in faces]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(bytes(80) + struct.pack("<I", len(rows)) + b"".join(rows))
    return corners
