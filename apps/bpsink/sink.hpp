// SPDX-License-Identifier: Apache-2.0
// Accepts STCP connections and gives every bundle to the verifier, until it has enough.
// Owned by bpsink's main(); one thread.
// Connections may come and go, as those of a link that is down and up again.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/traffic/socket.hpp"
#include "apps/traffic/stcp_deframer.hpp"
#include "apps/traffic/verifier.hpp"
#include "common/base/time.hpp"

namespace farlink::bpsink {

struct SinkOptions {
    std::uint64_t bundles = 0;          ///< stop after so many unique ones; 0: no limit
    std::optional<Duration> idle_exit;  ///< stop after so long without a bundle, once one came
    bool until_complete = false;        ///< stop when every run that began is complete
    bool progress = false;              ///< a JSON line a second on stderr
};

class Sink {
public:
    Sink(const SinkOptions &options, traffic::Socket listener, traffic::Verifier &verifier);

    /// Receives until one of the options, or a signal, says stop.
    void run();

    [[nodiscard]] std::uint64_t connections() const { return accepted_; }
    /// Connections that ended in the middle of a frame.
    [[nodiscard]] std::uint64_t cut_off() const { return cut_off_; }
    [[nodiscard]] std::uint64_t keep_alives() const;

private:
    struct Connection {
        traffic::Socket socket;
        traffic::StcpDeframer frames;
    };

    /// False when the wait was for nothing: a time-out, or a signal.
    [[nodiscard]] bool wait();
    void accept_one();
    /// False when the connection has ended.
    [[nodiscard]] bool read(Connection &connection);
    [[nodiscard]] bool done(TimePoint now) const;
    void report_progress(TimePoint now);

    SinkOptions options_;
    traffic::Socket listener_;
    traffic::Verifier &verifier_;
    std::vector<std::unique_ptr<Connection>> connections_;
    std::vector<pollfd> polled_;  ///< the listener, then the connections in their order
    TimePoint last_bundle_ = kNever;
    TimePoint next_progress_{};
    std::uint64_t accepted_ = 0;
    std::uint64_t cut_off_ = 0;
    std::uint64_t keep_alives_ = 0;  ///< of the connections that have ended
};

}  // namespace farlink::bpsink
