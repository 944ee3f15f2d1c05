/** The proof that nothing is left, with which both a deletion and the undo of a create end. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { instanceNameOf, obstacleTo, obstacleToMachine, withCause } from './cause.ts';
import { type ClusterState, type Judge, pending, unless } from './cluster-state.ts';

const listed = 5;
/** The first few, and how many more there are. */
export const listOf = (names: readonly string[]): string => {
  const shown = names.slice(0, listed).join(', ');
  return names.length > listed ? `${shown} and ${names.length - listed} more` : shown;
};

export const isNoted = ({ metadata }: KubeObject, annotation: string): boolean =>
  metadata.annotations?.[annotation] !== undefined;

export const there = (read: Read<KubeObject> | undefined): KubeObject[] =>
  read?.state === 'found' ? [read.value] : [];
/** What the cloud says against it: of the machines among `objects`, else of the infrastructure. */
export const causeOf = (
  objects: readonly KubeObject[],
  { infraMachines, infrastructure }: ClusterState,
): string | undefined => {
  const names = new Set(objects.map(instanceNameOf));
  const instances = infraMachines.filter(({ metadata }) => names.has(metadata.name));
  const obstacles = [...instances.map(obstacleToMachine), ...there(infrastructure).map(obstacleTo)];
  return obstacles.find((obstacle) => obstacle !== undefined)?.text;
};

/** Nothing that Capstan made for the cluster is left. */
export const prove: Judge = (clusterState) => {
  const { remains } = clusterState;
  if (remains.state === 'unreadable') return pending(`waiting for the account to be readable: ${remains.reason}`);
  const left = found(remains);
  if (left === undefined) return pending('waiting for the proof that nothing is left');
  return unless(left.length === 0, () =>
    withCause(`waiting for ${listOf(left)} to be gone`, causeOf(clusterState.machines, clusterState)),
  );
};

/** What controllers have yet to take back from the users' objects, so that a retry starts as new. */
export const unclearedIn = ({
  cluster,
  infrastructure,
}: Pick<ClusterState, 'cluster' | 'infrastructure'>): string[] => {
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
export const judgeTearDown: Judge = (clusterState) => {
  const proof = prove(clusterState);
  if (proof.verdict !== 'done') return proof;
  const uncleared = unclearedIn(clusterState);
  return unless(uncleared.length === 0, () => `waiting for ${listOf(uncleared)} to be cleared`);
};
