"""Where numbers are: fields of states, robots, contacts and the workspace of compiled code.

Everything per robot is a *field*: robots of a block lie side by side, one per lane, so field k of
block b is `array[(b * fields + k) * width : ... + width]`. What depends on how many belts, hinges
and drives a robot has is an entry of the table `lay`, by the numbers AT_....
"""

# State of a robot; hinges, drives and parameters follow.
POS, QUAT, VEL, SPIN, SEEN, LOST, YAW, ERRORS, STATE = 0, 3, 7, 10, 13, 20, 21, 22, 28
"""Place of O in the world, attitude, velocity of O in the world, angular velocity in the hull's
frame, pose at which the robot last looked for near ground, contacts that found no slot, heading,
errors of the virtual force (integral, last)."""
ANGLE, RATE, COS, SIN, HINGE_STATE = 0, 1, 2, 3, 4
"""State of a hinge."""
SPEED, FORCE, WORK, TRAVEL, DRIVE_STATE = 0, 1, 2, 3, 4
"""State of a drive: belt speed, motor force, motor work, belt travel."""
FRICTION, HULL, FACTOR, SOFT, WEIGHT, PUSHED, STEER, CHOLESKY, OUTSIDE, PARAMETERS = (
    0, 1, 11, 12, 13, 14, 16, 18, 60, 66
)  # fmt: skip
"""Parameters of a robot: factor on friction; mass, first moments and inertia of the hull about O;
factor on masses of flippers; softness of contacts; weight; mass and moment of inertia that the
virtual force moves; speed and yaw rate to steer by; factor of the hull's inertia and its inverse;
force from outside and its moment about the body's origin, in the world.
Goals of hinges and targets of drives follow."""

# Contacts that were found, before they have rows.
PLACE, RUB, NORMAL, ALONG, DEPTH, SURFACE, YIELD, KEY, LONG, WIDE, ROLL, LIFT, KEEP, PUSH = (
    0, 3, 6, 9, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21
)  # fmt: skip
"""Where the load acts, where friction acts, normal, direction along the belt, distance (negative
inside), surface, softness, identity, radii of gyration of the patch, share of the belt's speed
along the contact and along its normal, kept share of the approach, recovery."""
AREA, SPOT, STAGED = 22, 23, 24
"""Area of the patch, number of the place on the belts; numbers of a found contact."""

# Contacts with rows.
ROW_N, ROW_T, ROW_B, HINGE, INV_N, YIELDS, AIM, TANGENT, BOUND, IMPULSE, CROSS, BLOCK = (
    0, 6, 12, 18, 21, 22, 23, 24, 27, 28, 31, 33
)  # fmt: skip
"""Whitened rows of normal, along, across; their hinge parts; inverse of the normal's diagonal,
softness, velocity aimed at, block of friction (tt, tb, bb), largest friction, impulses, coupling of
normal with friction, inverse of the whole block."""
SLACK, SWIRL, CARRY, RAISE, CREEP, MOVES, RATIO, INV_BOUND, SLIPS, SPINS, CONTACT = (
    39, 40, 41, 42, 43, 44, 46, 47, 48, 50, 51
)  # fmt: skip
"""Share by which steps shrink while a motor is at its limit, slip within the patch by spin, share
of the belt's speed along the contact and along its normal, slip per impulse, velocity of the ground
along and across, friction across over along, inverse of the largest friction, slip without an
impulse along and across, slip within a patch whose law counts it by itself."""
KEPT = 4
"""Numbers of a contact that the next step starts from: identity and three impulses."""
NOTHING = -1e7
"""Identity of a slot without a contact."""

# The workspace of a block; what depends on counts follows, see AT_....
CHOL, OLD, SPIN_NOW, MISSED, ROTATION, INVERSE, WORKSPACE = 0, 21, 27, 30, 31, 40, 61
"""Factor of the inertia, whitened velocity of the hull, angular velocity, contacts without a slot,
rotation matrix, inverse of the factor."""
COUPLING, H_ROOT, H_INV, H_VEL, H_X, H_Z, H_OLD, HINGE_WORK = 0, 6, 7, 8, 9, 10, 11, 12
"""A hinge: coupling with the hull over its inertia (6), root of its inertia and its inverse,
whitened rate, place, whitened rate before the step."""
FREE, NOW, ASKED, LIGHT, MOST_PUSH, FULL, DRIVE_WORK = 0, 1, 2, 3, 4, 5, 6
"""A drive: belt speed if the motor did nothing, speed, target, inverse mass, largest impulse of
the motor, whether it is at its limit."""
LINK_WORK = 6
"""A link: places of both circles, and their middle, in the hull's frame (x, z)."""
BEST = 10
"""A chosen point of a share of a belt: place, distance, normal, and three more."""
RIB = 5
"""A grouser: foot (x, z), direction outwards (x, z), curvature of the belt."""

# Near ground of a robot.
FACE, EDGE, PLANE, FIELD, PATCH = 16, 10, 5, 20, 7
"""Numbers of a face, an edge, a plane, a height field and a patch, as `ground` has them."""
FAR = 1e6
"""Place of a feature that a slot does not have [m]."""


# Numbers of the robot's table, at its beginning.
(N_TIMESTEP, N_KEEP, N_PUSH, N_GRAVITY, N_TOLERANCE, N_ORIGIN_X, N_ORIGIN_Y, N_ORIGIN_Z,
 N_REACH_LOW_X, N_REACH_LOW_Y, N_REACH_LOW_Z, N_REACH_HIGH_X, N_REACH_HIGH_Y, N_REACH_HIGH_Z,
 N_MARGIN, N_TURN_ARM, N_BELT_MASS, N_BELT_FORCE, N_GAIN_P, N_GAIN_I, N_GAIN_D, N_TREADMILL,
 N_SWEEPS, N_NORMAL_SWEEPS, N_STEEP, N_RUT_X, N_RUT_Y, N_RUT_CELL, N_RUT_COLUMNS, N_RUT_ROWS,
 N_ANCHOR) = range(31)  # fmt: skip
"""Step, kept share of an approach and recovery of contacts, gravity, tolerance of impulses, the
body's origin as seen from O, the box around the robot, how far it may move before it looks for
near ground again and the arm that turns have in that, mass and largest force of a belt, gains of
the virtual force, speed of a treadmill, sweeps, steepness at which patches become lines, grid of
ruts (first cell, size, columns, rows), place and attitude of belts that stand in the
world."""
N_HEADER = N_ANCHOR + 12
"""Numbers before the parts that depend on counts."""

# Entries of the table of whole numbers.
(AT_LINKS, AT_HINGES, AT_DRIVES, AT_SHAPES, AT_ROWS, AT_GROUPS, AT_SLOTS, AT_PLANES, AT_FIELDS,
 AT_PATCHES, AT_MOST_FACES, AT_MOST_EDGES, AT_LIMITED, AT_PUSHED, AT_ANCHORED, AT_ST_SIZE,
 AT_ST_HINGES, AT_ST_DRIVES, AT_ST_PARAMETERS, AT_ST_GOALS, AT_ST_TARGETS, AT_MEMORY,
 AT_LAW_MEMORY, AT_NEAR, AT_OF_LINKS, AT_OF_SPOTS, AT_OF_HINGES, AT_OF_SHAPES, AT_OF_SIDES,
 AT_OF_CORNERS, AT_OF_ROWS, AT_OF_PATH, AT_OF_PLANES, AT_OF_FIELDS, AT_OF_PATCHES, AT_WS_HINGES,
 AT_WS_LINKS, AT_WS_DRIVES, AT_WS_COUNTS, AT_WS_STAGE, AT_WS_SPARE, AT_WS_CONTACTS, AT_WS_BEST,
 AT_WS_RIBS, AT_WS_SIZE, AT_MEMORY_AT, AT_NEAR_AT,
 AT_CELLS, AT_FACES, AT_EDGES, AT_HEIGHTS, AT_TILES, AT_FACE_STARTS, AT_FACE_ITEMS, AT_EDGE_STARTS,
 AT_EDGE_ITEMS, AT_HULL_FACES, AT_HULL_EDGES,
 AT_OF_HULL_FACES, AT_OF_HULL_EDGES, AT_PLACES, AT_OF_PLACES, AT_SOIL,
 AT_SPOT_PLACES, AT_WS_DRAG, AT_RUTS, AT_RUTS_AT, AT_RUT_MEMORY,
 AT_WS_RUT, AT_FORCED) = range(70)  # fmt: skip
"""Counts (links, hinges, drives, convex shapes, rows of grousers, groups of contacts, slots of a
group, planes, height fields, patches, near faces and edges), switches (motors with limits, virtual
force, anchored belts), parts of a state (ST), of the memory, of near ground, of the robot's table
(OF) and of the workspace (WS); where memory and near ground of all robots begin, and the tables of
the ground; faces and edges of a hull that lies on belts; places that remember, whether there is
soil, places that are no shares of grousers, resistance of a belt; cells of ruts, where those of all
robots begin, and where a robot last looked; whether a force from outside acts."""
AT_END = AT_FORCED + 1
"""How many entries there are."""

# Columns of a link: one straight run of a belt between two circles, or a wheel.
(BODY, DRIVE, Y0, Y1, AX, AZ, BX, BZ, RA, RB, LENGTH, INV_LENGTH, TAPER, AROUND, FIRST, END, OUTER,
 OWNS_END, DEEPEST, SAMPLES, LINES, ENDS, LINK) = range(23)  # fmt: skip
"""Body, drive, sides, circles a and b (x, z, radius), distance of the circles and its inverse,
slope of the run, radius around everything, first and last spot, side of the run that is outside
(0 both), whether what lies beyond b belongs to it, greatest depth, samples along and lines across
for height fields, ends that have spots."""
# Columns of a spot: a place of a belt at which the ground presses.
(AT_LOAD, Y_LOAD, AT_RUB, Y_RUB, SHARE, SPREAD_LONG, SPREAD_WIDE, SPOT_AREA, SPOT_PLACE,
 SPOT_WIDTH) = range(10)  # fmt: skip
"""Where along the link (0 to 1) and across [m] the load acts, and friction; one over the share of
the stiffness; radii of gyration of its patch; area; number of its place."""
# Columns of a place: a patch of a belt that remembers; numbered along each line of each run.
(P_FIRST, P_LAST, P_LINK, P_LENGTH, P_WIDE, P_CELLS, PLACE_ROW) = range(7)
"""Whether it is the first and the last of its line, link, length along the belt, width, cells."""
# What a place remembers: cells (two numbers each) follow.
(M_FADE, M_ALONG, M_ACROSS, M_TWIST, M_MEAN, M_SHIFT, M_SINKS, M_DEEPEST, M_AHEAD, M_SLIP,
 M_BEYOND, M_POWER, M_WAY, M_CELLS) = 0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 15, 16  # fmt: skip
"""Share of the mobilised strength that stays (0 for a place without a contact), what slip of the
last step adds along and across, and what turning adds over its length; means along and across, and
how far the middle of the stress lies from that of the patch; sinkage, greatest sinkage of the
ground below and of that ahead, factor of slip on sinkage, greatest sinkage beyond the end of its
line; a sinkage, an exponent and the power of both; of the first place of a line, its direction."""
R_POSE, R_STATE = 0, 3
"""Where a robot last looked at its ruts: x, y, heading; numbers of that."""
DRAG = 10
"""Resistance of a belt on soil: its sum, its place times that, a normal and a direction."""
MOST_CELLS = 7
"""Cells of a place at most [1]."""
PLACE_MEMORY = M_CELLS + 2 * MOST_CELLS
"""Numbers that a place remembers [1]."""
# Columns of a hinge.
(HX, HY, HZ, CX, CZ, H_MASS, IXX, IYY, IZZ, IXZ, ARMATURE, STIFFNESS, DAMPING, TORQUE, LOW, HIGH,
 HINGE_ROW) = range(17)  # fmt: skip
"""Place, centre of mass, mass, inertia about it, servo, limits."""
# Columns of a convex shape of the hull.
(SX, SY, SZ, RADIUS, FIRST_SIDE, END_SIDE, FIRST_CORNER, END_CORNER, END_SAMPLE, SHAPE_DEEPEST,
 SHAPE) = range(11)  # fmt: skip
"""Middle, radius around it, sides (normal, offset), corners and, behind them, samples of its lower
sides for height fields, greatest depth."""
# Columns of a row of grousers.
(R_LINK, R_Y0, R_Y1, R_AX, R_AZ, R_BX, R_BZ, R_INV, R_SHARES, R_COUNT, R_START, R_PITCH, R_FOOT,
 R_TIP, R_HIGH, R_KEEP, R_PUSH, R_PATH, R_PATH_END, R_LOOP, R_RIBS, R_MX, R_MZ, R_AROUND, R_ROLLS,
 R_DEEPEST, R_AREA, R_PLACE, ROW) = range(29)  # fmt: skip
"""First link of the belt, sides, axis between the end circles (a, b) and one over its square,
shares of the axis, grousers: count, place of the first, pitch, radius at foot and tip, height of
the tip's circle; recovery; segments of the loop, its length; first in the workspace; middle and
radius around the belt; whether grousers roll back; greatest depth; a quarter
of the area between its end circles, place of its first share."""
PATH = 7
"""A segment of a loop: start, length, x, z, cosine and sine of its heading, curvature."""
