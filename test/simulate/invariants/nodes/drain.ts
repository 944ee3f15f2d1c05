import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import {
  conditionOf,
  controllerOf,
  isMirrorPod,
  isTrue,
  type NodeObject,
  type PodObject,
} from '../../../../simulation/workload/objects.ts';
import { isEnding, isForeground } from '../deletion.ts';
import type { Rule } from '../rule.ts';

/** Workers' clocks are wrong by up to two seconds, and times are whole seconds. */
const clockTolerance = 5000;
/**
 * The time in which the worker that deregisters the host notices the deletion and reads what it
 * needs.
 */
const hearing = 3000;
const unawaited = 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach';
const excluded = 'machine.cluster.x-k8s.io/exclude-node-draining';

const isToBeLeft = ({ metadata }: PodObject) => metadata.labels?.['cluster.x-k8s.io/drain'] === 'skip';
const isSkipped = (pod: PodObject) =>
  isToBeLeft(pod) && !pod.metadata.deletionTimestamp && pod.status?.phase === 'Running';
/** Whether the drain waits for the pod to complete. */
const isPatient = ({ metadata, status }: PodObject) =>
  /^wait-?completed$/i.test(metadata.labels?.['cluster.x-k8s.io/drain'] ?? '') &&
  !metadata.deletionTimestamp &&
  status?.phase === 'Running';
/** Pods that the drain evicts and that still run. */
const isGuest = (pod: PodObject) =>
  !isMirrorPod(pod) && !isToBeLeft(pod) && controllerOf(pod)?.kind !== 'DaemonSet' && pod.status?.phase === 'Running';

/** Whether the drain timeout has passed, or the Machine is excluded from draining. */
const isOverdue = ({ metadata, spec, status }: Machine, now: number) => {
  const { nodeDrainTimeoutSeconds: most = 0 } = spec?.deletion ?? {};
  if (metadata.annotations?.[excluded] !== undefined) return true;
  // A wait for hooks does not start the drain timeout.
  const { nodeDrainStartTime: since } = status?.deletion ?? {};
  return most > 0 && since !== undefined && now - Date.parse(since) >= most * 1000 - clockTolerance;
};

/** Whether the volume detach timeout has passed, or the Machine does not wait for volumes. */
const isPastWaiting = ({ metadata, spec, status }: Machine, now: number) => {
  if (metadata.annotations?.[unawaited] !== undefined) return true;
  const { nodeVolumeDetachTimeoutSeconds: most = 0 } = spec?.deletion ?? {};
  const { waitForNodeVolumeDetachStartTime: since } = status?.deletion ?? {};
  return most > 0 && since !== undefined && now - Date.parse(since) >= most * 1000 - clockTolerance;
};

/** Milliseconds after a Node became ready again in which decisions may stem from its absence. */
const justBack = 2 * 60_000;
const readySince = (node: NodeObject): number => Date.parse(conditionOf(node, 'Ready')?.lastTransitionTime ?? '') || 0;

interface Attachment extends KubeObject {
  spec?: { nodeName?: string; source?: { persistentVolumeName?: string } };
  status?: { attached?: boolean };
}

type Volume = KubeObject<{ claimRef?: { namespace?: string; name?: string } }>;
type Claiming = { volumes?: { persistentVolumeClaim?: { claimName: string } }[] };
/** Volumes of the pods that the drain skips. */
const keptVolumes = (volumes: readonly Volume[], staying: readonly PodObject[]): ReadonlySet<string> => {
  const claims = new Set(
    staying.flatMap(({ metadata, spec }) =>
      ((spec as Claiming | undefined)?.volumes ?? []).map(
        ({ persistentVolumeClaim: claim }) => `${metadata.namespace}/${claim?.claimName}`,
      ),
    ),
  );
  const isKept = ({ spec }: Volume) => claims.has(`${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`);
  return new Set(volumes.filter(isKept).map(({ metadata }) => metadata.name));
};

const pods = /\/pods(?:\/[^/]+)?$/;

export const drain: Rule = ({ world, has }, broken) => {
  const { clock, guests, mirror } = world;
  world.onAsked((asked) => {
    if (asked.port !== 'cluster' || asked.method !== 'DELETE') return;
    const { pathname } = new URL(asked.url);
    if (pods.test(pathname)) throw broken(`DELETE ${pathname} bypasses disruption budgets`);
  });

  /** Uids of AWSMachines that a user deleted, which skips the drain. */
  const taken = new Set<string>();
  const hostOf = (instanceId: string) =>
    mirror.all<AWSMachine>('AWSMachine').find(({ spec }) => spec?.instanceID === instanceId);
  /** The Machine of an instance, if its deletion includes a drain. */
  const leaving = (instanceId: string): Machine | undefined => {
    const infrastructure = hostOf(instanceId);
    const owner = infrastructure?.metadata.ownerReferences?.find(({ kind }) => kind === 'Machine');
    const machine = owner && mirror.get<Machine>('Machine', infrastructure!.metadata.namespace ?? '', owner.name);
    if (!machine?.metadata.deletionTimestamp || !machine.status?.nodeRef || isForeground(machine)) return undefined;
    const { deletionTimestamp: since, uid = '' } = infrastructure!.metadata;
    if (taken.has(uid)) return undefined;
    // The AWSMachine was deleted first, so there was no drain.
    if (since !== undefined && since < machine.metadata.deletionTimestamp) return undefined;
    return isEnding(mirror, machine.metadata.namespace ?? '', machine.spec?.clusterName ?? '') ? undefined : machine;
  };
  const look = async (instanceId: string, machine: Machine) => {
    const guest = guests.guests().find(({ instance }) => instance.instanceId === instanceId);
    const cluster = guests.clusters.get(guest?.kubelet?.cluster ?? '');
    const name = machine.status?.nodeRef?.name;
    if (!cluster) return;
    const node = (await cluster.list<NodeObject>('nodes')).find(({ metadata }) => metadata.name === name);
    // The drain does not wait for pods of an unreachable Node.
    if (!node || !isTrue(node, 'Ready')) return;
    const wasAway = has('node.unready') || has('machine.silent') || has('machine.restarted');
    // A decision from that time may take effect an hour later.
    const decided = Date.parse(hostOf(instanceId)?.metadata.deletionTimestamp ?? '') || clock.now();
    if (wasAway && decided - readySince(node) < justBack) return;
    const left = (await cluster.list<PodObject>('pods')).filter((pod) => pod.spec?.nodeName === name && isGuest(pod));
    const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name).join(', ');
    const there = await cluster.list<PodObject>('pods');
    // Other controllers evict the pods of a Node that is away for minutes.
    for (const { metadata } of wasAway ? [] : (skipped.get(machine.metadata.uid!) ?? []))
      if (!there.some((one) => one.metadata.uid === metadata.uid && !one.metadata.deletionTimestamp))
        throw broken(`${metadata.name}, which the drain must skip, was evicted`);
    for (const { metadata } of wasAway || isOverdue(machine, clock.now())
      ? []
      : (patient.get(machine.metadata.uid!) ?? []))
      if (there.find((one) => one.metadata.uid === metadata.uid)?.status?.phase !== 'Succeeded')
        throw broken(`${metadata.name}, which the drain must wait for, did not complete`);
    if (left.length > 0 && !isOverdue(machine, clock.now()))
      throw broken(`${machine.metadata.name} was terminated while ${names(left)} ran on it`);
    const kept = keptVolumes(
      await cluster.list<Volume>('persistentvolumes'),
      there.filter((pod) => pod.spec?.nodeName === name && isToBeLeft(pod)),
    );
    const volumes = (await cluster.list<Attachment>('volumeattachments.storage.k8s.io')).filter(
      ({ spec, status }) =>
        spec?.nodeName === name && status?.attached && !kept.has(spec?.source?.persistentVolumeName ?? ''),
    );
    if (volumes.length > 0 && !isPastWaiting(machine, clock.now()))
      throw broken(`${machine.metadata.name} was terminated while ${names(volumes)} were attached`);
  };
  /** By the uid of a Machine in deletion: the pods on its Node that the drain must skip. */
  const skipped = new Map<string, PodObject[]>();
  /** By the uid of a Machine in deletion: the pods that the drain must let complete. */
  const patient = new Map<string, PodObject[]>();
  const noteSpared = async ({ metadata, status }: Machine) => {
    const name = status?.nodeRef?.name;
    const note = (kept: Map<string, PodObject[]>, pod: PodObject) =>
      kept.set(metadata.uid!, [...(kept.get(metadata.uid!) ?? []), pod]);
    for (const cluster of guests.clusters.all())
      for (const pod of await cluster.list<PodObject>('pods')) {
        if (!name || pod.spec?.nodeName !== name) continue;
        if (isSkipped(pod)) note(skipped, pod);
        if (isPatient(pod)) note(patient, pod);
      }
  };
  /** Uids of Machines that were excluded from draining before their deletion. */
  const spared = new Set<string>();
  const onMachine = (machine: Machine, before: Machine | undefined) => {
    const { name, uid = '', annotations, deletionTimestamp } = machine.metadata;
    if (deletionTimestamp && !before?.metadata.deletionTimestamp) void noteSpared(machine).catch(mirror.breaks);
    if (annotations?.[excluded] === undefined) spared.delete(uid);
    else if (deletionTimestamp && before && !before.metadata.deletionTimestamp) spared.add(uid);
    if (spared.has(uid) && machine.status?.deletion?.nodeDrainStartTime)
      throw broken(`${name} is drained despite annotation ${excluded}`);
  };
  /** Ids of registered load balancer targets. For the initial state the status says so. */
  const serving = new Set(
    mirror
      .all<AWSMachine>('AWSMachine')
      .flatMap((one) => (isTrue(one, 'ELBAttached') && one.spec?.instanceID ? [one.spec.instanceID] : [])),
  );
  /** Deregistering a target only at termination would break its open connections. */
  const onHost = ({ metadata, spec }: AWSMachine, before: KubeObject | undefined, writer: string | undefined) => {
    if (!metadata.deletionTimestamp || before?.metadata.deletionTimestamp) return;
    if (writer === undefined) taken.add(metadata.uid!);
    if (world.isDisturbed) return;
    const machine = leaving(spec?.instanceID ?? '');
    if (machine?.metadata.labels?.['cluster.x-k8s.io/control-plane'] === undefined) return;
    const groups = world.account.list().filter(({ type }) => type === 'target-group').length;
    if (clock.now() - Date.parse(machine.metadata.deletionTimestamp!) < hearing * groups) return;
    if (machine.metadata.annotations?.[excluded] === undefined && serving.has(spec!.instanceID!))
      throw broken(`${machine.metadata.name} is terminated while it is a load balancer target`);
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind === 'Machine') onMachine(object as Machine, before as Machine | undefined);
      if (object?.kind === 'AWSMachine') onHost(object as AWSMachine, before, writer);
    },
    onCall: ({ action, input, happened }) => {
      if (!happened) return;
      const { InstanceIds = [], Targets = [] } = input as { InstanceIds?: string[]; Targets?: { Id: string }[] };
      for (const { Id } of Targets) {
        if (action === 'RegisterTargets') serving.add(Id);
        if (action === 'DeregisterTargets') serving.delete(Id);
      }
      if (action !== 'TerminateInstances') return;
      for (const id of InstanceIds) {
        const machine = leaving(id);
        if (machine) void look(id, machine).catch(mirror.breaks);
      }
    },
  };
};
