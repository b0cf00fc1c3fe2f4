/* L293D, two motors with their tracks, and the two encoders.
 *
 * Assumed: the belt follows the duty beyond the dead band with one lag; the bridge takes a constant
 * voltage. Left out: current, torque, gear play, the load of the ground. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include <sim_avr.h>

#define COUNT_LENGTH (2.0 * M_PI * 0.024 / 360.0) /* [m] of belt a count of the encoder */

enum { LEFT, RIGHT, SIDES };

typedef struct {
    double speed;              /* of the belt, forward positive [m/s] */
    double position;           /* [count] of the encoder */
    int64_t counted;           /* [count] edges scheduled so far */
    bool motor_swapped, encoder_swapped, encoder_stuck, blocked;
} track;

typedef struct {
    struct drive *drive;
    avr_irq_t *channel[2];     /* the chip's pins for A and B */
    unsigned phase;            /* 0 to 3 */
    int step;                  /* the next edge's direction */
} encoder;

typedef struct drive {
    avr_t *avr;
    bool mirror;               /* the chip's left pins go to the right track */
    track track[SIDES];        /* by the track */
    encoder encoder[SIDES];    /* by the chip's pins */
    bool enabled[SIDES];       /* EN, by the chip's pins */
    uint64_t enabled_since[SIDES]; /* [cycle] */
} drive;

void drive_attach(drive *drive, avr_t *avr, bool mirror);
void drive_after_reset(drive *drive);
void drive_step(drive *drive, double dt, double battery); /* [s], [V] */
