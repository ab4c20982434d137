// SPDX-License-Identifier: Apache-2.0
#include "common/bp/fragment.hpp"

#include "common/bp/v6/bundle.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/bundle.hpp"

namespace farlink::bp {
namespace {

/// `decoded` is a Result of either version's Bundle.
template <class Decoded>
std::optional<std::pair<Bytes, Bytes>> split(const Decoded &decoded, std::uint64_t split_at) {
    if (!decoded) return std::nullopt;
    const auto parts = fragment(*decoded, split_at);
    if (!parts) return std::nullopt;
    return std::pair(encode(parts->first), encode(parts->second));
}

}  // namespace

std::optional<std::pair<Bytes, Bytes>> fragment(ByteView bundle, std::uint64_t split_at) {
    if (!bundle.empty() && bundle[0] == v6::kVersion) return split(v6::decode(bundle), split_at);
    return split(v7::decode(bundle), split_at);
}

}  // namespace farlink::bp
