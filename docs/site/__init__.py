"""The documentation site: pages of this folder, generated ones beside them, built and checked."""
