import type { OperationFacts } from '../shared/facts.ts';
import { upgradeChecks, upgradeFailurePolicies } from './annotations.ts';

export const upgradeFacts: OperationFacts = {
  place: 2,
  failurePolicies: upgradeFailurePolicies,
  annotations: upgradeChecks,
  userLists: { continued: 'only an upgrade pauses' },
  refusalToCancel: ({ status }) =>
    status?.step === 'RollBack' ? 'it is rolling back what it made, and ends by itself' : undefined,
  isUndone: true,
  left: async () => (await import('./left.ts')).leftByUpgrade,
};
