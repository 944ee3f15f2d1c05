/** What a policy says, before it is a construct: also what docs/permissions.md is printed from. */

export type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

export interface Statement {
  /** Letters and digits; one of a kind within a role. */
  sid: string;
  /** For whoever reads the policy: what it is for, and why it is no narrower. */
  why: string;
  actions: readonly string[];
  resources: readonly string[];
  conditions?: Conditions;
}

export const unique = <T>(all: Iterable<T>): T[] => [...new Set(all)].sort();

/** The actions that a table of permissions asks for, of these commands or of all. */
export const actionsIn = (
  permissions: Readonly<Record<string, readonly string[]>>,
  commands: readonly string[] = Object.keys(permissions),
): string[] => unique(commands.flatMap((command) => permissions[command] ?? []));

/** Of an IAM action. */
export const isRead = (action: string): boolean => /:(Describe|Get|List)/.test(action);
