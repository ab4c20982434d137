// SPDX-License-Identifier: Apache-2.0
// Streams to and from one peer: the listening end opens one for each connection that it accepts,
// the other end connects to the target for each stream that is opened.
// Owned by a Tunnel; on its loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "apps/bptunnel/core/stream_table.hpp"
#include "apps/bptunnel/peer/peer_end.hpp"
#include "apps/bptunnel/peer/peer_link.hpp"
#include "apps/bptunnel/stream_connection.hpp"

namespace farlink::bptunnel {

struct TcpTarget {
    std::string host;
    std::string port;
};

class TcpEnd : public PeerEnd, public StreamOwner, public std::enable_shared_from_this<TcpEnd> {
public:
    using tcp = boost::asio::ip::tcp;

    /// No `target`: the listening end. `on_place`: a stream has ended.
    TcpEnd(std::shared_ptr<PeerLink> link, std::shared_ptr<Counters> counters, StreamLimits limits,
           boost::asio::any_io_executor executor, std::optional<TcpTarget> target,
           std::function<void()> on_place)
        : link_(std::move(link)),
          counters_(std::move(counters)),
          streams_(limits, !target),
          executor_(executor),
          timer_(executor),
          target_(std::move(target)),
          on_place_(std::move(on_place)) {}

    void start() { watch(); }
    [[nodiscard]] bool full() const { return streams_.full(); }
    /// A connection of an application, which is not full().
    void accept(tcp::socket socket);

    void greet() override { link_->hello(); }
    void take(const Head &head, Bytes adu) override;
    void handle_room() override;
    [[nodiscard]] bool idle() const override { return streams_.size() == 0; }
    [[nodiscard]] std::size_t open_streams() const override { return streams_.size(); }
    void finish() override;

    [[nodiscard]] std::uint64_t may_send(std::uint32_t stream) const override;
    void send(std::uint32_t stream, ByteView octets) override;
    void send_end(std::uint32_t stream) override;
    [[nodiscard]] Bytes take_ready(std::uint32_t stream) override;
    void used(std::uint32_t stream, std::size_t bytes) override;
    [[nodiscard]] bool ended(std::uint32_t stream) const override;
    void finished(std::uint32_t stream) override;
    void broken(std::uint32_t stream) override;

private:
    using Connection = std::shared_ptr<StreamConnection>;

    void take_messages(ByteView messages);
    void handle(const StreamEvent &event);
    void connect(std::uint32_t stream);
    void reset(std::uint32_t stream, ResetReason reason);
    /// The application's side of a stream that is gone.
    void drop(std::uint32_t stream);
    /// All streams are of a session that has ended.
    void drop_all();
    void watch();
    void count();

    std::shared_ptr<PeerLink> link_;
    std::shared_ptr<Counters> counters_;
    StreamTable streams_;
    boost::asio::any_io_executor executor_;
    MonotonicTimer timer_;
    std::optional<TcpTarget> target_;
    std::function<void()> on_place_;
    std::map<std::uint32_t, Connection> connections_;
    StreamFaults counted_;
};

}  // namespace farlink::bptunnel
