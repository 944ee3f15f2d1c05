import { expect, it } from 'vitest';
import type { ObjectTarget } from './object-targets.ts';
import { upgradeDefersRemediation } from './remediation.ts';

it.each<{ rule: string; target: ObjectTarget | undefined; defers: boolean }>([
  { rule: 'no upgrade defers nothing', target: undefined, defers: false },
  { rule: 'a limited rollout defers', target: { target: 'Build', revision: 'r', most: 1 }, defers: true },
  { rule: 'a whole rollout defers nothing', target: { target: 'Build', revision: 'r' }, defers: false },
  {
    rule: 'a held upgrade defers nothing',
    target: { target: 'Build', revision: 'r', most: 1, held: true },
    defers: false,
  },
  { rule: 'a rollback defers nothing', target: { target: 'RollBack', revision: 'r' }, defers: false },
])('$rule', ({ target, defers }) => expect(upgradeDefersRemediation(target)).toBe(defers));
