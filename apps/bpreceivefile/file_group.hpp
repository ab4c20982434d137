// SPDX-License-Identifier: Apache-2.0
// Gives whole files their names, one after the other.
// Plain functions; what they change belongs to their caller.
// One thread.
#pragma once

#include <string>
#include <vector>

#include "apps/bpreceivefile/event.hpp"
#include "apps/bpreceivefile/placement.hpp"

namespace farlink::bpreceivefile {

/// It is the name that is wrong, or what has it already.
[[nodiscard]] bool is_of_the_name(int error);

/// Those that have their names, or cannot get them, are taken from `files`. `ended`: their
/// transfers. 0, or the error at the first one that is left.
[[nodiscard]] int place_files(Placement &placement, std::vector<WholeFile> &files,
                              std::vector<Event> &events, std::vector<std::string> &ended);

}  // namespace farlink::bpreceivefile
