// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/parcel_sender.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

namespace farlink::bpsendfile {
namespace {

constexpr int kFirstPauseMs = 50;
constexpr int kLongestPauseMs = 2000;

std::string reason_of(const client::Error &error) {
    if (error.code == client::ErrorCode::kTimedOut) return "the node did not answer in time";
    return error.reason.empty() ? "no reason given" : error.reason;
}

}  // namespace

void ParcelSender::run() {
    std::vector<Pending> batch;
    while (!ended_) {
        if (batch.empty()) {
            auto first = queues_.parcels.pop();
            if (!first) return;
            fill(batch, std::move(*first));
        }
        send(batch);
        if (batch.empty())
            pause_ms_ = 0;
        else if (!ended_)
            pause();
    }
}

void ParcelSender::fill(std::vector<Pending> &batch, Parcel first) {
    batch.push_back({.parcel = std::move(first)});
    while (batch.size() < task_.together) {
        auto next = queues_.parcels.try_pop();
        if (!next) return;
        batch.push_back({.parcel = std::move(*next)});
    }
}

void ParcelSender::send(std::vector<Pending> &batch) {
    std::vector<client::Message> messages;
    for (const Pending &pending : batch) {
        client::Message message{task_.destination, pending.parcel.payload, task_.with};
        message.options.id = pending.id;
        messages.push_back(std::move(message));
    }
    const std::vector<client::Sent> sent = endpoint_.send_many(messages, task_.timeout);
    std::vector<Pending> again;
    for (std::size_t at = 0; at < sent.size(); ++at)
        if (!handle_answer(batch[at], sent[at])) again.push_back(std::move(batch[at]));
    batch = std::move(again);
    if (const std::string error = ledger_.error(); !error.empty()) give_up(error);
}

bool ParcelSender::handle_answer(Pending &pending, const client::Sent &sent) {
    if (!sent.error) {
        ledger_.accept(pending.parcel);
        queues_.buffers.push(std::move(pending.parcel.payload));
        return true;
    }
    const client::Error &error = *sent.error;
    if (error.code == client::ErrorCode::kRefused) {
        if (!sent.id.source.empty()) pending.id = sent.id;
        ledger_.note_refusal(reason_of(error));
        return false;
    }
    if (error.code == client::ErrorCode::kInvalidRequest ||
        error.code == client::ErrorCode::kUnauthorized) {
        ledger_.fail(pending.parcel, "the node refused it: " + reason_of(error));
        queues_.buffers.push(std::move(pending.parcel.payload));
        return true;
    }
    give_up("the connection to the node was lost: " + reason_of(error));
    return true;
}

void ParcelSender::give_up(const std::string &error) {
    ledger_.set_error(error);
    queues_.abandon();
    ended_ = true;
}

void ParcelSender::pause() {
    pause_ms_ = std::clamp(2 * pause_ms_, kFirstPauseMs, kLongestPauseMs);
    pollfd stop{interruption_.descriptor(), POLLIN, 0};
    if (::poll(&stop, 1, pause_ms_) > 0) give_up("interrupted while the node accepted no bundles");
}

}  // namespace farlink::bpsendfile
