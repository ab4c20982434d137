// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/file_loss.hpp"

#include <algorithm>
#include <unordered_set>

#include "module/storage/store/log/index_format.hpp"

namespace farlink::storage {
namespace {

/// Of this file; empty where it is missing, damaged or that of another one.
std::optional<FileScan> index_beside(LogDirectory &directory, FileNumber file) {
    const auto octets = directory.read_index(file);
    auto index = octets ? decode_index(*octets) : std::nullopt;
    if (index && index->header.file != file) index.reset();
    return index;
}

}  // namespace

bool has_index(LogDirectory &directory, FileNumber file) {
    return index_beside(directory, file).has_value();
}

std::string words_of(const ShortFile &found) {
    const std::string file = "log file " + std::to_string(found.file);
    if (found.expected == 0)
        return file + " has " + std::to_string(found.bytes) +
               " bytes and no header or index: another program emptied it, or a crash occurred as "
               "it was created";
    const std::string size =
        " has " + std::to_string(found.bytes) + " of " + std::to_string(found.expected) + " bytes";
    if (found.indexed) return file + size + " that its index states";
    return file + size + " that were reserved, and no index: another program cut it short, or a " +
           "crash occurred while the disk was full" +
           (found.clean ? " or as it was completed" : "");
}

std::optional<ShortFile> find_short(LogDirectory &directory, FileNumber file, const FileScan &found,
                                    bool youngest) {
    const auto size = directory.size(file);
    if (!size) return std::nullopt;
    ShortFile result{.file = file, .bytes = *size};
    if (const auto index = index_beside(directory, file)) {
        result.expected = index->bytes;
        result.indexed = true;
        return *size < index->bytes ? std::optional(result) : std::nullopt;
    }
    const bool headless = found.header.file == 0;
    if (headless)
        return *size < kDataStart && directory.reserves() ? std::optional(result) : std::nullopt;
    // A file that is complete ends behind its last record, and its index is not flushed.
    result.expected = found.header.reserved;
    result.clean = !found.cut;
    const bool is_short = *size < result.expected && (found.cut || youngest);
    return is_short ? std::optional(result) : std::nullopt;
}

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
    const auto index = index_beside(directory, file);
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
