// SPDX-License-Identifier: Apache-2.0
#include "common/bus/wire/wire_batch.hpp"

#include <algorithm>
#include <utility>

#include "common/base/copy_octets.hpp"

namespace farlink::bus {
namespace {

/// The largest gap between two slices of one frame: it is cheaper to send the framing of a
/// convergence layer along than to begin another frame.
constexpr std::uintptr_t kGapOctets = 64;

/// Fixed part of a bundle, and of a slice, in the header frame.
constexpr std::size_t kBundleOctets = 68;
constexpr std::size_t kSliceOctets = 12;

/// Where a slice lies: `length` octets at `offset` of frame number `frame`.
struct Place {
    std::uint32_t frame = 0;
    std::uint32_t offset = 0;
    std::uint32_t length = 0;
};

template <class Io>
void fields(Io &io, Of<Io, Place> &place) {
    io(place.frame, place.offset, place.length);
}

template <class Io>
void fixed_fields(Io &io, Of<Io, BatchedBundle> &bundle, Of<Io, Duration> &age) {
    io(bundle.size, bundle.arrival, bundle.flow, bundle.record, bundle.expiry, age,
       bundle.primary_end, bundle.head_end, bundle.version, bundle.priority, bundle.outcome,
       bundle.requests, bundle.transfer);
}

const Slab *slab_of(const Batch &batch, ByteView slice) {
    const auto holds = [&](const SlabRef &slab) {
        return std::less_equal<>{}(slab->data, slice.data()) &&
               std::less_equal<>{}(slice.data() + slice.size(), slab->data + slab->capacity);
    };
    const auto found = std::ranges::find_if(batch.slabs, holds);
    return found == batch.slabs.end() ? nullptr : found->get();
}

/// Gathers slices into frames: one frame for slices of one slab that follow each other closely.
class FrameBuilder {
public:
    FrameBuilder(const Batch &batch, std::vector<ByteView> &frames)
        : batch_(batch), frames_(frames) {}

    Place add(ByteView slice) {
        if (!extends_last(slice)) {
            frames_.push_back(slice);
            slab_ = slab_of(batch_, slice);
        }
        ByteView &frame = frames_.back();
        const auto offset = static_cast<std::size_t>(slice.data() - frame.data());
        frame = {frame.data(), std::max(frame.size(), offset + slice.size())};
        FARLINK_INVARIANT(frame.size() <= 0xffffffffU);
        return {static_cast<std::uint32_t>(frames_.size() - 1), static_cast<std::uint32_t>(offset),
                static_cast<std::uint32_t>(slice.size())};
    }

private:
    [[nodiscard]] bool extends_last(ByteView slice) const {
        if (frames_.empty() || slab_ == nullptr) return false;
        const auto end =
            reinterpret_cast<std::uintptr_t>(frames_.back().data()) + frames_.back().size();
        const auto start = reinterpret_cast<std::uintptr_t>(slice.data());
        if (start < end || start - end > kGapOctets) return false;
        return std::less_equal<>{}(slice.data() + slice.size(), slab_->data + slab_->capacity);
    }

    const Batch &batch_;
    std::vector<ByteView> &frames_;
    const Slab *slab_ = nullptr;
};

/// A slab for that number of octets: from the pool for a large batch, of its own size for a small
/// one, which would otherwise occupy a whole slab.
SlabRef slab_for(std::uint64_t octets, SlabPool &slabs) {
    if (octets > 0xffffffffU) return {};
    const bool pooled = octets <= slabs.slab_bytes() && octets >= slabs.slab_bytes() / 4;
    return pooled ? slabs.acquire() : slabs.acquire_sized(static_cast<std::uint32_t>(octets));
}

/// Copies frames into one slab, except those in a slab already; returns views of all, in order.
std::optional<std::vector<ByteView>> place_frames(std::span<const ByteView> frames, Batch &batch,
                                                  const WireMemory &memory) {
    const auto stays = [&](std::size_t at) {
        return at < memory.in_place.size() && memory.in_place[at];
    };
    std::uint64_t copied = 0;
    for (std::size_t at = 0; at < frames.size(); ++at) copied += stays(at) ? 0 : frames[at].size();
    SlabRef slab;
    if (copied > 0) {
        slab = slab_for(copied, memory.slabs);
        if (!slab) return std::nullopt;
        batch.pin(slab);
    }
    std::vector<ByteView> placed;
    placed.reserve(frames.size());
    std::uint8_t *to = slab ? slab->data : nullptr;
    for (std::size_t at = 0; at < frames.size(); ++at) {
        placed.push_back(frames[at]);
        if (stays(at)) {
            batch.pin(memory.in_place[at]);
        } else if (!frames[at].empty()) {
            placed.back() = {to, frames[at].size()};
            to = copy_octets(frames[at], to);
        }
    }
    return placed;
}

bool lies_within(const Place &place, std::span<const ByteView> frames) {
    return place.frame < frames.size() && place.offset <= frames[place.frame].size() &&
           place.length <= frames[place.frame].size() - place.offset;
}

/// The properties that the rest of the node relies on without checking.
bool consistent(const BatchedBundle &bundle, const Batch &batch) {
    std::uint64_t octets = 0;
    for (const ByteView slice : batch.slices_of(bundle)) octets += slice.size();
    const bool version_known = bundle.version == 6 || bundle.version == 7;
    return version_known && octets == bundle.size && octets > 0 &&
           bundle.primary_end <= bundle.head_end &&
           bundle.head_end <= batch.slices[bundle.first_slice].size();
}

/// `frames` are the frames in the reader's memory.
void read_bundle(WireReader &in, std::span<const ByteView> frames, Batch &batch, TimePoint now) {
    BatchedBundle bundle;
    Duration age{};
    fixed_fields(in, bundle, age);
    bundle.received = TimePoint{Duration{
        static_cast<std::int64_t>(static_cast<std::uint64_t>(now.time_since_epoch().count()) -
                                  static_cast<std::uint64_t>(age.count()))}};
    bundle.first_slice = static_cast<std::uint32_t>(batch.slices.size());
    bundle.slice_count = static_cast<std::uint32_t>(in.count(kSliceOctets));
    for (std::uint32_t index = 0; index < bundle.slice_count; ++index) {
        Place place;
        fields(in, place);
        if (!lies_within(place, frames)) return in.fail_with(WireError::kBadSlices);
        batch.slices.push_back(frames[place.frame].subspan(place.offset, place.length));
    }
    if (in.failed()) return;
    if (!consistent(bundle, batch)) return in.fail_with(WireError::kBadSlices);
    batch.bytes += bundle.size;
    batch.requests |= bundle.requests;
    batch.bundles.push_back(bundle);
}

}  // namespace

std::size_t batch_octets(const Batch &batch) {
    constexpr std::size_t kHead = 144;
    return kHead + batch.bundles.size() * (kBundleOctets + 4) + batch.slices.size() * kSliceOctets;
}

void write_batch(WireWriter &out, std::vector<ByteView> &frames, const Batch &batch,
                 TimePoint now) {
    out(batch.owner, batch.instance, batch.link, batch.next_hop, batch.sender, batch.sequence,
        batch.upstream, batch.resumes, batch.retried, batch.copy, batch.number, batch.piece.spool,
        batch.piece.offset, batch.piece.left, batch.sent_payload);
    for (const std::uint64_t number : batch.behind) out(number);
    out.count(batch.bundles.size());
    FrameBuilder builder(batch, frames);
    for (const BatchedBundle &bundle : batch.bundles) {
        fixed_fields(out, bundle, now - bundle.received);
        out.count(bundle.slice_count);
        for (const ByteView slice : batch.slices_of(bundle)) fields(out, builder.add(slice));
    }
}

BatchPtr read_batch(WireReader &in, std::span<const ByteView> frames, WireMemory memory,
                    TimePoint now) {
    BatchPtr batch = memory.batches.acquire();
    in(batch->owner, batch->instance, batch->link, batch->next_hop, batch->sender, batch->sequence,
       batch->upstream, batch->resumes, batch->retried, batch->copy, batch->number,
       batch->piece.spool, batch->piece.offset, batch->piece.left, batch->sent_payload);
    for (std::uint64_t &number : batch->behind) in(number);
    if (batch->instance >= kMostInstances) in.fail_with(WireError::kBadValue);
    const std::size_t count = in.count(kBundleOctets + 4);
    const auto placed = place_frames(frames, *batch, memory);
    if (!placed) in.fail_with(WireError::kNoMemory);
    for (std::size_t index = 0; index < count && !in.failed(); ++index)
        read_bundle(in, *placed, *batch, now);
    if (!in.error()) return batch;
    memory.batches.recycle(std::move(batch));
    return nullptr;
}

void write_outcomes(WireWriter &out, const Batch &batch) {
    out(batch.owner, batch.sequence, batch.sent_payload);
    out.count(batch.bundles.size());
    for (const BatchedBundle &bundle : batch.bundles) out(batch.outcome_of(bundle));
}

BatchPtr read_outcomes(WireReader &in) {
    auto batch = std::make_unique<Batch>();
    in(batch->owner, batch->sequence, batch->sent_payload);
    batch->bundles.resize(in.count(1));
    for (BatchedBundle &bundle : batch->bundles) {
        in(bundle.outcome);
        if (bundle.outcome != Outcome::kPending) ++batch->done;
    }
    return batch;
}

}  // namespace farlink::bus
