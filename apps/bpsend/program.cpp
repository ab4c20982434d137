// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsend/program.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "apps/bpsend/input.hpp"
#include "apps/bpsend/options.hpp"
#include "apps/bpsend/report.hpp"
#include "apps/shared/messages/interruption.hpp"
#include "apps/shared/messages/node_connection.hpp"
#include "apps/shared/messages/run_tool.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::bpsend {
namespace {

constexpr std::size_t kWindowsOfBatch = 8;
/// After an interruption, for the answers of the node.
constexpr std::chrono::seconds kLastWait{1};

struct Outcome {
    std::string error{};  ///< empty: all of the input was sent
    int code = messages::kExitOk;
};

class Sending {
public:
    Sending(client::Endpoint &endpoint, const Arguments &arguments, const Plan &plan,
            Report &report)
        : endpoint_(endpoint), arguments_(arguments), plan_(plan), report_(report) {}

    [[nodiscard]] Outcome send_texts() {
        std::vector<Bytes> texts;
        for (const std::string &text : arguments_.texts)
            texts.emplace_back(text.begin(), text.end());
        send(texts);
        return outcome();
    }
    [[nodiscard]] Outcome send_input(Input &input, const messages::Interruption &interruption) {
        for (;;) {
            const auto batch = input.next();
            if (!batch) return {batch.error(), messages::kExitUsage};
            if (batch->empty()) break;
            send(*batch);
            if (report_.lost()) break;
        }
        if (interruption.asked()) return {"interrupted", messages::kExitFailed};
        return outcome();
    }
    [[nodiscard]] int finish(const Outcome &outcome) {
        const std::lock_guard hold(mutex_);
        finished_ = true;
        finished_now_.notify_one();
        return print(outcome);
    }
    /// Called in the thread of the signals, while the main thread may wait for the node.
    void interrupt() {
        std::unique_lock hold(mutex_);
        if (finished_now_.wait_for(hold, kLastWait, [this] { return finished_; })) return;
        const client::Sent unanswered{
            {}, client::Error{client::ErrorCode::kConnectionLost, "interrupted"}};
        for (const Bytes &payload : under_way_) report_.add(unanswered, payload.size());
        std::_Exit(print({"interrupted", messages::kExitFailed}));
    }

private:
    void send(const std::vector<Bytes> &payloads) {
        std::vector<client::Message> batch;
        batch.reserve(payloads.size());
        for (const Bytes &payload : payloads)
            batch.push_back({arguments_.destination, payload, plan_.with});
        set_under_way(payloads);
        const std::vector<client::Sent> sent = endpoint_.send_many(batch, plan_.timeout);
        const std::lock_guard hold(mutex_);
        for (std::size_t at = 0; at < sent.size(); ++at) report_.add(sent[at], payloads[at].size());
        under_way_ = {};
        report_.show_progress();
    }
    void set_under_way(std::span<const Bytes> payloads) {
        const std::lock_guard hold(mutex_);
        under_way_ = payloads;
    }
    [[nodiscard]] int print(const Outcome &outcome) const {
        report_.finish(arguments_.destination, endpoint_.id(), outcome.error);
        return outcome.error.empty() ? outcome.code : complain(outcome.error, outcome.code);
    }
    [[nodiscard]] Outcome outcome() const {
        if (report_.lost()) return {"the connection to the node was lost", messages::kExitFailed};
        return {{}, report_.all_accepted() ? messages::kExitOk : messages::kExitFailed};
    }

    client::Endpoint &endpoint_;
    const Arguments &arguments_;
    const Plan &plan_;
    Report &report_;
    std::mutex mutex_;
    // With the mutex, as are changes of the report.
    std::span<const Bytes> under_way_;
    bool finished_ = false;
    std::condition_variable finished_now_;
};

int run(const Arguments &arguments) {
    const auto plan = plan_of(arguments);
    if (!plan) return complain(plan.error(), messages::kExitUsage);
    auto secret = messages::read_secret(arguments.node.secret_file);
    if (!secret) return complain("--secret-file: " + secret.error(), messages::kExitUsage);
    auto endpoint = messages::connect(arguments.node, *secret);
    if (!endpoint) return complain(endpoint.error(), messages::kExitNoNode);

    Report report(arguments.json, arguments.progress || ::isatty(STDERR_FILENO) == 1);
    Sending sending(*endpoint, arguments, *plan, report);
    // An earlier Ctrl-C has ended the program by itself.
    const messages::Interruption interruption([&sending] { sending.interrupt(); });
    Input input(arguments.files.empty() ? std::vector<std::string>{"-"} : arguments.files,
                messages::Splitter(plan->split, plan->bytes),
                {.messages = kWindowsOfBatch * arguments.node.window}, interruption.descriptor());
    return sending.finish(arguments.texts.empty() ? sending.send_input(input, interruption)
                                                  : sending.send_texts());
}

}  // namespace
}  // namespace farlink::bpsend

int farlink::bpsend::run_program(int argc, char **argv) {
    farlink::bpsend::Arguments arguments;
    CLI::App app{
        "Sends arguments, standard input or files as bundles through the node on this machine"};
    farlink::add_version(app);
    farlink::bpsend::declare(app, arguments);
    app.footer(
        "Exit codes: 0 the node accepted every message, 1 a message was refused, the connection to "
        "the node was lost, or the program was interrupted, 2 bad usage, or an input cannot be "
        "read, 3 no node is running, or the node refuses the endpoint.");
    return farlink::messages::run_tool(
        app, argc, argv, "not enough memory for a message; split the input with --bytes",
        [&] { return farlink::bpsend::run(arguments); });
}
