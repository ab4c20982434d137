// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/tun_relay.hpp"

#include <unistd.h>

#include <array>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "apps/linkemu/wire_alarm.hpp"
#include "apps/shared/emulation/wire.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::linkemu {
namespace {

using boost::asio::posix::stream_descriptor;
using emulation::Wire;

/// Packets read in a row before due ones are sent.
constexpr int kPacketsInARow = 256;

/// One of the two devices: packets from it go into the wire `into`, packets of `out_of` go to it.
class Side {
public:
    Side(boost::asio::io_context &io, int fd, Wire &into, Wire &out_of)
        : device_(io, fd),
          alarm_(io.get_executor(), [this] { deliver(); }),
          into_(into),
          out_of_(out_of) {}

    void start(Side &other) {
        other_ = &other;
        wait_readable();
    }

private:
    void wait_readable() {
        device_.async_wait(stream_descriptor::wait_read, [this](const auto &error) {
            if (error) return;
            for (int packets = 0; packets < kPacketsInARow && read(); ++packets) {
            }
            other_->deliver();
            wait_readable();
        });
    }
    bool read() {
        const ssize_t size = ::read(device_.native_handle(), room_.data(), room_.size());
        if (size <= 0) return false;
        into_.push(ByteView(room_).first(static_cast<std::size_t>(size)), monotonic_now());
        return true;
    }
    void deliver() {
        while (true) {
            const auto packets = out_of_.due(monotonic_now());
            if (packets.empty()) break;
            // A device that is down, or whose queue is full, drops the packet as a network does.
            for (const ByteView &packet : packets)
                (void)!::write(device_.native_handle(), packet.data(), packet.size());
            out_of_.sent(packets.size());
        }
        alarm_.set(out_of_.next_due());
    }

    stream_descriptor device_;
    WireAlarm alarm_;
    Wire &into_;
    Wire &out_of_;
    Side *other_ = nullptr;
    std::array<std::uint8_t, emulation::DelayLine::kMaxPieceBytes> room_;
};

class TunRelay final : public Relay {
public:
    TunRelay(boost::asio::io_context &io, int near, int far, const Profiles &profiles)
        : forth_(profiles.forth, emulation::Carries::kDatagrams, profiles.seed, monotonic_now()),
          back_(profiles.back, emulation::Carries::kDatagrams, ~profiles.seed, monotonic_now()),
          near_(io, near, forth_, back_),
          far_(io, far, back_, forth_) {
        near_.start(far_);
        far_.start(near_);
    }
    [[nodiscard]] Totals totals() const override {
        return {forth_.counters(), back_.counters(), 0, 0, 0};
    }
    [[nodiscard]] std::string description() const override { return description_; }
    [[nodiscard]] std::vector<std::uint16_t> ports() const override { return {}; }
    void describe(std::string text) { description_ = std::move(text); }

private:
    Wire forth_;
    Wire back_;
    Side near_;
    Side far_;
    std::string description_;
};

std::string name_of(const TunDevice &device) {
    const std::string address = device.address.empty() ? "no address" : device.address;
    return device.network_namespace.empty() ? address : device.network_namespace + " " + address;
}

}  // namespace

RelayResult make_tun_relay(boost::asio::io_context &io, const TunOptions &options,
                           const Profiles &profiles) {
    const auto near = open_tun(options.near);
    if (!near) return fail(near.error());
    const auto far = open_tun(options.far);
    if (!far) {
        ::close(*near);
        return fail(far.error());
    }
    auto relay = std::make_unique<TunRelay>(io, *near, *far, profiles);
    relay->describe("tun " + name_of(options.near) + " <-> " + name_of(options.far));
    return relay;
}

}  // namespace farlink::linkemu
