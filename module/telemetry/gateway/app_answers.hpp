// SPDX-License-Identifier: Apache-2.0
// What became of a bundle as an answer of the API, and what is sent as a message of AAP.
// Plain functions on values; any thread.
// Names of bundles come from peers: header fields have visible ASCII only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <farlink/client/types.hpp>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "module/telemetry/api/request/app_request.hpp"
#include "module/telemetry/api/request/call.hpp"

namespace farlink::telemetry {

/// Without its payload.
[[nodiscard]] client::Message message_of(const SendRequest &request);
/// 201 with the bundle's id.
[[nodiscard]] Answer created(const client::BundleId &id);
/// `open`: the node may have accepted it.
[[nodiscard]] Answer answer_of(const client::Sent &sent, bool open);
[[nodiscard]] Answer answer_of(const client::Error &error);
/// The fields that describe a received bundle; the payload is not part of it.
[[nodiscard]] Answer lease_answer(const client::Adu &adu, const std::string &lease, Duration ends);
/// Other octets than visible ASCII as in a URI, `%0A`.
[[nodiscard]] std::string field_text(std::string_view text);

}  // namespace farlink::telemetry
