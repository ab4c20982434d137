// SPDX-License-Identifier: Apache-2.0
// The webhook: each alarm that is raised or ends is sent by HTTP POST, as JSON.
// Owned by AlarmDesk; the telemetry agent's loop and thread.
// One request at a time, each at most five seconds; at most 100 wait, others are dropped and
// counted. A failure is logged once until a request succeeds.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "common/config/operations/alarms_fields.hpp"
#include "common/http/http_client.hpp"
#include "common/runtime/log/log.hpp"
#include "module/telemetry/alarms/hook_queue.hpp"

namespace farlink::telemetry {

class AlarmWebhook {
public:
    static constexpr seconds kLimit{5};

    /// `io` is borrowed. `limit` is for tests.
    AlarmWebhook(boost::asio::io_context &io, config::WebhookTarget target,
                 Duration limit = kLimit);
    ~AlarmWebhook();

    void call(std::string body);
    [[nodiscard]] const HookCounts &counts() const { return queue_.counts(); }

private:
    void start();
    void finish(const std::string &error);

    boost::asio::io_context &io_;
    config::WebhookTarget target_;
    Duration limit_;
    HookQueue<std::string> queue_;
    std::shared_ptr<http::Exchange> running_;
    HookLog log_;
};

}  // namespace farlink::telemetry
