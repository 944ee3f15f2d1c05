/** Names the first cause of a cluster that is not Available in its condition, in one sentence. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type ConditionDraft, found, type Read } from '../../../machinery/api/reconcile.ts';
import { causesOf, graphOf, messageOf, oneLine, type Reference } from '../../common/causes/index.ts';
import type { Observed } from './observe.ts';

const present = (read: Read<KubeObject> | undefined): KubeObject[] => (read && found(read) ? [found(read)!] : []);

const absentOf = ({ cluster, infrastructure, controlPlane }: Observed): Reference[] => {
  const { infrastructureRef, controlPlaneRef } = cluster.spec ?? {};
  return [
    ...(infrastructureRef && infrastructure?.state === 'absent' && !infrastructure.because ? [infrastructureRef] : []),
    ...(controlPlaneRef && controlPlane?.state === 'absent' && !controlPlane.because ? [controlPlaneRef] : []),
  ];
};

/**
 * Undefined if something is only awaited. Operations are left out: they quote this very condition,
 * and report their own ends in its place.
 */
const firstCause = (observed: Observed, conditions: readonly ConditionDraft[]): string | undefined => {
  const { cluster, infrastructure, controlPlane, machineDeployments, machineSets, machines, causeRules } = observed;
  if (!causeRules) return undefined;
  const own = { ...cluster, status: { ...cluster.status, conditions } } as KubeObject;
  const objects = [
    own,
    ...present(infrastructure),
    ...present(controlPlane),
    ...(observed.failedHosts ?? []),
    ...[machineDeployments, machineSets, machines].flatMap((list) => found(list) ?? []),
  ];
  const [first] = causesOf(own, graphOf({ objects, absent: absentOf(observed), rules: causeRules }));
  return first && first.level !== 'wait' ? messageOf(first) : undefined;
};

/** The cause comes first; a message that consists of it says it already. */
export const withCause = (
  observed: Observed,
  conditions: readonly ConditionDraft[],
  summary: ConditionDraft,
): ConditionDraft => {
  const cause = summary.status === 'True' ? undefined : firstCause(observed, conditions);
  const { message = '' } = summary;
  if (cause === undefined || oneLine(message) === cause) return summary;
  return { ...summary, message: [`* ${cause}`, ...(message ? [message] : [])].join('\n') };
};
