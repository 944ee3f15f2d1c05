import type { ClusterOperation } from '../cluster-operation/schema.ts';

/** Which attempt the next operation is, given those of its type: it counts from the last one that succeeded. Pure. */
export const triesAfter = (operations: readonly ClusterOperation[]): number => {
  const last = operations.toSorted((a, b) => (a.spec?.attempt ?? 0) - (b.spec?.attempt ?? 0)).at(-1);
  return last && last.status?.phase !== 'Succeeded' ? (last.spec?.tries ?? 1) + 1 : 1;
};
