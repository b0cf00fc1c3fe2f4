"""Upper limits on what files, words and wires may ask for.

A real robot, course or log stays far below each of them. They exist so that a damaged or hostile
input is rejected with a sentence instead of filling the memory or running for ever. Whoever meets
one for a good reason changes the number here; no other module has a limit of its own.
"""

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30

DESCRIPTION_BYTES = 4 * MB
"""Size of a TOML, JSON or points file [B]; the longest of ours has 9 kB."""
MESH_BYTES = 256 * MB
"""Size of a URDF, MJCF or mesh file of a robot's body [B]."""
PICTURE_BYTES = 256 * MB
"""Size of the file of a height field [B]."""
LOG_BYTES = 16 * GB
"""Size of a log file [B]; ten hours at 100 Hz are about 2 GB of CSV."""
HEADER_BYTES = 8 * MB
"""Size of the header of a log, with the robot's and the course's text [B]."""

LINE_BYTES = 1 * MB
"""Size of one line of a table [B]; a row of 10,000 numbers has 200 kB."""
CHUNK_BYTES = 256 * MB
"""Size of one chunk or one message of a bag, also when unpacked [B]; recorders make 1 to 8 MB."""
CELLS = 1_000_000_000
"""Numbers of a table: rows times columns; ten hours at 100 Hz have 200,000,000."""
RESULT_BYTES = 1 * GB
"""Size of a file of kept results [B]."""

HEIGHT_SAMPLES = 64_000_000
"""Samples of a height field: 8,000 by 8,000."""
PIECES = 2_000
"""Pieces of a course, steps of a staircase, legs and points of a path, slats of a pallet."""
TRACKS = 64
"""Tracks, wheels, flippers or pulleys of a robot."""
NESTING = 32
"""Tables and lists inside one another in a TOML file."""
NAME_LENGTH = 100
"""Characters of the name of a robot, a course, a column or a signal."""
WORD_LENGTH = 4_000
"""Characters of a reference or schedule on the command line."""
COLUMNS = 10_000
"""Columns of a log."""

LENGTH = 1e5
"""Any length or coordinate of a description [m]."""
MASS = 1e6
"""Mass of a robot or a part [kg]."""
DURATION = 1e7
"""Simulated or recorded time: 116 days [s]."""
STAMP = 9e9
"""Reading of any clock: what 64 bits of nanoseconds since 1970 can hold [s]."""
TURN = 1e5
"""Angle of a path's turn [deg]."""
