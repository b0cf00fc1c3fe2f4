"""The planar model `tracks-planar`: belts in patches that carry the shear of the ground."""
