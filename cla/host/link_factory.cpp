// SPDX-License-Identifier: Apache-2.0
#include "cla/host/link_factory.hpp"

#include "cla/stcp/stcp_induct.hpp"
#include "cla/stcp/stcp_outduct.hpp"

namespace farlink::cla {

std::unique_ptr<Induct> make_induct(LinkResources resources, const config::InductConfig &config) {
    FARLINK_INVARIANT(config.url.scheme == "stcp");
    return std::make_unique<stcp::StcpInduct>(resources, config);
}

std::unique_ptr<Outduct> make_outduct(LinkResources resources, const config::OutductConfig &config,
                                      std::uint64_t seed) {
    FARLINK_INVARIANT(config.url.scheme == "stcp");
    return std::make_unique<stcp::StcpOutduct>(resources, config, seed);
}

}  // namespace farlink::cla
