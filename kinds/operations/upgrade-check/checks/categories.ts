/** The categories of checks, and the findings of a table of checks. Pure. */
import { listOf } from '../../../common/list-of.ts';
import type { Check, Finding, UpgradeFacts } from './facts.ts';
import { withoutRepaired } from './repair.ts';

/** Versions and Cluster are known from Cluster API objects; the others are read in the cluster itself. */
export const ofObjects = ['Versions', 'Cluster'] as const;
/** Infrastructure: what the account says about new Machines. Rollback: of checks before a rollback. */
export const categories = [...ofObjects, 'Infrastructure', 'Etcd', 'Workload', 'AddOns', 'Rollback'] as const;
export type Category = (typeof categories)[number];

export type CategorizedFinding = Finding & { category: Category };

export type Checks = Partial<Record<Category, readonly Check[]>>;

/** Objects that a finding names. */
const most = 10;

/** What several checks find, or one finds in several objects, is one finding. */
const merged = (findings: readonly CategorizedFinding[]): CategorizedFinding[] => {
  const keyOf = ({ code, level, isUnknown, message, remedy }: Finding) =>
    JSON.stringify([code, level, isUnknown, message, remedy]);
  return [...Map.groupBy(findings, keyOf).values()].map((same) => ({
    ...same[0]!,
    object: listOf([...new Set(same.map(({ object }) => object))], most),
  }));
};

export const findingsOf = (facts: UpgradeFacts, checks: Checks): CategorizedFinding[] =>
  merged(
    withoutRepaired(
      facts,
      categories.flatMap((category) =>
        (checks[category] ?? []).flatMap((check) => check(facts).map((finding) => ({ ...finding, category }))),
      ),
    ),
  );

export const refusalsFirst = <F extends Finding>(findings: readonly F[]): F[] => [
  ...findings.filter(({ level }) => level === 'Refuse'),
  ...findings.filter(({ level }) => level === 'Warn'),
];
