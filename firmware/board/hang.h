/* Ways for a chip to go wrong: a loop that never ends, and resets. */
#pragma once

#include <stdbool.h>

#include "board.h"

typedef enum { RESET_POWER, RESET_EXTERNAL, RESET_BROWNOUT } reset_cause;

void hang_start(board *board, bool interrupts);  /* with interrupts on, or off */
void hang_end(board *board);
void hang_reset(board *board, reset_cause cause);
