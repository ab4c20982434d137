// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/storage_request.hpp"

#include <cstdint>
#include <utility>

#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/shared/control/control_client.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// All destinations.
constexpr const char *kEverything = "*:**";

}  // namespace

Json storage_request_of(const std::string &command, const StorageOptions &storage) {
    const bool shows = storage.verb == StorageVerb::kShow;
    Json request{{"command", shows ? "storage list" : command}};
    if (storage.held) request["destination"] = *storage.held;
    if (!storage.destination.empty()) request["destination"] = storage.destination;
    if (storage.all && !shows) request["destination"] = kEverything;
    // Bundle numbers are text, so that no JSON reader rounds them.
    if (!storage.bundles.empty()) request["bundles"] = storage.bundles;
    if (!storage.after.empty()) request["after"] = storage.after;
    if (storage.limit) request["limit"] = *storage.limit;
    if (storage.force) request["force"] = true;
    return request;
}

Result<Json, std::string> delete_all(const std::string &socket, Json request) {
    Json sum;
    for (;;) {
        auto reply = ask_node(socket, request);
        if (!reply || reply->at("ok") != true) return reply;
        if (!sum.is_null())
            for (const char *key : {"deleted", "deletedBytes", "kept", "keptInCustody"})
                (*reply)[key] = reply->at(key).get<std::uint64_t>() + sum[key].get<std::uint64_t>();
        sum = std::move(*reply);
        if (!is_true(sum, "more")) return sum;
        request["after"] = sum.at("next");
    }
}

}  // namespace farlink::ctl
