// SPDX-License-Identifier: Apache-2.0
// Cuts TCPCLv4 connections through a relay between two messages, by a plan, and counts the
// transfers that passed. Owned by a test and outlives its CuttingProxy; the counts may be read on
// any thread. Several relays, one after the other or at once, may share the counts.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/support/cutting_proxy.hpp"
#include "tests/support/tcpclv4_stream.hpp"

namespace farlink::test {

using cla::tcpclv4::MessageType;
using Way = CutRule::Way;

/// Where a connection is cut: after `count` messages in this direction, of `type` if one is given;
/// with 0, before the first one.
struct MessageCut {
    Way way = Way::kToFar;
    std::uint64_t count = 0;
    std::optional<MessageType> type{};
    bool reset = false;
};

class MessageCuts {
public:
    /// `plan` has one entry for each connection; later connections are not cut.
    [[nodiscard]] CuttingProxy::Rules rules(std::vector<MessageCut> plan) {
        return [this, plan = std::move(plan), next = std::size_t{0}]() mutable {
            const bool planned = next < plan.size();
            return std::make_unique<Rule>(*this,
                                          planned ? std::optional(plan[next++]) : std::nullopt);
        };
    }
    /// Every connection is cut there.
    [[nodiscard]] CuttingProxy::Rules rules_of_all(const MessageCut &everywhere) {
        return [this, everywhere] { return std::make_unique<Rule>(*this, everywhere); };
    }
    /// Whole transfers that passed this way.
    [[nodiscard]] std::uint64_t transfers(Way way) const { return transfers_[index_of(way)]; }
    /// Connections that were cut, or will be cut at once.
    [[nodiscard]] std::uint64_t cuts() const { return cuts_; }
    /// Waits until `done`, which is called after each change of a count; false at the limit.
    template <class Done>
    [[nodiscard]] bool wait_until(Done done) {
        constexpr std::chrono::seconds kPatience{20};
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kPatience, done);
    }
    /// A connection was cut right behind a message of this type; without type: a contact header.
    [[nodiscard]] bool cut_behind(Way way, std::optional<MessageType> type = {}) const {
        return (behind_[index_of(way)] & bit_of(type)) != 0;
    }

private:
    class Rule final : public CutRule {
    public:
        Rule(MessageCuts &all, std::optional<MessageCut> cut) : all_(all), cut_(cut) {}

        std::size_t pass(Way way, ByteView octets) override {
            if (cut_ && cut_->way == way && cut_->count == 0) cut();
            Tcpclv4Stream &stream = streams_[index_of(way)];
            std::size_t used = 0;
            while (used < octets.size() && !due_) {
                const auto taken = stream.take(octets.subspan(used));
                used += taken.octets;
                if (taken.complete) handle_message(way, stream);
            }
            return used;
        }
        [[nodiscard]] bool cuts() const override { return due_; }
        [[nodiscard]] bool resets() const override { return cut_ && cut_->reset; }

    private:
        void handle_message(Way way, const Tcpclv4Stream &stream) {
            if (stream.type() == MessageType::kXferSegment) {
                const auto segment = cla::tcpclv4::decode_segment(stream.head());
                if (segment && segment->ends()) all_.count(all_.transfers_[index_of(way)]);
            }
            if (!cut_ || cut_->way != way) return;
            if (cut_->type && cut_->type != stream.type()) return;
            if (++passed_ < cut_->count) return;
            all_.behind_[index_of(way)] |= bit_of(stream.type());
            cut();
        }
        void cut() {
            if (std::exchange(due_, true)) return;
            all_.count(all_.cuts_);
        }

        MessageCuts &all_;
        std::optional<MessageCut> cut_;
        std::array<Tcpclv4Stream, 2> streams_;
        std::uint64_t passed_ = 0;  ///< of the messages that cut_ counts
        bool due_ = false;
    };

    static std::size_t index_of(Way way) { return static_cast<std::size_t>(way); }
    static unsigned bit_of(std::optional<MessageType> type) {
        return 1U << (type ? static_cast<unsigned>(*type) : 0U);
    }

    void count(std::atomic<std::uint64_t> &counter) {
        const std::lock_guard lock(mutex_);
        ++counter;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<std::uint64_t> cuts_ = 0;
    std::array<std::atomic<std::uint64_t>, 2> transfers_{};
    std::array<std::atomic<unsigned>, 2> behind_{};
};

}  // namespace farlink::test
