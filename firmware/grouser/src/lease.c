#include "lease.h"

#include <util/atomic.h>

#include "config.h"
#include "guards.h"
#include "motors.h"

static volatile uint32_t ends_us;
static volatile bool runs;
static volatile bool ran_out;

/* It ends at the first tick after its time: at most one tick late, with the delay of interrupts. */
void lease_start(uint32_t from_us, uint16_t duration_ms) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        ends_us = from_us + 1000UL * duration_ms - LEASE_MARGIN_US;
        runs = true;
    }
}

void lease_end(void) {
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        runs = false;
        ran_out = false;
        motors_off();
    }
}

bool lease_runs(void) { return runs; }

bool lease_take_ran_out(void) {
    bool taken;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) {
        taken = ran_out;
        ran_out = false;
    }
    return taken;
}

void lease_tick(uint32_t now_us) {
    if (!WITH_LEASE || !runs || (int32_t)(now_us - ends_us) < 0) return;
    runs = false;
    ran_out = true;
    motors_off();
}
