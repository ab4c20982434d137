// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/core/udp_sender.hpp"

#include <algorithm>

namespace farlink::cla::udp {
namespace {

constexpr std::size_t kGatherBytes = 1024 * 1024;

/// Cuts a list of entries at the ends of messages: an entry that covers the end of one and the
/// start of the next becomes two.
class Cutter {
public:
    Cutter(std::span<const iovec> entries, std::span<iovec> pieces)
        : entries_(entries), pieces_(pieces) {}

    /// The next `bytes` octets; empty when the entries end before.
    [[nodiscard]] std::span<iovec> cut(std::size_t bytes) {
        std::size_t count = 0;
        while (bytes > 0) {
            if (next_ == entries_.size()) return {};
            const iovec &entry = entries_[next_];
            const std::size_t part = std::min(bytes, entry.iov_len - offset_);
            pieces_[count++] = {static_cast<std::uint8_t *>(entry.iov_base) + offset_, part};
            bytes -= part;
            offset_ += part;
            if (offset_ == entry.iov_len) {
                ++next_;
                offset_ = 0;
            }
        }
        const std::span<iovec> cut_off = pieces_.first(count);
        pieces_ = pieces_.subspan(count);
        return cut_off;
    }

private:
    std::span<const iovec> entries_;
    std::span<iovec> pieces_;
    std::size_t next_ = 0;
    std::size_t offset_ = 0;
};

}  // namespace

void UdpSender::restart(std::uint64_t max_datagram_bytes) {
    queue_.clear();
    datagrams_.clear();
    refused_.clear();
    max_datagram_bytes_ = max_datagram_bytes;
}

void UdpSender::handle_send(std::span<const TxBundle> bundles) {
    for (const TxBundle &bundle : bundles) {
        if (bundle.size > max_datagram_bytes_) {
            refuse(bundle.token);
        } else {
            queue(bundle);
            datagrams_.push_back(
                {static_cast<std::uint32_t>(bundle.size), bundle.token, bundle.token + 1});
        }
    }
}

void UdpSender::queue(const TxBundle &bundle) {
    if (bundle.rest.empty() && bundle.size <= kCopyBytes) {
        std::uint8_t *const out = queue_.reserve(bundle.size).data();
        // std::ranges::copy would go octet by octet here.
        const auto body = std::copy(bundle.head.begin(), bundle.head.end(), out);
        std::copy(bundle.body.begin(), bundle.body.end(), body);
        return queue_.commit(bundle.size);
    }
    const bool copy = bundle.rest.size() >= kMaxPieces;
    const auto add = [this, copy](ByteView piece) {
        if (copy)
            queue_.copy(piece);
        else
            queue_.reference(piece);
    };
    queue_.copy(bundle.head);
    add(bundle.body);
    std::ranges::for_each(bundle.rest, add);
}

// Tokens are reported in order, so a refused one is done when those before it are.
void UdpSender::refuse(std::uint64_t token) {
    ++refused_count_;
    refused_.push_back(token);
    (datagrams_.empty() ? done_below_ : datagrams_.back().done_below) = token + 1;
}

std::optional<std::uint64_t> UdpSender::poll_refusal() {
    if (refused_.empty()) return std::nullopt;
    return refused_.pop_front();
}

// Equal datagrams from number `first` on, and one smaller one at the end.
OutMessage UdpSender::group(std::size_t first, std::size_t most) const {
    const std::uint32_t size = datagrams_[first].size;
    OutMessage message{{}, size, 1, size};
    if (size > max_segment_bytes_) return message;
    most = std::min({most, kMaxSegments, datagrams_.size() - first});
    while (message.datagrams < most) {
        const std::uint32_t next = datagrams_[first + message.datagrams].size;
        if (next > size || message.bytes + next > kMaxMessageBytes) break;
        message.bytes += next;
        ++message.datagrams;
        if (next < size) break;
    }
    return message;
}

std::span<const OutMessage> UdpSender::poll_messages(std::size_t max_datagrams) {
    Cutter cutter({entries_.data(), queue_.gather(entries_, kGatherBytes)}, pieces_);
    std::size_t count = 0;
    std::size_t taken = 0;
    max_datagrams = std::min(max_datagrams, datagrams_.size());
    while (count < kMaxMessages && taken < max_datagrams) {
        OutMessage message = group(taken, max_datagrams - taken);
        message.pieces = cutter.cut(message.bytes);
        if (message.pieces.empty()) break;
        taken += message.datagrams;
        messages_[count++] = message;
    }
    return {messages_.data(), count};
}

void UdpSender::handle_sent(std::size_t count) {
    messages_sent_ += count;
    for (const OutMessage &message : std::span(messages_).first(count)) {
        datagrams_sent_ += message.datagrams;
        queue_.written(message.bytes);
        for (std::uint32_t sent = 0; sent < message.datagrams; ++sent)
            done_below_ = datagrams_.pop_front().done_below;
    }
}

void UdpSender::handle_too_large() {
    const Datagram front = datagrams_.pop_front();
    queue_.written(front.size);
    done_below_ = front.done_below;
    refused_.push_back(front.token);
    ++refused_count_;
}

}  // namespace farlink::cla::udp
