// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/request_json.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "common/config/fields/json_document.hpp"
#include "common/config/fields/text_cursor.hpp"

namespace farlink::control {
namespace {

using nlohmann::ordered_json;

/// Builds the tree from the parser's events, each in constant time. Depth has been bounded.
class RequestBuilder final : public nlohmann::json_sax<ordered_json> {
public:
    explicit RequestBuilder(const std::stop_token &stop) : stop_(stop) {}

    bool null() override { return put(nullptr); }
    bool boolean(bool value) override { return put(value); }
    bool number_integer(number_integer_t value) override { return put(value); }
    bool number_unsigned(number_unsigned_t value) override { return put(value); }
    bool number_float(number_float_t value, const string_t &) override { return put(value); }
    bool string(string_t &value) override { return put(std::move(value)); }
    bool binary(binary_t &) override { return false; }  // not in JSON text
    bool start_object(std::size_t) override { return open(ordered_json::object()); }
    bool start_array(std::size_t) override { return open(ordered_json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t &value) override {
        Level &level = open_.back();
        if (!level.is_new(value)) {
            error = "the key " + config::in_quotes(value) + " occurs twice in one object";
            return false;
        }
        // As a vector: the object's own way to add a member searches all members.
        level.members().emplace_back(std::move(value), nullptr);
        return count();
    }
    bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &) override {
        return false;
    }

    ordered_json root;
    std::string error;  ///< empty: it is no JSON

private:
    struct Level {
        ordered_json *value;
        std::unordered_set<std::string> keys{};  ///< of an object with many members

        ordered_json::object_t &members() { return value->get_ref<ordered_json::object_t &>(); }
        /// Whether no member has this key.
        bool is_new(const std::string &key) {
            constexpr std::size_t kFewMembers = 16;
            const ordered_json::object_t &known = members();
            if (known.size() < kFewMembers)
                return std::ranges::none_of(known,
                                            [&](const auto &one) { return one.first == key; });
            if (keys.empty())
                for (const auto &member : known) keys.insert(member.first);
            return keys.insert(key).second;
        }
    };

    /// The open lists and objects. Only the innermost one grows, so pointers to the others stay
    /// valid.
    ordered_json &slot() {
        if (open_.empty()) return root;
        ordered_json &parent = *open_.back().value;
        if (parent.is_object()) return parent.get_ref<ordered_json::object_t &>().back().second;
        parent.push_back(nullptr);
        return parent.back();
    }
    template <class Value>
    bool put(Value &&value) {
        slot() = std::forward<Value>(value);
        return count();
    }
    bool open(ordered_json empty) {
        ordered_json &value = slot();
        value = std::move(empty);
        open_.push_back({&value});
        return count();
    }
    bool close() {
        open_.pop_back();
        return true;
    }
    bool count() {
        if (stop_.stop_requested()) {
            error = "the node is ending";
            return false;
        }
        if (++values_ <= kMostRequestValues) return true;
        error = "the request has too many values; expected at most " +
                std::to_string(kMostRequestValues);
        return false;
    }

    const std::stop_token &stop_;
    std::vector<Level> open_;
    std::size_t values_ = 0;
};

}  // namespace

Result<ordered_json, std::string> parse_request(const std::string &text,
                                                const std::stop_token &stop) {
    if (config::nested_too_deeply(text))
        return fail("the request has lists and objects nested too deeply; expected at most " +
                    std::to_string(config::kDeepestNesting) + " levels");
    RequestBuilder builder(stop);
    using Cursor = config::TextCursor<RequestBuilder>;
    const Cursor begin(text.data());
    const Cursor end(text.data() + text.size());
    const bool read = ordered_json::sax_parse(begin, end, &builder);
    if (!read && !builder.error.empty()) return fail(std::move(builder.error));
    if (!read || !builder.root.is_object())
        return fail(std::string("the request is not a JSON object"));
    return std::move(builder.root);
}

}  // namespace farlink::control
