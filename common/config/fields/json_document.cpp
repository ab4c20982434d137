// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/json_document.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/config/fields/text_cursor.hpp"

namespace farlink::config {
namespace {

std::string place_of(std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line = std::ranges::count(before, '\n') + 1;
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    return "line " + std::to_string(line) + ", column " +
           std::to_string(before.size() - line_start + 1);
}

/// The library's sentence without its own prefix and place.
std::string syntax_problem(std::string_view what) {
    for (const std::string_view mark : {" - ", "] "})
        if (const auto at = what.find(mark); at != std::string_view::npos)
            what = what.substr(at + mark.size());
    if (const auto at = what.find("; last read"); at != std::string_view::npos) {
        const auto expected = what.find("; expected", at + 1);
        std::string shorter(what.substr(0, at));
        if (expected != std::string_view::npos) shorter += what.substr(expected);
        return shorter;
    }
    return std::string(what);
}

/// Builds the tree from the parser's events. Nothing here recurses, and depth is bounded.
class TreeBuilder final : public nlohmann::json_sax<nlohmann::json> {
public:
    TreeBuilder(std::string_view text, const JsonStream *stream) : text_(text), stream_(stream) {}

    bool null() override { return put(JsonValue{}); }
    bool boolean(bool value) override {
        JsonValue json = of_kind(JsonValue::Kind::kBoolean);
        json.boolean = value;
        return put(std::move(json));
    }
    bool number_integer(number_integer_t value) override {
        if (value >= 0) return number_unsigned(static_cast<number_unsigned_t>(value));  // "-0"
        return number_float(static_cast<number_float_t>(value), std::to_string(value));
    }
    bool number_unsigned(number_unsigned_t value) override {
        JsonValue &json = slot();
        json.kind = JsonValue::Kind::kInteger;
        json.integer = value;
        json.number = static_cast<double>(value);
        return count_value() && finish_value();
    }
    bool number_float(number_float_t value, const string_t &spelled) override {
        JsonValue json = of_kind(JsonValue::Kind::kNumber);
        json.number = value;
        json.text = spelled;
        return put(std::move(json));
    }
    bool string(string_t &value) override {
        JsonValue &json = slot();
        json.kind = JsonValue::Kind::kText;
        json.text = std::move(value);
        return count_value() && finish_value();
    }
    bool binary(binary_t &) override { return false; }  // not in JSON text
    bool start_object(std::size_t) override { return open(JsonValue::Kind::kObject); }
    bool start_array(std::size_t) override { return open(JsonValue::Kind::kList); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t &value) override {
        open_.back()->members.push_back({std::move(value), {}});
        return count_value();
    }
    bool parse_error(std::size_t position, const std::string &,
                     const nlohmann::json::exception &exception) override {
        const std::size_t offset = std::min(position == 0 ? 0 : position - 1, text_.size());
        error_ = {place_of(text_, offset), syntax_problem(exception.what()), "", ""};
        return false;
    }

    JsonValue root;
    ConfigError &error() { return error_; }

private:
    static JsonValue of_kind(JsonValue::Kind kind) {
        JsonValue json;
        json.kind = kind;
        return json;
    }
    /// Where the next value belongs: the document, the last member or a new item.
    JsonValue &slot() {
        if (open_.empty()) return root;
        JsonValue &parent = *open_.back();
        if (parent.kind == JsonValue::Kind::kObject) return parent.members.back().value;
        return parent.items.emplace_back();
    }
    bool put(JsonValue value) {
        slot() = std::move(value);
        return count_value() && finish_value();
    }
    bool open(JsonValue::Kind kind) {
        if (open_.size() == kDeepestNesting) {
            error_ = {"", "found lists and objects nested too deeply",
                      "at most " + std::to_string(kDeepestNesting) + " levels", ""};
            return false;
        }
        const bool item = streamed_list_ != nullptr && open_.back() == streamed_list_;
        JsonValue &value = slot();
        value.kind = kind;
        if (item) value.members.swap(spare_);
        open_.push_back(&value);  // stays valid: only the innermost list or object grows
        const bool streamed = stream_ != nullptr && kind == JsonValue::Kind::kList &&
                              open_.size() == 2 && root.kind == JsonValue::Kind::kObject &&
                              root.members.back().key == stream_->key;
        if (streamed) {
            streamed_list_ = &value;
            streamed_items_ = 0;
            values_before_ = values_;
        }
        return count_value();
    }
    bool close() {
        if (open_.back() == streamed_list_) streamed_list_ = nullptr;
        open_.pop_back();
        return finish_value();
    }
    bool count_value() {
        if (++values_ <= kMostValues) return true;
        error_ = {"", "found too many values", "at most " + std::to_string(kMostValues), ""};
        return false;
    }
    /// A value is complete: if it is an item of the streamed list, it goes on and is forgotten.
    bool finish_value() {
        if (open_.empty() || open_.back() != streamed_list_) return true;
        auto refusal = stream_->take(streamed_items_++, streamed_list_->items.back());
        spare_ = std::move(streamed_list_->items.back().members);
        spare_.clear();
        streamed_list_->items.clear();
        values_ = values_before_;
        if (!refusal) return true;
        error_ = std::move(*refusal);
        return false;
    }

    std::string_view text_;
    const JsonStream *stream_;
    std::vector<JsonValue *> open_;
    JsonValue *streamed_list_ = nullptr;  ///< while it is open
    std::vector<JsonMember> spare_;       ///< memory of the last streamed item, for the next one
    std::size_t streamed_items_ = 0;
    std::size_t values_ = 0;
    std::size_t values_before_ = 0;  ///< when the streamed list was opened
    ConfigError error_;
};

Result<JsonValue, ConfigError> build(std::string_view text, const JsonStream *stream) {
    TreeBuilder builder(text, stream);
    using Cursor = TextCursor<TreeBuilder>;
    const Cursor begin(text.data());
    const Cursor end(text.data() + text.size());
    if (!nlohmann::json::sax_parse(begin, end, &builder)) return fail(std::move(builder.error()));
    return std::move(builder.root);
}

}  // namespace

std::string JsonValue::describe() const {
    switch (kind) {
        case Kind::kNull:
            return "null";
        case Kind::kBoolean:
            return boolean ? "true" : "false";
        case Kind::kInteger:
            return std::to_string(integer);
        case Kind::kNumber:
            return text.size() <= 40 ? text : text.substr(0, 40) + "...";
        case Kind::kText:
            return in_quotes(text);
        case Kind::kList:
            return "a list";
        case Kind::kObject:
            return "an object";
    }
    return {};
}

bool nested_too_deeply(std::string_view text) {
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') in_string = !in_string;
        if (in_string) {
            if (c == '\\') ++i;  // RFC 8259 section 7: the next one does not end the string
        } else if (c == '[' || c == '{') {
            if (depth++ == kDeepestNesting) return true;
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

Result<JsonValue, ConfigError> parse_json(std::string_view text) {
    return build(text, nullptr);
}

Result<JsonValue, ConfigError> parse_json(std::string_view text, const JsonStream &stream) {
    return build(text, &stream);
}

}  // namespace farlink::config
