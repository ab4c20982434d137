// SPDX-License-Identifier: Apache-2.0
// A neighbour that an LTP induct sends to first, by its own port: where it is.
// Owned by the induct; lives on its loop and is called there only.
// Its name is looked up until there is an address that the port reaches.
#pragma once

#include <functional>
#include <string>

#include "cla/io/datagram_io.hpp"
#include "cla/io/name_resolver.hpp"
#include "cla/ltp/core/codec/types.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::ltp {

class LtpSpan {
public:
    /// `v4`: the port is one of IPv4.
    LtpSpan(boost::asio::io_context &io, config::LinkUrl url, EngineId engine, std::string node_id,
            bool v4);

    /// Tells the address once it is known.
    void find(std::function<void(const DatagramAddress &)> found);

    [[nodiscard]] const config::LinkUrl &url() const { return url_; }
    [[nodiscard]] EngineId engine() const { return engine_; }
    [[nodiscard]] const std::string &node_id() const { return node_id_; }

private:
    void look_up();

    config::LinkUrl url_;
    EngineId engine_;
    std::string node_id_;
    bool v4_;
    NameResolver resolver_;
    MonotonicTimer timer_;
    std::function<void(const DatagramAddress &)> found_;
};

}  // namespace farlink::cla::ltp
