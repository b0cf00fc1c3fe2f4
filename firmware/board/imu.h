/* An MPU6050 on the two-wire bus: asleep after power-up, as the real one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <sim_avr.h>

#include "drive.h"
#include "random.h"

typedef struct {
    avr_irq_t *bus;            /* to and from the chip */
    random_stream random;
    bool powered;
    bool selected;             /* by the present transaction */
    bool has_pointer;          /* the first byte written is the register's number */
    uint8_t pointer;
    uint8_t registers[128];
    double bias[3];            /* of the gyro [deg/s] */
    double yaw_rate;           /* [deg/s] */
    bool is_turned;            /* the yaw rate is given, not computed from the belts */
    double forward_speed;      /* [m/s] */
    double acceleration;       /* forward [g] */
} imu;

void imu_attach(imu *imu, avr_t *avr, uint64_t seed);
void imu_power(imu *imu, bool on);
void imu_turn(imu *imu, double yaw_rate);   /* [deg/s]; NAN: by the belts again */
void imu_move(imu *imu, const drive *drive, double dt);
