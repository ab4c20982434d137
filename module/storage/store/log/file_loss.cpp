// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/file_loss.hpp"

#include <algorithm>
#include <unordered_set>

#include "module/storage/store/log/index_format.hpp"

namespace farlink::storage {

FileLoss loss_of(LogDirectory &directory, FileNumber file, const FileScan *found,
                 const std::function<bool(RecordNumber)> &erased) {
    FileLoss loss{.file = file, .bundles = 0, .named = {}};
    std::unordered_set<RecordNumber> known;  // intact, counted or erased
    const auto count = [&](const FileScan &scan, const ScannedRecord &record) {
        const RecordNumber number = record.at.number;
        if (erased(number) || !known.insert(number).second) return;
        ++loss.bundles;
        if (loss.named.size() >= FileLoss::kMostNamed) return;
        const ByteView label = scan.label_of(record);
        loss.named.push_back({number, record.head.size, Bytes(label.begin(), label.end())});
    };
    const auto octets = directory.read_index(file);
    auto index = octets ? decode_index(*octets) : std::nullopt;
    if (index && index->header.file != file) index.reset();
    if (index) known.insert(index->erasures.begin(), index->erasures.end());
    if (found != nullptr) {
        known.insert(found->erasures.begin(), found->erasures.end());
        for (const ScannedRecord &record : found->records)
            if (!record.damaged && file_of(record.at.number) == file)
                known.insert(record.at.number);
    }
    const auto count_missing = [&](const MissingRecord &record) {
        if (erased(record.number) || !known.insert(record.number).second) return;
        ++loss.bundles;
        if (loss.named.size() < FileLoss::kMostNamed)
            loss.named.push_back({record.number, record.bytes, {}});
    };
    if (index)
        for (const ScannedRecord &record : index->records) count(*index, record);
    // The index names all bundles: another record that is missing had erasures.
    if (found != nullptr && !index)
        for (const MissingRecord &record : found->missing) count_missing(record);
    if (found != nullptr)
        for (const ScannedRecord &record : found->records)
            if (record.damaged) count(*found, record);
    return loss;
}

}  // namespace farlink::storage
