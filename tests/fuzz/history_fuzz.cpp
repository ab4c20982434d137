// SPDX-License-Identifier: Apache-2.0
// A history file with any contents behind its header, read as events and as rates; the same octets
// as a header, a name and a file of totals. Input: an octet of circumstances, the contents.
#include "common/base/invariant.hpp"
#include "common/codec/crc.hpp"
#include "module/telemetry/core/history/event_block.hpp"
#include "module/telemetry/core/history/lifetime_totals.hpp"
#include "module/telemetry/core/history/rate_table.hpp"

namespace {

using namespace farlink;
using namespace farlink::telemetry;

/// Bit of the first octet: sizes and checksums of the blocks are made right.
constexpr unsigned kRepaired = 1;

constexpr DtnTime kBegin = 800'000'000'000;

void repair(Bytes &content) {
    constexpr std::string_view kMark = "FHBK";
    constexpr std::size_t kCrcAt = 4;
    constexpr std::size_t kSizeAt = 8;
    std::size_t at = as_text(content).find(kMark);
    while (at != std::string_view::npos && content.size() - at >= kBlockHeadBytes) {
        const std::size_t next = as_text(content).find(kMark, at + 1);
        const std::size_t end = std::min(next, content.size());
        if (end - at < kBlockHeadBytes || end - at > kMostBlockBytes) return;
        store_be(content.data() + at + kSizeAt,
                 static_cast<std::uint32_t>(end - at - kBlockHeadBytes));
        store_be(content.data() + at + kCrcAt,
                 codec::crc32c(ByteView(content).subspan(at + kSizeAt, end - at - kSizeAt)));
        at = next;
    }
}

void read_all(ByteView content) {
    RateTable table({kBegin, kBegin + 600'000, 60, {}, false});
    EventCollection events({0, kDtnNever, 0, 100, false});
    RateDecoder decoder;
    std::size_t octets = 0;
    const std::size_t damages = scan_blocks(content, [&](const HistoryBlock &block) {
        octets += kBlockHeadBytes + block.payload.size();
        events.add(block);
        decoder.handle(block, [&](const std::string &name, std::uint64_t value) {
            table.add(block.from, kFineStepSeconds, name, value);
        });
    });
    FARLINK_INVARIANT(octets <= content.size());
    FARLINK_INVARIANT(damages > 0 || octets == content.size());
    FARLINK_INVARIANT(Json::accept(table.to_json()));
    FARLINK_INVARIANT(Json::accept(events.to_text()));
    (void)table.to_csv();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 1) return 0;
    Bytes content(data + 1, data + size);
    if ((data[0] & kRepaired) != 0) repair(content);
    read_all(content);
    if (const auto header = decode_header(content))
        FARLINK_INVARIANT(decode_header(encode_header(*header)).has_value());
    if (const auto file = parse_file_name(as_text(content)))
        FARLINK_INVARIANT(file_name(*file) == as_text(content));
    if (const auto totals = LifetimeTotals::parse(as_text(content)))
        FARLINK_INVARIANT(LifetimeTotals::parse(totals->to_text({}, seconds(1))).has_value());
    return 0;
}
