// SPDX-License-Identifier: Apache-2.0
// bpsend: sends arguments, standard input or files as bundles, through a node on this machine.
// Called once, by main() and in its thread.
// Nothing is kept when it returns.
#pragma once

namespace farlink::bpsend {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::bpsend
