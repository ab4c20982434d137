// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/report.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

namespace farlink::bptunnel {
namespace {

using Json = nlohmann::ordered_json;

void add_datagrams(Json &json, const Counters &counters) {
    json["datagramsIn"] = counters.datagrams_in;
    json["datagramsOut"] = counters.datagrams_out;
    json["dropped"] = counters.dropped;
    json["lostBySocket"] = counters.lost_by_socket;
    json["unsent"] = counters.unsent;
    json["lateAdus"] = counters.late_adus;
    json["missingAdus"] = counters.missing_adus;
    json["flows"] = counters.flows;
    json["withoutFlow"] = counters.no_flow;
}

void add_streams(Json &json, const Counters &counters) {
    json["bytesIn"] = counters.stream_bytes_in;
    json["bytesOut"] = counters.stream_bytes_out;
    json["streams"] = counters.streams;
    json["openStreams"] = counters.open_streams;
    json["resetStreams"] = counters.reset_streams;
    json["refusedStreams"] = counters.refused_streams;
    json["lateMessages"] = counters.late_messages;
}

}  // namespace

std::string figures_json(std::string_view type, const Counters &counters, bool tcp, double seconds,
                         const std::string &error) {
    Json json{{"type", type},
              {"seconds", seconds},
              {"sentAdus", counters.sent_adus},
              {"sentBytes", counters.sent_bytes},
              {"refusedAdus", counters.refused_adus},
              {"receivedAdus", counters.received_adus},
              {"receivedBytes", counters.received_bytes},
              {"unknownAdus", counters.unknown_adus},
              {"repeatedAdus", counters.repeated_adus},
              {"staleAdus", counters.stale_adus},
              {"faults", counters.faults}};
    if (tcp)
        add_streams(json, counters);
    else
        add_datagrams(json, counters);
    if (type == "summary") json["error"] = error;
    // Texts of others may be no UTF-8.
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string progress_text(const Counters &counters, bool tcp) {
    std::ostringstream text;
    if (tcp)
        text << counters.open_streams << " streams open, " << counters.stream_bytes_in
             << " bytes in, " << counters.stream_bytes_out << " bytes out";
    else
        text << counters.datagrams_in << " datagrams in, " << counters.datagrams_out
             << " datagrams out, " << counters.dropped << " dropped";
    text << ", " << counters.sent_adus << " ADUs sent, " << counters.received_adus
         << " ADUs received";
    return text.str();
}

std::string figures_text(const Counters &counters, bool tcp) {
    std::ostringstream text;
    text << progress_text(counters, tcp) << '\n';
    const auto line = [&text](std::uint64_t count, const char *what) {
        if (count > 0) text << count << ' ' << what << '\n';
    };
    line(counters.refused_adus, "ADUs refused by the node");
    line(counters.unknown_adus, "ADUs that do not belong to this tunnel");
    line(counters.stale_adus, "ADUs of earlier runs of the other end");
    line(counters.faults, "malformed ADUs received");
    line(counters.lost_by_socket, "datagrams dropped because a socket buffer was full");
    line(counters.unsent, "datagrams not sent");
    line(counters.late_adus, "late ADUs");
    line(counters.missing_adus, "missing ADUs");
    line(counters.no_flow, "datagrams for senders that were replaced (--flows)");
    line(counters.reset_streams, "streams reset");
    line(counters.refused_streams, "streams refused");
    return text.str();
}

}  // namespace farlink::bptunnel
