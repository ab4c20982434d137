// SPDX-License-Identifier: Apache-2.0
// Bundles with security for tests: read, changed and written again, with keys and vectors that a
// test chooses.
// Values of one test; one thread.
#pragma once

#include <memory>
#include <stdexcept>

#include "common/bp/bpsec/confidentiality.hpp"
#include "common/bp/bpsec/integrity.hpp"
#include "common/bp/bpsec/rendered_bundle.hpp"
#include "common/bp/parse.hpp"

namespace farlink::test {

namespace bpsec = bp::bpsec;

/// Gives these octets, again and again.
class FixedRandom final : public bpsec::RandomSource {
public:
    explicit FixedRandom(Bytes octets = Bytes(64, 0x5a)) : octets_(std::move(octets)) {}
    void fill(MutableBytes to) override {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = octets_[i % octets_.size()];
    }

private:
    Bytes octets_;
};

/// Gives one vector; counting it up where that is asked for.
class FixedIv final : public bpsec::IvSource {
public:
    explicit FixedIv(ByteView iv, bool counts = false)
        : iv_(iv.begin(), iv.end()), counts_(counts) {}
    [[nodiscard]] bool next(MutableBytes to) override {
        std::ranges::copy(iv_, to.begin());
        if (counts_) ++iv_.back();
        return true;
    }

private:
    Bytes iv_;
    bool counts_;
};

/// A bundle's octets and what is read of them. It stays where it was made.
struct OpenBundle {
    explicit OpenBundle(Bytes bundle) : octets(std::move(bundle)), slice(octets) { read(); }
    OpenBundle(const OpenBundle &) = delete;
    OpenBundle &operator=(const OpenBundle &) = delete;

    void read() {
        const auto parsed = bp::parse({&slice, 1});
        if (!parsed) throw std::runtime_error(std::string(bp::to_string(parsed.error())));
        view = *parsed;
        verdict = secured.read({&slice, 1}, view);
    }
    [[nodiscard]] Bytes render() const { return bpsec::whole_bundle(secured); }
    [[nodiscard]] Bytes payload() const {
        Bytes whole;
        for (const ByteView piece : secured.payload()) append(whole, piece);
        return whole;
    }
    [[nodiscard]] std::vector<bpsec::Operation> operations() const {
        std::vector<bpsec::Operation> found;
        secured.list_operations(found);
        return found;
    }

    Bytes octets;
    ByteView slice;
    bp::BundleView view;
    bpsec::SecuredBundle secured;
    bpsec::Verdict verdict;
};

/// A key with these octets for an operation, of the algorithm that it needs.
inline bpsec::WorkingKey key_for(const bpsec::SecuredBundle &bundle,
                                 const bpsec::Operation &operation, ByteView octets) {
    const bpsec::SecurityPart *const security = bundle.find(operation);
    if (operation.service == bpsec::Service::kIntegrity) {
        const auto parameters = bpsec::integrity_parameters(security->block);
        if (!parameters) return {bpsec::KeyAlgorithm::kHmacSha256, octets};
        return {parameters->wrapped_key ? bpsec::KeyAlgorithm::kWrapIntegrity
                                        : bpsec::algorithm_of(parameters->variant),
                octets};
    }
    const auto parameters = bpsec::confidentiality_parameters(security->block);
    if (!parameters) return {bpsec::KeyAlgorithm::kA128Gcm, octets};
    return {parameters->wrapped_key ? bpsec::KeyAlgorithm::kWrapConfidentiality
                                    : bpsec::algorithm_of(parameters->variant),
            octets};
}

inline bpsec::Verdict accept(bpsec::SecuredBundle &bundle, const bpsec::Operation &operation,
                             ByteView key, bp::v7::CrcType crc = bp::v7::CrcType::kNone) {
    bpsec::WorkingKey working = key_for(bundle, operation, key);
    return operation.service == bpsec::Service::kIntegrity
               ? bpsec::accept_integrity(bundle, operation, working, crc)
               : bpsec::decrypt(bundle, operation, working, crc);
}

/// Accepts all operations, BCBs first; the first fault ends it.
inline bpsec::Verdict accept_all(bpsec::SecuredBundle &bundle, ByteView integrity_key,
                                 ByteView confidentiality_key) {
    for (std::vector<bpsec::Operation> found;;) {
        bundle.list_operations(found);
        if (found.empty()) return {};
        const bool integrity = found.front().service == bpsec::Service::kIntegrity;
        const bpsec::Verdict accepted =
            accept(bundle, found.front(), integrity ? integrity_key : confidentiality_key);
        if (!accepted) return accepted;
    }
}

}  // namespace farlink::test
