// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/log_format.hpp"

#include "common/runtime/log/log_levels.hpp"

namespace farlink {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD
constexpr std::string_view kDigits = "0123456789abcdef";

bool is_control(char letter) {
    return static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
}

void append_hex(std::string &to, char letter) {
    const auto octet = static_cast<unsigned char>(letter);
    to += kDigits[octet / 16];
    to += kDigits[octet % 16];
}

bool continues(std::string_view text, std::size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
}

/// Octets of the character that the text begins with (RFC 3629 section 4); 0: it is none.
std::size_t character_size(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) return 1;
    if (!continues(text, 1)) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    if (first >= 0xc2 && first <= 0xdf) return 2;
    if (first >= 0xe0 && first <= 0xef) {
        const bool overlong = first == 0xe0 && second < 0xa0;
        const bool surrogate = first == 0xed && second >= 0xa0;
        return !overlong && !surrogate && continues(text, 2) ? 3 : 0;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        const bool overlong = first == 0xf0 && second < 0x90;
        const bool too_large = first == 0xf4 && second >= 0x90;
        return !overlong && !too_large && continues(text, 2) && continues(text, 3) ? 4 : 0;
    }
    return 0;
}

/// RFC 8259 section 7.
void append_string(std::string &to, std::string_view text) {
    to += '"';
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        const char letter = text[0];
        if (size == 0) {
            to += kReplacement;
        } else if (letter == '"' || letter == '\\') {
            to += '\\';
            to += letter;
        } else if (letter == '\n') {
            to += "\\n";
        } else if (is_control(letter)) {
            to += "\\u00";
            append_hex(to, letter);
        } else {
            to += text.substr(0, size);
        }
        text.remove_prefix(size == 0 ? 1 : size);
    }
    to += '"';
}

std::string_view without_line_end(std::string_view message) {
    while (message.ends_with('\n')) message.remove_suffix(1);
    return message;
}

}  // namespace

std::optional<LogFormat> parse_log_format(std::string_view text) {
    if (text == "text") return LogFormat::kText;
    if (text == "json") return LogFormat::kJson;
    if (text == "syslog") return LogFormat::kSyslog;
    return std::nullopt;
}

std::string_view to_string(LogFormat format) {
    switch (format) {
        case LogFormat::kText:
            return "text";
        case LogFormat::kJson:
            return "json";
        case LogFormat::kSyslog:
            return "syslog";
    }
    return "text";
}

std::string text_log_message(std::string_view message) {
    std::string text;
    for (const char letter : without_line_end(message)) {
        if (letter == '\n') {
            text += "\\n";
        } else if (is_control(letter)) {
            text += "\\x";
            append_hex(text, letter);
        } else {
            text += letter;
        }
    }
    return text;
}

std::string json_log_line(std::string_view time, LogLevel level, std::string_view module,
                          std::string_view message) {
    std::string line = "{\"time\":";
    append_string(line, time);
    line += ",\"level\":";
    append_string(line, to_string(level));
    line += ",\"module\":";
    append_string(line, module);
    line += ",\"message\":";
    append_string(line, without_line_end(message));
    line += '}';
    return line;
}

}  // namespace farlink
