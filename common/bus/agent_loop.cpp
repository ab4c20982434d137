// SPDX-License-Identifier: Apache-2.0
#include "common/bus/agent_loop.hpp"

namespace farlink::bus {

AgentLoop::AgentLoop(BusContext &context, AgentId self, const std::vector<AgentId> &subscriptions,
                     AgentHandlers handlers)
    : handlers_(std::move(handlers)),
      port_(context, self, subscriptions),
      pump_(io_, port_, [this](Message message) { handlers_.on_message(std::move(message)); },
            [this] { handlers_.settle(); }),
      timer_(io_,
             [this] {
                 handlers_.on_timeout();
                 handlers_.settle();
             }),
      second_(io_) {}

void AgentLoop::run() {
    pump_.start();
    tick();
    io_.run();
}

void AgentLoop::tick() {
    second_.expires_after(std::chrono::seconds(1));
    second_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        handlers_.on_second();
        handlers_.settle();
        tick();
    });
}

}  // namespace farlink::bus
