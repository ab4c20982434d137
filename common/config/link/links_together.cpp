// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/links_together.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/bp/eid/eid.hpp"
#include "common/config/fields/ip_address.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::config {
namespace {

/// UDP and TCP have separate ports.
bool is_datagram(const LinkUrl &url) {
    return url.scheme == "udp" || url.scheme == "ltp";
}

/// Whether two sockets at these local addresses need different ports.
bool share(const std::string &one, const std::string &other) {
    const auto any = [](const std::string &address) {
        return address.empty() || is_any_address(address);
    };
    return any(one) || any(other) || normal_address(one) == normal_address(other);
}

std::uint64_t engine_of(const LinkOptions &link, NodeNumber node) {
    return link.ltp.engine_id != 0 ? link.ltp.engine_id : node.value();
}

std::string node_id_of(const LinkOptions &link, NodeNumber node) {
    return link.node_id.empty() ? bp::Eid(node.value(), 0).to_string() : link.node_id;
}

struct GivenKey {
    std::string_view key;
    bool differs = false;
};

/// Keys of the port and of the engine behind it, which has one set of them for all neighbours.
std::vector<GivenKey> keys_of_port(const OutductConfig &outduct, const InductConfig &induct,
                                   NodeNumber node) {
    const LtpConfig &one = outduct.ltp;
    const LtpConfig &other = induct.ltp;
    return {
        {"thisLtpEngineId", engine_of(outduct, node) != engine_of(induct, node)},
        {"nodeId", node_id_of(outduct, node) != node_id_of(induct, node)},
        {"instance", outduct.instance != induct.instance},
        {"strict", outduct.strict != induct.strict},
        {"rateLimitBitsPerSec", outduct.rate_limit != induct.rate_limit},
        {"socketBufferBytes", outduct.socket_buffer_bytes != induct.socket_buffer_bytes},
        {"maxUnsettledBytes", outduct.max_unacknowledged_bytes != induct.max_unacknowledged_bytes},
        {"maxSumOfBundleBytesInPipeline",
         outduct.max_in_flight_bytes != induct.max_in_flight_bytes},
        {"maxNumberOfBundlesInPipeline",
         outduct.max_in_flight_bundles != induct.max_in_flight_bundles},
        {"bundlePipelineLimit", one.max_send_sessions != other.max_send_sessions},
        {"ltpMaxExpectedSimultaneousSessions",
         one.max_receive_sessions != other.max_receive_sessions},
        {"numRxCircularBufferElements", one.receive_elements != other.receive_elements},
        {"clientServiceId", one.client_service_id != other.client_service_id},
        {"ltpRandomNumberSizeBits", one.random_number_bits != other.random_number_bits},
        {"ltpDataSegmentMtu", one.data_segment_mtu != other.data_segment_mtu},
        {"ltpReportSegmentMtu", one.report_segment_mtu != other.report_segment_mtu},
        {"ltpCheckpointEveryNthDataSegment", one.checkpoint_every != other.checkpoint_every},
        {"segmentationOffload", one.segmentation_offload != other.segmentation_offload},
        {"oneWayLightTimeMs", one.owlt != other.owlt},
        {"oneWayMarginTimeMs", one.margin != other.margin},
        {"ltpMaxRetriesPerSerialNumber", one.max_retries != other.max_retries},
        {"ltpSenderPingSecondsOrZeroToDisable", one.ping_interval != other.ping_interval},
        {"delaySendingOfReportSegmentsTimeMsOrZeroToDisable",
         one.report_delay != other.report_delay},
        {"delaySendingOfDataSegmentsTimeMsOrZeroToDisable", one.repair_delay != other.repair_delay},
        {"ltpAggregationSizeBytes", one.aggregation_bytes != other.aggregation_bytes},
        {"ltpAggregationTimeMilliseconds", one.aggregation_time != other.aggregation_time},
    };
}

/// Keys of a link that egress opens. Bundles to a neighbour of an induct leave as by a session that
/// the neighbour has opened, for which these have fixed values, and no wait between attempts.
std::vector<GivenKey> keys_without_effect(const OutductConfig &outduct) {
    const OutductConfig fixed;
    return {
        {"reconnectMinMilliseconds", true},
        {"reconnectMaxMilliseconds", true},
        {"storedSharePercent", outduct.stored_share_percent != fixed.stored_share_percent},
        {"fragment", outduct.fragment != fixed.fragment},
        {"fragmentBundlesLargerThanBytes",
         outduct.fragment_above_bytes != fixed.fragment_above_bytes},
        {"fragmentToContact", outduct.fragment_to_contact != fixed.fragment_to_contact},
    };
}

/// What is left are keys of the neighbour alone: its address, and its authentication. For a key
/// that the outduct lacks the induct's value applies.
void check_span(const OutductConfig &outduct, const InductConfig &induct, NodeNumber node,
                const std::string &name, const std::string &path,
                std::vector<ConfigError> &errors) {
    const auto given = [&outduct](const GivenKey &each) {
        return each.differs &&
               std::ranges::find(outduct.given_keys, each.key) != outduct.given_keys.end();
    };
    for (const GivenKey &each : keys_of_port(outduct, induct, node)) {
        if (!given(each)) continue;
        const bool by_contact =
            each.key == "oneWayLightTimeMs" || each.key == "rateLimitBitsPerSec";
        errors.push_back({member_path(path, each.key),
                          "found another value than that of " + name + ", by whose port it leaves",
                          "the value of " + name + ", or no such key here",
                          by_contact ? "a contact plan gives each neighbour a one-way light time "
                                       "and a rate"
                                     : ""});
    }
    for (const GivenKey &each : keys_without_effect(outduct))
        if (given(each))
            errors.push_back({member_path(path, each.key),
                              "found, but has no effect on the port of " + name,
                              "no such key here, or another ltpSenderBoundPort",
                              {}});
    const std::uint64_t engine = outduct.ltp.remote_engine_id;
    if (engine != 0 && engine != outduct.next_hop.value())
        errors.push_back({member_path(path, "remoteLtpEngineId"),
                          "found " + std::to_string(engine) + " on the port of " + name,
                          "nextHopNodeId, by which an induct identifies its neighbours",
                          {}});
}

/// The link with the same UDP port; empty if there is none.
std::string whose_port(const OutductConfig &outduct, const OtherLinks &others) {
    const std::uint16_t port = outduct.ltp.sender_bound_port;
    const auto is_shared = [&](const auto &named) {
        return others.may_share && leaves_by(outduct, *named.config);
    };
    if (std::ranges::any_of(others.inducts, is_shared)) return {};
    for (const auto &[name, other] : others.inducts)
        if (is_datagram(other->url) && other->url.port == port &&
            share(other->url.host, outduct.bind_address))
            return name;
    for (const auto &[name, other] : others.outducts)
        if (other->ltp.sender_bound_port == port &&
            share(other->bind_address, outduct.bind_address))
            return name;
    return {};
}

/// One of them is every address of the other's family; [::] is every IPv4 address, too. Names are
/// not looked up.
bool covers(const std::string &one, const std::string &other) {
    const auto is_ipv6 = [](const std::string &address) {
        return address.find(':') != std::string::npos;
    };
    const auto is_ipv4 = [](const std::string &address) {
        return address.find_first_not_of("0123456789.") == std::string::npos;
    };
    const bool same_family = (is_ipv6(one) && is_ipv6(other)) || (is_ipv4(one) && is_ipv4(other));
    const auto is_every_address = [&](const std::string &address) {
        return is_ipv6(address) && is_any_address(address);
    };
    const bool addresses = (is_ipv4(one) || is_ipv6(one)) && (is_ipv4(other) || is_ipv6(other));
    if (addresses && (is_every_address(one) || is_every_address(other))) return true;
    return same_family && (is_any_address(one) || is_any_address(other));
}

/// Those that a host may have, each in one spelling. Of names, `localhost` alone is known.
std::vector<std::string> addresses_of(const std::string &host) {
    if (host == "localhost") return {"127.0.0.1", "::1"};
    return {normal_address(host)};
}

}  // namespace

bool same_address(const std::string &one, const std::string &other) {
    if (one == other) return true;
    for (const std::string &a : addresses_of(one))
        for (const std::string &b : addresses_of(other))
            if (a != b && !covers(a, b)) return false;
    return true;
}

std::string whose_tcp_address(const std::string &host, std::uint16_t port,
                              const OtherLinks &others) {
    for (const auto &[name, other] : others.inducts)
        if (port != 0 && other->url.port == port && !is_datagram(other->url) &&
            same_address(other->url.host, host))
            return name;
    return {};
}

void check_among(const InductConfig &induct, const OtherLinks &others, const std::string &path,
                 std::vector<ConfigError> &errors) {
    if (induct.url.scheme.empty() || induct.url.port == 0) return;
    for (const auto &[name, other] : others.inducts)
        if (other->url.port == induct.url.port && same_address(other->url.host, induct.url.host) &&
            is_datagram(other->url) == is_datagram(induct.url))
            errors.push_back({member_path(path, "url"),
                              "found the address of " + name + " again",
                              "another address",
                              {}});
}

void check_among(const OutductConfig &outduct, const OtherLinks &others, const std::string &path,
                 std::vector<ConfigError> &errors) {
    // Two sockets cannot have one port, but an outduct may use the port of an LTP induct.
    if (outduct.ltp.sender_bound_port != 0) {
        const std::string taken = whose_port(outduct, others);
        for (const auto &[name, induct] : others.inducts)
            if (others.may_share && leaves_by(outduct, *induct))
                check_span(outduct, *induct, others.node, name, path, errors);
        if (!taken.empty())
            errors.push_back({member_path(path, "ltpSenderBoundPort"),
                              "found " + std::to_string(outduct.ltp.sender_bound_port) +
                                  ", the port of " + taken + " too",
                              "another port, or 0 for the system's choice",
                              {}});
    }
    if (outduct.next_hop == NodeNumber{}) return;
    for (const auto &[name, induct] : others.inducts)
        for (const NeighbourAddress &entry : induct->neighbours)
            if (entry.node == outduct.next_hop && parse_link_url(entry.address))
                errors.push_back({member_path(path, "nextHopNodeId"),
                                  "found " + std::to_string(outduct.next_hop.value()) +
                                      ", a neighbour to which " + name + " sends",
                                  "one outduct for each neighbour",
                                  {}});
    for (const auto &[name, other] : others.outducts) {
        if (other->next_hop != outduct.next_hop) continue;
        errors.push_back({member_path(path, "nextHopNodeId"),
                          "found " + std::to_string(outduct.next_hop.value()) +
                              ", the neighbour of " + name + " too",
                          "one outduct for each neighbour",
                          "a contact plan names nodes and cannot distinguish the two"});
        return;
    }
}

bool leaves_by(const OutductConfig &outduct, const InductConfig &induct) {
    return outduct.url.scheme == "ltp" && induct.url.scheme == "ltp" &&
           outduct.ltp.sender_bound_port != 0 && outduct.ltp.sender_bound_port == induct.url.port &&
           share(induct.url.host, outduct.bind_address);
}

NeighbourAddress as_neighbour(const OutductConfig &outduct) {
    return {outduct.next_hop, to_string(outduct.url),
            outduct.peer_node_id.empty() ? bp::Eid(outduct.next_hop.value(), 0).to_string()
                                         : outduct.peer_node_id,
            outduct.ltp.authentication};
}

std::vector<OutductConfig> take_spans(std::vector<InductConfig> &inducts,
                                      std::vector<OutductConfig> &outducts) {
    std::vector<OutductConfig> spans;
    std::erase_if(outducts, [&](OutductConfig &outduct) {
        const auto found = std::ranges::find_if(
            inducts, [&](const InductConfig &induct) { return leaves_by(outduct, induct); });
        if (found == inducts.end()) return false;
        // Neighbours with an address to send to come before those that only send.
        found->neighbours.insert(found->neighbours.begin(), as_neighbour(outduct));
        spans.push_back(std::move(outduct));
        return true;
    });
    return spans;
}

}  // namespace farlink::config
