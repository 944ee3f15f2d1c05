/**
 * Refuses to delete a cluster that was moved here and not taken over: its objects would go, and
 * everything in the account would stay without them.
 */

import { forbidden } from '../../../machinery/api/errors.ts';
import { type KindFacts, resourceOf } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { labels } from '../../common/labels.ts';
import { listOf } from '../../common/list-of.ts';
import { policyAnnotations } from '../contract/target.ts';
import { isMoved } from './protection.ts';
import type { ProtectionStore } from './protection-admission.ts';
import type { Cluster } from './schema.ts';

export interface MovedFrom {
  /** The kind of infrastructure clusters. */
  kind: string;
  /**
   * What the cluster came with and another owner made, such as `EC2 instance i-0123`, until it is
   * taken over: a deletion would leave all of it running.
   */
  madeElsewhere: (
    cluster: Cluster,
    infrastructure: KubeObject | undefined,
    machines: readonly KubeObject[],
  ) => string[];
}

export interface MovedScope {
  store: ProtectionStore;
  kinds: readonly KindFacts[];
  providers: readonly MovedFrom[];
  /** Of the object that is to be deleted. */
  kind: KindFacts;
}

const refusalOf = ({ metadata: { name, namespace } }: Cluster, stay: readonly string[]): string => {
  const leave = `kubectl annotate cluster/${name} ${policyAnnotations.leaveResources}=true -n ${namespace}`;
  return `Cluster ${name} was made by another owner and not taken over, so that ${listOf(stay)} would go on running: let them carry its tags first, or to delete only the objects, run: ${leave}`;
};

const mayBeLeft = (cluster: KubeObject): boolean =>
  isMoved(cluster) ||
  cluster.metadata.deletionTimestamp !== undefined ||
  cluster.metadata.annotations?.[policyAnnotations.leaveResources] === 'true';

const isNamed = (reference: { kind: string; name: string } | undefined, { kind, metadata }: KubeObject): boolean =>
  reference?.kind === kind && reference.name === metadata.name;

const concerns = (cluster: Cluster, { kind }: MovedScope, object: KubeObject): boolean => {
  if (resourceOf(kind) === 'namespaces') return true;
  if (kind.kind === 'Cluster') return cluster.metadata.name === object.metadata.name;
  return isNamed(cluster.spec?.controlPlaneRef, object) || isNamed(cluster.spec?.infrastructureRef, object);
};

/** `object`: a Cluster, its control plane, its infrastructure or its namespace. */
export const admitDeletionOfMoved = async (scope: MovedScope, object: KubeObject): Promise<void> => {
  const { store, kinds, providers, kind } = scope;
  if (isMoved(object)) return;
  const namespace = resourceOf(kind) === 'namespaces' ? object.metadata.name : (object.metadata.namespace ?? '');
  const listed = async (role: string) => {
    const types = kinds.filter((one) => one.role === role).map(resourceOf);
    return (await Promise.all(types.map((type) => store.list(type, { namespace })))).flatMap(({ objects }) => objects);
  };
  const { objects } = await store.list('clusters.cluster.x-k8s.io', { namespace });
  const clusters = (objects as Cluster[]).filter((one) => !mayBeLeft(one) && concerns(one, scope, object));
  if (clusters.length === 0) return;
  const [owners, machines] = await Promise.all([listed('InfrastructureCluster'), listed('InfrastructureMachine')]);
  for (const cluster of clusters) {
    const reference = cluster.spec?.infrastructureRef;
    const own = owners.find((one) => isNamed(reference, one));
    const provider = providers.find((one) => one.kind === reference?.kind);
    const members = machines.filter(({ metadata }) => metadata.labels?.[labels.cluster] === cluster.metadata.name);
    const stay = provider?.madeElsewhere(cluster, own, members) ?? [];
    if (stay.length > 0) throw forbidden(kind, object.metadata.name, refusalOf(cluster, stay));
  }
};
