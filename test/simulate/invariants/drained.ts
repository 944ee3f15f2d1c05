/** No machine that its owner lets go ends before the pods on its node were asked to leave. */
import type { AWSMachine } from '../../../kinds/aws-machine/index.ts';
import type { Cluster } from '../../../kinds/cluster/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import {
  controllerOf,
  isMirrorPod,
  isTrue,
  type NodeObject,
  type PodObject,
} from '../../../simulation/workload/objects.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';

const rule = 'drained';

/** Those that an eviction is for. */
const isGuest = (pod: PodObject) =>
  !isMirrorPod(pod) &&
  controllerOf(pod)?.kind !== 'DaemonSet' &&
  !pod.metadata.deletionTimestamp &&
  pod.status?.phase === 'Running';

/** Whether its users wait no longer for its pods than until now. */
const isOverdue = ({ metadata, spec }: Machine, now: number) => {
  const { nodeDrainTimeoutSeconds: most = 0 } = spec?.deletion ?? {};
  return most > 0 && now - Date.parse(metadata.deletionTimestamp!) >= most * 1000;
};

export const drained = ({ world }: Setting): Invariant => {
  const { clock, guests, mirror } = world;

  /** The Machine of an instance, if it goes in an orderly way. */
  const leaving = (instanceId: string): Machine | undefined => {
    const infrastructure = mirror.all<AWSMachine>('AWSMachine').find(({ spec }) => spec?.instanceID === instanceId);
    const owner = infrastructure?.metadata.ownerReferences?.find(({ kind }) => kind === 'Machine');
    const machine = owner && mirror.get<Machine>('Machine', infrastructure!.metadata.namespace ?? '', owner.name);
    if (!machine?.metadata.deletionTimestamp || !machine.status?.nodeRef) return undefined;
    const { deletionTimestamp: since } = infrastructure!.metadata;
    // Somebody took what it runs on first: nothing is left to be drained.
    if (since !== undefined && since < machine.metadata.deletionTimestamp) return undefined;
    if (isOverdue(machine, clock.now())) return undefined;
    const cluster = mirror.get<Cluster>('Cluster', machine.metadata.namespace ?? '', machine.spec?.clusterName ?? '');
    const isEnding =
      !cluster ||
      cluster.metadata.deletionTimestamp !== undefined ||
      cluster.metadata.annotations?.['capstan.dev/target'] === 'Nothing';
    return isEnding ? undefined : machine;
  };
  const look = async (instanceId: string, machine: Machine) => {
    const guest = guests.guests().find(({ instance }) => instance.instanceId === instanceId);
    const cluster = guests.clusters.get(guest?.kubelet?.cluster ?? '');
    const name = machine.status?.nodeRef?.name;
    if (!cluster) return;
    const node = (await cluster.list<NodeObject>('nodes')).find(({ metadata }) => metadata.name === name);
    // Of a node that nobody hears of nobody waits for an answer.
    if (!node || !isTrue(node, 'Ready')) return;
    const left = (await cluster.list<PodObject>('pods')).filter((pod) => pod.spec?.nodeName === name && isGuest(pod));
    if (left.length === 0) return;
    const pods = left.map(({ metadata }) => metadata.name).join(', ');
    throw new Violation(rule, `${machine.metadata.name} was terminated with ${pods} on it`);
  };
  return {
    onCall: ({ action, input, happened }) => {
      if (action !== 'TerminateInstances' || !happened) return;
      for (const id of (input as { InstanceIds: string[] }).InstanceIds) {
        const machine = leaving(id);
        if (machine) void look(id, machine).catch(mirror.breaks);
      }
    },
  };
};
