"""Why it moves: pure functions, one law per file, each with its equation and its source.

| module | law | source |
|---|---|---|
| `slip_odometry` | body velocity from belt speeds and slip ratios, and back | P0 eqs 1-5 |
| `slope_slip` | slip ratios on slopes, their fit, speed on a ramp | P0 |
| `equivalent_wheelbase` | how wide a robot behaves in turns; the inverse for gamma | P0 eq 7 |
| `icr` | kinematics by centres of rotation, steering efficiency, identification | P1 |
| `turning_geometry` | four-wheel turning, radius from wheel speeds | P2 eqs 1-12, 19, 20 |
| `turning_experiment`, `turning_runs` | a whole experiment, and a set of them | P2 eqs 13-20 |
| `ins_to_body` | body velocity from an inertial navigation system | P2 |
| `step_climb`, `step_path`, `step_pose`, `step_series` | climbing and crossing a step | P0 |
| `step_feasibility` | how high a step may be, and how much friction it asks for | P0 |
| `magic_formula` | force over slip, its linear variant, its peak | P3 eqs 1, 3, 4, 6 |
| `track_slip` | sideslip angle, ground speeds and slip of tracks, with guards | P3 eqs 2, 7-10 |
| `friction_ellipse` | forces along and across share one friction | P3 eqs 12-16 |
| `pressure_centre` | where the resultant forces act | P3 eqs 17, 18 |
| `grade_force` | weight along a slope | P3 eqs 5, 22, 23 |
| `motor_map` | torque over voltage with a dead zone, per sign | P3 eqs 30-38 |
| `lens`, `pinhole`, `overhead_view` | where a camera shows a point | - |
| `pose_from_pixels` | where a body is whose points are seen | - |
| `settling` | how a track rests on uneven ground | - |
"""
