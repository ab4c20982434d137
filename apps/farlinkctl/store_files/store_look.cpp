// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/store_look.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>

#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/figures.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/store_files/decoded_print.hpp"
#include "apps/farlinkctl/store_files/store_choice.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "common/base/counted.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/json/moment.hpp"
#include "module/control/core/json/decoded_bundle.hpp"

namespace farlink::ctl {

namespace {

using Json = nlohmann::ordered_json;

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

/// What waits for a node, or for a dtn endpoint.
struct Backlog {
    StoreSum sum;
    std::uint64_t custody = 0;
    DtnTime next_expiry = kDtnNever;

    void add(const StoredBundle &bundle) {
        sum.add(bundle);
        custody += (bundle.head.requests & kRequestCustody) != 0 ? 1 : 0;
        next_expiry = std::min(next_expiry, bundle.head.expiry);
    }
};

/// With the members that a running node has for its store.
Json overview_json(const StoreFiles &store, const std::string &folder) {
    Backlog all;
    std::map<std::pair<std::uint64_t, std::string>, Backlog> backlogs;
    for (const StoredBundle &bundle : store.bundles()) {
        const auto to = bp::Eid::parse(bundle.destination);
        const bool numbered = to && to->view().scheme == bp::EidScheme::kIpn;
        all.add(bundle);
        backlogs[numbered ? std::pair(to->view().node, std::string())
                          : std::pair(std::uint64_t{0}, bundle.destination)]
            .add(bundle);
    }
    Json pending = Json::array();
    for (const auto &[to, backlog] : backlogs) {
        Json row{{"destination", to.first},
                 {"bundles", backlog.sum.count()},
                 {"bytes", backlog.sum.bytes},
                 {"custodyBundles", backlog.custody}};
        if (!to.second.empty()) row["name"] = to.second;
        if (const Json expiry = moment(backlog.next_expiry); !expiry.is_null())
            row["nextExpiry"] = expiry;
        pending.push_back(std::move(row));
    }
    return {{"ok", true},
            {"storage",
             {{"bundles", all.sum.count()},
              {"bytes", all.sum.bytes},
              {"custodyBundles", all.custody},
              {"destinations", backlogs.size()},
              {"disks", {{"0", {{"path", folder}}}}}}},
            {"pending", std::move(pending)}};
}

/// As version 0.1.0 printed it.
void print_old_overview(const StoreFiles &store) {
    std::map<std::string, StoreSum> destinations;
    StoreSum all;
    for (const StoredBundle &bundle : store.bundles()) {
        all.add(bundle);
        destinations[bundle.destination].add(bundle);
    }
    for (const auto &[destination, sum] : destinations)
        print_line({{"type", "destination"},
                    {"destination", destination},
                    {"bundles", sum.count()},
                    {"bytes", sum.bytes},
                    {"damaged", sum.damaged}});
    print_line(all.to_json(store.node()));
}

/// Prints the backlog of each destination, the largest first.
int show_destinations(const StoreFiles &store, const StorageOptions &options) {
    if (options.json) {
        options.old_words ? print_old_overview(store)
                          : print_line(overview_json(store, options.directory));
        return kExitClean;
    }
    std::map<std::string, StoreSum> destinations;
    StoreSum all;
    for (const StoredBundle &bundle : store.bundles()) {
        all.add(bundle);
        destinations[bundle.destination].add(bundle);
    }
    std::vector<Row> rows{{"waits for", "bundles", "bytes", "damaged"}};
    for (const auto &[destination, sum] : destinations)
        rows.push_back({printable(destination), std::to_string(sum.count()),
                        std::to_string(sum.bytes), std::to_string(sum.damaged)});
    if (rows.size() > 1) print_rows(rows);
    all.print();
    return kExitClean;
}

/// The reply of a running node to `storage list`, row by row: a store may hold very many bundles.
class PrintedReply {
public:
    PrintedReply() { std::fputs(R"({"ok":true,"bundles":[)", stdout); }
    void add(const Json &row) {
        if (std::exchange(more_rows_, true)) std::fputc(',', stdout);
        std::fputs(row.dump(-1, ' ', true, Json::error_handler_t::replace).c_str(), stdout);
        last_ = row.at("bundle").get<std::string>();
    }
    void end(bool more) {
        std::fputs(more ? R"(],"more":true)" : R"(],"more":false)", stdout);
        if (more) std::printf(R"(,"next":"%s")", last_.c_str());
        std::puts("}");
    }

private:
    bool more_rows_ = false;
    std::string last_;
};

/// What `show` prints of a bundle; as text and with `--decoded` it has more fields of the bundle.
struct Shown {
    Json fields;
    Bytes octets;  ///< from the beginning; empty: a part without the others, or damaged
    bool readable = true;
};

/// A stripe or a piece without the others has no further fields.
Shown look_at(StoreFiles &store, const StoredBundle &bundle, const StorageOptions &options) {
    Shown shown;
    if (store.complete(bundle)) {
        auto octets = store.read_head(bundle);
        shown.readable = octets.has_value();
        if (octets)
            shown.octets = std::move(*octets);
        else
            (void)failed(octets.error());
    }
    const bool as_rows = options.json && !options.old_words;
    if (as_rows) {
        StoredBundle row = bundle;
        row.damaged |= !shown.readable;
        shown.fields = row_json(row, shown.octets, options.directory);
    } else {
        shown.fields = to_json(bundle);
    }
    if (!shown.octets.empty() && options.decoded)
        shown.fields.update(control::decoded_json(shown.octets));
    else if (!shown.octets.empty() && !as_rows)
        add_fields(shown.fields, shown.octets, bundle.piece() != nullptr);
    if (!as_rows) shown.fields["damaged"] = bundle.damaged || !shown.readable;
    return shown;
}

/// One JSON object a line, and a summary: version 0.1.0.
void print_old_list(std::span<const StoredBundle> bundles, const StoreFiles &store,
                    const StoreSum &sum) {
    for (const StoredBundle &bundle : bundles) {
        Json line = to_json(bundle);
        line["type"] = "bundle";
        print_line(line);
    }
    print_line(sum.to_json(store.node()));
}

}  // namespace

int list_store(const StorageOptions &options) {
    const auto store = StoreFiles::open(options.directory);
    if (!store) return failed(store.error());
    const auto wanted = behind(**store, options.after);
    if (!wanted) return failed(wanted.error());
    StoreSum sum;
    std::vector<StoredBundle> listed;
    bool more = false;
    for (const StoredBundle &bundle : *wanted) {
        if (!is_for(bundle, options.destination)) continue;
        more = options.limit && listed.size() == *options.limit;
        if (more) break;
        sum.add(bundle);
        listed.push_back(bundle);
    }
    if (options.json && options.old_words) {
        print_old_list(listed, **store, sum);
    } else if (options.json) {
        PrintedReply reply;
        for (const StoredBundle &bundle : listed)
            reply.add(row_json(bundle, (*store)->read_beginning(bundle), options.directory));
        reply.end(more);
    } else {
        print_table(listed);
        sum.print();
    }
    return kExitClean;
}

int show_stored(const StorageOptions &options) {
    const auto store = StoreFiles::open(options.directory, options.other_disks);
    if (!store) return failed(store.error());
    if (!options.all && options.bundles.empty() && options.destination.empty())
        return show_destinations(**store, options);
    const auto chosen = choose(**store, options);
    if (!chosen) return failed(chosen.error());
    const bool lines = options.json && options.old_words;
    std::optional<PrintedReply> reply;
    if (options.json && !lines && !options.decoded) reply.emplace();
    int exit_code = kExitClean;
    bool first = true;
    for (const StoredBundle *bundle : *chosen) {
        const Shown shown = look_at(**store, *bundle, options);
        if (!shown.readable) exit_code = kExitFailed;
        if (reply) {
            reply->add(shown.fields);
        } else if (options.json) {
            print_line(lines ? shown.fields : Json{{"ok", true}, {"bundle", shown.fields}});
        } else {
            if (!std::exchange(first, false)) std::puts("");
            print_decoded(shown.fields);
        }
    }
    if (reply) reply->end(false);
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
        std::uint64_t bytes = 0;
        const auto read = (*store)->read(*bundle, [&](ByteView octets) {
            bytes += octets.size();
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
            print_line({{options.old_words ? "record" : "bundle", name_of(bundle->at.number)},
                        {"file", file},
                        {"bytes", bytes}});
        else
            std::printf("%s  %s\n", name_of(bundle->at.number).c_str(), file.c_str());
    }
    return exit_code;
}

}  // namespace farlink::ctl
