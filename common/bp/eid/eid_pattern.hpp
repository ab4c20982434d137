// SPDX-License-Identifier: Apache-2.0
// Which endpoints a setting is about: one endpoint, all of a node, or all that look alike.
// Values; any thread.
// Written as an EID, or with `*` for a number and `**` for whatever follows: "ipn:10.1",
// "ipn:10.*", "ipn:*.7", "dtn://node/**", "dtn:**", "*:**".
#pragma once

#include <optional>
#include <string_view>

#include "common/bp/eid/eid.hpp"

namespace farlink::bp {

class EidPattern {
public:
    /// Empty when it is neither an endpoint nor a pattern.
    [[nodiscard]] static std::optional<EidPattern> parse(std::string_view text);
    [[nodiscard]] bool matches(const EidView &endpoint) const;

    /// It is one endpoint.
    [[nodiscard]] bool is_endpoint() const { return extent_ == Extent::kEndpoint; }
    /// That one. Borrows the pattern.
    [[nodiscard]] EidView endpoint() const { return begin_.view(); }
    /// The node whose endpoints these are, all of them and no others; ipn only.
    [[nodiscard]] std::optional<NodeNumber> ipn_node() const;
    /// The same of a dtn node: "//node/". Borrows the pattern.
    [[nodiscard]] std::optional<std::string_view> dtn_node() const;
    /// Whether it distinguishes between dtn endpoints.
    [[nodiscard]] bool depends_on_name() const;

private:
    enum class Extent : std::uint8_t {
        kEndpoint,
        kBelow,      ///< ipn: all of a node; dtn: whatever begins so
        kService,    ///< ipn: that service of any node
        kAllocator,  ///< ipn: all nodes of an allocator
        kScheme,
        kEverything,
    };
    EidPattern(Extent extent, const EidView &begin) : extent_(extent), begin_(begin) {}
    static std::optional<EidPattern> parse_ipn(std::string_view ssp);
    static std::optional<EidPattern> parse_dtn(std::string_view ssp);

    Extent extent_ = Extent::kEndpoint;
    Eid begin_;  ///< the endpoint, or what is given of it
};

/// "//node/" of a dtn name, what follows "dtn:"; empty when it has no node.
[[nodiscard]] std::string_view dtn_node_of(std::string_view name);

}  // namespace farlink::bp
