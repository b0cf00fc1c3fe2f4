/* The host's side of the vehicle: what arrives is checked, obeyed or refused, and answered. */
#pragma once

#include <stdint.h>

void link_setup(void);                        /* says BOOT */
void link_poll(void);                         /* takes what has arrived, one frame at most */
void link_report(void);                       /* sends STATE when it is due */
void link_note_loop(uint32_t began_us);       /* how long the control loop took */
