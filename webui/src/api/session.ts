// SPDX-License-Identifier: Apache-2.0
// The operator's token, kept while this tab is open, and the role that the node assigns to it.
import type { Rest } from "./rest";
import type { Role } from "./types";

const KEY = "farlink.token";

export class Session {
  private token_ = sessionStorage.getItem(KEY) ?? "";
  private role_: Role | undefined;
  private readonly listeners: (() => void)[] = [];

  get token(): string {
    return this.token_;
  }

  /** Undefined: not known yet. */
  get role(): Role | undefined {
    return this.role_;
  }

  get operates(): boolean {
    return this.role_ === "operate";
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Requests the role of the token, and keeps a token that has one; otherwise throws. */
  async enter(rest: Rest, token: string): Promise<Role> {
    const { role } = await rest.session(token);
    if (token && role === "none") throw new Error("The token is not valid.");
    this.token_ = token;
    this.role_ = role;
    if (token) sessionStorage.setItem(KEY, token);
    else sessionStorage.removeItem(KEY);
    this.changed();
    return role;
  }

  forget(): void {
    this.token_ = "";
    this.role_ = undefined;
    sessionStorage.removeItem(KEY);
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
