"""Launch files and configuration only."""
