"""P0 (Low et al.): the TP100 crawler, its slip, and its virtual courses."""
