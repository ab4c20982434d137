// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "apps/bpinspect/core/names.hpp"
#include "apps/bpinspect/core/v7/blocks.hpp"

namespace farlink::inspect {
namespace {

constexpr std::string_view kSecurityBlock = "RFC 9172 section 3.6";
constexpr std::string_view kIntegrity = "RFC 9172 section 3.7";
constexpr std::string_view kConfidentiality = "RFC 9172 section 3.8";
constexpr std::uint64_t kHasParameters = 0x01;
constexpr BitName kContextFlags[] = {{kHasParameters, "parameters present"}};

using Blocks = std::span<const Block7>;

const Block7 *block_with(Blocks blocks, std::uint64_t number) {
    const auto found = std::ranges::find_if(
        blocks, [number](const Block7 &block) { return block.readable && block.number == number; });
    return found == blocks.end() ? nullptr : &*found;
}

bool is_security(std::uint64_t type) {
    return type == bp::v7::kIntegrityBlock || type == bp::v7::kConfidentialityBlock;
}

/// RFC 9172 sections 3.6 to 3.8: what a security block may have as a target.
void judge_target(const Block7 &block, const CborItem &target, Blocks blocks,
                  Deviations &deviations) {
    const bool encrypts = block.type == bp::v7::kConfidentialityBlock;
    if (target.argument == 0) {
        if (encrypts)
            deviations.add(target.octets, kConfidentiality, "the primary block is a target");
        return;
    }
    const Block7 *const other = block_with(blocks, target.argument);
    if (other == nullptr) {
        deviations.add(target.octets, kSecurityBlock,
                       "the bundle has no block " + std::to_string(target.argument));
        return;
    }
    if (!encrypts && is_security(other->type))
        deviations.add(target.octets, kIntegrity, "a security block is a target");
    if (encrypts && other->type == bp::v7::kConfidentialityBlock)
        deviations.add(target.octets, kConfidentiality, "a confidentiality block is a target");
    if (encrypts && other->type == bp::v7::kPayloadBlock &&
        (block.flags & bp::v7::kReplicateBlock) == 0)
        deviations.add(
            block.field.octets, kConfidentiality,
            "the payload is a target, and the block does not have the flag \"in every fragment\"");
}

std::size_t add_targets(const Block7 &block, const CborItem &targets, Blocks blocks, Field &data,
                        Deviations &deviations) {
    Field field = item_field("targets", targets);
    data.fields.push_back(field);
    if (!expect_array(targets, "list of targets", kSecurityBlock, deviations)) return 0;
    if (targets.items.empty() && targets.whole)
        deviations.add(targets.octets, kSecurityBlock, "the list of targets is empty");
    std::set<std::uint64_t> seen;
    for (const CborItem &target : targets.items) {
        if (!uint_of(target, "target", kSecurityBlock, deviations)) continue;
        if (!seen.insert(target.argument).second)
            deviations.add(target.octets, kSecurityBlock, "a target is listed twice");
        judge_target(block, target, blocks, deviations);
    }
    return targets.items.size();
}

using Namer = std::string (*)(std::uint64_t context, std::uint64_t id);

/// Pairs of an id and a value.
void add_pairs(const CborItem &list, std::uint64_t context, Namer name, Field &to,
               Deviations &deviations) {
    if (!expect_array(list, "list of parameters or results", kSecurityBlock, deviations)) return;
    for (const CborItem &pair : list.items) {
        if (!pair.is_array() || pair.items.size() != 2 || !pair.items[0].is_uint()) {
            if (pair.whole)
                deviations.add(pair.octets, kSecurityBlock, "not a pair of an id and a value");
            continue;
        }
        Field field = item_field(name(context, pair.items[0].argument), pair.items[1]);
        field.octets = pair.octets;
        to.fields.push_back(std::move(field));
    }
}

void add_results(const CborItem &results, std::uint64_t context, std::size_t targets, Field &data,
                 Deviations &deviations) {
    Field field{"results", results.octets, {}, {}, {}};
    if (expect_array(results, "list of results", kSecurityBlock, deviations)) {
        if (results.whole && results.items.size() != targets)
            deviations.add(results.octets, kSecurityBlock,
                           std::to_string(results.items.size()) + " results for " +
                               std::to_string(targets) + " targets");
        for (const CborItem &of_target : results.items) {
            Field each{"results of a target", of_target.octets, {}, {}, {}};
            add_pairs(of_target, context, result_name, each, deviations);
            field.fields.push_back(std::move(each));
        }
    }
    data.fields.push_back(std::move(field));
}

/// The fields follow each other without an array round them.
class Sequence {
public:
    Sequence(const Block7 &block, Deviations &deviations)
        : content_(block.data->content_range()),
          left_(block.data->content),
          at_(content_.at),
          deviations_(deviations) {}

    /// Empty where the octets have ended, which is noted.
    std::optional<CborItem> next() {
        if (broken_) return std::nullopt;
        CborItem item = read_cbor(left_, at_, deviations_);
        broken_ = !item.whole;
        left_ = left_.subspan(item.octets.size);
        at_ = item.octets.end();
        if (item.head_size == 0) return std::nullopt;
        return item;
    }
    void finish() {
        if (!broken_ && !left_.empty())
            deviations_.add(range_between(at_, content_.end()), kSecurityBlock,
                            "octets follow the content");
    }

private:
    OctetRange content_;
    ByteView left_;
    std::uint64_t at_;
    Deviations &deviations_;
    bool broken_ = false;
};

/// RFC 9172 sections 3.6 and 3.8.
void judge_security_flags(const Block7 &block, const CborItem &flags, Deviations &deviations) {
    if (unnamed_bits(flags.argument, kContextFlags) != 0)
        deviations.add(flags.octets, kSecurityBlock, "reserved flags are set");
    if (block.type == bp::v7::kConfidentialityBlock &&
        (block.flags & bp::v7::kDiscardBlockIfUnprocessable) != 0)
        deviations.add(block.field.octets, kConfidentiality,
                       "the block has the flag \"discard the block if unprocessable\"");
}

}  // namespace

void add_security7(const Block7 &block, std::span<const Block7> blocks, Field &data,
                   Deviations &deviations) {
    Sequence sequence(block, deviations);
    const auto targets = sequence.next();
    if (!targets) return;
    const std::size_t count = add_targets(block, *targets, blocks, data, deviations);
    const auto context = sequence.next();
    if (!context) return;
    data.fields.push_back(item_field("security context", *context));
    if (context->is_uint()) data.fields.back().meaning = context_name(context->argument);
    const auto flags = sequence.next();
    if (!flags || !uint_of(*flags, "context flags", kSecurityBlock, deviations)) return;
    data.fields.push_back(item_field("context flags", *flags));
    data.fields.back().meaning = names_of_bits(flags->argument, kContextFlags);
    judge_security_flags(block, *flags, deviations);
    const auto source = sequence.next();
    if (!source) return;
    data.fields.push_back(endpoint_field("security source", *source, deviations));
    if ((flags->argument & kHasParameters) != 0) {
        const auto parameters = sequence.next();
        if (!parameters) return;
        Field field{"parameters", parameters->octets, {}, {}, {}};
        add_pairs(*parameters, context->argument, parameter_name, field, deviations);
        data.fields.push_back(std::move(field));
    }
    const auto results = sequence.next();
    if (!results) return;
    add_results(*results, context->argument, count, data, deviations);
    sequence.finish();
}

}  // namespace farlink::inspect
