// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/report.hpp"

#include <unistd.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "common/files/names.hpp"

namespace farlink::bpreceivefile {
namespace {

/// Further ones are only counted.
constexpr std::uint64_t kMostComplaints = 10;

using Json = nlohmann::ordered_json;

const char *text_of(Fate fate) {
    switch (fate) {
        case Fate::kWritten:
            return "written";
        case Fate::kReplaced:
            return "replaced";
        case Fate::kRenamed:
            return "renamed";
        case Fate::kKeptOther:
            return "kept";
        case Fate::kSame:
            break;
    }
    return "same";
}

// Names of others may be no UTF-8.
std::string line_of(const Json &json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

Report::Report(bool json, bool progress)
    : lines_(STDOUT_FILENO, "standard output"), json_(json), progress_(progress) {}

void Report::complain(const std::string &what) {
    std::cerr << "bpreceivefile: " << what << '\n';
}

void Report::add(const std::vector<Event> &events) {
    for (const Event &event : events) add(event);
    // Nobody may read it any more; the files count.
    [[maybe_unused]] const std::string ignored = lines_.flush();
}

void Report::add(const Event &event) {
    if (event.kind == Event::Kind::kFolder) ++folders_;
    if (event.kind == Event::Kind::kRefused) add_refusal(event);
    if (event.kind == Event::Kind::kFile) {
        ++files_;
        file_octets_ += event.size;
        if (event.placed.fate == Fate::kKeptOther) ++kept_others_;
    }
    if (json_) print_line(event);
}

void Report::add_refusal(const Event &event) {
    ++refused_;
    if (refused_ <= kMostComplaints)
        complain("refused" + (event.name.empty() ? "" : ' ' + files::printable(event.name)) + ": " +
                 event.wrong);
    else if (refused_ == kMostComplaints + 1)
        complain("further refusals are counted and not printed");
}

void Report::print_line(const Event &event) {
    if (event.kind == Event::Kind::kRefused)
        return print(line_of({{"type", "refused"}, {"name", event.name}, {"reason", event.wrong}}));
    if (event.kind == Event::Kind::kFolder)
        return print(line_of({{"type", "folder"}, {"name", event.name}}));
    print(line_of({{"type", "file"},
                   {"name", event.name},
                   {"bytes", event.size},
                   {"sha256", files::hex_of(event.digest)},
                   {"result", text_of(event.placed.fate)},
                   {"file", event.placed.name}}));
}

void Report::print(const std::string &line) {
    [[maybe_unused]] const std::string ignored = lines_.write(line);
}

void Report::show_progress(std::size_t open_files) {
    const Clock::time_point now = Clock::now();
    if (!progress_ || now - shown_ < std::chrono::seconds(1)) return;
    shown_ = now;
    std::cerr << files_ << " files received, " << open_files << " incomplete, " << octets_
              << " bytes\n";
}

void Report::finish(const std::string &endpoint, const FileWriter &writer,
                    const std::string &error) {
    if (!error.empty()) complain(error);
    if (json_)
        print(line_of({{"type", "summary"},
                       {"endpoint", endpoint},
                       {"files", files_},
                       {"keptOthers", kept_others_},
                       {"folders", folders_},
                       {"fileBytes", file_octets_},
                       {"refused", refused_},
                       {"repeated", writer.repeated()},
                       {"notComplete", writer.open_files()},
                       {"error", error}}));
    else
        print(std::to_string(files_) + (files_ == 1 ? " file, " : " files, ") +
              std::to_string(file_octets_) + " bytes received, " + std::to_string(refused_) +
              " refused, " + std::to_string(writer.open_files()) + " incomplete\n");
    [[maybe_unused]] const std::string ignored = lines_.flush();
}

}  // namespace farlink::bpreceivefile
