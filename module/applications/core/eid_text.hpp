// SPDX-License-Identifier: Apache-2.0
// Endpoint ids as text. Bundles of a flow have the same ones, so the last one is kept.
// Owned by Deliveries.
// One thread.
#pragma once

#include <string>

#include "common/bp/eid/eid.hpp"

namespace farlink::applications {

class EidText {
public:
    /// Valid until the next call.
    [[nodiscard]] const std::string &of(const bp::EidView &eid) {
        if (text_.empty() || eid_.view() != eid) {
            eid_ = bp::Eid(eid);
            text_ = bp::to_string(eid);
        }
        return text_;
    }

private:
    bp::Eid eid_;
    std::string text_;
};

}  // namespace farlink::applications
