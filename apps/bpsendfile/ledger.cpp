// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/ledger.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "common/files/names.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bpsendfile {
namespace {

/// Further ones are only counted.
constexpr std::uint64_t kMostComplaints = 10;

using Json = nlohmann::ordered_json;

void print(const Json &json) {
    // Names may be no UTF-8.
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

bool Ledger::claim(const std::string &name, const files::FileVersion &version) {
    const std::lock_guard hold(mutex_);
    if (book_.is_done(name, version)) {
        ++totals_.before;
        return false;
    }
    const auto failed = failed_.find(name);
    if (failed != failed_.end() && failed->second == version) return false;
    return under_way_.insert(name).second;
}

bool Ledger::is_known(const std::string &name, const files::FileVersion &version) const {
    const std::lock_guard hold(mutex_);
    if (book_.is_done(name, version) || under_way_.contains(name)) return true;
    const auto failed = failed_.find(name);
    return failed != failed_.end() && failed->second == version;
}

void Ledger::give_back(const std::string &name) {
    const std::lock_guard hold(mutex_);
    under_way_.erase(name);
}

files::Extents Ledger::begin(LargeFile &file) {
    const std::lock_guard hold(mutex_);
    if (const auto *open = book_.find_open(file.name, file.version)) {
        file.transfer = open->transfer;
        return open->accepted;
    }
    fill_random(file.transfer);
    book_.begin(file.name, file.version, file.transfer);
    write_records();
    return {};
}

void Ledger::add_piece(LargeFile &file) {
    const std::lock_guard hold(mutex_);
    ++file.under_way;
}

void Ledger::end_of(LargeFile &file) {
    const std::lock_guard hold(mutex_);
    file.read = true;
    finish_if_whole(file);
}

void Ledger::accept(const Parcel &parcel) {
    const std::lock_guard hold(mutex_);
    refused_ = false;
    totals_.sent_bytes += parcel.payload.size();
    for (const SmallFile &small : parcel.small) accept_small(small);
    if (parcel.file) {
        --parcel.file->under_way;
        book_.accept(parcel.file->name, parcel.extent);
        finish_if_whole(*parcel.file);
    }
    write_records();
    if (json_) std::cout << std::flush;
}

void Ledger::accept_small(const SmallFile &file) {
    if (!file.folder) return note_accepted(file.name, file.version, file.digest);
    ++totals_.folders;
    if (json_) print({{"type", "folder"}, {"name", file.name}});
}

void Ledger::finish_if_whole(LargeFile &file) {
    if (!file.read || file.failed || file.under_way > 0) return;
    note_accepted(file.name, file.version, file.digest);
    write_records();
}

void Ledger::note_accepted(const std::string &name, const files::FileVersion &version,
                           const files::Digest &digest) {
    book_.finish(name, version);
    under_way_.erase(name);
    ++totals_.files;
    totals_.bytes += version.size;
    if (json_)
        print({{"type", "accepted"},
               {"name", name},
               {"bytes", version.size},
               {"sha256", files::hex_of(digest)}});
}

void Ledger::fail(const Parcel &parcel, const std::string &why) {
    const std::lock_guard hold(mutex_);
    for (const SmallFile &small : parcel.small) fail_locked(small.name, small.version, why);
    if (!parcel.file) return;
    --parcel.file->under_way;
    if (!std::exchange(parcel.file->failed, true))
        fail_locked(parcel.file->name, parcel.file->version, why);
}

void Ledger::fail(LargeFile &file, const std::string &why) {
    const std::lock_guard hold(mutex_);
    if (!std::exchange(file.failed, true)) fail_locked(file.name, file.version, why);
}

void Ledger::fail(const std::string &name, const files::FileVersion &version,
                  const std::string &why) {
    const std::lock_guard hold(mutex_);
    fail_locked(name, version, why);
}

void Ledger::fail_locked(const std::string &name, const files::FileVersion &version,
                         const std::string &why) {
    under_way_.erase(name);
    failed_[name] = version;
    ++totals_.failed;
    if (json_) print({{"type", "failed"}, {"name", name}, {"reason", why}});
    if (totals_.failed <= kMostComplaints)
        std::cerr << "bpsendfile: " << files::printable(name) << ": " << why << '\n';
    else if (totals_.failed == kMostComplaints + 1)
        std::cerr << "bpsendfile: further failures are counted and not printed\n";
}

void Ledger::skip(const std::string &name, const std::string &why) {
    const std::lock_guard hold(mutex_);
    ++totals_.skipped;
    if (json_) print({{"type", "skipped"}, {"name", name}, {"reason", why}});
}

void Ledger::note_refusal(const std::string &why) {
    const std::lock_guard hold(mutex_);
    if (!std::exchange(refused_, true))
        std::cerr << "bpsendfile: the node cannot accept bundles now; trying again: " << why
                  << '\n';
}

void Ledger::write_records() {
    const Bytes records = book_.take_records();
    if (records.empty()) return;
    const std::string wrong = state_.append(records);
    if (!wrong.empty() && error_.empty()) error_ = "--state: " + wrong;
}

void Ledger::set_error(const std::string &error) {
    const std::lock_guard hold(mutex_);
    if (error_.empty()) error_ = error;
}

std::string Ledger::error() const {
    const std::lock_guard hold(mutex_);
    return error_;
}

Totals Ledger::totals() const {
    const std::lock_guard hold(mutex_);
    return totals_;
}

void Ledger::show_progress() {
    const Totals totals = this->totals();
    std::cerr << totals.files << " files accepted, " << totals.sent_bytes << " bytes\n";
}

void Ledger::finish(const std::string &destination, const std::string &source) const {
    const std::lock_guard hold(mutex_);
    const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
    if (json_)
        print({{"type", "summary"},
               {"destination", destination},
               {"source", source},
               {"files", totals_.files},
               {"folders", totals_.folders},
               {"fileBytes", totals_.bytes},
               {"sentBefore", totals_.before},
               {"failed", totals_.failed},
               {"skipped", totals_.skipped},
               {"seconds", seconds},
               {"error", error_}});
    else
        std::cout << totals_.files << (totals_.files == 1 ? " file, " : " files, ") << totals_.bytes
                  << " bytes accepted, " << totals_.before << " sent by an earlier run, "
                  << totals_.failed << " failed, " << totals_.skipped << " skipped\n";
    std::cout << std::flush;
}

}  // namespace farlink::bpsendfile
