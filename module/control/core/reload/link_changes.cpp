// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/link_changes.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "common/config/fields/link_url.hpp"

namespace farlink::control {
namespace {

using config::ChangeKind;
using config::SettingChange;
using Json = nlohmann::ordered_json;

constexpr const char *kStays =
    "the link keeps the settings made by a command; `config revert` applies the file";

const Json &list_in(const Json &file, bool outducts) {
    static const Json kNone = Json::array();
    const auto found = file.find(config::list_of(outducts));
    return found != file.end() && found->is_array() ? *found : kNone;
}

std::string path_of(bool outducts, std::size_t place) {
    return config::item_path(config::list_of(outducts), place);
}

std::string name_of(const Json &link) {
    const auto url = link.find("url");
    return url != link.end() && url->is_string() ? url->get<std::string>() : std::string();
}

void join(std::string &text, const std::string &more) {
    text += (text.empty() || more.empty() ? "" : "; ") + more;
}

/// Errors of the link reader have the path "config.KEY".
void take_errors(std::vector<config::ConfigError> &to, const config::ConfigErrors &errors,
                 const std::string &path) {
    constexpr std::string_view kRoot = "config";
    for (config::ConfigError error : errors.errors) {
        if (error.path.starts_with(kRoot)) error.path = path + error.path.substr(kRoot.size());
        to.push_back(std::move(error));
    }
}

/// Collects the steps in phases: what goes makes room for what comes, and what leaves by the port
/// of an induct goes before that and comes behind it.
class Steps {
public:
    void add(LinkStep step) {
        const bool carried = step.link.carrier != kNoLink;
        const bool outduct = step.link.outduct();
        std::size_t phase = 0;
        if (step.verb == bus::LinkVerb::kRemove)
            phase = carried ? 0 : 1;
        else if (step.verb == bus::LinkVerb::kChange)
            phase = outduct ? 3 : 2;
        else
            phase = outduct ? (carried ? 6 : 5) : 4;
        phases_[phase].push_back(std::move(step));
    }
    [[nodiscard]] std::vector<LinkStep> take() {
        std::vector<LinkStep> all;
        for (auto &phase : phases_)
            for (LinkStep &step : phase) all.push_back(std::move(step));
        return all;
    }

private:
    std::array<std::vector<LinkStep>, 7> phases_;
};

/// A link of the newer file that is to come or to change.
struct Wanted {
    bool outduct = false;
    std::size_t place = 0;  ///< in the newer file
    LinkId number = kNoLink;
    std::optional<BookedLink> before{};
};

class LinkComparison {
public:
    LinkComparison(LinkOverrides links, const FileLinks &numbers, const ComparedFile &before,
                   const ComparedFile &after, std::string folder,
                   const std::set<std::string> &again)
        : links_(std::move(links)),
          numbers_(numbers),
          before_(before),
          after_(after),
          folder_(std::move(folder)),
          again_(again) {}

    LinkChanges run() {
        for (const bool outducts : {false, true}) {
            result_.numbers.of(outducts).resize(list_in(after_.document, outducts).size(), kNoLink);
            for (const config::LinkPair &pair :
                 config::pair_links(before_.normal, after_.normal, outducts))
                compare(pair, outducts);
        }
        // All that goes or changes leaves its port and its neighbour to the others first.
        for (const Wanted &wanted : wanted_)
            if (wanted.before) links_.remove(wanted.number);
        for (const Wanted &wanted : wanted_) read(wanted);
        result_.steps = steps_.take();
        return std::move(result_);
    }

private:
    void compare(const config::LinkPair &pair, bool outduct) {
        if (!pair.after) return gone(*pair.before, outduct);
        const std::size_t place = *pair.after;
        if (!pair.before) return come(place, outduct);
        const LinkId number = numbers_.of(outduct)[*pair.before];
        result_.numbers.of(outduct)[place] = number;
        const std::string path = path_of(outduct, place);
        const BookedLink *live = links_.find(number);
        const bool moved = live != nullptr && removed_.contains(live->carrier);
        std::string text = pair.text;
        if (again_.contains(path)) join(text, "the key file has changed");
        if (moved) join(text, "the induct whose port the link uses has changed");
        if (text.empty()) return;
        const bool stays = live == nullptr || live->by_command;
        if (stays) join(text, kStays);
        auto values = config::differing_values(list_in(before_.normal, outduct)[*pair.before],
                                               list_in(after_.normal, outduct)[place]);
        note({path, ChangeKind::kChanged, config::Applied::kLinks, text, std::move(values.before),
              std::move(values.now)});
        if (stays) return;
        wanted_.push_back({outduct, place, number, with_json(*live, outduct, *pair.before)});
    }

    void gone(std::size_t place, bool outduct) {
        const LinkId number = numbers_.of(outduct)[place];
        const BookedLink *live = links_.find(number);
        const Json &link = list_in(before_.document, outduct)[place];
        std::string text = name_of(link);
        const bool stays = live != nullptr && live->by_command;
        if (stays) join(text, kStays);
        note({path_of(outduct, place), ChangeKind::kRemoved, config::Applied::kLinks, text,
              config::audited_value(link)});
        if (live == nullptr || stays) return;
        remove(with_json(*live, outduct, place), path_of(outduct, place));
    }

    void come(std::size_t place, bool outduct) {
        const Json &link = list_in(after_.document, outduct)[place];
        std::string text = name_of(link);
        const BookedLink *same = added_by_command(after_.normal, place, outduct);
        if (same != nullptr) {
            result_.numbers.of(outduct)[place] = same->id;
            const bool equal = text_of(outduct, place) == same->json;
            if (equal) result_.as_filed.insert(same->id);
            join(text, equal ? "a command has already added the link" : kStays);
        }
        note({path_of(outduct, place), ChangeKind::kAdded, config::Applied::kLinks, text, Json(),
              config::audited_value(link)});
        if (same == nullptr) wanted_.push_back({outduct, place, kNoLink});
    }

    /// A link that a command has added with the URL or the neighbour of a new link of the file.
    [[nodiscard]] const BookedLink *added_by_command(const Json &file, std::size_t place,
                                                     bool outduct) const {
        const std::string wanted = config::identity_of(list_in(file, outduct)[place], outduct);
        for (const auto &[id, link] : links_.links()) {
            if (link.outduct() != outduct || !link.by_command) continue;
            const std::vector<LinkId> &filed = numbers_.of(outduct);
            if (std::ranges::find(filed, id) != filed.end()) continue;
            if (config::identity_of(Json::parse(link.json, nullptr, false), outduct) == wanted)
                return &link;
        }
        return nullptr;
    }

    [[nodiscard]] std::string text_of(bool outduct, std::size_t place) const {
        return link_json_for_module(list_in(after_.document, outduct)[place], folder_);
    }

    /// With the JSON of the older file, by which it can come back.
    [[nodiscard]] BookedLink with_json(BookedLink link, bool outduct, std::size_t place) const {
        link.json = link_json_for_module(list_in(before_.document, outduct)[place], folder_);
        return link;
    }

    void remove(const BookedLink &link, const std::string &path) {
        removed_.insert(link.id);
        links_.remove(link.id);
        steps_.add({bus::LinkVerb::kRemove, link, link, path});
    }

    void read(const Wanted &wanted) {
        const std::string json = text_of(wanted.outduct, wanted.place);
        const std::string path = path_of(wanted.outduct, wanted.place);
        bool anew = !wanted.before || moves_instance(wanted);
        auto link = links_.read(json, wanted.outduct, anew ? kNoLink : wanted.number);
        if (link && !anew && link->carrier != wanted.before->carrier) {
            // The other module hosts it from now on, under another number.
            anew = true;
            link = links_.read(json, wanted.outduct, kNoLink);
        }
        if (!link) return take_errors(result_.errors, link.error(), path);
        links_.put(*link);
        result_.numbers.of(wanted.outduct)[wanted.place] = link->id;
        if (!anew)
            return steps_.add({bus::LinkVerb::kChange, std::move(*link), wanted.before, path});
        if (wanted.before)
            steps_.add({bus::LinkVerb::kRemove, *wanted.before, wanted.before, path});
        steps_.add({bus::LinkVerb::kAdd, std::move(*link), {}, path});
    }

    /// A number belongs to an instance.
    [[nodiscard]] bool moves_instance(const Wanted &wanted) const {
        const Json &link = list_in(after_.normal, wanted.outduct)[wanted.place];
        const auto instance = link.find("instance");
        const std::uint64_t now = instance != link.end() && instance->is_number_unsigned()
                                      ? instance->get<std::uint64_t>()
                                      : 0;
        return now != wanted.before->options().instance;
    }

    void note(SettingChange change) { result_.changes.push_back(std::move(change)); }

    LinkOverrides links_;
    const FileLinks &numbers_;
    const ComparedFile &before_;
    const ComparedFile &after_;
    const std::string folder_;
    const std::set<std::string> &again_;
    std::set<LinkId> removed_;
    std::vector<Wanted> wanted_;
    Steps steps_;
    LinkChanges result_;
};

bool is_filed(const FileLinks &numbers, const BookedLink &link) {
    const std::vector<LinkId> &filed = numbers.of(link.outduct());
    return std::ranges::find(filed, link.id) != filed.end();
}

}  // namespace

FileLinks links_of_file(const config::NodeConfig &config, const Json &file) {
    FileLinks numbers;
    for (const config::InductConfig &induct : config.inducts) numbers.inducts.push_back(induct.id);
    // Outducts that leave by the port of an induct stand between the others in the file.
    std::map<std::uint64_t, LinkId> by_neighbour;
    for (const auto *outducts : {&config.outducts, &config.spans})
        for (const config::OutductConfig &outduct : *outducts)
            by_neighbour[outduct.next_hop.value()] = outduct.id;
    auto next = config.outducts.begin();
    for (const Json &link : list_in(file, true)) {
        const auto hop = link.find("nextHopNodeId");
        const auto known = hop != link.end() && hop->is_number_unsigned()
                               ? by_neighbour.find(hop->get<std::uint64_t>())
                               : by_neighbour.end();
        if (known != by_neighbour.end()) {
            numbers.outducts.push_back(known->second);
            if (next != config.outducts.end() && next->id == known->second) ++next;
        } else {  // a node that is written as "ipn:5": in the order of the file
            numbers.outducts.push_back(next == config.outducts.end() ? kNoLink : next->id);
            if (next != config.outducts.end()) ++next;
        }
    }
    return numbers;
}

std::string link_json_for_module(Json link, const std::string &folder) {
    const auto absolute = [&folder](Json &of) {
        for (const char *key : {"ca", "crl", "cert", "key", "ltpAuthenticationKeyFile"})
            if (const auto file = of.find(key); file != of.end() && file->is_string())
                *file = (std::filesystem::path(folder) / file->get<std::string>()).string();
    };
    absolute(link);
    if (const auto known = link.find("neighbours"); known != link.end() && known->is_array())
        for (Json &neighbour : *known)
            if (neighbour.is_object()) absolute(neighbour);
    return link.dump();
}

LinkChanges find_link_changes(LinkOverrides links, const FileLinks &numbers,
                              const ComparedFile &before, const ComparedFile &after,
                              const std::string &folder, const std::set<std::string> &again) {
    return LinkComparison(std::move(links), numbers, before, after, folder, again).run();
}

LinkChanges find_reverted_links(LinkOverrides links, const FileLinks &numbers, const Json &file,
                                const std::string &folder) {
    LinkChanges result;
    result.numbers = numbers;
    result.changes = link_overrides_in(links, numbers, file);
    Steps steps;
    std::vector<BookedLink> leaving;
    for (const auto &[id, link] : links.links())
        if (link.by_command && !is_filed(numbers, link)) leaving.push_back(link);
    for (const BookedLink &link : leaving) {
        links.remove(link.id);
        steps.add({bus::LinkVerb::kRemove, link, link, {}});
    }
    struct Back {
        bool outduct;
        std::size_t place;
        std::optional<BookedLink> live;
    };
    std::vector<Back> backs;
    for (const bool outduct : {false, true}) {
        for (std::size_t place = 0; place < numbers.of(outduct).size(); ++place) {
            const BookedLink *live = links.find(numbers.of(outduct)[place]);
            if (live != nullptr && !live->by_command) continue;
            backs.push_back({outduct, place, live ? std::optional(*live) : std::nullopt});
        }
    }
    for (const Back &back : backs) links.remove(numbers.of(back.outduct)[back.place]);
    for (const Back &back : backs) {
        const std::string path = path_of(back.outduct, back.place);
        const LinkId number = numbers.of(back.outduct)[back.place];
        auto link =
            links.read(link_json_for_module(list_in(file, back.outduct)[back.place], folder),
                       back.outduct, number);
        if (!link) {
            take_errors(result.errors, link.error(), path);
            continue;
        }
        links.put(*link);
        const bus::LinkVerb verb = back.live ? bus::LinkVerb::kChange : bus::LinkVerb::kAdd;
        steps.add({verb, std::move(*link), back.live, path});
    }
    result.steps = steps.take();
    return result;
}

std::vector<SettingChange> link_overrides_in(const LinkOverrides &links, const FileLinks &numbers,
                                             const Json &file) {
    std::vector<SettingChange> changes;
    for (const bool outduct : {false, true}) {
        const Json &list = list_in(file, outduct);
        for (std::size_t place = 0; place < numbers.of(outduct).size(); ++place) {
            const LinkId number = numbers.of(outduct)[place];
            const BookedLink *live = links.find(number);
            const std::string name = "link " + std::to_string(number.value());
            if (live == nullptr) {
                changes.push_back({path_of(outduct, place), ChangeKind::kRemoved,
                                   config::Applied::kLinks, name + ", " + name_of(list[place]),
                                   config::audited_value(list[place])});
            } else if (live->by_command) {
                const Json now = Json::parse(live->json, nullptr, false);
                auto values = config::differing_values(list[place], now);
                changes.push_back({path_of(outduct, place), ChangeKind::kChanged,
                                   config::Applied::kLinks,
                                   name + ": " + config::differences_in(list[place], now),
                                   std::move(values.before), std::move(values.now)});
            }
        }
        std::size_t place = numbers.of(outduct).size();
        for (const auto &[id, link] : links.links()) {
            if (link.outduct() != outduct || !link.by_command || is_filed(numbers, link)) continue;
            changes.push_back(
                {path_of(outduct, place++), ChangeKind::kAdded, config::Applied::kLinks,
                 "link " + std::to_string(id.value()) + ", " +
                     config::to_string(link.options().url),
                 Json(), config::audited_value(Json::parse(link.json, nullptr, false))});
        }
    }
    return changes;
}

}  // namespace farlink::control
