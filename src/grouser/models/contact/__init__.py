"""Models by contacts, in three dimensions; the only importer of mujoco."""
