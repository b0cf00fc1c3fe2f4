#include "link.h"

#include <string.h>

#include "boot.h"
#include "clock.h"
#include "config.h"
#include "frame.h"
#include "guards.h"
#include "messages.h"
#include "report.h"
#include "uart.h"
#include "vehicle.h"

static struct session session;

static void refuse(uint8_t type, uint8_t reason, uint16_t link_id, uint16_t seq) {
    struct nak nak = {type, reason, link_id, seq};
    frame_send(NAK, &nak, sizeof nak);
}

static void take_hello(const struct frame *frame) {
    const struct hello *hello = (const void *)frame->body;
    if (frame->length < 1 || (WITH_PROTOCOL_CHECK && hello->protocol != PROTOCOL)) {
        refuse(HELLO, WRONG_PROTOCOL, 0, 0);
        return;
    }
    if (frame->length != sizeof *hello) {
        refuse(HELLO, WRONG_LENGTH, 0, 0);
        return;
    }
    if (hello->link_id == 0 || hello->rate_hz < RATE_MIN || hello->rate_hz > RATE_MAX ||
        hello->lease_ms < LEASE_MIN || hello->lease_ms > LEASE_MAX) {
        refuse(HELLO, OUT_OF_RANGE, hello->link_id, 0);
        return;
    }
    vehicle_greet(hello->lease_ms);
    report_begin(&session, hello->link_id, (1000 + hello->rate_hz / 2) / hello->rate_hz);
    struct hello_ack answer = {
        PROTOCOL, hello->link_id, boot_mcusr(), boot_count(),
        1000UL * session.period_ms, FIRMWARE_HASH, COUNTS_PER_REVOLUTION,
    };
    frame_send(HELLO_ACK, &answer, sizeof answer);
}

/* Before the first HELLO there is no link that could be the right one. */
static bool is_ours(uint16_t link_id) {
    if (session.link_id == 0) return !WITH_WAIT_HELLO;
    return !WITH_LINK_ID || link_id == session.link_id;
}

static void take_arm(const struct frame *frame) {
    const struct arm *arm = (const void *)frame->body;
    if (frame->length != sizeof *arm)
        refuse(ARM, WRONG_LENGTH, 0, 0);
    else if (!is_ours(arm->link_id))
        refuse(ARM, WRONG_LINK, arm->link_id, 0);
    else if (!vehicle_arm())
        refuse(ARM, FAULTY, arm->link_id, 0);
}

static bool in_range(const struct command *command) {
    int16_t most = command->mode == MODE_SPEED ? SPEED_MAX : DUTY_MAX;
    return command->mode <= MODE_DUTY && command->left >= -most && command->left <= most &&
           command->right >= -most && command->right <= most;
}

static bool is_new(uint16_t seq) {
    uint16_t ahead = seq - session.cmd_seq;
    return !session.commanded || (ahead >= 1 && ahead <= 32767);
}

static uint8_t fault_of_command(const struct command *command) {
    if (!is_ours(command->link_id)) return WRONG_LINK;
    if (vehicle_state() != ARMED) return NOT_ARMED;
    if (WITH_RANGE_CHECK && !in_range(command)) return OUT_OF_RANGE;
    if (WITH_SEQ_CHECK && !is_new(command->seq)) return OLD_SEQ;
    return 0;
}

static void take_command(const struct frame *frame) {
    const struct command *command = (const void *)frame->body;
    if (frame->length != sizeof *command) {
        refuse(CMD, WRONG_LENGTH, 0, 0);
        return;
    }
    vehicle_watch_lease(); /* a lease that ran out a moment ago is not renewed */
    uint8_t reason = fault_of_command(command);
    if (reason) {
        refuse(CMD, reason, command->link_id, command->seq);
        return;
    }
    session.cmd_seq = command->seq;
    session.commanded = true;
    vehicle_command(command->left, command->right, command->mode, uart_zero_us());
}

/* The answer leaves when all bytes before it have left. */
static void take_ping(const struct frame *frame) {
    const struct ping *ping = (const void *)frame->body;
    if (frame->length != sizeof *ping) {
        refuse(PING, WRONG_LENGTH, 0, 0);
        return;
    }
    uint32_t wait_us = uart_queued() * (10 * 1000000UL / BAUD_RATE);
    struct pong pong = {ping->seq, ping->t_host_us, uart_zero_us(), clock_us() + wait_us};
    frame_send(PONG, &pong, sizeof pong);
}

static void take(const struct frame *frame) {
    switch (frame->type) {
    case HELLO: take_hello(frame); break;
    case ARM: take_arm(frame); break;
    case CMD: take_command(frame); break;
    case PING: take_ping(frame); break;
    case ESTOP: vehicle_emergency_stop(); break;
    default: refuse(frame->type, UNKNOWN_TYPE, 0, 0);
    }
}

void link_setup(void) {
    struct boot boot = {PROTOCOL, boot_mcusr(), boot_count()};
    uart_setup();
    frame_resynchronise();
    frame_send(BOOT, &boot, sizeof boot);
}

void link_poll(void) {
    struct frame frame = {0, 0, 0};
    uint8_t byte;
    for (uint8_t taken = 0; taken < POLL_MAX && uart_read(&byte); taken++)
        if (frame_take(byte, &frame)) {
            take(&frame);
            return;
        }
}

void link_report(void) { report_when_due(&session); }

void link_note_loop(uint32_t began_us) { report_note_loop(&session, clock_us() - began_us); }
