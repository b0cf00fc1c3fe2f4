"""Hardware in the loop: a real or simulated board drives a virtual robot."""
