/* The vehicle: its state, its faults, its two tracks. Only ARMED drives. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "track.h"

enum vehicle_state { WAIT_HELLO = 0, IDLE = 1, ARMED = 2, SAFE = 3 };

enum fault {
    FAULT_LEASE = 1 << 0, FAULT_ESTOP = 1 << 1,
    FAULT_STALL_LEFT = 1 << 2, FAULT_STALL_RIGHT = 1 << 3,
    FAULT_RUNAWAY_LEFT = 1 << 4, FAULT_RUNAWAY_RIGHT = 1 << 5,
    FAULT_BATTERY = 1 << 6, FAULT_IMU = 1 << 7,
    FAULT_OVERRUN = 1 << 8, FAULT_LOOP_LATE = 1 << 9,
};

void vehicle_setup(void);
uint8_t vehicle_state(void);
uint16_t vehicle_faults(void);               /* latched ones and the present IMU */
const struct track *vehicle_track(uint8_t side);

void vehicle_greet(uint16_t lease_ms);       /* HELLO: motors off, IDLE */
bool vehicle_arm(void);                      /* false: the battery does not permit it */
void vehicle_command(int16_t left, int16_t right, uint8_t mode, uint32_t arrived_us);
void vehicle_emergency_stop(void);
void vehicle_watch_lease(void);              /* every turn of the main loop */
void vehicle_step(void);                     /* once a control period */
