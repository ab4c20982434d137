// SPDX-License-Identifier: Apache-2.0
// Makes the links that a configuration names, by the scheme of their URLs.
// The links belong to the caller and live on its loop.
// Plain functions, called on the loop's thread.
#pragma once

#include <memory>

#include "cla/host/resources.hpp"
#include "common/config/node_config.hpp"

namespace farlink::cla {

/// The configuration has been checked: its scheme is known.
[[nodiscard]] std::unique_ptr<Induct> make_induct(LinkResources resources,
                                                  const config::InductConfig &config);
/// `seed` draws the jitter of reconnections.
[[nodiscard]] std::unique_ptr<Outduct> make_outduct(LinkResources resources,
                                                    const config::OutductConfig &config,
                                                    std::uint64_t seed);

}  // namespace farlink::cla
