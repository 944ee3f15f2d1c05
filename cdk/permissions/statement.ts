/** An IAM statement as data: the source of the constructs and of docs/permissions.md. */

export type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

export interface Statement {
  /** Letters and digits, unique within a role. */
  sid: string;
  /** For the reader of the policy: its purpose, and why it is no narrower. */
  why: string;
  actions: readonly string[];
  resources: readonly string[];
  conditions?: Conditions;
}

export const unique = <T>(all: Iterable<T>): T[] => [...new Set(all)].sort();

/** IAM actions that these SDK commands need, or all commands of the table. */
export const actionsIn = (
  permissions: Readonly<Record<string, readonly string[]>>,
  commands: readonly string[] = Object.keys(permissions),
): string[] => unique(commands.flatMap((command) => permissions[command] ?? []));

/** Of an IAM action. */
export const isRead = (action: string): boolean => /:(Describe|Get|List)/.test(action);
