/* The session with one host, and the STATE it is sent at the agreed rate. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct session {
    uint16_t link_id;          /* 0: none yet */
    uint16_t period_ms;        /* [ms] between STATEs */
    uint16_t due_ms;           /* [ms] when the next one is due */
    uint16_t seq;              /* of the next STATE */
    uint16_t cmd_seq;          /* of the last command taken */
    bool commanded;            /* one was taken */
    bool late;                 /* the control loop overran its period since the last STATE */
    uint16_t worst_loop_us;    /* [us] since HELLO */
    uint16_t overruns;         /* [byte] as of the last STATE */
};

void report_begin(struct session *session, uint16_t link_id, uint16_t period_ms);
void report_when_due(struct session *session);
void report_note_loop(struct session *session, uint32_t loop_us);
