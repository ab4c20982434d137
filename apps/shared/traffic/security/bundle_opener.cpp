// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/security/bundle_opener.hpp"

#if FARLINK_TLS
#include <optional>
#include <utility>
#include <vector>

#include "apps/shared/traffic/fragments/contiguous_bundle.hpp"
#include "apps/shared/traffic/security/key_choice.hpp"
#include "common/bp/bpsec/rendered_bundle.hpp"
#include "common/bp/bpsec/service_operations.hpp"

namespace farlink::traffic {
namespace {

using bp::bpsec::Fault;
using bp::bpsec::Operation;
using bp::bpsec::Service;
using bp::bpsec::Verdict;

constexpr std::uint8_t kBpv7 = 7;
constexpr std::uint64_t kPayloadNumber = 1;

class KeyOpener final : public BundleOpener {
public:
    void verify_with(const std::vector<security::Key> &keys) { verifying_.emplace(keys); }
    void decrypt_with(const std::vector<security::Key> &keys) { decrypting_.emplace(keys); }

    [[nodiscard]] std::span<const ByteView> open(std::span<const ByteView> bundle,
                                                 DtnTime now) override {
        const auto view = contiguous_.parse(bundle);
        if (!view) return bundle;
        failed_ = changed_ = false;
        if (const Verdict read = read_blocks(bundle, *view); !read) {
            note(read.error());
        } else {
            const bool decrypted = !decrypting_ || decrypt(now);
            const bool verified = !verifying_ || verify(now);
            if (!decrypted || !verified) ++totals_.missing;
        }
        if (failed_) ++totals_.failed;
        return changed_ ? rendered_.render(bundle_) : bundle;
    }
    [[nodiscard]] const OpenTotals &totals() const override { return totals_; }

private:
    [[nodiscard]] Verdict read_blocks(std::span<const ByteView> bundle,
                                      const bp::BundleView &view) {
        if (view.version != kBpv7) return fail(Fault::kBadBundle);
        if (view.is_fragment) return fail(Fault::kIsFragment);
        return bundle_.read(bundle, view);
    }

    /// False when the payload is not encrypted.
    [[nodiscard]] bool decrypt(DtnTime now) {
        if (!bundle_.has(Service::kConfidentiality, kPayloadNumber)) return false;
        const bool good = each(Service::kConfidentiality, [&](const Operation &operation) {
            const Verdict verdict =
                decrypting_->accept(bundle_, operation, now, bp::v7::CrcType::kNone);
            changed_ = changed_ || verdict.has_value();
            return verdict;
        });
        totals_.decrypted += good ? 1 : 0;
        return true;
    }

    /// False when the payload is not signed, as far as can be read.
    [[nodiscard]] bool verify(DtnTime now) {
        const bool good = each(Service::kIntegrity, [&](const Operation &operation) {
            return verifying_->verify(bundle_, operation, now);
        });
        if (!bundle_.has(Service::kIntegrity, kPayloadNumber)) return false;
        totals_.verified += good ? 1 : 0;
        return true;
    }

    /// Tries each operation that the bundle has now; whether all are good.
    template <class Try>
    [[nodiscard]] bool each(Service service, Try attempt) {
        bp::bpsec::list_operations(bundle_, service, operations_);
        bool good = true;
        for (const Operation &operation : operations_) {
            const Verdict verdict = attempt(operation);
            if (!verdict) note(verdict.error());
            good = good && verdict.has_value();
        }
        return good;
    }

    void note(Fault fault) {
        failed_ = true;
        ++totals_.faults[bp::bpsec::to_string(fault)];
    }

    std::optional<security::KeyRing> verifying_;
    std::optional<security::KeyRing> decrypting_;
    ContiguousBundle contiguous_;
    bp::bpsec::SecuredBundle bundle_;
    std::vector<Operation> operations_;
    OpenTotals totals_;
    bool failed_ = false;
    bool changed_ = false;
    bp::bpsec::RenderedBundle rendered_;
};

}  // namespace

Result<std::unique_ptr<BundleOpener>, std::string> make_opener(const OpenOptions &options) {
    auto opener = std::make_unique<KeyOpener>();
    if (!options.verify.empty()) {
        const auto keys = choose_keys(parse_key_choice(options.verify), Service::kIntegrity);
        if (!keys) return fail("--verify: " + keys.error());
        opener->verify_with(*keys);
    }
    if (!options.decrypt.empty()) {
        const auto keys = choose_keys(parse_key_choice(options.decrypt), Service::kConfidentiality);
        if (!keys) return fail("--decrypt: " + keys.error());
        opener->decrypt_with(*keys);
    }
    return std::unique_ptr<BundleOpener>(std::move(opener));
}

}  // namespace farlink::traffic

#else

namespace farlink::traffic {

Result<std::unique_ptr<BundleOpener>, std::string> make_opener(const OpenOptions &) {
    return fail(
        std::string("--verify, --decrypt: this build has no OpenSSL and does not support BPSec"));
}

}  // namespace farlink::traffic
#endif  // FARLINK_TLS
