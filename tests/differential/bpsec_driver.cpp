// SPDX-License-Identifier: Apache-2.0
// Carries out security operations that a line of standard input asks for, and prints the bundle in
// hexadecimal, or "fault NAME". bpsec_differential_test.py compares it with another implementation.
//
//   sign VARIANT SCOPE KEY TARGETS BUNDLE
//   encrypt SCOPE INLINE KEY IV TARGETS BUNDLE    the vector is counted up for each block
//   accept HMAC_KEY GCM_KEY BUNDLE
#include <iostream>
#include <sstream>

#include "tests/support/hex.hpp"
#include "tests/support/security.hpp"

namespace {

using namespace farlink;
using namespace farlink::test;

std::vector<std::uint64_t> numbers_of(const std::string &text) {
    std::vector<std::uint64_t> numbers;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) numbers.push_back(std::stoull(word));
    return numbers;
}

bpsec::NewBlock block_with(unsigned scope) {
    return {bp::ipn_eid(10, 0), 0, 0, bpsec::Place::kFirst, static_cast<bpsec::Scope>(scope), true};
}

std::string result_of(const OpenBundle &bundle, const bpsec::Verdict &verdict) {
    if (!verdict) return "fault " + std::string(to_string(verdict.error()));
    return to_hex(bundle.render());
}

std::string do_sign(std::istream &words) {
    unsigned variant = 0;
    unsigned scope = 0;
    std::string key;
    std::string targets;
    std::string octets;
    words >> variant >> scope >> key >> targets >> octets;
    OpenBundle bundle(from_hex(octets));
    if (!bundle.verdict) return result_of(bundle, bundle.verdict);
    const auto hash = static_cast<bpsec::HashVariant>(variant);
    bpsec::WorkingKey working(bpsec::algorithm_of(hash), from_hex(key));
    FixedRandom random;
    const auto numbers = numbers_of(targets);
    return result_of(
        bundle, bpsec::sign(bundle.secured, {numbers, block_with(scope), hash}, working, random));
}

std::string do_encrypt(std::istream &words) {
    unsigned scope = 0;
    bool in_target = false;
    std::string key;
    std::string iv;
    std::string targets;
    std::string octets;
    words >> scope >> in_target >> key >> iv >> targets >> octets;
    OpenBundle bundle(from_hex(octets));
    if (!bundle.verdict) return result_of(bundle, bundle.verdict);
    const auto variant =
        key.size() == 32 ? bpsec::CipherVariant::kA128Gcm : bpsec::CipherVariant::kA256Gcm;
    bpsec::WorkingKey working(bpsec::algorithm_of(variant), from_hex(key));
    FixedRandom random;
    FixedIv ivs(from_hex(iv), true);
    const auto numbers = numbers_of(targets);
    return result_of(bundle, bpsec::encrypt(bundle.secured,
                                            {numbers, block_with(scope), variant, false, in_target},
                                            working, ivs, random));
}

std::string do_accept(std::istream &words) {
    std::string hmac_key;
    std::string gcm_key;
    std::string octets;
    words >> hmac_key >> gcm_key >> octets;
    OpenBundle bundle(from_hex(octets));
    if (!bundle.verdict) return result_of(bundle, bundle.verdict);
    return result_of(bundle, accept_all(bundle.secured, from_hex(hmac_key), from_hex(gcm_key)));
}

std::string answer(const std::string &line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    try {
        if (verb == "sign") return do_sign(words);
        if (verb == "encrypt") return do_encrypt(words);
        return do_accept(words);
    } catch (const std::runtime_error &error) {
        return "unreadable " + std::string(error.what());
    }
}

}  // namespace

int main() {
    for (std::string line; std::getline(std::cin, line);) std::cout << answer(line) << std::endl;
}
