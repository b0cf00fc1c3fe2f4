/* The two ways to run a board; both return an exit code. */
#pragma once

#include "board.h"

int run_lockstep(board *board);   /* time passes only when a line on stdin asks for it */
/* Against the monotonic clock; the serial line is a file descriptor, or if -1 a new pty. */
int run_realtime(board *board, int line);
