// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsend/report.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/shared/messages/bundle_name.hpp"

namespace farlink::bpsend {
namespace {

/// Further ones are only counted.
constexpr std::uint64_t kMostComplaints = 10;

using Json = nlohmann::ordered_json;

bool is_unknown(const client::Error &error) {
    return error.code == client::ErrorCode::kConnectionLost ||
           error.code == client::ErrorCode::kTimedOut || error.code == client::ErrorCode::kProtocol;
}

std::string reason_of(const client::Error &error) {
    if (error.code == client::ErrorCode::kTimedOut) return "the node did not answer in time";
    return error.reason.empty() ? "no reason given" : error.reason;
}

void print(const Json &json) {
    // Texts of others may be no UTF-8.
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

Report::Report(bool json, bool progress) : json_(json), progress_(progress) {}

void Report::add(const client::Sent &sent, std::uint64_t bytes) {
    ++number_;
    if (!sent.error) {
        ++accepted_;
        accepted_bytes_ += bytes;
    } else {
        complain(sent);
        ++(is_unknown(*sent.error) ? unknown_ : refused_);
    }
    if (json_) print_line(sent, bytes);
}

void Report::complain(const client::Sent &sent) {
    const std::uint64_t before = refused_ + unknown_;
    if (before < kMostComplaints)
        std::cerr << "bpsend: message " << number_
                  << (is_unknown(*sent.error) ? " may not have been accepted: " : " was refused: ")
                  << reason_of(*sent.error) << '\n';
    else if (before == kMostComplaints)
        std::cerr << "bpsend: further refusals are counted and not printed\n";
}

void Report::print_line(const client::Sent &sent, std::uint64_t bytes) const {
    const char *const type = !sent.error               ? "accepted"
                             : is_unknown(*sent.error) ? "unknown"
                                                       : "refused";
    Json line{{"type", type}, {"number", number_}, {"bytes", bytes}};
    if (!sent.id.source.empty()) line["id"] = messages::id_text(sent.id);
    if (sent.error) line["reason"] = reason_of(*sent.error);
    print(line);
}

void Report::show_progress() {
    const Clock::time_point now = Clock::now();
    if (!progress_ || now - shown_ < std::chrono::seconds(1)) return;
    shown_ = now;
    std::cerr << accepted_ << " messages accepted, " << accepted_bytes_ << " bytes\n";
}

void Report::finish(const std::string &destination, const std::string &source,
                    const std::string &error) const {
    if (json_) {
        const double seconds = std::chrono::duration<double>(Clock::now() - begun_).count();
        print(Json{{"type", "summary"},
                   {"destination", destination},
                   {"source", source},
                   {"messages", number_},
                   {"accepted", accepted_},
                   {"refused", refused_},
                   {"unknown", unknown_},
                   {"acceptedBytes", accepted_bytes_},
                   {"seconds", seconds},
                   {"error", error}});
    } else {
        std::cout << accepted_ << " of " << number_ << (number_ == 1 ? " message" : " messages")
                  << " accepted, " << accepted_bytes_ << " bytes, from " << source << " to "
                  << destination << '\n';
    }
    std::cout << std::flush;
}

}  // namespace farlink::bpsend
