// SPDX-License-Identifier: Apache-2.0
// Which records of bundles a watcher is shown: by pattern, by sample, and at most so many a second.
// Owned by one watcher; one thread; no file and no clock.
// What matches and is not shown is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/bp/eid/eid_pattern.hpp"
#include "common/history/found_bundles.hpp"

namespace farlink::history {

struct WatchRules {
    std::optional<bp::EidPattern> either{};  ///< of source or destination
    std::optional<bp::EidPattern> source{};
    std::optional<bp::EidPattern> destination{};
    std::optional<Ending> ending{};
    std::uint64_t sample = 1;      ///< one bundle of so many, the same ones at each module and node
    std::uint64_t per_second = 0;  ///< records that are shown; 0: no limit
    std::uint64_t most = 0;        ///< of them altogether; 0: no limit
};

/// A watcher's choice as texts; an empty one takes all.
struct WatchWords {
    std::string_view pattern;  ///< of source or destination
    std::string_view source;
    std::string_view destination;
    std::string_view outcome;  ///< as "sent"
};
/// The error begins with the name of the text. What is not a text is as by default.
[[nodiscard]] Result<WatchRules, std::string> watch_rules(const WatchWords &words);

class BundleWatch {
public:
    explicit BundleWatch(WatchRules rules) : rules_(std::move(rules)) {}

    /// Those of `found` that are shown, in their order.
    [[nodiscard]] std::vector<const FoundBundle *> select(std::span<const FoundBundle> found,
                                                          TimePoint now);

    /// As many are shown as the rules allow altogether.
    [[nodiscard]] bool done() const { return rules_.most > 0 && shown_ >= rules_.most; }
    [[nodiscard]] std::uint64_t seen() const { return seen_; }
    [[nodiscard]] std::uint64_t matched() const { return matched_; }
    [[nodiscard]] std::uint64_t shown() const { return shown_; }
    /// Matched and in the sample, but beyond the limit.
    [[nodiscard]] std::uint64_t beyond_limit() const { return beyond_limit_; }

private:
    [[nodiscard]] bool matches(const PastBundle &bundle) const;
    [[nodiscard]] bool is_sampled(const bp::BundleId &id) const;
    [[nodiscard]] bool take_one(TimePoint now);

    WatchRules rules_;
    TimePoint second_{};       ///< when the current second has begun
    std::uint64_t taken_ = 0;  ///< in it
    std::uint64_t seen_ = 0;
    std::uint64_t matched_ = 0;
    std::uint64_t shown_ = 0;
    std::uint64_t beyond_limit_ = 0;
};

/// By its own clock, when the bundle ended; none where its source had no clock.
[[nodiscard]] std::optional<std::uint64_t> age_ms_of(const PastBundle &bundle);

}  // namespace farlink::history
