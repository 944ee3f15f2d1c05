import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import { policyAnnotations } from '../../../../kinds/core/contract/target.ts';
import type { ClusterOperation } from '../../../../kinds/operations/cluster-operation/index.ts';
import { createAnnotations } from '../../../../kinds/operations/create/annotations.ts';
import { takenOver } from '../grace.ts';
import type { Rule } from '../rule.ts';

/** Times are whole seconds. */
const clockTolerance = 2000;
const hour = 60 * 60_000;

/** Parses a deadline in hours, the only unit in the examples. */
const hoursOf = (text: string | undefined): number | undefined => {
  const hours = /^(\d+)h$/.exec(text ?? '1h')?.[1];
  return hours === undefined ? undefined : Number(hours) * hour;
};

export const policy: Rule = ({ world, has }, broken) => {
  const { clock, mirror } = world;
  /** By the uid of a Cluster: when it last changed a policy. */
  const changed = new Map<string, number>();
  const policyOf = ({ metadata: { annotations = {} } }: Cluster) =>
    Object.values(policyAnnotations).map((name) => annotations[name]);
  const note = (cluster: Cluster, before: Cluster | undefined) => {
    const isAsBefore = before && JSON.stringify(policyOf(cluster)) === JSON.stringify(policyOf(before));
    if (!isAsBefore) changed.set(cluster.metadata.uid!, clock.now());
  };
  const expectAsked = ({ metadata, spec, status }: ClusterOperation, isNew: boolean) => {
    const fail = (what: string, is: unknown, should: unknown) => {
      if (is !== should) throw broken(`${what} of ${metadata.name}: ${is}, not ${should}`);
    };
    const cluster = mirror.get<Cluster>('Cluster', metadata.namespace!, spec?.clusterName ?? '');
    const { uid = '', annotations = {} } = cluster?.metadata ?? {};
    const isOwn = metadata.ownerReferences?.some((owner) => owner.uid === uid);
    const since = changed.get(uid) ?? Number.NEGATIVE_INFINITY;
    if (!cluster || !isOwn || has('worker.late') || clock.now() - since <= takenOver(has)) return;
    if (spec?.type !== 'create') return;
    if (isNew) {
      fail('the retry', spec.retry, annotations[policyAnnotations.retry]);
      fail('the policy on failure', spec.policy?.onFailure, annotations[createAnnotations.onFailure] ?? 'TearDown');
    }
    const longest = hoursOf(annotations[createAnnotations.deadline]);
    const { clock: counted, deadline } = status ?? {};
    if (isNew || longest === undefined || deadline === undefined || counted?.since === undefined) return;
    const end = Date.parse(counted.since) + longest - (counted.seconds ?? 0) * 1000;
    if (Math.abs(Date.parse(deadline) - end) > clockTolerance)
      fail('the deadline', deadline, new Date(end).toISOString());
  };
  return {
    onCommit: ({ event, object, before, writer }) => {
      if (object?.kind === 'Cluster') note(object as Cluster, before as Cluster | undefined);
      if (object?.kind === 'ClusterOperation' && writer === 'cluster-operation')
        expectAsked(object as ClusterOperation, false);
      if (object?.kind === 'ClusterOperation' && event === 'ADDED') expectAsked(object as ClusterOperation, true);
    },
  };
};
