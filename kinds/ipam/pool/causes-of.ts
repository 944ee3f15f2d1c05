import { type CauseRules, kubectl } from '../../common/causes/index.ts';
import { ipamGroup } from '../../common/versions.ts';
import type { PoolKind } from '../references.ts';
import { exhausted } from './conditions.ts';

/** What the conditions of a pool mean. */
export const poolCausesOf = (kind: PoolKind): CauseRules => ({
  group: ipamGroup,
  kind,
  conditions: {
    [exhausted]: {
      bad: 'True',
      level: 'wait',
      isTelling: true,
      next: 'The claim that has waited longest gets the next address that becomes free',
      advice: 'Add addresses to spec.addresses, or delete Machines or claims that use some',
      run: (pool) => [kubectl('edit', pool)],
      reasons: { NoAddressFree: {} },
      fine: ['AddressesFree'],
    },
  },
});
