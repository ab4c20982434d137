// SPDX-License-Identifier: Apache-2.0
#include "common/security/keys.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

#include "common/base/hex.hpp"
#include "common/bp/bpsec/confidentiality.hpp"
#include "common/config/fields/instant.hpp"

namespace farlink::security {
namespace {

using bp::bpsec::Fault;
using bp::bpsec::KeyAlgorithm;
using bp::bpsec::Verdict;

struct AlgorithmName {
    std::string_view name;
    KeyAlgorithm algorithm;
};
constexpr std::array kAlgorithms = {AlgorithmName{"hmac-sha256", KeyAlgorithm::kHmacSha256},
                                    AlgorithmName{"hmac-sha384", KeyAlgorithm::kHmacSha384},
                                    AlgorithmName{"hmac-sha512", KeyAlgorithm::kHmacSha512},
                                    AlgorithmName{"aes-128-gcm", KeyAlgorithm::kA128Gcm},
                                    AlgorithmName{"aes-256-gcm", KeyAlgorithm::kA256Gcm},
                                    AlgorithmName{"wrap-hmac", KeyAlgorithm::kWrapIntegrity},
                                    AlgorithmName{"wrap-aes", KeyAlgorithm::kWrapConfidentiality}};

constexpr std::size_t kLongestId = 64;

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

bool is_id(std::string_view id) {
    return !id.empty() && id.size() <= kLongestId && std::ranges::all_of(id, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    });
}

bool take_secret(std::string_view hex, bp::bpsec::Secret &secret) {
    if (hex.empty() || hex.size() % 2 != 0 || hex.size() / 2 > bp::bpsec::Secret::kMostBytes)
        return false;
    const MutableBytes octets = secret.resize(hex.size() / 2);
    for (std::size_t i = 0; i < octets.size(); ++i) {
        const auto high = hex_digit(hex[2 * i]);
        const auto low = hex_digit(hex[2 * i + 1]);
        if (!high || !low) return false;
        octets[i] = static_cast<std::uint8_t>(*high << 4 | *low);
    }
    return true;
}

bool take_uses(std::string_view words, unsigned &uses) {
    uses = 0;
    while (!(words = trimmed(words)).empty()) {
        const std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(word.size());
        if (word == "sign" || word == "encrypt")
            uses |= kMaySign;
        else if (word == "verify" || word == "decrypt")
            uses |= kMayVerify;
        else
            return false;
    }
    return uses != 0;
}

bool take_time(std::string_view text, DtnTime &time) {
    const auto read = config::parse_utc(text);
    if (read) time = *read;
    return read.has_value();
}

/// The key that is being read, and which of its fields were there.
class Reading {
public:
    explicit Reading(std::vector<Key> &keys) : keys_(keys) {}

    [[nodiscard]] std::string begin(std::string_view id) {
        if (auto wrong = finish(); !wrong.empty()) return wrong;
        if (!is_id(id)) return "invalid id; expected at most 64 letters, digits, '-', '_' and '.'";
        key_.emplace();
        key_->id = id;
        has_algorithm_ = has_secret_ = false;
        return {};
    }
    [[nodiscard]] std::string take(std::string_view name, std::string_view value) {
        if (!key_) return "a field before the first [id]";
        if (name == "algorithm") return take_algorithm(value);
        bool good = false;
        if (name == "key")
            good = has_secret_ = take_secret(value, key_->secret);
        else if (name == "not-before")
            good = take_time(value, key_->begins);
        else if (name == "not-after")
            good = take_time(value, key_->ends);
        else if (name == "use")
            good = take_uses(value, key_->uses);
        else
            return "no such field; expected one of algorithm, key, not-before, not-after and use";
        return good ? std::string() : "invalid value of " + std::string(name);
    }
    [[nodiscard]] std::string finish() {
        if (!key_) return {};
        const std::string id = "key " + key_->id + ": ";
        if (!has_algorithm_) return id + "algorithm is missing";
        if (!has_secret_) return id + "key is missing";
        if (!bp::bpsec::is_usable_length(key_->algorithm, key_->secret.size()))
            return id + std::to_string(key_->secret.size()) +
                   " octets are not a valid key length for " +
                   std::string(to_string(key_->algorithm));
        if (key_->begins >= key_->ends) return id + "not-after is not later than not-before";
        keys_.push_back(std::move(*key_));
        key_.reset();
        return {};
    }

private:
    [[nodiscard]] std::string take_algorithm(std::string_view name) {
        const auto found = std::ranges::find(kAlgorithms, name, &AlgorithmName::name);
        if (found == kAlgorithms.end()) return "no such algorithm";
        key_->algorithm = found->algorithm;
        has_algorithm_ = true;
        return {};
    }

    std::vector<Key> &keys_;
    std::optional<Key> key_;
    bool has_algorithm_ = false;
    bool has_secret_ = false;
};

std::string take_line(std::string_view line, Reading &reading) {
    line = trimmed(line);
    if (line.empty() || line.front() == '#') return {};
    if (line.front() == '[' && line.back() == ']')
        return reading.begin(line.substr(1, line.size() - 2));
    const auto equals = line.find('=');
    if (equals == std::string_view::npos) return "expected [id] or name = value";
    return reading.take(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
}

}  // namespace

std::string_view to_string(KeyAlgorithm algorithm) {
    return std::ranges::find(kAlgorithms, algorithm, &AlgorithmName::algorithm)->name;
}

std::string parse_keys(std::string_view text, std::vector<Key> &keys) {
    Reading reading(keys);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (const auto wrong = take_line(line, reading); !wrong.empty())
            return "line " + std::to_string(number) + ": " + wrong;
    }
    return reading.finish();
}

std::string check_together(const std::vector<Key> &keys) {
    for (std::size_t i = 1; i < keys.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (keys[i].id == keys[j].id) return "key " + keys[i].id + " occurs twice";
            if (keys[i].algorithm != keys[j].algorithm &&
                bp::bpsec::equal_in_constant_time(keys[i].secret.octets(), keys[j].secret.octets()))
                return "keys " + keys[j].id + " and " + keys[i].id +
                       " have the same secret but different algorithms";
        }
    return {};
}

KeyRing::KeyRing(const std::vector<Key> &keys) {
    for (const Key &key : keys)
        entries_.push_back({key.id, key.begins, key.ends, key.uses,
                            bp::bpsec::WorkingKey(key.algorithm, key.secret.octets())});
    std::ranges::stable_sort(entries_, std::greater{}, &Entry::ends);
}

bp::bpsec::WorkingKey *KeyRing::find(std::string_view id, unsigned use, DtnTime now) {
    for (Entry &entry : entries_)
        if (entry.id == id && (entry.uses & use) != 0 && now >= entry.begins && now < entry.ends)
            return &entry.key;
    return nullptr;
}

template <class Try>
Verdict KeyRing::each(const bp::bpsec::SecuredBundle &bundle, const bp::bpsec::Operation &operation,
                      DtnTime now, std::span<const std::string> ids, Try attempt) {
    if (bundle.find(operation) == nullptr) return fail(Fault::kNoOperation);
    Verdict last = fail(Fault::kNoKey);
    for (Entry &entry : entries_) {
        if ((entry.uses & kMayVerify) == 0 || now < entry.begins || now >= entry.ends) continue;
        if (!ids.empty() && std::ranges::find(ids, entry.id) == ids.end()) continue;
        const Verdict verdict = attempt(entry.key);
        if (verdict) {
            last_id_ = entry.id;
            return verdict;
        }
        // A key of another algorithm is none for this operation.
        const bool fits =
            verdict.error() != Fault::kWrongKey && verdict.error() != Fault::kUnwrapFailed;
        if (fits) last = verdict;
        // Others would find the same.
        if (fits && verdict.error() != Fault::kMismatch) return verdict;
    }
    return last;
}

Verdict KeyRing::verify(const bp::bpsec::SecuredBundle &bundle,
                        const bp::bpsec::Operation &operation, DtnTime now,
                        std::span<const std::string> ids) {
    return each(bundle, operation, now, ids, [&](bp::bpsec::WorkingKey &key) {
        return operation.service == bp::bpsec::Service::kIntegrity
                   ? bp::bpsec::verify(bundle, operation, key)
                   : bp::bpsec::authenticate(bundle, operation, key);
    });
}

Verdict KeyRing::accept(bp::bpsec::SecuredBundle &bundle, const bp::bpsec::Operation &operation,
                        DtnTime now, bp::v7::CrcType crc, std::span<const std::string> ids) {
    return each(bundle, operation, now, ids, [&](bp::bpsec::WorkingKey &key) {
        return operation.service == bp::bpsec::Service::kIntegrity
                   ? bp::bpsec::accept_integrity(bundle, operation, key, crc)
                   : bp::bpsec::decrypt(bundle, operation, key, crc);
    });
}

}  // namespace farlink::security
