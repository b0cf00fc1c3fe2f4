"""P0, Low et al.: a crawler in the loop with a virtual one."""
