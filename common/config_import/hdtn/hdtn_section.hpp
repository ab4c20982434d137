// SPDX-License-Identifier: Apache-2.0
// Reads one object of HDTN's configuration by the table of its keys.
// Made by the importer for each object; borrows the JSON, the tables and the report.
// One thread. Nothing is thrown; every key ends as a line of the report.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/fields/byte_units.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/config_import/import_report.hpp"

namespace farlink::config {

using ImportedJson = nlohmann::ordered_json;

/// The most that a size of a link may be.
inline constexpr std::uint64_t kMostLinkBytes = 4095 * kMiB;

/// HDTN's convergence layers, as bits.
enum HdtnLayer : unsigned {
    kNoLayer = 0,
    kStcp = 1,
    kTcpclv3 = 2,
    kTcpclv4 = 4,
    kUdp = 8,
    kLtp = 16,
};
inline constexpr unsigned kEveryLayer = 31;
inline constexpr unsigned kTcpcl = kTcpclv3 | kTcpclv4;

enum class HdtnRule : std::uint8_t {
    kCopy,         ///< an integer is brought into the range
    kCopyExactly,  ///< an integer out of the range is refused
    kNote,         ///< left out
    kRefuseIfSet,  ///< refused unless 0 or false, then left out
    kRead,         ///< by the importer, which reports it
};

/// A key of HDTN's and what becomes of it.
struct HdtnKey {
    std::string_view key;
    JsonValue::Kind kind = JsonValue::Kind::kInteger;
    HdtnRule rule = HdtnRule::kCopy;
    std::string_view text{};    ///< kNote, kRefuseIfSet: why; kCopy: what differs, if anything
    std::string_view target{};  ///< the key here; empty: the same
    std::uint64_t minimum = 0;
    std::uint64_t maximum = std::numeric_limits<std::uint64_t>::max();
    unsigned layers = kEveryLayer;  ///< of a link
};

/// Lines of a report about one file.
class HdtnNotes {
public:
    HdtnNotes(ImportReport &report, std::string file) : report_(report), file_(std::move(file)) {}

    void refuse(std::string setting, std::string text) {
        add(ImportOutcome::kRefused, std::move(setting), std::move(text));
    }
    void change(std::string setting, std::string text) {
        add(ImportOutcome::kChanged, std::move(setting), std::move(text));
    }
    void note(std::string setting, std::string text) {
        add(ImportOutcome::kNoted, std::move(setting), std::move(text));
    }
    void map(std::string setting, std::string text) {
        add(ImportOutcome::kMapped, std::move(setting), std::move(text));
    }
    [[nodiscard]] std::size_t refusals() const { return report_.count(ImportOutcome::kRefused); }

private:
    void add(ImportOutcome outcome, std::string setting, std::string text) {
        report_.add({outcome, file_, 0, std::move(setting), std::move(text)});
    }

    ImportReport &report_;
    std::string file_;
};

class HdtnSection {
public:
    /// Reports keys that are unknown, repeated, of the wrong type or of another layer.
    HdtnSection(const JsonValue &json, std::string path, std::span<const HdtnKey> keys,
                HdtnNotes &notes, unsigned layer = kEveryLayer);

    /// Writes the keys that are copied into `out`, which is at `out_path` of the result.
    void apply(ImportedJson &out, const std::string &out_path);

    /// The value of a key if it is there and of its type.
    [[nodiscard]] const JsonValue *find(std::string_view key) const;
    [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
    [[nodiscard]] std::string text(std::string_view key) const;
    /// Refused when it is missing or out of the range; then 0.
    [[nodiscard]] std::uint64_t required(std::string_view key, std::uint64_t minimum,
                                         std::uint64_t maximum);
    [[nodiscard]] std::string place(std::string_view key) const { return member_path(path_, key); }
    [[nodiscard]] const std::string &path() const { return path_; }
    [[nodiscard]] HdtnNotes &notes() const { return notes_; }
    [[nodiscard]] unsigned layer() const { return layer_; }

private:
    struct Found {
        const HdtnKey *key = nullptr;
        const JsonValue *value = nullptr;
    };

    void take(const JsonMember &member);
    void report_unknown(const std::string &key);
    void copy(const Found &found, ImportedJson &out, const std::string &out_path);
    void copy_integer(const Found &found, ImportedJson &out, const std::string &target);

    std::string path_;
    std::span<const HdtnKey> keys_;
    HdtnNotes &notes_;
    unsigned layer_;
    std::vector<Found> found_;
};

/// "an integer", "a text", ...
[[nodiscard]] std::string_view name_of(JsonValue::Kind kind);

}  // namespace farlink::config
