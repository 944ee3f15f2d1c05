/** The inputs of a decision from what was observed. Pure. */
import type { Context } from '../../../machinery/api/reconcile.ts';
import type { History, Inputs, NodeTemplate, Settings } from '../plan/types.ts';
import { conflictOf } from '../snapshot/conflict.ts';
import { snapshotOf } from '../snapshot/index.ts';
import type { Observed } from './observe.ts';
import { poolsOf } from './pools.ts';
import type { ScalingPlan } from './schema.ts';

const minute = 60_000;

/** By the key of the pool's template. */
export type Templates = Record<string, NodeTemplate>;
export const templatesOf = ({ status }: ScalingPlan): Templates => (status?.templates ?? {}) as Templates;

/** How many times faster than time the simulated account is. */
export const speedOf = ({ config }: Context): number => (typeof config.speed === 'number' ? config.speed : 1);

const settingsOf = ({ spec }: ScalingPlan, speed: number): Settings => ({
  ...(spec?.limits && { limits: spec.limits }),
  ...(spec?.expanders?.length && { expanders: spec.expanders }),
  delayAfterScaleUp: (10 * minute) / speed,
});

/** Undefined while the cluster is not read. */
export const inputsOf = ({ plan, pools, workload }: Observed, context: Context): Inputs | undefined => {
  if (!pools || !workload) return undefined;
  const { now } = context;
  const speed = speedOf(context);
  const snapshot = snapshotOf(workload.objects, workload.pods, conflictOf(workload.traces, now));
  const facts = { nodes: snapshot.nodes, remembered: templatesOf(plan), speed, now };
  return {
    snapshot,
    pools: poolsOf(pools, facts),
    settings: settingsOf(plan, speed),
    history: (plan.status?.history ?? {}) as History,
    now,
  };
};
