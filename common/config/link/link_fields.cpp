// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_fields.hpp"

#include "common/config/link/link_option_fields.hpp"
#include "common/config/link/ltp_fields.hpp"

namespace farlink::config {
namespace {

NoResources no_resources_of(const std::string &word) {
    if (word == "pause") return NoResources::kPause;
    return word == "disconnect" ? NoResources::kDisconnect : NoResources::kRefuse;
}

std::vector<Field<NeighbourAddress>> address_fields() {
    return {
        {{.key = "nodeId",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .computed_default = "any node",
          .help = "Node number that may be claimed from this address."},
         &NeighbourAddress::node},
        {{.key = "address",
          .required = true,
          .help = "Source address of its connections: an IPv4 or IPv6 address, or a prefix such as "
                  "`10.1.0.0/16` or `2001:db8::/32`."},
         &NeighbourAddress::address},
        {{.key = "peerNodeId",
          .kind = FieldKind::kText,
          .computed_default = "`ipn:<nodeId>.0`",
          .help = "Node id that the neighbour announces, if it is not its number: `dtn://rover/`. "
                  "Requires `nodeId`, which contact plans and routes use."},
         &NeighbourAddress::peer_node_id},
    };
}

const Table<NeighbourAddress> &neighbour_table() {
    static const Table<NeighbourAddress> table = [] {
        std::vector<Field<NeighbourAddress>> fields = address_fields();
        append_fields(fields, ltp_neighbour_key_fields());
        return Table<NeighbourAddress>(
            "neighbours[]",
            "A neighbour that opens links to this node and whose node id is not proved by a "
            "certificate, or is of the dtn scheme.",
            std::move(fields));
    }();
    return table;
}

std::vector<Field<InductConfig>> peer_fields() {
    return {
        {{.key = "maxSessions",
          .kind = FieldKind::kInteger,
          .unit = "sessions",
          .minimum = 1,
          .maximum = 65'535,
          .fallback = std::uint64_t{1024},
          .schemes = kLayersWithPeers,
          .help = "Maximum number of connected peers, or of remote LTP engines. A further peer "
                  "replaces a [stranger](links.md#limits) that has sent no bundle (LTP: or, for a "
                  "known neighbour, any stranger), or is refused."},
         &InductConfig::max_sessions},
        {{.key = "maxHandshakes",
          .kind = FieldKind::kInteger,
          .unit = "connections",
          .minimum = 1,
          .maximum = 65'535,
          .fallback = std::uint64_t{256},
          .schemes = kLayersWithSessions,
          .help = "Maximum number of connected peers whose session is not yet open. At the limit "
                  "the peer that has waited longest is disconnected, strangers first."},
         &InductConfig::max_handshakes},
        {{.key = "idleTimeoutSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 604'800,
          .fallback = std::uint64_t{0},
          .schemes = kLayersOverTcp,
          .help = "A session is ended when it has been idle for this time; 0: never. A TCPCL "
                  "session is idle when no bundle is transferred in either direction, an STCP or "
                  "MTCP connection when no data arrive, not even a keepalive."},
         &InductConfig::idle_timeout_s},
        {{.key = "strangerIdleTimeoutSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 604'800,
          .fallback = std::uint64_t{60},
          .schemes = kLayersOverTcp,
          .help =
              "A peer that is not a known neighbour and has sent no bundle is disconnected when no "
              "data arrive for this time, not even a keepalive; 0: never. Before a TCPCL session "
              "is open, `handshakeTimeoutSeconds` applies."},
         &InductConfig::stranger_idle_timeout_s},
    };
}

std::vector<Field<InductConfig>> answer_fields() {
    return {
        {{.key = "acknowledge",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("whenSafe"),
          .choices = {"whenSafe", "onReceipt"},
          .schemes = kLayersWithNeighbours,
          .help = "When a bundle is acknowledged as a whole. `whenSafe`: when the next hop has "
                  "acknowledged it, when it is delivered, or when it is flushed to disk. "
                  "`onReceipt`: immediately; a crash loses the bundles that are only in memory."},
         [](InductConfig &to, const Value &value) {
             to.acknowledge_on_receipt = value.as<std::string>() == "onReceipt";
         }},
        {{.key = "onNoResources",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("refuse"),
          .choices = {"refuse", "pause", "disconnect"},
          .schemes = kLayersWithNeighbours,
          .help = "Response to a peer while there is no space for its bundles. `refuse`: each "
                  "bundle is refused, and sent again later (LTP: each block, unless one of its "
                  "bundles was taken; the others of that block wait). `pause`: acknowledgements "
                  "are withheld until there is space, which stops a peer through its window, for "
                  "peers that do not handle refusals; beyond `maxUnsettledBytes`, which must "
                  "exceed that window, bundles are refused. `disconnect`: the session ends (TCPCL; "
                  "with LTP as `refuse`)."},
         [](InductConfig &to, const Value &value) {
             to.on_no_resources = no_resources_of(value.as<std::string>());
         }},
        {{.key = "neighbours",
          .kind = FieldKind::kList,
          .schemes = kLayersWithNeighbours,
          .section = &neighbour_table().info(),
          .help = "Peers that may claim a node id without a certificate that proves it. Bundles "
                  "are accepted from any peer. Bundles are sent on a session that a peer opened "
                  "only if its node id is proved, or if its address is listed here or is the IP "
                  "address of the outduct to its node."},
         [](InductConfig &to, const Value &value) {
             to.neighbours = neighbour_table().build_all(value.as<List>());
         }},
    };
}

std::vector<Field<InductConfig>> induct_fields() {
    std::vector<Field<InductConfig>> fields{
        {{.key = "url",
          .kind = FieldKind::kLinkUrl,
          .required = true,
          .help = "Address to listen at: `scheme://host:port`. `0.0.0.0` is every IPv4 address of "
                  "the machine, `[::]` every IPv4 and IPv6 address. With port 0 the system assigns "
                  "a port."},
         &InductConfig::url},
    };
    append_fields(fields, link_option_fields(LinkSide::kInduct));
    append_fields(fields, peer_fields());
    append_fields(fields, answer_fields());
    return fields;
}

std::vector<Field<OutductConfig>> neighbour_fields(bool next_hop_required) {
    return {
        {{.key = "url",
          .kind = FieldKind::kLinkUrl,
          .required = true,
          .help = "Address of the neighbour: `scheme://host:port`. The host is a name, which is "
                  "resolved again at every attempt to connect, an IPv4 address, or an IPv6 address "
                  "in brackets."},
         &OutductConfig::url},
        {{.key = "nextHopNodeId",
          .kind = FieldKind::kInteger,
          .required = next_hop_required,
          .minimum = 1,
          .help = "Node number of the neighbour. Each neighbour has one outduct, because a "
                  "contact plan names nodes: a second outduct to the same node is an error."},
         &OutductConfig::next_hop},
        {{.key = "peerNodeId",
          .computed_default = "`ipn:<nextHopNodeId>.0`",
          .schemes = kLayersWithSessions,
          .help = "Node id that the neighbour must announce, if it is not the default for its "
                  "node number. Unless `strict` is set, the neighbour may also announce none, or, "
                  "if no certificate is checked, one of the other scheme."},
         &OutductConfig::peer_node_id},
        {{.key = "bindAddress",
          .computed_default = "the system's choice",
          .help = "Local IP address from which the link is opened."},
         &OutductConfig::bind_address},
    };
}

std::vector<Field<OutductConfig>> sending_fields() {
    return {
        {{.key = "maxDatagramBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 64,
          .maximum = kLargestDatagramBytes,
          .fallback = std::uint64_t{65'507},
          .schemes = kLayersWithDatagrams,
          .help = "Largest datagram that is sent, without the UDP header; over IPv4 at most 65507. "
                  "A larger bundle is cut into fragments if it may be cut; otherwise it takes "
                  "another route or waits. One datagram is one bundle. IP fragments a "
                  "datagram that is larger than the path's MTU less the headers of IP and UDP "
                  "(1472 bytes over IPv4 on Ethernet), and one lost part loses the bundle."},
         &OutductConfig::max_datagram_bytes},
        {{.key = "reconnectMinMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 1,
          .maximum = 60'000,
          .fallback = std::uint64_t{100},
          .help = "Wait before the first reconnection attempt. It doubles with every failure, and "
                  "up to a quarter is added at random."},
         &OutductConfig::reconnect_min},
        {{.key = "reconnectMaxMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 1,
          .maximum = 3'600'000,
          .fallback = std::uint64_t{10'000},
          .help = "Upper limit of the wait before a reconnection attempt, without the random "
                  "part. The wait is longer after [many "
                  "refusals](links.md#reconnection-and-refusals), or if a TCPCLv3 neighbour "
                  "requests a delay."},
         &OutductConfig::reconnect_max},
        {{.key = "storedSharePercent",
          .kind = FieldKind::kInteger,
          .unit = "percent",
          .minimum = 1,
          .maximum = 99,
          .fallback = std::uint64_t{50},
          .help = "Share of the link, in bytes, for bundles from storage while other bundles of "
                  "the same priority are cut through. Each side may use the share that the other "
                  "does not use; a higher priority is always sent first."},
         &OutductConfig::stored_share_percent},
    };
}

std::vector<Field<OutductConfig>> fragment_fields() {
    return {
        {{.key = "fragment",
          .kind = FieldKind::kBoolean,
          .fallback = true,
          .help = "Bundles larger than the limit of the neighbour or of the convergence layer are "
                  "cut into fragments, if they may be cut. `false`: they take another route or "
                  "wait. This is for neighbours behind which no node joins fragments."},
         &OutductConfig::fragment},
        {{.key = "fragmentBundlesLargerThanBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kLargestBundleBytes,
          .fallback = std::uint64_t{0},
          .help =
              "Largest bundle that is sent to this neighbour as a whole. A larger one is cut "
              "into fragments of at most this size, if it may be cut; otherwise it is sent "
              "whole. 0: bundles are cut only where the neighbour or the convergence layer "
              "requires it. The smallest of all limits applies, including the node's key of the "
              "same name."},
         &OutductConfig::fragment_above_bytes},
        {{.key = "fragmentToContact",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help =
              "A bundle that is larger than what is left of the contact is cut, if it may be cut: "
              "its first part is sent in this contact, the rest later. `false`: the bundle waits "
              "for a contact that is long enough. The key has no effect if neither the contact nor "
              "`rateLimitBitsPerSec` sets a rate, or if `fragment` is false."},
         &OutductConfig::fragment_to_contact},
    };
}

Table<OutductConfig> make_outduct_table(bool next_hop_required) {
    std::vector<Field<OutductConfig>> fields = neighbour_fields(next_hop_required);
    append_fields(fields, link_option_fields(LinkSide::kOutduct));
    append_fields(fields, ltp_neighbour_fields());
    append_fields(fields, sending_fields());
    append_fields(fields, fragment_fields());
    return {"outductsConfig[]", "An outduct: the link to one neighbour.", std::move(fields),
            "outduct"};
}

}  // namespace

const Table<InductConfig> &induct_table() {
    static const Table<InductConfig> table{"inductsConfig[]",
                                           "An induct: an address at which this node listens.",
                                           induct_fields(), "induct"};
    return table;
}

const Table<OutductConfig> &outduct_table() {
    static const Table<OutductConfig> table = make_outduct_table(true);
    return table;
}

const Table<OutductConfig> &outduct_url_table() {
    static const Table<OutductConfig> table = make_outduct_table(false);
    return table;
}

}  // namespace farlink::config
