"""Overhead-camera tracking: camera calibration, marker detection, poses as a log."""
