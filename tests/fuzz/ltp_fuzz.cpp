// SPDX-License-Identifier: Apache-2.0
// Any octets as LTP segments: what is decoded is encoded again, and an engine with sessions in both
// directions takes them as datagrams and as a stream.
// Input: an octet that says how long the pieces are, then octets.
#include <algorithm>

#include "tests/support/ltp_pair.hpp"

namespace {

using namespace farlink;
using namespace farlink::cla::ltp;

/// Numbers that an input can name: session 1, checkpoint 1.
class NoSource final : public RandomSource {
public:
    [[nodiscard]] std::uint64_t next() override { return 0; }
};

void check_written(const Segment &segment) {
    Bytes octets(segment.octets.size() + 200);
    const auto counts = static_cast<std::uint8_t>(segment.header_extension_count << 4 |
                                                  segment.trailer_extension_count);
    std::uint8_t *to =
        encode_prefix(octets.data(), segment.type, segment.originator, segment.session, counts);
    if (is_data(segment.type)) {
        to = encode_data_fields(to, segment.type, segment.data, segment.data.data.size());
    } else if (segment.type == SegmentType::kReport) {
        to = encode_report_fields(to, segment.report);
        ClaimReader claims(segment.report);
        std::uint64_t end = segment.report.lower;
        while (const auto claim = claims.next()) {
            FARLINK_INVARIANT(claim->begin >= end && claim->end > claim->begin);
            FARLINK_INVARIANT(claim->end <= segment.report.upper);
            end = claim->end;
        }
    }
    // Numbers may have leading zeros, so what is written may be shorter.
    FARLINK_INVARIANT(static_cast<std::size_t>(to - octets.data()) <= segment.octets.size());
    ExtensionReader trailers(segment.trailer_extensions, segment.trailer_extension_count);
    while (trailers.next()) {
    }
}

struct Subject {
    Subject() : engine({EngineId{10}, NumberSize::k32Bits, 64}, slabs, source) {
        PeerConfig config;
        config.engine = EngineId{10};
        config.max_receive_sessions = 50;
        config.max_receive_bytes = 4U << 20U;
        config.max_block_bytes = 1U << 20U;
        config.spool_above = 1000;
        config.part_bytes = 500;
        config.data_mtu = 128;
        config.cycles = 20;
        peer = engine.add_peer(config);
        engine.contact_opened(peer, now);
        const BlockPiece pieces[] = {{ByteView(block).first(10), true},
                                     {ByteView(block).subspan(10), false}};
        FARLINK_INVARIANT(engine.send_block(peer, {pieces, 900, 1, 1, 1}, now));
        drain();
    }
    ~Subject() {
        drain();
        for (int i = 0; i < 10'000 && engine.next_timeout() != kNever; ++i) {
            now = std::max(now, engine.next_timeout());
            engine.handle_timeout(now);
            drain();
        }
        FARLINK_INVARIANT(engine.sessions_in() + engine.sessions_out() == 0);
    }
    void drain() {
        for (bool more = true; more;) {
            batch.clear();
            engine.poll_segments(peer, batch, 100'000, now);
            for (const OutSegment &segment : batch.segments()) {
                Bytes octets;
                for (const ByteView piece : batch.pieces_of(segment)) append(octets, piece);
                const auto read = decode_segment(octets);
                FARLINK_INVARIANT(read && read->octets.size() == octets.size());
            }
            more = !batch.empty();
        }
        while (engine.poll_block(received)) {
            std::uint64_t size = 0;
            for (const ByteView slice : received.slices) size += slice.size();
            FARLINK_INVARIANT(size == received.size);
            if (!received.more) engine.block_safe(received.session, now);
        }
        received.slabs.clear();
        while (engine.poll_event()) {
        }
    }

    Bytes block = test::numbered_block(1, 1000);
    NoSource source;
    SlabPool slabs{64 * 1024, 8U << 20U};
    Engine engine;
    PeerId peer;
    OutBatch batch{64};
    ReceivedBlock received;
    TimePoint now{seconds(1)};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size == 0) return 0;
    const std::size_t piece = data[0] == 0 ? size : data[0];
    const ByteView octets(data + 1, size - 1);
    for (std::size_t at = 0; at < octets.size();) {
        const auto segment = decode_segment(octets.subspan(at));
        if (!segment) break;
        check_written(*segment);
        at += segment->octets.size();
    }
    Subject datagrams;
    Subject stream;
    bool followed = true;
    for (std::size_t at = 0; at < octets.size(); at += piece) {
        const ByteView part = octets.subspan(at, std::min(piece, octets.size() - at));
        datagrams.engine.handle_datagram(datagrams.peer, part, datagrams.now);
        datagrams.drain();
        followed = followed && stream.engine.handle_bytes(stream.peer, part, stream.now);
        stream.drain();
        datagrams.now += milliseconds(50);
        datagrams.engine.handle_timeout(datagrams.now);
    }
    return 0;
}
