/* grouser-board: the simulated board. Copyright (C) the grouser authors. Free software under the
 * GNU General Public License, version 3 or later; see LICENSE. It comes without any warranty. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "modes.h"

static int usage(void) {
    fprintf(stderr, "usage: grouser-board [--lockstep | --pty | --socket FD] [--seed N] [--mirror] ELF\n");
    return 2;
}

int main(int argc, char **argv) {
    static const struct option options[] = {
        {"lockstep", no_argument, NULL, 'l'}, {"pty", no_argument, NULL, 'p'},
        {"socket", required_argument, NULL, 'f'}, {"seed", required_argument, NULL, 's'}, {"mirror", no_argument, NULL, 'm'},
        {NULL, 0, NULL, 0},
    };
    static board board;
    bool lockstep = true, mirror = false;
    uint64_t seed = 0;
    int line = -1; /* file descriptor of the line; -1: a new pseudo-terminal */
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        char *end = "";
        if (option == 'l' || option == 'p') lockstep = option == 'l';
        else if (option == 'f') lockstep = false, line = (int)strtol(optarg, &end, 10);
        else if (option == 's') seed = strtoull(optarg, &end, 10);
        else if (option == 'm') mirror = true;
        else return usage();
        if (*end) return usage();
    }
    if (optind != argc - 1) return usage();
    if (!board_start(&board, argv[optind], seed, mirror)) return 2;
    return lockstep ? run_lockstep(&board) : run_realtime(&board, line);
}
