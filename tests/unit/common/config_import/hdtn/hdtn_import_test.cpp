// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/hdtn/hdtn_import.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"
#include "common/plan/contact_plan.hpp"
#include "tests/unit/common/config_import/hdtn/hdtn_files.hpp"

namespace farlink::config::hdtn_import_test {
namespace {

using test::import_text;
using test::Json;
using test::line_of;
using test::read_import;

constexpr const char *kLayers[] = {"stcp", "tcpclv3", "tcpclv4", "udp", "ltp"};

TEST(HdtnImport, ResultIsAValidConfigurationAndPlan) {
    for (const std::string layer : kLayers)
        for (const bool trust : {false, true}) {
            HdtnChoices choices;
            choices.trust_like_hdtn = trust;
            const Imported made =
                import_hdtn({layer + ".json", read_import(layer + ".json"), layer + "_plan.json",
                             read_import(layer + "_plan.json")},
                            choices);
            EXPECT_FALSE(made.report.refused()) << made.report.text_of(ImportOutcome::kRefused);
            const auto config = parse_node_config(made.config);
            ASSERT_TRUE(config) << layer << "\n" << config.error().to_string() << made.config;
            EXPECT_EQ(config->contact_plan_file, kImportedPlanFile);
            EXPECT_EQ(config->inducts.size(), 1U);
            EXPECT_EQ(config->outducts.size(), 1U);
            const auto plan = parse_contact_plan(made.plan);
            ASSERT_TRUE(plan) << layer << "\n" << plan.error().to_string() << made.plan;
        }
}

TEST(HdtnImport, FileCutAtAnyOctetIsRefusedWithItsLine) {
    for (const std::string layer : kLayers) {
        const std::string whole = read_import(layer + ".json");
        const std::size_t length = whole.rfind('}');
        for (std::size_t cut = 0; cut < length; cut += layer == "stcp" ? 1 : 7) {
            const Imported made = import_text(whole.substr(0, cut));
            ASSERT_TRUE(made.report.refused()) << layer << " at " << cut;
            EXPECT_TRUE(made.config.empty());
            EXPECT_NE(made.report.to_string().find("line "), std::string::npos);
        }
    }
}

TEST(HdtnImport, PlanCutAtAnyOctetIsRefused) {
    const std::string whole = read_import("ltp_plan.json");
    for (std::size_t cut = 0; cut < whole.rfind('}'); ++cut) {
        const Imported made = test::import_plan_text(whole.substr(0, cut));
        ASSERT_TRUE(made.report.refused()) << cut;
        EXPECT_TRUE(made.config.empty() && made.plan.empty());
    }
}

TEST(HdtnImport, ReportsAllErrorsAtOnce) {
    Json config = Json::parse(read_import("tcpclv4.json"));
    config["myNodeID"] = 4;
    config["isAcsAware"] = "yes";
    config["inductsConfig"]["inductVector"][0]["boundPort"] = 1.5;
    config["outductsConfig"]["outductVector"][0]["convergenceLayer"] = "slip_over_uart";
    config["outductsConfig"]["outductVector"][0]["comPort"] = "/dev/tty1";
    config["storageConfig"]["storageDiskConfigVector"] = 3;
    std::string text = config.dump();
    text.insert(text.find("\"isAcsAware\""), "\"myNodeId\": 5, ");
    const Imported made = import_text(text);
    EXPECT_TRUE(made.config.empty());
    for (const char *const setting :
         {"myNodeID", "myNodeId", "isAcsAware", "inductsConfig.inductVector[0].boundPort",
          "outductsConfig.outductVector[0].convergenceLayer",
          "outductsConfig.outductVector[0].comPort", "storageConfig.storageDiskConfigVector"})
        EXPECT_EQ(line_of(made.report, setting).outcome, ImportOutcome::kRefused)
            << setting << "\n"
            << made.report.to_string();
    EXPECT_NE(made.report.to_string().find("did you mean \"myNodeId\"?"), std::string::npos);
}

TEST(HdtnImport, AnyValueOfAnyTypeIsSurvived) {
    for (const char *const text :
         {"", "{}", "[]", "null", "7", "\"text\"", R"({"inductsConfig": []})",
          R"({"inductsConfig": {"inductVector": [7]}})",
          R"({"inductsConfig": {"inductVector": 7}})", R"({"myNodeId": -1})",
          R"({"myNodeId": 1e400})",
          R"({"outductsConfig": {"outductVector": [{"convergenceLayer": 7}]}})",
          R"({"storageConfig": {"storageDiskConfigVector": [7, {}]}})"})
        EXPECT_TRUE(import_text(text).report.refused()) << text;
}

TEST(HdtnImport, NamesTheFilesOfOtherPrograms) {
    const Imported application = import_text(R"({"inductConfigName": "a", "inductVector": []})");
    EXPECT_NE(line_of(application.report, "inductVector").text.find("bpsink"), std::string::npos);
    const Imported distributed = import_text(R"({"zmqIngressAddress": "localhost"})");
    EXPECT_NE(line_of(distributed.report, "zmqIngressAddress").text.find("`bus`"),
              std::string::npos);
}

TEST(HdtnImport, RefusesASecondOutductToANeighbour) {
    Json config = Json::parse(read_import("stcp.json"));
    Json &list = config["outductsConfig"]["outductVector"];
    list.push_back(list[0]);
    const Imported made = import_text(config.dump());
    EXPECT_NE(line_of(made.report, "outductsConfig.outductVector[1].nextHopNodeId")
                  .text.find("one outduct for each neighbour"),
              std::string::npos);
}

// ---- TLS

Json with_tls(bool induct, bool required) {
    Json config = Json::parse(read_import("tcpclv4.json"));
    Json &in = config["inductsConfig"]["inductVector"][0];
    Json &out = config["outductsConfig"]["outductVector"][0];
    if (induct) {
        in["tlsIsRequired"] = required;
        in["certificatePemFile"] = "certs/cert.pem";
        in["privateKeyPemFile"] = "/etc/hdtn/key.pem";
    } else {
        out["tryUseTls"] = true;
        out["tlsIsRequired"] = required;
    }
    return config;
}

TEST(HdtnImport, UncheckedPeersNeedTheOption) {
    for (const bool induct : {true, false})
        for (const bool required : {true, false}) {
            const std::string text = with_tls(induct, required).dump();
            const Imported refused = import_text(text);
            EXPECT_TRUE(refused.config.empty());
            EXPECT_NE(refused.report.to_string().find("\"tlsInsecure\": true"), std::string::npos);
            HdtnChoices choices;
            choices.trust_like_hdtn = true;
            choices.working_folder = "/srv/hdtn";
            const Imported made = import_text(text, choices);
            ASSERT_FALSE(made.config.empty()) << made.report.to_string();
            const Json link =
                Json::parse(made.config)[induct ? "inductsConfig" : "outductsConfig"][0];
            EXPECT_EQ(link["tls"], required ? "required" : "optional");
            EXPECT_EQ(link["tlsInsecure"], true);
            if (!induct) continue;
            EXPECT_EQ(link["cert"], "/srv/hdtn/certs/cert.pem");
            EXPECT_EQ(link["key"], "/etc/hdtn/key.pem");
        }
}

TEST(HdtnImport, OptionalTlsWithoutItsFilesIsNoTls) {
    HdtnChoices choices;
    choices.exists = [](const std::string &) { return false; };
    const Imported made = import_text(with_tls(true, false).dump(), choices);
    ASSERT_FALSE(made.config.empty()) << made.report.to_string();
    EXPECT_FALSE(Json::parse(made.config)["inductsConfig"][0].contains("tls"));
    EXPECT_TRUE(import_text(with_tls(true, true).dump(), choices).report.refused());
}

TEST(HdtnImport, CheckedCertificatesHaveTheirAuthority) {
    Json config = with_tls(false, true);
    Json &out = config["outductsConfig"]["outductVector"][0];
    out["doX509CertificateVerification"] = true;
    EXPECT_TRUE(import_text(config.dump()).report.refused()) << "no authority";
    out["certificationAuthorityPemFileForVerification"] = "ca.pem";
    Json made = Json::parse(import_text(config.dump()).config)["outductsConfig"][0];
    EXPECT_EQ(made["ca"], "ca.pem");
    EXPECT_EQ(made["tlsVerify"], "chain");
    out["verifySubjectAltNameInX509Certificate"] = true;
    made = Json::parse(import_text(config.dump()).config)["outductsConfig"][0];
    EXPECT_FALSE(made.contains("tlsVerify"));
    out["tryUseTls"] = false;
    EXPECT_TRUE(import_text(config.dump()).report.refused()) << "required, but not tried";
}

// ---- LTP by one UDP port

TEST(HdtnImport, OutductByThePortOfAnInductHasItsEngine) {
    Json config = Json::parse(read_import("ltp.json"));
    config["outductsConfig"]["outductVector"][0]["ltpSenderBoundPort"] = 14565;
    config["outductsConfig"]["outductVector"][0]["oneWayLightTimeMs"] = 900;
    const Imported made = import_text(config.dump());
    ASSERT_FALSE(made.config.empty()) << made.report.to_string();
    const auto node = parse_node_config(made.config);
    ASSERT_TRUE(node) << node.error().to_string() << made.config;
    EXPECT_EQ(node->spans.size(), 1U);
    const Json out = Json::parse(made.config);
    EXPECT_EQ(out["inductsConfig"][0]["ltpDataSegmentMtu"], 1200);
    EXPECT_EQ(out["inductsConfig"][0]["oneWayLightTimeMs"], 20);
    EXPECT_FALSE(out["outductsConfig"][0].contains("oneWayLightTimeMs"));
    EXPECT_EQ(out["inductsConfig"][0]["maxSumOfBundleBytesInPipeline"], 50'000'000);
    EXPECT_FALSE(out["outductsConfig"][0].contains("maxSumOfBundleBytesInPipeline"));
    EXPECT_EQ(line_of(made.report, "outductsConfig[0].oneWayLightTimeMs").outcome,
              ImportOutcome::kChanged);
}

TEST(HdtnImport, AnotherEngineNumberOnTheSharedPortIsRefused) {
    Json config = Json::parse(read_import("ltp.json"));
    config["outductsConfig"]["outductVector"][0]["ltpSenderBoundPort"] = 14565;
    config["outductsConfig"]["outductVector"][0]["remoteLtpEngineId"] = 7;
    EXPECT_TRUE(import_text(config.dump()).report.refused());
}

TEST(HdtnImport, TwoLtpInductsOfOnePortAreOne) {
    Json config = Json::parse(read_import("ltp.json"));
    Json &list = config["inductsConfig"]["inductVector"];
    list.push_back(list[0]);
    list[1]["remoteLtpEngineId"] = 44;
    const Imported made = import_text(config.dump());
    ASSERT_FALSE(made.config.empty()) << made.report.to_string();
    EXPECT_EQ(Json::parse(made.config)["inductsConfig"].size(), 1U);
}

// ---- sizes

TEST(HdtnImport, LargeBundlesPassThroughTheDiskOrEnlargeTheBuffer) {
    for (const std::string layer : {"tcpclv4", "ltp"}) {
        Json config = Json::parse(read_import(layer + ".json"));
        config["maxBundleSizeBytes"] = 1'000'000'000;
        const Imported made = import_text(config.dump());
        ASSERT_FALSE(made.config.empty()) << made.report.to_string();
        ASSERT_TRUE(parse_node_config(made.config)) << made.config;
        const Json out = Json::parse(made.config);
        EXPECT_EQ(out["inductsConfig"][0].contains("maxBundleSizeBytes"), layer == "ltp");
        EXPECT_EQ(out.contains("bufferBytes"), layer == "ltp");
    }
}

TEST(HdtnImport, SmallStoreHasSmallFiles) {
    Json config = Json::parse(read_import("stcp.json"));
    config["storageConfig"]["totalStorageCapacityBytes"] = 1'000'000;
    const Imported made = import_text(config.dump());
    ASSERT_TRUE(parse_node_config(made.config)) << made.config;
    EXPECT_EQ(Json::parse(made.config)["storageConfig"]["segmentBytes"], 1'000'000);
}

}  // namespace
}  // namespace farlink::config::hdtn_import_test
