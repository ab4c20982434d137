// SPDX-License-Identifier: Apache-2.0
// A request that the mock node refuses, as a problem document (RFC 9457).

export class Refusal extends Error {
  constructor(status, title, detail, errors) {
    super(detail);
    this.problem = { type: "about:blank", title, status, detail, ...(errors ? { errors } : {}) };
  }
}
