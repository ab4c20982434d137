// SPDX-License-Identifier: Apache-2.0
// Where session keys and initialization vectors come from; cores get them as arguments.
// Interfaces; each implementation has one owner.
// One thread.
#pragma once

#include "common/base/bytes.hpp"

namespace farlink::bp::bpsec {

/// Octets that cannot be guessed.
class RandomSource {
public:
    virtual ~RandomSource() = default;
    virtual void fill(MutableBytes octets) = 0;
};

/// Initialization vectors under one key: none is ever given twice.
class IvSource {
public:
    virtual ~IvSource() = default;
    /// Fills kIvBytes; false when there is none left, or none could be reserved.
    [[nodiscard]] virtual bool next(MutableBytes iv) = 0;
};

}  // namespace farlink::bp::bpsec
