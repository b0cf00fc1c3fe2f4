#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"
#include "modes.h"

#define SLICE_US 500           /* [us] between looks at the outside world */
#define BEHIND_US 100000       /* [us] so late, the board lets time go */

static uint64_t monotonic_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* The board keeps the far end open too: a host may come and go. */
static int open_pty(void) {
    int master, slave;
    char name[128];
    struct termios raw;
    if (openpty(&master, &slave, name, NULL, NULL) != 0) return -1;
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    fcntl(master, F_SETFL, O_NONBLOCK);
    printf("ready pty %s\n", name);
    fflush(stdout);
    return master;
}

/* Bytes of a socket reach the other end at once; those of a terminal wait for a kernel thread. */
static int open_socket(int line) {
    if (fcntl(line, F_SETFL, O_NONBLOCK) != 0) return -1;
    signal(SIGPIPE, SIG_IGN); /* nobody reads: lost */
    printf("ready socket\n");
    fflush(stdout);
    return line;
}

static void exchange(board *board, int line) {
    uint8_t bytes[512];
    ssize_t got;
    size_t length;
    while ((got = read(line, bytes, sizeof bytes)) > 0) line_send(&board->line, bytes, got);
    while ((length = line_receive(&board->line, bytes, sizeof bytes)) > 0)
        if (write(line, bytes, length) < 0 && errno != EAGAIN) return; /* nobody reads: lost */
}

static bool obey(board *board, char *line) {
    if (strcmp(line, "quit") == 0) return false;
    const char *wrong = "in real time a line begins with fault or quit";
    if (strncmp(line, "fault ", 6) == 0) wrong = faults_obey(board, line + 6);
    printf(wrong ? "error %s\n" : "ok\n", wrong);
    fflush(stdout);
    return true;
}

/* Reads what stdin has; false at its end or after quit. */
static bool listen(board *board) {
    static char text[4096];
    static size_t length;
    ssize_t got = read(STDIN_FILENO, text + length, sizeof text - 1 - length);
    if (got <= 0) return false;
    length += got;
    text[length] = 0;
    for (char *end; (end = strchr(text, '\n'));) {
        *end = 0;
        if (!obey(board, text)) return false;
        length -= end + 1 - text;
        memmove(text, end + 1, length + 1);
    }
    if (length == sizeof text - 1) length = 0;
    return true;
}

int run_realtime(board *board, int given) {
    int line = given < 0 ? open_pty() : open_socket(given);
    if (line < 0) {
        perror(given < 0 ? "no pseudo-terminal could be opened" : "this is no open file");
        return 1;
    }
    uint64_t start = monotonic_us(), slice = 0;
    struct pollfd inputs = {STDIN_FILENO, POLLIN, 0};
    for (;;) {
        uint64_t now = monotonic_us() - start;
        if (now > slice + BEHIND_US) start += now - slice, now = slice;
        if (now < slice) {
            struct timespec wait = {0, (long)(slice - now) * 1000};
            if (ppoll(&inputs, 1, &wait, NULL) > 0 && !listen(board)) return 0;
            continue;
        }
        exchange(board, line);
        slice += SLICE_US;
        if (!board_run_until(board, slice)) {
            fprintf(stderr, "the firmware crashed\n");
            return 1;
        }
        exchange(board, line);
    }
}
