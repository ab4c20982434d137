// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/receiving.hpp"

#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "apps/bpreceive/bundle_json.hpp"
#include "common/base/counted.hpp"

namespace farlink::bpreceive {

Receiving::Receiving(client::Endpoint &endpoint, const Arguments &arguments,
                     std::unique_ptr<Output> output, const FolderOutput *folder)
    : endpoint_(endpoint),
      output_(std::move(output)),
      folder_(folder),
      lines_(STDOUT_FILENO, "standard output"),
      count_(arguments.count),
      window_(arguments.node.window),
      timeout_(messages::limit_of(arguments.timeout_s)),
      json_(arguments.json),
      json_payload_(arguments.json && arguments.folder.empty() && arguments.command.empty()),
      progress_(arguments.progress || ::isatty(STDERR_FILENO) == 1) {}

void Receiving::run() {
    // Nobody else changes what is read here without the mutex.
    while (!enough()) {
        const auto adus = endpoint_.receive_many(most(), timeout_);
        const std::lock_guard hold(mutex_);
        if (finished_) return;
        if (!adus) return handle_none(adus.error());
        error_ = take(*adus);
        if (!error_.empty()) return;
        show_progress();
    }
}

std::size_t Receiving::most() const {
    if (count_ == 0) return window_;
    return static_cast<std::size_t>(std::min<std::uint64_t>(window_, count_ - received_));
}

void Receiving::handle_none(const client::Error &error) {
    if (error.code == client::ErrorCode::kTimedOut) {
        if (count_ > 0) error_ = "no bundle arrived within the time limit (--timeout)";
        return;
    }
    error_ = "the connection to the node was lost: " +
             (error.reason.empty() ? "no reason given" : error.reason);
}

// What is written is accepted, also where a later one cannot be written.
std::string Receiving::take(std::span<const client::Adu> adus) {
    std::string error;
    std::size_t written = 0;
    for (; written < adus.size() && error.empty(); ++written) error = output_->write(adus[written]);
    if (!error.empty()) --written;
    const auto done = adus.first(written);
    std::string unsafe = output_->flush();
    if (unsafe.empty()) unsafe = write_lines(done);
    if (!unsafe.empty()) return unsafe;
    accept(done);
    return error;
}

std::string Receiving::write_lines(std::span<const client::Adu> adus) {
    if (!json_) return {};
    for (const client::Adu &adu : adus) {
        const std::string file = folder_ == nullptr ? "" : folder_->path_of(adu);
        if (std::string error = lines_.write(line_of(adu, file, json_payload_)); !error.empty())
            return error;
    }
    return lines_.flush();
}

void Receiving::accept(std::span<const client::Adu> adus) {
    endpoint_.accept_many(adus);
    received_ += adus.size();
    for (const client::Adu &adu : adus) {
        bytes_ += adu.payload.size();
        if (adu.repeated) ++repeated_;
    }
}

void Receiving::show_progress() {
    const Clock::time_point now = Clock::now();
    if (!progress_ || now - shown_ < std::chrono::seconds(1)) return;
    shown_ = now;
    std::cerr << counted(received_, "bundle") << " received, " << counted(bytes_, "byte") << "\n";
}

int Receiving::finish() {
    const std::lock_guard hold(mutex_);
    if (!finished_ && !error_.empty()) std::cerr << "bpreceive: " << error_ << '\n';
    if (!finished_ && json_) {
        const nlohmann::ordered_json summary{{"type", "summary"},    {"endpoint", endpoint_.id()},
                                             {"bundles", received_}, {"repeated", repeated_},
                                             {"bytes", bytes_},      {"error", error_}};
        // Nobody may read it any more; then the error is known.
        [[maybe_unused]] const std::string ignored = lines_.write(
            summary.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
        [[maybe_unused]] const std::string also = lines_.flush();
    }
    finished_ = true;
    const bool complete = count_ == 0 || received_ >= count_;
    return error_.empty() && complete ? messages::kExitOk : messages::kExitFailed;
}

}  // namespace farlink::bpreceive
