"""A board that lies, dies, floods, replays and stalls, and what the host must do then."""
