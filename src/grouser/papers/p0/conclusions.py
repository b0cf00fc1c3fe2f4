"""What P0 concludes, in our words, and the claims that decide it."""

from grouser.papers.paper import Conclusion

CONCLUSIONS: tuple[Conclusion, ...] = ()
"""Conclusions of P0."""
