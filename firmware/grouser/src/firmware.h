/* What a program's main, or an Arduino sketch, calls. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void firmware_setup(void);
void firmware_turn(void);     /* for ever */

#ifdef __cplusplus
}
#endif
