#include "lease.h"

#include <util/atomic.h>

#include "guards.h"
#include "motors.h"

static volatile uint16_t left_ms;
static volatile bool ran_out;

/* One tick less, for the turn of the main loop that a command may have waited: counted from its
 * arrival, a lease is never longer than agreed. */
void lease_start(uint16_t duration_ms) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { left_ms = duration_ms - 1; }
}

void lease_end(void) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        left_ms = 0;
        ran_out = false;
        motors_off();
    }
}

bool lease_runs(void) {
    bool runs;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { runs = left_ms != 0; }
    return runs;
}

bool lease_take_ran_out(void) {
    bool taken;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        taken = ran_out;
        ran_out = false;
    }
    return taken;
}

void lease_tick(void) {
    if (WITH_LEASE && left_ms != 0 && --left_ms == 0) {
        motors_off();
        ran_out = true;
    }
}
