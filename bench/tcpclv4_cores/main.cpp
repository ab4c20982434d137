// SPDX-License-Identifier: Apache-2.0
// Bundles per second through two TCPCLv4 cores in one thread, without a connection between them:
// the cost of the protocol itself, both halves and their acknowledgements.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "cla/tcpcl/v4/core/session.hpp"
#include "common/runtime/clock.hpp"

namespace {

using namespace farlink;
using cla::SessionRole;
using cla::tcpclv4::Session;

constexpr std::size_t kBatch = 1024;
constexpr int kCallsPerRound = 4;

struct Best {
    void add(Duration took) { least = std::min(least, took); }
    [[nodiscard]] double each_ns() const {
        return static_cast<double>(least.count()) / (kBatch * kCallsPerRound);
    }
    Duration least = Duration::max();
};

cla::SessionConfig config_of(SessionRole role) {
    cla::SessionConfig config;
    config.role = role;
    config.node_id = "ipn:1.0";
    config.segment_mru = config.transfer_mru = config.max_segment = 16 * 1024 * 1024;
    config.max_unacknowledged = config.max_unsent = 64 * 1024 * 1024;
    config.max_transfers = 100'000;
    return config;
}

struct Side {
    explicit Side(SessionRole role) : buffer(pool), session(config_of(role), UpstreamId{0}) {}

    /// Reads what `from` writes.
    void read(Side &from) {
        TxQueue &queue = from.session.queue();
        std::array<iovec, 64> pieces;
        while (queue.pending() > 0) {
            const std::size_t count = queue.gather(pieces, 512 * 1024);
            MutableBytes space = session.prepare(buffer);
            std::size_t bytes = 0;
            for (std::size_t i = 0; i < count && bytes < space.size(); ++i) {
                const std::size_t part = std::min(pieces[i].iov_len, space.size() - bytes);
                std::memcpy(space.data() + bytes, pieces[i].iov_base, part);
                bytes += part;
            }
            queue.written(bytes);
            from.session.handle_written({});
            session.handle_bytes(bytes, buffer, received, {});
            const auto count_received = static_cast<std::uint32_t>(received.bundles.size());
            if (count_received > 0)
                session.handle_disposition(received.first_transfer, count_received,
                                           cla::TransferDisposition::kSafe, {});
            bundles += count_received;
            received.clear();
            handle_events();
        }
    }
    void handle_events() {
        while (const auto event = session.poll_event()) {
            if (event->kind == cla::SessionEvent::Kind::kPeerAnnounced)
                session.handle_identity(true, {});
            if (event->kind == cla::SessionEvent::Kind::kTransmitted) transmitted = event->token;
        }
    }

    SlabPool pool{1024 * 1024, std::uint64_t{64} * 1024 * 1024};
    ReadBuffer buffer;
    ReceivedBundles received;
    Session session;
    std::uint64_t bundles = 0;
    std::uint64_t transmitted = 0;
};

void measure(std::size_t bundle_bytes, std::size_t bundles) {
    Side sender(SessionRole::kActive);
    Side receiver(SessionRole::kPassive);
    sender.session.handle_connected({});
    receiver.session.handle_connected({});
    for (int i = 0; i < 3; ++i) {
        receiver.read(sender);
        sender.read(receiver);
    }
    const Bytes octets(bundle_bytes, 0x5a);
    const std::size_t head = std::min<std::size_t>(60, bundle_bytes / 2);
    std::vector<TxBundle> batch(kBatch);
    std::uint64_t token = 0;
    // The best round of each phase, so that other work on the machine counts least.
    Best sending;
    Best receiving;
    Best acknowledged;
    while (token < bundles) {
        Duration took[3]{};
        for (int call = 0; call < kCallsPerRound; ++call) {
            for (TxBundle &bundle : batch)
                bundle = {ByteView(octets).first(head),
                          ByteView(octets).subspan(head),
                          {},
                          bundle_bytes,
                          token++};
            const TimePoint start = monotonic_now();
            sender.session.handle_send(batch, {});
            const TimePoint sent = monotonic_now();
            receiver.read(sender);
            const TimePoint read = monotonic_now();
            sender.read(receiver);
            took[0] += sent - start;
            took[1] += read - sent;
            took[2] += monotonic_now() - read;
        }
        sending.add(took[0]);
        receiving.add(took[1]);
        acknowledged.add(took[2]);
    }
    if (receiver.bundles != token || sender.transmitted != token) std::abort();
    const double total = sending.each_ns() + receiving.each_ns() + acknowledged.each_ns();
    std::printf(
        "%7zu B: %7.3f M bundles/s, %8.1f ns each: send %.1f, receive and answer %.1f, "
        "take the answers %.1f\n",
        bundle_bytes, 1e3 / total, total, sending.each_ns(), receiving.each_ns(),
        acknowledged.each_ns());
}

}  // namespace

int main() {
    measure(100, 2'000'000);
    measure(1000, 500'000);
    measure(100'000, 20'000);
    return 0;
}
