/** The steps of deleting a cluster, and the proof that both deleting and tearing down end with. */
import { conditionOf } from '../../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { found, type Read } from '../../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../../common/filled.ts';
import { isOwnedBy } from '../../../common/owners.ts';
import { clusterUidAnnotation, pendingAnnotation } from '../../../core/contract/infrastructure.ts';
import {
  conditionsOf,
  instanceNameOf,
  isControlPlaneMachine,
  obstacleTo,
  obstacleToMachine,
  withCause,
} from './cause.ts';
import { done, type Judge, pending, type Situation, unless } from './situation.ts';

export const deleteSteps = [
  'DeleteWorkers',
  'DeleteControlPlane',
  'DeleteLoadBalancers',
  'DeleteNetwork',
  'Prove',
] as const;
export type DeleteStep = (typeof deleteSteps)[number];

const listed = 5;
/** The first few, and how many more there are. */
export const listOf = (names: readonly string[]): string => {
  const shown = names.slice(0, listed).join(', ');
  return names.length > listed ? `${shown} and ${names.length - listed} more` : shown;
};
const namesOf = (objects: readonly KubeObject[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();

const isNoted = ({ metadata }: KubeObject, annotation: string): boolean =>
  metadata.annotations?.[annotation] !== undefined;

const there = (read: Read<KubeObject> | undefined): KubeObject[] => (read?.state === 'found' ? [read.value] : []);
/** Not what somebody applied anew under its name: that belongs to nobody yet, and has nothing. */
const own = (read: Read<KubeObject> | undefined, { cluster }: Situation): KubeObject[] =>
  there(read).filter(
    (object) =>
      isOwnedBy(object, cluster) ||
      object.metadata.deletionTimestamp !== undefined ||
      isNoted(object, clusterUidAnnotation),
  );

/** What the cloud says against it: of the machines among `objects`, else of the infrastructure. */
const causeOf = (objects: readonly KubeObject[], { infraMachines, infrastructure }: Situation): string | undefined => {
  const names = new Set(objects.map(instanceNameOf));
  const instances = infraMachines.filter(({ metadata }) => names.has(metadata.name));
  const obstacles = [...instances.map(obstacleToMachine), ...there(infrastructure).map(obstacleTo)];
  return obstacles.find((obstacle) => obstacle !== undefined)?.text;
};

/** Deleting is True while it goes on, and its message says what holds it up. */
const deletionMessage = (objects: readonly KubeObject[]): string | undefined => {
  for (const object of objects) {
    const condition = conditionOf(conditionsOf(object), 'Deleting');
    if (condition?.status === 'True' && condition.message)
      return `${object.kind} ${object.metadata.name}: ${condition.message.split('\n').join('; ')}`;
  }
  return undefined;
};

const gone = (objects: readonly KubeObject[], situation: Situation): ReturnType<Judge> =>
  unless(objects.length === 0, () =>
    withCause(
      `waiting for ${listOf(namesOf(objects))} to be gone`,
      causeOf(objects, situation) ?? deletionMessage(objects),
    ),
  );

const workers: Judge = (situation) => {
  const { machineDeployments, machineSets, machines } = situation;
  const members = machines.filter((machine) => !isControlPlaneMachine(machine));
  return gone([...members, ...machineSets, ...machineDeployments], situation);
};

const controlPlane: Judge = (situation) => {
  const { machines } = situation;
  return gone([...machines.filter(isControlPlaneMachine), ...own(situation.controlPlane, situation)], situation);
};

const loadBalancers: Judge = (situation) => {
  const [infrastructure] = own(situation.infrastructure, situation);
  if (!infrastructure || (situation.provider?.loadBalancer.isGone(infrastructure) ?? true)) return done;
  return pending(withCause('waiting for the load balancers to be gone', obstacleTo(infrastructure)?.text));
};

const network: Judge = (situation) => gone(own(situation.infrastructure, situation), situation);

/** Nothing that Capstan made for the cluster is left. */
const prove: Judge = (situation) => {
  const { remains } = situation;
  if (remains.state === 'unreadable') return pending(`waiting for the account to be readable: ${remains.reason}`);
  const left = found(remains);
  if (left === undefined) return pending('waiting for the proof that nothing is left');
  return unless(left.length === 0, () =>
    withCause(`waiting for ${listOf(left)} to be gone`, causeOf(situation.machines, situation)),
  );
};

export const judgeDelete: Record<DeleteStep, Judge> = {
  DeleteWorkers: workers,
  DeleteControlPlane: controlPlane,
  DeleteLoadBalancers: loadBalancers,
  DeleteNetwork: network,
  Prove: prove,
};

/** What controllers have yet to take back from the users' objects, so that a retry starts as new. */
export const unclearedIn = ({ cluster, infrastructure }: Pick<Situation, 'cluster' | 'infrastructure'>): string[] => {
  const [infra] = there(infrastructure);
  const isReady = (infra?.status as { ready?: boolean } | undefined)?.ready === true;
  const isFilled = infra && (isNoted(infra, filledAnnotation) || isNoted(infra, pendingAnnotation) || isReady);
  const { infrastructureProvisioned, controlPlaneInitialized } = cluster.status?.initialization ?? {};
  return [
    ...(infra && isFilled ? [`what was filled into ${infra.kind} ${infra.metadata.name}`] : []),
    ...(isNoted(cluster, filledAnnotation) ? ['what was filled into the Cluster'] : []),
    ...(infrastructureProvisioned || controlPlaneInitialized ? ['status.initialization of the Cluster'] : []),
  ];
};

/** Torn down: nothing is left, and the users' objects are as the users gave them. */
export const judgeTearDown: Judge = (situation) => {
  const proof = prove(situation);
  if (proof.verdict !== 'done') return proof;
  const uncleared = unclearedIn(situation);
  return unless(uncleared.length === 0, () => `waiting for ${listOf(uncleared)} to be cleared`);
};
