/* The vocabulary of faults, in words. */
#pragma once

#include "board.h"

const char *faults_obey(board *board, char *words); /* NULL, or a sentence on what is wrong */
