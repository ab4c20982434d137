// SPDX-License-Identifier: Apache-2.0
// A tunnel from its start to its end: figures at intervals, signals, an orderly end.
// Owned by bptunnel's main().
// On its loop, one thread.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <memory>
#include <string>

#include "apps/bptunnel/options.hpp"

namespace farlink::bptunnel {

class Running : public std::enable_shared_from_this<Running> {
public:
    Running(boost::asio::io_context &io, const Arguments &arguments, std::shared_ptr<Tunnel> tunnel,
            bool tcp);

    void start(client::ConnectOptions options);
    /// Prints the summary; the exit code.
    [[nodiscard]] int finish();

private:
    void wait_for_signal();
    void show_progress();
    void show_figures();
    void end_in_order();
    void lose(const std::string &reason);
    [[nodiscard]] double seconds() const;
    [[nodiscard]] std::string figures(std::string_view type) const;

    boost::asio::io_context &io_;
    std::shared_ptr<Tunnel> tunnel_;
    bool tcp_;
    bool json_;
    bool progress_;
    std::chrono::milliseconds interval_;
    boost::asio::signal_set signals_;
    MonotonicTimer progress_timer_;
    MonotonicTimer interval_timer_;
    MonotonicTimer end_timer_;
    TimePoint begun_;
    TimePoint give_up_{};
    std::string error_;
};

}  // namespace farlink::bptunnel
