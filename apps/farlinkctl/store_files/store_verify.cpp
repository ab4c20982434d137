// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage verify`.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/store_files/store_choice.hpp"
#include "apps/farlinkctl/store_files/store_files.hpp"
#include "apps/farlinkctl/store_files/store_look.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "common/base/counted.hpp"
#include "module/storage/store/log/file_loss.hpp"
#include "module/storage/store/log/log_index.hpp"

namespace farlink::ctl {
namespace {

using storage::Damage;
using storage::DamageKind;

struct Findings {
    std::uint64_t files = 0;
    BundleCount bundles;        ///< intact ones
    std::uint64_t damaged = 0;  ///< damaged places, without torn ends
    std::uint64_t torn = 0;
    std::uint64_t cut = 0;  ///< files that are shorter than they were
};

void print(const Damage &damage, bool json) {
    if (json)
        return print_line({{"type", "damage"},
                           {"kind", to_string(damage.kind)},
                           {"file", damage.file},
                           {"offset", damage.offset},
                           {"record", damage.number == 0 ? "" : name_of(damage.number)}});
    std::puts(words_of(damage).c_str());
}

/// Its octets are what was written, but they are no bundle and no part of one.
void print_misfit(const storage::ScannedRecord &record, bool piece, bool json) {
    const FileNumber file = storage::file_of(record.at.number);
    const char *const kind = piece ? "piece" : "record label";
    if (json)
        return print_line({{"type", "damage"},
                           {"kind", kind},
                           {"file", file},
                           {"offset", record.at.offset},
                           {"record", name_of(record.at.number)}});
    std::printf("log file %u at offset %llu: %s of record %s %s\n", file,
                static_cast<unsigned long long>(record.at.offset), kind,
                name_of(record.at.number).c_str(),
                piece ? "does not match its bundle" : "is not valid");
}

void print(const storage::ShortFile &cut, const storage::FileLoss &loss, bool json) {
    if (json)
        return print_line({{"type", "short"},
                           {"file", cut.file},
                           {"bytes", cut.bytes},
                           {"expectedBytes", cut.expected},
                           {"lostRecords", loss.bundles}});
    const std::string lost =
        cut.indexed ? ", " + counted(loss.bundles, "record") + " lost" : std::string();
    std::printf("%s%s\n", words_of(cut).c_str(), lost.c_str());
}

std::string parts_text(const BundleCount &bundles) {
    std::string text;
    if (bundles.stripes() != 0) text = std::to_string(bundles.stripes()) + " stripes";
    if (bundles.pieces() != 0)
        text += (text.empty() ? "" : " and ") + std::to_string(bundles.pieces()) + " pieces";
    if (!text.empty()) text = " (large bundles: " + text + " in this folder)";
    if (bundles.incomplete() != 0)
        text += ", " + std::to_string(bundles.incomplete()) + " incomplete";
    return text;
}

/// Counts what lives in the file.
void add_records(const storage::FileScan &scan, const std::unordered_set<RecordNumber> &erased,
                 bool json, Findings &findings) {
    for (const storage::ScannedRecord &record : scan.records) {
        if (erased.contains(record.at.number)) continue;
        const storage::LabelContent content = storage::content_of(scan.label_of(record));
        if (findings.bundles.add(record.head, content, record.damaged) || record.damaged) continue;
        ++findings.damaged;
        print_misfit(record, std::holds_alternative<storage::PieceLabel>(content), json);
    }
}

/// Reads the youngest file first, since an erasure follows its record. Damage of an erased record
/// does not count.
Result<Findings, std::string> scan_all(storage::LogDirectory &directory, bool json) {
    const auto files = directory.list();
    if (!files) return fail(std::string("the folder cannot be listed"));
    Findings findings;
    std::unordered_set<RecordNumber> erased;
    const auto gone = [&erased](RecordNumber record) { return erased.contains(record); };
    bool intact_seen = false;
    for (auto file = files->rbegin(); file != files->rend(); ++file) {
        const auto scan = storage::scan_file(directory, *file, !intact_seen);
        if (!scan) return fail("file " + std::to_string(*file) + " cannot be read");
        ++findings.files;
        intact_seen |= scan->intact;
        erased.insert(scan->erasures.begin(), scan->erasures.end());
        if (const auto cut = storage::find_short(directory, *file, *scan, *file == files->back())) {
            ++findings.cut;
            print(*cut, storage::loss_of(directory, *file, &*scan, gone), json);
        }
        add_records(*scan, erased, json, findings);
        for (const Damage &damage : scan->damages) {
            if (damage.number != 0 && erased.contains(damage.number)) continue;
            ++(damage.kind == DamageKind::kTorn ? findings.torn : findings.damaged);
            print(damage, json);
        }
    }
    for (const FileNumber orphan : storage::find_orphans(directory, *files)) {
        if (storage::loss_of(directory, orphan, nullptr, gone).bundles == 0) continue;
        ++findings.damaged;
        print({DamageKind::kMissing, orphan, 0, 0}, json);
    }
    return findings;
}

}  // namespace

int verify_store(const StorageOptions &options) {
    storage::PosixDirectory directory(options.directory);
    if (const auto node = claim_store(options.directory, directory); !node)
        return failed(node.error());
    const auto findings = scan_all(directory, options.json);
    if (!findings) return failed(options.directory + ": " + findings.error());
    if (options.json)
        print_line({{"type", "summary"},
                    {"files", findings->files},
                    {"bundles", findings->bundles.intact()},
                    {"stripes", findings->bundles.stripes()},
                    {"pieces", findings->bundles.pieces()},
                    {"incomplete", findings->bundles.incomplete()},
                    {"damaged", findings->damaged},
                    {"short", findings->cut},
                    {"torn", findings->torn}});
    else
        std::printf("%s, %s intact%s, %s, %s, %s\n", counted(findings->files, "file").c_str(),
                    counted(findings->bundles.intact(), "bundle").c_str(),
                    parts_text(findings->bundles).c_str(),
                    counted(findings->damaged, "damaged place").c_str(),
                    counted(findings->torn, "incomplete last write").c_str(),
                    counted(findings->cut, "file").append(" cut short").c_str());
    return findings->damaged + findings->cut == 0 ? kExitClean : kExitFailed;
}

}  // namespace farlink::ctl
