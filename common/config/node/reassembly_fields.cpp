// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/reassembly_fields.hpp"

#include "common/config/fields/byte_units.hpp"

namespace farlink::config {

const Table<ReassemblyConfig> &reassembly_table() {
    static const Table<ReassemblyConfig> table{
        "reassembly",
        "Joining fragments: those for this node, and those for `routing.reassembleInTransit`. "
        "Beyond a limit, a fragment for this node is refused, and one in transit is sent as it is. "
        "A bundle whose fragments are all here does not count.",
        {
            {{.key = "largestBundleBytes",
              .kind = FieldKind::kInteger,
              .unit = "bytes",
              .minimum = 1,
              .maximum = kGiB,
              .fallback = 256 * kMiB,
              .help = "Payload of the largest bundle that is joined. It is in memory while it is "
                      "joined and sent."},
             &ReassemblyConfig::largest_bundle_bytes},
            {{.key = "setsPerSource",
              .kind = FieldKind::kInteger,
              .minimum = 1,
              .maximum = 1'000'000,
              .fallback = std::uint64_t{10'000},
              .help = "Maximum number of bundles from one source endpoint of which fragments are "
                      "missing."},
             &ReassemblyConfig::sets_per_source},
            {{.key = "fragmentsPerSource",
              .kind = FieldKind::kInteger,
              .minimum = 1,
              .maximum = 100'000'000,
              .fallback = std::uint64_t{1'000'000},
              .help = "Maximum number of stored fragments of the bundles in `setsPerSource`."},
             &ReassemblyConfig::fragments_per_source},
            {{.key = "payloadBytesPerSource",
              .kind = FieldKind::kInteger,
              .unit = "bytes",
              .minimum = 1,
              .maximum = 1024 * kTiB,
              .fallback = 4 * kGiB,
              .help = "Maximum payload of the fragments in `fragmentsPerSource`, all together."},
             &ReassemblyConfig::bytes_per_source},
        }};
    return table;
}

}  // namespace farlink::config
