/** Rights against Kubernetes' own authorizer, escalation check and aggregation. */
import { beforeAll, expect, it } from 'vitest';
import type { PolicyRule } from '../../../machinery/api/rbac.ts';
import { aggregatedRules } from '../../../machinery/rbac/aggregate.ts';
import { escalationOf } from '../../../machinery/rbac/covers.ts';
import { createPolicy } from '../../../machinery/rbac/policy.ts';
import { generated } from './generate.ts';
import { type Case, program, type Result, upstream } from './upstream.ts';

const seed = Number(process.env.CAPSTAN_SEED ?? Date.now() % 1_000_000);
const count = Number(process.env.CAPSTAN_CASES ?? 3000);

beforeAll(() => void program());

/** Go leaves out empty lists. */
const withoutEmpty = (rules: readonly PolicyRule[]): PolicyRule[] =>
  rules.map((rule) => Object.fromEntries(Object.entries(rule).filter(([, list]) => list.length > 0)) as PolicyRule);

const own = (of: Case): Result => {
  const policy = createPolicy(of);
  return {
    answers: of.questions.map(({ user: username, groups, isPath, rules, ...asked }) => {
      const user = { username, groups };
      const held = policy.rulesFor(user, asked.namespace ?? '');
      return {
        ...policy.authorize({ ...asked, user }),
        held: withoutEmpty(held.rules),
        escalation: escalationOf(user, held, rules) ?? '',
      };
    }),
    aggregated: Object.fromEntries(
      of.clusterRoles.flatMap((role) => {
        const rules = aggregatedRules(role, of.clusterRoles);
        return rules ? [[role.metadata.name, withoutEmpty(rules)]] : [];
      }),
    ),
  };
};

it(`${count} generated policies from seed ${seed}`, { timeout: 600_000 }, () => {
  const cases = Array.from({ length: count }, (_, i) => generated(seed + i));
  const expected = upstream(cases);
  let allowed = 0;
  for (const [i, one] of cases.entries()) {
    const { answers, aggregated } = expected[i]!;
    expect(own(one), `case ${seed + i}`).toEqual({
      answers: answers.map((answer) => ({ ...answer, held: withoutEmpty(answer.held ?? []) })),
      aggregated: Object.fromEntries(Object.entries(aggregated).map(([name, rules]) => [name, withoutEmpty(rules)])),
    });
    allowed += answers.filter((answer) => answer.allowed).length;
  }
  // Questions that no policy allows would compare nothing.
  expect(allowed).toBeGreaterThan(count);
});
