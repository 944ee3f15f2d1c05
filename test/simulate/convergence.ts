/** Whether the state matches what users want, and what is missing. */
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import { isSettled, remains, type View } from '../system/settled.ts';
import type { Mirror } from './mirror.ts';
import type { Life } from './scenarios/context.ts';

/** Objects whose Cluster or owner is gone. */
export const orphansOf = (mirror: Mirror): string[] => {
  const all = mirror.everything();
  const uids = new Set(all.map(({ metadata }) => metadata.uid));
  return all
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => !uids.has(uid)))
    .map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`);
};

/** The objects that are not settled, with the conditions that explain it. */
export const unsettled = (view: View): string => {
  const statuses = (
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
  return `${remains(view).join(', ')}${statuses.join('')}`;
};

const clusterName = 'cluster.x-k8s.io/cluster-name';

/** The view without the objects and resources of these clusters. */
const besides = (view: View, names: ReadonlySet<string>): View => {
  if (names.size === 0) return view;
  const nameOf = ({ kind, metadata }: KubeObject) =>
    metadata.labels?.[clusterName] ?? (kind === 'Cluster' && metadata.name);
  const isTheirs = (object: KubeObject) => object.metadata.namespace === 'default' && names.has(nameOf(object) || '');
  const uids = new Set(view.all('Cluster').flatMap((one) => (isTheirs(one) ? one.metadata.uid! : [])));
  return {
    ...view,
    all: ((kind, namespace) => view.all(kind, namespace).filter((one) => !isTheirs(one as KubeObject))) as View['all'],
    // AWS creates the network interfaces of NAT gateways and load balancers without our tags.
    live: (type) =>
      view
        .live(type)
        .filter((one) => one.type !== 'network-interface' && !uids.has(one.tags['capstan.dev/cluster-uid'] ?? '')),
  };
};

/** Answers whether the state matches; evaluates it only after a change. */
export const whetherDone = (lives: readonly Life[], view: View, mirror: Mirror): (() => boolean) => {
  const isAsWanted = () => {
    const standing = new Set(lives.flatMap(({ name, desired }) => (desired ? name : [])));
    const isGone = () => remains(besides(view, standing)).length === 0 && orphansOf(mirror).length === 0;
    return (standing.size === 0 || isSettled(view)) && (standing.size === lives.length || isGone());
  };
  let looked = -1;
  let answer = false;
  return () => {
    const { commits } = mirror;
    // Resources in the account change without a commit.
    if (commits !== looked || !answer) {
      looked = commits;
      answer = isAsWanted();
    }
    return answer && lives.every(({ isServed, desired }) => !desired || !isServed || isServed());
  };
};
