#include "encoder.h"

#include <math.h>

#include <avr_ioport.h>

#include "chip.h"

static const unsigned CHANNELS[4] = {0, 1, 3, 2}; /* bit 0 is A, bit 1 is B: A leads forward */

void encoder_attach(encoder *encoder, drive *drive, int pins) {
    encoder->drive = drive;
    for (int i = 0; i < 2; i++)
        encoder->channel[i] =
            avr_io_getirq(drive->avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 2 * pins + i);
}

static void put(const encoder *encoder) {
    for (int i = 0; i < 2; i++)
        avr_raise_irq(encoder->channel[i], CHANNELS[encoder->phase] >> i & 1);
}

/* The chip forgets input levels at a reset and overwrites them when pull-ups are switched on, while
 * its filter remembers: a level must change there to arrive. */
void encoder_assert(encoder *encoder) {
    const avr_t *avr = encoder->drive->avr;
    for (int i = 0; i < 2; i++) {
        unsigned level = CHANNELS[encoder->phase] >> i & 1;
        if ((avr->data[PINB_ADDRESS] >> (encoder->channel[i]->irq & 7) & 1) == level) continue;
        avr_raise_irq(encoder->channel[i], !level);
        avr_raise_irq(encoder->channel[i], level);
    }
}

static avr_cycle_count_t pass_edge(avr_t *avr, avr_cycle_count_t when, void *param) {
    encoder *encoder = param;
    (void)avr;
    (void)when;
    encoder->phase = (encoder->phase + encoder->step) & 3;
    put(encoder);
    return 0;
}

/* Edges of the past step are put out in the coming one, each at its own time. At the top speed a
 * track passes an edge every twelve steps: there is never more than one. */
void encoder_follow(encoder *encoder, track *track, double dt) {
    int64_t reached = (int64_t)floor(track->position);
    encoder_assert(encoder);
    if (reached == track->counted) return;
    int step = reached > track->counted ? 1 : -1;
    double edge = step > 0 ? reached : reached + 1;
    track->counted = reached;
    if (track->encoder_stuck) return;
    encoder->step = track->encoder_swapped ? -step : step;
    double passed = fabs(track->position - edge) * COUNT_LENGTH; /* [m] since the edge */
    double late = fmin(dt, passed / fmax(fabs(track->speed), 1e-6));
    avr_cycle_timer_register(encoder->drive->avr,
                             1 + (avr_cycle_count_t)((dt - late) * CYCLES_PER_US * 1e6), pass_edge,
                             encoder);
}
