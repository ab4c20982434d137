// SPDX-License-Identifier: Apache-2.0
#include "common/bus/wire/wire_hello.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "common/bus/wire/wire_fields.hpp"

namespace farlink::bus {
namespace {

/// A Hello has 0 in place of the version of other messages.
constexpr std::array<std::uint8_t, 4> kStart{'F', 'L', 0, 'H'};

std::string printable(const Bytes &octets) {
    std::string text;
    for (const std::uint8_t octet : octets)
        text += octet >= 0x20 && octet < 0x7f ? static_cast<char>(octet) : '?';
    return text;
}

std::string who(const Hello &hello) {
    return std::string(name_of(hello.module)) + " (farlink " + printable(hello.software) + ")";
}

/// Keys that only one side has, or that differ.
std::set<std::string> different_keys(const Hello &ours, const Hello &theirs) {
    std::set<std::string> keys;
    for (const auto *side : {&ours, &theirs}) {
        const Hello &other = side == &ours ? theirs : ours;
        for (const AgreedPart &part : side->parts)
            if (std::ranges::find(other.parts, part) == other.parts.end())
                keys.insert(printable(part.key));
    }
    return keys;
}

}  // namespace

template <class Io>
void fields(Io &io, Of<Io, AgreedPart> &m) {
    io(m.key, m.hash);
}
template <class Io>
void fields(Io &io, Of<Io, Hello> &m) {
    io(m.wire_version, m.module, m.subscriptions, m.knows, m.software, m.parts);
}

std::string_view name_of(AgentId module) {
    static constexpr std::array<std::string_view, kAgentCount> kNames{
        "ingress",  "egress",  "storage",  "scheduler", "router",   "telemetry", "supervisor",
        "ingress2", "egress2", "ingress3", "egress3",   "ingress4", "egress4",   "applications"};
    return kNames[static_cast<std::size_t>(module)];
}

Bytes encode_hello(const Hello &hello) {
    Bytes octets(kStart.begin(), kStart.end());
    WireWriter out(octets);
    fields(out, hello);
    return octets;
}

bool is_hello(ByteView octets) {
    return octets.size() >= kStart.size() && std::ranges::equal(octets.first(4), kStart);
}

std::optional<Hello> decode_hello(ByteView octets) {
    if (!is_hello(octets)) return std::nullopt;
    WireReader in(octets.subspan(kStart.size()));
    Hello hello;
    fields(in, hello);
    if (in.error()) return std::nullopt;
    return hello;
}

std::string mismatch(const Hello &ours, const Hello &theirs) {
    if (ours.wire_version != theirs.wire_version || ours.software != theirs.software)
        return who(theirs) + " with bus version " + std::to_string(theirs.wire_version) + " and " +
               who(ours) + " with bus version " + std::to_string(ours.wire_version) +
               ": all processes of a node must have the same version of farlink";
    std::string keys;
    for (const std::string &key : different_keys(ours, theirs))
        keys += (keys.empty() ? "" : ", ") + key;
    if (keys.empty()) return {};
    return "the configurations of " + who(theirs) + " and " + who(ours) + " differ in " + keys +
           ": all processes of a node must have the same configuration";
}

}  // namespace farlink::bus
