"""One sample of the pose controller of P3: three PD laws, mixed to two filtered voltages.

P3 eqs 25-29 in the project frame, derivative on the measured state [A], discrete as P3 ran it:

    V_x = K_px (R_x - x) - K_dx dx/dt, likewise V_y and V_psi
    f_L <- k f_L + (1 - k) (V_x - V_y - V_psi),   f_R <- k f_R + (1 - k) (V_x + V_y + V_psi)

k = exp(-50 rad/s x 0.010 s); the command is f, limited to +-10 V.
"""

from typing import Any

from grouser.models.planar.compiled import compiled


@compiled
def sample_pd(state: Any, reference: Any, gains: Any, filters: Any, keep: float) -> Any:
    """Return the left and the right filter after a sample [V].

    Args:
        state: x, y [m], yaw [rad] and their rates.
        reference: Where x, y [m] and yaw [rad] should be.
        gains: K_px, K_dx [V/m, V s/m], K_py, K_dy, K_ppsi, K_dpsi [V/rad, V s/rad].
        filters: The left and the right filter before the sample [V].
        keep: Share of a filter that one sample leaves [1].
    """
    along = gains[0] * (reference[0] - state[0]) - gains[1] * state[3]
    across = gains[2] * (reference[1] - state[1]) - gains[3] * state[4]
    turning = gains[4] * (reference[2] - state[2]) - gains[5] * state[5]
    left, right = along - across - turning, along + across + turning
    return (
        keep * filters[0] + (1.0 - keep) * left,
        keep * filters[1] + (1.0 - keep) * right,
    )
