// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/kernel_clock_state.hpp"

#include <sys/timex.h>

namespace farlink {

bool is_clock_synchronised() {
    timex asked{};  // no modes: nothing is changed
    return ::adjtimex(&asked) < 0 || (asked.status & STA_UNSYNC) == 0;
}

}  // namespace farlink
