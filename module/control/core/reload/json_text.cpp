// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/json_text.hpp"

#include <nlohmann/json.hpp>
#include <ranges>

namespace farlink::control {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};
struct Member {
    std::string key;
    Span name;
    Span value;
};

/// Finds members and items in a valid text.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    [[nodiscard]] std::vector<Member> members(std::size_t open) const {
        std::vector<Member> found;
        for (std::size_t at = skip_space(open + 1); text_[at] != '}';) {
            const Span name{at, end_of(at)};
            const std::size_t value = skip_space(skip_space(name.end) + 1);
            found.push_back({key_of(name), name, {value, end_of(value)}});
            at = next(found.back().value.end);
        }
        return found;
    }

    [[nodiscard]] std::vector<Span> items(std::size_t open) const {
        std::vector<Span> found;
        for (std::size_t at = skip_space(open + 1); text_[at] != ']';) {
            found.push_back({at, end_of(at)});
            at = next(found.back().end);
        }
        return found;
    }

    [[nodiscard]] std::size_t skip_space(std::size_t at) const {
        const std::size_t found = text_.find_first_not_of(kSpace, at);
        return found == std::string_view::npos ? text_.size() : found;
    }

private:
    /// Behind a value: the next name or item, or the end of the object or list.
    [[nodiscard]] std::size_t next(std::size_t at) const {
        at = skip_space(at);
        return text_[at] == ',' ? skip_space(at + 1) : at;
    }

    [[nodiscard]] std::string key_of(const Span &name) const {
        return nlohmann::json::parse(text_.substr(name.begin, name.end - name.begin))
            .get<std::string>();
    }

    [[nodiscard]] std::size_t end_of(std::size_t at) const {
        if (text_[at] == '"') return end_of_text(at);
        if (text_[at] != '{' && text_[at] != '[')
            return std::min(text_.find_first_of(",]} \t\r\n", at), text_.size());
        std::size_t depth = 0;
        for (;;) {
            const char c = text_[at];
            if (c == '"') {
                at = end_of_text(at);
                continue;
            }
            ++at;
            if (c == '{' || c == '[') ++depth;
            if ((c == '}' || c == ']') && --depth == 0) return at;
        }
    }

    [[nodiscard]] std::size_t end_of_text(std::size_t at) const {
        for (++at; text_[at] != '"'; ++at)
            if (text_[at] == '\\') ++at;
        return at + 1;
    }

    std::string_view text_;
};

std::size_t start_of(const std::string &text) {
    return Scanner(text).skip_space(0);
}

/// What stands between the value, comma or bracket in front of `at`, and `at`: the file's layout.
std::string gap_before(const std::string &text, std::size_t at) {
    const std::size_t before = text.find_last_not_of(kSpace, at - 1);
    return text.substr(before + 1, at - before - 1);
}

std::string in_quotes(std::string_view key) {
    return nlohmann::json(std::string(key)).dump();
}

std::string added_member(const std::string &text, std::string_view key, const std::string &value) {
    const std::size_t open = start_of(text);
    const std::vector<Member> members = Scanner(text).members(open);
    const std::string pair = in_quotes(key) + ": " + value;
    std::string changed = text;
    if (members.empty()) return changed.insert(open + 1, pair);
    const std::string gap = gap_before(text, members.back().name.begin);
    return changed.insert(members.back().value.end, "," + gap + pair);
}

std::string added_items(const std::string &text, std::size_t open,
                        const std::vector<std::string> &more) {
    const std::vector<Span> items = Scanner(text).items(open);
    std::string changed = text;
    std::size_t at = items.empty() ? open + 1 : items.back().end;
    const std::string gap = items.empty() ? std::string(" ") : gap_before(text, items.back().begin);
    bool first = items.empty();
    for (const std::string &item : more) {
        const std::string piece = (first ? "" : ",") + gap + item;
        changed.insert(at, piece);
        at += piece.size();
        first = false;
    }
    // Before the bracket, which follows the old items in the layout of the file.
    if (items.empty() && !more.empty()) changed.insert(at, " ");
    return changed;
}

/// Removes an item with one of the commas beside it.
std::string without_item(const std::string &text, const std::vector<Span> &items, std::size_t at) {
    std::string changed = text;
    if (at > 0) return changed.erase(items[at - 1].end, items[at].end - items[at - 1].end);
    const std::size_t end = items.size() > 1 ? items[1].begin : items[0].end;
    return changed.erase(items[0].begin, end - items[0].begin);
}

}  // namespace

std::string with_member(const std::string &text, std::string_view key, const std::string &value) {
    for (const Member &member : Scanner(text).members(start_of(text))) {
        if (member.key != key) continue;
        std::string changed = text;
        return changed.replace(member.value.begin, member.value.end - member.value.begin, value);
    }
    return added_member(text, key, value);
}

std::string with_items(const std::string &text, std::string_view key, const ListEdit &edit) {
    const std::vector<Member> members = Scanner(text).members(start_of(text));
    const auto list = std::ranges::find(members, key, &Member::key);
    if (list == members.end())
        return edit.more.empty() ? text : with_items(added_member(text, key, "[]"), key, edit);
    const std::size_t open = list->value.begin;
    std::string changed = edit.more.empty() ? text : added_items(text, open, edit.more);
    // From the last to the first, so that the places of those before stay.
    for (const auto &[place, item] : edit.items | std::views::reverse) {
        const std::vector<Span> items = Scanner(changed).items(open);
        if (place >= items.size()) continue;
        const Span &old = items[place];
        if (item)
            changed.replace(old.begin, old.end - old.begin, *item);
        else
            changed = without_item(changed, items, place);
    }
    return changed;
}

}  // namespace farlink::control
