// SPDX-License-Identifier: Apache-2.0
// Parses a bundle whose head may lie in more than one slice: then it is joined first.
// Owned by what receives bundles; it keeps its memory.
// One thread.
#pragma once

#include <span>

#include "common/base/bytes.hpp"
#include "common/bp/parse.hpp"

namespace farlink::traffic {

class ContiguousBundle {
public:
    /// As bp::parse(). From then on, until the next call, `slices` are those of the result.
    [[nodiscard]] Result<bp::BundleView, bp::ParseError> parse(std::span<const ByteView> &slices) {
        auto view = bp::parse(slices);
        if (view || view.error() != bp::ParseError::kHeadNotContiguous) return view;
        joined_.clear();
        for (const ByteView slice : slices) append(joined_, slice);
        whole_ = joined_;
        slices = {&whole_, 1};
        return bp::parse(slices);
    }

private:
    Bytes joined_;
    ByteView whole_;
};

}  // namespace farlink::traffic
