"""Logs as MCAP with the messages of ROS 2, without ROS. The only door to rosbags, optional."""

from grouser.log.mcap.format_mcap import format_mcap
from grouser.log.mcap.read_mcap import parse_mapped_mcap, parse_mcap, parse_mcap_head

__all__ = ["format_mcap", "parse_mapped_mcap", "parse_mcap", "parse_mcap_head"]
