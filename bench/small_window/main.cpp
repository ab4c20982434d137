// SPDX-License-Identifier: Apache-2.0
// small_window: a peer with few transfers in flight, over TCPCLv4 or TCPCLv3, in either manner.
// Usage: small_window LAYER PORT SECONDS WINDOW PAYLOAD_BYTES pieces|whole; prints a line of JSON.
// `pieces`: with Nagle's algorithm; the first two octets of each message and the rest are written
// separately, so its kernel keeps the rest until the two are acknowledged. `whole`: without it,
// each message in one piece. A stall is a wait of 30 ms or more for an answer: a kernel that delays
// its acknowledgement takes 40 ms. It uses a plain socket, since farlink's links never write in
// pieces.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "apps/shared/traffic/bundle_group.hpp"
#include "cla/tcpcl/v3/core/contact.hpp"
#include "cla/tcpcl/v3/core/message.hpp"
#include "cla/tcpcl/v4/core/message.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bench {
namespace {

namespace v3 = cla::tcpclv3;
namespace v4 = cla::tcpclv4;

constexpr Duration kStall = milliseconds(30);
constexpr int kAnswerLimitMs = 10'000;
constexpr std::string_view kNodeId = "ipn:1.0";
constexpr std::uint64_t kMru = 1 << 20;

[[noreturn]] void give_up(const char *what) {
    std::cerr << "small_window: " << what << '\n';
    std::exit(1);
}

struct Options {
    bool v4 = true;
    std::uint16_t port = 0;
    Duration duration{};
    std::uint64_t window = 0;
    std::uint64_t payload_bytes = 0;
    bool in_pieces = false;
};

class SmallWindow {
public:
    explicit SmallWindow(const Options &options)
        : options_(options),
          pattern_(entropy_seed()),
          bundles_(traffic::BundleTemplate::make(
                       {.source = bp::EidView{bp::EidScheme::kIpn, 1, 1, {}},
                        .destination = bp::EidView{bp::EidScheme::kIpn, 2, 1, {}},
                        .payload_bytes = options.payload_bytes},
                       pattern_)
                       .value()),
          group_(bundles_, pattern_) {
        header_.length_bytes = static_cast<std::uint32_t>(options.payload_bytes);
        header_.run = entropy_seed();
        header_.seed = pattern_.seed();
    }

    void run() {
        connect();
        say(opening());
        while (!open_) handle();
        const TimePoint begin = monotonic_now();
        const TimePoint end = begin + options_.duration;
        while (header_.total == 0) {
            if (monotonic_now() >= end) header_.total = header_.sequence + 1;
            send_one();
            while (header_.sequence - acknowledged_ >= options_.window) handle();
        }
        while (acknowledged_ < header_.sequence) handle();
        const auto took = std::chrono::duration<double>(monotonic_now() - begin).count();
        const nlohmann::json line{{"bundles", header_.sequence},
                                  {"seconds", took},
                                  {"stalls", stalls_},
                                  {"longest_wait_ms", to_ms(longest_)}};
        std::cout << line.dump() << '\n' << std::flush;
    }

private:
    static double to_ms(Duration duration) {
        return std::chrono::duration<double, std::milli>(duration).count();
    }
    void connect() {
        socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(options_.port);
        const auto *generic = reinterpret_cast<const sockaddr *>(&address);
        if (socket_ < 0 || ::connect(socket_, generic, sizeof address) != 0)
            give_up("no connection");
        const int at_once = options_.in_pieces ? 0 : 1;
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    }
    [[nodiscard]] Bytes opening() const {
        if (!options_.v4) return v3::encode_contact(v3::own_contact(std::string(kNodeId), {}));
        v4::SessionInit init;
        init.segment_mru = init.transfer_mru = kMru;
        init.node_id = kNodeId;
        Bytes octets(v4::kContactBytes + init.encoded_bytes());
        encode(encode(octets.data(), v4::ContactHeader{}), init);
        return octets;
    }
    void say(ByteView octets) const {
        while (!octets.empty()) {
            const ssize_t size = ::send(socket_, octets.data(), octets.size(), MSG_NOSIGNAL);
            if (size <= 0) give_up("the connection broke");
            octets = octets.subspan(static_cast<std::size_t>(size));
        }
    }
    void send_one() {
        header_.sent_unix_ns = unix_nanoseconds();
        group_.clear();
        group_.add(header_, header_.sequence);
        const ByteView bundle = group_.bundles().front().head;
        std::array<std::uint8_t, v4::kStartHeadBytes> head;
        std::size_t head_bytes = v4::kStartHeadBytes;
        if (options_.v4)
            encode(head.data(),
                   v4::Segment{
                       v4::kSegmentStart | v4::kSegmentEnd, header_.sequence, {}, bundle.size()});
        else
            head_bytes = v3::encode_head(v3::MessageType::kDataSegment, v3::kSegmentFlags,
                                         bundle.size(), head.data());
        ++header_.sequence;
        message_.assign(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(head_bytes));
        append(message_, bundle);
        constexpr std::size_t kFirst = 2;
        if (options_.in_pieces) say(ByteView(message_).first(kFirst));
        say(ByteView(message_).subspan(options_.in_pieces ? kFirst : 0));
    }

    /// Waits for an answer, and reads all available octets.
    void handle() {
        const TimePoint since = monotonic_now();
        pollfd polled{socket_, POLLIN, 0};
        if (::poll(&polled, 1, kAnswerLimitMs) != 1) give_up("no answer");
        const Duration waited = monotonic_now() - since;
        stalls_ += waited >= kStall ? 1 : 0;
        longest_ = std::max(longest_, waited);
        std::array<std::uint8_t, 4096> space;
        const ssize_t size = ::recv(socket_, space.data(), space.size(), 0);
        if (size <= 0) give_up("the connection broke");
        append(received_at_, ByteView(space).first(static_cast<std::size_t>(size)));
        ByteView rest = received_at_;
        while (!rest.empty()) {
            const std::size_t taken = options_.v4 ? take_v4(rest) : take_v3(rest);
            if (taken == 0 || taken > rest.size()) break;
            rest = rest.subspan(taken);
        }
        received_at_.erase(received_at_.begin(),
                           received_at_.end() - static_cast<std::ptrdiff_t>(rest.size()));
    }
    /// The octets of the first message, once it is complete.
    std::size_t take_v4(ByteView octets) {
        if (!contact_seen_) return see_contact(octets.size(), v4::kContactBytes);
        switch (static_cast<v4::MessageType>(octets[0])) {
            case v4::MessageType::kSessInit: {
                const std::size_t size = v4::session_init_extent(octets);
                open_ = v4::decode_session_init(octets).has_value();
                return open_ ? size : 0;
            }
            case v4::MessageType::kXferAck:
                acknowledged_ += octets.size() >= v4::kAckBytes ? 1 : 0;
                return v4::kAckBytes;
            case v4::MessageType::kKeepAlive:
                return 1;
            default:
                give_up("refused, or the session ends");
        }
    }
    std::size_t take_v3(ByteView octets) {
        if (!contact_seen_) {
            constexpr std::size_t kIdLengthAt = 8;
            if (octets.size() <= kIdLengthAt) return 0;
            // A node id is shorter than 128 octets here: its length is one octet.
            open_ = octets.size() >= kIdLengthAt + 1 + octets[kIdLengthAt];
            return see_contact(octets.size(), kIdLengthAt + 1 + octets[kIdLengthAt]);
        }
        const auto head = v3::decode_head(octets);
        if (!head) return 0;
        if (head->type == v3::MessageType::kAckSegment)
            ++acknowledged_;
        else if (head->type != v3::MessageType::kKeepAlive)
            give_up("refused, or the session ends");
        return head->size;
    }
    std::size_t see_contact(std::size_t there, std::size_t wanted) {
        contact_seen_ = there >= wanted;
        return wanted;
    }

    Options options_;
    traffic::Pattern pattern_;
    traffic::BundleTemplate bundles_;
    traffic::BundleGroup group_;
    traffic::PayloadHeader header_;  ///< of the next bundle
    int socket_ = -1;
    Bytes message_;
    Bytes received_at_;
    bool contact_seen_ = false;
    bool open_ = false;
    std::uint64_t acknowledged_ = 0;
    std::uint64_t stalls_ = 0;
    Duration longest_{};
};

}  // namespace
}  // namespace farlink::bench

int main(int argc, char **argv) {
    using namespace std::string_view_literals;
    if (argc != 7) {
        std::cerr << "usage: small_window tcpclv4|tcpclv3 PORT SECONDS WINDOW PAYLOAD_BYTES "
                     "pieces|whole\n";
        return 2;
    }
    farlink::bench::Options options;
    options.v4 = argv[1] == "tcpclv4"sv;
    options.port = static_cast<std::uint16_t>(std::strtoul(argv[2], nullptr, 10));
    options.duration =
        farlink::milliseconds(static_cast<std::int64_t>(1000 * std::strtod(argv[3], nullptr)));
    options.window = std::strtoul(argv[4], nullptr, 10);
    options.payload_bytes = std::strtoul(argv[5], nullptr, 10);
    options.in_pieces = argv[6] == "pieces"sv;
    farlink::bench::SmallWindow(options).run();
    return 0;
}
