// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/store_logs.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <unordered_set>

#include "module/storage/core/state/stripe_label.hpp"
#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/log/log_scanner.hpp"

namespace farlink::inspect {
namespace {

namespace fs = std::filesystem;

/// The number in the name of a log's file.
std::optional<FileNumber> log_number(const fs::path &path) {
    const std::string stem = path.stem().string();
    FileNumber number = 0;
    const char *const end = stem.data() + stem.size();
    const auto [at, error] = std::from_chars(stem.data(), end, number);
    if (path.extension() != ".log" || error != std::errc{} || at != end || number == 0)
        return std::nullopt;
    return number;
}

class StoreLogs {
public:
    StoreLogs(const std::string &folder, const OnFound &on_found, Notes &notes)
        : directory_(folder), on_found_(on_found), notes_(notes) {}

    /// What is erased is known only when all files are read.
    Result<void, std::string> read(std::optional<FileNumber> only) {
        if (!directory_.open_unlocked()) return fail(std::string("cannot be opened"));
        const auto files = directory_.list();
        if (!files || files->empty()) return fail(std::string("contains no log of a store"));
        for (const FileNumber file : *files) scan(file, file == files->back());
        for (const auto &[file, scanned] : scans_)
            if (!only || *only == file) emit(file, scanned);
        if (stripes_ != 0)
            notes_.push_back(std::to_string(stripes_) +
                             " stripes of bundles that lie on several disks; farlinkctl storage "
                             "export joins them");
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
            if (storage::decode_stripe(scanned.label_of(record))) {
                ++stripes_;
                continue;
            }
            Bytes octets(record.head.size);
            const std::uint64_t at = record.at.offset + kRecordHeaderBytes + record.label_size;
            const auto got = directory_.read(file, at, octets);
            const std::string name = "record " + storage::name_of(record.at.number);
            if (got && *got == octets.size())
                on_found_({name, std::move(octets)});
            else
                notes_.push_back(name + " cannot be read");
        }
    }

    storage::PosixDirectory directory_;
    const OnFound &on_found_;
    Notes &notes_;
    std::vector<std::pair<FileNumber, storage::FileScan>> scans_;
    std::unordered_set<RecordNumber> erased_;
    std::uint64_t stripes_ = 0;
};

}  // namespace

bool is_log_name(const std::string &path) {
    return log_number(path).has_value();
}

Result<void, std::string> read_store_logs(const std::string &path, const OnFound &on_found,
                                          Notes &notes) {
    std::error_code error;
    if (fs::is_directory(path, error)) return StoreLogs(path, on_found, notes).read(std::nullopt);
    const auto number = log_number(path);
    if (!number) return fail(std::string("is no log of a store"));
    const fs::path folder = fs::path(path).parent_path();
    return StoreLogs(folder.empty() ? "." : folder.string(), on_found, notes).read(number);
}

}  // namespace farlink::inspect
