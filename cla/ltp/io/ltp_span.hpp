// SPDX-License-Identifier: Apache-2.0
// A configured neighbour, to which an LTP induct sends before the neighbour has sent anything.
// Owned by the induct; lives on its loop and is called there only.
// Looks up the neighbour's name until there is an address that the induct's port reaches.
#pragma once

#include <functional>
#include <string>

#include "cla/io/datagram_io.hpp"
#include "cla/io/name_resolver.hpp"
#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/io/link_timer.hpp"

namespace farlink::cla::ltp {

class LtpSpan {
public:
    /// `v4`: the induct's port is an IPv4 port.
    LtpSpan(boost::asio::io_context &io, config::LinkUrl url, EngineId engine, std::string node_id,
            bool v4);
    LtpSpan(const LtpSpan &) = delete;
    LtpSpan &operator=(const LtpSpan &) = delete;

    /// Calls `found` once, when the address is known.
    void find(std::function<void(const DatagramAddress &)> found);

    [[nodiscard]] const config::LinkUrl &url() const { return url_; }
    [[nodiscard]] EngineId engine() const { return engine_; }
    [[nodiscard]] const std::string &node_id() const { return node_id_; }

private:
    void look_up();
    void handle_resolved(const NameResolver::Found &entries);

    config::LinkUrl url_;
    EngineId engine_;
    std::string node_id_;
    bool v4_;
    NameResolver resolver_;
    Owned<LinkTimer> timer_;
    std::function<void(const DatagramAddress &)> found_;
};

}  // namespace farlink::cla::ltp
