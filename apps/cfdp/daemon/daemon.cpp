// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/daemon/daemon.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <iostream>
#include <utility>

#include "common/files/names.hpp"
#include "common/files/octet_files.hpp"

namespace farlink::cfdpd {
namespace {

/// PDUs in a row before others have their turn.
constexpr int kPdusInARow = 64;
/// What has ended is on disk within it: usually with what is synced anyway.
constexpr Duration kFlushAfter = milliseconds(50);

}  // namespace

std::string text_of(const cfdp::TransactionId &id) {
    return std::to_string(id.source) + '/' + std::to_string(id.sequence);
}

std::string text_of(const cfdp::Report &report) {
    const std::string &file = report.sending ? report.source_name : report.destination_name;
    std::string text = "transaction " + text_of(report.id) + (report.sending ? " to" : " from") +
                       " entity " + std::to_string(report.remote);
    if (!file.empty()) text += ", file " + files::printable(file);
    if (!report.outcome) return text + ": " + report.state;
    if (report.outcome->ok())
        text += ": complete";
    else if (report.condition == cfdp::ConditionCode::kNoError)
        text += ": incomplete";
    else
        text += ": ended with condition " + std::string(name_of(report.condition));
    if (!report.outcome->name.empty())
        text += ", stored as " + files::printable(report.outcome->name);
    return report.outcome->abandoned ? text + " (not confirmed by the other entity)" : text;
}

Result<std::shared_ptr<Daemon>, std::string> Daemon::open(boost::asio::io_context &io,
                                                          cfdp::EntityConfig config) {
    auto root = files::TargetFolder::open(config.root);
    if (!root) return fail(root.error());
    auto state = cfdp::EntityState::open(*root);
    if (!state) return fail(state.error());
    if (const auto inbox = root->folder(config.inbox); !inbox)
        return fail("inbox: " + files::reason_of(inbox.error()));
    for (const cfdp::RemoteConfig &remote : config.remotes) {
        if (remote.folder.empty()) continue;
        if (const auto folder = root->folder(remote.folder); !folder)
            return fail(remote.folder + ": " + files::reason_of(folder.error()));
    }
    return std::make_shared<Daemon>(io, std::move(config), std::move(*root), std::move(*state));
}

Daemon::Daemon(boost::asio::io_context &io, cfdp::EntityConfig config, files::TargetFolder root,
               cfdp::EntityState state)
    : io_(io),
      config_(std::move(config)),
      root_(std::move(root)),
      state_(std::move(state)),
      filestore_(root_, state_, config_.inbox),
      entity_({.local = config_.entity,
               .most_receiving = static_cast<std::size_t>(config_.most_receiving)},
              filestore_),
      operations_(config_.entity, entity_, filestore_,
                  [this](const cfdp::PutRequest &request) { return put(request); }),
      timer_(io) {
    for (const cfdp::RemoteConfig &remote : config_.remotes) {
        entity_.set_remote(remote.settings);
        if (!remote.folder.empty()) filestore_.set_folder(remote.entity, remote.folder);
    }
}

void Daemon::start() {
    if (root_.can_sync_all())
        group_ = std::make_unique<cfdp::GroupSync>(
            root_.descriptor(),
            [this](std::function<void()> done) { boost::asio::post(io_, std::move(done)); });
    if (group_)
        filestore_.set_group_sync(*group_, [this](int error) {
            entity_.handle_synced(error == 0, monotonic_now());
            post_pump();
        });
    restore();
    for (const auto &layer : layers_)
        layer->start({.on_pdu =
                          [weak = weak_from_this()](cfdp::EntityId from, ByteView pdu) {
                              const auto self = weak.lock();
                              if (!self) return;
                              self->entity_.handle_pdu(pdu, from, monotonic_now());
                              self->post_pump();
                          },
                      .on_room =
                          [weak = weak_from_this()] {
                              if (const auto self = weak.lock()) self->post_pump();
                          },
                      .on_lost =
                          [weak = weak_from_this()](const std::string &reason) {
                              const auto self = weak.lock();
                              if (!self || self->closed_) return;
                              self->trouble_ = "the connection to the node was lost: " + reason;
                              self->io_.stop();
                          }});
    pump();
}

void Daemon::close() {
    closed_ = true;
    for (const auto &layer : layers_) layer->close();
    timer_.cancel();
    // Its thread may hold what holds this, and has the loop to call.
    group_.reset();
}

// Requests are sent from their begin again: repeats are harmless to the receiver.
void Daemon::restore() {
    entity_.remember_delivered(state_.delivered());
    for (const auto &saved : state_.saved_puts()) {
        const auto begun = entity_.put(saved.request, saved.id.sequence);
        if (begun) continue;
        std::cerr << "transaction " << text_of(saved.id)
                  << " cannot be continued and is discarded: " << begun.error() << '\n';
        [[maybe_unused]] const int ignored = state_.forget(saved.id, false);
    }
    for (const auto &saved : state_.saved_receivers()) restore_receiver(saved);
    state_.remove_stray_copies();
}

void Daemon::restore_receiver(const cfdp::EntityState::SavedReceiver &saved) {
    const auto state = cfdp::decode_state(saved.state);
    if (state && state->header.id == saved.id) {
        auto copy = saved.has_copy ? filestore_.reopen(saved.id) : nullptr;
        auto receiver = entity_.load(*state, std::move(copy), monotonic_now());
        if (receiver) return entity_.restore(std::move(*receiver));
    }
    std::cerr << "transaction " << text_of(saved.id)
              << " cannot be continued and is discarded: its saved state is damaged or of another "
                 "version\n";
    [[maybe_unused]] const int ignored = state_.forget(saved.id, false);
}

Result<cfdp::TransactionId, std::string> Daemon::put(const cfdp::PutRequest &request) {
    const auto sequence = state_.next_sequence();
    if (!sequence)
        return fail(std::string("cannot write the number of the transaction to the state folder"));
    auto id = entity_.put(request, *sequence);
    if (!id || !request.acknowledged) return id;
    if (const int error = state_.save_put(*id, request); error != 0) {
        (void)entity_.cancel(*id, monotonic_now());
        return fail("cannot write the request to the state folder: " + files::reason_of(error));
    }
    return id;
}

void Daemon::when_saved(cfdp::GroupSync::Done done) {
    if (!group_) return done(state_.sync());
    cfdp::EntityState::Unsynced states = state_.begin_sync();
    cfdp::GroupSync::Task task{.whole = !states.file, .file = std::move(states.file)};
    group_->request(std::move(task), [this, discarded = std::move(states.discarded),
                                      done = std::move(done)](int error) {
        state_.end_sync(discarded, error);
        done(error);
    });
}

TimePoint Daemon::flush_state(TimePoint now) {
    if (!state_.is_unsynced()) return flush_due_ = kNever;
    if (flush_due_ == kNever) flush_due_ = now + kFlushAfter;
    if (flush_due_ > now) return flush_due_;
    when_saved([](int error) {
        if (error != 0)
            std::cerr << "cannot write the state folder: " + files::reason_of(error) + '\n';
    });
    return flush_due_ = kNever;
}

LowerLayer *Daemon::layer_of(cfdp::EntityId remote) const {
    for (const auto &layer : layers_)
        if (layer->serves(remote)) return layer.get();
    return nullptr;
}

void Daemon::post_pump() {
    if (std::exchange(posted_, true)) return;
    boost::asio::post(io_, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->pump();
    });
}

void Daemon::pump() {
    posted_ = false;
    if (closed_) return;
    const TimePoint now = monotonic_now();
    entity_.handle_timeout(now);
    send_some(now);
    note_ended();
    arm(std::min({send_due_, entity_.next_timeout(), flush_state(now), warn_of_shortages(now)}));
}

TimePoint Daemon::warn_of_shortages(TimePoint now) {
    for (const std::string &line : receiving_warnings_.take(entity_.counters().shortages, now))
        std::cerr << line + '\n';
    for (const std::string &line : asking_warnings_.take(operations_.shortages(), now))
        std::cerr << line + '\n';
    return std::min(receiving_warnings_.due(), asking_warnings_.due());
}

void Daemon::send_some(TimePoint now) {
    send_due_ = kNever;
    for (const auto &[remote, settings] : entity_.remotes())
        send_due_ = std::min(send_due_, send_to(remote, now));
    // While more is to be sent at once, a bundle may still grow.
    if (send_due_ > now)
        for (const auto &layer : layers_) layer->flush();
}

TimePoint Daemon::send_to(cfdp::EntityId remote, TimePoint now) {
    LowerLayer *const layer = layer_of(remote);
    if (layer == nullptr) return kNever;
    for (int i = 0; i < kPdusInARow; ++i) {
        if (const TimePoint ready = layer->ready_at(remote, now); ready > now) return ready;
        auto pdu = entity_.poll_pdu(remote, now);
        if (!pdu) return kNever;
        layer->send(remote, std::move(*pdu), now);
    }
    return now;
}

void Daemon::note_ended() {
    std::vector<cfdp::EntityState::EndedTransaction> ended;
    const TimePoint now = monotonic_now();
    for (const cfdp::Report &report : entity_.take_ended()) {
        std::cerr << text_of(report) + '\n';
        // Its answer is on disk before the question is forgotten.
        operations_.handle_ended(report, now);
        ended.push_back({report.id, !report.sending && report.outcome->complete});
    }
    if (ended.empty()) return;
    if (const int error = state_.forget(ended); error != 0)
        std::cerr << "cannot write the ended transactions to the state folder: "
                  << files::reason_of(error) << '\n';
    post_pump();
}

void Daemon::arm(TimePoint due) {
    if (due == kNever) return;
    if (due <= monotonic_now()) return post_pump();
    timer_.expires_at(due);
    timer_.async_wait([weak = weak_from_this()](const boost::system::error_code &error) {
        const auto self = weak.lock();
        if (self && !error) self->pump();
    });
}

}  // namespace farlink::cfdpd
