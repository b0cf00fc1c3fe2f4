"""P1, Pecka, Zimmermann and Svoboda 2017: eight models of tracks in eight scenarios."""
