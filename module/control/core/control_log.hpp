// SPDX-License-Identifier: Apache-2.0
// Lines of the control core for the log of the process.
// Made by the control agent, owned by Commands.
// The control agent's thread only.
#pragma once

#include <functional>
#include <string>

namespace farlink::control {

struct ControlLog {
    std::function<void(const std::string &)> info;
    std::function<void(const std::string &)> error;
};

}  // namespace farlink::control
