/** What a ClusterOperation waits for, or why it ended so. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import {
  type CauseRules,
  type Complaint,
  capstan,
  changeSpec,
  conditionsOf,
  type Explanation,
  type Graph,
  isDeleting,
  isWorse,
  named,
  oneLine,
  only,
  type ReasonRule,
} from '../../common/causes/index.ts';
import { isSetBack } from '../../core/contract/operation.ts';
import { toBeMended } from '../shared/cluster-state.ts';
import { refusalToRetry } from '../shared/retry.ts';
import { isOver } from './ended.ts';
import { isReportedKept, keptUntil } from './kept.ts';
import type { OperationSpec, OperationStatus } from './schema.ts';

type Operation = KubeObject<OperationSpec, OperationStatus>;

/** Only where that is not refused; else the message names what can be done. */
const retry = (operation: Operation, { cluster }: Graph): string[] => {
  const { spec, metadata } = operation;
  return cluster && refusalToRetry(cluster, operation) !== undefined
    ? []
    : [`capstan retry cluster ${spec?.clusterName} -n ${metadata.namespace}`];
};

/** Members that fail, not those that only wait for the operation. */
const members: Explanation = (operation, graph) =>
  graph.objects
    .filter((object) => object !== operation && object !== graph.cluster && object.kind !== 'UpgradeCheck')
    .flatMap(graph.complaints)
    .filter(isWorse);

/** The old MachineSets of an upgrade create nothing while it replaces their Machines. */
const obstacles: Explanation = (operation, graph) =>
  members(operation, graph).filter(({ object, type }) => object.kind !== 'MachineSet' || type !== 'CanCreateMachines');

/** Those that the operation's message names. */
const failing = (text: string): Explanation =>
  only(named(text), ({ object, level }) => level !== 'wait' && !['Cluster', 'UpgradeCheck'].includes(object.kind));

/** It looks again by itself, but what it found has to be mended first. */
const isRefused = ({ status }: Operation): boolean =>
  status?.steps?.some(({ verdict, reason }) => verdict === 'Running' && reason === toBeMended) ?? false;

/** The objects that its message names, such as `AWSCluster default/demo spec.region: …`. */
const edits =
  (text: string): NonNullable<ReasonRule['run']> =>
  (_, graph) =>
    graph.objects
      .filter(({ kind, metadata: { namespace, name } }) => text.includes(`${kind} ${namespace}/${name} spec.`))
      .flatMap((object) => changeSpec(object, graph));

const deadline = ({ spec, status }: Operation): string => {
  const { onFailure = 'Retry' } = spec?.policy ?? {};
  return status?.deadline
    ? `Step ${status.step} may last until ${status.deadline}; then its policy is ${onFailure}`
    : 'It goes on when that is done; it has no deadline';
};

const steps = ({ status }: Operation): string => {
  const running = status?.steps?.find(({ verdict }) => verdict === 'Running');
  return running?.message
    ? `${running.name}: ${oneLine(running.message)}`
    : (status?.message ?? status?.step ?? 'begins');
};

const exitOf = (operation: Operation, phase: string, text: string): ReasonRule => {
  const { spec, metadata } = operation;
  if (isReportedKept(operation))
    return {
      next: keptUntil(operation),
      run: (_, graph) => [
        ...retry(operation, graph),
        `kubectl delete cluster ${spec?.clusterName} -n ${metadata.namespace}`,
      ],
    };
  return {
    next: phase === 'Held' ? 'It decides no further step' : 'It has ended',
    run: (_, graph) => [...edits(text)(operation, graph, text), ...retry(operation, graph)],
  };
};

const upToDate = ['ControlPlaneMachinesUpToDate', 'WorkerMachinesUpToDate'];
/** The specs were set back to what the operation left. */
const isHistory = (operation: Operation, { objects, cluster }: Graph): boolean => {
  const conditions = cluster ? conditionsOf(cluster) : [];
  return isSetBack(
    operation,
    objects,
    upToDate.every((type) => conditionOf(conditions, type)?.status === 'True'),
  );
};

/** Ends that leave the cluster as the spec wants it need no word. */
const complaintOf = (operation: Operation, graph: Graph): Omit<Complaint, 'object'> | undefined => {
  const { phase = 'Pending', message, late, started, ended, steps: taken = [] } = operation.status ?? {};
  const { type = 'operation' } = operation.spec ?? {};
  const since = taken.at(-1)?.started ?? started ?? operation.metadata.creationTimestamp;
  const text = oneLine(message ?? steps(operation));
  if (isHistory(operation, graph)) return undefined;
  switch (phase) {
    case 'Succeeded':
      if (!isReportedKept(operation)) return undefined;
      return {
        type: 'Phase',
        reason: phase,
        message: `is kept although it is deleted: ${text}`,
        level: 'wait',
        since: operation.metadata.deletionTimestamp,
        rule: exitOf(operation, phase, text),
      };
    case 'Paused':
      return {
        type: 'Phase',
        reason: phase,
        message: `is paused: ${text}`,
        level: 'hold',
        since,
        rule: { next: 'It goes on when a user says so', run: () => [capstan('continue operation', operation)] },
      };
    case 'Held':
    case 'TornDown':
    case 'RolledBack':
    case 'Cancelled':
      return {
        type: 'Phase',
        reason: phase,
        message: `is ${phase}: ${text}`,
        level: 'fault',
        since: ended ?? since,
        rule: { by: failing(text), stays: true, ...exitOf(operation, phase, text) },
      };
    default:
      if (!late && isRefused(operation))
        return {
          type: 'Phase',
          reason: toBeMended,
          message: `cannot go on, ${text.startsWith('Preflight') ? text : steps(operation)}`,
          level: 'fault',
          since,
          rule: { by: failing(text), next: `It looks again within a minute. ${deadline(operation)}`, run: edits(text) },
        };
      return {
        type: 'Phase',
        reason: late ? 'Late' : phase,
        message: late ? text : `waits in the ${type} of the cluster, ${steps(operation)}`,
        level: late ? 'fault' : 'wait',
        since,
        rule: {
          by: obstacles,
          isTelling: true,
          next: isDeleting(operation) ? `${deadline(operation)}. It is gone when it has ended` : deadline(operation),
          ...(late && { run: () => [capstan('cancel operation', operation)] }),
        },
      };
  }
};

export const clusterOperationCauses: CauseRules = {
  group: 'capstan.dev',
  kind: 'ClusterOperation',
  others: (object, graph) => {
    const complaint = complaintOf(object as Operation, graph);
    return complaint ? [{ object, ...complaint }] : [];
  },
  isRecord: isOver,
  // Its other complaint says the same, and what it is the record of.
  conditions: { Deleting: { bad: 'Never', fine: ['Kept'] } },
};
