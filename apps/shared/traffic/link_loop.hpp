// SPDX-License-Identifier: Apache-2.0
// The loop on which a tool hosts its links: the reactor, the memory to read into, and signals.
// Owned by the tool, which outlives its links; one thread.
// The first SIGINT or SIGTERM requests a stop; the one after the last that is awaited ends the
// tool.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <cstdint>

#include "cla/io/resources.hpp"
#include "common/base/time.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/core_timer.hpp"

namespace farlink::traffic {

class LinkLoop {
public:
    /// `buffer_bytes` bounds the memory of bundles that arrive.
    explicit LinkLoop(std::uint64_t buffer_bytes);

    [[nodiscard]] cla::LinkResources resources(cla::LinkHost &host) {
        return {io_, buffer_, host, next_upstream_};
    }
    /// Larger bundles arrive in pieces.
    void spool_above(std::uint64_t bytes) { buffer_.set_spool_above(bytes); }
    [[nodiscard]] bool stop_requested() const { return stop_; }
    /// A second signal does not end the tool, but requests that it waits for nothing more.
    void await_second_signal() { awaits_second_ = true; }
    [[nodiscard]] bool abort_requested() const { return abort_; }
    /// Runs some ready handlers without waiting.
    void poll();
    /// Waits for an event, or until `until`.
    void wait(TimePoint until);
    /// Runs until `done()`, the time limit or a stop request; true when done.
    template <class Done>
    bool run_until(Done done, TimePoint until) {
        const bool stopped_before = stop_;
        while (!done()) {
            if (monotonic_now() >= until || abort_ || (stop_ && !stopped_before)) return false;
            wait(until);
        }
        return true;
    }

private:
    void await_signal();

    SlabPool pool_;
    ReadBuffer buffer_;
    std::uint32_t next_upstream_ = 0;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    boost::asio::signal_set signals_;
    TimePoint alarm_ = kNever;  ///< what timer_ is set to
    CoreTimer timer_;
    bool stop_ = false;
    bool awaits_second_ = false;
    bool abort_ = false;
};

}  // namespace farlink::traffic
