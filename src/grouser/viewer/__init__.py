"""Seen in a browser: a page on which a person drives a robot, and replays of logs."""
