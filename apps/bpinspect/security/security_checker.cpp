// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/security/security_checker.hpp"

#if FARLINK_TLS
#include <utility>

#include "apps/bpinspect/core/names.hpp"
#include "common/bp/bpsec/rendered_bundle.hpp"
#include "common/bp/bpsec/service_operations.hpp"
#include "common/bp/parse.hpp"
#include "common/runtime/clock.hpp"
#include "common/security/key_reader.hpp"

namespace farlink::inspect {
namespace {

using bp::bpsec::Fault;
using bp::bpsec::Operation;
using bp::bpsec::Service;
using bp::bpsec::Verdict;

/// What cannot be judged with these keys, as opposed to what is wrong.
bool is_unchecked(Fault fault) {
    return fault == Fault::kNoKey || fault == Fault::kUnknownContext ||
           fault == Fault::kTargetEncrypted;
}

class KeyChecker final : public SecurityChecker {
public:
    explicit KeyChecker(const std::vector<security::Key> &keys) : keys_(keys) {}

    [[nodiscard]] SecurityResult check(ByteView bundle) override {
        SecurityResult result;
        const auto view = bp::parse({&bundle, 1});
        if (!view) {
            result.fault = bp::to_string(view.error());
            return result;
        }
        const Verdict read = bundle_.read({&bundle, 1}, *view);
        if (!read) {
            result.fault = bp::bpsec::to_string(read.error());
            return result;
        }
        now_ = view->creation_time != 0 ? view->creation_time : read_wall_clock().dtn_ms;
        const bool is_fragment = view->is_fragment;
        decrypt(is_fragment, result);
        verify(is_fragment, result);
        return result;
    }

private:
    void decrypt(bool is_fragment, SecurityResult &result) {
        bool changed = false;
        each(Service::kConfidentiality, result, [&](const Operation &operation) -> Verdict {
            if (is_fragment) return fail(Fault::kIsFragment);
            const Verdict verdict =
                keys_.accept(bundle_, operation, now_, bp::v7::CrcType::kCrc32c);
            changed = changed || verdict.has_value();
            return verdict;
        });
        if (changed) result.decrypted = bp::bpsec::whole_bundle(bundle_);
    }
    void verify(bool is_fragment, SecurityResult &result) {
        each(Service::kIntegrity, result, [&](const Operation &operation) -> Verdict {
            if (is_fragment) return fail(Fault::kIsFragment);
            return keys_.verify(bundle_, operation, now_);
        });
    }

    template <class Try>
    void each(Service service, SecurityResult &result, Try attempt) {
        bp::bpsec::list_operations(bundle_, service, operations_);
        for (const Operation &operation : operations_) {
            CheckedOperation checked;
            checked.encrypts = service == Service::kConfidentiality;
            checked.block = operation.block;
            checked.target = operation.target;
            checked.target_name = name_of(operation.target);
            if (const Verdict verdict = attempt(operation)) {
                checked.key = keys_.last_id();
                checked.outcome = SecurityOutcome::kGood;
            } else {
                checked.fault = bp::bpsec::to_string(verdict.error());
                checked.outcome = is_unchecked(verdict.error()) ? SecurityOutcome::kUnchecked
                                                                : SecurityOutcome::kFailed;
            }
            result.operations.push_back(std::move(checked));
        }
    }

    [[nodiscard]] std::string name_of(std::uint64_t target) const {
        if (target == 0) return "primary";
        const bp::bpsec::Part *const part = bundle_.find(target);
        return part == nullptr ? std::string() : block_name7(part->type);
    }

    security::KeyRing keys_;
    bp::bpsec::SecuredBundle bundle_;
    std::vector<Operation> operations_;
    DtnTime now_ = 0;
};

}  // namespace

Result<std::unique_ptr<SecurityChecker>, std::string> make_security_checker(
    const std::string &keys) {
    auto read = security::read_keys(keys);
    if (!read) return fail(std::move(read.error()));
    return std::unique_ptr<SecurityChecker>(std::make_unique<KeyChecker>(*read));
}

}  // namespace farlink::inspect

#else

namespace farlink::inspect {

Result<std::unique_ptr<SecurityChecker>, std::string> make_security_checker(const std::string &) {
    return fail(std::string("this build has no OpenSSL and does not support BPSec"));
}

}  // namespace farlink::inspect
#endif  // FARLINK_TLS
