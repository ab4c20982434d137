// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/storage_replies.hpp"

#include <charconv>
#include <optional>
#include <string_view>

#include "common/bp/bundle_view.hpp"
#include "common/bp/eid/eid_pattern.hpp"
#include "module/control/core/contact_json.hpp"
#include "module/control/core/replies.hpp"
#include "module/control/core/route_replies.hpp"

namespace farlink::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNamed = 1000;
constexpr std::size_t kMostEndpointBytes = 1024;
/// The largest whole number that is the same in all programs (RFC 8259 section 6).
constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53;
constexpr std::uint64_t kMsPerSecond = 1000;

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

std::string read_destination(const Json &request, bus::StoreRequest &asked) {
    const auto found = request.find("destination");
    if (found == request.end()) return {};
    const std::string text = found->is_string() ? found->get<std::string>() : std::string();
    if (text.size() > kMostEndpointBytes || !bp::EidPattern::parse(text))
        return "`destination`: expected an endpoint, such as \"ipn:20.1\", or all of a node, such "
               "as \"ipn:20.*\"";
    asked.destination.assign(text.begin(), text.end());
    return {};
}

std::string read_names(const Json &request, bus::StoreRequest &asked) {
    constexpr const char *kExpected =
        "`bundles`: expected a list of 1 to 1000 numbers of bundles, as `storage list` tells them";
    const auto found = request.find("bundles");
    if (found == request.end()) return {};
    if (!found->is_array() || found->empty() || found->size() > kMostNamed) return kExpected;
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
        case bus::StoredState::kUnreadable:
            return "unreadable";
    }
    return {};
}

/// What only the bundle itself knows.
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

}  // namespace

Json exact_json(std::uint64_t number) {
    return number <= kLargestExact ? Json(number) : Json(std::to_string(number));
}

Result<bus::StoreRequest, Json> store_request_of(const Json &request, std::uint32_t usual,
                                                 std::uint32_t most) {
    bus::StoreRequest asked;
    asked.limit = usual;
    if (auto wrong = read_destination(request, asked); !wrong.empty())
        return fail(error_reply(Refusal::kInvalid, wrong));
    if (auto wrong = read_names(request, asked); !wrong.empty()) return fail(malformed(wrong));
    if (const auto after = request.find("after"); after != request.end()) {
        const auto name = name_in(*after);
        if (!name)
            return fail(malformed("`after`: expected the number of a bundle, as `next` tells it"));
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
        if (!force->is_boolean()) return fail(malformed("`force` is neither true nor false"));
        asked.force = force->get<bool>();
    }
    return asked;
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
    // That of an unreadable bundle is not known.
    if (!bundle.destination.empty()) row["destination"] = as_text(bundle.destination);
    if (bundle.disk < config.disks.size()) row["disk"] = config.disks[bundle.disk].name;
    if (bundle.head.empty()) return row;
    if (const auto view = bp::parse_primary(bundle.head)) add_primary(*view, row);
    return row;
}

}  // namespace farlink::app
