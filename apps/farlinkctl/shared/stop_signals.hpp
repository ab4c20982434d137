// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM as the orderly end of a command that prints until it is interrupted: the first
// one asks for it, a second one ends the program at once.
// Made in the only thread of the program, and asked there; it blocks both signals until then.
#pragma once

#include <csignal>

#include "common/runtime/file_descriptor.hpp"

namespace farlink::ctl {

class StopSignals {
public:
    StopSignals();
    StopSignals(const StopSignals &) = delete;
    StopSignals &operator=(const StopSignals &) = delete;
    ~StopSignals();

    /// One of the signals has come.
    [[nodiscard]] bool asked();

private:
    sigset_t before_{};
    FileDescriptor signals_;
    bool asked_ = false;
};

}  // namespace farlink::ctl
