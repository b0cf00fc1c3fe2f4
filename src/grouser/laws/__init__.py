"""Laws of motion: pure functions, one subject per file, each with its equation and source.

| module | laws | source |
|---|---|---|
| `slip_odometry` | body velocity from belt speeds and slip ratios, and back | P0 eqs 1-5 |
| `slope` | slip ratios on slopes; weight along a slope | P0; P3 eqs 5, 22, 23 |
| `icr` | centres of rotation, steering efficiency, equivalent wheelbase | P1; P0 eq 7 |
| `smooth_slip` | centres with slip and drift, constant or smooth | Martínez et al. 2005 |
| `turning_geometry` | four-wheel turning, radius from wheel speeds | P2 eqs 1-12, 19, 20 |
| `turning_experiment` | one recorded turn evaluated; fits over many | P2 eqs 13-20 |
| `step_path`, `step_climb` | pose of a track on a step, climbing and crossing it | P0 |
| `step_feasibility` | largest height of a step, and the friction it needs | P0 |
| `track_forces` | slip, magic formula, friction ellipse, pressure, motors | P3 eqs 3-18, 30-34 |
| `terramechanics` | sinkage, strength, thrust, resistance and grousers on soil | Bekker, Wong |
| `skid_steering` | steady turns with shear that builds up along the belts | Wong & Chiang 2001 |
| `skid_statics` | loads under belts and wheels, and where they turn about | Coulomb |
| `camera` | pixel of a point; pose of a body from pixels | - |
| `settling` | how a track rests on uneven ground | - |
"""
