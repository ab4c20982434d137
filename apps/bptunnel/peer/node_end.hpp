// SPDX-License-Identifier: Apache-2.0
// The end of a tunnel at the node: sends and receives ADUs, with a bound on what has no answer.
// Owned by a Tunnel; on its loop.
// An ADU of a stream that the node refuses for now is sent again; the order does not matter there.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <farlink/client/asio.hpp>
#include <functional>
#include <memory>
#include <string>

#include "apps/bptunnel/peer/counters.hpp"
#include "common/base/bytes.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::bptunnel {

struct NodeLimits {
    std::size_t most_bytes = std::size_t{16} << 20;  ///< under way, without an answer
    client::SendOptions with{};
};

class NodeEnd : public std::enable_shared_from_this<NodeEnd> {
public:
    struct Hooks {
        std::function<void(client::Adu)> on_adu;
        std::function<void()> on_room;                     ///< it was full
        std::function<void(const std::string &)> on_lost;  ///< once, with the reason
    };

    NodeEnd(boost::asio::any_io_executor executor, client::ConnectOptions options,
            NodeLimits limits, std::shared_ptr<Counters> counters)
        : executor_(executor),
          endpoint_(executor, std::move(options)),
          limits_(std::move(limits)),
          counters_(std::move(counters)) {}

    void start(Hooks hooks);
    void close();
    /// `keep`: it must arrive.
    void send(const std::string &to, Bytes adu, bool keep);
    [[nodiscard]] bool full() const { return under_way_ >= limits_.most_bytes; }
    [[nodiscard]] bool idle() const { return under_way_ == 0; }
    [[nodiscard]] const boost::asio::any_io_executor &executor() const { return executor_; }

private:
    struct Kept;

    void transmit(const std::string &to, Bytes adu, std::shared_ptr<Kept> kept);
    void handle_sent(const client::Sent &sent, std::size_t bytes,
                     const std::shared_ptr<Kept> &kept);
    void send_again(const std::shared_ptr<Kept> &kept);
    void answered(std::size_t bytes);
    void receive();
    void lose(const client::Error &error);

    boost::asio::any_io_executor executor_;
    client::AsioEndpoint endpoint_;
    NodeLimits limits_;
    std::shared_ptr<Counters> counters_;
    Hooks hooks_;
    std::size_t under_way_ = 0;
    bool waiting_ = false;  ///< with receiving, until the node has taken what it was given
};

}  // namespace farlink::bptunnel
