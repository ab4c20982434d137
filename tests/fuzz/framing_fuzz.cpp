// SPDX-License-Identifier: Apache-2.0
// Any octets as frames of STCP or MTCP: a stream in pieces gives the bundles that it gives at once,
// and bundles that are framed again come back.
// Input: an octet whose lowest bit chooses the framing, an octet of piece size, the stream.
#include "cla/stcp/core/stcp_receiver.hpp"
#include "cla/stcp/core/stcp_sender.hpp"
#include "common/base/invariant.hpp"
#include "tests/support/octets.hpp"

namespace {

using namespace farlink;
using namespace farlink::cla::stcp;

constexpr std::uint64_t kMaxBundle = 100'000;
constexpr UpstreamId kSession{1};

struct Outcome {
    std::vector<Bytes> bundles;
    StcpFault fault = StcpFault::kNone;
    std::uint64_t keep_alives = 0;
    bool inside_bundle = false;
    friend bool operator==(const Outcome &, const Outcome &) = default;
};

Outcome read(Framing framing, ByteView stream, std::size_t piece) {
    SlabPool pool(16 * 1024, 1024 * 1024);
    ReadBuffer buffer(pool);
    StcpReceiver receiver(kMaxBundle, kSession, framing);
    ReceivedBundles received;
    Outcome outcome;
    while (!stream.empty() && outcome.fault == StcpFault::kNone) {
        const MutableBytes space = receiver.prepare(buffer);
        FARLINK_INVARIANT(!space.empty());
        const std::size_t size = std::min({space.size(), stream.size(), piece});
        std::ranges::copy(stream.first(size), space.begin());
        stream = stream.subspan(size);
        outcome.fault = receiver.handle_bytes(size, buffer, received);
        for (const ReceivedBundle &bundle : received.bundles)
            outcome.bundles.push_back(test::joined(received.slices_of(bundle)));
        received.clear();
        FARLINK_INVARIANT(receiver.compact(pool));
        buffer.rest();
    }
    outcome.keep_alives = receiver.keep_alives();
    outcome.inside_bundle = receiver.inside_bundle();
    receiver.forget();
    buffer.rest();
    FARLINK_INVARIANT(pool.pinned_bytes() == 0);
    return outcome;
}

Bytes frame(Framing framing, const std::vector<Bytes> &bundles) {
    StcpSender sender(framing);
    for (const Bytes &bundle : bundles) {
        const TxBundle tx{{}, bundle, {}, bundle.size(), 0};
        sender.handle_send({&tx, 1});
    }
    Bytes stream;
    while (sender.pending() > 0) {
        iovec piece;
        (void)sender.queue().gather({&piece, 1}, 1);
        append(stream, {static_cast<const std::uint8_t *>(piece.iov_base), piece.iov_len});
        sender.handle_written(piece.iov_len);
    }
    return stream;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 2) return 0;
    const Framing framing = (data[0] & 1) != 0 ? Framing::kMtcp : Framing::kStcp;
    const ByteView stream(data + 2, size - 2);
    const Outcome whole = read(framing, stream, ~std::size_t{0});
    FARLINK_INVARIANT(whole == read(framing, stream, std::size_t{data[1]} + 1));
    const Outcome again = read(framing, frame(framing, whole.bundles), ~std::size_t{0});
    FARLINK_INVARIANT(again.bundles == whole.bundles && again.fault == StcpFault::kNone);
    return 0;
}
