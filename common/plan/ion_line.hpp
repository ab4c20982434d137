// SPDX-License-Identifier: Apache-2.0
// One line of ION's commands: its words, their places, and their values as times and numbers.
// Made and dropped for each line by ion_plan.cpp; borrows the text and the list of errors.
// One thread. An invalid word is reported with line and column and has no value.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/fields/field_table.hpp"

namespace farlink::config {

class IonLine {
public:
    /// The limit of stored words, beyond any command; further words are only counted.
    static constexpr std::size_t kMostWords = 9;

    /// `text` without its end of line; `number` from 1.
    IonLine(std::string_view text, std::size_t number);

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t number() const { return number_; }
    /// Empty behind the end.
    [[nodiscard]] std::string_view word(std::size_t index) const;
    /// "line 7, column 14": of the word, or of the end of the line.
    [[nodiscard]] std::string place(std::size_t index) const;

    /// Adds an error at the word: "found ...; expected ...; ...".
    void wrong(std::size_t index, std::string expected, std::string hint,
               ConfigErrors &errors) const;

    /// `yyyy/mm/dd-hh:mm:ss` in UTC, or `+seconds` after `reference`; both may have a fraction of
    /// whole milliseconds.
    [[nodiscard]] std::optional<Instant> instant(std::size_t index, const Instant &reference,
                                                 ConfigErrors &errors) const;
    /// Seconds from 0 to `maximum`, which may have a fraction down to nanoseconds.
    [[nodiscard]] std::optional<Duration> duration(std::size_t index, std::uint64_t maximum,
                                                   std::string_view unit,
                                                   ConfigErrors &errors) const;
    /// A whole number in these bounds; `unit` for messages, may be empty.
    [[nodiscard]] std::optional<std::uint64_t> number(std::size_t index, std::uint64_t minimum,
                                                      std::uint64_t maximum, std::string_view unit,
                                                      ConfigErrors &errors) const;

private:
    std::array<std::string_view, kMostWords> words_;
    std::size_t size_ = 0;
    std::string_view text_;
    std::size_t number_;
};

}  // namespace farlink::config
