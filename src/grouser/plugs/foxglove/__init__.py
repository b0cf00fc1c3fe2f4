"""Foxglove: a websocket server, recordings and a layout.

Nothing here is imported with the package: `server`, `layout` and what they use need the extra
`foxglove`.
"""
