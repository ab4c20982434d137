// SPDX-License-Identifier: Apache-2.0
// The terminal as a screen: the alternate page, no cursor, keys without a line's end.
// Owned by `farlinkctl top`; one thread. At most one exists.
// The terminal is restored at the end, on signals, and while the program is stopped.
#pragma once

#include <termios.h>

#include <optional>
#include <string>

#include "apps/farlinkctl/top/top_view.hpp"
#include "common/base/time.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::ctl {

/// Columns and rows of the terminal on standard output; 80 and 24 when they are unknown.
[[nodiscard]] TopSize terminal_size();

class Terminal {
public:
    Terminal();
    ~Terminal();
    Terminal(const Terminal &) = delete;
    Terminal &operator=(const Terminal &) = delete;

    /// A key, a change of size, the end, or nothing within `patience`.
    struct Event {
        enum class Kind { kNothing, kKey, kResized, kEnd } kind = Kind::kNothing;
        char key = 0;
    };
    [[nodiscard]] Event wait(Duration patience);
    /// The whole screen, from its upper left corner.
    void draw(const std::vector<TopLine> &lines, bool colours);

private:
    void enter();
    void leave();
    void stop();
    [[nodiscard]] Event read_key();
    [[nodiscard]] Event read_signal();

    std::optional<termios> before_;  ///< former settings; nothing: standard input is no terminal
    FileDescriptor signals_;
    bool keyboard_ = true;  ///< false after end of file
};

}  // namespace farlink::ctl
