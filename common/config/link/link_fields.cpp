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
         [](NeighbourAddress &to, const Value &value) {
             to.node = NodeNumber{value.number<std::uint64_t>()};
         }},
        {{.key = "address",
          .required = true,
          .help = "Where it connects from: an IPv4 or IPv6 address, or a prefix as "
                  "`10.1.0.0/16` or `2001:db8::/32`."},
         [](NeighbourAddress &to, const Value &value) { to.address = value.as<std::string>(); }},
        {{.key = "peerNodeId",
          .kind = FieldKind::kText,
          .computed_default = "`ipn:<nodeId>.0`",
          .help = "How the neighbour announces itself, where that is not its number: "
                  "`dtn://rover/`. Needs `nodeId`, by which contact plans and routes know "
                  "it."},
         [](NeighbourAddress &to, const Value &value) {
             to.peer_node_id = value.as<std::string>();
         }},
    };
}

const Table<NeighbourAddress> &neighbour_table() {
    static const Table<NeighbourAddress> table = [] {
        std::vector<Field<NeighbourAddress>> fields = address_fields();
        append_fields(fields, ltp_neighbour_key_fields());
        return Table<NeighbourAddress>(
            "neighbours[]",
            "A neighbour that opens links to this node and whose node id no certificate proves.",
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
          .help = "How many peers may be connected at once; a further one is refused."},
         [](InductConfig &to, const Value &value) {
             to.max_sessions = value.number<std::uint32_t>();
         }},
        {{.key = "maxHandshakes",
          .kind = FieldKind::kInteger,
          .unit = "connections",
          .minimum = 1,
          .maximum = 65'535,
          .fallback = std::uint64_t{256},
          .schemes = kLayersWithSessions,
          .help = "How many peers may be connected whose session is not open yet; a further one is "
                  "refused."},
         [](InductConfig &to, const Value &value) {
             to.max_handshakes = value.number<std::uint32_t>();
         }},
        {{.key = "idleTimeoutSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 604'800,
          .fallback = std::uint64_t{0},
          .schemes = kLayersOverTcp,
          .help = "A session is ended when it has been idle for this long; 0: never. TCPCL is idle "
                  "when no bundle goes either way, STCP and MTCP when nothing comes, not even a "
                  "keep-alive."},
         [](InductConfig &to, const Value &value) {
             to.idle_timeout_s = value.number<std::uint32_t>();
         }},
        {{.key = "strangerIdleTimeoutSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 604'800,
          .fallback = std::uint64_t{60},
          .schemes = kLayersOverTcp,
          .help =
              "A peer that is no known neighbour and has brought no bundle is disconnected when "
              "nothing has come from it for this long, not even a keep-alive; 0: never. Before "
              "a TCPCL session is open, `handshakeTimeoutSeconds` is the limit."},
         [](InductConfig &to, const Value &value) {
             to.stranger_idle_timeout_s = value.number<std::uint32_t>();
         }},
    };
}

std::vector<Field<InductConfig>> answer_fields() {
    return {
        {{.key = "acknowledge",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("whenSafe"),
          .choices = {"whenSafe", "onReceipt"},
          .schemes = kLayersWithNeighbours,
          .help = "When a bundle is acknowledged as a whole. `whenSafe`: when the next "
                  "hop has the bundle, or the disk. `onReceipt`: at once; a crash loses what was "
                  "on its way through the node."},
         [](InductConfig &to, const Value &value) {
             to.acknowledge_on_receipt = value.as<std::string>() == "onReceipt";
         }},
        {{.key = "onNoResources",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("refuse"),
          .choices = {"refuse", "pause", "disconnect"},
          .schemes = kLayersWithNeighbours,
          .help = "The answer to a peer while there is no room for its bundles. `refuse`: each is "
                  "refused, and sent again later. `pause`: acknowledgements wait until there is "
                  "room, which holds a peer whose window they are, for one that does not "
                  "understand refusals; beyond `maxUnsettledBytes` bundles are refused. "
                  "`disconnect`: its session ends (TCPCL; by LTP as `refuse`)."},
         [](InductConfig &to, const Value &value) {
             to.on_no_resources = no_resources_of(value.as<std::string>());
         }},
        {{.key = "neighbours",
          .kind = FieldKind::kList,
          .schemes = kLayersWithNeighbours,
          .section = &neighbour_table().info(),
          .help = "Who may claim to be which node without a certificate that proves it. Bundles "
                  "are taken from everybody; only to a neighbour that is proved or listed are "
                  "bundles sent on the connection that it opened."},
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
          .help = "Where to listen: `scheme://host:port`. `0.0.0.0` is every IPv4 address of the "
                  "machine, `[::]` every IPv6 address. Port 0 lets the system choose one."},
         [](InductConfig &to, const Value &value) { to.url = value.as<LinkUrl>(); }},
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
          .help = "Where the neighbour listens: `scheme://host:port`. The host is a name, which is "
                  "looked up again at every attempt to connect, an IPv4 address or an IPv6 address "
                  "in brackets."},
         [](OutductConfig &to, const Value &value) { to.url = value.as<LinkUrl>(); }},
        {{.key = "nextHopNodeId",
          .kind = FieldKind::kInteger,
          .required = next_hop_required,
          .minimum = 1,
          .help = "Node number of the neighbour. Each neighbour has one outduct: a contact plan "
                  "names nodes, so with two outducts to one node nobody could tell which of them "
                  "a contact opens."},
         [](OutductConfig &to, const Value &value) {
             to.next_hop = NodeNumber{value.number<std::uint64_t>()};
         }},
        {{.key = "peerNodeId",
          .computed_default = "`ipn:<nextHopNodeId>.0`",
          .schemes = kLayersWithSessions,
          .help = "Endpoint id under which the neighbour must announce itself, when that is not "
                  "the usual one of its node number."},
         [](OutductConfig &to, const Value &value) { to.peer_node_id = value.as<std::string>(); }},
        {{.key = "bindAddress",
          .computed_default = "the system's choice",
          .help = "IP address of this machine that the link is opened from."},
         [](OutductConfig &to, const Value &value) { to.bind_address = value.as<std::string>(); }},
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
          .help = "Largest datagram that is sent, without UDP's own header. A larger "
                  "bundle takes another link or is reported. One datagram is one bundle; "
                  "above the path's MTU (1472 on an Ethernet) IP cuts it in pieces, and "
                  "one lost piece loses the bundle."},
         [](OutductConfig &to, const Value &value) {
             to.max_datagram_bytes = value.number<std::uint64_t>();
         }},
        {{.key = "reconnectMinMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 1,
          .maximum = 60'000,
          .fallback = std::uint64_t{100},
          .help = "Wait before the first attempt to connect again; it doubles with every failure, "
                  "with some jitter."},
         [](OutductConfig &to, const Value &value) { to.reconnect_min = value.as_milliseconds(); }},
        {{.key = "reconnectMaxMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 1,
          .maximum = 3'600'000,
          .fallback = std::uint64_t{10'000},
          .help = "Longest wait between two attempts to connect."},
         [](OutductConfig &to, const Value &value) { to.reconnect_max = value.as_milliseconds(); }},
        {{.key = "storedSharePercent",
          .kind = FieldKind::kInteger,
          .unit = "percent",
          .minimum = 1,
          .maximum = 99,
          .fallback = std::uint64_t{50},
          .help = "Share of the link, in bytes, for bundles that come from the store while others "
                  "of the same priority are cut through. What one side does not use the other "
                  "gets; a higher priority goes first in any case."},
         [](OutductConfig &to, const Value &value) {
             to.stored_share_percent = value.number<std::uint32_t>();
         }},
    };
}

Table<OutductConfig> make_outduct_table(bool next_hop_required) {
    std::vector<Field<OutductConfig>> fields = neighbour_fields(next_hop_required);
    append_fields(fields, link_option_fields(LinkSide::kOutduct));
    append_fields(fields, ltp_neighbour_fields());
    append_fields(fields, sending_fields());
    return {"outductsConfig[]", "A way out: the link to one neighbour.", std::move(fields),
            "outduct"};
}

}  // namespace

const Table<InductConfig> &induct_table() {
    static const Table<InductConfig> table{"inductsConfig[]",
                                           "A way in: an address where this node listens.",
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
