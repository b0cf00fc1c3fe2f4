#include "report.h"

#include <string.h>

#include "battery.h"
#include "clock.h"
#include "config.h"
#include "encoders.h"
#include "frame.h"
#include "imu.h"
#include "messages.h"
#include "uart.h"
#include "vehicle.h"

void report_begin(struct session *session, uint16_t link_id, uint16_t period_ms) {
    memset(session, 0, sizeof *session);
    session->link_id = link_id;
    session->period_ms = period_ms;
    session->due_ms = clock_ms() + period_ms;
    session->overruns = uart_overruns();
}

void report_note_loop(struct session *session, uint32_t loop_us) {
    if (loop_us > CONTROL_MS * 1000UL) session->late = true;
    if (loop_us > UINT16_MAX) loop_us = UINT16_MAX;
    if (loop_us > session->worst_loop_us) session->worst_loop_us = loop_us;
}

static uint16_t passing_faults(struct session *session) {
    uint16_t overruns = uart_overruns();
    uint16_t faults = 0;
    if (overruns != session->overruns) faults |= FAULT_OVERRUN;
    if (session->late) faults |= FAULT_LOOP_LATE;
    session->overruns = overruns;
    session->late = false;
    return faults;
}

static void send_state(struct session *session) {
    struct imu imu = imu_sample();
    struct state_message message = {
        .link_id = session->link_id, .seq = session->seq++, .t_us = clock_us(),
        .cmd_seq = session->cmd_seq, .state = vehicle_state(),
        .faults = vehicle_faults() | passing_faults(session),
        .battery_mv = battery_mv(), .crc_errors = frame_errors(),
        .overruns = session->overruns, .worst_loop_us = session->worst_loop_us,
    };
    for (uint8_t side = 0; side < 2; side++) {
        const struct track *track = vehicle_track(side);
        message.encoder[side] = encoder_read(side).count;
        message.speed[side] = track->speed;
        message.duty[side] = track->duty;
        message.setpoint[side] = track->setpoint;
    }
    memcpy(message.gyro, imu.gyro, sizeof imu.gyro);
    memcpy(message.accel, imu.accel, sizeof imu.accel);
    frame_send(STATE, &message, sizeof message);
}

void report_when_due(struct session *session) {
    if (session->link_id == 0 || (int16_t)(clock_ms() - session->due_ms) < 0) return;
    if (clock_control_due()) return; /* the same tick asks for both: control goes first */
    session->due_ms += session->period_ms;
    send_state(session);
}
