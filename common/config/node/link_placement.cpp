// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/link_placement.hpp"

#include <algorithm>

#include "common/config/link/links_together.hpp"

namespace farlink::config {

LinkPlacement::LinkPlacement(const NodeConfig &config)
    : instances_(config.threads.instances), applications_(config.applications.wanted()) {
    if (instances_ == 1) return;
    const auto place = [this](const auto &links) {
        std::size_t next = 0;
        for (const auto &link : links) {
            const std::size_t instance =
                link.instance == 0 ? next++ % instances_ : link.instance - 1;
            if (configured_.size() <= link.id.value()) configured_.resize(link.id.value() + 1);
            configured_[link.id.value()] = static_cast<std::uint8_t>(instance);
        }
    };
    place(config.inducts);
    place(config.outducts);
    // One module has both ends of the port.
    for (const OutductConfig &span : config.spans) {
        const auto induct = std::ranges::find_if(
            config.inducts, [&](const InductConfig &each) { return leaves_by(span, each); });
        if (induct == config.inducts.end()) continue;
        configured_.resize(std::max<std::size_t>(configured_.size(), span.id.value() + 1));
        configured_[span.id.value()] = configured_[induct->id.value()];
    }
}

}  // namespace farlink::config
