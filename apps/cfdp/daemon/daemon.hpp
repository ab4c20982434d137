// SPDX-License-Identifier: Apache-2.0
// An entity with its files and its lower layers, on one loop.
// Owned by main(); the loop's thread.
// Transactions of class 2 outlive the process: requests and states are on disk.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "apps/cfdp/daemon/lower_layer.hpp"
#include "cfdp/config/entity_config.hpp"
#include "cfdp/core/entity.hpp"
#include "cfdp/core/shortage_warnings.hpp"
#include "cfdp/core/user/operations.hpp"
#include "cfdp/disk/disk_filestore.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cfdpd {

class Daemon : public std::enable_shared_from_this<Daemon> {
public:
    /// The error is a text for people.
    [[nodiscard]] static Result<std::shared_ptr<Daemon>, std::string> open(
        boost::asio::io_context &io, cfdp::EntityConfig config);

    Daemon(boost::asio::io_context &io, cfdp::EntityConfig config, files::TargetFolder root,
           cfdp::EntityState state);

    void add_layer(std::shared_ptr<LowerLayer> layer) { layers_.push_back(std::move(layer)); }
    void start();
    void close();

    /// It is on disk once when_saved() says so.
    [[nodiscard]] Result<cfdp::TransactionId, std::string> put(const cfdp::PutRequest &request);
    /// Called with 0 when what was put so far is on disk, or with the error.
    void when_saved(cfdp::GroupSync::Done done);
    /// The entity, for commands; pump() follows a change.
    [[nodiscard]] cfdp::Entity &entity() { return entity_; }
    [[nodiscard]] cfdp::UserOperations &operations() { return operations_; }
    [[nodiscard]] const cfdp::EntityConfig &config() const { return config_; }
    /// Sends what is to be sent, writes down what has ended, and arms the timer.
    void pump();
    /// Why it has ended; empty: it was stopped.
    [[nodiscard]] const std::string &trouble() const { return trouble_; }

private:
    void restore();
    void restore_receiver(const cfdp::EntityState::SavedReceiver &saved);
    [[nodiscard]] LowerLayer *layer_of(cfdp::EntityId remote) const;
    void send_some(TimePoint now);
    /// When more may be sent to this remote entity; kNever: nothing is to be sent.
    [[nodiscard]] TimePoint send_to(cfdp::EntityId remote, TimePoint now);
    void note_ended();
    /// When the state is to be flushed; now: it is.
    [[nodiscard]] TimePoint flush_state(TimePoint now);
    /// When there is more to warn of.
    [[nodiscard]] TimePoint warn_of_shortages(TimePoint now);
    void arm(TimePoint due);
    void post_pump();

    boost::asio::io_context &io_;
    cfdp::EntityConfig config_;
    files::TargetFolder root_;
    cfdp::EntityState state_;
    cfdp::DiskFilestore filestore_;
    std::unique_ptr<cfdp::GroupSync> group_;  ///< until close(); none: not synced as a whole
    cfdp::Entity entity_;
    cfdp::UserOperations operations_;
    std::vector<std::shared_ptr<LowerLayer>> layers_;
    MonotonicTimer timer_;
    TimePoint send_due_ = kNever;
    TimePoint flush_due_ = kNever;
    cfdp::ShortageWarnings receiving_warnings_{"too many files at a time (`mostReceiving`)",
                                               "PDUs of further files dropped"};
    cfdp::ShortageWarnings asking_warnings_{"too many requests at a time",
                                            "refused or not answered"};
    bool posted_ = false;
    bool closed_ = false;
    std::string trouble_;
};

/// One line for people.
[[nodiscard]] std::string text_of(const cfdp::Report &report);
[[nodiscard]] std::string text_of(const cfdp::TransactionId &id);

}  // namespace farlink::cfdpd
