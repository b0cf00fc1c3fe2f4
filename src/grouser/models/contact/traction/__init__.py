"""Friction laws, and the drives that work against them."""
