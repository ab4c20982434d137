// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/store_logs.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <unordered_set>

#include "module/storage/core/state/label_content.hpp"
#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/log/log_scanner.hpp"

namespace farlink::inspect {
namespace {

namespace fs = std::filesystem;

/// 0 for every other path.
FileNumber number_of(const fs::path &path) {
    return storage::log_number(path.filename().native());
}

class StoreLogs {
public:
    StoreLogs(const std::string &folder, const OnFound &on_found, Notes &notes)
        : directory_(folder), on_found_(on_found), notes_(notes) {}

    /// What is erased is known only when all files are read.
    Result<void, std::string> read(std::optional<FileNumber> only) {
        if (!directory_.open_unlocked()) return fail(std::string("cannot be opened"));
        const auto files = directory_.list();
        if (!files || files->empty()) return fail(std::string("contains no log files of a store"));
        for (const FileNumber file : *files) scan(file, file == files->back());
        for (const auto &[file, scanned] : scans_)
            if (!only || *only == file) emit(file, scanned);
        note_parts(stripes_, " stripes of bundles that are stored on several disks");
        note_parts(pieces_, " pieces of bundles that are too large for memory");
        return {};
    }

private:
    void scan(FileNumber file, bool last) {
        auto scanned = storage::scan_file(directory_, file, last);
        if (!scanned) {
            notes_.push_back("file " + std::to_string(file) + " cannot be read");
            return;
        }
        for (const storage::Damage &damage : scanned->damages)
            if (damage.kind != storage::DamageKind::kTorn) notes_.push_back(words_of(damage));
        erased_.insert(scanned->erasures.begin(), scanned->erasures.end());
        scans_.emplace_back(file, std::move(*scanned));
    }

    void emit(FileNumber file, const storage::FileScan &scanned) {
        for (const storage::ScannedRecord &record : scanned.records) {
            if (record.damaged || erased_.contains(record.at.number)) continue;
            const std::string name = "record " + storage::name_of(record.at.number);
            if (!holds_bundle(scanned.label_of(record), name)) continue;
            Bytes octets(record.head.size);
            const std::uint64_t at = record.at.offset + kRecordHeaderBytes + record.label_size;
            const auto got = directory_.read(file, at, octets);
            if (got && *got == octets.size())
                on_found_({name, std::move(octets)});
            else
                notes_.push_back(name + " cannot be read");
        }
    }

    /// Counts or notes what else the record holds.
    bool holds_bundle(ByteView label, const std::string &name) {
        const storage::LabelContent content = storage::content_of(label);
        const bool stripe = std::holds_alternative<storage::StripeLabel>(content);
        const bool piece = std::holds_alternative<storage::PieceLabel>(content);
        const bool unknown = std::holds_alternative<storage::UnknownLabel>(content);
        stripes_ += stripe ? 1 : 0;
        pieces_ += piece ? 1 : 0;
        if (unknown) notes_.push_back(name + " has no valid label");
        return !stripe && !piece && !unknown;
    }

    void note_parts(std::uint64_t count, const char *what) {
        if (count != 0)
            notes_.push_back(std::to_string(count) + what +
                             "; farlinkctl storage export joins them");
    }

    storage::PosixDirectory directory_;
    const OnFound &on_found_;
    Notes &notes_;
    std::vector<std::pair<FileNumber, storage::FileScan>> scans_;
    std::unordered_set<RecordNumber> erased_;
    std::uint64_t stripes_ = 0;
    std::uint64_t pieces_ = 0;
};

}  // namespace

bool is_log_name(const std::string &path) {
    return number_of(path) != 0;
}

Result<void, std::string> read_store_logs(const std::string &path, const OnFound &on_found,
                                          Notes &notes) {
    std::error_code error;
    if (fs::is_directory(path, error)) return StoreLogs(path, on_found, notes).read(std::nullopt);
    const FileNumber number = number_of(path);
    if (number == 0) return fail(std::string("is not a log file of a store"));
    const fs::path folder = fs::path(path).parent_path();
    return StoreLogs(folder.empty() ? "." : folder.string(), on_found, notes).read(number);
}

}  // namespace farlink::inspect
