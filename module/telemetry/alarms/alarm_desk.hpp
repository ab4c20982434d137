// SPDX-License-Identifier: Apache-2.0
// Alarms outside of the view: reads clock and certificates for it, writes alarms to the log, and
// calls the webhook and the command.
// Owned by the telemetry agent; its loop and thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <optional>

#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "module/telemetry/alarms/alarm_command.hpp"
#include "module/telemetry/alarms/alarm_webhook.hpp"
#include "module/telemetry/alarms/certificate_files.hpp"
#include "module/telemetry/core/node_view.hpp"

namespace farlink::telemetry {

class AlarmDesk {
public:
    /// `io` and `view` are borrowed.
    AlarmDesk(boost::asio::io_context &io, const config::NodeConfig &config, NodeView &view);

    /// The section was reloaded: hooks begin anew.
    void set_config(const config::AlarmsConfig &config);
    /// Their certificates are watched.
    [[nodiscard]] CertificateFiles &certificates() { return certificates_; }
    /// Before NodeView::handle_second().
    void read(TimePoint now);
    /// After it: the alarms that were raised or have ended.
    void publish();

private:
    void make_hooks(const config::AlarmsConfig &alarms);
    void log(const AlarmChange &change) const;
    void call_hooks(const AlarmChange &change);

    boost::asio::io_context &io_;
    NodeView &view_;
    CertificateFiles certificates_;
    std::optional<AlarmWebhook> webhook_;
    std::optional<AlarmCommand> command_;
    Logger log_{"alarms"};
};

}  // namespace farlink::telemetry
