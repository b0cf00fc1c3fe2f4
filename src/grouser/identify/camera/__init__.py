"""Where a robot is, from pictures of its markers. The only importer of OpenCV, an optional one."""
