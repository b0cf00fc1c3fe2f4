/* The MPU6050 over TWI by interrupt, one sample a control period; lost and found again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct imu {
    int16_t gyro[3];    /* [1/131 deg/s] x forward, y left, z up */
    int16_t accel[3];   /* [1/16384 g] */
};

void imu_setup(void);
void imu_poll(void);          /* once a control period */
bool imu_lost(void);
struct imu imu_sample(void);  /* zeros while lost */
