// SPDX-License-Identifier: Apache-2.0
// Any text as a contact plan, in JSON and in ION's commands: what is read is written in both forms
// and read again.
#include "common/base/bytes.hpp"
#include "common/base/invariant.hpp"
#include "common/plan/write_plan.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    using namespace farlink;
    const auto plan = config::parse_contact_plan(as_text({data, size}));
    if (!plan) {
        const config::ConfigErrors &errors = plan.error();
        FARLINK_INVARIANT(!errors.empty() && errors.errors.size() <= config::kMostErrors);
        return 0;
    }
    const auto json = config::parse_contact_plan(config::write_json_plan(*plan));
    FARLINK_INVARIANT(json && json->contacts == plan->contacts);
    const config::IonText written = config::write_ion_plan(*plan);
    const auto ion = config::parse_contact_plan(written.text);
    FARLINK_INVARIANT(ion.has_value());
    FARLINK_INVARIANT(!written.losses.empty() || ion->contacts.size() == plan->contacts.size());
    return 0;
}
