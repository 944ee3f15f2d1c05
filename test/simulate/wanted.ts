/** Whether everything is as its users want it in the end, and what stands in the way. */
import type { Condition } from '../../machinery/api/object.ts';
import { isSettled, remains, type View } from '../system/settled.ts';
import type { Mirror } from './mirror.ts';
import type { Life } from './scenarios/scene.ts';

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

/** Looks only when something changed, until it is so. */
export const whetherDone = (lives: readonly Life[], view: View, mirror: Mirror): (() => boolean) => {
  const isAsWanted = () =>
    lives.every(({ wish }) => wish)
      ? isSettled(view)
      : lives.every(({ wish }) => !wish) && remains(view).length === 0 && orphansOf(mirror).length === 0;
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
