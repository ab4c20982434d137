// SPDX-License-Identifier: Apache-2.0
// bptunnel: UDP datagrams or TCP connections through bundles, by a node on this machine.
// Called once, by main() and in its thread.
// Nothing is kept when it returns.
#pragma once

namespace farlink::bptunnel {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::bptunnel
