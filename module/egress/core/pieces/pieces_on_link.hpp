// SPDX-License-Identifier: Apache-2.0
// A bundle that leaves by a link in pieces: storage reads it while it leaves. Nothing else leaves
// by that link between its first piece and its last.
// Value of EgressLink; one thread.
#pragma once

#include <cstdint>
#include <utility>

#include "common/base/bytes.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::egress {

/// What a status report on a bundle and its record need, when its last piece has left.
struct ReportableHead {
    Bytes octets;  ///< empty: neither is needed
    std::uint64_t payload_length = 0;
    std::uint64_t bundle_bytes = 0;
    bool requested = false;  ///< the report
};

class PiecesOnLink {
public:
    /// The first piece waits for the link now.
    void expect(const BundlePiece &first) {
        spool_ = first.spool;
        refused_ = 0;
    }
    /// Whether this piece is to leave: its bundle waits or has begun, and was not broken off.
    [[nodiscard]] bool expects(const BundlePiece &piece) const {
        return spool_ != 0 && spool_ == piece.spool;
    }
    /// A piece of it was not taken, so none that the link reports later is sent.
    void set_refused(const BundlePiece &piece) { refused_ = piece.spool; }
    [[nodiscard]] bool is_refused(const BundlePiece &piece) const {
        return piece.present() && refused_ == piece.spool;
    }
    void push(BatchPtr piece) { further_.push_back(std::move(piece)); }

    /// The link has a piece and not the last one: only its further pieces may follow.
    [[nodiscard]] bool begun() const { return begun_; }
    /// A piece is given to the link.
    void handle_rendered(const BundlePiece &piece) {
        begun_ = piece.left > 0;
        if (!begun_) spool_ = 0;
    }
    /// The next piece of the bundle that has begun; null while it is not here.
    [[nodiscard]] BatchPtr pop() { return further_.empty() ? nullptr : further_.pop_front(); }
    void keep_head(ReportableHead head) { head_ = std::move(head); }
    [[nodiscard]] ReportableHead take_head() { return std::exchange(head_, {}); }
    /// No more of it leaves. The pieces that wait are popped by the caller.
    void end() {
        spool_ = 0;
        begun_ = false;
        head_ = {};
    }

private:
    std::uint64_t spool_ = 0;    ///< of which a piece waits or has left, and not the last one
    std::uint64_t refused_ = 0;  ///< of which a piece was refused
    bool begun_ = false;
    Ring<BatchPtr> further_;
    ReportableHead head_;
};

}  // namespace farlink::egress
