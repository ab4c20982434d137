// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/put_folder.hpp"

#include <poll.h>

#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>
#include <unordered_set>
#include <utility>
#include <vector>

#include "apps/cfdp/control_line.hpp"
#include "apps/cfdp/exit_code.hpp"
#include "apps/shared/options/complain.hpp"
#include "common/files/names.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cfdp_command {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Requests that share a sync of the daemon.
constexpr std::size_t kTogether = 512;
constexpr int kPauseMs = 50;
/// Further ones are only counted.
constexpr std::uint64_t kMostComplaints = 10;

class Putting {
public:
    Putting(const FolderPut &task, ControlLine line) : task_(task), line_(std::move(line)) {}

    int run() {
        if (const std::string wrong = files::wrong_name(task_.source); !wrong.empty())
            return complain(files::printable(task_.source) + ": the name " + wrong, kExitFailed);
        const auto status = ask({{"command", "status"}});
        const auto ended = ask({{"command", "ended"}});
        if (!status || !ended) return complain(trouble_, kExitFailed);
        next_ended_ = ended->value("next", std::uint64_t{0});
        if (!walk(status->value("root", "")) || !flush() || !wait())
            return complain(trouble_, kExitFailed);
        report();
        return failed_ == 0 ? kExitOk : kExitFailed;
    }

private:
    struct Names {
        std::string source;
        std::string destination;
    };

    bool walk(const std::string &root) {
        const fs::path folder = fs::path(root) / task_.source;
        std::error_code error;
        fs::recursive_directory_iterator each(folder, error);
        for (; !error && each != fs::recursive_directory_iterator(); each.increment(error)) {
            std::error_code gone;
            const fs::file_status status = each->symlink_status(gone);
            if (status.type() == fs::file_type::directory) continue;
            if (status.type() != fs::file_type::regular) {
                ++skipped_;
                continue;
            }
            const std::string name = each->path().lexically_relative(folder).string();
            batch_.push_back({task_.source + '/' + name, task_.destination + '/' + name});
            if (batch_.size() >= kTogether && !flush()) return false;
        }
        if (error) trouble_ = folder.string() + ": " + error.message();
        return !error;
    }

    /// Until the daemon has taken or refused all of the batch.
    bool flush() {
        while (!batch_.empty()) {
            std::vector<std::string> lines;
            for (const Names &each : batch_) lines.push_back(text_of(request_of(each)));
            const auto replies = line_.ask_all(lines);
            if (!replies) {
                trouble_ = replies.error();
                return false;
            }
            std::vector<Names> again;
            for (std::size_t at = 0; at < batch_.size(); ++at)
                if (!take_reply(batch_[at], (*replies)[at])) again.push_back(batch_[at]);
            batch_ = std::move(again);
            if (!take_ended()) return false;
            if (!batch_.empty()) ::poll(nullptr, 0, kPauseMs);
        }
        return true;
    }

    Json request_of(const Names &names) const {
        Json request = task_.request;
        request["command"] = "put";
        request["source"] = names.source;
        request["destination"] = names.destination;
        return request;
    }

    /// False: it is to be asked for again.
    bool take_reply(const Names &names, const std::string &text) {
        const Json reply = Json::parse(text, nullptr, false);
        const bool readable = reply.is_object();
        if (readable && reply.value("busy", false)) return false;
        if (readable && reply.value("ok", false)) {
            ++begun_;
            if (task_.wait) open_.insert(reply.value("id", ""));
        } else {
            note_failed(files::printable(names.source) + ": " +
                        (readable ? reply.value("error", "") : "the reply is not a JSON object"));
        }
        return true;
    }

    bool take_ended() {
        while (!open_.empty()) {
            const auto reply = ask({{"command", "ended"}, {"after", next_ended_}});
            if (!reply) return false;
            const std::uint64_t next = reply->value("next", std::uint64_t{0});
            for (const Json &each : (*reply)["ended"])
                if (open_.erase(each.at(0).get<std::string>()) > 0)
                    note_end(each.at(0).get<std::string>(), each.at(1).get<bool>());
            if (reply->value("lost", false) && !ask_for_each()) return false;
            if (next == std::exchange(next_ended_, next)) return true;
        }
        return true;
    }

    /// The daemon has not kept all ends.
    bool ask_for_each() {
        const std::vector<std::string> ids(open_.begin(), open_.end());
        for (const std::string &id : ids) {
            const auto reply = ask({{"command", "status"}, {"id", id}}, true);
            if (!reply) return false;
            const Json transaction = reply->value("transaction", Json::object());
            if (!transaction.empty() && !transaction.value("ended", false)) continue;
            open_.erase(id);
            note_end(id, transaction.value("complete", false));
        }
        return true;
    }

    bool wait() {
        const TimePoint begun = monotonic_now();
        const auto longest = milliseconds(static_cast<std::int64_t>(task_.timeout_s * 1000));
        while (take_ended()) {
            if (open_.empty()) return true;
            if (task_.timeout_s > 0 && monotonic_now() - begun > longest) {
                trouble_ = std::to_string(open_.size()) +
                           " transactions did not end within the time limit (--timeout)";
                return false;
            }
            ::poll(nullptr, 0, kPauseMs);
        }
        return false;
    }

    void note_end(const std::string &id, bool complete) {
        if (complete)
            ++complete_;
        else
            note_failed("transaction " + id + " is not complete, or its end is not known");
    }

    void note_failed(const std::string &text) {
        if (++failed_ <= kMostComplaints) complain(text, kExitFailed);
    }

    void report() const {
        if (task_.json) {
            Json summary{
                {"type", "summary"}, {"begun", begun_}, {"failed", failed_}, {"skipped", skipped_}};
            if (task_.wait) summary["complete"] = complete_;
            std::cout << summary << '\n';
            return;
        }
        std::cout << begun_ << (begun_ == 1 ? " transaction, " : " transactions, ");
        if (task_.wait) std::cout << complete_ << " complete, ";
        std::cout << failed_ << " failed, " << skipped_ << " skipped (neither files nor folders)\n";
    }

    /// None: trouble_ says why. `any`: a refusal is a reply as well.
    std::optional<Json> ask(const Json &request, bool any = false) {
        const auto text = line_.ask(text_of(request));
        Json reply = text ? Json::parse(*text, nullptr, false) : Json();
        if (reply.is_object() && (any || reply.value("ok", false))) return reply;
        trouble_ = !text               ? text.error()
                   : reply.is_object() ? reply.value("error", "")
                                       : "the reply is not a JSON object";
        return std::nullopt;
    }

    static std::string text_of(const Json &json) {
        return json.dump(-1, ' ', false, Json::error_handler_t::replace);
    }

    const FolderPut &task_;
    ControlLine line_;
    std::vector<Names> batch_;
    std::unordered_set<std::string> open_;  ///< transactions that have not ended
    std::uint64_t next_ended_ = 0;
    std::uint64_t begun_ = 0;
    std::uint64_t complete_ = 0;
    std::uint64_t failed_ = 0;
    std::uint64_t skipped_ = 0;
    std::string trouble_;
};

}  // namespace

int put_folder(const FolderPut &task) {
    auto line = ControlLine::connect(task.socket);
    if (!line) return complain(line.error(), kExitNoDaemon);
    return Putting(task, std::move(*line)).run();
}

}  // namespace farlink::cfdp_command
