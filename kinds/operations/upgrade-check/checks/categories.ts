/** The categories of checks, and the findings of a table of checks. Pure. */
import type { Check, Finding, UpgradeFacts } from './facts.ts';
import { withoutRepaired } from './repair.ts';

/** Versions and Cluster are known from Cluster API objects; the others are read in the cluster itself. */
export const ofObjects = ['Versions', 'Cluster'] as const;
/** Infrastructure: what the account says about new Machines. Rollback: of checks before a rollback. */
export const categories = [...ofObjects, 'Infrastructure', 'Etcd', 'Workload', 'AddOns', 'Rollback'] as const;
export type Category = (typeof categories)[number];

export type CategorizedFinding = Finding & { category: Category };

export type Checks = Partial<Record<Category, readonly Check[]>>;

export const findingsOf = (facts: UpgradeFacts, checks: Checks): CategorizedFinding[] =>
  withoutRepaired(
    facts,
    categories.flatMap((category) =>
      (checks[category] ?? []).flatMap((check) => check(facts).map((finding) => ({ ...finding, category }))),
    ),
  );

export const refusalsFirst = <F extends Finding>(findings: readonly F[]): F[] => [
  ...findings.filter(({ level }) => level === 'Refuse'),
  ...findings.filter(({ level }) => level === 'Warn'),
];
