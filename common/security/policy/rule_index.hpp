// SPDX-License-Identifier: Apache-2.0
// Finds the rules of BPSec that apply to a bundle, with two look-ups however many rules there are:
// rules are indexed by the node of their destination, or else of their source.
// Built once for a configuration; read-only afterwards, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/config/security/security_config.hpp"

namespace farlink::security {

/// The places of the rules that apply, at most one for each direction and context.
class FoundRules {
public:
    static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] std::uint32_t of(config::SecurityDirection direction,
                                   config::SecurityContext context) const {
        return places_[slot(direction, context)];
    }
    [[nodiscard]] bool none() const { return places_ == std::array{kNone, kNone, kNone, kNone}; }

private:
    friend class RuleIndex;
    static constexpr std::size_t slot(config::SecurityDirection direction,
                                      config::SecurityContext context) {
        return 2 * static_cast<std::size_t>(direction) + static_cast<std::size_t>(context);
    }
    std::array<std::uint32_t, 4> places_{kNone, kNone, kNone, kNone};
};

class RuleIndex {
public:
    /// The rules have been checked.
    explicit RuleIndex(std::span<const config::SecurityRule> rules);

    /// `link`: by which the bundle arrives; kNoLink: by none.
    [[nodiscard]] FoundRules find(const bp::EidView &source, const bp::EidView &destination,
                                  LinkId link) const;

private:
    struct Conditions {
        std::optional<bp::EidPattern> source;
        std::optional<bp::EidPattern> destination;
        std::optional<LinkId> link;
        std::size_t slot = 0;
    };
    using Places = std::vector<std::uint32_t>;
    using Index = std::unordered_map<std::uint64_t, Places>;

    [[nodiscard]] bool fits(const Conditions &rule, const bp::EidView &source,
                            const bp::EidView &destination, LinkId link) const;

    std::vector<Conditions> rules_;
    Index by_destination_;  ///< by the key of a node
    Index by_source_;
    Places others_;  ///< rules that need be compared with each bundle
};

}  // namespace farlink::security
