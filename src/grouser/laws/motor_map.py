"""Torque of a motor over its voltage, and how a drive train answers: P3 eqs 30-34.

P3 reports a dead zone, a jump at its edge and a torque that rises with the voltage; its fitted
curves K(V), one per side and sign (eqs 35-38), are lost. This form is assumed:

    T = 0 for |V| <= V_d, else sign(V) min( T_j + k (|V| - V_d), T_max ),   K(V) = T / V
    J dOmega/dt = T - B Omega - R F

`sprocket_torque` takes one map for each sign. All torques of the Tankbot are known only up to a
common factor, because P3 sets B to 1.
"""

import numpy as np

from grouser.geometry import Scalar


def motor_torque(
    voltage: Scalar, dead_zone: Scalar, jump: Scalar, gain: Scalar, limit: Scalar
) -> Scalar:
    """Return the torque of a motor whose map is the same for both signs [N m].

    Args:
        voltage: Voltage of the command [V].
        dead_zone: Largest voltage that moves nothing, V_d [V].
        jump: Torque at the edge of the dead zone, T_j [N m].
        gain: Torque per volt beyond it, k [N m/V].
        limit: Largest torque, T_max [N m].
    """
    beyond = np.abs(voltage) - dead_zone
    size = np.minimum(jump + gain * beyond, limit)
    return np.sign(voltage) * size * (beyond > 0.0)


def sprocket_torque(
    voltage: Scalar,
    forward: tuple[Scalar, Scalar, Scalar, Scalar],
    backward: tuple[Scalar, Scalar, Scalar, Scalar],
) -> Scalar:
    """Return the torque of a motor with one map for each sign of the voltage [N m].

    Args:
        voltage: Voltage of the command [V].
        forward: Dead zone [V], jump [N m], gain [N m/V], limit [N m] for voltages above zero.
        backward: The same for voltages below zero.
    """
    ahead = motor_torque(np.maximum(voltage, 0.0), forward[0], forward[1], forward[2], forward[3])
    back = motor_torque(
        np.minimum(voltage, 0.0), backward[0], backward[1], backward[2], backward[3]
    )
    return ahead + back


def torque_per_volt(voltage: Scalar, torque: Scalar) -> Scalar:
    """Return K(V) = T / V; NaN at zero voltage, where it says nothing [N m/V].

    Args:
        voltage: Voltage of the command [V].
        torque: Torque at that voltage [N m].
    """
    standing = np.asarray(voltage) == 0.0
    return np.where(standing, np.nan, torque / np.where(standing, 1.0, voltage))[()]


def steady_sprocket_speed(torque: Scalar, damping: Scalar) -> Scalar:
    """Return the speed of an unloaded sprocket at constant torque, T / B: eq 33 [rad/s].

    Args:
        torque: Torque of the motor [N m].
        damping: Torque lost per angular speed, B [N m s/rad].
    """
    return torque / damping
