// SPDX-License-Identifier: Apache-2.0
// Nanoseconds of the data path's inner functions: checksums, parsing a bundle, rendering its head.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "common/bp/bundle_view.hpp"
#include "common/bp/eid/eid_cbor.hpp"
#include "common/bp/transit.hpp"
#include "common/bp/v7/block.hpp"
#include "common/codec/crc.hpp"
#include "common/codec/sdnv.hpp"

namespace {

using namespace farlink;

/// The best of several runs, so that other work on the machine counts least.
template <class Function>
double nanoseconds_each(Function function) {
    constexpr int kRuns = 9;
    constexpr int kCalls = 20000;
    double best = 1e18;
    for (int run = 0; run < kRuns; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        for (int call = 0; call < kCalls; ++call) function();
        const std::chrono::duration<double, std::nano> took =
            std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count() / kCalls);
    }
    return best;
}

template <class T>
void keep(const T &value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

/// ipn endpoints, CRC-32C on the primary and the payload block, a hop count block.
Bytes make_bundle_v7(std::size_t payload_size) {
    Bytes bundle(256 + payload_size);
    std::uint8_t *at = bundle.data();
    *at++ = 0x9f;
    std::uint8_t *const primary = at;
    for (const std::uint8_t octet : {0x89, 0x07, 0x00, 0x02}) *at++ = octet;
    at = bp::write_eid(at, bp::ipn_eid(20, 2));
    at = bp::write_eid(at, bp::ipn_eid(10, 1));
    at = bp::write_eid(at, bp::ipn_eid(10, 0));
    *at++ = 0x82;
    at = codec::write_cbor_uint(at, 757000000123);
    at = codec::write_cbor_uint(at, 1000);
    at = codec::write_cbor_uint(at, 3600000);
    at = bp::v7::write_crc(primary, at, bp::v7::CrcType::kCrc32c);
    constexpr std::uint8_t kHops[] = {0x82, 0x18, 0x1e, 0x02};
    at = bp::v7::write_block(at, bp::v7::kHopCountBlock, 2, 0, bp::v7::CrcType::kNone, kHops);
    const Bytes payload(payload_size, 0x55);
    at = bp::v7::write_block(at, bp::v7::kPayloadBlock, 1, 0, bp::v7::CrcType::kCrc32c, payload);
    *at++ = 0xff;
    bundle.resize(static_cast<std::size_t>(at - bundle.data()));
    return bundle;
}

Bytes make_bundle_v6(std::size_t payload_size) {
    Bytes bundle{0x06, 0x81, 0x10, 0x14, 0x14, 0x02, 0x0a, 0x01, 0x0a, 0x00, 0x00, 0x00, 0x82,
                 0xe8, 0xfb, 0xce, 0x40, 0x03, 0x83, 0xdc, 0xeb, 0x94, 0x00, 0x00, 0x01, 0x08};
    codec::append_sdnv(bundle, payload_size);
    bundle.resize(bundle.size() + payload_size, 0x55);
    return bundle;
}

void measure_bundle(const char *name, const Bytes &bundle) {
    const ByteView slice = bundle;
    const auto view = bp::parse({&slice, 1});
    if (!view) {
        std::printf("%s: %s\n", name, bp::to_string(view.error()).data());
        return;
    }
    const double parse = nanoseconds_each([&] { keep(bp::parse({&slice, 1})); });
    const bp::TransitEditor editor(bp::ipn_eid(15, 0));
    const bp::TransitHead head{slice.first(view->head_end), view->primary_end, view->version};
    Bytes out(editor.bound(head));
    const double render = nanoseconds_each([&] { keep(editor.render(head, 5, out)); });
    std::printf("%-24s %6zu B: parse %6.1f ns, render %6.1f ns\n", name, bundle.size(), parse,
                render);
}

}  // namespace

int main() {
    const Bytes data(100'000, 0x5a);
    for (const auto &kernel : codec::crc32c_kernels())
        for (const std::size_t size : {44U, 120U, 1000U, 100'000U}) {
            const double each =
                nanoseconds_each([&] { keep(kernel.extend(0, data.data(), size)); });
            std::printf("crc32c %-8.*s %6zu B: %8.1f ns %6.1f GB/s\n",
                        static_cast<int>(kernel.name.size()), kernel.name.data(), size, each,
                        static_cast<double>(size) / each);
        }
    measure_bundle("BPv7, hop count", make_bundle_v7(100));
    measure_bundle("BPv7, hop count", make_bundle_v7(1000));
    measure_bundle("BPv6, CBHE", make_bundle_v6(100));
}
