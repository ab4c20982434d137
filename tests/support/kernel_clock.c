// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: the kernel's state of the clock comes from the file FARLINK_TEST_CLOCK instead:
// synchronised while the file exists.
#include <stdlib.h>
#include <sys/timex.h>
#include <unistd.h>

int adjtimex(struct timex *state) {
    const char *file = getenv("FARLINK_TEST_CLOCK");
    const int synchronised = file != NULL && access(file, F_OK) == 0;
    state->status = synchronised ? 0 : STA_UNSYNC;
    return synchronised ? TIME_OK : TIME_ERROR;
}
