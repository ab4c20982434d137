// SPDX-License-Identifier: Apache-2.0
// Totals of the node over all its runs: counts, starts and time in operation.
// Owned by the view of the node; one thread.
// The totals of earlier runs come from a file; those of this run are added to them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "module/telemetry/core/history/history_file.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

using Totals = std::map<std::string, std::uint64_t>;

class LifetimeTotals {
public:
    /// The first run of a node, which begins at `wall`.
    explicit LifetimeTotals(DtnTime wall) : since_(wall) {}
    /// From the text of the file. kNewer: a newer version has written it.
    [[nodiscard]] static Result<LifetimeTotals, HeaderError> parse(std::string_view text);

    /// A member of the live state. `counted` are the counts of this run, which has run for `up`.
    [[nodiscard]] Json document(const Totals &counted, seconds up) const;
    /// The text of the file: the same with a checksum.
    [[nodiscard]] std::string to_text(const Totals &counted, seconds up) const;

private:
    DtnTime since_ = 0;
    std::uint64_t starts_ = 1;  ///< this run included
    std::uint64_t up_seconds_ = 0;
    Totals before_;
};

}  // namespace farlink::telemetry
