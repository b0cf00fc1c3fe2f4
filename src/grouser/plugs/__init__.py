"""Live connections to other programs: each is a thin shell around `grouser.live`."""
