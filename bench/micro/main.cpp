// SPDX-License-Identifier: Apache-2.0
// Nanoseconds of the data path's inner functions: checksums, parsing a bundle, rendering its head.
#include <algorithm>
#include <cstdio>

#include "common/bp/forwarding_editor.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v7/builder.hpp"
#include "common/codec/crc.hpp"
#include "common/runtime/clock.hpp"

namespace {

using namespace farlink;

/// The best of several runs, so that other work on the machine counts least.
template <class Function>
double nanoseconds_each(Function function) {
    constexpr int kRuns = 9;
    constexpr int kCalls = 20000;
    double best = 1e18;
    for (int run = 0; run < kRuns; ++run) {
        const TimePoint begin = monotonic_now();
        for (int call = 0; call < kCalls; ++call) function();
        const auto took = static_cast<double>((monotonic_now() - begin).count());
        best = std::min(best, took / kCalls);
    }
    return best;
}

template <class T>
void keep(const T &value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

bp::v7::PrimaryFields primary_v7() {
    bp::v7::PrimaryFields primary;
    primary.destination = bp::ipn_eid(20, 2);
    primary.source = bp::ipn_eid(10, 1);
    primary.report_to = bp::ipn_eid(10, 0);
    primary.creation_time_ms = 757000000123;
    primary.sequence = 1000;
    primary.lifetime_ms = 3600000;
    return primary;
}

/// CRC-32C on the primary and the payload block, a hop count block.
Bytes make_bundle_v7(std::size_t payload_size) {
    bp::v7::Builder builder(primary_v7());
    builder.add_hop_count(30, 2);
    return std::move(builder).finish(Bytes(payload_size, 0x55));
}

bp::v6::PrimaryFields primary_v6() {
    bp::v6::PrimaryFields primary;
    primary.destination = bp::ipn_eid(20, 2);
    primary.source = bp::ipn_eid(10, 1);
    primary.report_to = bp::ipn_eid(10, 0);
    primary.creation_time_s = 757000000;
    primary.sequence = 1000;
    primary.lifetime_s = 3600;
    return primary;
}

Bytes make_bundle_v6(std::size_t payload_size) {
    bp::v6::Builder builder(primary_v6());
    builder.add_block(bp::v6::kPayloadBlock, 0, Bytes(payload_size, 0x55));
    return std::move(builder).finish();
}

void measure_bundle(const char *name, const Bytes &bundle) {
    const ByteView slice = bundle;
    const auto view = bp::parse({&slice, 1});
    if (!view) {
        std::printf("%s: %s\n", name, bp::to_string(view.error()).data());
        return;
    }
    const double parse = nanoseconds_each([&] { keep(bp::parse({&slice, 1})); });
    const bp::ForwardingEditor editor(bp::ipn_eid(15, 0));
    const bp::BundleHead head{slice.first(view->head_end), view->primary_end, view->version};
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
    Bytes out(1024);
    const auto v7 = primary_v7();
    const auto v6 = primary_v6();
    std::printf("encode a primary block: BPv7 %.1f ns, BPv6 %.1f ns\n",
                nanoseconds_each([&] { keep(bp::v7::encode_primary(v7, out)); }),
                nanoseconds_each([&] { keep(bp::v6::encode_primary(v6, out)); }));
    measure_bundle("BPv7, hop count", make_bundle_v7(100));
    measure_bundle("BPv7, hop count", make_bundle_v7(1000));
    measure_bundle("BPv6, CBHE", make_bundle_v6(100));
}
