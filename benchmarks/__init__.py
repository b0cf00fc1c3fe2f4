"""Speed and physics beside papers and other programs; `grouser bench` measures the rest."""
