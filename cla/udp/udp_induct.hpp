// SPDX-License-Identifier: Apache-2.0
// The UDP induct: one bound socket; all senders together are one upstream.
// Owned by the agent, through Owned<>; lives on the agent's loop and is called there only.
// UDP has no flow control: while the host is paused the kernel's buffer fills, and then it drops.
#pragma once

#include <string>

#include <boost/asio/ip/udp.hpp>

#include "cla/io/link_body.hpp"
#include "cla/io/memory_wait.hpp"
#include "cla/io/resources.hpp"
#include "cla/udp/core/udp_receiver.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::cla::udp {

class UdpInduct final : public Induct, public LinkBody {
public:
    /// Room in the kernel where the configuration names none: a hundred milliseconds at 5 Gbit/s.
    static constexpr std::uint64_t kDefaultBufferBytes = 64 * 1024 * 1024;

    UdpInduct(LinkResources resources, const config::InductConfig &config);
    void abandon();

    [[nodiscard]] bool open() override;
    void close() override;
    void pause(UpstreamId upstream, bool paused) override;
    [[nodiscard]] bool flow_controlled() const override { return false; }
    [[nodiscard]] std::uint16_t port() const override { return port_; }
    [[nodiscard]] std::string failure() const override { return failure_; }

    [[nodiscard]] const ReceiveCounters &counters() const { return receiver_.counters(); }
    /// Datagrams that the kernel has dropped, since the receive buffer was full.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

private:
    void set_buffer();
    void wait_readable();
    void read_available();
    [[nodiscard]] bool read_some();
    void wait_for_memory();
    void count_drops();
    void count_too_large();

    LinkResources resources_;
    config::InductConfig config_;
    boost::asio::ip::udp::socket socket_;
    Owned<MemoryWait> memory_wait_;
    UdpReceiver receiver_;
    ReceivedBundles received_;
    UpstreamId upstream_ = kNoUpstream;
    Logger log_{"udp"};
    LogLimiter drops_log_{seconds(10)};
    LogLimiter too_large_log_{seconds(10)};
    std::uint64_t dropped_ = 0;
    std::uint64_t dropped_logged_ = 0;
    std::uint64_t too_large_before_ = 0;
    std::uint64_t too_large_logged_ = 0;
    std::uint32_t dropped_before_ = 0;  ///< the kernel's count, which wraps around
    std::uint16_t port_ = 0;
    std::string failure_;
    bool paused_ = false;
    bool waiting_ = false;  ///< a wait for readiness is under way
};

}  // namespace farlink::cla::udp
