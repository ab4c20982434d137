// SPDX-License-Identifier: Apache-2.0
// The first message between modules of two processes: the version, and the parts of the
// configuration that must be equal on both sides.
// Values and plain functions; any thread.
// The format of this message is the same in all versions: docs/formats/bus.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/bus/wire/wire.hpp"

namespace farlink::bus {

/// A key of the configuration file and a hash of its value.
struct AgreedPart {
    Bytes key;
    std::uint64_t hash = 0;
    friend bool operator==(const AgreedPart &, const AgreedPart &) = default;
};

struct Hello {
    std::uint8_t wire_version = kWireVersion;
    AgentId module = AgentId::kIngress;
    std::uint8_t subscriptions = 0;  ///< bit n: it subscribes to the events of module n
    std::uint64_t knows = 0;         ///< the stream of the Hello that it received; 0: none
    Bytes software;                  ///< version of farlink, as text
    std::vector<AgreedPart> parts;   ///< in the order of their keys

    [[nodiscard]] bool wants_events_of(AgentId publisher) const {
        return ((subscriptions >> static_cast<unsigned>(publisher)) & 1U) != 0;
    }
};

[[nodiscard]] std::string_view name_of(AgentId module);

[[nodiscard]] Bytes encode_hello(const Hello &hello);
/// Whether the octets begin like a Hello of any version.
[[nodiscard]] bool is_hello(ByteView octets);
/// Empty if the octets are not a valid Hello.
[[nodiscard]] std::optional<Hello> decode_hello(ByteView octets);

/// Why the two are incompatible, naming both; empty if they are compatible.
[[nodiscard]] std::string mismatch(const Hello &ours, const Hello &theirs);

}  // namespace farlink::bus
