"""What a robot can do, on one page: searches by simulation, limits, drawings."""
