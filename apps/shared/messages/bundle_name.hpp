// SPDX-License-Identifier: Apache-2.0
// A bundle's id as text, and as the name of a file.
// Plain functions.
// Any thread.
#pragma once

#include <farlink/client/types.hpp>
#include <string>
#include <string_view>

namespace farlink::messages {

/// SOURCE/TIME/SEQUENCE, as everywhere; the source as it came if it is no endpoint.
[[nodiscard]] std::string id_text(const client::BundleId &id);

/// The id with a comma for each slash. Octets that would make it ambiguous or unprintable are
/// escaped as "%2C"; the end of a long name is replaced by a hash.
[[nodiscard]] std::string file_name(std::string_view id);

}  // namespace farlink::messages
