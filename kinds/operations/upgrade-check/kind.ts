import type { KindFacts } from '../../../machinery/api/kind.ts';

export const upgradeCheck: KindFacts = {
  group: 'capstan.dev',
  kind: 'UpgradeCheck',
  plural: 'upgradechecks',
  namespaced: true,
  // An upgrade waits for these.
  gates: ['operation', 'step', 'result', 'findings'],
  notes: ['lastRefresh'],
};
