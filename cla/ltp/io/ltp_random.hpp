// SPDX-License-Identifier: Apache-2.0
// The randomness of session and serial numbers (RFC 5326 section 9.3).
// Owned by an LtpPort; one thread.
// Combines three sources by exclusive or, so that a number is as random as the best of them.
#pragma once

#include <array>

#include "cla/ltp/core/session/number_generator.hpp"

namespace farlink::cla::ltp {

class LtpRandom final : public RandomSource {
public:
    /// The system's random device, the processor's where it has one, and the time in microseconds.
    [[nodiscard]] std::uint64_t next() override;

private:
    std::array<std::uint64_t, 512> drawn_{};  ///< from the system's device, many in one call
    std::size_t left_ = 0;
};

}  // namespace farlink::cla::ltp
