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

std::string stripes_text(std::uint64_t stripes) {
    return stripes == 0 ? "" : " (large ones in " + std::to_string(stripes) + " stripes here)";
}

/// Reads the youngest file first, since an erasure follows its record. Damage of an erased record
/// does not count.
Result<Findings, std::string> scan_all(storage::LogDirectory &directory, bool json) {
    const auto files = directory.list();
    if (!files) return fail(std::string("the folder cannot be listed"));
    Findings findings;
    std::unordered_set<RecordNumber> erased;
    bool intact_seen = false;
    for (auto file = files->rbegin(); file != files->rend(); ++file) {
        const auto scan = storage::scan_file(directory, *file, !intact_seen);
        if (!scan) return fail("file " + std::to_string(*file) + " cannot be read");
        ++findings.files;
        intact_seen |= scan->intact;
        erased.insert(scan->erasures.begin(), scan->erasures.end());
        for (const storage::ScannedRecord &record : scan->records)
            if (!erased.contains(record.at.number))
                findings.bundles.add(record.head, storage::decode_stripe(scan->label_of(record)),
                                     record.damaged);
        for (const Damage &damage : scan->damages) {
            if (damage.number != 0 && erased.contains(damage.number)) continue;
            ++(damage.kind == DamageKind::kTorn ? findings.torn : findings.damaged);
            print(damage, json);
        }
    }
    for (const FileNumber orphan : storage::find_orphans(directory, *files)) {
        const auto gone = [&erased](RecordNumber record) { return erased.contains(record); };
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
                    {"damaged", findings->damaged},
                    {"torn", findings->torn}});
    else
        std::printf("%llu files, %llu bundles intact%s, %llu places damaged, %llu torn\n",
                    static_cast<unsigned long long>(findings->files),
                    static_cast<unsigned long long>(findings->bundles.intact()),
                    stripes_text(findings->bundles.stripes()).c_str(),
                    static_cast<unsigned long long>(findings->damaged),
                    static_cast<unsigned long long>(findings->torn));
    return findings->damaged == 0 ? kExitClean : kExitFailed;
}

}  // namespace farlink::ctl
