// SPDX-License-Identifier: Apache-2.0
#include "common/bus/wire_batch.hpp"

#include <algorithm>
#include <utility>

namespace farlink::bus {
namespace {

/// Octets between two slices that are sent with them rather than cut out by another frame: the
/// framing of a convergence layer.
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

/// Copies frames into one slab; views of the copies, in the same order.
std::optional<std::vector<ByteView>> copy_frames(std::span<const ByteView> frames, Batch &batch,
                                                 SlabPool &slabs) {
    std::uint64_t total = 0;
    for (const ByteView frame : frames) total += frame.size();
    if (total == 0) return std::vector<ByteView>(frames.begin(), frames.end());
    if (total > 0xffffffffU) return std::nullopt;
    // A small batch gets a slab of its own size, or it would hold a whole one.
    const bool pooled = total <= slabs.slab_bytes() && total >= slabs.slab_bytes() / 4;
    const SlabRef slab =
        pooled ? slabs.acquire() : slabs.acquire_sized(static_cast<std::uint32_t>(total));
    if (!slab) return std::nullopt;
    batch.pin(slab);
    std::vector<ByteView> copies;
    std::uint8_t *to = slab->data;
    for (const ByteView frame : frames) {
        to = std::ranges::copy(frame, to).out;
        copies.emplace_back(to - frame.size(), frame.size());
    }
    return copies;
}

bool lies_within(const Place &place, std::span<const ByteView> frames) {
    return place.frame < frames.size() && place.offset <= frames[place.frame].size() &&
           place.length <= frames[place.frame].size() - place.offset;
}

/// What the rest of the node relies on without looking again.
bool consistent(const BatchedBundle &bundle, const Batch &batch) {
    std::uint64_t octets = 0;
    for (const ByteView slice : batch.slices_of(bundle)) octets += slice.size();
    const bool version_known = bundle.version == 6 || bundle.version == 7;
    return version_known && octets == bundle.size && octets > 0 &&
           bundle.primary_end <= bundle.head_end &&
           bundle.head_end <= batch.slices[bundle.first_slice].size();
}

/// `frames` are where the slices end up, in the reader's memory.
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

void write_batch(WireWriter &out, std::vector<ByteView> &frames, const Batch &batch,
                 TimePoint now) {
    out(batch.owner, batch.link, batch.next_hop, batch.sequence, batch.upstream, batch.resumes,
        batch.retried, batch.copy);
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
    in(batch->owner, batch->link, batch->next_hop, batch->sequence, batch->upstream, batch->resumes,
       batch->retried, batch->copy);
    const std::size_t count = in.count(kBundleOctets + 4);
    const auto copies = copy_frames(frames, *batch, memory.slabs);
    if (!copies) in.fail_with(WireError::kNoMemory);
    for (std::size_t index = 0; index < count && !in.failed(); ++index)
        read_bundle(in, *copies, *batch, now);
    if (!in.error()) return batch;
    memory.batches.recycle(std::move(batch));
    return nullptr;
}

void write_outcomes(WireWriter &out, const Batch &batch) {
    out(batch.owner, batch.sequence);
    out.count(batch.bundles.size());
    for (const BatchedBundle &bundle : batch.bundles) out(batch.outcome_of(bundle));
}

BatchPtr read_outcomes(WireReader &in) {
    auto batch = std::make_unique<Batch>();
    in(batch->owner, batch->sequence);
    batch->bundles.resize(in.count(1));
    for (BatchedBundle &bundle : batch->bundles) {
        in(bundle.outcome);
        if (bundle.outcome != Outcome::kPending) ++batch->done;
    }
    return batch;
}

}  // namespace farlink::bus
