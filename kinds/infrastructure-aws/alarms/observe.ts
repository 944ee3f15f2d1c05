/** Reads the alarms that the pools of a cluster name, and no alarm while they name none. */

import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { type AlarmStates, alarmNotFound } from '../../common/autoscale/alarm-states.ts';
import { alarmsOf } from '../../common/autoscale/alarms.ts';
import { boundsOf } from '../../common/autoscale/annotations.ts';
import { declaredBy, type PlanWithPools } from '../../common/autoscale/plan-entry.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { namesKind } from '../../core/contract/named.ts';
import type { CloudOutput } from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import { awsCluster } from '../aws-cluster/kind.ts';

/** As the autoscaling kinds define it. */
export type ScalingPlan = PlanWithPools;

export interface Observed {
  plan: ScalingPlan;
  /** Undefined while they are unread. */
  states: AlarmStates | undefined;
  /** Why the alarms are not read. */
  unreadable?: string;
  /** The infrastructure object does not exist yet. */
  isEarly?: true;
}

/** The most names that CloudWatch accepts in a call. */
const mostNames = 100;

type Answer = Read<CloudOutput<'DescribeAlarms'>>;

const statesIn = (names: readonly string[], answers: readonly Answer[]): AlarmStates => {
  const all = answers.flatMap((answer) => {
    const { MetricAlarms = [], CompositeAlarms = [] } = found(answer) ?? {};
    return [...MetricAlarms, ...CompositeAlarms];
  });
  const known = new Map(all.map(({ AlarmName, StateValue }) => [AlarmName, StateValue]));
  return Object.fromEntries(names.map((name) => [name, known.get(name) ?? alarmNotFound]));
};

export const observe = (plan: ScalingPlan, read: Reader, { withheld }: Context): Observed => {
  const { namespace = '' } = plan.metadata;
  const name = plan.spec?.clusterName ?? '';
  const cluster = found(read.get('Cluster', { namespace, name }));
  if (withheld || isDeleting(plan) || !cluster || isDeleting(cluster)) return { plan, states: undefined };
  const deployments = found(read.list('MachineDeployment', { namespace, cluster: name }));
  if (!deployments) return { plan, states: undefined };
  const pools = deployments
    .map((one) => declaredBy(plan, one))
    .filter((one) => boundsOf(one) !== undefined && !isDeleting(one));
  const names = [...new Set(pools.flatMap(alarmsOf))].sort();
  if (names.length === 0) return { plan, states: {} };
  const ref = cluster.spec?.infrastructureRef;
  if (!ref || !namesKind(ref, awsCluster)) return { plan, states: undefined };
  const region = found(read.get('AWSCluster', { namespace, name: ref.name }))?.spec?.region;
  if (!region) return { plan, states: undefined, isEarly: true };
  const answers: Answer[] = [];
  for (let from = 0; from < names.length; from += mostNames)
    answers.push(
      askCloud(read, region, 'DescribeAlarms', {
        AlarmNames: names.slice(from, from + mostNames),
        AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
        MaxRecords: mostNames,
      }),
    );
  const failed = answers.find((answer) => answer.state === 'unreadable');
  if (failed) return { plan, states: undefined, unreadable: failed.reason };
  if (answers.some(({ state }) => state !== 'found')) return { plan, states: undefined };
  return { plan, states: statesIn(names, answers) };
};
