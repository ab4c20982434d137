// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_look.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/farlinkctl/failed.hpp"
#include "apps/farlinkctl/store_choice.hpp"
#include "apps/farlinkctl/store_print.hpp"

namespace farlink::ctl {

int list_store(const StoreOptions &options) {
    const auto store = StoreFiles::open(options.directory);
    if (!store) return failed(store.error());
    std::uint64_t bytes = 0;
    std::uint64_t damaged = 0;
    BundleCount bundles;
    for (const StoredBundle &bundle : (*store)->bundles()) {
        bundles.add(bundle.head, bundle.stripe, false);
        bytes += bundle.head.size;
        damaged += bundle.damaged ? 1 : 0;
        if (!options.json) continue;
        nlohmann::ordered_json line = to_json(bundle);
        line["type"] = "bundle";
        print_line(line);
    }
    const std::uint64_t count = bundles.intact();
    if (options.json) {
        print_line({{"type", "summary"},
                    {"nodeId", (*store)->node().value()},
                    {"bundles", count},
                    {"bytes", bytes},
                    {"damaged", damaged}});
        return kExitClean;
    }
    print_table((*store)->bundles());
    std::printf("%llu bundles, %llu bytes, %llu damaged\n", static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(damaged));
    return kExitClean;
}

int show_stored(const StoreOptions &options) {
    const auto store = StoreFiles::open(options.directory, options.other_disks);
    if (!store) return failed(store.error());
    const auto chosen = choose(**store, options);
    if (!chosen) return failed(chosen.error());
    int exit_code = kExitClean;
    bool first = true;
    for (const StoredBundle *bundle : *chosen) {
        nlohmann::ordered_json object = to_json(*bundle);
        // Of a stripe without the others no more is known.
        if ((*store)->complete(*bundle)) {
            const auto octets = (*store)->read(*bundle);
            if (octets)
                add_fields(object, *octets);
            else
                exit_code = failed(octets.error());
            object["damaged"] = !octets;
        }
        if (options.json) {
            print_line(object);
            continue;
        }
        if (!std::exchange(first, false)) std::puts("");
        print_fields(object);
    }
    return exit_code;
}

int export_stored(const StoreOptions &options) {
    const auto store = StoreFiles::open(options.directory, options.other_disks);
    if (!store) return failed(store.error());
    const auto chosen = choose(**store, options);
    if (!chosen) return failed(chosen.error());
    const std::filesystem::path folder(options.out);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) return failed(options.out + ": " + error.message());
    int exit_code = kExitClean;
    for (const StoredBundle *bundle : *chosen) {
        const auto octets = (*store)->read(*bundle);
        if (!octets) {
            exit_code = failed(octets.error());
            continue;
        }
        std::string name = name_of(bundle->at.number) + ".bundle";
        std::ranges::replace(name, ':', '-');
        const std::string file = folder / name;
        std::ofstream out(file, std::ios::binary | std::ios::trunc);
        out.write(as_text(*octets).data(), static_cast<std::streamsize>(octets->size()));
        if (!out.flush()) return failed(file + ": cannot be written");
        if (options.json)
            print_line({{"record", name_of(bundle->at.number)}, {"file", file}});
        else
            std::printf("%s  %s\n", name_of(bundle->at.number).c_str(), file.c_str());
    }
    return exit_code;
}

}  // namespace farlink::ctl
