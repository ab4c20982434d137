// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus_gate.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "common/base/invariant.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/suppressed_lines.hpp"

namespace farlink::bus {
namespace {

/// RFC 27: the address of the authentication handler.
constexpr const char *kGateAddress = "inproc://zeromq.zap.01";

/// RFC 27: version, request id, domain, address, identity, mechanism, credentials.
constexpr std::size_t kRequestFrames = 7;
enum RequestFrame : std::size_t { kRequestId = 1, kAddress = 3, kMechanism = 5, kCredentials = 6 };

std::string key_octets(const std::string &text) {
    std::array<std::uint8_t, 32> octets{};
    FARLINK_INVARIANT(text.size() == 40 &&
                      ::zmq_z85_decode(octets.data(), text.c_str()) != nullptr);
    return {octets.begin(), octets.end()};
}

}  // namespace

KeyGate::KeyGate(zmq::context_t &context, const std::string &public_key)
    : requests_(context, zmq::socket_type::rep),
      admitted_(key_octets(public_key)),
      refusals_log_(seconds(10)) {
    requests_.set(zmq::sockopt::linger, 0);
    requests_.bind(kGateAddress);
    thread_ = std::thread([this] { serve(); });
}

KeyGate::~KeyGate() {
    thread_.join();
}

void KeyGate::serve() {
    for (bool on = true; on;) {
        try {
            answer();
        } catch (const zmq::error_t &error) {
            on = error.num() != ETERM;  // the context has been shut down
        }
    }
    requests_.close();
}

void KeyGate::answer() {
    std::vector<std::string> frames;
    for (bool more = true; more;) {
        zmq::message_t frame;
        (void)requests_.recv(frame);
        frames.push_back(frame.to_string());
        more = frame.more();
    }
    frames.resize(std::max(frames.size(), kRequestFrames));
    const bool admitted = frames[kMechanism] == "CURVE" && frames[kCredentials] == admitted_;
    if (!admitted)
        if (const auto suppressed = refusals_log_.admit(monotonic_now()))
            log_.warn(
                "connection from {} to the bus refused: the key of the process is not "
                "bus.publicKey{}",
                frames[kAddress], suppressed_lines_text(*suppressed));
    const std::array<std::string_view, 6> reply{
        "1.0", frames[kRequestId], admitted ? "200" : "400", admitted ? "OK" : "unknown key", "",
        ""};
    for (std::size_t at = 0; at < reply.size(); ++at)
        (void)requests_.send(
            zmq::const_buffer(reply[at].data(), reply[at].size()),
            at + 1 < reply.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
}

}  // namespace farlink::bus
