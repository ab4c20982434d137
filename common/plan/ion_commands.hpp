// SPDX-License-Identifier: Apache-2.0
// The contacts and ranges that a list of ION's commands results in, each with its place.
// Made by ion_plan.cpp, line by line; borrows the text.
// One thread. Errors and notes are bounded, and so are the commands that are kept.
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "common/plan/contact_fields.hpp"
#include "common/plan/contact_plan.hpp"
#include "common/plan/ion_line.hpp"

namespace farlink::config {

class IonCommands {
public:
    enum class Kind : std::uint8_t { kContact, kRange };

    /// A `contact` or `range` that was added and not deleted since.
    struct Entry {
        ContactRow row;         ///< of a range: without rate; `source` and `destination` its nodes
        std::size_t line = 0;   ///< from 1
        std::string_view text;  ///< the line
        bool deleted = false;
    };

    /// Until a command says otherwise.
    void count_from(const Instant &reference) { reference_ = reference; }
    /// False if reading stops because of too many commands.
    [[nodiscard]] bool read(const IonLine &line, std::string_view text);

    [[nodiscard]] const std::vector<Entry> &contacts() const { return contacts_.entries; }
    [[nodiscard]] const std::vector<Entry> &ranges() const { return ranges_.entries; }
    /// Whether there was any command at all.
    [[nodiscard]] bool any() const { return any_; }

    ConfigErrors errors;
    ConfigErrors notes;

private:
    using Key = std::tuple<NodeNumber, NodeNumber, bool, DtnTime>;
    struct Entries {
        std::vector<Entry> entries;
        /// The places of entries that can be deleted or changed; made at the first such command.
        std::multimap<Key, std::size_t> index;
        bool indexed = false;
    };

    void read_verb(const IonLine &line, std::string_view text, char verb, Kind kind);
    void add_contact(const IonLine &line, std::string_view text);
    void add_range(const IonLine &line, std::string_view text);
    void change_contact(const IonLine &line);
    void delete_entries(const IonLine &line, Entries &entries);
    void read_confidence(const IonLine &line, std::size_t index);
    void read_region(const IonLine &line);
    void put(Entries &entries, Entry entry);
    [[nodiscard]] bool has_words(const IonLine &line, std::size_t least, std::size_t most,
                                 const char *expected);
    static void make_index(Entries &entries);
    static Key key_of(const Entry &entry);

    Entries contacts_;
    Entries ranges_;
    Instant reference_;  ///< that `+seconds` count from
    std::string_view region_;
    bool any_ = false;
};

}  // namespace farlink::config
