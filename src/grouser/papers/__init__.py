"""Experiments of papers, run again here: their scenarios, their tables, their figures."""
