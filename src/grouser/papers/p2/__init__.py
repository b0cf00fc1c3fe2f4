"""P2 (Zhou et al. 2022): slippage of a large skid-steered vehicle, from its printed tables."""
