#include "vehicle.h"

#include "battery.h"
#include "clock.h"
#include "config.h"
#include "guards.h"
#include "imu.h"
#include "lease.h"
#include "messages.h"
#include "motors.h"

static uint8_t state = WITH_WAIT_HELLO ? WAIT_HELLO : ARMED;
static uint16_t latched;
static uint16_t lease_ms = LEASE_MIN;
static uint8_t mode;
static struct track tracks[2];

static void stop(void) {
    lease_end();
    track_rest(&tracks[0]);
    track_rest(&tracks[1]);
}

static void latch(uint16_t faults) {
    latched |= faults;
    stop();
    if (state == ARMED) state = SAFE;
}

void vehicle_setup(void) { motors_setup(); }

uint8_t vehicle_state(void) { return state; }

uint16_t vehicle_faults(void) { return latched | (imu_lost() ? FAULT_IMU : 0); }

const struct track *vehicle_track(uint8_t side) { return &tracks[side]; }

void vehicle_greet(uint16_t agreed_lease_ms) {
    stop();
    lease_ms = agreed_lease_ms;
    state = IDLE;
}

bool vehicle_arm(void) {
    if (battery_low()) return false;
    if (state != ARMED) {
        latched = 0;
        state = ARMED;
        stop();
        lease_start(clock_us(), lease_ms);
    }
    return true;
}

void vehicle_command(int16_t left, int16_t right, uint8_t new_mode, uint32_t arrived_us) {
    mode = new_mode;
    tracks[0].setpoint = left;
    tracks[1].setpoint = right;
    lease_start(arrived_us, lease_ms);
}

void vehicle_emergency_stop(void) {
    if (WITH_ESTOP_LATCH)
        latch(FAULT_ESTOP);
    else
        stop();
}

void vehicle_watch_lease(void) {
    if (!lease_take_ran_out()) return;
    if (WITH_LEASE_LATCH)
        latch(FAULT_LEASE);
    else
        stop();
}

static uint16_t track_faults(void) {
    uint16_t found = 0;
    for (uint8_t side = 0; side < 2; side++) {
        if (track_stalls(&tracks[side]) && WITH_STALL) found |= FAULT_STALL_LEFT << side;
        if (track_runs_away(&tracks[side]) && WITH_RUNAWAY) found |= FAULT_RUNAWAY_LEFT << side;
    }
    return found;
}

static void drive(void) {
    uint16_t found = track_faults();
    if (found) {
        latch(found);
        return;
    }
    int16_t duty[2] = {track_control(&tracks[0], mode), track_control(&tracks[1], mode)};
    motors_drive(duty);
}

void vehicle_step(void) {
    battery_poll();
    track_measure(&tracks[0], 0);
    track_measure(&tracks[1], 1);
    if (battery_low()) latch(FAULT_BATTERY);
    if (state == ARMED) drive();
    imu_poll(); /* last: its interrupts come in the time that is left */
}
