// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_look.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/figures.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/store_files/decoded_print.hpp"
#include "apps/farlinkctl/store_files/store_choice.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "common/base/counted.hpp"
#include "module/control/core/json/decoded_bundle.hpp"

namespace farlink::ctl {

namespace {

/// Totals for the last line.
struct StoreSum {
    BundleCount bundles;
    std::uint64_t bytes = 0;
    std::uint64_t damaged = 0;

    void add(const StoredBundle &bundle) {
        (void)bundles.add(bundle.head, bundle.content, false);
        bytes += bundle.head.size;
        damaged += bundle.damaged ? 1 : 0;
    }
    [[nodiscard]] std::uint64_t count() const { return bundles.intact() + bundles.incomplete(); }
    [[nodiscard]] nlohmann::ordered_json to_json(NodeNumber node) const {
        return {{"type", "summary"},
                {"nodeId", node.value()},
                {"bundles", count()},
                {"bytes", bytes},
                {"damaged", damaged}};
    }
    void print() const {
        std::printf("%s, %s, %llu damaged\n", counted(count(), "bundle").c_str(),
                    counted(bytes, "byte").c_str(), static_cast<unsigned long long>(damaged));
    }
};

/// The bundles after `--after`; an error when that record does not exist.
Result<std::span<const StoredBundle>, std::string> behind(const StoreFiles &store,
                                                          const std::string &after) {
    const std::span<const StoredBundle> all(store.bundles());
    if (after.empty()) return all;
    const auto record = parse_record(after);
    const StoredBundle *const found = record ? store.find(*record) : nullptr;
    if (found == nullptr) return fail("record " + after + ": no such bundle");
    return all.subspan(static_cast<std::size_t>(found - all.data()) + 1);
}

/// Prints the backlog of each destination, the largest first.
int show_destinations(const StoreFiles &store, bool json) {
    std::map<std::string, StoreSum> destinations;
    StoreSum all;
    for (const StoredBundle &bundle : store.bundles()) {
        all.add(bundle);
        destinations[bundle.destination].add(bundle);
    }
    std::vector<Row> rows{{"waits for", "bundles", "bytes", "damaged"}};
    for (const auto &[destination, sum] : destinations) {
        rows.push_back({printable(destination), std::to_string(sum.count()),
                        std::to_string(sum.bytes), std::to_string(sum.damaged)});
        if (json)
            print_line({{"type", "destination"},
                        {"destination", destination},
                        {"bundles", sum.count()},
                        {"bytes", sum.bytes},
                        {"damaged", sum.damaged}});
    }
    if (json) {
        print_line(all.to_json(store.node()));
        return kExitClean;
    }
    if (rows.size() > 1) print_rows(rows);
    all.print();
    return kExitClean;
}

}  // namespace

int list_store(const StorageOptions &options) {
    const auto store = StoreFiles::open(options.directory);
    if (!store) return failed(store.error());
    const auto wanted = behind(**store, options.after);
    if (!wanted) return failed(wanted.error());
    StoreSum sum;
    std::vector<StoredBundle> listed;
    for (const StoredBundle &bundle : *wanted) {
        if (!is_for(bundle, options.destination)) continue;
        if (options.limit && listed.size() == *options.limit) break;
        sum.add(bundle);
        listed.push_back(bundle);
        if (!options.json) continue;
        nlohmann::ordered_json line = to_json(bundle);
        line["type"] = "bundle";
        print_line(line);
    }
    if (options.json) {
        print_line(sum.to_json((*store)->node()));
        return kExitClean;
    }
    print_table(listed);
    sum.print();
    return kExitClean;
}

int show_stored(const StorageOptions &options) {
    const auto store = StoreFiles::open(options.directory, options.other_disks);
    if (!store) return failed(store.error());
    if (!options.all && options.bundles.empty() && options.destination.empty())
        return show_destinations(**store, options.json);
    const auto chosen = choose(**store, options);
    if (!chosen) return failed(chosen.error());
    int exit_code = kExitClean;
    bool first = true;
    for (const StoredBundle *bundle : *chosen) {
        nlohmann::ordered_json object = to_json(*bundle);
        // A stripe or a piece without the others has no further fields.
        if ((*store)->complete(*bundle)) {
            const auto octets = (*store)->read_head(*bundle);
            if (octets && options.decoded)
                object.update(control::decoded_json(*octets));
            else if (octets)
                add_fields(object, *octets, bundle->piece() != nullptr);
            else
                exit_code = failed(octets.error());
            object["damaged"] = bundle->damaged || !octets;
        }
        if (options.json) {
            print_line(object);
            continue;
        }
        if (!std::exchange(first, false)) std::puts("");
        print_decoded(object);
    }
    return exit_code;
}

int export_stored(const StorageOptions &options) {
    const auto store = StoreFiles::open(options.directory, options.other_disks);
    if (!store) return failed(store.error());
    const auto chosen = choose(**store, options);
    if (!chosen) return failed(chosen.error());
    const std::filesystem::path folder(options.out);
    std::error_code error;
    if (!options.out.empty()) std::filesystem::create_directories(folder, error);
    if (error) return failed(options.out + ": " + error.message());
    int exit_code = kExitClean;
    for (const StoredBundle *bundle : *chosen) {
        std::string name = name_of(bundle->at.number) + ".bundle";
        std::ranges::replace(name, ':', '-');
        const std::string file = options.output.empty() ? (folder / name).string() : options.output;
        std::ofstream out;
        const auto read = (*store)->read(*bundle, [&](ByteView octets) {
            if (!out.is_open()) out.open(file, std::ios::binary | std::ios::trunc);
            out.write(as_text(octets).data(), static_cast<std::streamsize>(octets.size()));
            return out.good();
        });
        if (!read) {
            exit_code = failed(read.error());
            // A part of a bundle is no bundle.
            if (out.is_open() && std::filesystem::is_regular_file(file, error))
                std::filesystem::remove(file, error);
            continue;
        }
        if (!out.flush()) return failed(file + ": cannot be written");
        if (options.json)
            print_line({{"record", name_of(bundle->at.number)}, {"file", file}});
        else
            std::printf("%s  %s\n", name_of(bundle->at.number).c_str(), file.c_str());
    }
    return exit_code;
}

}  // namespace farlink::ctl
