// SPDX-License-Identifier: Apache-2.0
// The commands of ltpadmin: spans to neighbours, and the ports where segments arrive.
#include <algorithm>
#include <cmath>
#include <string>

#include "common/config/fields/config_error.hpp"
#include "common/config_import/ion/ion_rules.hpp"

namespace farlink::config {
namespace {

constexpr std::uint16_t kLtpPort = 1113;
constexpr double kLongestLatency = 86'400;

std::vector<SpanDraft>::iterator find_span(NodeDraft &draft, std::uint64_t engine) {
    return std::ranges::find(draft.spans, engine, &SpanDraft::engine);
}

std::optional<std::uint64_t> span_number(const IonReading &reading, std::size_t word,
                                         std::string_view what) {
    const auto value = whole_number_of(reading.words[word]);
    if (!value) reading.wrong(word, what);
    return value;
}

/// "udplso host:port [bits per second]"; ION also accepts a round trip behind that.
bool read_output(const IonReading &reading, std::size_t word, SpanDraft &span) {
    const IonWords command(reading.words[word]);
    if (command[0] != "udplso") {
        reading.refused("farlink sends LTP over UDP only; found " + in_quotes(command[0]) +
                        " instead of \"udplso\"");
        return false;
    }
    if (command[1].starts_with('@')) {
        reading.refused("an address that ION learns at run time; write the neighbour's address");
        return false;
    }
    const auto remote = host_port_of(command[1], kLtpPort);
    if (!remote) {
        reading.refused("found " + in_quotes(command[1]) + " after udplso; expected host:port");
        return false;
    }
    span.remote = *remote;
    if (command.size() < 3) return true;
    const auto rate = whole_number_of(command[2]);
    if (!rate) {
        reading.refused("found " + in_quotes(command[2]) +
                        " after udplso; expected bits per second");
        return false;
    }
    span.rate_bits = *rate;
    return true;
}

bool read_latency(const IonReading &reading, std::size_t word, double &latency) {
    const auto value = decimal_number_of(reading.words[word]);
    if (value && std::abs(*value) <= kLongestLatency) {
        latency = std::abs(*value);
        if (*value < 0)
            reading.noted("sessions are not cancelled at the end of a contact: their timers stop");
        return true;
    }
    reading.wrong(word, "seconds, at most 86400");
    return false;
}

/// `a span` or `c span`
void read_span(const IonReading &reading) {
    SpanDraft span{.command = reading.command};
    const auto engine = span_number(reading, 2, "the number of an LTP engine");
    const auto sent = span_number(reading, 3, "a number of sessions");
    const auto received = span_number(reading, 4, "a number of sessions");
    const auto segment = span_number(reading, 5, "the largest segment in bytes");
    const auto aggregated = span_number(reading, 6, "a block's size in bytes");
    const auto waited = span_number(reading, 7, "seconds");
    bool valid = engine && sent && received && segment && aggregated && waited;
    if (valid && *engine == 0) {
        reading.wrong(2, "the number of an LTP engine");
        valid = false;
    }
    valid = read_output(reading, 8, span) && valid;
    if (reading.words.size() > 9) valid = read_latency(reading, 9, span.queuing_latency_s) && valid;
    if (!valid) return;
    span.engine = *engine;
    span.most_sent = *sent;
    span.most_received = *received;
    span.segment_bytes = *segment;
    const auto earlier = find_span(reading.draft, span.engine);
    const bool adds = reading.words[0] == "a";
    if (adds && earlier != reading.draft.spans.end()) return reading.again(earlier->command);
    if (!adds && earlier == reading.draft.spans.end()) return reading.nothing_there("span");
    if (!adds) {
        reading.verdicts.noted(earlier->command,
                               "changed by " + reading.verdicts.place_of(reading.command));
        *earlier = std::move(span);
        return;
    }
    reading.draft.spans.push_back(std::move(span));
}

void delete_span(const IonReading &reading) {
    const auto engine = span_number(reading, 2, "the number of an LTP engine");
    if (!engine) return;
    const auto found = find_span(reading.draft, *engine);
    if (found == reading.draft.spans.end()) return reading.nothing_there("span");
    reading.verdicts.noted(found->command,
                           "deleted by " + reading.verdicts.place_of(reading.command));
    reading.draft.spans.erase(found);
    reading.mapped();
}

void add_seat(const IonReading &reading, std::string_view text) {
    const IonWords command(text);
    if (command[0] != "udplsi")
        return reading.refused("farlink receives LTP over UDP only; found " +
                               in_quotes(command[0]) + " instead of \"udplsi\"");
    const auto local = host_port_of(command.size() > 1 ? command[1] : "0.0.0.0", kLtpPort);
    if (!local || command.size() > 2)
        return reading.refused("found " + in_quotes(text) + "; expected \"udplsi host:port\"");
    for (const SeatDraft &seat : reading.draft.seats)
        if (seat.local.host == local->host && seat.local.port == local->port)
            return reading.again(seat.command);
    reading.draft.seats.push_back({reading.command, *local});
    reading.mapped("LTP induct at " + local->host + ':' + std::to_string(local->port));
}

/// `s ['udplsi ...']`
void start_ltp(const IonReading &reading) {
    if (reading.words.size() == 1) return reading.noted("LTP starts with the program `farlink`");
    add_seat(reading, reading.words[1]);
}

void read_seat(const IonReading &reading) {
    add_seat(reading, reading.words[2]);
}

void read_own_latency(const IonReading &reading) {
    if (!read_latency(reading, 2, reading.draft.own_queuing_latency_s)) return;
    reading.mapped("a part of `oneWayMarginTimeMs`");
}

constexpr std::string_view kSpan =
    "`a span`, engine, sessions sent, sessions received, segment bytes, block bytes, block "
    "seconds, 'udplso host:port' and optionally a queuing latency";

constexpr IonRule kLtpRules[]{
    {.verb = "1",
     .least = 1,
     .most = 3,
     .text = "sizes a table of ION; the limits of sessions are those of the spans"},
    {"a", "span", 9, 10, read_span, {}, kSpan},
    {"c", "span", 9, 10, read_span, {}, kSpan},
    {"d", "span", 3, 3, delete_span, {}, "`d span` and an engine"},
    {"a", "seat", 3, 3, read_seat, {}, "`a seat` and 'udplsi host:port'"},
    {"s", "", 1, 2, start_ltp, {}, "`s` and optionally 'udplsi host:port'"},
    {.verb = "x", .text = "LTP ends with the program `farlink`"},
    {"m", "ownqtime", 3, 3, read_own_latency, {}, "`m ownqtime` and seconds"},
    {.verb = "m",
     .object = "heapmax",
     .least = 3,
     .most = 3,
     .text = "where ION keeps a block; in farlink, `maxBundleSizeBytes` limits a block"},
    {.verb = "m",
     .object = "screening",
     .least = 3,
     .most = 3,
     .text = "farlink accepts segments outside of contacts as well"},
    {.verb = "m",
     .object = "maxber",
     .least = 3,
     .most = 3,
     .text = "in farlink, `ltpMaxRetriesPerSerialNumber` limits how often a segment is sent again"},
    {.verb = "m",
     .object = "maxbacklog",
     .least = 3,
     .most = 3,
     .text = "farlink pauses a neighbour while there is no space for its bundles"},
    {.verb = "m", .object = "sap", .least = 3, .most = 3, .text = "not needed"},
};

}  // namespace

std::span<const IonRule> ltp_rules() {
    return kLtpRules;
}

}  // namespace farlink::config
