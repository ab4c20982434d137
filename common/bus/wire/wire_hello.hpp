// SPDX-License-Identifier: Apache-2.0
// What a module says to a module of another process before anything else: which version it is, and
// what of its configuration must be the same on both sides.
// Values and plain functions; any thread.
// The form of this message stays the same in all versions: docs/formats/bus.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/bus/wire/wire.hpp"

namespace farlink::bus {

/// A key of the configuration file and a hash of what it says.
struct AgreedPart {
    Bytes key;
    std::uint64_t hash = 0;
    friend bool operator==(const AgreedPart &, const AgreedPart &) = default;
};

struct Hello {
    std::uint8_t wire_version = kWireVersion;
    AgentId module = AgentId::kIngress;
    std::uint8_t subscriptions = 0;  ///< bit n: it wants the events of module n
    std::uint64_t knows = 0;         ///< the stream by which it has been greeted; 0: it has not
    Bytes software;                  ///< version of farlink, as text
    std::vector<AgreedPart> parts;   ///< in the order of their keys

    [[nodiscard]] bool wants_events_of(AgentId publisher) const {
        return ((subscriptions >> static_cast<unsigned>(publisher)) & 1U) != 0;
    }
};

[[nodiscard]] std::string_view name_of(AgentId module);

[[nodiscard]] Bytes encode_hello(const Hello &hello);
/// Whether the octets mean to be a Hello, of whatever version.
[[nodiscard]] bool is_hello(ByteView octets);
/// Empty for octets that are no Hello in order.
[[nodiscard]] std::optional<Hello> decode_hello(ByteView octets);

/// Why the two cannot work together, naming both; empty: they can.
[[nodiscard]] std::string mismatch(const Hello &ours, const Hello &theirs);

}  // namespace farlink::bus
