/** Controllers and questions that call AWS as the principal of a cluster. */

import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Action, Controller, Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { namesKind } from '../../core/contract/named.ts';
import { actAs, planAs, readAs } from '../../ports/index.ts';
import { awsCluster as awsClusterKind } from '../aws-cluster/kind.ts';
import { isBegun } from '../aws-cluster/owner.ts';
import type { AWSCluster } from '../aws-cluster/schema.ts';
import { itself, observeCaller, observePrincipal, type Resolved } from './principal.ts';

/** Why a principal is refused, as a failed read says it. */
export const reasonOf = ({ condition }: Extract<Resolved, { state: 'refused' }>): string =>
  `${condition.reason}: ${condition.message}`;

/** Reads the cloud as the principal. A refused one reads nothing: every question answers why. */
export const readingAs = (read: Reader, principal: Resolved): Reader => {
  if (principal.state === 'known') return readAs(read, principal.roles);
  const answer: Read<never> =
    principal.state === 'unread' ? { state: 'unread' } : { state: 'unreadable', reason: reasonOf(principal) };
  return {
    ...read,
    ask: (port, operation, input) => (port === 'cloud' ? answer : read.ask(port, operation, input)),
  };
};

const rolesOf = (principal: Resolved) => (principal.state === 'known' ? principal.roles : []);

/** The actions as the principal; none of a refused one. */
export const actingAs = (actions: readonly Action[], principal: Resolved): Action[] =>
  principal.state === 'known'
    ? actAs(actions, principal.roles)
    : actions.filter((one) => one.do !== 'call' || one.port !== 'cloud');

/** The infrastructure of a Cluster, where it is an AWSCluster. */
const awsClusterOf = (cluster: Cluster, read: Reader): Read<AWSCluster> => {
  const reference = cluster.spec?.infrastructureRef;
  return reference && namesKind(reference, awsClusterKind)
    ? read.get('AWSCluster', { namespace: cluster.metadata.namespace ?? '', name: reference.name })
    : { state: 'absent' };
};

/** Who acts for a Cluster: the installation itself where it has no AWSCluster. */
export const principalOf = (cluster: Read<Cluster>, read: Reader): Resolved => {
  const infrastructure = cluster.state === 'found' ? awsClusterOf(cluster.value, read) : cluster;
  if (infrastructure.state === 'unread') return { state: 'unread' };
  return infrastructure.state === 'found' ? observePrincipal(infrastructure.value as AWSCluster, read) : itself;
};

/** Whether Capstan made nothing for a Cluster, and may not describe anything for it. */
export const isBarred = (cluster: Cluster, principal: Resolved, read: Reader): boolean => {
  const infrastructure = awsClusterOf(cluster, read);
  if (infrastructure.state !== 'found' || isBegun(infrastructure.value)) return false;
  const region = infrastructure.value.spec?.region ?? '';
  return (
    principal.state === 'refused' ||
    observeCaller(principal, region, readingAs(read, principal))?.state === 'unreadable'
  );
};

export interface Acting<Observed> {
  principal: Resolved;
  observed: Observed;
}

type Parts<T extends KubeObject, O> = Pick<Controller<T, O>, 'observe' | 'reconcile' | 'release'>;

/** A controller's decisions, with the cloud read and called as the principal of the object's cluster. */
export const acting = <T extends KubeObject, O>(
  clusterOf: (object: T, read: Reader) => Read<Cluster>,
  { observe, reconcile, release }: Parts<T, O>,
): Parts<T, Acting<O>> => ({
  observe: (object, read, context) => {
    const principal = principalOf(clusterOf(object, read), read);
    return { principal, observed: observe(object, readingAs(read, principal), context) };
  },
  reconcile: ({ principal, observed }, context) => planAs(reconcile(observed, context), rolesOf(principal)),
  ...(release && {
    release: ({ principal, observed }: Acting<O>, context: Parameters<typeof release>[1]) =>
      planAs(release(observed, context), rolesOf(principal)),
  }),
});
