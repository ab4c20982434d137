// SPDX-License-Identifier: Apache-2.0
// Makes the links that a configuration names, by the scheme of their URLs.
// The links belong to the caller and live on its loop.
// Plain functions, called on the loop's thread; check_link() on any.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cla/io/resources.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::cla {

/// The configuration has been checked: its scheme is known. A link whose TLS files cannot be used
/// is made all the same, but logs why, and does not open.
[[nodiscard]] std::unique_ptr<Induct> make_induct(LinkResources resources,
                                                  const config::InductConfig &config);
/// `seed` draws the jitter of reconnections.
[[nodiscard]] std::unique_ptr<Outduct> make_outduct(LinkResources resources,
                                                    const config::OutductConfig &config,
                                                    std::uint64_t seed);

/// What is wrong with a link's TLS, in one line that names the file; for a program to refuse to
/// start. Reads the files.
[[nodiscard]] std::optional<std::string> check_link(const config::InductConfig &config);
[[nodiscard]] std::optional<std::string> check_link(const config::OutductConfig &config);

}  // namespace farlink::cla
