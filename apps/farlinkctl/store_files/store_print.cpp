// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_print.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>

#include "common/bp/arriving_bundle.hpp"
#include "common/bp/bundle_id.hpp"
#include "common/bp/parse.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "module/control/core/json/storage_replies.hpp"

namespace farlink::ctl {

std::string time_text(DtnTime time) {
    if (time == kDtnNever) return "never";
    // The last year that has four digits.
    constexpr std::uint64_t kLastUnixSeconds = 253'402'300'799;
    const std::uint64_t unix_s = std::min(time / 1000 + kDtnEpochUnixSeconds, kLastUnixSeconds);
    const auto seconds = static_cast<std::time_t>(unix_s);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    std::array<char, 40> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

std::string_view priority_name(Priority priority) {
    switch (priority) {
        case Priority::kBulk:
            return "bulk";
        case Priority::kNormal:
            return "normal";
        case Priority::kExpedited:
            return "expedited";
    }
    return "?";
}

nlohmann::ordered_json row_json(const StoredBundle &bundle, ByteView beginning,
                                const std::string &folder) {
    config::StorageConfig disks;
    disks.disks.push_back({.name = folder, .directory = folder});
    const bool known = bundle.destination != "?";
    const ByteView destination = as_bytes(known ? bundle.destination : std::string_view());
    auto row = control::stored_json(
        {.state = bundle.damaged ? bus::StoredState::kUnreadable : bus::StoredState::kWaiting,
         .priority = bundle.head.priority,
         .custody = (bundle.head.requests & kRequestCustody) != 0,
         .bytes = bundle.head.size,
         .expires = bundle.head.expiry,
         .destination = {destination.begin(), destination.end()},
         .head = {beginning.begin(), beginning.end()}},
        disks);
    row["bundle"] = name_of(bundle.at.number);
    if (const auto *const stripe = bundle.stripe()) {
        row["stripe"] = stripe->number + 1;
        row["stripes"] = stripe->count;
        row["bundleBytes"] = stripe->bundle_bytes;
    }
    if (const auto *const piece = bundle.piece()) {
        row["pieceOffset"] = piece->offset;
        row["bundleBytes"] = piece->bundle_bytes;
    }
    return row;
}

nlohmann::ordered_json to_json(const StoredBundle &bundle) {
    nlohmann::ordered_json object;
    object["record"] = name_of(bundle.at.number);
    object["offset"] = bundle.at.offset;
    object["destination"] = bundle.destination;
    object["priority"] = priority_name(bundle.head.priority);
    object["sizeBytes"] = bundle.head.size;
    object["arrival"] = bundle.head.arrival;
    object["receivedDtnMilliseconds"] = bundle.head.received;
    object["expiresDtnMilliseconds"] = nullptr;
    if (bundle.head.expiry != kDtnNever) object["expiresDtnMilliseconds"] = bundle.head.expiry;
    object["damaged"] = bundle.damaged;
    if (const auto *const stripe = bundle.stripe()) {
        object["stripe"] = stripe->number + 1;
        object["stripes"] = stripe->count;
        object["bundleBytes"] = stripe->bundle_bytes;
    }
    if (const auto *const piece = bundle.piece()) {
        object["pieceOffset"] = piece->offset;
        object["bundleBytes"] = piece->bundle_bytes;
    }
    return object;
}

void add_fields(nlohmann::ordered_json &to, ByteView bundle, bool first_piece) {
    const std::span slices(&bundle, 1);
    const auto view = first_piece ? bp::ArrivingBundle().begin(slices) : bp::parse(slices);
    if (!view) return;
    to["bundleId"] = bp::to_string(bp::id_of(*view));
    to["bundleProtocolVersion"] = view->version;
    to["source"] = bp::to_string(view->source);
    to["reportTo"] = bp::to_string(view->report_to);
    to["creationTime"] = view->creation_time;
    to["creationSequence"] = view->sequence;
    to["lifetimeMilliseconds"] = view->lifetime_ms;
    to["flags"] = view->flags;
    to["payloadBytes"] = view->payload_length;
    to["administrativeRecord"] = view->is_admin_record;
    if (view->is_fragment) {
        to["fragmentOffset"] = view->fragment_offset;
        to["totalApplicationDataUnitBytes"] = view->total_adu_length;
    }
    if (view->has_age) to["bundleAgeMilliseconds"] = view->age_ms;
    if (view->has_hop_count) {
        to["hopCount"] = view->hop_count;
        to["hopLimit"] = view->hop_limit;
    }
}

void print_line(const nlohmann::ordered_json &object) {
    // Names come from peers and may contain any octets.
    std::puts(object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace).c_str());
}

void print_fields(const nlohmann::ordered_json &object) {
    constexpr std::string_view kTime = "DtnMilliseconds";
    for (const auto &[name, value] : object.items()) {
        std::string_view shown = name;
        std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
        if (shown.ends_with(kTime)) {
            shown.remove_suffix(kTime.size());
            text = time_text(value.is_null() ? kDtnNever : value.get<DtnTime>());
        } else if (value.is_string()) {
            text = text.substr(1, text.size() - 2);  // escaped, without its quotes
        }
        std::printf("%-30.*s %s\n", static_cast<int>(shown.size()), shown.data(), text.c_str());
    }
}

namespace {

/// Which part of its bundle the record is.
std::string part_text(const StoredBundle &bundle) {
    if (const auto *const stripe = bundle.stripe())
        return "  stripe " + std::to_string(stripe->number + 1) + " of " +
               std::to_string(stripe->count);
    if (const auto *const piece = bundle.piece())
        return "  piece at " + std::to_string(piece->offset) + " of " +
               std::to_string(piece->bundle_bytes);
    return {};
}

}  // namespace

void print_table(const std::vector<StoredBundle> &bundles) {
    std::printf("%-14s %-24s %-10s %12s  %-20s  %s\n", "RECORD", "DESTINATION", "PRIORITY", "BYTES",
                "RECEIVED", "EXPIRES");
    for (const StoredBundle &bundle : bundles) {
        // Control characters of a name must not reach the terminal.
        std::string destination = bundle.destination;
        std::ranges::replace_if(destination, [](char c) { return c < ' ' || c > '~'; }, '?');
        std::printf("%-14s %-24s %-10s %12llu  %-20s  %s%s%s\n", name_of(bundle.at.number).c_str(),
                    destination.c_str(), priority_name(bundle.head.priority).data(),
                    static_cast<unsigned long long>(bundle.head.size),
                    time_text(bundle.head.received).c_str(), time_text(bundle.head.expiry).c_str(),
                    bundle.damaged ? "  damaged" : "", part_text(bundle).c_str());
    }
}

}  // namespace farlink::ctl
