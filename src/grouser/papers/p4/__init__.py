"""P4 (Okada et al. 2020): continuous tracks with grousers, their speed and what they climb."""
