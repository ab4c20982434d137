// SPDX-License-Identifier: Apache-2.0
// Keys as options of tools name them: "FILE", or "FILE:ID" for one key of the file.
// Plain functions.
// Any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/bp/bpsec/secured_bundle.hpp"
#include "common/security/keys.hpp"

namespace farlink::traffic {

struct KeyChoice {
    std::string file;  ///< or a folder
    std::string id;    ///< empty: not given
};

/// A path that exists is a file, whatever colons it has.
[[nodiscard]] KeyChoice parse_key_choice(std::string_view text);

/// The only key that may be used so, as a source, at that time; an error is a sentence.
[[nodiscard]] Result<security::Key, std::string> choose_key(const KeyChoice &choice,
                                                            bp::bpsec::Service service,
                                                            DtnTime now);
/// The keys that may be used so by a verifier, whether they have ended or not.
[[nodiscard]] Result<std::vector<security::Key>, std::string> choose_keys(
    const KeyChoice &choice, bp::bpsec::Service service);

}  // namespace farlink::traffic
