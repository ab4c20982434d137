// SPDX-License-Identifier: Apache-2.0
// Puts bundles into blocks, one or several each, and records which of them have ended.
// Owned by a link, one for each peer that bundles are sent to; one thread.
// A bundle in pieces is a block whose parts are those pieces.
// Several small bundles in one block cost one session instead of one each. A bundle waits for
// others for a limited time only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "cla/ltp/core/engine.hpp"
#include "common/buffer/ring.hpp"
#include "common/buffer/tx_bundle.hpp"

namespace farlink::cla::ltp {

struct OutboxConfig {
    /// A block with so many octets is sent; 0: every bundle has a block of its own.
    std::uint64_t aggregate_bytes = 0;
    /// How long a bundle waits for others, in contact time.
    Duration aggregate_delay = milliseconds(10);
    /// Use client service 2 (service data aggregation); otherwise client service 1.
    bool service_data_aggregation = true;
};

class BundleOutbox {
public:
    BundleOutbox(Engine &engine, PeerId peer, const OutboxConfig &config)
        : engine_(engine), peer_(peer), config_(config) {}

    /// Takes all of them, in order; tokens ascend, and those left out count as ended.
    void handle_send(std::span<const TxBundle> bundles, TimePoint now);
    /// Sends the block that waits for more bundles.
    void flush(TimePoint now);
    /// No further pieces come of the bundle that is handed over in pieces: cancels its block.
    void break_off(TimePoint now);
    /// An event of this peer's blocks.
    void handle_event(const Event &event);
    [[nodiscard]] TimePoint next_timeout() const { return waiting_ > 0 ? flush_at_ : kNever; }
    void handle_timeout(TimePoint now) {
        if (next_timeout() <= now) flush(now);
    }

    /// Bytes that handle_send() takes now.
    [[nodiscard]] std::uint64_t credit() const {
        const std::uint64_t credit = engine_.send_credit(peer_);
        return credit > waiting_bytes_ ? credit - waiting_bytes_ : 0;
    }
    /// Every bundle with a token below this one has ended.
    [[nodiscard]] std::uint64_t done_below() const { return done_below_; }
    struct Refusal {
        std::uint64_t token = 0;
        std::uint32_t count = 0;
        CancelReason reason{};
        bool by_peer = false;
        bool broken_off = false;  ///< by break_off()
    };
    /// Bundles that were not delivered; they have ended, too. For a bundle in pieces the refusal
    /// has the token of the oldest piece that has not ended, or of the next piece.
    [[nodiscard]] std::optional<Refusal> poll_refusal() {
        if (refusals_.empty()) return std::nullopt;
        return refusals_.pop_front();
    }

private:
    /// A waiting piece: its octets, or the place of its copy in `copies_`.
    struct Waiting {
        const std::uint8_t *data = nullptr;
        std::size_t offset = 0;
        std::size_t size = 0;
    };
    void follow(std::uint64_t token, TimePoint now);
    void gather(const TxBundle &bundle);
    void send_alone(const TxBundle &bundle, TimePoint now);
    void send_piece(const TxBundle &piece, TimePoint now);
    [[nodiscard]] bool begin_block(const TxBundle &first, TimePoint now);
    void skip_piece(const TxBundle &piece);
    void handle_cancelled(const Event &event);
    void add(const TxBundle &bundle, TimePoint now);
    void add_copy(ByteView octets);
    void send(std::uint64_t service, std::uint64_t token, std::uint32_t count, TimePoint now);
    [[nodiscard]] bool awaits(std::uint64_t token) const {
        return token - done_below_ < done_.size();
    }
    void note_done(std::uint64_t token, std::uint32_t count);

    Engine &engine_;
    PeerId peer_;
    OutboxConfig config_;
    std::vector<BlockPiece> pieces_;
    std::vector<Waiting> waiting_pieces_;
    Bytes copies_;
    std::uint32_t waiting_ = 0;  ///< bundles
    std::uint64_t waiting_bytes_ = 0;
    std::uint64_t first_token_ = 0;
    TimePoint flush_at_ = kNever;

    /// The last bundle in pieces.
    struct Spool {
        std::uint64_t token = 0;             ///< of its first piece
        std::optional<SessionHandle> block;  ///< until the block ends, or the last piece is in it
        bool broken_off = false;
        bool refused = false;               ///< and the refusal is reported
        std::optional<Refusal> unreported;  ///< to be reported with the next piece
    };
    Spool spool_;

    /// Has the bundle ended? One entry for each token from done_below_ on.
    Ring<std::uint8_t> done_;
    std::uint64_t done_below_ = 0;
    Ring<Refusal> refusals_;
};

}  // namespace farlink::cla::ltp
