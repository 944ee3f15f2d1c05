import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import { limitsOf } from '../../../../kinds/core/machine-deployment/rollout.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { takenOver, unheard } from '../grace.ts';
import { conditionIn, isTrue, objectTargetsOf } from '../relations.ts';
import type { Rule } from '../rule.ts';

/** Workers' clocks differ by seconds, and times are whole seconds. */
const slack = 10_000;
/** The longest time between the reads and the writes of a pass. */
const pass = 60_000;
/** The longest duration of a pass. */
const lease = 130_000;
/** Conditions that are true only if these others are true. */
const because: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Cluster: { Available: ['RemoteConnectionProbe', 'InfrastructureReady', 'ControlPlaneAvailable', 'WorkersAvailable'] },
  Machine: {
    Ready: ['BootstrapConfigReady', 'InfrastructureReady', 'NodeHealthy'],
    NodeHealthy: ['NodeReady'],
    Available: ['Ready'],
  },
};
/** Gates with positive polarity, which is the default. */
const gatesOf = ({ spec }: Machine): string[] =>
  (spec?.readinessGates ?? []).flatMap(({ conditionType, polarity }) => (polarity === 'Negative' ? [] : conditionType));
const minorOf = (version = '') => Number(version.split('.')[1]);
const isOlder = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true }) < 0;

export const consistency: Rule = ({ world, has }, broken) => {
  const { mirror, clock } = world;
  /** By Machine: when its minReadySeconds last changed. */
  const changed = new Map<string, number>();
  /** By control plane: the minor versions that its spec had, and until when. */
  const minors = new Map<string, Map<number, number>>();
  const fail = ({ kind, metadata }: KubeObject, what: string) => {
    throw broken(`${kind} ${metadata.name} ${what}`);
  };
  const expectReasons = (object: KubeObject) => {
    for (const [type, others] of Object.entries(because[object.kind] ?? {}))
      for (const other of others)
        if (isTrue(object, type) && conditionIn(object, other) && !isTrue(object, other))
          fail(
            object,
            `is ${type}, but its ${other} is ${conditionIn(object, other)?.status} (${conditionIn(object, other)?.message})`,
          );
  };

  const onMachine = (machine: Machine, before: Machine | undefined, writer: string | undefined) => {
    const { uid = '', deletionTimestamp } = machine.metadata;
    const { phase, nodeRef, initialization, lastUpdated } = machine.status ?? {};
    if (before && machine.spec?.minReadySeconds !== before.spec?.minReadySeconds) changed.set(uid, clock.now());
    if (writer !== 'machine') return;
    const closed = gatesOf(machine).find((type) => !isTrue(machine, type));
    if (isTrue(machine, 'Ready') && closed)
      fail(machine, `is Ready, but its gate ${closed} is ${conditionIn(machine, closed)?.status}`);
    if (phase === 'Running' && !nodeRef) fail(machine, 'is Running without a Node');
    const isThere = nodeRef && initialization?.infrastructureProvisioned && !deletionTimestamp;
    if (isThere && phase !== 'Running') fail(machine, `is ${phase}, but has a Node and a host`);
    const was = before?.status;
    // A frozen worker may write an outdated state.
    const isFresh = !has('worker.late') && !has('worker.frozen');
    if (isFresh && was?.lastUpdated && was.phase === phase && was.lastUpdated !== lastUpdated)
      fail(machine, `is ${phase} since ${was.lastUpdated}, but has lastUpdated ${lastUpdated}`);
    const isOther = phase !== undefined && was?.phase !== phase;
    if (isFresh && isOther && clock.now() - Date.parse(lastUpdated ?? '') > lease)
      fail(machine, `is ${phase} since now, but has lastUpdated ${lastUpdated}`);
    const { minReadySeconds = 0 } = machine.spec ?? {};
    const isAsked = clock.now() - (changed.get(uid) ?? Number.NEGATIVE_INFINITY) > takenOver(has);
    if (!isFresh || !isAsked || !isTrue(machine, 'Available') || isTrue(before, 'Available')) return;
    const since = Date.parse(conditionIn(machine, 'Ready')?.lastTransitionTime ?? '');
    if (clock.now() - since < minReadySeconds * 1000 - slack)
      fail(machine, `is Available ${(clock.now() - since) / 1000} s after it became Ready, not ${minReadySeconds} s`);
  };

  const onDeployment = (deployment: MachineDeployment, writer: string | undefined) => {
    const { metadata, status, spec } = deployment;
    if (writer !== 'machine-deployment' || metadata.deletionTimestamp) return;
    if (status?.observedGeneration !== metadata.generation) return;
    const { replicas = 0, availableReplicas = 0, phase } = status ?? {};
    const { replicas: wanted, maxUnavailable } = limitsOf(deployment);
    if (isTrue(deployment, 'Available') && availableReplicas < wanted - maxUnavailable)
      fail(deployment, `is Available with ${availableReplicas} of ${wanted} machines`);
    const isOther = (phase === 'Running' && replicas !== wanted) || (phase === 'ScalingUp' && replicas >= wanted);
    if (spec && isOther) fail(deployment, `is ${phase} with ${replicas} of ${wanted} machines`);
  };

  const onControlPlane = (controlPlane: KubeadmControlPlane, before: KubeadmControlPlane | undefined) => {
    const { uid = '' } = controlPlane.metadata;
    const known = minors.get(uid) ?? new Map<number, number>();
    minors.set(uid, known);
    if (before && before.spec?.version !== controlPlane.spec?.version) versioned.set(uid, clock.now());
    if (before && before.spec?.version !== controlPlane.spec?.version)
      known.set(minorOf(before.spec?.version), clock.now());
    const { version } = controlPlane.status ?? {};
    if (!version || version === before?.status?.version) return;
    const old = mirror
      .all<Machine>('Machine')
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid))
      .filter(({ metadata }) => clock.now() - Date.parse(metadata.creationTimestamp!) > takenOver(has))
      .find(({ spec }) => isOlder(spec?.version ?? version, version));
    if (old && !has('worker.late'))
      fail(controlPlane, `reports ${version}, but ${old.metadata.name} has ${old.spec?.version}`);
  };

  /** kubeadm cannot join a machine of another minor version. */
  const onNewWorker = (machine: Machine) => {
    const { namespace = '' } = machine.metadata;
    const { clusterName = '', version, bootstrap } = machine.spec ?? {};
    const { controlPlaneRef } = mirror.get<Cluster>('Cluster', namespace, clusterName)?.spec ?? {};
    const controlPlane = mirror.get<KubeadmControlPlane>('KubeadmControlPlane', namespace, controlPlaneRef?.name ?? '');
    if (!controlPlane?.spec || !version || bootstrap?.configRef?.kind !== 'KubeadmConfig' || has('worker.late')) return;
    const until = minors.get(controlPlane.metadata.uid ?? '')?.get(minorOf(version)) ?? Number.NEGATIVE_INFINITY;
    if (minorOf(controlPlane.spec.version) !== minorOf(version) && clock.now() - until > unheard(has))
      fail(machine, `has version ${version}, but its control plane has ${controlPlane.spec.version}`);
    expectStable(machine, controlPlane);
  };

  /** By control plane: when its spec's version last changed. */
  const versioned = new Map<string, number>();
  /** No Machine is created while the control plane is being upgraded; one that was rolled back stays as it is. */
  const expectStable = (machine: Machine, { metadata: { uid = '', name }, spec }: KubeadmControlPlane) => {
    const cluster = mirror.get<Cluster>('Cluster', machine.metadata.namespace ?? '', machine.spec?.clusterName ?? '');
    if (cluster && objectTargetsOf(cluster)[`KubeadmControlPlane/${name}`]?.target === 'RollBack') return;
    const known = world.isHeldUp ? unheard(has) : pass;
    if (clock.now() - (versioned.get(uid) ?? Number.NEGATIVE_INFINITY) <= known) return;
    const old = mirror
      .all<Machine>('Machine')
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.controller && owner.uid === uid))
      .find((one) => isOlder(one.spec?.version ?? spec!.version, spec!.version));
    if (old)
      fail(
        machine,
        `is created while ${name} still has to replace ${old.metadata.name} of version ${old.spec?.version}`,
      );
  };

  return {
    onCommit: ({ event, object, before, writer }) => {
      if (!object) return;
      if (writer && before?.status !== object.status) expectReasons(object);
      if (object.kind === 'Machine') {
        onMachine(object as Machine, before as Machine | undefined, writer);
        if (event === 'ADDED' && writer === 'machine-set') onNewWorker(object as Machine);
      }
      if (object.kind === 'MachineDeployment') onDeployment(object as MachineDeployment, writer);
      if (object.kind === 'KubeadmControlPlane')
        onControlPlane(object as KubeadmControlPlane, before as KubeadmControlPlane | undefined);
    },
  };
};
