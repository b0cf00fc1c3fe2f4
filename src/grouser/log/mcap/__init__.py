"""Logs as MCAP with the messages of ROS 2, without ROS. The only door to rosbags, optional."""

from grouser.log.mcap.format_mcap import write_mcap
from grouser.log.mcap.read_mcap import parse_mapped_mcap, parse_mcap, parse_mcap_head

__all__ = ["parse_mapped_mcap", "parse_mcap", "parse_mcap_head", "write_mcap"]
