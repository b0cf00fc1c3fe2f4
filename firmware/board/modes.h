/* The two ways to run a board; both return an exit code. */
#pragma once

#include "board.h"

int run_lockstep(board *board);   /* time passes only when a line on stdin asks for it */
int run_realtime(board *board);   /* against the monotonic clock, the serial line on a pty */
