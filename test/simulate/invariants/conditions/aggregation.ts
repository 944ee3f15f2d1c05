import { isDeepStrictEqual } from 'node:util';
import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { WorkloadSnapshotObject } from '../../../../kinds/core/workload-snapshot/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { type Claim, eventually } from '../eventually.ts';
import {
  anyOf,
  clusterName,
  controlled,
  isControlPlane,
  isGoing,
  isPaused,
  isWorkedOn,
  not,
  portionOf,
  revision,
  verdictOf,
  worstOf,
} from '../relations.ts';
import type { Rule } from '../rule.ts';

/** Cluster API kinds, which have a Paused condition. */
export const pausable = [
  'Cluster',
  'KubeadmControlPlane',
  'MachineDeployment',
  'MachineSet',
  'Machine',
  'KubeadmConfig',
] as const;
const counters = { readyReplicas: 'Ready', availableReplicas: 'Available', upToDateReplicas: 'UpToDate' } as const;
const sums = ['replicas', 'readyReplicas', 'availableReplicas', 'upToDateReplicas'] as const;
const remediations = ['remediation-in-progress', 'remediation-for'].map(
  (name) => `controlplane.cluster.x-k8s.io/${name}`,
);
const components = ['APIServerPodHealthy', 'ControllerManagerPodHealthy', 'SchedulerPodHealthy', 'EtcdPodHealthy'];
const activities = ['RollingOut', 'ScalingUp', 'ScalingDown', 'Remediating'] as const;

/** Once its finalizer is removed, only the delete operation writes the Cluster's status. */
const isLetGo = ({ kind, metadata: { deletionTimestamp, finalizers = [] } }: KubeObject): boolean =>
  kind === 'Cluster' && deletionTimestamp !== undefined && !finalizers.includes('cluster.cluster.x-k8s.io');

type Counts = Partial<Record<(typeof sums)[number], number>>;
interface Old {
  readyReplicas?: number;
  updatedReplicas?: number;
  conditions?: { type: string; status: string }[];
}
/** The templates that a Machine is created from. */
const madeFrom = ({ bootstrap, infrastructureRef }: Partial<NonNullable<Machine['spec']>> = {}) => [
  bootstrap?.configRef,
  infrastructureRef,
];
const nameOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.namespace}/${metadata.name}`;
const countsOf = ({ status }: KubeObject) => (status ?? {}) as Counts & { deprecated?: { v1beta1?: Old } };
const byVersion = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });

/** The number of replicas that may be unavailable during a rollout. */
const mayLack = ({ spec }: MachineDeployment, replicas: number): number => {
  const { type, rollingUpdate: { maxSurge = 1, maxUnavailable = 0 } = {} } = spec?.rollout?.strategy ?? {};
  if (type === 'OnDelete') return 0;
  const lacks = portionOf(maxUnavailable, replicas, Math.floor);
  // Percentages may round to a rollout that could never progress.
  return Math.min(replicas, lacks === 0 && portionOf(maxSurge, replicas, Math.ceil) === 0 ? 1 : lacks);
};

export const aggregation: Rule = (setting, broken) => {
  const { mirror } = setting.world;
  type Counting = MachineSet | MachineDeployment | KubeadmControlPlane;

  function* ofMachines(owner: Counting, machines: readonly Machine[]): Generator<Claim> {
    const name = nameOf(owner);
    const status = countsOf(owner);
    const all = (type: string) => machines.map((machine) => verdictOf(machine, type));
    const count = (type: string) => all(type).filter((verdict) => verdict === 'True').length;
    const wanted = owner.spec?.replicas ?? 1;
    yield { what: `replicas of ${name}`, is: status.replicas ?? 0, should: machines.length };
    for (const [field, type] of Object.entries(counters) as [keyof typeof counters, string][])
      yield { what: `${field} of ${name}`, is: status[field] ?? 0, should: count(type) };
    const nodes = status.deprecated?.v1beta1?.readyReplicas ?? 0;
    if (owner.kind !== 'MachineDeployment')
      yield { what: `readyReplicas (v1beta1) of ${name}`, is: nodes, should: count('NodeReady') };
    for (const [type, of] of [
      ['MachinesReady', 'Ready'],
      ['MachinesUpToDate', 'UpToDate'],
    ] as const)
      yield { what: `${type} of ${name}`, is: verdictOf(owner, type), should: worstOf(all(of)) };
    const verdict = (isSo: boolean) => (isSo ? 'True' : 'False');
    const up = verdict(machines.length < wanted);
    yield { what: `ScalingUp of ${name}`, is: verdictOf(owner, 'ScalingUp'), should: up };
    const down = verdict(machines.length > wanted);
    yield { what: `ScalingDown of ${name}`, is: verdictOf(owner, 'ScalingDown'), should: down };
    if (owner.kind === 'MachineSet') return;
    const isOutdated = all('UpToDate').includes('False');
    yield { what: `RollingOut of ${name}`, is: verdictOf(owner, 'RollingOut'), should: verdict(isOutdated) };
  }

  /**
   * The version is that of the oldest machine, until all are upgraded. The last remediation is the
   * latest one recorded.
   */
  function* ofControlPlane(owner: KubeadmControlPlane, machines: readonly Machine[]): Generator<Claim> {
    const [lowest] = machines.map(({ spec }) => spec?.version ?? '').sort(byVersion);
    yield { what: `version of ${nameOf(owner)}`, is: owner.status?.version, should: lowest };
    const noted = [owner, ...machines].flatMap(({ metadata: { annotations = {} } }) =>
      remediations.flatMap((name) => annotations[name] ?? []),
    );
    const last = noted
      .map((text) => (JSON.parse(text) as { timestamp: string }).timestamp)
      .sort()
      .at(-1);
    if (last)
      yield { what: `last remediation of ${nameOf(owner)}`, is: owner.status?.lastRemediation?.time, should: last };
  }

  /**
   * One healthy machine makes the control plane available, given a majority of healthy etcd members
   * and existing certificates.
   */
  function* ofServing(owner: KubeadmControlPlane, machines: readonly Machine[]): Generator<Claim> {
    const { namespace = '', labels = {} } = owner.metadata;
    const seen = mirror.get<WorkloadSnapshotObject>('WorkloadSnapshot', namespace, labels[clusterName] ?? '')?.spec;
    const voters = seen?.etcd?.members.filter(({ isLearner }) => !isLearner) ?? [];
    const isWell = (types: readonly string[]) => (machine: Machine) =>
      !isGoing(machine) && types.every((type) => verdictOf(machine, type) === 'True');
    const well = new Set(machines.filter(isWell(['EtcdMemberHealthy'])).map(({ status }) => status?.nodeRef?.name));
    const isMost = voters.filter(({ name }) => well.has(name)).length * 2 > voters.length;
    const hasKeys = verdictOf(owner, 'CertificatesAvailable') === 'True';
    if (seen?.reachable && seen.failures === 0 && isMost && hasKeys && machines.some(isWell(components)))
      yield { what: `Available of ${nameOf(owner)}`, is: verdictOf(owner, 'Available'), should: 'True' };
  }

  function* ofDeployment(deployment: MachineDeployment, sets: readonly MachineSet[]): Generator<Claim> {
    const { availableReplicas = 0, deprecated } = countsOf(deployment);
    const revisionOf = ({ metadata }: KubeObject) => metadata.annotations?.[revision];
    const current = sets.find((set) => revisionOf(set) === revisionOf(deployment));
    // A paused deployment, or one whose template is missing, may have no matching set yet.
    const isSame =
      current &&
      current.spec?.template.spec.version === deployment.spec?.template.spec.version &&
      isDeepStrictEqual(madeFrom(current.spec?.template.spec), madeFrom(deployment.spec?.template.spec));
    if (isSame && !deployment.spec?.paused)
      yield {
        what: `updatedReplicas (v1beta1) of ${nameOf(deployment)}`,
        is: deprecated?.v1beta1?.updatedReplicas ?? 0,
        should: countsOf(current).replicas ?? 0,
      };
    const replicas = deployment.spec?.replicas ?? 1;
    const should = availableReplicas >= replicas - mayLack(deployment, replicas) ? 'True' : 'False';
    yield { what: `Available of ${nameOf(deployment)}`, is: verdictOf(deployment, 'Available'), should };
    const old = deprecated?.v1beta1?.conditions?.find(({ type }) => type === 'Available');
    if (old) yield { what: `Available (v1beta1) of ${nameOf(deployment)}`, is: old.status, should };
  }

  /** A paused deployment scales its sets in proportion and stays within maxSurge. */
  function* ofPaused(deployment: MachineDeployment, sets: readonly MachineSet[]): Generator<Claim> {
    const { replicas = 1, rollout, paused } = deployment.spec ?? {};
    const { type, rollingUpdate: { maxSurge = 1 } = {} } = rollout?.strategy ?? {};
    const sum = sets.reduce((total, { spec }) => total + (spec?.replicas ?? 0), 0);
    if (!paused || type === 'OnDelete' || typeof maxSurge !== 'number') return;
    const isWithin = sum >= replicas && sum <= replicas + maxSurge;
    yield {
      what: `whether ${sum} replicas are within the limits of ${nameOf(deployment)}, which is paused,`,
      is: isWithin,
      should: true,
    };
  }

  const isOf = (cluster: Cluster) => (object: KubeObject) =>
    object.metadata.namespace === cluster.metadata.namespace &&
    object.metadata.labels?.[clusterName] === cluster.metadata.name;
  const isStandalone = ({ metadata }: KubeObject) => !metadata.ownerReferences?.some(({ controller }) => controller);

  function* ofCluster(cluster: Cluster): Generator<Claim> {
    const name = nameOf(cluster);
    const all = <T extends KubeObject>(kind: string) => mirror.all<T>(kind).filter(isOf(cluster));
    const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
    const part = ({ kind, name: of }: { kind: string; name: string }) =>
      mirror.get<KubeObject>(kind, cluster.metadata.namespace!, of);
    const controlPlane = controlPlaneRef && part(controlPlaneRef);
    const infrastructure = infrastructureRef && part(infrastructureRef);
    const deployments = all('MachineDeployment');
    const sets = all('MachineSet').filter(isStandalone);
    const machines = all<Machine>('Machine');
    const lonely = machines.filter((machine) => isStandalone(machine) && !isControlPlane(machine));
    const reported = (cluster.status ?? {}) as { controlPlane?: Counts; workers?: Counts };
    const ofStandalone = (field: (typeof sums)[number]) =>
      field === 'replicas'
        ? lonely.length
        : lonely.filter((machine) => verdictOf(machine, counters[field]) === 'True').length;
    for (const field of sums) {
      const sum = [...deployments, ...sets].reduce((total, one) => total + (countsOf(one)[field] ?? 0), 0);
      yield {
        what: `${field} of workers of ${name}`,
        is: reported.workers?.[field] ?? 0,
        should: sum + ofStandalone(field),
      };
      const should = (controlPlane && countsOf(controlPlane)[field]) ?? 0;
      yield { what: `${field} of the control plane of ${name}`, is: reported.controlPlane?.[field] ?? 0, should };
    }
    const is = (type: string) => verdictOf(cluster, type);
    const workers = deployments.map((one) => verdictOf(one, 'Available'));
    yield { what: `WorkersAvailable of ${name}`, is: is('WorkersAvailable'), should: worstOf(workers) };
    for (const [type, object, of] of [
      ['ControlPlaneAvailable', controlPlane, 'Available'],
      ['InfrastructureReady', infrastructure, 'Ready'],
    ] as const)
      if (object && verdictOf(object, of))
        yield { what: `${type} of ${name}`, is: is(type), should: verdictOf(object, of) };
    for (const [group, those] of [
      ['ControlPlane', machines.filter(isControlPlane)],
      ['Worker', machines.filter((machine) => !isControlPlane(machine))],
    ] as const)
      for (const type of ['Ready', 'UpToDate'] as const) {
        const should = worstOf(those.map((machine) => verdictOf(machine, type)));
        yield { what: `${group}Machines${type} of ${name}`, is: is(`${group}Machines${type}`), should };
      }
    const busy = [...(controlPlane ? [controlPlane] : []), ...deployments, ...sets];
    for (const type of activities) {
      const reporting = busy.map((one) => verdictOf(one, type)).filter((one) => one !== undefined);
      yield { what: `${type} of ${name}`, is: is(type), should: anyOf(reporting) };
    }
    const reasons = ['RemoteConnectionProbe', 'InfrastructureReady', 'ControlPlaneAvailable', 'WorkersAvailable'];
    const gates = (cluster.spec?.availabilityGates ?? []).map(({ conditionType, polarity }) =>
      polarity === 'Negative' ? not(is(conditionType)) : is(conditionType),
    );
    const should = worstOf([...reasons.map(is), ...gates]);
    yield { what: `Available of ${name}`, is: is('Available'), should };
  }

  return eventually(setting, broken, function* () {
    const isObserved = (object: KubeObject) => !isGoing(object) && isWorkedOn(mirror, object);
    for (const kind of ['MachineSet', 'KubeadmControlPlane'] as const)
      for (const owner of mirror.all<MachineSet | KubeadmControlPlane>(kind).filter(isObserved))
        yield* ofMachines(owner, controlled(mirror, 'Machine', owner));
    for (const owner of mirror.all<KubeadmControlPlane>('KubeadmControlPlane').filter(isObserved)) {
      const machines = controlled<Machine>(mirror, 'Machine', owner);
      yield* ofControlPlane(owner, machines);
      yield* ofServing(owner, machines);
    }
    for (const deployment of mirror.all<MachineDeployment>('MachineDeployment').filter(isObserved)) {
      const sets = controlled<MachineSet>(mirror, 'MachineSet', deployment);
      yield* ofMachines(
        deployment,
        sets.flatMap((set) => controlled<Machine>(mirror, 'Machine', set)),
      );
      yield* ofDeployment(deployment, sets);
      yield* ofPaused(deployment, sets);
    }
    for (const cluster of mirror.all<Cluster>('Cluster').filter(isObserved)) yield* ofCluster(cluster);
    for (const kind of pausable)
      for (const object of mirror.all(kind))
        if (verdictOf(object, 'Paused') && !isLetGo(object))
          yield {
            what: `Paused of ${nameOf(object)}`,
            is: verdictOf(object, 'Paused'),
            should: isPaused(mirror, object) ? 'True' : 'False',
          };
  });
};
