"""Forces in the plane: slip, motors and inertia of a robot on smooth ground (P3), compiled."""
