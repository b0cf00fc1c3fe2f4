/* A quadrature encoder: edges on two pins of the chip, at the very cycle the track passes them. */
#pragma once

#include "drive.h"

void encoder_attach(encoder *encoder, drive *drive, int pins);
void encoder_assert(encoder *encoder);      /* puts the present levels on the pins */
void encoder_follow(encoder *encoder, track *track, double dt);
