/** The steps of a create, in the order of its workflow; Preflight is in task.ts. */
import { conditionOf, isTrue } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { absenceOf, found, type Read } from '../../../machinery/api/reconcile.ts';
import { aboutCluster } from '../../common/clusters-in-messages.ts';
import { controllerOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { countsOf, endpointOf, isProvisioned } from '../../core/contract/cluster.ts';
import { holdAmong } from '../../core/contract/hold.ts';
import { isDeleting } from '../../core/contract/machines.ts';
import { wasAvailable } from '../../core/contract/target.ts';
import {
  causeOfMachines,
  complaintOf,
  conditionsOf,
  isControlPlaneMachine,
  obstacleOf,
  oneLine,
  troubleOf,
  withCause,
} from '../shared/cause.ts';
import { type ClusterState, done, type Judge, type Judgement, pending, unless } from '../shared/cluster-state.ts';

export const createSteps = [
  'Preflight',
  'Network',
  'LoadBalancer',
  'FirstControlPlaneMachine',
  'ControlPlane',
  'Workers',
  'AddOns',
  'Available',
] as const;
export type CreateStep = (typeof createSteps)[number];

const objectOf = (read: Read<KubeObject> | undefined, what: string): KubeObject | Judgement => {
  if (read?.state === 'found') return read.value;
  if (read?.state === 'unreadable') return pending(`${what} cannot be read: ${read.reason}`);
  return pending(read ? absenceOf(read, what) : `${what} does not exist`);
};
const isJudgement = (value: KubeObject | Judgement): value is Judgement => 'verdict' in value;

const infrastructureCause = (infrastructure: KubeObject, types: readonly string[]): string | undefined =>
  holdAmong([infrastructure]) ?? troubleOf(infrastructure)?.text ?? complaintOf(infrastructure, ...types, 'Ready');

const network: Judge = ({ cluster, infrastructure, provider }) => {
  const object = objectOf(infrastructure, 'the infrastructure of the Cluster');
  if (isJudgement(object)) return object;
  if (isProvisioned(object) || isTrue(cluster.status?.conditions, 'InfrastructureReady')) return done;
  const types = provider.unfinishedNetwork(object);
  return unless(types.length === 0, () =>
    withCause(
      `waiting for ${types.join(', ')} of ${object.kind} ${object.metadata.name}`,
      infrastructureCause(object, types),
    ),
  );
};

const loadBalancer: Judge = ({ cluster, infrastructure, provider }) => {
  const object = objectOf(infrastructure, 'the infrastructure of the Cluster');
  if (isJudgement(object)) return object;
  const isThere = isProvisioned(object) || provider.loadBalancer.isReady(object);
  if (!isThere)
    return pending(
      withCause(
        'waiting for the load balancer of the API',
        infrastructureCause(object, [provider.loadBalancer.condition]),
      ),
    );
  return unless(endpointOf(cluster) !== undefined, () =>
    withCause('waiting for spec.controlPlaneEndpoint of the Cluster', complaintOf(cluster)),
  );
};

const controlPlaneCause = (clusterState: ClusterState): string | undefined => {
  const { infrastructure, controlPlane, machines } = clusterState;
  const [infra, plane] = [infrastructure && found(infrastructure), controlPlane && found(controlPlane)];
  return (
    causeOfMachines(machines.filter(isControlPlaneMachine), clusterState) ??
    (infra && troubleOf(infra)?.text) ??
    (plane && complaintOf(plane, 'MachinesReady', 'Initialized', 'CertificatesAvailable', 'Available')) ??
    (plane && obstacleOf(plane))
  );
};

const firstControlPlaneMachine: Judge = (clusterState) => {
  const isInitialized = clusterState.cluster.status?.initialization?.controlPlaneInitialized === true;
  return unless(isInitialized, () =>
    withCause('waiting for the first control-plane machine to serve the API', controlPlaneCause(clusterState)),
  );
};

const controlPlane: Judge = (clusterState) => {
  const { cluster, machines } = clusterState;
  const conditions = cluster.status?.conditions;
  if (clusterState.controlPlane === undefined) {
    const planes = machines.filter((machine) => isControlPlaneMachine(machine) && !isDeleting(machine));
    const ready = planes.filter((machine) => isTrue(conditionsOf(machine), 'Ready'));
    return unless(planes.length > 0 && ready.length === planes.length, () =>
      withCause(
        `waiting for the control plane: ${ready.length} of ${planes.length} machines are ready`,
        controlPlaneCause(clusterState),
      ),
    );
  }
  const object = objectOf(clusterState.controlPlane, 'the control plane of the Cluster');
  if (isJudgement(object)) return object;
  const { desiredReplicas, readyReplicas } = countsOf(object);
  const isDone = readyReplicas >= desiredReplicas && isTrue(conditions, 'ControlPlaneAvailable');
  return unless(isDone, () =>
    withCause(
      `waiting for the control plane: ${readyReplicas} of ${desiredReplicas} machines are ready`,
      controlPlaneCause(clusterState) ?? complaintOf(cluster, 'ControlPlaneAvailable'),
    ),
  );
};

const workers: Judge = (clusterState) => {
  const { cluster, machineDeployments, machineSets, machinePools, machines } = clusterState;
  const standaloneSets = machineSets.filter((set) => !controllerOf(set));
  const sets = [...machineDeployments, ...standaloneSets, ...machinePools].filter((set) => !isDeleting(set));
  const members = machines.filter((machine) => !isControlPlaneMachine(machine));
  const standalone = members.filter((machine) => !controllerOf(machine) && !isDeleting(machine));
  const wanted = sets.reduce((sum, set) => sum + countsOf(set).desiredReplicas, standalone.length);
  const ready = standalone.filter((machine) => isTrue(conditionsOf(machine), 'Available'));
  const there = sets.reduce((sum, set) => {
    const { availableReplicas, desiredReplicas } = countsOf(set);
    return sum + Math.min(availableReplicas, desiredReplicas);
  }, ready.length);
  const isDone = there >= wanted && isTrue(cluster.status?.conditions, 'WorkersAvailable');
  return unless(isDone, () =>
    withCause(
      `waiting for workers: ${there} of ${wanted} are available`,
      causeOfMachines(members, clusterState) ??
        sets.map((set) => complaintOf(set, 'MachinesReady', 'Available')).find((text) => text !== undefined) ??
        sets.map(obstacleOf).find((text) => text !== undefined),
    ),
  );
};

interface Applied {
  kind: string;
  name: string;
  applied?: boolean;
}
type Bindings = { bindings?: { clusterResourceSetName: string; resources?: Applied[] }[] };

/**
 * Resources of a ClusterResourceSet that are not applied to the cluster yet, such as "ConfigMap
 * cni".
 */
const unapplied = (set: KubeObject, binding: KubeObject | undefined): string[] => {
  const entry = (binding?.spec as Bindings | undefined)?.bindings?.find(
    ({ clusterResourceSetName }) => clusterResourceSetName === set.metadata.name,
  );
  const wanted = (set.spec as { resources?: Applied[] } | undefined)?.resources ?? [];
  const isApplied = ({ kind, name }: Applied) =>
    entry?.resources?.some((one) => one.kind === kind && one.name === name && one.applied) ?? false;
  return wanted.filter((one) => !isApplied(one)).map(({ kind, name }) => `${kind} ${name}`);
};

/** Other clusters that share the set have their own steps. */
const appliedTo = (set: KubeObject, { metadata: { name } }: Cluster): KubeObject => {
  const conditions = conditionsOf(set).flatMap((condition) => {
    const message = aboutCluster(condition.message ?? '', name);
    return message === undefined ? [] : [{ ...condition, message }];
  });
  return { ...set, status: { ...(set.status as object), conditions } };
};

const addOns: Judge = ({ cluster, resourceSets, binding }) => {
  const left = resourceSets
    .filter((set) => !isDeleting(set))
    .map((set) => ({ set, resources: unapplied(set, found(binding)) }))
    .filter(({ resources }) => resources.length > 0);
  return unless(left.length === 0, () => {
    const { set, resources } = left[0]!;
    const what = `waiting for ClusterResourceSet ${set.metadata.name} to apply ${resources.join(', ')}`;
    return withCause(what, complaintOf(appliedTo(set, cluster), 'ResourcesApplied'));
  });
};

const available: Judge = ({ cluster }) => {
  const condition = conditionOf(conditionsOf(cluster), 'Available');
  return unless(wasAvailable(cluster), () =>
    withCause('waiting for the Cluster to be Available', condition?.message ? oneLine(condition.message) : undefined),
  );
};

/**
 * Whether the Cluster asks for its infrastructure only: a client that installs the control plane by
 * itself, or adds Machines later, does the rest.
 */
export const isInfrastructureOnly = (clusterState: ClusterState): boolean => {
  const { controlPlane, machines, machineDeployments, machineSets, machinePools } = clusterState;
  const workers = [machines, machineDeployments, machineSets, machinePools];
  return controlPlane === undefined && workers.every(({ length }) => length === 0);
};

/** The steps after the load balancer: without machines there is nothing to wait for. */
const unlessInfrastructureOnly =
  (judge: Judge): Judge =>
  (clusterState) =>
    isInfrastructureOnly(clusterState) ? done : judge(clusterState);

export const judgeCreate: Record<Exclude<CreateStep, 'Preflight'>, Judge> = {
  Network: network,
  LoadBalancer: loadBalancer,
  FirstControlPlaneMachine: unlessInfrastructureOnly(firstControlPlaneMachine),
  ControlPlane: unlessInfrastructureOnly(controlPlane),
  Workers: unlessInfrastructureOnly(workers),
  AddOns: unlessInfrastructureOnly(addOns),
  Available: unlessInfrastructureOnly(available),
};
