import type { OperationFacts } from '../shared/facts.ts';
import { restoreChecks } from './annotations.ts';
import { refusalToEnd } from './messages.ts';

export const restoreFacts: OperationFacts = {
  // Upgrades and restores alternate.
  place: 2,
  annotations: restoreChecks,
  admission: async () => (await import('./admit.ts')).admitRestore,
  left: async () => (await import('./left.ts')).leftByRestore,
  refusalToCancel: refusalToEnd,
};
