// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/import_ion.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "common/bp/eid/eid.hpp"
#include "common/config/applications/own_services.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/config_import/ion/contact_import.hpp"
#include "common/config_import/ion/ion_rules.hpp"
#include "common/config_import/ion/link_assembly.hpp"
#include "common/config_import/ion/route_assembly.hpp"
#include "common/plan/write_plan.hpp"

namespace farlink::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kEchoService = 2047;

class IonAssembly {
public:
    IonAssembly(std::span<const IonFile> files, const IonImportOptions &options)
        : options_(options), source_(files, result_.report), verdicts_(source_) {}

    Imported run() {
        read_commands(source_, draft_, verdicts_);
        find_node();
        if (draft_.node) assemble();
        verdicts_.write(result_.report);
        if (!result_.report.refused()) check();
        if (result_.report.refused()) {
            result_.config.clear();
            result_.plan.clear();
        }
        return std::move(result_);
    }

private:
    void refuse(std::string setting, std::string text) {
        result_.report.add({ImportOutcome::kRefused, {}, 0, std::move(setting), std::move(text)});
    }

    void find_node() {
        if (!draft_.node) draft_.node = options_.node;
        if (!draft_.node)
            refuse(
                "",
                "no command of ionadmin states the number of the node; add its ionrc, or --node");
        else if (options_.node && options_.node != draft_.node)
            refuse("--node", "the files are of node " + std::to_string(*draft_.node));
    }

    void assemble() {
        ContactPlan plan =
            import_contacts(source_, draft_, options_.now, verdicts_, result_.report);
        const ImportedLinks links = assemble_links(draft_, plan, verdicts_);
        const Json routing = assemble_routes(draft_, links, verdicts_);
        const Json applications = applications_of();
        note_contacts_without_link(plan, links);
        Json config = Json::object();
        config["myNodeId"] = *draft_.node;
        config["inductsConfig"] = links.inducts;
        config["outductsConfig"] = links.outducts;
        if (!plan.contacts.empty()) config["contactPlanFile"] = kImportedPlanFile;
        if (!routing.empty()) config["routing"] = routing;
        if (draft_.status_reports) config["statusReports"] = *draft_.status_reports;
        add_custody(config);
        config["controlSocket"] = "control.sock";
        if (!applications.empty()) config["applications"] = applications;
        constexpr int kIndent = 2;
        result_.config = config.dump(kIndent, ' ', false, Json::error_handler_t::replace) + '\n';
        if (!plan.contacts.empty()) result_.plan = write_json_plan(plan);
    }

    void add_custody(Json &config) const {
        if (!draft_.custody.given) return;
        config["isAcsAware"] = true;
        if (draft_.custody.period_s)
            config["acsSendPeriodMilliseconds"] = *draft_.custody.period_s * 1000;
    }

    // ---- endpoints

    Json applications_of() {
        Json endpoints = Json::array();
        Json ids = Json::array();
        for (const EndpointDraft &endpoint : draft_.endpoints) {
            if (!is_for_applications(endpoint)) continue;
            Json entry = Json::object();
            entry["endpoint"] = endpoint.id;
            endpoints.push_back(std::move(entry));
            ids.push_back(endpoint.id);
            verdicts_.mapped(endpoint.command, "applications.endpoints");
        }
        Json section = Json::object();
        if (endpoints.empty()) return section;
        section["socket"] = "applications.sock";
        section["endpoints"] = std::move(endpoints);
        if (options_.user.empty()) return section;
        Json access = Json::object();
        access["user"] = options_.user;
        access["register"] = std::move(ids);
        section["access"] = Json::array({std::move(access)});
        return section;
    }

    bool is_for_applications(const EndpointDraft &endpoint) {
        const auto eid = bp::Eid::parse(endpoint.id);
        const bool ipn = eid && eid->view().scheme == bp::EidScheme::kIpn;
        if (!ipn) return true;
        if (eid->view().node != *draft_.node) {
            verdicts_.refused(endpoint.command,
                              "an endpoint of another node than " + std::to_string(*draft_.node));
            return false;
        }
        const std::uint64_t service = eid->view().service;
        if (!is_own_service(service, kEchoService)) return true;
        if (service == 0)
            verdicts_.mapped(endpoint.command, "the node itself");
        else
            verdicts_.refused(endpoint.command,
                              "the node itself has the service " + std::to_string(service) +
                                  ": its echo service is 2047, and 2046 sends to such services");
        return false;
    }

    // ---- what remains to be said

    void note_contacts_without_link(const ContactPlan &plan, const ImportedLinks &links) {
        std::set<std::uint64_t> noted;
        for (const PlanContact &contact : plan.contacts) {
            const std::uint64_t to = contact.destination.value();
            const bool own = contact.source == NodeNumber{*draft_.node};
            if (!own || links.neighbours.contains(to) || !noted.insert(to).second) continue;
            result_.report.add({ImportOutcome::kNoted,
                                {},
                                0,
                                "contact plan",
                                "no plan has an outduct to node " + std::to_string(to) +
                                    ": its contacts have no link"});
        }
    }

    /// The result is what the node would read; an error in it is one of the import.
    void check() {
        if (const auto read = parse_node_config(result_.config); !read)
            for (const ConfigError &error : read.error().errors) refuse("", error.to_string());
        if (result_.plan.empty()) return;
        if (const auto read = parse_contact_plan(result_.plan); !read)
            for (const ConfigError &error : read.error().errors)
                refuse("contact plan", error.to_string());
    }

    const IonImportOptions &options_;
    Imported result_;
    IonSource source_;
    NodeDraft draft_;
    CommandVerdicts verdicts_;
};

}  // namespace

Imported import_ion(std::span<const IonFile> files, const IonImportOptions &options) {
    return IonAssembly(files, options).run();
}

}  // namespace farlink::config
