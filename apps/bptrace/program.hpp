// SPDX-License-Identifier: Apache-2.0
// bptrace: draws the way of a bundle hop by hop, by status reports, or asks nodes what became of
// one.
// Called once, by main() and in its thread.
#pragma once

namespace farlink::bptrace {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::bptrace
