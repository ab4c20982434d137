// SPDX-License-Identifier: Apache-2.0
// `farlink --isolate`: starts each module as a process, and restarts it when it dies.
// Owned by main(); the main thread.
// It carries no bundles and opens no link. The process with the scheduler supervises the node; this
// one only restarts processes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <list>
#include <string>

#include "apps/farlink/options.hpp"
#include "common/base/time.hpp"
#include "common/runtime/log/log.hpp"
#include "module/control/process/bus_folder.hpp"

namespace farlink::app {

class Isolation {
public:
    /// `instances`: of ingress and egress in the checked configuration.
    /// `options` is borrowed.
    Isolation(const Options &options, std::size_t instances, bool applications);
    ~Isolation();
    Isolation(const Isolation &) = delete;
    Isolation &operator=(const Isolation &) = delete;

    /// Until the node has ended; its exit code.
    [[nodiscard]] int run();

private:
    /// running -> (died) -> waiting -> running, or running -> (ended) -> gone
    struct Child {
        explicit Child(boost::asio::io_context &io, std::string name)
            : module(std::move(name)), again(io) {}
        std::string module;
        pid_t pid = -1;  ///< -1: it does not run
        TimePoint started{};
        Duration back_off{};
        boost::asio::steady_timer again;
    };

    void start(Child &child);
    void wait_for_children();
    void reap();
    void handle_exit(Child &child, int status);
    void restart(Child &child);
    void wait_for_signal();
    void wait_for_forwarded();
    void forward(int signal) const;
    [[nodiscard]] bool write_start_config();
    [[nodiscard]] std::string start_config() const;
    void handle_signal();
    void begin_stop();
    void kill_all(int signal) const;
    void end_if_all_are_gone();

    const Options &options_;
    Logger log_{"farlink"};
    boost::asio::io_context io_{1};
    boost::asio::signal_set children_ended_;
    boost::asio::signal_set signals_;
    boost::asio::signal_set forwarded_;  ///< to the process that supervises
    boost::asio::steady_timer limit_;
    control::BusFolder folder_;
    std::list<Child> children_;
    bool stopping_ = false;
    bool alone_ = false;       ///< the stop signal came while the supervisor was dead
    bool unbalanced_ = false;  ///< the ledger did not balance
    int exit_code_;
};

}  // namespace farlink::app
