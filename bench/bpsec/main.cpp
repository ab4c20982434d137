// SPDX-License-Identifier: Apache-2.0
// Nanoseconds of BPSec's operations for each bundle: reading its blocks, verifying an HMAC of
// primary block and payload, authenticating and decrypting with AES-GCM. `openssl speed` has the
// bare algorithms.
#include <algorithm>
#include <cstdio>

#include "common/base/invariant.hpp"
#include "common/bp/bpsec/confidentiality.hpp"
#include "common/bp/bpsec/rendered_bundle.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v7/builder.hpp"
#include "common/runtime/clock.hpp"

namespace {

using namespace farlink;
namespace bpsec = bp::bpsec;

/// The best of several runs, so that other work on the machine counts least.
template <class Function>
double nanoseconds_each(int calls, Function function) {
    constexpr int kRuns = 9;
    double best = 1e18;
    for (int run = 0; run < kRuns; ++run) {
        const TimePoint begin = monotonic_now();
        for (int call = 0; call < calls; ++call) function();
        const auto took = static_cast<double>((monotonic_now() - begin).count());
        best = std::min(best, took / calls);
    }
    return best;
}

class Zeros final : public bpsec::RandomSource, public bpsec::IvSource {
public:
    void fill(MutableBytes octets) override { std::ranges::fill(octets, 0); }
    [[nodiscard]] bool next(MutableBytes iv) override {
        std::ranges::fill(iv, 0);
        return true;
    }
};

Bytes make_bundle(std::size_t payload_bytes) {
    bp::v7::PrimaryFields primary;
    primary.crc_type = bp::v7::CrcType::kNone;
    primary.destination = bp::ipn_eid(20, 2);
    primary.source = bp::ipn_eid(10, 1);
    primary.report_to = bp::ipn_eid(10, 0);
    primary.creation_time_ms = 757000000123;
    primary.lifetime_ms = 3600000;
    bp::v7::Builder builder(primary);
    return std::move(builder).finish(Bytes(payload_bytes, 0x55));
}

struct Read {
    explicit Read(Bytes bundle) : octets(std::move(bundle)), slice(octets) { again(); }
    void again() {
        const auto parsed = bp::parse({&slice, 1});
        FARLINK_INVARIANT(parsed);
        view = *parsed;
        FARLINK_INVARIANT(secured.read({&slice, 1}, view));
    }
    [[nodiscard]] Bytes render() const { return bpsec::whole_bundle(secured); }
    Bytes octets;
    ByteView slice;
    bp::BundleView view;
    bpsec::SecuredBundle secured;
};

void measure_integrity(std::size_t payload_bytes, int calls) {
    Zeros zeros;
    bpsec::WorkingKey key(bpsec::KeyAlgorithm::kHmacSha256, Bytes(32, 1));
    Read source(make_bundle(payload_bytes));
    const std::uint64_t targets[] = {0, 1};
    bpsec::SignRequest request{targets, {}, bpsec::HashVariant::kSha256};
    FARLINK_INVARIANT(bpsec::sign(source.secured, request, key, zeros));
    Read sent(source.render());
    std::vector<bpsec::Operation> operations;
    sent.secured.list_operations(operations);
    const double read = nanoseconds_each(
        calls, [&] { FARLINK_INVARIANT(sent.secured.read({&sent.slice, 1}, sent.view)); });
    const double verify = nanoseconds_each(calls, [&] {
        for (const auto &operation : operations)
            FARLINK_INVARIANT(bpsec::verify(sent.secured, operation, key));
    });
    std::printf("HMAC-SHA256, primary and payload %6zu B: read %8.1f ns, verify %9.1f ns\n",
                payload_bytes, read, verify);
}

void measure_confidentiality(std::size_t payload_bytes, int calls) {
    Zeros zeros;
    bpsec::WorkingKey key(bpsec::KeyAlgorithm::kA128Gcm, Bytes(16, 1));
    Read source(make_bundle(payload_bytes));
    const std::uint64_t targets[] = {1};
    bpsec::EncryptRequest request{targets, {}, bpsec::CipherVariant::kA128Gcm, false, false};
    FARLINK_INVARIANT(bpsec::encrypt(source.secured, request, key, zeros, zeros));
    Read sent(source.render());
    std::vector<bpsec::Operation> operations;
    sent.secured.list_operations(operations);
    const double verify = nanoseconds_each(
        calls, [&] { FARLINK_INVARIANT(bpsec::authenticate(sent.secured, operations[0], key)); });
    Bytes memory(payload_bytes);
    const MutableBytes room(memory);
    const double decrypt = nanoseconds_each(calls, [&] {
        FARLINK_INVARIANT(sent.secured.read({&sent.slice, 1}, sent.view));
        FARLINK_INVARIANT(
            bpsec::decrypt(sent.secured, operations[0], key, bp::v7::CrcType::kNone, {&room, 1}));
    });
    std::printf("AES-128-GCM, payload %6zu B: authenticate %9.1f ns, read and decrypt %9.1f ns\n",
                payload_bytes, verify, decrypt);
}

}  // namespace

int main() {
    measure_integrity(100, 20000);
    measure_integrity(100'000, 500);
    measure_confidentiality(100, 20000);
    measure_confidentiality(100'000, 500);
}
