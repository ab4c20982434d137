// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/top/top.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "apps/farlinkctl/node/state_client.hpp"
#include "apps/farlinkctl/shared/event_reader.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/node_choice.hpp"
#include "apps/farlinkctl/shared/wait_for_reader.hpp"
#include "apps/farlinkctl/top/terminal.hpp"
#include "apps/farlinkctl/top/top_view.hpp"
#include "common/base/seconds.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// More than a screen shows.
constexpr std::size_t kMostKeptEvents = 200;
/// A key or a change of size redraws at once; the node is asked at its interval.
constexpr Duration kAtOnce{};

/// See no-color.org: any value that is not empty disables colours.
bool wants_colours() {
    const char *const no = std::getenv("NO_COLOR");
    return no == nullptr || *no == '\0';
}

/// Requests the state of the node and keeps the replies.
class Watch {
public:
    explicit Watch(const StateClient &node) : node_(node) {}

    /// Updates the picture; returns an error, empty on success.
    std::string look() {
        auto state = node_.show("/api/v1/state");
        if (!state) return picture.trouble = state.error();
        const auto events = node_.show(reader_.next_path());
        if (!events) return picture.trouble = events.error();
        picture.rates = rates_between(picture.state, *state);
        picture.state = std::move(*state);
        for (Json &event : reader_.take(*events)) picture.events.push_back(std::move(event));
        if (picture.events.size() > kMostKeptEvents)
            picture.events.erase(picture.events.begin(),
                                 picture.events.end() - std::ptrdiff_t{kMostKeptEvents});
        return picture.trouble = {};
    }

    TopPicture picture{Json::object(), std::nullopt};

private:
    const StateClient &node_;
    EventReader reader_;
};

/// Prints everything once, without colours; two requests give rates.
int print_once(Watch &watch, Duration interval) {
    (void)wait_for_reader(interval);
    if (const std::string wrong = watch.look(); !wrong.empty()) return failed(wrong);
    constexpr std::size_t kEventsShown = 10;
    constexpr TopSize kWholePicture{160, 1'000'000};
    auto &events = watch.picture.events;
    if (events.size() > kEventsShown)
        events.erase(events.begin(), events.end() - std::ptrdiff_t{kEventsShown});
    watch.picture.keys = false;
    for (const TopLine &line : draw_top(watch.picture, kWholePicture)) {
        const std::size_t end = line.text.find_last_not_of(' ');
        std::puts(line.text.substr(0, end == std::string::npos ? 0 : end + 1).c_str());
    }
    return kExitClean;
}

}  // namespace

int run_top(const StateOptions &options) {
    const auto socket = socket_of(options.node);
    if (!socket) return failed(socket.error());
    const StateClient node(*socket);
    const Duration interval = from_seconds(options.interval_s);
    Watch watch(node);
    if (const std::string wrong = watch.look(); !wrong.empty()) return failed(wrong);
    if (::isatty(STDOUT_FILENO) == 0) return print_once(watch, interval);
    const bool colours = wants_colours();
    Terminal terminal;
    TimePoint next_look = monotonic_now() + interval;
    for (;;) {
        terminal.draw(draw_top(watch.picture, terminal_size()), colours);
        const auto event = terminal.wait(std::max(kAtOnce, next_look - monotonic_now()));
        if (event.kind == Terminal::Event::Kind::kEnd || event.key == 'q') return kExitClean;
        if (event.key == 's') watch.picture.sort = next(watch.picture.sort);
        if (monotonic_now() < next_look) continue;
        (void)watch.look();
        next_look = monotonic_now() + interval;
    }
}

}  // namespace farlink::ctl
