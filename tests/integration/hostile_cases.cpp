// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/hostile_cases.hpp"

#include "tests/support/hand_made.hpp"
#include "tests/support/octets.hpp"

namespace farlink::test {
namespace {

constexpr std::uint64_t kGiant = std::uint64_t{1} << 62;

}  // namespace

// Before there is a session (RFC 9174 sections 4.1 to 4.8).
std::vector<HostileCase> tcpclv4_openings() {
    using namespace v4;
    const auto init = [](std::string_view node_id, const Bytes &items = {}) {
        return contact() + session_init(1000, 1000, node_id, items);
    };
    const std::string refused = "CONTACT SESS_TERM(0,4)";
    const std::vector<std::string> failure{"link_fault_contact_failure"};
    const std::vector<std::string> error{"link_fault_protocol_error"};
    const std::vector<std::string> stranger{"link_fault_not_tcpcl"};
    return {
        {"random octets", octets_of(4096, 1), "", stranger},
        {"another protocol", Bytes(18, 'G'), "", stranger},
        {"last octet of the magic is wrong", from_hex("64746e3f0400"), "", stranger},
        {"an STCP frame", from_hex("000000039f8801"), "", {"link_fault_stcp_not_tcpcl"}},
        {"a later version",
         from_hex("64746e210500"),
         "CONTACT SESS_TERM(0,2)",
         {"link_fault_version_mismatch"}},
        {"an earlier version",
         v3::contact(),
         "CONTACT SESS_TERM(0,2)",
         {"link_fault_tcpcl_version_3"}},
        {"random octets behind the contact header", contact() + octets_of(4096, 2),
         "CONTACT MSG_REJECT(1," + std::to_string(octets_of(1, 2)[0]) + ")", error},
        {"contact header twice", contact() + contact(), "CONTACT MSG_REJECT(1,100)", error},
        {"segment MRU 0", contact() + session_init(0, 1000), refused, failure},
        {"transfer MRU 0", contact() + session_init(1000, 0), refused, failure},
        {"node id of 65535 octets", contact() + from_hex("070000") + Bytes(16, 1) + Bytes(2, 255),
         refused, failure},
        {"4 GB of session extension items",
         contact() + from_hex("070000") + Bytes(16, 1) + from_hex("0000ffffffff"), refused,
         failure},
        {"node id of an unknown scheme", init("http://example.org/"), refused, failure},
        {"node id that is no text", init("\x01\x02\xff"), refused, failure},
        {"unknown critical session item", init("ipn:77.0", item(1, 0x8001, {})), refused, failure},
        {"session items longer than their list", init("ipn:77.0", from_hex("00800100ff")), refused,
         failure},
        {"segment before the session", contact() + segment_head(3, 0, 4), "CONTACT MSG_REJECT(3,1)",
         error},
        {"acknowledgement before the session", contact() + ack(0, 1), "CONTACT MSG_REJECT(3,2)",
         error},
        {"SESS_TERM instead of SESS_INIT",
         contact() + from_hex("050003"),
         "CONTACT SESS_TERM(1,3)",
         {"link_fault_peer_terminated"}},
    };
}

// Within a session (sections 5.1.2 to 6.1).
std::vector<HostileCase> tcpclv4_messages() {
    using namespace v4;
    const std::vector<std::string> closed{"link_fault_peer_closed"};
    const std::vector<std::string> error{"link_fault_protocol_error"};
    const Bytes critical = item(1, 0x8001, {});
    std::vector<HostileCase> cases{
        {"contact header again", contact(), "MSG_REJECT(1,100)", error},
        {"SESS_INIT again", session_init(1, 1), "MSG_REJECT(3,7)", closed, true},
        {"SESS_INIT again, with 4 GB of items",
         from_hex("070000") + Bytes(16, 1) + from_hex("0000ffffffff"), "MSG_REJECT(3,7)", error},
        {"unknown message type", from_hex("42"), "MSG_REJECT(1,66)", error},
        {"segment without start", segment_head(1, 5, 4) + Bytes(4, 7), "MSG_REJECT(3,1)", closed,
         true},
        {"segments of two transfers",
         segment_head(2, 0, 4, transfer_length(8)) + Bytes(4, 7) + segment_head(3, 1, 4) +
             Bytes(4, 7),
         "XFER_ACK(2) MSG_REJECT(3,1)", error},
        {"segment with 4 GB of items", from_hex("01030000000000000000ffffffff") + Bytes(8, 0),
         "MSG_REJECT(2,1)", error},
        {"unknown critical transfer item", segment_head(3, 0, 4, critical) + Bytes(4, 7),
         "XFER_REFUSE(5)", closed, true},
        {"transfer items longer than their list",
         segment_head(3, 0, 4, from_hex("00800100ff")) + Bytes(4, 7), "XFER_REFUSE(5)", closed,
         true},
        {"transfer that announces too much",
         segment_head(2, 0, 4, transfer_length(kGiant)) + Bytes(4, 7), "XFER_REFUSE(4)", closed,
         true},
        {"transfer longer than announced",
         segment_head(3, 0, 4, transfer_length(3)) + Bytes(4, 7),
         "XFER_REFUSE(4)",
         {"link_fault_peer_closed", "departure_unwanted_transfer_length"},
         true},
        {"transfer that grows too large",
         segment_head(2, 0, kMru) + Bytes(kMru, 7) + segment_head(1, 0, 1) + Bytes(1, 7),
         "XFER_ACK(2) XFER_REFUSE(4)",
         {"link_fault_peer_closed", "departure_missing_transfer_length"},
         true},
        {"segment of 4 EB",
         segment_head(3, 0, kGiant) + Bytes(100'000, 7),
         "XFER_REFUSE(4)",
         {"link_fault_peer_closed", "departure_segment_above_mru"},
         true},
        {"bundles that are none",
         repeated(segment_head(3, 0, 3) + Bytes(3, 0xff), 1),
         "XFER_REFUSE(4)",
         {"link_fault_peer_closed", "malformed_unknown_version"},
         true},
        {"acknowledgements of nothing", repeated(ack(3, 100), 1000), "MSG_REJECT(3,2)x1000", closed,
         true},
        {"refusal of nothing", from_hex("03020000000000000009"), "MSG_REJECT(3,3)", closed, true},
        {"a flood of MSG_REJECT", repeated(from_hex("060304"), 100'000), "", closed, true},
        {"segments are rejected", from_hex("060201"), "SESS_TERM(0,0)", error},
        {"SESS_TERM for an unknown reason",
         from_hex("0500ee"),
         "SESS_TERM(1,238)",
         {"link_fault_peer_terminated", "departure_unknown_termination_reason"}},
        {"random octets",
         // a known type would make the node wait for the rest of its message
         Bytes(1, 0xc3) + octets_of(100'000, 3), "MSG_REJECT(1,195)", error},
    };
    for (HostileCase &one : cases) {
        one.says = opening() + one.says;
        one.handles = "CONTACT SESS_INIT" + (one.handles.empty() ? "" : " " + one.handles);
    }
    return cases;
}

// RFC 7242. The node sends its contact header first, at once.
std::vector<HostileCase> tcpclv3_cases() {
    using namespace v3;
    const std::vector<std::string> closed{"link_fault_peer_closed"};
    const std::vector<std::string> error{"link_fault_protocol_error"};
    const std::vector<std::string> failure{"link_fault_contact_failure"};
    const Bytes endless(12, 0xff);  // an SDNV without end
    std::vector<HostileCase> cases{
        {"random octets", octets_of(4096, 4), "", {"link_fault_not_tcpcl"}},
        {"another version", v4::contact(), "SHUTDOWN(1)", {"link_fault_tcpcl_version_4"}},
        {"node id of 2 GB", from_hex("64746e21030d000087ffffff7f"), "SHUTDOWN(2,60)", failure},
        {"node id length without end", from_hex("64746e21030d0000") + endless, "SHUTDOWN(2,60)",
         failure},
        {"node id that is no text", contact("\x01\x02\x7f"), "SHUTDOWN(2,60)", failure},
        {"unknown message type", contact() + from_hex("70"), "SHUTDOWN", error},
        {"segment length without end", contact() + from_hex("13") + endless, "SHUTDOWN", error},
        {"contact header again",
         contact() + contact(),
         "SHUTDOWN",
         {"link_fault_protocol_error", "departure_reserved_flags"}},
        {"segment without start", contact() + segment_head(1, 4) + Bytes(4, 7), "SHUTDOWN", error},
        {"start within a bundle",
         contact() + segment_head(2, 4) + Bytes(4, 7) + segment_head(2, 4) + Bytes(4, 7),
         "ACK_SEGMENT SHUTDOWN", error},
        {"bundle longer than its LENGTH",
         contact() + from_hex("6003") + segment_head(3, 4) + Bytes(4, 7), "SHUTDOWN", error},
        {"segment of 4 EB", contact() + segment_head(3, kGiant) + Bytes(100'000, 7),
         "REFUSE_BUNDLE(2)", closed, true},
        {"LENGTH of 4 EB",
         contact() + from_hex("60") + sdnv(kGiant) + segment_head(2, 4) + Bytes(4, 7),
         "REFUSE_BUNDLE(2)", closed, true},
        {"bundles that are none",
         contact() + segment_head(3, 3) + Bytes(3, 0xff),
         "REFUSE_BUNDLE(0)",
         {"link_fault_peer_closed", "malformed_unknown_version"},
         true},
        {"acknowledgement of nothing", contact() + from_hex("2005"), "SHUTDOWN", error},
        {"refusal of nothing", contact() + from_hex("32"), "SHUTDOWN", error},
        {"bundle behind its SHUTDOWN",
         contact() + from_hex("50") + segment_head(3, 1) + Bytes(1, 7), "SHUTDOWN", error},
    };
    for (HostileCase &one : cases)
        one.handles = "CONTACT" + (one.handles.empty() ? "" : " " + one.handles);
    return cases;
}

std::vector<HostileCase> stcp_cases() {
    return {
        {"frame of 4 GB", Bytes(4, 0xff) + Bytes(1000, 7), "", {"link_fault_frame_too_large"}},
        {"a contact header", v4::contact(), "", {"link_fault_tcpcl_not_stcp"}},
        {"half a head", Bytes(3, 0), "", {"link_fault_truncated_bundle"}, true},
        {"bundles that are none",
         from_hex("00000003ffffff"),
         "",
         {"link_fault_peer_closed", "malformed_unknown_version"},
         true},
        {"a flood of keepalives", Bytes(400'000, 0), "", {"link_fault_peer_closed"}, true},
    };
}

std::vector<HostileCase> mtcp_cases() {
    return {
        {"frame of 2^64 - 1 octets",
         Bytes(1, 0x5b) + Bytes(8, 0xff) + Bytes(1000, 7),
         "",
         {"link_fault_frame_too_large"}},
        {"a contact header", v4::contact(), "", {"link_fault_tcpcl_not_mtcp"}},
        {"a number instead of octets", from_hex("1903e8"), "", {"link_fault_protocol_error"}},
        {"octets of indefinite length", from_hex("5f41ffff"), "", {"link_fault_protocol_error"}},
        {"half a head", from_hex("5a0000"), "", {"link_fault_truncated_bundle"}, true},
        {"bundles that are none",
         from_hex("43ffffff"),
         "",
         {"link_fault_peer_closed", "malformed_unknown_version"},
         true},
    };
}

}  // namespace farlink::test
