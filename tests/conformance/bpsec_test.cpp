// SPDX-License-Identifier: Apache-2.0
// The cases of bpsec.json: RFC 9173's appendix both ways, verification, decryption, structure, and
// what CCSDS 734.20-O-1 asks of sources and acceptors.
#if FARLINK_TLS
#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "tests/support/security.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::bpsec_test {
namespace {

using namespace farlink::test;
using bpsec::Fault;
using bpsec::KeyAlgorithm;
using bpsec::Service;
using bpsec::WorkingKey;
using Targets = std::vector<std::uint64_t>;

const Json &all_cases() {
    static const Json vectors = load_vectors("bpsec.json");
    return vectors["cases"];
}

Json cases_of(const std::string &kind) {
    Json found = Json::array();
    for (const Json &entry : all_cases())
        if (entry["kind"] == kind) found.push_back(entry);
    return found;
}

Json case_of(const std::string &id) {
    for (const Json &entry : all_cases())
        if (entry["id"] == id) return entry;
    throw std::runtime_error("no case " + id);
}

Bytes octets_at(const Json &entry, const char *name, const char *other) {
    return hex_of(entry.contains(name) ? entry[name] : entry[other]);
}

// RFC 9173 appendix A.

TEST(BpsecVectors, AppendixIsAccepted) {
    for (const Json &entry : cases_of("bpsec")) {
        OpenBundle bundle(hex_of(entry["hex"]));
        ASSERT_TRUE(bundle.verdict) << entry["id"];
        const Json &security = entry["security"];
        const Bytes hmac = security.contains("hmac_key") ? hex_of(security["hmac_key"]) : Bytes();
        const Bytes cipher = security.contains("kek")   ? hex_of(security["kek"])
                             : security.contains("cek") ? hex_of(security["cek"])
                                                        : Bytes();
        const auto verdict = accept_all(bundle.secured, hmac, cipher);
        ASSERT_TRUE(verdict) << entry["id"] << to_string(verdict.error());
        EXPECT_EQ(to_hex(bundle.render()), entry["original_hex"]) << entry["id"];
    }
}

struct Source {
    explicit Source(const Json &entry)
        : security(entry["security"]), bundle(hex_of(entry["original_hex"])) {}

    void sign(const Targets &targets, bpsec::NewBlock block, bpsec::HashVariant variant) {
        WorkingKey key(bpsec::algorithm_of(variant), hex_of(security["hmac_key"]));
        FixedRandom random;
        const auto verdict = bpsec::sign(bundle.secured, {targets, block, variant}, key, random);
        ASSERT_TRUE(verdict) << to_string(verdict.error());
    }
    void encrypt(const Targets &targets, bpsec::NewBlock block, bpsec::CipherVariant variant) {
        const bool wraps = security.contains("kek");
        WorkingKey key(wraps ? KeyAlgorithm::kWrapConfidentiality : bpsec::algorithm_of(variant),
                       hex_of(security[wraps ? "kek" : "cek"]));
        FixedRandom random(hex_of(security["cek"]));
        FixedIv ivs(hex_of(security["iv"]));
        const auto verdict = bpsec::encrypt(bundle.secured, {targets, block, variant, true, false},
                                            key, ivs, random);
        ASSERT_TRUE(verdict) << to_string(verdict.error());
    }

    Json security;
    OpenBundle bundle;
};

bpsec::NewBlock block_of(std::uint64_t number, std::uint64_t node, bpsec::Scope scope,
                         bpsec::Place place = bpsec::Place::kFirst) {
    return {bp::ipn_eid(node, node == 3 ? 0 : 1), number, 0, place, scope, true};
}

TEST(BpsecVectors, AppendixIsProducedOctetForOctet) {
    {
        const Json entry = case_of("rfc9173-A1");
        Source source(entry);
        source.sign({1}, block_of(2, 2, 0), bpsec::HashVariant::kSha512);
        EXPECT_EQ(to_hex(source.bundle.render()), entry["hex"]);
    }
    {
        const Json entry = case_of("rfc9173-A2");
        Source source(entry);
        source.encrypt({1}, block_of(2, 2, 0), bpsec::CipherVariant::kA128Gcm);
        EXPECT_EQ(to_hex(source.bundle.render()), entry["hex"]);
    }
    {
        const Json entry = case_of("rfc9173-A3");
        Source source(entry);
        source.encrypt({1}, block_of(4, 2, 0), bpsec::CipherVariant::kA128Gcm);
        source.sign({0, 2}, block_of(3, 3, 0), bpsec::HashVariant::kSha256);
        EXPECT_EQ(to_hex(source.bundle.render()), entry["hex"]);
    }
    {
        const Json entry = case_of("rfc9173-A4");
        Source source(entry);
        source.sign({1}, block_of(3, 2, 7), bpsec::HashVariant::kSha384);
        source.encrypt({3, 1}, block_of(2, 2, 7, bpsec::Place::kBeforePayload),
                       bpsec::CipherVariant::kA256Gcm);
        EXPECT_EQ(to_hex(source.bundle.render()), entry["hex"]);
    }
}

TEST(BpsecVectors, Verifies) {
    const Json all = cases_of("verify_ok");
    ASSERT_GE(all.size(), 12U);
    for (const Json &entry : all) {
        OpenBundle bundle(hex_of(entry["hex"]));
        ASSERT_TRUE(bundle.verdict) << entry["id"];
        const auto operations = bundle.operations();
        ASSERT_FALSE(operations.empty());
        for (const auto &operation : operations) {
            WorkingKey key = key_for(bundle.secured, operation, hex_of(entry["key"]));
            const auto verdict = bpsec::verify(bundle.secured, operation, key);
            EXPECT_TRUE(verdict) << entry["id"] << to_string(verdict.error());
        }
        EXPECT_EQ(bundle.render(), bundle.octets) << "a verifier changes nothing";
        ASSERT_TRUE(accept_all(bundle.secured, hex_of(entry["key"]), {}));
        const OpenBundle accepted(bundle.render());
        EXPECT_TRUE(accepted.secured.security().empty());
        if (entry.contains("payload_hex")) {
            EXPECT_EQ(to_hex(accepted.payload()), entry["payload_hex"]);
        }
    }
}

TEST(BpsecVectors, NoticesWhatIsForged) {
    for (const char *const kind : {"verify_fail", "decrypt_fail"}) {
        const Json all = cases_of(kind);
        ASSERT_GE(all.size(), 2U);
        for (const Json &entry : all) {
            OpenBundle bundle(hex_of(entry["hex"]));
            ASSERT_TRUE(bundle.verdict) << entry["id"];
            const auto verdict =
                accept_all(bundle.secured, hex_of(entry["key"]), hex_of(entry["key"]));
            ASSERT_FALSE(verdict) << entry["id"];
            EXPECT_EQ(verdict.error(), Fault::kMismatch) << entry["id"];
            EXPECT_EQ(bundle.render(), bundle.octets) << entry["id"];
        }
    }
}

TEST(BpsecVectors, Decrypts) {
    const Json all = cases_of("decrypt_ok");
    ASSERT_GE(all.size(), 7U);
    for (const Json &entry : all) {
        OpenBundle bundle(hex_of(entry["hex"]));
        ASSERT_TRUE(bundle.verdict) << entry["id"];
        const Bytes octets = octets_at(entry, "kek", "key");
        WorkingKey key = key_for(bundle.secured, bundle.operations().front(), octets);
        EXPECT_TRUE(bpsec::authenticate(bundle.secured, bundle.operations().front(), key));
        EXPECT_EQ(bundle.render(), bundle.octets) << "a verifier changes nothing";
        const auto verdict = accept_all(bundle.secured, {}, octets);
        ASSERT_TRUE(verdict) << entry["id"] << to_string(verdict.error());
        EXPECT_EQ(to_hex(OpenBundle(bundle.render()).payload()), entry["plaintext_payload_hex"]);
    }
}

TEST(BpsecVectors, RefusesBrokenStructures) {
    const std::map<std::string, Fault> expected{
        {"sec-x-01", Fault::kTargetMissing}, {"sec-x-02", Fault::kRepeatedTarget},
        {"sec-x-03", Fault::kServiceTwice},  {"sec-x-04", Fault::kTargetIsPrimary},
        {"sec-x-08", Fault::kNotReplicated}, {"sec-x-10", Fault::kNoTarget},
        {"sec-x-11", Fault::kResultCount}};
    const Json all = cases_of("structure_invalid");
    ASSERT_EQ(all.size(), expected.size() + 1);
    for (const Json &entry : all) {
        OpenBundle bundle(hex_of(entry["hex"]));
        if (entry["id"] == "sec-x-23") {
            // A fragment: nothing is verified before the bundle is whole.
            ASSERT_TRUE(bundle.verdict);
            const auto verdict = accept_all(bundle.secured, Bytes(32), {});
            ASSERT_FALSE(verdict);
            EXPECT_EQ(verdict.error(), Fault::kIsFragment);
            continue;
        }
        ASSERT_FALSE(bundle.verdict) << entry["id"];
        EXPECT_EQ(bundle.verdict.error(), expected.at(entry["id"])) << entry["id"];
        EXPECT_EQ(reason_of(bundle.verdict.error()), bpsec::SecurityReason::kConflicting);
    }
}

// CCSDS 734.20-O-1.

struct Pics : Source {
    explicit Pics(const Json &entry)
        : Source(Json{{"security", {}}, {"original_hex", entry["incoming_hex"]}}),
          outgoing(entry.value("outgoing_hex", "")),
          hmac_key(hex_of(entry["hmac_key"])),
          bcb_key(hex_of(entry["bcb_key"])) {}

    bpsec::Verdict sign(const Targets &targets) {
        WorkingKey key(KeyAlgorithm::kHmacSha384, hmac_key);
        FixedRandom random;
        bpsec::NewBlock block = block_of(0, 2, 7);
        block.write_defaults = false;
        return bpsec::sign(bundle.secured, {targets, block, bpsec::HashVariant::kSha384}, key,
                           random);
    }
    bpsec::Verdict encrypt(const Targets &targets, std::uint64_t node) {
        WorkingKey key(KeyAlgorithm::kA256Gcm, bcb_key);
        FixedRandom random;
        FixedIv ivs(from_hex("5477656c7665313231323132"));
        bpsec::NewBlock block = block_of(0, node, 7);
        block.write_defaults = false;
        return bpsec::encrypt(bundle.secured,
                              {targets, block, bpsec::CipherVariant::kA256Gcm, true, true}, key,
                              ivs, random);
    }

    std::string outgoing;
    Bytes hmac_key;
    Bytes bcb_key;
};

TEST(BpsecPics, SourcesRefuse) {
    Pics second(case_of("sec-pics_1_1"));
    EXPECT_EQ(second.encrypt({1}, 2).error(), Fault::kServiceTwice);
    Pics of_bcb(case_of("sec-pics_14_1"));
    EXPECT_EQ(of_bcb.encrypt({3}, 2).error(), Fault::kTargetIsSecurity);
    Pics of_encrypted(case_of("sec-pics_22_1"));
    EXPECT_EQ(of_encrypted.sign({1}).error(), Fault::kTargetEncrypted);
    // Its total length of 0 is no length, so that bundle goes no further than parse().
    Json whole = case_of("sec-pics_56_1b");
    const Bytes unreadable = hex_of(whole["incoming_hex"]);
    const ByteView slice = unreadable;
    EXPECT_EQ(bp::parse({&slice, 1}).error(), bp::ParseError::kBadFragment);
    std::string repaired = whole["incoming_hex"];
    const std::string total = "1a000f42400000";
    whole["incoming_hex"] =
        repaired.replace(repaired.find(total), total.size(), "1a000f4240001823");
    Pics fragment(whole);
    EXPECT_EQ(fragment.sign({1}).error(), Fault::kIsFragment);
    EXPECT_EQ(fragment.encrypt({1}, 2).error(), Fault::kIsFragment);
    for (const Pics *const each : {&second, &of_bcb, &of_encrypted, &fragment})
        EXPECT_EQ(each->bundle.render(), each->bundle.octets);
}

TEST(BpsecPics, AcceptorsVerifyDecryptAndRemove) {
    for (const char *const id : {"sec-pics_2_2", "sec-pics_2_8"}) {
        Pics pics(case_of(id));
        ASSERT_TRUE(pics.bundle.verdict) << id;
        const auto verdict = accept_all(pics.bundle.secured, pics.hmac_key, pics.bcb_key);
        ASSERT_TRUE(verdict) << id << to_string(verdict.error());
        EXPECT_EQ(to_hex(pics.bundle.render()), pics.outgoing) << id;
    }
}

TEST(BpsecPics, SourceSignsThenEncrypts) {
    Pics pics(case_of("sec-pics_2_5"));
    ASSERT_TRUE(pics.sign({1, 2}));
    ASSERT_TRUE(pics.encrypt({1, 3, 2}, 3));
    OpenBundle sent(pics.bundle.render());
    OpenBundle expected(hex_of(case_of("sec-pics_2_5")["outgoing_hex"]));
    EXPECT_EQ(sent.operations(), expected.operations());
    // The source of the vectors has signed as another node, which its BIB states; all else is
    // equal.
    EXPECT_EQ(sent.secured.parts().size(), expected.secured.parts().size());
    for (OpenBundle *const each : {&sent, &expected}) {
        ASSERT_TRUE(accept_all(each->secured, pics.hmac_key, pics.bcb_key));
        EXPECT_EQ(to_hex(each->render()), case_of("sec-pics_2_5")["incoming_hex"]);
    }
}

TEST(BpsecPics, WhatIsMissingIsFound) {
    const Pics no_bcb(case_of("sec-pics_34_1"));
    EXPECT_FALSE(no_bcb.bundle.secured.has(Service::kConfidentiality, 1));
    Pics no_bib(case_of("sec-pics_49_1"));
    ASSERT_FALSE(no_bib.bundle.secured.has(Service::kIntegrity, 2));
    no_bib.bundle.secured.discard(2);
    const OpenBundle without(no_bib.bundle.render());
    EXPECT_EQ(without.secured.find(2), nullptr);
}

TEST(BpsecPics, OthersPassItOn) {
    const Pics pics(case_of("sec-pics_42_1"));
    ASSERT_TRUE(pics.bundle.verdict);
    EXPECT_TRUE(pics.bundle.secured.has(Service::kIntegrity, 1));
    EXPECT_EQ(pics.bundle.render(), pics.bundle.octets);
}

}  // namespace
}  // namespace farlink::bpsec_test
#endif  // FARLINK_TLS
