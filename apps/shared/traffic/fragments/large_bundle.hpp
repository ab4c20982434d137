// SPDX-License-Identifier: Apache-2.0
// A bundle that arrives in pieces: checked as it comes, so that it need not be kept.
// Owned by the sink, one for each session; one thread.
// A fragment, and a bundle that cannot be read from its beginning, is kept and checked as a whole.
#pragma once

#include <optional>
#include <span>

#include "apps/shared/traffic/content/payload.hpp"
#include "common/base/bytes.hpp"
#include "common/bp/arriving_bundle.hpp"

namespace farlink::traffic {

class LargeBundle {
public:
    void add(std::span<const ByteView> piece);

    /// The last piece is here. The octets of a bundle that was kept; else empty.
    [[nodiscard]] ByteView kept() const { return kept_; }
    /// Else: what it is, or why it is no bundle.
    [[nodiscard]] Result<bp::BundleView, bp::ParseError> finish();
    [[nodiscard]] const std::optional<PayloadHeader> &header() const { return header_; }
    /// The payload behind its header is the pattern.
    [[nodiscard]] bool matches() const { return matches_; }

private:
    void begin(std::span<const ByteView> first);
    void check(std::span<const ByteView> piece);

    bp::ArrivingBundle bundle_;
    bp::BundleView view_;
    std::optional<bp::ParseError> error_;
    std::optional<PayloadHeader> header_;
    std::optional<Pattern> pattern_;
    std::uint64_t taken_ = 0;  ///< octets
    bool keeps_ = false;
    bool matches_ = true;
    Bytes kept_;
};

}  // namespace farlink::traffic
