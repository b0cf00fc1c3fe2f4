"""Hardware in the loop: a real robot's belts, or their stand-in, drive the virtual one."""
