"""The controls beside the picture: what is on the page, how it is driven, seen and recorded."""
