// SPDX-License-Identifier: Apache-2.0
// What an input contains: bundles, where they were, and what could not be read.
// Values.
// Any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/bytes.hpp"

namespace farlink::inspect {

struct Found {
    std::string where;  ///< "packet 12, tcpclv4 from 10.0.0.1:4556"; empty: the whole input
    Bytes octets;
};
using OnFound = std::function<void(const Found &)>;

/// Lines for people about what was left out.
using Notes = std::vector<std::string>;

}  // namespace farlink::inspect
