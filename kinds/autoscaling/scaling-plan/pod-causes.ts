/** Why a pod of a workload cluster has no node, as a complaint of that pod. Pure. */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type CauseRules, type Complaint, isWorse, type Level, only } from '../../common/causes/index.ts';
import { type Decision, type Inputs, type Pod, type PodGroup, plan } from '../plan/index.ts';
import { nameOf, whyNot } from './message.ts';
import { decidesAgain, explain, membersOfPools, poolsThatCannotGrow } from './pool-members.ts';
import { raise } from './raise.ts';

/** What is decided for a pod alone, whatever its siblings need. */
export const decidedFor = (pod: Pod, inputs: Inputs): Decision => {
  const { snapshot } = inputs;
  const pods = snapshot.pods.filter((one) => one === pod || one.node !== undefined);
  return plan({ ...inputs, snapshot: { ...snapshot, pods } });
};

type Found = Pick<Complaint, 'reason' | 'message' | 'level' | 'rule'>;

const wait = (reason: string, message: string, rule: Complaint['rule'] = {}): Found => ({
  reason,
  message,
  level: 'wait',
  rule,
});

/** Reasons that pass without a user, such as `waiting for the nodes that are launched first`. */
const levelOf = (reasons: PodGroup['reasons']): Level =>
  Object.values(reasons).some((reason) => reason.startsWith('waiting ')) ? 'wait' : 'fault';

const ofDecision = ({ pods: [group], pools }: Decision): Found => {
  if (group === undefined) return wait('TooYoung', 'waits until it is old enough to be a reason to scale');
  const { onUpcoming, onNew, left, reasons } = group;
  const [chosen] = Object.keys(onNew);
  if (left > 0)
    return {
      reason: 'NotTriggerScaleUp',
      message: `has no node, and no pool grows for it: ${whyNot(reasons)}`,
      level: levelOf(reasons),
      rule: {
        by: only(membersOfPools(poolsThatCannotGrow(reasons, pools)), isWorse),
        next: decidesAgain,
        run: ({ metadata }, graph) => [
          ...graph.ofKind('ScalingPlan').flatMap((one) => raise(one, graph, Object.keys(reasons))),
          explain(
            `${metadata.namespace}/${metadata.name}`,
            graph.cluster?.metadata.name,
            graph.cluster?.metadata.namespace,
          ),
        ],
      },
    };
  if (chosen !== undefined)
    return wait('TriggeredScaleUp', `waits for a new node of ${nameOf(chosen)}, which grows`, {
      by: only(membersOfPools([chosen]), isWorse),
      next: 'The autoscaler sets the replicas of the pool within seconds',
    });
  if (onUpcoming > 0)
    return wait('NodeIsComing', 'waits for a node that is coming', {
      by: only(membersOfPools(pools.map(({ pool }) => pool)), ({ object }) => object.kind === 'Machine'),
      next: 'The scheduler places it when the node is ready',
    });
  return wait('FitsOnNode', 'waits for the scheduler: it fits on a node that exists');
};

/** Undefined: it has a node, or needs none. */
const foundOf = (pod: Pod, inputs: Inputs): Found | undefined => {
  const { node, nominatedNode, deleting, terminal, gated, unschedulable, owner } = pod;
  if (node !== undefined || deleting || terminal) return undefined;
  if (gated)
    return {
      reason: 'SchedulingGated',
      message: 'has scheduling gates, so that no scheduler places it',
      level: 'hold',
      rule: { advice: 'What set spec.schedulingGates has to remove them' },
    };
  if (!unschedulable) return wait('NotScheduled', 'waits for a scheduler, which has not said yet that it has no node');
  if (nominatedNode !== undefined)
    return wait('Preempting', `waits until pods of lower priority have left node ${nominatedNode}`);
  if (owner?.kind === 'DaemonSet')
    return {
      reason: 'DaemonSet',
      message: 'is of a DaemonSet, and has no room on its node: another node would not help it',
      level: 'fault',
    };
  const { conflict } = inputs.snapshot;
  if (conflict !== undefined)
    return {
      reason: 'OtherAutoscaler',
      message: `has no node, and Capstan scales no pool: ${conflict}`,
      level: 'fault',
      rule: { next: 'Capstan scales nothing while another autoscaler acts on the cluster' },
    };
  return ofDecision(decidedFor(pod, inputs));
};

export const podObject = ({ namespace, name, deleting, createdAt }: Pod): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    namespace,
    name,
    ...(deleting && { deletionTimestamp: timestamp(createdAt) }),
  },
});

/** Lets a pod take part in the graph of its cluster. */
export const podCauses = (pod: Pod, inputs: Inputs): CauseRules => ({
  group: '',
  kind: 'Pod',
  conditions: {},
  others: (object) => {
    const found = foundOf(pod, inputs);
    return found ? [{ object, type: 'PodScheduled', since: timestamp(pod.createdAt), ...found }] : [];
  },
});
