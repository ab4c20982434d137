// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_index.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

bool equal(const FileHeader &one, const FileHeader &other) {
    return one.version == other.version && one.node == other.node && one.file == other.file &&
           one.mark == other.mark && one.key == other.key;
}

}  // namespace

std::string_view to_string(IndexFaultKind kind) {
    switch (kind) {
        case IndexFaultKind::kMissing:
            return "missing";
        case IndexFaultKind::kDamaged:
            return "damaged";
        case IndexFaultKind::kMismatch:
            return "that of another file";
    }
    return "unknown";
}

Result<FileScan, IndexFault> read_index(LogDirectory &directory, FileNumber file) {
    const auto fault = [&](IndexFaultKind kind) { return fail(IndexFault{kind, file}); };
    const auto octets = directory.read_index(file);
    if (!octets) return fault(IndexFaultKind::kDamaged);
    if (octets->empty()) return fault(IndexFaultKind::kMissing);
    auto scan = decode_index(*octets);
    if (!scan) return fault(IndexFaultKind::kDamaged);
    const auto size = directory.size(file);
    if (scan->header.file != file || !size || *size < scan->bytes)
        return fault(IndexFaultKind::kMismatch);
    const auto header = read_file_header(directory, file);
    if (header && !equal(*header, scan->header)) return fault(IndexFaultKind::kMismatch);
    if (!header) scan->damages.push_back({DamageKind::kFileHeader, file, 0, 0});
    return std::move(*scan);
}

std::vector<FileNumber> find_orphans(LogDirectory &directory, std::span<const FileNumber> files) {
    auto indexes = directory.list_indexes();
    if (!indexes) return {};
    std::erase_if(*indexes,
                  [files](FileNumber file) { return std::ranges::binary_search(files, file); });
    std::ranges::sort(*indexes);
    return std::move(*indexes);
}

Result<void, FileError> write_index(LogDirectory &directory, const FileScan &scan) {
    IndexBuilder index;
    for (const ScannedRecord &record : scan.records)
        index.add(record.head, record.at, scan.label_of(record));
    index.add_erasures(scan.erasures);
    return directory.write_index(scan.header.file, index.finish(scan.header, scan.bytes));
}

}  // namespace farlink::storage
