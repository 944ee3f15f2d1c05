/** Whether everything is as its users want it, and what stands in the way. */
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import { isSettled, remains, type View } from '../system/settled.ts';
import type { Mirror } from './mirror.ts';
import type { Life } from './scenarios/context.ts';

/** What is owned by a Cluster, or by something else, that is gone. */
export const orphansOf = (mirror: Mirror): string[] => {
  const all = mirror.everything();
  const uids = new Set(all.map(({ metadata }) => metadata.uid));
  return all
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)))
    .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
};

/** What stands in the way of being as wanted, as it says itself. */
export const unsettled = (view: View): string => {
  const told = (
    [
      'Cluster',
      'ClusterOperation',
      'AWSCluster',
      'KubeadmControlPlane',
      'MachineDeployment',
      'Machine',
      'AWSMachine',
    ] as const
  ).flatMap((kind) =>
    view.all(kind).map((object) => {
      const {
        conditions = [],
        phase,
        message,
      } = (object.status ?? {}) as Record<string, never> & { conditions?: Condition[] };
      const wrong = conditions
        .filter(({ status }) => status !== 'True')
        .map(({ type, status, reason, message: why }) => `\n    ${type}=${status} ${reason}: ${why ?? ''}`);
      const { name, deletionTimestamp, finalizers } = object.metadata;
      return `\n  ${kind} ${name} ${phase ?? ''} ${message ?? ''}${deletionTimestamp ? ` deleting ${finalizers}` : ''}${wrong.join('')}`;
    }),
  );
  return `${remains(view).join(', ')}${told.join('')}`;
};

const clusterName = 'cluster.x-k8s.io/cluster-name';

/** Without what belongs to clusters of these names. */
const besides = (view: View, names: ReadonlySet<string>): View => {
  if (names.size === 0) return view;
  const nameOf = ({ kind, metadata }: KubeObject) =>
    metadata.labels?.[clusterName] ?? (kind === 'Cluster' && metadata.name);
  const isTheirs = (object: KubeObject) => object.metadata.namespace === 'default' && names.has(nameOf(object) || '');
  const uids = new Set(view.all('Cluster').flatMap((one) => (isTheirs(one) ? one.metadata.uid! : [])));
  return {
    ...view,
    all: ((kind, namespace) => view.all(kind, namespace).filter((one) => !isTheirs(one as KubeObject))) as View['all'],
    // Those of NAT gateways and load balancers are AWS's own, and say not whose they are.
    live: (type) =>
      view
        .live(type)
        .filter((one) => one.type !== 'network-interface' && !uids.has(one.tags['capstan.dev/cluster-uid'] ?? '')),
  };
};

/** Looks only when something changed, until it is so. */
export const whetherDone = (lives: readonly Life[], view: View, mirror: Mirror): (() => boolean) => {
  const isAsWanted = () => {
    const standing = new Set(lives.flatMap(({ name, wish }) => (wish ? name : [])));
    const isGone = () => remains(besides(view, standing)).length === 0 && orphansOf(mirror).length === 0;
    return (standing.size === 0 || isSettled(view)) && (standing.size === lives.length || isGone());
  };
  let looked = -1;
  let answer = false;
  return () => {
    const { commits } = mirror;
    // The account changes without a commit.
    if (commits !== looked || !answer) {
      looked = commits;
      answer = isAsWanted();
    }
    return answer;
  };
};
