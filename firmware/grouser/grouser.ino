// The firmware as a sketch: open this folder in the Arduino IDE, board "Arduino Mega 2560".
// The IDE compiles everything in src/. Wiring and flashing: see ../README.md.
#include "src/firmware.h"

void setup() { firmware_setup(); }

void loop() { firmware_turn(); }
