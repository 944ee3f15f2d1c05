/** The inputs of a decision from what was observed. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Context } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { alarmingIn, alarmStatesOf } from '../../common/autoscale/alarm-states.ts';
import { annotatedLimit } from '../../common/autoscale/limits.ts';
import type { History, Inputs, Settings } from '../plan/types.ts';
import { conflictOf } from '../snapshot/conflict.ts';
import { snapshotOf } from '../snapshot/index.ts';
import type { Observed } from './observe.ts';
import { poolsOf } from './pools.ts';
import { pricesOf } from './prices.ts';
import type { ScalingPlan } from './schema.ts';
import type { Measured } from './template.ts';

const minute = 60_000;

/** By the key of the pool's template. */
export type Templates = Record<string, Measured>;
export const templatesOf = ({ status }: ScalingPlan): Templates => (status?.templates ?? {}) as Templates;

/** The smaller of the limits of the plan and of the Cluster. */
const limitsOf = ({ spec }: ScalingPlan, cluster: KubeObject | undefined): Settings['limits'] => {
  const limits = (['nodes', 'vCPU', 'dollarsPerHour'] as const).flatMap((name) => {
    const given = [spec?.limits?.[name], annotatedLimit(cluster, name)].filter((one) => one !== undefined);
    return given.length > 0 ? [[name, Math.min(...given.map(Number))]] : [];
  });
  return Object.fromEntries(limits);
};

const settingsOf = ({ plan, cluster, priorities }: Observed, speed: number): Settings => ({
  limits: limitsOf(plan, cluster),
  ...(plan.spec?.expanders?.length && { expanders: plan.spec.expanders }),
  ...(priorities && 'priorities' in priorities && priorities),
  delayAfterScaleUp: (10 * minute) / speed,
  conflictTime: (10 * minute) / speed,
  moveInterval: (60 * minute) / speed,
});

/** Undefined while the cluster is not read. */
export const inputsOf = (observed: Observed, context: Context): Inputs | undefined => {
  const { plan, pools, workload, quotas } = observed;
  if (!pools || !workload) return undefined;
  const { now } = context;
  const speed = speedOf(context.config);
  const snapshot = snapshotOf(workload.objects, workload.pods, conflictOf(workload.traces, now));
  const alarming = alarmingIn(alarmStatesOf(plan));
  const facts = { alarming, nodes: snapshot.nodes, remembered: templatesOf(plan), speed, now, config: context.config };
  const own = poolsOf(pools, facts);
  return {
    snapshot,
    pools: own,
    prices: pricesOf(pools, own),
    settings: settingsOf(observed, speed),
    ...(quotas?.length && { quotas }),
    history: (plan.status?.history ?? {}) as History,
    now,
  };
};
