/* One track: how fast it runs, and the duty that makes it run as fast as asked. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct track {
    int16_t setpoint;        /* [0.1 mm/s], or [1/1000] in duty mode */
    int16_t speed;           /* [0.1 mm/s] */
    int16_t duty;            /* [1/1000] */
    int32_t integral;        /* [1/1000 / 4096] */
    int32_t expected_256;    /* [0.1 mm/s / 256] what the speed should be by now */
    int32_t count;           /* [count] at the last estimate */
    uint16_t stamp;          /* [STAMP_US] of the last edge */
    uint16_t still_ms;       /* [ms] since the last control period with an edge */
    uint16_t stalled_ms;     /* [ms] driven without an edge */
    uint16_t runaway_ms;     /* [ms] run against the duty */
    int16_t runaway_speed;   /* [0.1 mm/s] the least speed against the duty in that time */
};

void track_measure(struct track *track, uint8_t side);
void track_rest(struct track *track);     /* forgets set-point, duty and integral */
int16_t track_control(struct track *track, uint8_t mode);
bool track_stalls(struct track *track);
bool track_runs_away(struct track *track);
