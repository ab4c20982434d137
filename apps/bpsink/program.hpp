// SPDX-License-Identifier: Apache-2.0
// bpsink: receives the bundles of bpgen and checks that each arrives intact and once, or echoes
// what arrives.
// Called once, by main() and in its thread.
#pragma once

namespace farlink::bpsink {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::bpsink
