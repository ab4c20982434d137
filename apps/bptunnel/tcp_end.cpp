// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/tcp_end.hpp"

#include <boost/asio/connect.hpp>
#include <utility>
#include <vector>

namespace farlink::bptunnel {
namespace {

using boost::asio::ip::tcp;

/// Between two looks for streams that are idle.
constexpr std::chrono::seconds kWatchPause{1};

/// Connects a stream to the target; the handlers keep it until then.
struct Attempt : std::enable_shared_from_this<Attempt> {
    using Done = std::function<void(bool connected)>;

    Attempt(const boost::asio::any_io_executor &executor, std::shared_ptr<StreamConnection> to,
            Done handler)
        : resolver(executor), connection(std::move(to)), done(std::move(handler)) {}

    void start(const TcpTarget &target) {
        resolver.async_resolve(
            target.host, target.port,
            [self = shared_from_this()](const auto &error, const tcp::resolver::results_type &at) {
                if (error) return self->done(false);
                boost::asio::async_connect(
                    self->connection->socket(), at,
                    [self](const auto &fault, const tcp::endpoint &) { self->done(!fault); });
            });
    }

    tcp::resolver resolver;
    std::shared_ptr<StreamConnection> connection;
    Done done;
};

}  // namespace

void TcpEnd::accept(tcp::socket socket) {
    const std::uint32_t stream = streams_.open(monotonic_now(), link_->records());
    link_->noted();
    ++counters_->streams;
    const auto connection =
        std::make_shared<StreamConnection>(std::move(socket), weak_from_this(), stream);
    connections_[stream] = connection;
    connection->start();
    count();
}

void TcpEnd::take(const Head &head, Bytes adu) {
    const Verdict verdict = link_->judge(head);
    if (verdict.stale || verdict.repeat) return;
    if (verdict.peer_changed || verdict.renewed) drop_all();
    if (verdict.for_earlier || head.kind != Kind::kStreams) return;
    take_messages(ByteView(adu).subspan(kHeadBytes));
}

void TcpEnd::take_messages(ByteView messages) {
    const auto events = streams_.take(messages, monotonic_now(), link_->records());
    link_->noted();
    for (const StreamEvent &event : events) handle(event);
    count();
}

void TcpEnd::handle(const StreamEvent &event) {
    if (event.type == StreamEvent::Type::kOpened) return connect(event.stream);
    if (event.type == StreamEvent::Type::kReset) return drop(event.stream);
    const auto found = connections_.find(event.stream);
    if (found == connections_.end()) return;
    const Connection connection = found->second;
    connection->move();
}

void TcpEnd::connect(std::uint32_t stream) {
    ++counters_->streams;
    const auto connection =
        std::make_shared<StreamConnection>(tcp::socket(executor_), weak_from_this(), stream);
    connections_[stream] = connection;
    const auto attempt = std::make_shared<Attempt>(
        executor_, connection, [weak = weak_from_this(), stream, connection](bool connected) {
            const auto self = weak.lock();
            if (!self) return;
            // It may have been reset meanwhile.
            const auto found = self->connections_.find(stream);
            if (found == self->connections_.end() || found->second != connection)
                return connection->close();
            if (!connected) return self->reset(stream, ResetReason::kNotConnected);
            connection->start();
        });
    attempt->start(*target_);
}

void TcpEnd::handle_room() {
    std::vector<Connection> all;
    for (const auto &[stream, connection] : connections_) all.push_back(connection);
    for (const Connection &connection : all) connection->move();
}

std::uint64_t TcpEnd::may_send(std::uint32_t stream) const {
    return link_->full() ? 0 : streams_.may_send(stream);
}

void TcpEnd::send(std::uint32_t stream, ByteView octets) {
    counters_->stream_bytes_in += octets.size();
    streams_.send(stream, octets, monotonic_now(), link_->records());
    link_->noted();
}

void TcpEnd::send_end(std::uint32_t stream) {
    streams_.send_end(stream, link_->records());
    link_->noted();
}

Bytes TcpEnd::take_ready(std::uint32_t stream) {
    return streams_.take_ready(stream);
}

void TcpEnd::used(std::uint32_t stream, std::size_t bytes) {
    counters_->stream_bytes_out += bytes;
    streams_.used(stream, bytes, monotonic_now(), link_->records());
    link_->noted();
}

bool TcpEnd::ended(std::uint32_t stream) const {
    return streams_.ended(stream);
}

void TcpEnd::finished(std::uint32_t stream) {
    streams_.close(stream);
    const auto found = connections_.find(stream);
    if (found == connections_.end()) return;
    found->second->close();
    connections_.erase(found);
    count();
    if (on_place_) on_place_();
}

void TcpEnd::broken(std::uint32_t stream) {
    reset(stream, ResetReason::kBroken);
}

void TcpEnd::reset(std::uint32_t stream, ResetReason reason) {
    streams_.reset(stream, reason, link_->records());
    link_->noted();
    drop(stream);
}

void TcpEnd::drop(std::uint32_t stream) {
    const auto found = connections_.find(stream);
    if (found == connections_.end()) return;
    ++counters_->reset_streams;
    found->second->abort();
    connections_.erase(found);
    count();
    if (on_place_) on_place_();
}

void TcpEnd::drop_all() {
    link_->forget();
    for (const std::uint32_t stream : streams_.clear()) drop(stream);
}

void TcpEnd::finish() {
    std::vector<std::uint32_t> open;
    for (const auto &[stream, connection] : connections_) open.push_back(stream);
    for (const std::uint32_t stream : open) reset(stream, ResetReason::kBroken);
    link_->flush();
}

void TcpEnd::watch() {
    timer_.expires_after(kWatchPause);
    timer_.async_wait([weak = weak_from_this()](const auto &error) {
        const auto self = weak.lock();
        if (!self || error) return;
        const auto events = self->streams_.expire(monotonic_now(), self->link_->records());
        self->link_->noted();
        for (const StreamEvent &event : events) self->handle(event);
        self->count();
        self->watch();
    });
}

void TcpEnd::count() {
    const StreamFaults &now = streams_.faults();
    counters_->late_messages += now.ignored - counted_.ignored;
    counters_->refused_streams += now.refused - counted_.refused;
    counters_->faults += now.faults - counted_.faults;
    counted_ = now;
}

}  // namespace farlink::bptunnel
