// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/storage_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <tuple>

#include "apps/farlinkctl/shared/file_options.hpp"
#include "apps/farlinkctl/shared/number_options.hpp"
#include "apps/farlinkctl/store_files/store_files.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/bp/eid/eid_pattern.hpp"

namespace farlink::ctl {
namespace {

constexpr const char *kBundleNumber = "the number of a bundle, as in `storage list`";
constexpr std::uint64_t kMostRows = 1000;

bool is_number(const std::string &text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::string check_bundle(const std::string &text) {
    return is_number(text) || parse_record(text) ? ""
                                                 : "found " + text + "; expected " + kBundleNumber +
                                                       ", or with --dir a record, such as 3:17";
}

std::string check_pattern(const std::string &text) {
    return bp::EidPattern::parse(text) ? ""
                                       : "expected an endpoint, such as ipn:20.1, or all endpoints "
                                         "of a node, such as ipn:20.*; found " +
                                             text;
}

/// A bundle is named by its number in a running node, by its record in files.
void check_names(const StorageOptions &options) {
    std::vector<std::string> names = options.bundles;
    if (!options.after.empty()) names.push_back(options.after);
    for (const std::string &name : names) {
        if (is_number(name) == options.directory.empty()) continue;
        throw CLI::ValidationError(
            name, options.directory.empty()
                      ? "found a record of store files, which requires --dir; expected the number "
                        "of a bundle"
                      : "expected a record, such as 3:17, as in `storage list --dir`");
    }
}

constexpr const char *kStoreFolder =
    "folder of the store of a node that is not running, instead of a running node";
constexpr const char *kStateFolder =
    "`stateFolder` of a node that is not running, instead of a running node";

CLI::App *add(CLI::App &group, StorageOptions &options, const char *word, StorageVerb verb,
              const char *help, const char *folder = kStoreFolder) {
    CLI::App *const made = group.add_subcommand(word, help);
    CLI::App *const where = add_node_choice(*made, options.node);
    where->add_option("--dir", options.directory, folder)->type_name(kFolder);
    made->add_flag(
        "--json", options.json,
        "print JSON: the node's reply; with --dir `list` and `show` have the same members");
    made->callback([&options, verb] {
        options.verb = verb;
        check_names(options);
    });
    return made;
}

/// The options that select bundles: by number, by destination, or all.
void add_choice(CLI::App &command, StorageOptions &options, int least) {
    auto *choice = command.add_option_group("bundles", "bundles to select");
    choice
        ->add_option("bundle", options.bundles,
                     "numbers of bundles, or with --dir records (3:17), as in `storage list`")
        ->check(check_bundle);
    choice
        ->add_option(
            "--destination", options.destination,
            "all bundles for this endpoint, such as ipn:20.1, or for a node, such as ipn:20.*")
        ->check(check_pattern);
    choice->add_flag("--all", options.all, "all bundles");
    choice->require_option(least, 1);
}

void add_others(CLI::App &command, StorageOptions &options) {
    command
        .add_option(
            "--other-disk", options.other_disks,
            "folder of another disk of the store, for bundles in stripes or pieces; repeatable")
        ->type_name(kFolder)
        ->allow_extra_args(false);
}

void add_page(CLI::App &list, StorageOptions &options, const char *limit_help) {
    list.add_option(
            "destination,--destination", options.destination,
            "only bundles for this endpoint, such as ipn:20.1, or for a node, such as ipn:20.*")
        ->check(check_pattern);
    list.add_option("--limit", options.limit, limit_help)->transform(amount("rows", 1, kMostRows));
}

void add_list(CLI::App &storage, StorageOptions &options) {
    CLI::App *const list = add(storage, options, "list", StorageVerb::kList, "list stored bundles");
    add_page(*list, options, "maximum number of bundles (running node: 100)");
    list->add_option("--after", options.after, "continue after this bundle")->check(check_bundle);
}

/// In files, the records of fragments are listed.
void add_sets(CLI::App &storage, StorageOptions &options) {
    CLI::App *const sets = storage.add_subcommand(
        "sets", "list the fragment sets of a running node, and the missing ranges");
    add_node_choice(*sets, options.node);
    sets->add_flag("--json", options.json, "print JSON: the node's reply");
    add_page(*sets, options, "maximum number of sets (100)");
    sets->add_option("--after", options.after, "continue after this set")
        ->check([](const std::string &text) {
            return is_number(text) ? std::string()
                                   : "found " + text + "; expected the number of a set";
        });
    sets->callback([&options] { options.verb = StorageVerb::kSets; });
}

/// What a running node does beside its work, and the files of one that is off are done with when
/// the command ends.
CLI::App *add_task(CLI::App &storage, StorageOptions &options, const char *word, StorageVerb verb,
                   const char *help) {
    CLI::App *const made = add(storage, options, word, verb, help);
    auto *const how = made->add_option_group("running", "options for a running node");
    how->add_flag("--status", options.status, "print the progress, or the result of the last run");
    how->add_flag("--cancel", options.cancel, "cancel it");
    how->add_flag("--no-wait", options.no_wait, "start it without waiting for its end");
    how->require_option(0, 1);
    made->callback([&options, verb, word] {
        options.verb = verb;
        const bool steers = options.status || options.cancel || options.no_wait;
        if (!options.directory.empty() && (steers || options.rate_bytes_per_s))
            throw CLI::ValidationError(std::string("storage ") + word,
                                       "--status, --cancel, --no-wait and --rate can be used only "
                                       "for a running node, not with --dir");
        if (options.rate_bytes_per_s && (options.status || options.cancel))
            throw CLI::ValidationError("--rate", "cannot be used with --status or --cancel");
    });
    return made;
}

void add_tasks(CLI::App &storage, StorageOptions &options) {
    constexpr std::uint64_t kLeastRate = 4096;
    constexpr std::uint64_t kMostRate = 1'000'000'000'000;
    add_task(storage, options, "verify", StorageVerb::kVerify,
             "read all records and report damaged ones")
        ->add_option("--rate", options.rate_bytes_per_s,
                     "bytes per second that a running node reads to verify: 64k, 5M (16Mi)")
        ->transform(amount("bytes per second", kLeastRate, kMostRate));
    add_task(storage, options, "compact", StorageVerb::kCompact,
             "move bundles out of log files with mostly deleted bundles, to free the space of "
             "these files");
}

void add_export(CLI::App &storage, StorageOptions &options) {
    CLI::App *const made = add(storage, options, "export", StorageVerb::kExport,
                               "write bundles to files, as the store holds them");
    add_choice(*made, options, 1);
    add_others(*made, options);
    auto *target = made->add_option_group("files", "output");
    target->add_option("-o,--output", options.output, "file for one bundle")->type_name(kFile);
    target->add_option("--out", options.out, "folder for the files; created if missing")
        ->type_name(kFolder);
    target->require_option(1);
    made->callback([&options] {
        options.verb = StorageVerb::kExport;
        check_names(options);
        if (!options.output.empty() && options.bundles.size() != 1)
            throw CLI::ValidationError(
                "--output",
                "expected the number of one bundle; for several bundles use --out with a folder");
    });
}

void add_holds(CLI::App &storage, StorageOptions &options) {
    for (const auto &[word, verb, help] :
         {std::tuple("hold", StorageVerb::kHold,
                     "hold all bundles for a node in storage, even if its link is up"),
          std::tuple("release", StorageVerb::kRelease, "end `hold` for a node")})
        add(storage, options, word, verb, help, kStateFolder)
            ->add_option("node", options.held, "destination node")
            ->transform(whole_number("the number of a node", 1))
            ->required();
    add(storage, options, "holds", StorageVerb::kHolds, "list the nodes whose bundles are held",
        kStateFolder);
}

/// The former names of commands on files; not in the help.
void add_old_words(CLI::App &app, StorageOptions &options) {
    CLI::App *const store = app.add_subcommand("store", "the old name of `storage ... --dir`");
    store->group("")->require_subcommand(1);
    for (const auto &[word, now, verb] :
         {std::tuple("ls", "list", StorageVerb::kList),
          std::tuple("show", "show", StorageVerb::kShow),
          std::tuple("export", "export", StorageVerb::kExport),
          std::tuple("verify", "verify", StorageVerb::kVerify),
          std::tuple("drop", "delete", StorageVerb::kDelete),
          std::tuple("compact", "compact", StorageVerb::kCompact)}) {
        CLI::App *const made = store->add_subcommand(word, std::string("storage ") + now);
        made->add_option("--dir", options.directory, "folder of the store")
            ->type_name(kFolder)
            ->required();
        made->add_flag("--json", options.json, "print one JSON object per line");
        made->callback([&options, verb, word, now] {
            options.verb = verb;
            options.old_words = options.force = true;
            std::fprintf(stderr,
                         "farlinkctl: `store %s` is now `storage %s`; the old name will be removed "
                         "in the next minor version\n",
                         word, now);
            check_names(options);
        });
        if (verb == StorageVerb::kShow || verb == StorageVerb::kExport ||
            verb == StorageVerb::kDelete)
            add_choice(*made, options, 1);
        if (verb == StorageVerb::kShow || verb == StorageVerb::kExport) add_others(*made, options);
        if (verb == StorageVerb::kExport)
            made->add_option("--out", options.out, "folder of the files")
                ->type_name(kFolder)
                ->required();
    }
}

}  // namespace

void add_storage_commands(CLI::App &app, StorageOptions &options) {
    CLI::App &storage = command_group(
        app, "storage",
        "stored bundles of a running node, or in the files of a node that is not running");
    add_list(storage, options);
    add_sets(storage, options);
    CLI::App *const show =
        add(storage, options, "show", StorageVerb::kShow,
            "print the use of storage and the backlog of each destination, or details of bundles");
    add_choice(*show, options, 0);
    add_others(*show, options);
    show->add_flag("--decoded", options.decoded,
                   "print also the primary block and the other blocks of each given bundle");
    show->callback([&options] {
        options.verb = StorageVerb::kShow;
        check_names(options);
        if (options.decoded && options.directory.empty() && options.bundles.empty())
            throw CLI::ValidationError(
                "--decoded", "requires the numbers of bundles; `storage list` prints numbers");
    });
    CLI::App *const remove =
        add(storage, options, "delete", StorageVerb::kDelete,
            "delete bundles; a running node sends the status reports that were requested");
    add_choice(*remove, options, 1);
    remove->add_flag("--force", options.force, "delete also bundles in custody of this node");
    add_holds(storage, options);
    add_export(storage, options);
    add_tasks(storage, options);
    add_old_words(app, options);
}

}  // namespace farlink::ctl
