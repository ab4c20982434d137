// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/storage_replies.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/bp/parse.hpp"
#include "common/json/exact_number.hpp"
#include "common/json/moment.hpp"
#include "module/control/core/json/base64.hpp"
#include "module/control/core/json/contact_json.hpp"
#include "module/control/core/json/replies.hpp"
#include "module/control/core/json/route_replies.hpp"
#include "module/storage/disk/record_number.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNamedRecords = 1000;
constexpr std::size_t kMostEndpointBytes = 1024;
constexpr std::uint64_t kMsPerSecond = 1000;
/// What storage gives at a time.
constexpr std::uint32_t kMostPieceBytes = 256 * 1024;
constexpr std::uint64_t kMostStripes = 16;
/// Of a verification.
constexpr std::uint64_t kLeastRate = 4096;
constexpr std::uint64_t kMostRate = 1'000'000'000'000;

Json malformed(const std::string &error) {
    return error_reply(Refusal::kMalformed, error);
}

/// As text or as a number, from 1.
std::optional<std::uint64_t> name_in(const Json &value) {
    if (value.is_number_unsigned() && value != 0U) return value.get<std::uint64_t>();
    if (!value.is_string()) return std::nullopt;
    const auto &text = value.get_ref<const std::string &>();
    std::uint64_t name = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), name);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || name == 0)
        return std::nullopt;
    return name;
}

/// A number from 0 to `most`, as text or as a number; `value` stays where there is none.
template <class Integer>
bool read_number(const Json &request, const char *key, std::uint64_t most, Integer &value) {
    const auto found = request.find(key);
    if (found == request.end()) return true;
    const bool zero = *found == 0U || *found == "0";
    const auto number = zero ? std::optional<std::uint64_t>(0) : name_in(*found);
    if (!number || *number > most) return false;
    value = static_cast<Integer>(*number);
    return true;
}

Json piece_refusal(const bus::BundlePieceRequest &request, bus::PieceFault fault) {
    switch (fault) {
        case bus::PieceFault::kNone:
            break;
        case bus::PieceFault::kGone:
            return error_reply(
                Refusal::kNotFound,
                "no such bundle: the bundle was sent or deleted, or the number belongs to an "
                "earlier run of the node; `storage list` shows the numbers");
        case bus::PieceFault::kWriting:
            return error_reply(Refusal::kConflict, "the bundle is being written; try again");
        case bus::PieceFault::kBeyondEnd:
            // Only a bundle without a record of its own has no first octet.
            if (request.stripe == 0 && request.offset == 0)
                return error_reply(
                    Refusal::kConflict,
                    "the bundle is stored as fragments, which are joined as it leaves: it cannot "
                    "be read as one bundle");
            return error_reply(Refusal::kInvalid,
                               "`stripe` or `offset`: found a value after the end of the bundle");
        case bus::PieceFault::kDamaged:
            return error_reply(
                Refusal::kConflict,
                "the record of the bundle on disk is damaged; `storage verify` checks all records");
        case bus::PieceFault::kIoError:
            return error_reply(Refusal::kConflict,
                               "the disk cannot read the bundle; see the log of the system");
        case bus::PieceFault::kTooMany:
            return error_reply(Refusal::kUnavailable,
                               "too many requests for the store are queued; try again");
    }
    return {};
}

std::string read_destination(const Json &request, bus::StoreRequest &asked) {
    const auto found = request.find("destination");
    if (found == request.end()) return {};
    const std::string text = found->is_string() ? found->get<std::string>() : std::string();
    if (text.size() > kMostEndpointBytes || !bp::EidPattern::parse(text))
        return "`destination`: expected an endpoint, such as \"ipn:20.1\", or all endpoints of a "
               "node, such as \"ipn:20.*\"";
    asked.destination.assign(text.begin(), text.end());
    return {};
}

std::string read_names(const Json &request, bus::StoreRequest &asked) {
    constexpr const char *kExpected =
        "`bundles`: expected a list of 1 to 1000 numbers of bundles, as in `storage list`";
    const auto found = request.find("bundles");
    if (found == request.end()) return {};
    if (!found->is_array() || found->empty() || found->size() > kMostNamedRecords) return kExpected;
    for (const Json &each : *found) {
        const auto name = name_in(each);
        if (!name) return kExpected;
        asked.bundles.push_back(*name);
    }
    return {};
}

std::string_view name_of(bus::StoredState state) {
    switch (state) {
        case bus::StoredState::kWaiting:
            return "waiting";
        case bus::StoredState::kLeaving:
            return "leaving";
        case bus::StoredState::kInCustody:
            return "inCustody";
        case bus::StoredState::kExceedsContacts:
            return "aside";
        case bus::StoredState::kRefused:
            return "refused";
        case bus::StoredState::kGathered:
            return "fragment";
        case bus::StoredState::kTooLarge:
            return "tooLarge";
        case bus::StoredState::kUnreadable:
            return "unreadable";
    }
    return {};
}

const char *name_of(bus::TaskState state) {
    switch (state) {
        case bus::TaskState::kNever:
            return "never";
        case bus::TaskState::kRunning:
            return "running";
        case bus::TaskState::kDone:
            return "done";
        case bus::TaskState::kCancelled:
            return "cancelled";
    }
    return "";
}

/// The fields that only the head of the bundle has.
void add_primary(const bp::BundleView &view, Json &row) {
    constexpr std::uint8_t kVersion6 = 6;
    row["version"] = view.version;
    row["source"] = bp::to_string(view.source);
    const std::uint64_t unit_ms = view.version == kVersion6 ? kMsPerSecond : 1;
    const bool known = view.creation_time != 0 && view.creation_time <= kDtnNever / unit_ms;
    row["created"] = known ? moment(view.creation_time * unit_ms) : Json();
    row["sequence"] = exact_json(view.sequence);
    if (view.is_fragment)
        row["fragment"] = {{"offset", exact_json(view.fragment_offset)},
                           {"totalBytes", exact_json(view.total_adu_length)}};
}

Json lost_file_json(const bus::LostFile &lost, const config::StorageConfig &config) {
    Json file{{"disk", nullptr}, {"file", lost.file}, {"records", lost.records}, {"cut", lost.cut}};
    if (lost.disk < config.disks.size()) file["disk"] = config.disks[lost.disk].name;
    if (lost.cut) file["bytes"] = lost.bytes;
    if (lost.expected_bytes != 0) file["expectedBytes"] = lost.expected_bytes;
    return file;
}

}  // namespace

Result<bus::StoreRequest, Json> store_request_of(const Json &request, std::uint32_t usual,
                                                 std::uint32_t most) {
    bus::StoreRequest asked;
    asked.limit = usual;
    if (auto wrong = read_destination(request, asked); !wrong.empty())
        return fail(error_reply(Refusal::kInvalid, wrong));
    if (auto wrong = read_names(request, asked); !wrong.empty()) return fail(malformed(wrong));
    if (const auto after = request.find("after"); after != request.end()) {
        const auto name = name_in(*after);
        if (!name) return fail(malformed("`after`: expected the number of a bundle, as in `next`"));
        asked.after = *name;
    }
    if (const auto limit = request.find("limit"); limit != request.end()) {
        if (!limit->is_number_unsigned() || *limit == 0U || limit->get<std::uint64_t>() > most)
            return fail(
                error_reply(Refusal::kInvalid,
                            "`limit`: expected a whole number from 1 to " + std::to_string(most)));
        asked.limit = limit->get<std::uint32_t>();
    }
    if (const auto force = request.find("force"); force != request.end()) {
        if (!force->is_boolean()) return fail(malformed("`force`: expected true or false"));
        asked.force = force->get<bool>();
    }
    return asked;
}

Result<bus::BundlePieceRequest, Json> piece_request_of(const Json &request) {
    bus::BundlePieceRequest asked;
    asked.limit = kMostPieceBytes;
    const auto bundle = request.find("bundle");
    const auto name = bundle != request.end() ? name_in(*bundle) : std::nullopt;
    if (!name)
        return fail(malformed("`bundle`: expected the number of a bundle, as in `storage list`"));
    asked.bundle = *name;
    if (!read_number(request, "stripe", kMostStripes - 1, asked.stripe))
        return fail(
            error_reply(Refusal::kInvalid, "`stripe`: expected a whole number from 0 to 15"));
    if (!read_number(request, "offset", ~std::uint64_t{0}, asked.offset))
        return fail(error_reply(Refusal::kInvalid, "`offset`: expected a whole number of bytes"));
    if (!read_number(request, "limit", kMostPieceBytes, asked.limit) || asked.limit == 0)
        return fail(
            error_reply(Refusal::kInvalid, "`limit`: expected a whole number of bytes, from 1 to " +
                                               std::to_string(kMostPieceBytes)));
    return asked;
}

Json piece_json(const bus::BundlePieceRequest &request, const bus::BundlePiece &piece) {
    if (piece.fault != bus::PieceFault::kNone) return piece_refusal(request, piece.fault);
    std::array<char, 9> crc{};
    std::snprintf(crc.data(), crc.size(), "%08x", static_cast<unsigned>(piece.crc32c));
    if (piece.stripes == bus::BundlePiece::kInPieces)
        return {{"ok", true},
                {"bundle", std::to_string(request.bundle)},
                {"bundleBytes", piece.bundle_bytes},
                {"stripes", 1},
                {"stripe", 0},
                {"stripeBytes", piece.bundle_bytes},
                {"pieceEnd", piece.stripe_bytes},
                {"pieceCrc32c", crc.data()},
                {"offset", request.offset},
                {"octets", to_base64(piece.octets)},
                {"more", request.offset + piece.octets.size() < piece.bundle_bytes}};
    const bool ends = request.offset + piece.octets.size() >= piece.stripe_bytes;
    return {{"ok", true},
            {"bundle", std::to_string(request.bundle)},
            {"bundleBytes", piece.bundle_bytes},
            {"stripes", piece.stripes},
            {"stripe", request.stripe},
            {"stripeBytes", piece.stripe_bytes},
            {"stripeCrc32c", crc.data()},
            {"offset", request.offset},
            {"octets", to_base64(piece.octets)},
            {"more", !ends || request.stripe + 1 < piece.stripes}};
}

Result<bus::StoreTaskRequest, Json> task_request_of(const Json &request) {
    const auto command = request.value("command", std::string());
    bus::StoreTaskRequest asked;
    if (command.starts_with("storage compact")) asked.task = bus::StoreTask::kCompact;
    asked.verb = command.ends_with(" show")     ? bus::TaskVerb::kShow
                 : command.ends_with(" cancel") ? bus::TaskVerb::kCancel
                                                : bus::TaskVerb::kStart;
    const auto rate = request.find("rateBytesPerSec");
    if (rate == request.end()) return asked;
    if (!rate->is_number_unsigned() || *rate < kLeastRate || *rate > kMostRate)
        return fail(
            error_reply(Refusal::kInvalid,
                        "`rateBytesPerSec`: expected a whole number of bytes per second, from " +
                            std::to_string(kLeastRate) + " to " + std::to_string(kMostRate)));
    asked.rate_bytes_per_s = rate->get<std::uint64_t>();
    return asked;
}

Json task_json(const bus::StoreTaskRequest &request, const bus::StoreTaskReply &reply,
               const config::StorageConfig &config) {
    const bool verifies = reply.task == bus::StoreTask::kVerify;
    if (reply.refused) {
        const std::string command = verifies ? "`storage verify" : "`storage compact";
        return error_reply(
            Refusal::kConflict,
            request.verb == bus::TaskVerb::kStart
                ? "already running; see " + command + " show`, end it with " + command + " cancel`"
                : "not running");
    }
    Json task{{"state", name_of(reply.state)},
              {"started", reply.started == 0 ? Json() : moment(reply.started)},
              {"ended", reply.ended == 0 ? Json() : moment(reply.ended)}};
    if (!verifies) {
        task["movedRecords"] = reply.bundles;
        task["movedBytes"] = reply.bytes;
        task["files"] = reply.files;
        task["freedBytes"] = reply.freed_bytes;
        return {{"ok", true}, {"compaction", std::move(task)}};
    }
    task["rateBytesPerSec"] = reply.rate_bytes_per_s;
    task["bundles"] = reply.bundles;
    task["bundlesInAll"] = reply.bundles_in_all;
    task["bytes"] = reply.bytes;
    task["bytesInAll"] = reply.bytes_in_all;
    task["damaged"] = reply.damaged;
    Json damages = Json::array();
    for (const bus::RecordDamage &damage : reply.damages)
        damages.push_back(
            {{"bundle", std::to_string(damage.bundle)},
             {"disk",
              damage.disk < config.disks.size() ? Json(config.disks[damage.disk].name) : Json()},
             {"record", storage::name_of(damage.record)},
             {"bytes", damage.bytes},
             {"why", damage.io_error ? "ioError" : "checksum"}});
    task["damages"] = std::move(damages);
    task["lostFiles"] = Json::array();
    for (const bus::LostFile &lost : reply.lost_files)
        task["lostFiles"].push_back(lost_file_json(lost, config));
    return {{"ok", true}, {"verification", std::move(task)}};
}

Json stored_json(const bus::StoredBundle &bundle, const config::StorageConfig &config) {
    Json row{{"bundle", std::to_string(bundle.bundle)},
             {"state", name_of(bundle.state)},
             {"destination", nullptr},
             {"priority", name_of(bundle.priority)},
             {"custody", bundle.custody},
             {"bytes", bundle.bytes},
             {"expires", moment(bundle.expires)},
             {"disk", nullptr}};
    // The head of an unreadable bundle is not known.
    if (!bundle.destination.empty()) row["destination"] = as_text(bundle.destination);
    if (bundle.disk < config.disks.size()) row["disk"] = config.disks[bundle.disk].name;
    if (bundle.head.empty()) return row;
    if (const auto view = bp::parse_primary(bundle.head)) add_primary(*view, row);
    return row;
}

Json set_json(const bus::StoredSet &set) {
    const bool complete = set.state != bus::StoredState::kGathered;
    Json row{{"set", std::to_string(set.set)},
             {"state", complete ? name_of(set.state) : "incomplete"},
             {"complete", complete},
             {"destination", nullptr},
             {"totalBytes", exact_json(set.total_bytes)},
             {"storedBytes", exact_json(set.stored_bytes)},
             {"fragments", set.fragments},
             {"gaps", set.gaps}};
    if (!set.first.destination.empty()) row["destination"] = as_text(set.first.destination);
    Json missing = Json::array();
    for (const bus::MissingRange &range : set.missing)
        missing.push_back({{"from", exact_json(range.from)}, {"to", exact_json(range.to)}});
    row["missing"] = std::move(missing);
    row["expires"] = moment(set.first.expires);
    row["firstFragment"] = std::to_string(set.first.bundle);
    if (set.first.head.empty()) return row;
    if (const auto view = bp::parse_primary(set.first.head)) add_primary(*view, row);
    row.erase("fragment");
    return row;
}

}  // namespace farlink::control
