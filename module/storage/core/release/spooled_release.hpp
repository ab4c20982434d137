// SPDX-License-Identifier: Apache-2.0
// A bundle that leaves by a link in pieces, in the order of its octets: it is read while it leaves,
// a few pieces ahead.
// Part of ReleaseLink; one thread.
// It is over when all of it has been sent, or no more is read, and nothing of it is at a disk or
// lent. A bundle of which one piece was not sent has not been sent.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/base/invariant.hpp"
#include "common/base/time.hpp"
#include "common/buffer/batch.hpp"
#include "module/storage/core/index/entry_table.hpp"

namespace farlink::storage {

class SpooledRelease {
public:
    /// Of pieces that are read or lent at a time, by a link without a light time.
    static constexpr std::uint64_t kWindowBytes = 16 * 1024 * 1024;
    /// Even if they exceed the window: while one is acknowledged the next one leaves.
    static constexpr std::uint32_t kLeastPieces = 2;

    SpooledRelease() = default;
    /// `bundle` is its handle.
    SpooledRelease(std::uint64_t bundle, std::uint64_t spool, std::uint64_t bytes)
        : bundle_(bundle), spool_(spool), bytes_(bytes) {}

    [[nodiscard]] bool active() const { return bundle_ != 0; }
    [[nodiscard]] std::uint64_t bundle() const { return bundle_; }
    /// The piece that is lent next, of so many octets.
    [[nodiscard]] BundlePiece piece(std::uint64_t bytes) const {
        return {spool_, lent_to_, bytes_ - lent_to_ - bytes};
    }

    // ---- reading
    /// Where the next piece begins that is to be read.
    [[nodiscard]] std::uint64_t next() const { return read_to_; }
    /// One is to be read. The first one comes alone: its head decides whether the bundle leaves.
    [[nodiscard]] bool reads_on() const {
        return active() && !stopped_ && read_to_ < bytes_ && (read_to_ == 0 || lent_to_ > 0);
    }
    [[nodiscard]] bool has_room_for(std::uint64_t bytes, std::uint64_t window) const {
        return reading_ + lent_ < kLeastPieces || held_bytes_ + bytes <= window;
    }
    void handle_queued(std::uint64_t bytes) {
        ++reading_;
        read_to_ += bytes;
        held_bytes_ += bytes;
    }
    void handle_read() { --reading_; }

    // ---- lending
    [[nodiscard]] bool begun() const { return lent_to_ > 0; }
    [[nodiscard]] bool all_lent() const { return lent_to_ == bytes_; }
    [[nodiscard]] std::uint32_t lent() const { return lent_; }
    /// The number of the batch of the last piece.
    [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
    void set_sequence(std::uint64_t sequence) { sequence_ = sequence; }
    /// Of all pieces what the first one has.
    void set_head(std::uint8_t version, DtnTime received) {
        version_ = version;
        received_ = received;
    }
    [[nodiscard]] std::uint8_t version() const { return version_; }
    [[nodiscard]] DtnTime received() const { return received_; }
    void handle_lent(std::uint64_t bytes) {
        ++lent_;
        lent_to_ += bytes;
    }
    /// A piece that was read is not lent.
    void handle_dropped(std::uint64_t bytes) { held_bytes_ -= bytes; }
    /// A lent piece has come back.
    void handle_back(std::uint64_t bytes) {
        FARLINK_INVARIANT(lent_ > 0 && held_bytes_ >= bytes);
        --lent_;
        held_bytes_ -= bytes;
    }

    // ---- its end
    [[nodiscard]] bool stopped() const { return stopped_; }
    /// Nothing more of it is read. What is specific counts, whatever came before: pieces behind a
    /// refused one were just not sent.
    void stop(Outcome why) {
        stopped_ = true;
        if (outcome_ == Outcome::kSent || outcome_ == Outcome::kNotSent) outcome_ = why;
    }
    /// A piece has this outcome.
    void set_outcome(Outcome outcome) {
        if (outcome != Outcome::kSent) stop(outcome);
    }
    /// This piece cannot be read.
    void set_damaged(EntryIndex piece) {
        damaged_ = piece;
        stop(Outcome::kNotSent);
    }
    [[nodiscard]] EntryIndex damaged() const { return damaged_; }
    [[nodiscard]] bool over() const {
        return active() && (stopped_ || all_lent()) && reading_ == 0 && lent_ == 0;
    }
    /// When it is over.
    [[nodiscard]] Outcome outcome() const { return outcome_; }

private:
    std::uint64_t bundle_ = 0;
    std::uint64_t spool_ = 0;
    std::uint64_t bytes_ = 0;
    std::uint64_t read_to_ = 0;     ///< octets before it are read, or at a disk
    std::uint64_t lent_to_ = 0;     ///< octets before it are lent, or back
    std::uint64_t held_bytes_ = 0;  ///< of the pieces that are at a disk, read or lent
    std::uint32_t reading_ = 0;     ///< pieces
    std::uint32_t lent_ = 0;        ///< pieces
    bool stopped_ = false;
    std::uint8_t version_ = 0;
    DtnTime received_ = 0;
    std::uint64_t sequence_ = 0;
    Outcome outcome_ = Outcome::kSent;
    EntryIndex damaged_ = kNoEntry;
};

}  // namespace farlink::storage
