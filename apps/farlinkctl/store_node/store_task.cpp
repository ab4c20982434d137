// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_node/store_task.hpp"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/farlinkctl/node/control_print.hpp"
#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/figures.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/shared/wait_for_reader.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "apps/shared/control/control_client.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kAskedEach = milliseconds(500);

double number(const Json &task, const char *key) {
    return task.value(key, 0.0);
}

std::string task_octets(const Json &task, const char *key) {
    return octets_text(number(task, key));
}

bool is_running(const Json &task) {
    return text(task, "state") == "running";
}

/// How far a verification is, in a line that the next one overwrites.
void print_progress(const Json &task) {
    if (::isatty(STDERR_FILENO) == 0 || !task.contains("bytesInAll")) return;
    const double all = number(task, "bytesInAll");
    constexpr double kHundred = 100;
    const double part = all > 0 ? kHundred * number(task, "bytes") / all : kHundred;
    std::fprintf(stderr, "\r%s of %s read, %.0f %%, %s damaged   ",
                 task_octets(task, "bytes").c_str(), task_octets(task, "bytesInAll").c_str(), part,
                 text(task, "damaged").c_str());
    if (!is_running(task)) std::fputs("\n", stderr);
}

void print_verification(const Json &task) {
    const std::string state = text(task, "state");
    if (state == "never") return (void)std::puts("no verification since the node started");
    std::vector<Row> rows{{"damaged bundle", "disk", "record", "bytes", "why"}};
    for (const Json &damage : task.at("damages"))
        rows.push_back({text(damage, "bundle"), text(damage, "disk"), text(damage, "record"),
                        text(damage, "bytes"),
                        text(damage, "why") == "ioError" ? "read error" : "wrong checksum"});
    if (rows.size() > 1) print_rows(rows);
    std::printf("%s: %s of %s read (%s of %s), %s damaged\n", state.c_str(),
                text(task, "bundles").c_str(), counted_text(task, "bundlesInAll", "bundle").c_str(),
                task_octets(task, "bytes").c_str(), task_octets(task, "bytesInAll").c_str(),
                counted_text(task, "damaged", "record").c_str());
}

void print_compaction(const Json &task) {
    const std::string state = text(task, "state");
    if (state == "never") return (void)std::puts("no compaction by command since the node started");
    std::printf("%s: %s moved (%s), %s removed, %s freed\n", state.c_str(),
                counted_text(task, "movedRecords", "record").c_str(),
                task_octets(task, "movedBytes").c_str(),
                counted_text(task, "files", "file").c_str(),
                task_octets(task, "freedBytes").c_str());
}

int print_task(const StorageOptions &options, const Json &reply) {
    const bool good = reply.at("ok") == true;
    const bool verifies = options.verb == StorageVerb::kVerify;
    const Json task = reply.value(verifies ? "verification" : "compaction", Json::object());
    if (options.json)
        print_line(reply);
    else if (!good)
        print_refusal(reply);
    else if (verifies)
        print_verification(task);
    else
        print_compaction(task);
    return good && number(task, "damaged") == 0 ? kExitClean : kExitFailed;
}

}  // namespace

int run_task(const StorageOptions &options) {
    const auto socket = socket_of(options.node);
    if (!socket) return failed(socket.error());
    const bool verifies = options.verb == StorageVerb::kVerify;
    const std::string command = verifies ? "storage verify" : "storage compact";
    Json request{{"command", options.status   ? command + " show"
                             : options.cancel ? command + " cancel"
                                              : command}};
    if (options.rate_bytes_per_s) request["rateBytesPerSec"] = *options.rate_bytes_per_s;
    auto reply = ask_node(*socket, request);
    if (!reply) return failed(reply.error());
    const bool waits = !options.status && !options.cancel && !options.no_wait;
    request = {{"command", command + " show"}};
    while (waits && reply->at("ok") == true) {
        const Json task = reply->value(verifies ? "verification" : "compaction", Json::object());
        print_progress(task);
        if (!is_running(task)) break;
        if (!wait_for_reader(kAskedEach)) return kExitFailed;
        reply = ask_node(*socket, request);
        if (!reply) return failed(reply.error());
    }
    return print_task(options, *reply);
}

}  // namespace farlink::ctl
