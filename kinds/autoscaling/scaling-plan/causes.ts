/** What a ScalingPlan's conditions mean, and which pods wait for a node. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  byProbe,
  type CauseRules,
  type Complaint,
  type Explanation,
  firstOf,
  type Graph,
  isWorse,
  kubectl,
  only,
} from '../../common/causes/index.ts';
import { nameOf, whyNot } from './message.ts';
import { decidesAgain, explain, membersOfPools, poolsThatCannotGrow } from './pool-members.ts';
import { isAtMaximum, raise } from './raise.ts';
import type { ScalingPlanStatus } from './schema.ts';

const explainIn = ({ spec, metadata }: KubeObject, what: string): string =>
  explain(what, (spec as { clusterName?: string }).clusterName, metadata.namespace);

/** A pool that cannot get Machines explains why pods wait for it. */
const poolOf = (pool: string): Explanation => only(membersOfPools([pool]), isWorse);

/** The limits of the whole cluster are in the spec. */
const raiseLimits = (plan: KubeObject, graph: Graph): string[] => {
  const { pools = [] } = (plan.status ?? {}) as ScalingPlanStatus;
  const raised = raise(
    plan,
    graph,
    pools.map(({ pool }) => pool),
  );
  const hasLimits = (plan.spec as { limits?: object }).limits !== undefined;
  return [...raised, ...(hasLimits ? [kubectl('edit', plan)] : [])];
};

const pending = (plan: KubeObject): Complaint[] => {
  const { pods, pools } = (plan.status ?? {}) as ScalingPlanStatus;
  return (pods ?? []).flatMap(({ owner, namespace, pod, count, left, reasons = {} }) => {
    if (!left) return [];
    return [
      {
        object: plan,
        type: `Pods/${namespace}/${owner}`,
        reason: 'NotTriggerScaleUp',
        message: `has no pool that grows for ${left} of ${count} pods of ${owner} in namespace ${namespace}: ${
          whyNot(reasons) || 'no pool may grow'
        }`,
        level: 'fault' as const,
        rule: {
          by: firstOf(...poolsThatCannotGrow(reasons, pools).map(poolOf)),
          next: decidesAgain,
          run: (_, graph) => [...raise(plan, graph, Object.keys(reasons)), explainIn(plan, `${namespace}/${pod}`)],
        },
      },
    ];
  });
};

const blocked = (plan: KubeObject): Complaint[] =>
  ((plan.status ?? {}) as ScalingPlanStatus).pools?.flatMap(({ pool, blocked: why, until, max, replicas }) =>
    why === undefined || isAtMaximum({ max, replicas })
      ? []
      : [
          {
            object: plan,
            type: `Pools/${nameOf(pool)}`,
            reason: 'NotScaledUp',
            message: `does not scale ${nameOf(pool)} up: ${why}`,
            level: 'wait' as const,
            rule: {
              by: poolOf(pool),
              next: until ? `It may grow again from ${until} on` : 'The autoscaler decides again when that changes',
              run: () => [explainIn(plan, nameOf(pool))],
            },
          },
        ],
  ) ?? [];

const settings = { next: 'They count as soon as the ScalingPlan or the MachineDeployment says otherwise' } as const;
const priorities = { next: 'Pools are chosen without priorities until the ConfigMap can be read' } as const;

export const scalingPlanCauses: CauseRules = {
  group: 'capstan.dev',
  kind: 'ScalingPlan',
  others: (plan) => [...pending(plan), ...blocked(plan)],
  conditions: {
    AutoscalerConflict: {
      bad: 'True',
      level: 'fault',
      reasons: {
        OtherAutoscaler: { next: 'Capstan scales nothing while another autoscaler acts on the cluster' },
        OtherWriter: { next: 'The pool is scaled again some minutes after the other writer has stopped' },
      },
      fine: ['NoOtherAutoscaler'],
    },
    RemovalsHeld: {
      bad: 'True',
      level: 'fault',
      by: only((_, graph) => graph.ofKind('Machine').flatMap(graph.complaints), isWorse),
      reasons: { NodesUnready: {} },
      fine: ['EnoughNodesReady'],
    },
    SettingsNotApplied: {
      bad: 'True',
      level: 'fault',
      reasons: { Contradiction: settings, NoSizes: settings, NoMachineDeployment: settings },
      fine: ['SettingsApplied'],
    },
    PrioritiesRead: {
      level: 'fault',
      reasons: { PriorityConfigMapNotFound: priorities, PriorityConfigMapInvalid: priorities },
      fine: ['PrioritiesRead'],
    },
    LimitReached: {
      bad: 'True',
      level: 'fault',
      by: (plan, graph) => graph.complaints(plan).filter(({ type }) => type.startsWith('Pods/')),
      reasons: { LimitReached: { next: 'Pools grow again when a limit is raised or nodes go', run: raiseLimits } },
      fine: ['WithinLimits'],
    },
    AboveMaximum: { bad: 'True', level: 'wait', reasons: { NodesKept: {} }, fine: ['WithinSizes'] },
    HeadroomMissing: { bad: 'True', level: 'wait', reasons: { NoRoom: {} }, fine: ['HeadroomKept'] },
    GrowthBlocked: {
      bad: 'True',
      level: 'wait',
      by: (plan, graph) =>
        ((plan.status ?? {}) as ScalingPlanStatus).pools?.flatMap(({ pool }) => poolOf(pool)(plan, graph)) ?? [],
      reasons: { CannotCreateMachines: { next: 'The pool grows again when Machines can be created' } },
      fine: ['MachinesCanBeCreated'],
    },
    Ready: {
      reasons: {
        NoPool: { level: 'wait', advice: 'Let a pool opt in with the annotation capstan.dev/autoscale=true' },
        NoCluster: { level: 'wait' },
        ClusterUnreachable: { level: 'wait', by: byProbe },
        WriteFailed: { next: 'The autoscaler tries again at once' },
        DecisionNotKept: { next: 'It is kept with the next decision' },
      },
      fine: ['Deciding'],
    },
  },
};
