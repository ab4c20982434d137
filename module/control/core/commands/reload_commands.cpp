// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/reload_commands.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "common/base/counted.hpp"
#include "common/config/reload/settings_change.hpp"
#include "module/control/core/commands/link_steps.hpp"
#include "module/control/core/json/replies.hpp"
#include "module/control/core/reload/config_save.hpp"
#include "module/control/core/reload/operator_orders.hpp"

namespace farlink::control {
namespace {

using config::Applied;
using config::ChangeKind;
using config::ConfigError;
using config::ConfigErrors;
using config::SettingChange;
using Json = ReloadCommands::Json;

constexpr const char *kNoFile = "the node has no configuration file";
constexpr const char *kRunning = "another reload, revert or save is running; try again";
constexpr const char *kLinkChanges = "a link is being changed; try again";
constexpr const char *kQueueFull = "too many changes are queued; try again";
constexpr const char *kChangedOnDisk =
    ": nothing was written: the file has changed since it was read; `reload` reads it";
constexpr const char *kPlanPath = "contactPlanFile";

}  // namespace

/// One command under way.
struct ReloadCommands::Run {
    std::string command;
    Caller caller;
    TakeReply reply;
    WallClock began{};
    bool partial = false;
    LinkOverrides links_before;
    std::optional<std::string> log_level{};  ///< of `config save`

    std::optional<Json> refusal{};
    SettingChanges changed{};
    SettingChanges needs_restart{};
    std::vector<ConfigError> not_saved{};
    LinkChanges links{};
    std::string on_disk{};
    std::optional<CheckedFile> file{};
    FileDigests digests{};
    std::optional<ConfiguredPlan> plan{};
    std::optional<NextPlan> next_plan{};
    Contacts gone{};  ///< of the plan
    Contacts come{};
    std::size_t awaited = 2;

    void refuse(const ConfigErrors &errors, const std::string &path) {
        refusal = invalid_reply(errors, path);
    }
    [[nodiscard]] bool has(Applied applied) const {
        return std::ranges::find(changed, applied, &SettingChange::applied) != changed.end();
    }
};

ReloadCommands::ReloadCommands(const config::NodeConfig &config, ConfigSource source,
                               PlanStore &plan, PendingRequests &requests, LinkCommands &links,
                               WorkQueue &changes, ReloadHooks hooks, ControlLog log)
    : source_(std::move(source)),
      folder_(std::filesystem::path(source_.path).parent_path().string()),
      plan_(plan),
      requests_(requests),
      links_(links),
      changes_(changes),
      hooks_(std::move(hooks)),
      log_(std::move(log)),
      on_disk_(source_.text) {
    config_ = std::make_shared<const config::NodeConfig>(config);
    if (source_.path.empty()) return;
    text_ = source_.text;
    file_ = {Json::parse(source_.text, nullptr, false), config::normal_form(source_.text)};
    numbers_ = links_of_file(config, file_.document);
    // A reload waits in the same queue.
    const auto digests = std::make_shared<FileDigests>();
    (void)changes_.add(
        [this, digests, files = named_files(file_.document, folder_)](const std::stop_token &) {
            *digests = digests_of(files, source_.digest);
        },
        [this, digests](const WallClock &) { digests_ = std::move(*digests); });
}

void ReloadCommands::take_file(CheckedFile file) {
    config_ = std::make_shared<const config::NodeConfig>(std::move(file.config));
    text_ = std::move(file.text);
    file_ = std::move(file.json);
}

// ---- begin and end of a command

ReloadCommands::RunPtr ReloadCommands::begin(const char *command, const Caller &caller,
                                             const TakeReply &reply, const WallClock &now) {
    const char *const why = source_.path.empty() ? kNoFile
                            : running_           ? kRunning
                            : !links_.idle()     ? kLinkChanges
                                                 : nullptr;
    if (why != nullptr) {
        log_.error(std::string(command) + " by " + caller.name + " not started: " + why);
        reply(written(error_reply(Refusal::kUnavailable, why)));
        return nullptr;
    }
    running_ = true;
    links_.freeze(true);
    hooks_.busy(true);
    return std::make_shared<Run>(Run{.command = command,
                                     .caller = caller,
                                     .reply = reply,
                                     .began = now,
                                     .links_before = links_.links()});
}

void ReloadCommands::finish(Run &run, const Json &reply, const WallClock &now) {
    running_ = false;
    links_.freeze(false);
    const bool done = reply.value("ok", false);
    const auto took = std::chrono::duration_cast<milliseconds>(now.at - run.began.at).count();
    std::string text =
        done ? run.command + " by " + run.caller.name + ": " + in_words(run.changed)
             : run.command + " by " + run.caller.name + " refused: " + reply.value("error", "");
    (done ? log_.info : log_.error)(text + " (" + std::to_string(took) + " ms)");
    bus::ReloadReport report{.done = done, .text = {text.begin(), text.end()}, .shown = {}};
    if (done && run.file)
        report.shown.assign(run.file->config.shown.begin(), run.file->config.shown.end());
    const bool compared = done || !run.changed.empty();
    hooks_.report(run.caller, run.command, compared ? values_json(run.changed) : "", report);
    hooks_.busy(false);
    run.reply(written(reply));
}

void ReloadCommands::add_work(const RunPtr &run, std::function<void(Run &)> work,
                              std::function<void(const RunPtr &, const WallClock &)> then,
                              const WallClock &now) {
    const bool taken =
        changes_.add([run, work = std::move(work)](const std::stop_token &) { work(*run); },
                     [this, run, then = std::move(then)](const WallClock &later) {
                         if (run->refusal) return finish(*run, *run->refusal, later);
                         then(run, later);
                     });
    if (!taken) finish(*run, error_reply(Refusal::kUnavailable, kQueueFull), now);
}

void ReloadCommands::reload(bool partial, const Caller &caller, const TakeReply &reply,
                            const WallClock &now) {
    const RunPtr run = begin("reload", caller, reply, now);
    if (!run) return;
    run->partial = partial;
    add_work(
        run, [this](Run &of) { prepare(of); },
        [this](const RunPtr &of, const WallClock &later) { change_links(of, later); }, now);
}

// ---- beside the loop

void ReloadCommands::prepare(Run &run) const {
    auto text = source_.read();
    if (!text) return run.refuse({{}, {text.error()}}, source_.path);
    run.on_disk = *text;
    auto after = check_file(std::move(*text), folder_);
    if (!after) return run.refuse(after.error(), source_.path);
    SettingsPlan settings = find_setting_changes(file_, after->json);
    run.needs_restart = std::move(settings.needs_restart);
    const bool of_another = after->config.node != config_->node;
    if (of_another || (!run.partial && !run.needs_restart.empty())) {
        run.refusal = restart_reply(source_.path, run.needs_restart);
        return;
    }
    if (!run.needs_restart.empty()) {
        after = check_file(without_restart(file_, after->json, run.needs_restart), folder_);
        if (!after) return run.refuse(after.error(), source_.path);
        settings = find_setting_changes(file_, after->json);
    }
    run.changed = std::move(settings.changes);
    run.file = std::move(*after);
    check_named_files(run);
    if (!run.refusal) read_plan(run, false);
    if (!run.refusal) check_changed_links(run);
}

void ReloadCommands::check_named_files(Run &run) const {
    ConfigErrors errors;
    for (const std::string &line : source_.check_files(run.file->config))
        errors.errors.push_back(error_in_line(line));
    if (!errors.empty()) return run.refuse(errors, source_.path);
    const std::vector<NamedFile> files = named_files(run.file->json.document, folder_);
    run.digests = digests_of(files, source_.digest);
    std::set<std::string> again;
    for (const NamedFile &named : changed_files(files, digests_, run.digests)) {
        if (named.ltp) {
            again.insert(named.link);
            continue;
        }
        const Applied applied = named.link.empty()
                                    ? config::applied_of(named.path, ChangeKind::kChanged)
                                    : Applied::kNothing;
        run.changed.push_back({named.path, ChangeKind::kChanged, applied,
                               "the content of " + named.file + " has changed"});
    }
    run.links =
        find_link_changes(run.links_before, numbers_, file_, run.file->json, folder_, again);
    run.changed.insert(run.changed.end(), run.links.changes.begin(), run.links.changes.end());
    if (!run.links.errors.empty()) run.refuse({{}, run.links.errors}, source_.path);
}

// Sessions read certificates again by themselves; here the files are only checked.
void ReloadCommands::check_changed_links(Run &run) const {
    ConfigErrors errors;
    const auto check = [&](const BookedLink &link, const std::string &path) {
        const auto wrong = link.outduct()
                               ? source_.check_outduct(std::get<config::OutductConfig>(link.config))
                               : source_.check_induct(std::get<config::InductConfig>(link.config));
        if (wrong) errors.errors.push_back({path, *wrong, "", ""});
    };
    for (const LinkStep &step : run.links.steps)
        if (step.verb != bus::LinkVerb::kRemove) check(step.link, step.path);
    std::set<std::string> changed;
    for (const NamedFile &named : named_files(run.file->json.document, folder_)) {
        const auto before = digests_.find(named.file);
        if (named.link.empty() || named.ltp || before == digests_.end()) continue;
        if (before->second != run.digests[named.file]) changed.insert(named.link);
    }
    for (const bool outducts : {false, true}) {
        const std::vector<LinkId> &numbers = run.links.numbers.of(outducts);
        for (std::size_t place = 0; place < numbers.size() && !changed.empty(); ++place) {
            const std::string path = config::item_path(config::list_of(outducts), place);
            const BookedLink *link = run.links_before.find(numbers[place]);
            if (changed.contains(path) && link != nullptr) check(*link, path);
        }
    }
    if (!errors.empty()) run.refuse(errors, source_.path);
}

void ReloadCommands::read_plan(Run &run, bool always) const {
    const config::NodeConfig &config = run.file ? run.file->config : *config_;
    if (config.contact_plan_file.empty()) return;
    auto plan = plan_.read_configured(config.contact_plan_file, config.routing.nodes, always,
                                      run.began.dtn_ms);
    if (!plan) {
        ConfigErrors errors;
        for (ConfigError error : plan.error().errors) {
            error.problem = config.contact_plan_file + ": " +
                            (error.path.empty() ? "" : error.path + ": ") + error.problem;
            error.path = kPlanPath;
            errors.errors.push_back(std::move(error));
        }
        return run.refuse(errors, source_.path);
    }
    if (!*plan) return;
    static const Contacts kNone;
    const Contacts &running = plan_.plan() ? *plan_.plan() : kNone;
    run.gone = contacts_missing_in(running, *(*plan)->plan);
    run.come = contacts_missing_in(*(*plan)->plan, running);
    std::string text = counted(run.come.size(), "contact") + " added, " +
                       std::to_string(run.gone.size()) + " removed";
    if (plan_.changed_by_command() && !always)
        text += "; it replaces version " + std::to_string(plan_.version()) +
                ", which was set by command";
    const Json before{{"version", plan_.version()}, {"contacts", running.size()}};
    const Json now{{"contacts", (*plan)->plan->size()}};
    run.plan = std::move(**plan);
    const auto known = std::ranges::find(run.changed, std::string(kPlanPath), &SettingChange::path);
    if (known == run.changed.end()) {
        run.changed.push_back(
            {kPlanPath, ChangeKind::kChanged, Applied::kContactPlan, text, before, now});
        return;
    }
    known->text += (known->text.empty() ? "" : "; ") + text;
    if (known->now.is_null()) known->now = now;
}

// ---- the steps on the loop

void ReloadCommands::change_links(const RunPtr &run, const WallClock &now) {
    const auto done = [this, run](const std::vector<LinkSteps::Failure> &failures,
                                  const WallClock &later) {
        if (failures.empty()) return write_plan(run, later);
        ConfigErrors errors;
        for (const LinkSteps::Failure &failure : failures)
            errors.errors.push_back({failure.path, failure.error, "", ""});
        finish(*run, invalid_reply(errors, source_.path), later);
    };
    std::make_shared<LinkSteps>(links_, run->links.steps, done)->run(now);
}

void ReloadCommands::write_plan(const RunPtr &run, const WallClock &now) {
    if (!run->plan) return end_reload(run, now);
    const auto write = [this](Run &of) {
        auto next =
            plan_.write_configured(std::move(*of.plan), of.command, of.caller, of.began.dtn_ms);
        if (next)
            of.next_plan = std::move(*next);
        else
            of.not_saved.push_back({kPlanPath, next.error(), "", ""});
    };
    add_work(
        run, write,
        [this](const RunPtr &of, const WallClock &later) {
            if (of->next_plan) return change_plan(of, later);
            // The links go back as well.
            const auto done = [this, of](const auto &, const WallClock &last) {
                finish(*of, invalid_reply({{}, of->not_saved}, source_.path), last);
            };
            std::make_shared<LinkSteps>(links_, reversed(of->links.steps), done)->run(later);
        },
        now);
}

void ReloadCommands::change_plan(const RunPtr &run, const WallClock &now) {
    const bool first = plan_.plan() == nullptr;
    plan_.take(std::move(*run->next_plan));
    auto message = plan_.window().change(first, run->gone, run->come, now.dtn_ms);
    // Modules that do not reply get the plan when they are back.
    const auto take = [this, run](const auto &, const WallClock &later) {
        if (--run->awaited == 0) end_reload(run, later);
    };
    std::visit([&](auto &change) { requests_.change_plan(std::move(change), take, take, now); },
               message);
}

void ReloadCommands::end_reload(const RunPtr &run, const WallClock &now) {
    if (run->command == "config revert") return revert_overrides(run, now);
    if (run->has(Applied::kLogLevel)) hooks_.set_log_level(run->file->config.log_level);
    if (run->has(Applied::kRouting) || run->has(Applied::kLimits) || run->has(Applied::kApi) ||
        run->has(Applied::kAlarms)) {
        settings_ = config::settings_json(run->file->text, run->file->config);
        hooks_.send_settings(*settings_);
    }
    for (const LinkId link : run->links.as_filed) links_.note_as_filed(link);
    numbers_ = run->links.numbers;
    on_disk_ = std::move(run->on_disk);
    digests_ = std::move(run->digests);
    take_file(*run->file);
    const Json reply = changes_reply(run->changed, run->needs_restart);
    finish(*run, reply, now);
}

// ---- changes by commands

SettingChanges ReloadCommands::live_changes() const {
    SettingChanges changes = link_overrides_in(links_.links(), numbers_, file_.document);
    for (const LogLevelChange &change : hooks_.log_changes()) {
        const bool all = change.logger.empty();
        changes.push_back({"logLevel", ChangeKind::kChanged, Applied::kLogLevel,
                           (all ? "all loggers" : change.logger) + ": " + change.level,
                           all ? Json(change.configured) : Json{{change.logger, change.configured}},
                           all ? Json(change.level) : Json{{change.logger, change.level}}});
    }
    if (plan_.changed_by_command())
        changes.push_back({kPlanPath,
                           ChangeKind::kChanged,
                           Applied::kContactPlan,
                           "version " + std::to_string(plan_.version()) +
                               " of the contact plan was set by command",
                           {},
                           {{"version", plan_.version()}}});
    return changes;
}

void ReloadCommands::diff(const TakeReply &reply, const WallClock &now) {
    if (source_.path.empty()) return reply(written(error_reply(Refusal::kUnavailable, kNoFile)));
    const auto run = std::make_shared<Run>(Run{.command = "config diff",
                                               .caller = {},
                                               .reply = reply,
                                               .began = now,
                                               .links_before = links_.links()});
    run->changed = live_changes();
    // What the file has beyond the settings in force awaits a restart.
    run->on_disk = on_disk_;
    const auto handle = [this, run](const auto &links, const WallClock &) {
        if (links) note_orders(run->changed, *links, numbers_);
        const auto changed = std::make_shared<bool>(false);
        const bool taken = changes_.add(
            [this, run, changed, before = file_](const std::stop_token &) {
                const auto text = source_.read();
                *changed = !text || *text != run->on_disk;
                ComparedFile disk{{}, config::normal_form(run->on_disk)};
                run->needs_restart = find_setting_changes(before, disk).needs_restart;
            },
            [run, changed](const WallClock &) {
                Json shown = changes_reply(run->changed, run->needs_restart);
                shown["fileChanged"] = *changed;
                run->reply(written(shown));
            });
        if (!taken) run->reply(written(error_reply(Refusal::kUnavailable, kQueueFull)));
    };
    requests_.request_links(handle, now);
}

void ReloadCommands::revert(const Caller &caller, const TakeReply &reply, const WallClock &now) {
    const RunPtr run = begin("config revert", caller, reply, now);
    if (!run) return;
    run->changed = swapped(live_changes());
    const auto work = [this](Run &of) {
        of.links = find_reverted_links(of.links_before, numbers_, file_.document, folder_);
        if (!of.links.errors.empty()) return of.refuse({{}, of.links.errors}, source_.path);
        if (!plan_.changed_by_command()) return;
        if (config_->contact_plan_file.empty())
            of.needs_restart.push_back({kPlanPath, ChangeKind::kChanged, Applied::kRestart,
                                        "the file has no contact plan; the plan in force is kept"});
        else
            read_plan(of, true);
    };
    add_work(
        run, work, [this](const RunPtr &of, const WallClock &later) { change_links(of, later); },
        now);
}

void ReloadCommands::revert_overrides(const RunPtr &run, const WallClock &now) {
    hooks_.revert_log_levels();
    links_.forget_orders();
    const auto handle = [this, run](const auto &links, const WallClock &later) {
        if (links) {
            SettingChanges orders;
            note_orders(orders, *links, numbers_);
            std::ranges::move(swapped(std::move(orders)), std::back_inserter(run->changed));
            for (const bus::LinkEntry &entry : links->links) {
                if (entry.overridden)
                    requests_.send(bus::AgentId::kScheduler,
                                   bus::LinkOverride{entry.link, false, {}, false, {}});
                if (!entry.enabled) links_.order_admin(entry, true);
            }
        }
        finish(*run, changes_reply(run->changed, run->needs_restart), later);
    };
    requests_.request_links(handle, now);
}

// ---- `config save`

void ReloadCommands::save(const Caller &caller, const TakeReply &reply, const WallClock &now) {
    const RunPtr run = begin("config save", caller, reply, now);
    if (!run) return;
    for (SettingChange &change : live_changes()) {
        const bool level =
            change.applied == Applied::kLogLevel && change.text.starts_with("all loggers");
        if (level || change.applied == Applied::kLinks)
            run->changed.push_back(std::move(change));
        else
            run->not_saved.push_back({change.path, change.text, "", ""});
    }
    for (const LogLevelChange &change : hooks_.log_changes())
        if (change.logger.empty()) run->log_level = change.level;
    const auto handle = [this, run](const auto &links, const WallClock &later) {
        SettingChanges orders;
        if (links) note_orders(orders, *links, numbers_);
        for (const SettingChange &change : orders)
            run->not_saved.push_back({change.path, change.text, "", ""});
        const auto then = [this](const RunPtr &of, const WallClock &last) {
            if (of->file) {
                numbers_ = of->links.numbers;
                if (of->log_level) hooks_.note_saved_level();
                for (const auto &[id, link] : of->links_before.links()) links_.note_as_filed(id);
                on_disk_ = std::move(of->on_disk);
                take_file(*of->file);
            }
            Json shown = changes_reply(of->changed, {});
            for (const ConfigError &each : of->not_saved)
                shown["notSaved"].push_back({{"path", each.path}, {"text", each.problem}});
            finish(*of, shown, last);
        };
        add_work(run, [this](Run &of) { prepare_save(of); }, then, later);
    };
    requests_.request_links(handle, now);
}

void ReloadCommands::prepare_save(Run &run) const {
    const auto text = source_.read();
    if (!text) return run.refuse({{}, {text.error()}}, source_.path);
    if (*text != on_disk_) {
        run.refusal = error_reply(Refusal::kConflict, source_.path + kChangedOnDisk);
        return;
    }
    if (run.changed.empty()) return;
    const LiveState live{run.links_before, numbers_, run.log_level};
    run.on_disk = save_live_state(on_disk_, live);
    const auto whole = check_file(run.on_disk, folder_);
    if (!whole) return run.refuse(whole.error(), source_.path);
    auto in_force = check_file(save_live_state(text_, live), folder_);
    if (!in_force) return run.refuse(in_force.error(), source_.path);
    if (const std::string wrong = source_.write(run.on_disk); !wrong.empty())
        return run.refuse({{}, {{"", wrong, "", ""}}}, source_.path);
    run.links.numbers = saved_numbers(live);
    run.file = std::move(*in_force);
}

}  // namespace farlink::control
