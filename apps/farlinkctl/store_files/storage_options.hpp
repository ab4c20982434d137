// SPDX-License-Identifier: Apache-2.0
// The command line of `farlinkctl storage`, for a running node and for the files of a node that is
// not running.
// Filled by read_options().
// A value.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/farlinkctl/shared/node_choice.hpp"

namespace farlink::ctl {

enum class StorageVerb : std::uint8_t {
    kNone,  ///< none of these was given
    kList,
    kSets,
    kShow,
    kDelete,
    kHold,
    kRelease,
    kHolds,
    kExport,
    kVerify,
    kCompact,
};

struct StorageOptions {
    StorageVerb verb = StorageVerb::kNone;
    bool old_words = false;  ///< `store ...`
    bool json = false;
    bool all = false;
    bool force = false;
    bool decoded = false;  ///< `show`: with the blocks
    // `verify` and `compact` of a running node
    bool status = false;   ///< how far it is
    bool cancel = false;   ///< ends it
    bool no_wait = false;  ///< starts it, and leaves it running
    std::optional<std::uint64_t> rate_bytes_per_s;

    NodeChoice node;
    /// Instead of a running node: the folder of a store; of `hold`, `release` and `holds` the
    /// node's stateFolder.
    std::string directory;
    /// Folders of the store's other disks, for bundles in stripes.
    std::vector<std::string> other_disks;
    /// The number of each in a running node, "4294967297", or its record in a store, "3:17".
    std::vector<std::string> bundles;
    std::string destination;  ///< an endpoint, or all endpoints of a node: "ipn:20.*"
    std::string after;        ///< `list`: a bundle; `sets`: a set
    std::optional<std::uint64_t> limit;
    std::optional<std::uint64_t> held;  ///< `hold`, `release`: the node
    std::string out;                    ///< `export`: folder
    std::string output;                 ///< `export`: file, of one bundle
};

/// `storage ...`, and the former names `store ls|show|export|verify|drop|compact`.
void add_storage_commands(CLI::App &app, StorageOptions &options);

}  // namespace farlink::ctl
