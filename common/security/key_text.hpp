// SPDX-License-Identifier: Apache-2.0
// Changes the text of a key file: a new key, and the end of one.
// Plain functions on texts with secrets, which the caller wipes.
// Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/security/keys.hpp"

namespace farlink::security {

/// A section for the key, as parse_keys() reads it.
[[nodiscard]] std::string key_section(const Key &key);

/// The text with `ends` as the end of a key; empty when there is none with that id.
[[nodiscard]] std::optional<std::string> with_end(std::string_view text, std::string_view id,
                                                  DtnTime ends);

/// The algorithm with that name in key files.
[[nodiscard]] std::optional<bp::bpsec::KeyAlgorithm> algorithm_named(std::string_view name);
/// Octets of a new key: as many as the output of the hash, or the key of the cipher.
[[nodiscard]] std::size_t usual_key_bytes(bp::bpsec::KeyAlgorithm algorithm);
/// "sign verify"
[[nodiscard]] std::string_view uses_in_words(unsigned uses);

}  // namespace farlink::security
