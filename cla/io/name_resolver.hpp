// SPDX-License-Identifier: Apache-2.0
// Looks up the address of a neighbour that datagrams go to, without waiting for the name service.
// Owned by an outduct; its loop's thread only.
// What an earlier attempt still reports is void, and it may report late: a name server that does
// not answer outlives the link.
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <functional>
#include <memory>

#include "common/config/node/node_config.hpp"

namespace farlink::cla {

class NameResolver {
public:
    using Found = boost::asio::ip::udp::resolver::results_type;

    explicit NameResolver(boost::asio::io_context &io) : resolver_(io) {}

    /// Calls `done` once with what was found, nothing where there is no address; unless cancel() or
    /// another resolve() comes first, or this object goes.
    void resolve(const config::LinkUrl &url, std::function<void(const Found &)> done);
    void cancel();

private:
    boost::asio::ip::udp::resolver resolver_;
    std::shared_ptr<std::uint64_t> attempt_ = std::make_shared<std::uint64_t>(0);
};

}  // namespace farlink::cla
