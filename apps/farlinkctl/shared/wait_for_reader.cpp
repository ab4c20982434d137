// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/wait_for_reader.hpp"

#include <poll.h>
#include <unistd.h>

namespace farlink::ctl {

bool wait_for_reader(Duration time) {
    pollfd output{STDOUT_FILENO, 0, 0};
    const auto ms = std::chrono::ceil<milliseconds>(time).count();
    return ::poll(&output, 1, static_cast<int>(ms)) <= 0;
}

}  // namespace farlink::ctl
