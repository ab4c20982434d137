// SPDX-License-Identifier: Apache-2.0
// What is being sent, what the node has accepted, what has failed.
// Shared by the threads of bpsendfile; any thread.
// An accepted piece is in the state file before anything is reported of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "apps/bpsendfile/parcel.hpp"
#include "apps/bpsendfile/state_file.hpp"
#include "apps/shared/files/sent_book.hpp"

namespace farlink::bpsendfile {

struct Totals {
    std::uint64_t files = 0;
    std::uint64_t folders = 0;
    std::uint64_t bytes = 0;       ///< of accepted files
    std::uint64_t sent_bytes = 0;  ///< of accepted payloads
    std::uint64_t before = 0;      ///< files that earlier runs have sent
    std::uint64_t failed = 0;
    std::uint64_t skipped = 0;  ///< symbolic links, devices and the like
};

class Ledger {
public:
    Ledger(files::SentBook book, StateFile state, bool json)
        : book_(std::move(book)), state_(std::move(state)), json_(json) {}

    /// False: it is being sent, or was, or has failed as it is.
    [[nodiscard]] bool claim(const std::string &name, const files::FileVersion &version);
    /// The same without counting, for files that are looked at again and again.
    [[nodiscard]] bool is_known(const std::string &name, const files::FileVersion &version) const;
    /// It is no more being sent: it has changed, and is sent when it is found again.
    void give_back(const std::string &name);
    /// The octets that need not be sent; the transfer's id is filled in.
    [[nodiscard]] files::Extents begin(LargeFile &file);

    /// A piece of the file is handed to a sender.
    void add_piece(LargeFile &file);
    /// All of its pieces are.
    void end_of(LargeFile &file);
    void accept(const Parcel &parcel);
    void fail(const Parcel &parcel, const std::string &why);
    void fail(LargeFile &file, const std::string &why);
    void fail(const std::string &name, const files::FileVersion &version, const std::string &why);
    void skip(const std::string &name, const std::string &why);
    /// The node has no room now, and is asked again.
    void note_refusal(const std::string &why);

    /// The connection or the state file is lost; the first reason counts.
    void set_error(const std::string &error);
    [[nodiscard]] std::string error() const;
    [[nodiscard]] Totals totals() const;
    void show_progress();
    /// The last line.
    void finish(const std::string &destination, const std::string &source) const;

private:
    using Clock = std::chrono::steady_clock;

    void finish_if_whole(LargeFile &file);
    void fail_locked(const std::string &name, const files::FileVersion &version,
                     const std::string &why);
    void note_accepted(const std::string &name, const files::FileVersion &version,
                       const files::Digest &digest);
    void accept_small(const SmallFile &file);
    void write_records();

    mutable std::mutex mutex_;
    files::SentBook book_;
    StateFile state_;
    bool json_;
    std::unordered_set<std::string> under_way_;
    std::unordered_map<std::string, files::FileVersion> failed_;
    Totals totals_;
    std::string error_;
    bool refused_ = false;
    Clock::time_point begun_ = Clock::now();
};

}  // namespace farlink::bpsendfile
