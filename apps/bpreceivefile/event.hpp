// SPDX-License-Identifier: Apache-2.0
// What became of a file or a folder, or of what came instead.
// A value.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "apps/bpreceivefile/placement.hpp"
#include "apps/shared/files/digest.hpp"

namespace farlink::bpreceivefile {

struct Event {
    enum class Kind : std::uint8_t { kFile, kFolder, kRefused };
    Kind kind = Kind::kRefused;
    std::string name{};
    std::string wrong{};  ///< of what is refused
    Placed placed{};
    std::uint64_t size = 0;
    files::Digest digest{};
};

}  // namespace farlink::bpreceivefile
