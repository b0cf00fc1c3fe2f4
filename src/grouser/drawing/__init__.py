"""Pictures, films and meshes of robots and courses."""
