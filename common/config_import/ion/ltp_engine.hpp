// SPDX-License-Identifier: Apache-2.0
// The LTP engine of a node: ION's spans as settings of the induct that all neighbours share.
// Made and used by link_assembly.cpp. One thread.
// ION expects segments and reports at one port of a node, so outducts leave by the induct's.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "common/config_import/ion/command_verdicts.hpp"
#include "common/config_import/ion/node_draft.hpp"

namespace farlink::config {

class LtpEngineDraft {
public:
    using Json = nlohmann::ordered_json;

    LtpEngineDraft(const NodeDraft &draft, CommandVerdicts &verdicts);

    [[nodiscard]] Json induct(const SeatDraft &seat) const;
    /// The link to a neighbour; empty if its span is missing or cannot be imported.
    [[nodiscard]] std::optional<Json> outduct(std::uint64_t node, const PlanDuct &duct);
    /// Notes the spans that no outduct uses.
    void report_unused() const;

private:
    /// The values of one span, or those that fit all spans.
    struct Settings {
        std::uint64_t most_sent = 0;
        std::uint64_t most_received = 0;
        std::uint64_t segment_bytes = 0;
        std::uint64_t margin_ms = 0;
        std::uint64_t rate_bits = 0;
    };

    [[nodiscard]] Settings settings_of(const SpanDraft &span) const;
    void join(const Settings &other);
    void report_differences(const SpanDraft &span);
    void write(Json &link) const;
    [[nodiscard]] const SpanDraft *find(std::uint64_t engine) const;

    const NodeDraft &draft_;
    CommandVerdicts &verdicts_;
    std::optional<Settings> settings_;  ///< of the engine
    std::set<std::uint64_t> used_;      ///< engines of neighbours
};

}  // namespace farlink::config
