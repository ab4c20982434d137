// SPDX-License-Identifier: Apache-2.0
// The endpoints that the holder of a token may use to send and to receive.
// Read with the token; a value that does not change.
// Any thread. What the node's own `applications.access` refuses stays refused.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/bp/eid/eid_pattern.hpp"

namespace farlink::telemetry {

class EndpointRights {
public:
    /// As written in the token file: endpoints or patterns.
    struct Texts {
        std::vector<std::string> receive;  ///< `register`
        std::vector<std::string> send_as;  ///< `sendAs`: beside those of `register`
        std::vector<std::string> send_to;  ///< `sendTo`; empty: everywhere

        [[nodiscard]] bool empty() const {
            return receive.empty() && send_as.empty() && send_to.empty();
        }
        friend bool operator==(const Texts &, const Texts &) = default;
    };

    /// The error names the text that is no endpoint and no pattern.
    [[nodiscard]] static Result<EndpointRights, std::string> parse(const Texts &texts);
    /// Every endpoint.
    [[nodiscard]] static EndpointRights all();

    [[nodiscard]] bool may_receive(const bp::EidView &endpoint) const;
    [[nodiscard]] bool may_send_as(const bp::EidView &source) const;
    [[nodiscard]] bool may_send_to(const bp::EidView &destination) const;

private:
    std::vector<bp::EidPattern> receive_;
    std::vector<bp::EidPattern> send_as_;
    std::vector<bp::EidPattern> send_to_;
};

}  // namespace farlink::telemetry
