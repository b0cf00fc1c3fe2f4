"""Upper limits on files, command-line words and network messages.

A real robot, course or log stays far below each of them. They exist so that a damaged or hostile
input is rejected with a sentence instead of filling the memory or running for ever. Whoever meets
one for a good reason changes the number here; no other module has a limit of its own.
"""

KB, MB, GB = 1 << 10, 1 << 20, 1 << 30

# Sizes of files, and of what is read at once

DESCRIPTION_BYTES = 4 * MB
"""Size of a TOML file [B]; the largest in the package has 9 kB, 10,000 boxes have 1.3 MB."""
WAYPOINT_BYTES = 16 * MB
"""Size of a CSV file of waypoints [B]."""
MESH_BYTES = 256 * MB
"""Size of a URDF, MJCF or mesh file of a robot's body, or of a mesh of a course [B]."""
MESH_HEAD_BYTES = 16 * MB
"""Size of the JSON of a GLB file [B]; 100,000 nodes have about 10 MB."""
SCAN_BYTES = 1 * GB
"""Size of the file of a scan [B]; 20,000,000 points of LAS have 0.6 GB."""
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
RAW_LOG_BYTES = 2 * GB
"""Size of the raw log of a run with a board [B]; an hour at 100 Hz has about 0.2 GB."""
EXCHANGE_BYTES = 4 * KB
"""Size of a line of another program in a file [B]; no line is nearly as long."""
RESULT_BYTES = 1 * GB
"""Size of a file of kept results [B]."""
KEPT_CODE_BYTES = 64 * MB
"""Size of a file with the compiled code of one function [B]; the largest has 0.4 MB."""

# Counts

PIECES = 2_000
"""Steps of a staircase, legs of a path, sources of a file."""
TERRAIN_PIECES = 20_000
"""Pieces of a course."""
WAYPOINTS = 20_000
"""Points of a path, as a satellite receiver records in five hours at 1 Hz."""
CHORDS = 1_000_000
"""Chords that approximate the arcs of a path."""
TRACKS = 64
"""Tracks, wheels, flippers or pulleys of a robot."""
PLATES = 200
"""Plates of a belt of the model `plates`; belts of robots have 15 to 80."""
GRID_LINES = 1_000
"""Lines of the grid on a rig's floor, either way."""
HEIGHT_SAMPLES = 16_000_000
"""Samples of a height field: 4,000 by 4,000."""
SCAN_POINTS = 20_000_000
"""Points of a scan; those of a mesh's surface count, too."""
RUT_CELLS = 4_000_000
"""Cells of a grid of ruts: 40 m by 40 m in cells of 2 cm."""
RUT_NUMBERS = 200_000_000
"""Cells of the ruts of all robots that are computed together; 1.6 GB."""
DRAWN_TRIANGLES = 200_000
"""Triangles of the mesh of a hull, which every page receives."""
MESH_TRIANGLES = 4_000_000
"""Triangles of a mesh of a course; binary STL files of `MESH_BYTES` have 5,000,000."""
MESH_CORNERS = 3 * MESH_TRIANGLES
"""Corners of a mesh: no more than three of each triangle."""
MESH_PARTS = 100_000
"""Nodes of a GLB file, each counted as often as it is shown."""
RAYS = 1_000_000
"""Rays of one scan of a lidar; large ones have 300,000."""
SENSORS = 64
"""Lidars or cameras of a robot."""
COLUMNS = 10_000
"""Columns of a log."""
CELLS = 1_000_000_000
"""Numbers of a table: rows times columns; ten hours at 100 Hz have 200,000,000."""
AXIS_VALUES = 1_000
"""Values along one axis of a sweep."""
WORKERS = 1_024
"""Worker processes on this machine."""
SHEET_SEEDS = 100
"""Starts of each lane of a data sheet."""
COUNT = 2**31 - 1
"""Any whole number of a description, as in steps of an encoder."""
SEED = 2**63 - 1
"""Seed of random numbers."""
SUBSTEPS = 200_000
"""Steps of the planar model within one tick; at most 10,000 are usual in a tick of 1 s."""

# Words

NAME_LENGTH = 100
"""Characters of the name of a robot, a course, a column or a signal."""
WORD_LENGTH = 4_000
"""Characters of a reference or schedule on the command line."""
NESTING = 32
"""Nesting of tables and lists in a TOML file."""
XML_NESTING = 200
"""Nesting of elements in a URDF or MJCF file."""

# Quantities

LENGTH = 1e5
"""Any length or coordinate of a description [m]."""
MASS = 1e6
"""Mass of a robot or a part [kg]."""
TURN = 1e5
"""Angle of a path's turn [deg]."""
FRICTION = 100.0
"""Coefficient of friction [1]."""
SOIL_EXPONENT = 0.05, 5.0
"""Exponent of the sinkage of a soil, least and greatest; published ones are 0.1 to 2 [1]."""
SOIL_ANGLE = 80.0
"""Angle of internal friction of a soil; that of broken rock is about 50 [deg]."""
RUT_CELL = 0.002, 1.0
"""Side of a cell of the grid of ruts, least and greatest [m]."""
FACTOR = 1e3
"""Factor on a number of a description, as in how much more a surface slips [1]."""
DURATION = 1e7
"""Simulated or recorded time: 116 days [s]."""
TICK = 1e-6, 1.0
"""Length of a tick, shortest and longest [s]."""
LIGHTEST_TRACK = 1e-2
"""Mass of a track of the model `plates` over that of the robot, if it has any [1]."""
POINT = 100.0
"""Coordinate of a point of a robot on which a force acts from outside, in its body frame [m]."""
RANGES: dict[str, tuple[float, float]] = {
    "1": (1e-9, 1e9),
    "1/deg": (1e-9, 1e3),
    "1/s": (1e-6, 1e6),
    "N": (1e-6, 1e9),
    "N m": (1e-9, 1e9),
    "N m s": (1e-12, 1e9),
    "N s": (1e-9, 1e7),
    "N m/A": (1e-9, 1e9),
    "N m/V": (1e-9, 1e9),
    "N/m^3": (1e-3, 1e6),
    "Pa": (1e-6, 1e9),
    "A": (1e-9, 1e6),
    "T": (1e-12, 1e3),
    "V": (1e-6, 1e6),
    "deg": (1e-6, TURN),
    "deg/s": (1e-6, 1e6),
    "deg/s/sqrt(Hz)": (1e-9, 1e6),
    "deg/s/sqrt(s)": (1e-9, 1e6),
    "degC": (1e-6, 1e4),
    "Hz": (1e-6, 1e6),
    "kg": (1e-6, MASS),
    "kg m^2": (1e-12, 1e12),
    "m": (1e-6, LENGTH),
    "m/s": (1e-6, 1e4),
    "m/s^2": (1e-6, 1e6),
    "m/s^2/sqrt(Hz)": (1e-9, 1e6),
    "m/s^2/sqrt(s)": (1e-9, 1e6),
    "px": (1e-6, 1e6),
    "rad": (1e-8, 1e4),
    "rad/s": (1e-6, 1e5),
    "s": (1e-6, DURATION),
    "uT": (1e-6, 1e9),
}
"""For each unit: the smallest size other than 0, and the greatest size either way, that a number
of a description or of a driver may have."""

# Quantities of logs and of other programs

STAMP = 9e9
"""Reading of any clock: what 64 bits of nanoseconds since 1970 can hold [s]."""
COORDINATE = 1e8
"""Coordinate of a body in a log, as from the origin of a map's zone [m]."""
ANGLE = 1e6
"""Angle or yaw rate of a body in a log, not wrapped [rad, rad/s]."""
SPEED = 1e3
"""Speed of a belt, or of a body in a log [m/s]."""
BELT_SPEED = 100.0
"""Speed of a belt in a line of another program, either way [m/s]."""

# Pages

PAGE_MESSAGE_BYTES = 4 * KB
"""Size of a message from a page to the server [B]; the longest has 400 bytes."""
PAGE_CAMERAS = 100
"""Camera messages of a page per second; it sends at most 50 [1/s]."""
PAGE_DRAGS = 200
"""Messages of drags in the scene per second; a page sends one for each frame [1/s]."""
PAGE_CHANGES = 40
"""Changes of controls and single keys of a page per second; a person makes a few [1/s]."""
PAGE_KEYS = 10_000
"""Messages of a page's key socket per second; it sends at most 60 [1/s]."""
PAGE_MISTAKES = 50
"""Invalid messages before a page's socket is closed; the count falls by one each second."""
PAGE_SIGNALS = 32
"""Signals of all charts of a page."""
PAGE_PICTURES = 8
"""Cameras whose pictures a page shows at once."""
PAGE_SOCKETS = 96
"""Open sockets of a page's server; each page has three."""
PAGE_REQUESTS = 24
"""Connections that are being opened or served a file at a time; a browser opens six."""
PAGE_OPENING = 5.0
"""How long the head of a request may take to arrive [s]."""
FOLDER_BYTES = 2 * GB
"""Size of all files that a page keeps of courses and robots [B]."""
UPLOAD_BYTES = 256 * MB
"""Size of a file that is dropped on a page [B]; meshes and height maps may have no more either."""
UPLOAD_PART_BYTES = 256 * KB
"""Size of one message of a file that is dropped on a page [B]."""
UPLOAD_PARTS = 400
"""Messages of dropped files of a page per second: 100 MB/s [1/s]."""
PAGE_TRIANGLES = 40_000
"""Triangles of a mesh that is dropped on a page; larger ones are thinned."""
PAGE_SAMPLES = 250_000
"""Samples of a height map that is dropped on a page: 500 by 500; larger ones are thinned."""
READING_BYTES = 2 * GB
"""Memory of the process that reads a dropped file [B]; 4,000,000 triangles need 1.4 GB."""
READING_SECONDS = 120
"""Time of the processor that it may use [s]."""
READING_PATIENCE = 300.0
"""Time after which it is ended, however much it has to wait for a processor [s]."""
PAGE_WISHES = 200
"""Requests of pages between two ticks."""
EVENTS = 100_000
"""Events of a scenario: pushes, pulls, changes [1]."""
PUSHES = 100
"""Pushes and kicks that act on a robot at the same time; all of them are summed in each tick."""
