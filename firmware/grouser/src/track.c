/* The Arduino IDE compiles for size and would call a division for every power of two. */
#pragma GCC optimize("O2")

#include "track.h"

#include <stdlib.h>

#include "config.h"
#include "encoders.h"
#include "messages.h"

static int16_t limit(int32_t value, int16_t most) {
    if (value > most) return most;
    if (value < -most) return -most;
    return value;
}

/* Edges over the time between the last edges of two periods: exact at any speed. Between edges
 * the track can be no faster than one count in the time that has passed. */
void track_measure(struct track *track, uint8_t side) {
    struct encoder now = encoder_read(side);
    int32_t edges = now.count - track->count;
    uint16_t steps = now.stamp - track->stamp;
    if (edges != 0) {
        if (track->still_ms < STANDSTILL_MS && steps != 0)
            track->speed = limit(edges * SPEED_OF_COUNT / steps, INT16_MAX);
        track->count = now.count;
        track->stamp = now.stamp;
        track->still_ms = 0;
        return;
    }
    if (track->still_ms < STANDSTILL_MS) track->still_ms += CONTROL_MS;
    if (track->still_ms >= STANDSTILL_MS) {
        track->speed = 0;
    } else {
        int32_t steps_still = track->still_ms * (1000L / STAMP_US);
        track->speed = limit(track->speed, limit(SPEED_OF_COUNT / steps_still, INT16_MAX));
    }
}

void track_rest(struct track *track) {
    track->setpoint = 0;
    track->duty = 0;
    track->integral = 0;
    track->expected_256 = 0;
    track->stalled_ms = 0;
    track->runaway_ms = 0;
}

/* A track needs its time: the error is taken from where it should be by now, so that neither P nor
 * I pushes a healthy one past its set-point. */
static int16_t error_of(struct track *track) {
    int32_t missing_256 = (int32_t)track->setpoint * 256 - track->expected_256;
    track->expected_256 += missing_256 / (LAG_MS / CONTROL_MS);
    return limit(track->expected_256 / 256 - track->speed, INT16_MAX);
}

static int16_t speed_to_duty(struct track *track) {
    int16_t wanted = track->setpoint;
    int16_t error = error_of(track);
    int32_t forward = ((int32_t)wanted * SLOPE_256) / 256 + (wanted > 0 ? DEAD_BAND : -DEAD_BAND);
    int32_t proportional = ((int32_t)error * GAIN_P_256) / 256;
    int32_t duty = forward + proportional + track->integral / 4096;
    bool saturated = (duty >= DUTY_MAX && error > 0) || (duty <= -DUTY_MAX && error < 0);
    if (!saturated) {
        track->integral += (int32_t)error * GAIN_I_4096;
        if (track->integral > INTEGRAL_MAX * 4096L) track->integral = INTEGRAL_MAX * 4096L;
        if (track->integral < -INTEGRAL_MAX * 4096L) track->integral = -INTEGRAL_MAX * 4096L;
    }
    return limit(duty, DUTY_MAX);
}

int16_t track_control(struct track *track, uint8_t mode) {
    if (track->setpoint == 0)
        track_rest(track);
    else if (mode == MODE_DUTY)
        track->duty = limit(track->setpoint, DUTY_MAX);
    else
        track->duty = speed_to_duty(track);
    return track->duty;
}

bool track_stalls(struct track *track) {
    if (abs(track->duty) < DRIVING_DUTY || track->still_ms == 0)
        track->stalled_ms = 0;
    else
        track->stalled_ms += CONTROL_MS;
    return track->stalled_ms >= STALL_MS;
}

/* A track that brakes also runs against its duty, but slows: then the clock starts anew. */
bool track_runs_away(struct track *track) {
    int16_t against = track->duty > 0 ? -track->speed : track->speed;
    if (abs(track->duty) < DRIVING_DUTY || against < RUNAWAY_SPEED) {
        track->runaway_ms = 0;
        return false;
    }
    if (track->runaway_ms == 0 || against < track->runaway_speed - track->runaway_speed / 8) {
        track->runaway_speed = against;
        track->runaway_ms = CONTROL_MS;
    } else {
        track->runaway_ms += CONTROL_MS;
    }
    return track->runaway_ms >= RUNAWAY_MS;
}
