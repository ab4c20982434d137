// SPDX-License-Identifier: Apache-2.0
// Which rule of BPSec holds for a bundle, and why no earlier one does.
// A plain function on values.
// Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/bp/eid/eid.hpp"
#include "common/config/security/security_config.hpp"

namespace farlink::security {

/// A bundle, and how it comes.
struct Asked {
    bp::EidView source;
    bp::EidView destination;
    std::optional<std::uint32_t> link{};  ///< empty: by none, or any
};

/// Of one direction and context.
struct Explanation {
    config::SecurityDirection direction{};
    config::SecurityContext context{};
    std::optional<std::size_t> rule{};  ///< its place
    /// A line for each earlier rule: "rules[1] \"mars\": destination ipn:9.* does not match".
    std::vector<std::string> passed_over{};
};

/// All directions and contexts that have rules.
[[nodiscard]] std::vector<Explanation> explain(const config::SecurityConfig &security,
                                               const Asked &asked);
/// "verifies payload, primary with k1; required; on failure: dropBundle"
[[nodiscard]] std::string in_words(const config::SecurityRule &rule);
[[nodiscard]] std::string_view to_string(config::SecurityDirection direction);
[[nodiscard]] std::string_view to_string(config::SecurityContext context);

}  // namespace farlink::security
