// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/command_output.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/temp_folder.hpp"

namespace farlink::bpreceive::command_output_test {
namespace {

client::Adu adu_of(std::string_view text) {
    client::Adu adu;
    adu.source = "ipn:10.1";
    adu.destination = "ipn:10.42";
    adu.creation_ms = 7;
    adu.sequence = 3;
    adu.payload.assign(text.begin(), text.end());
    return adu;
}

TEST(CommandOutput, TheCommandGetsPayloadAndId) {
    const test::TempFolder folder;
    CommandOutput output(
        "{ echo \"$FARLINK_SOURCE $FARLINK_DESTINATION $FARLINK_ID "
        "$FARLINK_REPEATED\"; cat; } > '" +
        (folder / "out") + "'");
    EXPECT_EQ(output.write(adu_of("payload")), "");
    std::ifstream input(folder / "out");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(input), {}),
              "ipn:10.1 ipn:10.42 ipn:10.1/7/3 0\npayload");
}

TEST(CommandOutput, ItNeedNotReadThePayload) {
    EXPECT_EQ(CommandOutput("true").write(adu_of(std::string(5'000'000, 'x'))), "");
}

TEST(CommandOutput, OtherOutcomesAreErrors) {
    EXPECT_EQ(CommandOutput("exit 3").write(adu_of("")),
              "the command ended with exit code 3 for ipn:10.1/7/3");
    EXPECT_EQ(CommandOutput("kill -9 $$").write(adu_of("")),
              "the command was terminated by signal 9 for ipn:10.1/7/3");
    EXPECT_NE(CommandOutput("/nonexistent/program 2> /dev/null").write(adu_of("")), "");
}

}  // namespace
}  // namespace farlink::bpreceive::command_output_test
