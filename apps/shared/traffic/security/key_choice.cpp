// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "apps/shared/traffic/security/key_choice.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "common/security/key_reader.hpp"

namespace farlink::traffic {
namespace {

using bp::bpsec::Service;
using security::Key;

bool is_for(const Key &key, Service service) {
    return bp::bpsec::is_for_integrity(key.algorithm) == (service == Service::kIntegrity);
}

/// The keys of the file that fit; with an id, that one or an error.
Result<std::vector<Key>, std::string> keys_for(const KeyChoice &choice, Service service,
                                               unsigned use) {
    auto keys = security::read_keys(choice.file);
    if (!keys) return fail(std::move(keys.error()));
    if (!choice.id.empty()) {
        std::erase_if(*keys, [&](const Key &key) { return key.id != choice.id; });
        if (keys->empty()) return fail("found no key " + choice.id + " in " + choice.file);
    }
    std::erase_if(*keys,
                  [&](const Key &key) { return !is_for(key, service) || (key.uses & use) == 0; });
    if (!keys->empty()) return keys;
    const bool integrity = service == Service::kIntegrity;
    const std::string_view verb = use == security::kMaySign ? (integrity ? "sign" : "encrypt")
                                                            : (integrity ? "verify" : "decrypt");
    return fail((choice.id.empty() ? "no key of " + choice.file + " may"
                                   : "key " + choice.id + " may not") +
                " be used to " + std::string(verb));
}

}  // namespace

KeyChoice parse_key_choice(std::string_view text) {
    std::error_code ignored;
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos || std::filesystem::exists(text, ignored))
        return {std::string(text), {}};
    return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

Result<Key, std::string> choose_key(const KeyChoice &choice, Service service, DtnTime now) {
    auto keys = keys_for(choice, service, security::kMaySign);
    if (!keys) return fail(std::move(keys.error()));
    std::erase_if(*keys, [&](const Key &key) { return !key.may(security::kMaySign, now); });
    if (keys->empty()) return fail("no key of " + choice.file + " is valid now");
    if (keys->size() > 1)
        return fail(choice.file + " has several keys: " + keys->front().id + ", " + (*keys)[1].id +
                    "; expected FILE:ID");
    return std::move(keys->front());
}

Result<std::vector<Key>, std::string> choose_keys(const KeyChoice &choice, Service service) {
    return keys_for(choice, service, security::kMayVerify);
}

}  // namespace farlink::traffic
#endif  // FARLINK_TLS
