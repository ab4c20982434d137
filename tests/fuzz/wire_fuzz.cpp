// SPDX-License-Identifier: Apache-2.0
// Bus messages from a hostile process. Input: a number of frames, the header's length (16 bits,
// little-endian), the header, and the frames' octets in equal parts. A version that is none (0 in a
// header that does not greet, or a former one) becomes this one, so that seeds outlive it.
#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/bus/wire/wire.hpp"
#include "common/bus/wire/wire_hello.hpp"

namespace {

using namespace farlink;

const Batch *batch_of(const bus::Message &message) {
    return std::visit(
        [](const auto &data) -> const Batch * {
            if constexpr (requires { data.batch; }) return data.batch.get();
            return nullptr;
        },
        message);
}

/// What is accepted must encode again, to something that is accepted as the same. The frames of a
/// batch may be cut in another way, its bundles stay what they are.
void repeat(const bus::Message &message, bus::WireMemory memory) {
    const bus::EncodedMessage encoded = bus::encode(message);
    const auto again = bus::decode(encoded.header, encoded.frames, memory);
    if (!again) {
        FARLINK_INVARIANT(again.error() == bus::WireError::kNoMemory);
        return;
    }
    FARLINK_INVARIANT(again->index() == message.index());
    const Batch *one = batch_of(message);
    const Batch *other = batch_of(*again);
    if (one == nullptr) {
        FARLINK_INVARIANT(bus::encode(*again).header == encoded.header);
        return;
    }
    FARLINK_INVARIANT(one->bundles.size() == other->bundles.size() && one->bytes == other->bytes);
    for (std::size_t index = 0; index < one->slices.size(); ++index)
        FARLINK_INVARIANT(std::ranges::equal(one->slices[index], other->slices[index]));
}

/// What is accepted as a greeting is the same again.
void greet(ByteView octets) {
    const auto hello = bus::decode_hello(octets);
    if (!hello) return;
    FARLINK_INVARIANT(std::ranges::equal(bus::encode_hello(*hello), octets));
    FARLINK_INVARIANT(bus::mismatch(*hello, *hello).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 3) return 0;
    const std::size_t frame_count = data[0] % 4;
    const std::size_t header_length =
        std::min<std::size_t>(data[1] | (std::size_t{data[2]} << 8), size - 3);
    Bytes header(data + 3, data + 3 + header_length);
    greet(header);
    if (header.size() > 2 && header[2] < bus::kWireVersion) header[2] = bus::kWireVersion;
    ByteView rest(data + 3 + header_length, size - 3 - header_length);
    std::vector<ByteView> frames;
    for (std::size_t left = frame_count; left > 0; --left) {
        frames.push_back(rest.first(rest.size() / left));
        rest = rest.subspan(frames.back().size());
    }
    (void)bus::decode_event(header);
    SlabPool slabs(4096, 65536);
    BatchPool batches(BatchOwner::kIngress);
    if (const auto message = bus::decode(header, frames, {slabs, batches}))
        repeat(*message, {slabs, batches});
    return 0;
}
