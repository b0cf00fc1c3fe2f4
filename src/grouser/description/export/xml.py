"""XML texts: numbers, and elements with indents."""

from collections.abc import Iterable
from xml.etree.ElementTree import Comment, Element, indent, tostring


def format_numbers(numbers: Iterable[float]) -> str:
    """Return numbers with nine digits, separated by blanks; 0 has no sign."""
    return " ".join(f"{number + 0.0:.9g}" for number in numbers)


def format_xml(root: Element, comment: str = "") -> str:
    """Return a file of an element, with a comment as its first child."""
    if comment:
        root.insert(0, Comment(f" {comment.replace('--', '- -')} "))
    indent(root)
    return f'<?xml version="1.0"?>\n{tostring(root, encoding="unicode")}\n'
