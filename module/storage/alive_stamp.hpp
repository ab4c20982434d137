// SPDX-License-Identifier: Apache-2.0
// When a store was in use last, by the wall clock: the time of its lock file, which the node
// renews. Plain functions; the storage agent's thread. A time of the file system costs no flush;
// after a power cut it may be half a minute old.
#pragma once

#include <string>

#include "common/base/time.hpp"

namespace farlink::storage {

/// The time of keep_stamp(), otherwise the newest of any file in the folder; 0 when there is none.
[[nodiscard]] DtnTime last_alive(const std::string &folder);
/// The store is in use now.
void stamp_alive(const std::string &folder);
/// The clock is in doubt: until stamp_alive() the store was in use last at `last`, whatever is
/// written to it meanwhile. Otherwise a restart would trust the clock.
void keep_stamp(const std::string &folder, DtnTime last);

}  // namespace farlink::storage
