// SPDX-License-Identifier: Apache-2.0
// A log file with any contents behind its header. Input: an octet of circumstances, the octets from
// the first record on. A log that could be scanned without damage must be the same by its index.
#include <algorithm>
#include <map>

#include "common/codec/crc.hpp"
#include "tests/support/sim_disk.hpp"

namespace {

using namespace farlink;

// Bits of the first octet.
constexpr unsigned kRepaired = 1;  ///< checksums and marks are made right
constexpr unsigned kNotLast = 2;   ///< a younger file stands behind

storage::LogOptions options() {
    storage::LogOptions options;
    options.node = NodeNumber{10};
    options.fresh_key.fill(0x77);
    return options;
}

Bytes first_page(FileNumber file) {
    storage::FileHeader header;
    header.node = options().node;
    header.key = options().fresh_key;
    header.file = file;
    header.mark = storage::mark_of(header.key, file);
    Bytes page(storage::kDataStart);
    storage::encode_file_header(header, MutableBytes(page).first<storage::kFileHeaderBytes>());
    return page;
}

void repair(Bytes &content, std::uint64_t mark) {
    std::size_t at = storage::kDataStart;
    while (at + kRecordHeaderBytes <= content.size()) {
        const MutableBytes rest = MutableBytes(content).subspan(at);
        const auto fixed = rest.first<kRecordHeaderBytes>();
        const auto before = load_be<std::uint64_t>(fixed.data());
        store_be(fixed.data(), mark);
        auto header = storage::decode_record_header(mark, fixed);
        if (!header || header->total_bytes() > rest.size()) {
            store_be(fixed.data(), before);
            at += kRecordAlignment;
            continue;
        }
        const ByteView label = rest.subspan(kRecordHeaderBytes, header->label_size);
        header->payload_crc =
            codec::crc32c(rest.subspan(kRecordHeaderBytes + header->label_size, header->head.size));
        storage::encode_record_header(*header, mark, label, fixed);
        at += header->total_bytes();
    }
}

using Found = std::map<RecordNumber, std::uint64_t>;

struct Opened {
    storage::Recovery recovery;
    Found found;
};

Opened open(test::SimDirectory &directory) {
    storage::LogDisk disk(directory, options());
    Opened opened;
    auto recovery = disk.open([&](const RestoredRecord &record) {
        opened.found.emplace(record.at.number, record.head.size);
    });
    FARLINK_INVARIANT(recovery.has_value());
    opened.recovery = std::move(*recovery);
    return opened;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 1) return 0;
    test::SimDirectory directory;
    for (FileNumber file = 1; file <= ((data[0] & kNotLast) != 0 ? 2U : 1U); ++file) {
        FARLINK_INVARIANT(directory.create(file, 0).has_value());
        FARLINK_INVARIANT(directory.publish(file, 0).has_value());
        Bytes &content = directory.content(file);
        content = first_page(file);
        if (file == 1) append(content, {data + 1, size - 1});
        if ((data[0] & kRepaired) != 0)
            repair(content, storage::mark_of(options().fresh_key, file));
    }
    const auto scan = storage::scan_file(directory, 1, (data[0] & kNotLast) == 0);
    FARLINK_INVARIANT(scan.has_value() && scan->bytes <= directory.size(1).value());
    const Opened first = open(directory);
    directory.kill();
    const bool indexed = directory.has_index(1);
    FARLINK_INVARIANT(!indexed || scan->damages.empty());
    const Opened second = open(directory);
    // What had no life in it is gone by now.
    FARLINK_INVARIANT(!indexed || first.found == second.found);
    return 0;
}
