/**
 * What one or more runs covered: boundaries, faults, and user actions by the state of the
 * operation.
 */

export interface Coverage {
  crossed(boundary: string): void;
  crashed(boundary: string): void;
  frozen(boundary: string): void;
  /** Records a user action during an operation in this state. */
  interfered(state: string, action: string): void;
  counts(): CoverageCounts;
}
export interface CoverageCounts {
  crossed: Record<string, number>;
  crashed: Record<string, number>;
  frozen: Record<string, number>;
  interfered: Record<string, number>;
}

const add = (counts: Map<string, number>, name: string, more = 1) => counts.set(name, (counts.get(name) ?? 0) + more);
const sorted = (counts: Map<string, number>) => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));

export const createCoverage = (): Coverage => {
  const kept = {
    crossed: new Map<string, number>(),
    crashed: new Map<string, number>(),
    frozen: new Map<string, number>(),
    interfered: new Map<string, number>(),
  };
  return {
    crossed: (boundary) => add(kept.crossed, boundary),
    crashed: (boundary) => add(kept.crashed, boundary),
    frozen: (boundary) => add(kept.frozen, boundary),
    interfered: (state, action) => add(kept.interfered, `${state} × ${action}`),
    counts: () => ({
      crossed: sorted(kept.crossed),
      crashed: sorted(kept.crashed),
      frozen: sorted(kept.frozen),
      interfered: sorted(kept.interfered),
    }),
  };
};

export const added = <T extends Record<string, number>>(total: T, more: Record<string, number>): T => {
  const sum: Record<string, number> = total;
  for (const [name, count] of Object.entries(more)) sum[name] = (sum[name] ?? 0) + count;
  return total;
};
