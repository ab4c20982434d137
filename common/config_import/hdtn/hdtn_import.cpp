// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/hdtn/hdtn_import.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "common/config_import/hdtn/hdtn_keys.hpp"
#include "common/config_import/hdtn/hdtn_links.hpp"
#include "common/config_import/hdtn/hdtn_plan.hpp"
#include "common/plan/write_plan.hpp"

namespace farlink::config {
namespace {

constexpr std::uint64_t kMostPauseMs = 60'000;
constexpr std::uint64_t kDefaultLogFileBytes = 64 * 1024 * 1024;
constexpr std::size_t kMostDisks = 16;

void import_pause(const HdtnSection &top, ImportedJson &out) {
    constexpr std::string_view kWait = "maxIngressBundleWaitOnEgressMilliseconds";
    constexpr std::string_view kStore = "bufferRxToStorageOnLinkUpSaturation";
    HdtnNotes &notes = top.notes();
    const JsonValue *const wait = top.find(kWait);
    if (top.flag(kStore, false)) {
        out["maxPauseMilliseconds"] = 0;
        notes.map(top.place(kStore), "maxPauseMilliseconds: 0");
        if (wait != nullptr)
            notes.note(top.place(kWait), "nothing waits: the rest goes to storage");
        return;
    }
    if (top.find(kStore) != nullptr)
        notes.map(top.place(kStore), std::string("false: ") + std::string(kWait) + " counts");
    if (wait == nullptr) return;
    const std::uint64_t kept = std::min(wait->integer, kMostPauseMs);
    out["maxPauseMilliseconds"] = kept;
    const std::string what = "maxPauseMilliseconds: " + std::to_string(kept);
    if (kept == wait->integer)
        notes.map(top.place(kWait), what);
    else
        notes.change(top.place(kWait), what + ", the highest value");
}

void note_user_interface(const HdtnSection &top) {
    const JsonValue *const on = top.find("userInterfaceOn");
    if (on == nullptr) return;
    top.notes().note("userInterfaceOn",
                     on->boolean ? R"(for the dashboard add "api": {"listen": "127.0.0.1:8086"})"
                                 : "there is no dashboard unless `api` is written");
}

class StorageImport {
public:
    StorageImport(const JsonValue &json, const HdtnChoices &choices, HdtnNotes &notes)
        : section_(json, "storageConfig", hdtn_storage_keys(), notes),
          choices_(choices),
          notes_(notes) {}

    ImportedJson run() {
        section_.apply(out_, "storageConfig");
        import_policy();
        import_disks();
        const auto capacity = out_.value("totalStorageCapacityBytes", kDefaultLogFileBytes);
        if (capacity < kDefaultLogFileBytes) {
            out_["segmentBytes"] = capacity;
            notes_.change(section_.place("totalStorageCapacityBytes"),
                          "storageConfig.segmentBytes: " + std::to_string(capacity) +
                              ", at most the capacity");
        }
        return std::move(out_);
    }

private:
    void import_policy() {
        constexpr std::string_view kKey = "storageDeletionPolicy";
        if (section_.find(kKey) == nullptr) return;
        const std::string policy = section_.text(kKey);
        const bool makes_room = policy == "on_storage_full";
        if (!makes_room && policy != "never" && policy != "on_expiration")
            return notes_.refuse(section_.place(kKey),
                                 "found " + in_quotes(policy) +
                                     "; expected never, on_expiration or on_storage_full");
        out_["whenFull"] = makes_room ? "makeRoom" : "refuse";
        const std::string what =
            std::string("storageConfig.whenFull: ") + (makes_room ? "makeRoom" : "refuse");
        if (policy == "never")
            notes_.change(section_.place(kKey), what + "; expired bundles are deleted in any case");
        else
            notes_.map(section_.place(kKey), what);
    }

    void import_disks() {
        const JsonValue *const list = section_.find("storageDiskConfigVector");
        if (list == nullptr) return;
        ImportedJson disks = ImportedJson::array();
        for (std::size_t i = 0; i < list->items.size(); ++i)
            import_disk(list->items[i], item_path(section_.place("storageDiskConfigVector"), i),
                        disks);
        if (disks.size() > kMostDisks)
            notes_.refuse(section_.place("storageDiskConfigVector"),
                          "found " + std::to_string(disks.size()) + " disks; expected at most 16");
        if (!disks.empty()) out_["storageDiskConfigVector"] = std::move(disks);
    }

    void import_disk(const JsonValue &json, const std::string &path, ImportedJson &disks) {
        const HdtnSection disk(json, path, hdtn_disk_keys(), notes_);
        const std::string out_path =
            item_path("storageConfig.storageDiskConfigVector", disks.size());
        ImportedJson out;
        import_disk_name(disk, out_path, out);
        const std::string file = disk.text("storeFilePath");
        if (file.empty()) return notes_.refuse(disk.place("storeFilePath"), "missing");
        const std::string folder = folder_of(file);
        out["storeFilePath"] = folder;
        if (!folders_.insert(folder).second)
            notes_.refuse(disk.place("storeFilePath"),
                          "found " + in_quotes(file) + ", whose folder another disk has too");
        notes_.change(disk.place("storeFilePath"),
                      out_path + ".storeFilePath: " + folder +
                          ", a folder; what HDTN has stored is not read");
        disks.push_back(std::move(out));
    }

    void import_disk_name(const HdtnSection &disk, const std::string &out_path, ImportedJson &out) {
        const std::string name = disk.text("name");
        if (name.empty()) return;
        if (!names_.insert(name).second)
            return notes_.note(disk.place("name"),
                               "another disk has it too: the folder is its name");
        out["name"] = name;
        notes_.map(disk.place("name"), out_path + ".name: " + in_quotes(name));
    }

    /// HDTN's file becomes a folder: "./store1.bin" is "store1".
    [[nodiscard]] std::string folder_of(const std::string &file) const {
        std::filesystem::path folder(located(file, choices_));
        if (folder.extension() == ".bin") folder.replace_extension();
        return folder.string();
    }

    HdtnSection section_;
    const HdtnChoices &choices_;
    HdtnNotes &notes_;
    ImportedJson out_ = ImportedJson::object();
    std::set<std::string> names_;
    std::set<std::string> folders_;
};

/// Files that HDTN's programs read and that are no configuration of a node.
bool refuse_other_file(const JsonValue &json, HdtnNotes &notes) {
    if (json.kind != JsonValue::Kind::kObject) return false;
    for (const JsonMember &member : json.members) {
        if (member.key == "inductVector" || member.key == "outductVector") {
            notes.refuse(member.key,
                         "the file of an application: give its link as a URL to --listen or --via "
                         "of bpgen, bpsink, bping");
            return true;
        }
        if (member.key.starts_with("zmq") && member.key.ends_with("Address")) {
            notes.refuse(member.key,
                         "the file of several processes: write `bus` with an address for each "
                         "module, and `--modules` for each process");
            return true;
        }
    }
    return false;
}

void import_config(const JsonValue &json, const HdtnChoices &choices, HdtnNotes &notes,
                   ImportedJson &out) {
    if (refuse_other_file(json, notes)) return;
    HdtnSection top(json, "", hdtn_top_keys(), notes);
    top.apply(out, "");
    if (top.find("myNodeId") == nullptr) notes.refuse("myNodeId", "missing, or not an integer");
    import_pause(top, out);
    note_user_interface(top);
    const JsonValue *const size = top.find("maxBundleSizeBytes");
    const HdtnLinkContext context{choices, notes, size == nullptr ? 0 : size->integer, out};
    if (const JsonValue *const inducts = top.find("inductsConfig"))
        import_inducts(*inducts, context);
    if (const JsonValue *const outducts = top.find("outductsConfig"))
        import_outducts(*outducts, context);
    if (out.contains("inductsConfig") && out.contains("outductsConfig")) join_ltp_ports(context);
    if (const JsonValue *const storage = top.find("storageConfig"))
        out["storageConfig"] = StorageImport(*storage, choices, notes).run();
}

}  // namespace

Imported import_hdtn(const HdtnFiles &files, const HdtnChoices &choices) {
    Imported made;
    HdtnNotes notes(made.report, files.config_name);
    ImportedJson out = ImportedJson::object();
    if (const auto json = parse_json(files.config))
        import_config(*json, choices, notes, out);
    else
        notes.refuse(json.error().path,
                     ConfigError{"", json.error().problem, json.error().expected, json.error().hint}
                         .to_string());
    ContactPlan plan;
    if (files.plan_name.empty()) {
        notes.note("--contact-plan", "not given: all links have permanent contacts");
    } else {
        HdtnNotes plan_notes(made.report, files.plan_name);
        plan = import_hdtn_plan(files.plan, choices.unix_timestamps, plan_notes);
        out["contactPlanFile"] = kImportedPlanFile;
    }
    if (made.report.refused()) return made;
    made.config = out.dump(2, ' ', false, ImportedJson::error_handler_t::replace) + '\n';
    if (!files.plan_name.empty()) made.plan = write_json_plan(plan);
    return made;
}

}  // namespace farlink::config
