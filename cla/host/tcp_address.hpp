// SPDX-License-Identifier: Apache-2.0
// From a link's URL to a TCP endpoint to bind.
// A plain function that waits for the name service.
// Called on the loop's thread at start-up.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <optional>

#include "common/config/node_config.hpp"

namespace farlink::cla {

/// The first address that the host name stands for, looked up while the caller waits; empty when
/// there is none.
[[nodiscard]] std::optional<boost::asio::ip::tcp::endpoint> resolve_now(boost::asio::io_context &io,
                                                                        const config::LinkUrl &url);

}  // namespace farlink::cla
