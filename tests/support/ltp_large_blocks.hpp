// SPDX-License-Identifier: Apache-2.0
// Blocks that one side of an LtpPair sends in parts, of which few are at the engine at a time.
// Owned by a test; one thread.
// The octets of a part are overwritten as soon as its end is published.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/ltp_pair.hpp"

namespace farlink::test {

class LargeBlocks {
public:
    /// Parts of a block that are at the engine at a time.
    static constexpr std::size_t kWindow = 3;

    LargeBlocks(LtpSide &side, std::size_t part_bytes) : side_(side), part_bytes_(part_bytes) {
        side_.after_drain = [this](TimePoint now) { feed(now); };
    }
    ~LargeBlocks() { side_.after_drain = {}; }
    LargeBlocks(const LargeBlocks &) = delete;
    LargeBlocks &operator=(const LargeBlocks &) = delete;

    void send(std::uint64_t number, std::size_t size, TimePoint now) {
        blocks_[number].octets = numbered_block(number, size);
        feed(now);
    }
    [[nodiscard]] std::size_t delivered() const { return delivered_.size(); }
    [[nodiscard]] std::size_t cancelled() const { return cancelled_; }
    [[nodiscard]] const std::vector<std::uint64_t> &delivered_blocks() const { return delivered_; }

private:
    struct Block {
        Bytes octets;
        cla::ltp::SessionHandle session;
        std::map<std::uint64_t, Bytes> parts;  ///< at the engine, by token
        std::size_t handed_over = 0;
        std::uint64_t next_token = 0;
    };
    /// Tokens of a block from here on.
    static std::uint64_t first_token(std::uint64_t number) { return (number + 1) << 20U; }

    void feed(TimePoint now) {
        for (; seen_ < side_.events.size(); ++seen_) take(side_.events[seen_]);
        for (auto &[number, block] : blocks_)
            while (block.handed_over < block.octets.size() && block.parts.size() < kWindow)
                if (!hand_over(number, block, now)) break;
    }
    void take(const cla::ltp::Event &event) {
        using cla::ltp::EventType;
        if (event.token == 0) return;
        const auto found = blocks_.find((event.token >> 20U) - 1);
        if (found == blocks_.end()) return;
        Block &block = found->second;
        if (const auto part = block.parts.find(event.token); part != block.parts.end()) {
            std::ranges::fill(part->second, std::uint8_t{0xdd});
            block.parts.erase(part);
        }
        if (event.type == EventType::kDelivered) delivered_.push_back(found->first);
        if (event.type == EventType::kCancelled || event.type == EventType::kCancelledByPeer) {
            ++cancelled_;
            block.handed_over = block.octets.size();
        }
    }
    bool hand_over(std::uint64_t number, Block &block, TimePoint now) {
        const std::size_t size = std::min(part_bytes_, block.octets.size() - block.handed_over);
        const ByteView octets = ByteView(block.octets).subspan(block.handed_over, size);
        if (block.handed_over == 0) block.next_token = first_token(number);
        Bytes &part = block.parts[block.next_token];
        part.assign(octets.begin(), octets.end());
        const cla::ltp::BlockPiece piece{part, false};
        if (block.handed_over == 0) {
            cla::ltp::BlockRequest request;
            request.pieces = {&piece, 1};
            request.token = block.next_token;
            request.following = block.octets.size() - size;
            block.session = *side_.engine.send_block(side_.peer, request, now);
        } else if (!side_.engine.extend_block(block.session, {&piece, 1})) {
            block.parts.erase(block.next_token);
            return false;  // the event of its end comes
        }
        block.handed_over += size;
        ++block.next_token;
        return true;
    }

    LtpSide &side_;
    std::size_t part_bytes_;
    std::map<std::uint64_t, Block> blocks_;
    std::vector<std::uint64_t> delivered_;
    std::size_t cancelled_ = 0;
    std::size_t seen_ = 0;  ///< of the side's events
};

}  // namespace farlink::test
