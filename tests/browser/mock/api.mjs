// SPDX-License-Identifier: Apache-2.0
// What the mock node answers to /api/v1: the shapes of docs/formats, with the checks that the
// page's tests need.
import { deleteBundle, deleteBundles, listBundles } from "./bundles.mjs";
import { longHistory } from "./long_history.mjs";
import { addContacts, changeContacts, readIon, removeContact } from "./plan.mjs";
import { Refusal } from "./refusal.mjs";
import { OWN } from "./world.mjs";

export { Refusal };

export const OPERATE = "operate-token-of-the-mock";
export const READ = "read-token-of-the-mock";
const ROLES = { [OPERATE]: "operate", [READ]: "read" };

/** The role of a request; a token that nobody has is refused, whatever was asked. */
export function roleOf(authorization) {
  if (!authorization) return "none";
  const role = ROLES[authorization.replace(/^Bearer /, "")];
  if (!role) throw new Refusal(401, "Unauthorized", "this token is not known");
  return role;
}

function operate(role) {
  if (role === "operate") return;
  if (role === "none")
    throw new Refusal(401, "Unauthorized", "this requires a token with the role operate");
  throw new Refusal(403, "Forbidden", "the role read may not do this");
}

function checkContacts(contacts) {
  const errors = [];
  contacts.forEach((one, place) => {
    for (const key of ["contact", "source", "dest"]) {
      if (!Number.isInteger(one[key])) {
        errors.push({
          path: `contacts[${place}].${key}`,
          problem: "missing",
          expected: "an integer",
        });
      }
    }
    if (!(Date.parse(one.startTime) < Date.parse(one.endTime))) {
      errors.push({
        path: `contacts[${place}].endTime`,
        problem: `found ${JSON.stringify(one.endTime)}`,
        expected: "a time after startTime",
        hint: "the contact begins at its startTime",
      });
    }
  });
  if (errors.length)
    throw new Refusal(422, "Unprocessable Content", "the contact plan is not valid", errors);
}

function change(world, contacts, dryRun) {
  const key = (one) => one.contact;
  const text = (one) =>
    JSON.stringify([
      one.source,
      one.dest,
      Date.parse(one.startTime),
      Date.parse(one.endTime),
      one.rateBitsPerSec,
    ]);
  const before = new Map(world.contacts.map((one) => [key(one), text(one)]));
  const after = new Map(contacts.map((one) => [key(one), text(one)]));
  const added = [...after.keys()].filter((one) => !before.has(one)).length;
  const removed = [...before.keys()].filter((one) => !after.has(one)).length;
  const changed = [...after].filter(
    ([one, is]) => before.has(one) && before.get(one) !== is,
  ).length;
  const nothingChanges = !added && !removed && !changed;
  const version = world.state.plan.version + (nothingChanges || dryRun ? 0 : 1);
  const links = nothingChanges
    ? []
    : [
        {
          link: 1,
          neighbour: 20,
          before: { planned: true, ends: "2026-11-22T16:00:00.000Z", rateBitsPerSec: 8e8 },
          after: { planned: false, nextContact: "2026-11-22T17:00:00.000Z" },
        },
      ];
  const routes = nothingChanges
    ? []
    : [
        {
          destination: 40,
          before: { candidates: [{ nextHop: 20, link: 1 }] },
          after: { candidates: [{ nextHop: 30, link: 2 }] },
        },
      ];
  return {
    dryRun,
    nothingChanges,
    version,
    contacts: contacts.length,
    added,
    changed,
    removed,
    links,
    routes,
    warnings: [],
  };
}

function replacePlan(world, query, body) {
  const contacts = typeof body === "string" ? readIon(world, body) : body?.contacts;
  if (!Array.isArray(contacts)) throw new Refusal(400, "Bad Request", "contacts is missing");
  return putInForce(world, query, contacts);
}

function putInForce(world, query, contacts) {
  checkContacts(contacts);
  const dryRun = query.get("dryRun") === "true";
  const answer = change(world, contacts, dryRun);
  if (!dryRun && !answer.nothingChanges) {
    world.contacts = contacts;
    world.apply({ plan: { version: answer.version, contacts: contacts.length } });
    world.note("info", "scheduler", "plan", `contact plan version ${answer.version} is in force`);
  }
  return answer;
}

function routes(world) {
  const out = Object.values(world.state.links).filter((link) => link.direction !== "in");
  return {
    policies: [],
    returnToSender: false,
    defaultGateway: { nextHop: 20, link: 1, up: true },
    staticRoutes: [{ destination: 900, nextHop: 30, link: 2, up: true }],
    routes: out.map((link, place) => ({
      destination: link.neighbour,
      candidates: [
        {
          nextHop: link.neighbour,
          link: link.number,
          arrival: new Date(world.nowMs + 1_300).toISOString(),
        },
        ...(place % 3
          ? [
              {
                nextHop: out[0].neighbour,
                link: out[0].number,
                arrival: new Date(world.nowMs + 900_000).toISOString(),
                maxBundleBytes: 4_000_000,
              },
            ]
          : []),
      ],
    })),
  };
}

function explain(world, query) {
  const destination = Number(query.get("destination"));
  if (!Number.isInteger(destination) || destination < 1) {
    throw new Refusal(400, "Bad Request", "the question is not complete", [
      { path: "destination", problem: "found 0", expected: "a node number, 1 or more" },
    ]);
  }
  return {
    critical: false,
    waitingBytes: 1_250_000,
    outcome: `node ${destination} by link 1 to node 20`,
    ways: [
      { rule: "plan", nextHop: 30, link: 2, up: false, taken: false, why: "its link is down" },
      {
        rule: "plan",
        nextHop: 20,
        link: 1,
        up: true,
        taken: true,
        why: "the first way that fits",
        arrival: new Date(world.nowMs + 1_300).toISOString(),
        roomBytes: 80_000_000,
      },
    ],
  };
}

const holds = (world) => ({ held: Object.keys(world.state.storage.held).map(Number) });

function hold(world, node, held) {
  if (Number(node) === OWN)
    throw new Refusal(422, "Unprocessable Content", "this is the node itself");
  if (!held && !world.state.storage.held[node])
    throw new Refusal(404, "Not Found", `node ${node} is not held`);
  world.apply({ storage: { held: { [node]: held || null } } });
  return holds(world);
}

function override(world, key, { rateBitsPerSec, owlt }) {
  const said = (one) => one !== null && one !== undefined;
  const change = { overridden: said(rateBitsPerSec) || said(owlt) };
  if (said(rateBitsPerSec)) change.rateBitsPerSec = rateBitsPerSec;
  if (said(owlt)) change.lightTimeSeconds = owlt;
  world.apply({ links: { [key]: change } });
  return { link: { link: Number(key), overridden: change.overridden } };
}

function setLink(world, key, word) {
  if (!world.state.links[key]) throw new Refusal(404, "Not Found", `there is no link ${key}`);
  world.setLink(key, word === "up");
  return world.state.links[key];
}

function drain(world, word) {
  world.apply({ node: { drained: word === "drain" } });
  return { drained: word === "drain" };
}

/** What needs a token that operates, with the parts of the path that the pattern names. */
const COMMANDS = [
  ["POST", /^(drain|resume)$/, (world, _query, _body, word) => drain(world, word)],
  ["POST", /^links\/([^/]+)\/(up|down)$/, (world, _query, _body, ...of) => setLink(world, ...of)],
  ["PUT", /^links\/(\d+)\/override$/, (world, _query, body, key) => override(world, key, body)],
  ["PUT", /^storage\/holds\/(\d+)$/, (world, _query, _body, node) => hold(world, node, true)],
  ["DELETE", /^storage\/holds\/(\d+)$/, (world, _query, _body, node) => hold(world, node, false)],
  ["PUT", /^contact-plan$/, replacePlan],
  [
    "PATCH",
    /^contact-plan$/,
    (world, query, body) => putInForce(world, query, changeContacts(world, body.contacts)),
  ],
  [
    "POST",
    /^contact-plan\/contacts$/,
    (world, query, body) => putInForce(world, query, addContacts(world, body.contacts)),
  ],
  [
    "DELETE",
    /^contact-plan\/contacts\/(\d+)$/,
    (world, query, _body, contact) =>
      putInForce(world, query, removeContact(world, Number(contact))),
  ],
  ["DELETE", /^storage\/bundles$/, (world, query) => deleteBundles(world, query)],
  [
    "DELETE",
    /^storage\/bundles\/(\d+)$/,
    (world, query, _body, bundle) => deleteBundle(world, bundle, query),
  ],
];

/** Answers a request; throws a Refusal. */
export function answer(world, method, path, query, role, body) {
  for (const [verb, pattern, act] of COMMANDS) {
    const found = path.match(pattern);
    if (!found || verb !== method) continue;
    operate(role);
    return act(world, query, body, ...found.slice(1));
  }
  if (method !== "GET")
    throw new Refusal(405, "Method Not Allowed", `${method} is not for ${path}`);
  switch (path) {
    case "state":
      return world.state;
    case "session":
      return { role };
    case "history":
      if (query.has("from")) return longHistory(world, query);
      return world.history(Number(query.get("seconds") ?? 3_600), query.get("series")?.split(","));
    case "alarms":
      return { active: Object.values(world.state.alarms ?? {}), ended: world.ended };
    case "storage/bundles":
      return listBundles(world, query);
    case "events":
      return {
        events: world.events
          .filter((one) => one.id > Number(query.get("after") ?? 0))
          .slice(-Number(query.get("limit") ?? 200)),
      };
    case "storage/holds":
      return holds(world);
    case "contact-plan":
      return { plan: world.state.plan, contacts: world.contacts };
    case "routes":
      return routes(world);
    case "routes/explain":
      return explain(world, query);
    default:
      throw new Refusal(404, "Not Found", `there is no /api/v1/${path} at node ${OWN}`);
  }
}
