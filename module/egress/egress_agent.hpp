// SPDX-License-Identifier: Apache-2.0
// Egress on the bus: hosts the ways out, renders what the core chooses into them, carries outcomes.
// Made by the program, run on a thread of its own; everything but the constructor and the
// destructor happens on that thread.
#pragma once

#include <memory>
#include <vector>

#include "cla/api/link.hpp"
#include "cla/host/resources.hpp"
#include "common/bus/agent_loop.hpp"
#include "common/config/node_config.hpp"
#include "common/runtime/log.hpp"
#include "module/egress/core/egress_core.hpp"

namespace farlink::egress {

class EgressAgent final : public cla::LinkHost {
public:
    EgressAgent(const config::NodeConfig &config, bus::BusContext &context);
    ~EgressAgent() override;

    /// Serves until a Stop message has been carried out.
    void run();

    void on_upstream_opened(LinkId, UpstreamId, bool) override {}
    void on_bundles(LinkId, UpstreamId, ReceivedBundles &) override {}
    void on_upstream_closed(LinkId, UpstreamId, cla::LinkFault) override {}
    void on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) override;
    void on_transmitted(LinkId link, std::uint64_t token) override;
    void on_writable(LinkId link) override;

private:
    void handle(bus::Message message);
    void settle();
    void settle_when_outside();
    void transmit(std::size_t index);
    void on_second();
    void handle_stop(const bus::Stop &stop);
    void report_counters();
    [[nodiscard]] std::size_t index_of(LinkId link) const;

    const config::NodeConfig &config_;
    Logger log_;
    SlabPool pool_;
    ReadBuffer buffer_;
    std::uint32_t next_upstream_ = 0;
    bus::AgentLoop loop_;
    EgressCore core_;
    std::vector<std::unique_ptr<cla::Outduct>> outducts_;
    std::vector<cla::LinkState> states_;
    std::vector<TxBundle> tx_;
    std::uint64_t reports_ = 0;
    bool settling_ = false;
    bool unsettled_ = false;
    bool stopping_ = false;
};

}  // namespace farlink::egress
