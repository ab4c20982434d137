// SPDX-License-Identifier: Apache-2.0
// Checks the contacts of a plan against each other, in either form of a plan.
// Plain functions at load time; they borrow the rows and add to a list of errors. Any thread.
// The time for n contacts grows like n log n: a plan of any size is checked before it is used.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/plan/contact_fields.hpp"

namespace farlink::config {

/// The part of a contact that an error is about.
enum class PlanPart : std::uint8_t {
    kWhole,
    kNumber,
    kDestination,
    kStart,
    kEnd,
    kRate,
    kRepeat,
    kUntil,
};

/// The names of the parts in one form of a plan.
class PlanWording {
public:
    PlanWording() = default;
    PlanWording(const PlanWording &) = delete;
    PlanWording &operator=(const PlanWording &) = delete;
    virtual ~PlanWording() = default;

    /// The place of that part of contact `row`: "contacts[3].endTime", "line 7, column 14".
    [[nodiscard]] virtual std::string place(std::size_t row, PlanPart part) const = 0;
    /// "endTime", "the stop time"
    [[nodiscard]] virtual std::string_view name(PlanPart part) const = 0;
};

/// Invalid values are skipped: they have been reported already.
void check_plan(const std::vector<ContactRow> &rows, const PlanWording &wording,
                ConfigErrors &errors);

/// Milliseconds of a duration; finer parts are cut off.
[[nodiscard]] std::uint64_t whole_milliseconds_of(Duration duration);

/// "12.5 s" or "2026-01-02T03:04:05.000Z"
[[nodiscard]] std::string in_words(const Instant &instant);

/// "0", "12.5", "1.28": `count` thousandths, millionths and so on, for 3, 6 or 9 `digits`.
[[nodiscard]] std::string decimal(std::uint64_t count, unsigned digits);

/// The error of a plan that has too many contacts.
[[nodiscard]] ConfigError too_many_contacts(std::string place);

}  // namespace farlink::config
