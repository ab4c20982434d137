// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/bundle_group.hpp"

#include <algorithm>
#include <utility>

namespace farlink::traffic {

BundleGroup::BundleGroup(BundleTemplate &bundles, const Pattern &pattern)
    : bundles_(bundles),
      pattern_(pattern),
      tail_bytes_(bundles.tail_bytes()),
      refer_(tail_bytes_ >= kReferBytes),
      max_bundle_bytes_(largest()),
      max_bundles_(bundles_within(kFullBytes)),
      pieces_per_bundle_((tail_bytes_ + Pattern::kStretch - 1) / Pattern::kStretch + 1),
      arena_(max_bundles_ * (max_bundle_bytes_ - (refer_ ? tail_bytes_ : 0)) +
             BundleTemplate::kHeadRoom) {
    group_.reserve(max_bundles_);
}

// The largest bundle of a run: every variable number has its maximum of octets.
std::uint64_t BundleGroup::largest() const {
    PayloadHeader header;
    header.sequence = header.sent_unix_ns = ~std::uint64_t{0};
    std::array<std::uint8_t, BundleTemplate::kHeadRoom> head;
    GroupMemory::Trailer trailer;
    const std::size_t head_bytes = bundles_.head(header, head.data());
    return head_bytes + tail_bytes_ + bundles_.trailer(trailer.data());
}

std::uint64_t BundleGroup::bundles_within(std::uint64_t bytes) const {
    const std::uint64_t room = std::min<std::uint64_t>(bytes, kFullBytes);
    return std::clamp<std::uint64_t>(room / max_bundle_bytes_, 1, kFullBundles);
}

void BundleGroup::add(const PayloadHeader &header, std::uint64_t token) {
    std::uint8_t *const head = arena_.data() + used_;
    std::uint8_t *at = head + bundles_.head(header, head);
    if (!refer_) {
        std::memcpy(at, pattern_.stretch().data(), tail_bytes_);
        at += tail_bytes_;
        at += bundles_.trailer(at);
    }
    const auto head_bytes = static_cast<std::size_t>(at - head);
    TxBundle &bundle = group_.emplace_back();
    bundle.head = {head, head_bytes};
    bundle.size = head_bytes;
    bundle.token = token;
    if (refer_) refer(bundle);
    used_ += head_bytes;
    bytes_ += bundle.size;
}

void BundleGroup::add_whole(Bytes &&octets, std::uint64_t token) {
    const ByteView whole(memory().bundles.emplace_back(std::move(octets)));
    // The link copies the head; the body stays where it is, though the vector may move.
    const std::size_t head = std::min<std::size_t>(whole.size(), BundleTemplate::kHeadRoom);
    TxBundle &bundle = group_.emplace_back();
    bundle.head = whole.first(head);
    bundle.body = whole.subspan(head);
    bundle.size = whole.size();
    bundle.token = token;
    bytes_ += bundle.size;
}

// The vectors never exceed their reserved capacity, so their elements keep their addresses.
void BundleGroup::refer(TxBundle &bundle) {
    GroupMemory &memory = this->memory();
    const std::size_t first = memory.pieces.size();
    for (std::uint64_t rest = tail_bytes_; rest > 0;) {
        const auto size =
            static_cast<std::size_t>(std::min<std::uint64_t>(rest, Pattern::kStretch));
        memory.pieces.push_back(pattern_.stretch().first(size));
        rest -= size;
    }
    GroupMemory::Trailer &trailer = memory.trailers.emplace_back();
    const std::size_t trailer_bytes = bundles_.trailer(trailer.data());
    if (trailer_bytes > 0) memory.pieces.push_back(ByteView(trailer).first(trailer_bytes));
    bundle.body = memory.pieces[first];
    bundle.rest = std::span(memory.pieces).subspan(first + 1);
    bundle.size += tail_bytes_ + trailer_bytes;
}

GroupMemory &BundleGroup::memory() {
    if (memory_) return *memory_;
    if (spare_.empty()) {
        memory_ = std::make_unique<GroupMemory>();
        memory_->trailers.reserve(max_bundles_);
        memory_->pieces.reserve(max_bundles_ * pieces_per_bundle_);
    } else {
        memory_ = std::move(spare_.back());
        spare_.pop_back();
    }
    return *memory_;
}

void BundleGroup::recycle(GroupMemoryPtr memory) {
    if (!memory) return;
    memory->trailers.clear();
    memory->pieces.clear();
    memory->bundles.clear();
    spare_.push_back(std::move(memory));
}

void BundleGroup::clear() {
    group_.clear();
    used_ = 0;
    bytes_ = 0;
}

}  // namespace farlink::traffic
