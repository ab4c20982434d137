// SPDX-License-Identifier: Apache-2.0
// Endpoint identifiers: `ipn` (RFC 9758, two or three elements) and `dtn` (RFC 9171, 4.2.5.1.1).
// EidView borrows the octets of a dtn name, Eid owns them; values, any thread.
// Both ipn encodings denote one endpoint: the number kept here is allocator * 2^32 + node.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/types.hpp"

namespace farlink::bp {

enum class EidScheme : std::uint8_t {
    kNone = 0,   ///< the null endpoint: dtn:none, ipn:0.0
    kDtn = 1,    ///< dtn://node/demux; `name` is what follows "dtn:" ("//node/demux")
    kIpn = 2,    ///< ipn:node.service or ipn:allocator.node.service
    kOther = 3,  ///< BPv6 dictionary endpoint of another scheme; `name` is the whole URI
};

/// RFC 9758 section 3.4.2: the node number 2^32 - 1 with allocator 0 is the local node ("!").
inline constexpr std::uint64_t kLocalNodeNumber = 0xffffffffULL;
/// The largest allocator and the largest node number below one (RFC 9758 section 3.1).
inline constexpr std::uint64_t kMaxIpnPart = 0xffffffffULL;

struct EidView {
    EidScheme scheme = EidScheme::kNone;
    std::uint64_t node = 0;
    std::uint64_t service = 0;
    std::string_view name;

    [[nodiscard]] bool is_null() const { return scheme == EidScheme::kNone; }
    [[nodiscard]] NodeNumber node_number() const { return NodeNumber{node}; }
    friend bool operator==(const EidView &, const EidView &) = default;
};

/// The endpoint of an ipn pair; ipn:0.0 is the null endpoint (RFC 9758 section 3.4.1).
[[nodiscard]] constexpr EidView ipn_eid(std::uint64_t node, std::uint64_t service) {
    if ((node | service) == 0) return {};
    return {EidScheme::kIpn, node, service, {}};
}

/// Reads what follows "ipn:".
[[nodiscard]] std::optional<EidView> parse_ipn_ssp(std::string_view ssp);
/// Whether `ssp` can follow "dtn:" (RFC 9171 section 4.2.5.1.1), "none" apart.
[[nodiscard]] bool is_dtn_ssp(std::string_view ssp);

/// A hash equal for equal endpoints; not stable over releases (never written to disk).
[[nodiscard]] std::uint64_t hash(const EidView &eid);

/// Owns what a view borrows.
class Eid {
public:
    Eid() = default;
    explicit Eid(const EidView &view);
    Eid(std::uint64_t node, std::uint64_t service);

    [[nodiscard]] EidView view() const;
    /// The URI: "ipn:10.1", "ipn:977000.100.1", "dtn://node/demux", "dtn:none".
    [[nodiscard]] std::string to_string() const;
    /// Reads a URI; empty when it is not a valid ipn or dtn endpoint.
    [[nodiscard]] static std::optional<Eid> parse(std::string_view uri);

    friend bool operator==(const Eid &a, const Eid &b) { return a.view() == b.view(); }

private:
    EidScheme scheme_ = EidScheme::kNone;
    std::uint64_t node_ = 0;
    std::uint64_t service_ = 0;
    std::string name_;
};

[[nodiscard]] std::string to_string(const EidView &eid);

}  // namespace farlink::bp
