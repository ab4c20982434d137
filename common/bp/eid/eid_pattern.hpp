// SPDX-License-Identifier: Apache-2.0
// Which endpoints a setting is about: one endpoint, all of a node, or all below a dtn name.
// Values; any thread.
// Written as an EID, or as one that ends in `*`: "ipn:10.1", "ipn:10.*", "dtn://node/*".
#pragma once

#include <optional>
#include <string_view>

#include "common/bp/eid/eid.hpp"

namespace farlink::bp {

class EidPattern {
public:
    /// Empty when it is neither an endpoint nor one with `*` at its end.
    [[nodiscard]] static std::optional<EidPattern> parse(std::string_view text);
    [[nodiscard]] bool matches(const EidView &endpoint) const;

private:
    Eid begin_;         ///< the endpoint, or what stands before `*`
    bool all_ = false;  ///< with `*`
};

}  // namespace farlink::bp
