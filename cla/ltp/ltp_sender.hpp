// SPDX-License-Identifier: Apache-2.0
// Bundles on their way to one remote engine: as blocks, alone or several together.
// Owned by an LTP link beside its port; one thread.
// Sessions end in any order; what the host hears of is the first token that is not done yet.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <vector>

#include "cla/ltp/ltp_port.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::cla::ltp {

class LtpSender {
public:
    /// `link` is what the host knows it by.
    LtpSender(LinkResources resources, LtpPort &port, PeerId peer, LinkId link,
              const config::LinkOptions &options);

    [[nodiscard]] std::uint64_t credit() const;
    void transmit(std::span<const TxBundle> bundles);
    /// Sends what waits for more to be put into the same block.
    void flush_block();
    /// The end of a block of this sender.
    void handle(const Event &event);
    /// Tells the host what has ended; at the end of a turn.
    void report();
    /// Bundles whose end is not known.
    [[nodiscard]] std::size_t unfinished() const { return open_; }
    /// The sender had nothing more to send at the peer's limit, and now it may.
    void wake_host();

private:
    /// The token and what became of it.
    enum class Fate : std::uint8_t { kOpen, kDone };

    [[nodiscard]] bool aggregates() const { return options_.ltp.aggregation_bytes > 0; }
    void add_to_block(const TxBundle &bundle);
    void add_piece(ByteView octets, bool transient);
    void send_block(std::uint64_t token, std::uint32_t count);
    void finish(std::uint64_t token, std::uint32_t count);
    void wait_for_more();

    LinkResources resources_;
    LtpPort &port_;
    PeerId peer_;
    LinkId link_;
    const config::LinkOptions &options_;

    Ring<Fate> fates_;         ///< of the tokens from first_token_ on
    std::uint64_t first_token_ = 0;
    std::size_t open_ = 0;
    bool full_ = false;  ///< the host was told of no credit
    bool something_ended_ = false;

    // The block that is being put together. Heads are transient, so they are copied.
    std::vector<BlockPiece> pieces_;
    Ring<Bytes> heads_;
    std::uint64_t block_token_ = 0;
    std::uint32_t block_count_ = 0;
    std::uint64_t block_bytes_ = 0;
    boost::asio::steady_timer block_timer_;
};

}  // namespace farlink::cla::ltp
