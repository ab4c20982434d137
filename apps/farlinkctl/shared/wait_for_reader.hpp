// SPDX-License-Identifier: Apache-2.0
// A pause of a command that prints again and again; it ends early when standard output is closed.
// A plain function; one thread.
// `events --follow` and `top` use it.
#pragma once

#include "common/base/time.hpp"

namespace farlink::ctl {

/// Waits for `time`; returns false at once when standard output has no reader any more.
[[nodiscard]] bool wait_for_reader(Duration time);

}  // namespace farlink::ctl
