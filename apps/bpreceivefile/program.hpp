// SPDX-License-Identifier: Apache-2.0
// bpreceivefile: writes the files that bpsendfile sends beneath a folder, through a node on this
// machine.
// Called once, by main() and in its thread.
#pragma once

namespace farlink::bpreceivefile {

/// The exit code for these arguments of the command line.
int run_program(int argc, char **argv);

}  // namespace farlink::bpreceivefile
