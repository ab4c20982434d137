// SPDX-License-Identifier: Apache-2.0
// Keys of BPSec as they are written in a file, and which of them an operation may use.
// A text is read by a pure function that keeps no copy of it; keys are values that wipe themselves.
// A KeyRing belongs to one thread.
// The text is not JSON on purpose: no library copies the secrets.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/bp/bpsec/crypto/working_key.hpp"
#include "common/bp/bpsec/secured_bundle.hpp"

namespace farlink::security {

/// What a key may be used for.
inline constexpr unsigned kMaySign = 1;    ///< and encrypt: at the source
inline constexpr unsigned kMayVerify = 2;  ///< and decrypt
inline constexpr unsigned kMayAll = kMaySign | kMayVerify;

struct Key {
    std::string id;
    bp::bpsec::KeyAlgorithm algorithm = bp::bpsec::KeyAlgorithm::kHmacSha256;
    bp::bpsec::Secret secret;
    DtnTime begins = 0;        ///< DTN milliseconds
    DtnTime ends = kDtnNever;  ///< the first moment at which it is no longer valid
    unsigned uses = kMayAll;

    [[nodiscard]] bool may(unsigned use, DtnTime now) const {
        return (uses & use) != 0 && now >= begins && now < ends;
    }
};

/// Appends the keys of a text; an error is a sentence with the line's number and no secret.
[[nodiscard]] std::string parse_keys(std::string_view text, std::vector<Key> &keys);

/// What is wrong with keys beside each other: an id twice, one secret for two algorithms. Empty:
/// nothing.
[[nodiscard]] std::string check_together(const std::vector<Key> &keys);

[[nodiscard]] std::string_view to_string(bp::bpsec::KeyAlgorithm algorithm);

/// Keys ready for use.
class KeyRing {
public:
    explicit KeyRing(const std::vector<Key> &keys);

    /// The key with that id that may be used so now; null without one.
    [[nodiscard]] bp::bpsec::WorkingKey *find(std::string_view id, unsigned use, DtnTime now);

    /// Verifies or accepts one operation with each key that fits, those that end last first. RFC
    /// 9173's blocks do not name their key. `ids`: only these keys; without any, all.
    [[nodiscard]] bp::bpsec::Verdict verify(const bp::bpsec::SecuredBundle &bundle,
                                            const bp::bpsec::Operation &operation, DtnTime now,
                                            std::span<const std::string> ids = {});
    [[nodiscard]] bp::bpsec::Verdict accept(bp::bpsec::SecuredBundle &bundle,
                                            const bp::bpsec::Operation &operation, DtnTime now,
                                            bp::v7::CrcType crc,
                                            std::span<const std::string> ids = {});

    /// The id of the key that fitted last.
    [[nodiscard]] std::string_view last_id() const { return last_id_; }

private:
    struct Entry {
        std::string id;
        DtnTime begins;
        DtnTime ends;
        unsigned uses;
        bp::bpsec::WorkingKey key;
    };
    template <class Try>
    [[nodiscard]] bp::bpsec::Verdict each(const bp::bpsec::SecuredBundle &bundle,
                                          const bp::bpsec::Operation &operation, DtnTime now,
                                          std::span<const std::string> ids, Try attempt);

    std::deque<Entry> entries_;
    std::string_view last_id_;
};

}  // namespace farlink::security
