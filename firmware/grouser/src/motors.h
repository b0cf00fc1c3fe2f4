/* The L293D: EN by PWM, two direction inputs a side. Off is EN low: the tracks coast. */
#pragma once

#include <stdint.h>

void motors_setup(void);
void motors_off(void);                           /* also from interrupts */
void motors_drive(const int16_t duty[2]);        /* [1/1000]; nothing without a lease */
