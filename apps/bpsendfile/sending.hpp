// SPDX-License-Identifier: Apache-2.0
// A run of bpsendfile: it finds the files, readers read them, senders send them.
// Owned by main(), whose thread runs it and finds the files; readers and senders have threads.
//
//   Scanner, FolderWatch ──sources──► FileReader ──parcels──► ParcelSender ──► the node
//                                         ▲                       │
//                                         └───────buffers─────────┘
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "apps/bpsendfile/file_reader.hpp"
#include "apps/bpsendfile/folder_watch.hpp"
#include "apps/bpsendfile/ledger.hpp"
#include "apps/bpsendfile/options.hpp"
#include "apps/bpsendfile/parcel_sender.hpp"
#include "apps/bpsendfile/scanner.hpp"
#include "apps/shared/files/quiet_files.hpp"
#include "apps/shared/messages/interruption.hpp"

namespace farlink::bpsendfile {

class Sending {
public:
    /// All are borrowed; a sender for each endpoint.
    Sending(const Arguments &arguments, const Scanner &scanner,
            std::vector<client::Endpoint> &endpoints, Ledger &ledger,
            const messages::Interruption &interruption);

    /// Returns when everything is accepted or has failed, at an interruption, or when the
    /// connection is lost. The exit code.
    [[nodiscard]] int run();

private:
    using Clock = std::chrono::steady_clock;

    void send_once();
    void watch();
    void look_at_folders();
    void look_at_events(bool &scan);
    void handle_found(const Source &source, const files::FileVersion &version);
    [[nodiscard]] bool ends() const;
    /// Until it is stopped: shows how far it is, and ends the other threads where they must.
    void keep_watch(const std::stop_token &stop);

    const Arguments &arguments_;
    const Scanner &scanner_;
    std::vector<client::Endpoint> &endpoints_;
    Ledger &ledger_;
    const messages::Interruption &interruption_;
    Queues queues_;
    SendTask task_;
    FolderWatch watch_;
    files::QuietFiles quiet_;
    std::unordered_set<std::string> folders_sent_;
    std::unordered_set<std::string> skipped_;
    bool progress_;
};

}  // namespace farlink::bpsendfile
