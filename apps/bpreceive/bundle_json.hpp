// SPDX-License-Identifier: Apache-2.0
// A received bundle as a line of JSON.
// Plain functions.
// Any thread.
#pragma once

#include <farlink/client/types.hpp>
#include <string>

#include "common/base/bytes.hpp"

namespace farlink::bpreceive {

/// RFC 4648 section 4.
[[nodiscard]] std::string base64(ByteView octets);

/// `file`: where its payload is; empty: none. `with_payload`: the payload is in the line.
[[nodiscard]] std::string line_of(const client::Adu &adu, const std::string &file,
                                  bool with_payload);

}  // namespace farlink::bpreceive
