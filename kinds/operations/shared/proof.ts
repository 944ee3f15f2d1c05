/** The proof that nothing is left, which ends both a delete and the undo of a create. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { listOf } from '../../common/list-of.ts';
import { holdAmong } from '../../core/contract/hold.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { instanceNameOf, obstacleTo, obstacleToMachine, withCause } from './cause.ts';
import { type ClusterState, type Judge, pending, unless } from './cluster-state.ts';

export const isNoted = ({ metadata }: KubeObject, annotation: string): boolean =>
  metadata.annotations?.[annotation] !== undefined;

export const there = (read: Read<KubeObject> | undefined): KubeObject[] =>
  read?.state === 'found' ? [read.value] : [];
/**
 * What blocks the deletion: what holds the objects or their infrastructure machines, else what these
 * or the infrastructure report.
 */
export const causeOf = (
  objects: readonly KubeObject[],
  { infraMachines, infrastructure }: ClusterState,
): string | undefined => {
  const names = new Set(objects.map(instanceNameOf));
  const instances = infraMachines.filter(({ metadata }) => names.has(metadata.name));
  const held = holdAmong([...objects, ...instances]);
  if (held !== undefined) return held;
  const obstacles = [...instances.map(obstacleToMachine), ...there(infrastructure).map(obstacleTo)];
  return obstacles.find((obstacle) => obstacle !== undefined)?.text;
};

const allOf = ({ machines, infraMachines, infrastructure }: ClusterState): KubeObject[] => [
  ...machines,
  ...infraMachines,
  ...there(infrastructure),
];

/** Nothing is left that Capstan created for the cluster. */
export const prove: Judge = (clusterState) => {
  const { remains } = clusterState;
  if (remains.state === 'unreadable') return pending(`waiting for the account to be readable: ${remains.reason}`);
  const left = found(remains);
  if (left === undefined) return pending('waiting for the proof that nothing is left');
  return unless(left.length === 0, () =>
    withCause(`waiting for ${listOf(left)} to be gone`, causeOf(allOf(clusterState), clusterState)),
  );
};

/** Fields that controllers filled in and must still clear, so that a retry starts over. */
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

/** Torn down: nothing is left, and users' objects are as the users wrote them. */
export const judgeTearDown: Judge = (clusterState) => {
  const proof = prove(clusterState);
  if (proof.verdict !== 'done') return proof;
  const uncleared = unclearedIn(clusterState);
  return unless(uncleared.length === 0, () => `waiting for ${listOf(uncleared)} to be cleared`);
};
