"""Logs as MCAP with the messages of ROS 2, without ROS. The only door to rosbags, optional."""

from grouser.log.mcap.read import parse_mapped_mcap, parse_mcap, parse_mcap_head
from grouser.log.mcap.write import write_mcap

__all__ = ["parse_mapped_mcap", "parse_mcap", "parse_mcap_head", "write_mcap"]
