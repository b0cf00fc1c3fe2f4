/* The right to drive, which runs out unless each good command renews it. Counted in the tick
 * interrupt, which switches the motors off itself: no hanging loop can keep them on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

void lease_start(uint32_t from_us, uint16_t duration_ms); /* from the arrival of its command */
void lease_end(void);          /* motors off, at once */
bool lease_runs(void);
bool lease_take_ran_out(void); /* once after it ran out by itself */
void lease_tick(uint32_t now_us); /* from the tick interrupt only */
