"""The command line: `grouser`. A shell that loads, drives, shows and compares; no physics."""

from grouser.cli.main import main

__all__ = ["main"]
