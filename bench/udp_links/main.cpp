// SPDX-License-Identifier: Apache-2.0
// The rate of the UDP links alone: an outduct and an induct on the loopback interface, a thread
// each. Usage: udp_links [bundle bytes] [seconds] [bits per second, 0: unlimited]
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "cla/udp/udp_induct.hpp"
#include "cla/udp/udp_outduct.hpp"
#include "common/runtime/clock.hpp"

namespace {

using namespace farlink;

constexpr std::size_t kHeadBytes = 100;  ///< the head that egress renders for each bundle
constexpr std::uint32_t kSlabBytes = 256 * 1024;

double thread_cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_THREAD, &used);
    const auto seconds_of = [](const timeval &time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
}

/// A loop with its memory, and a host that counts.
struct Side final : cla::LinkHost {
    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_bundles(LinkId, UpstreamId, ReceivedBundles &received) override {
        bundles += received.bundles.size();
        for (const ReceivedBundle &bundle : received.bundles) bytes += bundle.size;
        ++reads;
    }
    void on_state(LinkId, cla::LinkState state, cla::LinkFault) override {
        connected = state == cla::LinkState::kConnected;
    }
    void on_transmitted(LinkId, std::uint64_t token) override { bundles = token; }
    void on_writable(LinkId) override { writable = true; }

    [[nodiscard]] cla::LinkResources resources() { return {io, buffer, *this, next_upstream}; }

    boost::asio::io_context io{1};
    SlabPool pool{kSlabBytes, 64ULL * 1024 * 1024};
    ReadBuffer buffer{pool};
    std::uint32_t next_upstream = 0;
    std::uint64_t bundles = 0;
    std::uint64_t bytes = 0;
    std::uint64_t reads = 0;
    bool connected = false;
    bool writable = false;
};

class Source {
public:
    explicit Source(std::size_t bundle_bytes) : octets_(bundle_bytes, 0x55) {
        const ByteView view(octets_);
        const std::size_t head = std::min(kHeadBytes, octets_.size());
        for (TxBundle &bundle : group_) {
            bundle.head = view.first(head);
            bundle.body = view.subspan(head);
            bundle.size = view.size();
        }
    }
    /// Like egress: groups while there is credit, then a flush.
    void fill(cla::Outduct &outduct) {
        while (const std::uint64_t credit = outduct.transmit_credit()) {
            const std::size_t count = std::clamp<std::size_t>(
                (credit + octets_.size() - 1) / octets_.size(), 1, group_.size());
            for (std::size_t i = 0; i < count; ++i) group_[i].token = next_token_++;
            outduct.transmit({group_.data(), count});
            if (outduct.transmit_credit() == 0) break;
        }
        outduct.flush();
    }

private:
    Bytes octets_;
    std::array<TxBundle, 128> group_{};
    std::uint64_t next_token_ = 0;
};

double send_for(Duration length, std::uint16_t port, std::size_t size, BitRate rate, Side &side) {
    config::OutductConfig config;
    config.url = {"udp", "127.0.0.1", port, {}};
    config.reconnect_min = config.reconnect_max = milliseconds(100);
    config.rate_limit = rate;
    const auto outduct = cla::make_owned<cla::udp::UdpOutduct>(side.resources(), config, 1);
    Source source(size);
    outduct->open();
    while (!side.connected) side.io.run_one();
    const TimePoint end = monotonic_now() + length;
    const double cpu = thread_cpu_seconds();
    while (monotonic_now() < end) {
        source.fill(*outduct);
        side.io.restart();
        if (rate == BitRate{})
            side.io.poll();
        else
            side.io.run_one_for(milliseconds(10));
    }
    const double used = thread_cpu_seconds() - cpu;
    outduct->close();
    return used;
}

}  // namespace

int main(int argc, char **argv) {
    const auto argument = [&](int index, std::uint64_t otherwise) {
        return argc > index ? std::strtoull(argv[index], nullptr, 10) : otherwise;
    };
    const std::size_t size = argument(1, 1'000);
    const std::uint64_t length_s = argument(2, 3);
    const BitRate rate{argument(3, 4'000'000'000)};

    Side from;
    Side to;
    config::InductConfig config;
    config.url = {"udp", "127.0.0.1", 0, {}};
    config.max_bundle_size_bytes = 1'000'000;
    const auto induct = cla::make_owned<cla::udp::UdpInduct>(to.resources(), config);
    if (!induct->open()) return 1;

    std::atomic<bool> done = false;
    double receiver_cpu = 0;
    std::thread receiver([&] {
        while (!done) {
            to.io.restart();
            to.io.run_one_for(milliseconds(10));
        }
        to.io.restart();
        while (to.io.run_one_for(milliseconds(100)) > 0) to.io.restart();
        receiver_cpu = thread_cpu_seconds();
    });
    const double sender_cpu = send_for(seconds(length_s), induct->port(), size, rate, from);
    done = true;
    receiver.join();

    const auto per_second = static_cast<double>(to.bundles) / static_cast<double>(length_s);
    std::printf("%zu B: %.0f bundles/s, %.2f Gbit/s; sent %llu, received %llu, dropped %llu\n",
                size, per_second, per_second * static_cast<double>(size) * 8e-9,
                static_cast<unsigned long long>(from.bundles),
                static_cast<unsigned long long>(to.bundles),
                static_cast<unsigned long long>(induct->dropped()));
    std::printf("CPU seconds: sender %.2f, receiver %.2f; %.1f bundles a read\n", sender_cpu,
                receiver_cpu, static_cast<double>(to.bundles) / static_cast<double>(to.reads));
    return 0;
}
