// SPDX-License-Identifier: Apache-2.0
// Lines for operators about entities that lack places, few however many PDUs are refused.
// Owned by the daemon, or a test; one thread.
// No clock: the time is an argument.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cfdp/core/places.hpp"
#include "common/base/time.hpp"

namespace farlink::cfdp {

class ShortageWarnings {
public:
    /// Between two lines about an entity.
    static constexpr Duration kInterval = seconds(60);

    /// "too many files", "PDUs of further files dropped".
    ShortageWarnings(std::string cause, std::string refused)
        : cause_(std::move(cause)), refused_(std::move(refused)) {}

    /// What is to be printed now of all that has happened so far.
    [[nodiscard]] std::vector<std::string> take(const Shortages &shortages, TimePoint now);
    /// When take() has more to print.
    [[nodiscard]] TimePoint due() const { return pending_ ? next_ : kNever; }

private:
    [[nodiscard]] std::string line_of(EntityId entity, const Shortage &since) const;

    std::string cause_;
    std::string refused_;
    Shortages printed_;
    TimePoint next_{};
    bool pending_ = false;
};

}  // namespace farlink::cfdp
