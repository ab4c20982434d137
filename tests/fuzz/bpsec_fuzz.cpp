// SPDX-License-Identifier: Apache-2.0
// Octets as the data of a security block, and, with repaired checksums, as a bundle whose security
// blocks are hostile while the keys are at hand: whatever is accepted leads to a bundle that is
// read again, and what passes through keeps its octets.
#if FARLINK_TLS
#include "common/base/invariant.hpp"
#include "common/bp/parse.hpp"
#include "tests/fuzz/repair.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/security.hpp"
#else
#include <cstddef>
#include <cstdint>
#endif

#if FARLINK_TLS
namespace {

using namespace farlink;
namespace bpsec = bp::bpsec;

/// Those of the conformance vectors.
const std::vector<Bytes> &keys() {
    static const std::vector<Bytes> all = {
        test::from_hex("1a2b1a2b1a2b1a2b1a2b1a2b1a2b1a2b"),
        test::from_hex("71776572747975696f70617364666768"),
        test::from_hex("6162636465666768696a6b6c6d6e6f70"),
        test::from_hex("71776572747975696f7061736466676871776572747975696f70617364666768"),
        test::from_hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"),
        test::from_hex("404142434445464748494a4b4c4d4e4f"),
        test::from_hex("606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f"),
        test::from_hex("808182838485868788898a8b8c8d8e8f")};
    return all;
}

void check_block(ByteView data) {
    bpsec::SecurityBlock block;
    if (!bpsec::read_security_block(data, block)) return;
    Bytes written;
    bpsec::write_security_block(block, written);
    bpsec::SecurityBlock again;
    FARLINK_INVARIANT(bpsec::read_security_block(written, again));
    Bytes twice;
    bpsec::write_security_block(again, twice);
    FARLINK_INVARIANT(twice == written);
}

Bytes octets_of(const bpsec::SecuredBundle &bundle) {
    Bytes whole;
    Bytes tail;
    bundle.render(whole, tail);
    for (const ByteView piece : bundle.payload()) append(whole, piece);
    append(whole, tail);
    return whole;
}

/// With every key, until one fits. Whether the operation has ended.
bool end_operation(bpsec::SecuredBundle &bundle, const bpsec::Operation &operation) {
    for (const Bytes &key : keys())
        if (test::accept(bundle, operation, key, bp::v7::CrcType::kCrc32c)) return true;
    return false;
}

void check_bundle(Bytes octets) {
    const ByteView slice(octets);
    const auto view = bp::parse({&slice, 1});
    bpsec::SecuredBundle bundle;
    if (!view || view->version != 7 || !bundle.read({&slice, 1}, *view)) return;
    FARLINK_INVARIANT(octets_of(bundle) == octets);
    std::vector<bpsec::Operation> operations;
    for (std::size_t ended = 0, tried = 0; tried < 32; ++tried) {
        bundle.list_operations(operations);
        if (ended >= operations.size()) break;
        // One that has failed stays in front of those that are tried next.
        if (!end_operation(bundle, operations[ended])) ++ended;
    }
    const Bytes changed = octets_of(bundle);
    const ByteView next(changed);
    const auto again = bp::parse({&next, 1});
    // Decrypted data may be anything, so a known block may turn out to be unreadable.
    FARLINK_INVARIANT(again || again.error() == bp::ParseError::kBadBlockData ||
                      again.error() == bp::ParseError::kHopLimitExceeded);
    FARLINK_INVARIANT(!again || again->payload_length == bundle.payload_size());
}

}  // namespace
#endif

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
#if FARLINK_TLS
    check_block({data, size});
    Bytes bundle(data, data + size);
    fuzz::repair_checksums(bundle);
    check_bundle(std::move(bundle));
#else
    (void)data;
    (void)size;
#endif
    return 0;
}
