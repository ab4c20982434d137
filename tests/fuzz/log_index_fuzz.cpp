// SPDX-License-Identifier: Apache-2.0
// An index file with any contents. Checksums and sizes are made right first, or hardly any mutation
// would get past them; what is accepted must be written again as something that says the same.
#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/codec/crc.hpp"
#include "module/storage/store/log/index_format.hpp"

namespace {

using namespace farlink;

void repair(Bytes &index) {
    const MutableBytes header = MutableBytes(index).first(storage::kIndexHeaderBytes);
    const ByteView body = ByteView(index).subspan(storage::kIndexHeaderBytes);
    store_be(&header[8], storage::kIndexVersion);
    // The copy of the log file's header, at 16.
    std::ranges::copy(as_bytes("FARLLOG\n"), header.begin() + 16);
    store_be(&header[16 + 60], codec::crc32c(header.subspan(16, 60)));
    std::ranges::copy(as_bytes("FARLIDX\n"), header.begin());
    store_be(&header[104], std::uint64_t{body.size()});
    store_be(&header[112], codec::crc32c(body));
    store_be(&header[124], codec::crc32c(header.first(124)));
}

void repeat(const storage::FileScan &scan) {
    storage::IndexBuilder builder;
    for (const storage::ScannedRecord &record : scan.records)
        builder.add(record.head, record.at, scan.label_of(record));
    builder.add_erasures(scan.erasures);
    const Bytes octets = builder.finish(scan.header, scan.bytes);
    const auto again = storage::decode_index(octets);
    FARLINK_INVARIANT(again.has_value());
    FARLINK_INVARIANT(again->erasures == scan.erasures && again->bytes == scan.bytes);
    FARLINK_INVARIANT(again->records.size() == scan.records.size());
    for (std::size_t i = 0; i < scan.records.size(); ++i) {
        const storage::ScannedRecord &one = scan.records[i];
        const storage::ScannedRecord &other = again->records[i];
        FARLINK_INVARIANT(one.at.number == other.at.number && one.at.offset == other.at.offset);
        FARLINK_INVARIANT(one.head.identity == other.head.identity);
        FARLINK_INVARIANT(one.head.arrival == other.head.arrival);
        FARLINK_INVARIANT(one.head.expiry == other.head.expiry);
        FARLINK_INVARIANT(one.head.received == other.head.received);
        FARLINK_INVARIANT(one.head.size == other.head.size);
        FARLINK_INVARIANT(one.head.priority == other.head.priority);
        FARLINK_INVARIANT(one.head.requests == other.head.requests);
        FARLINK_INVARIANT(std::ranges::equal(scan.label_of(one), again->label_of(other)));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    Bytes index(data, data + size);
    (void)storage::decode_index(index);
    if (size < storage::kIndexHeaderBytes) return 0;
    repair(index);
    if (const auto scan = storage::decode_index(index)) repeat(*scan);
    return 0;
}
