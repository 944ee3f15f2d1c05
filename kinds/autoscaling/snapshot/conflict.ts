/** The traces of a cluster-autoscaler that acts on the workload cluster. Pure. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read } from '../../../machinery/api/reconcile.ts';

const minute = 60_000;
export const otherAutoscaler = {
  namespace: 'kube-system',
  lease: 'cluster-autoscaler',
  status: 'cluster-autoscaler-status',
};
const updated = 'cluster-autoscaler.kubernetes.io/last-updated';

/** `2026-11-27 12:00:00.123 +0000 UTC`, as Go prints a time. */
const goTime = (text: string): number => {
  const [, day, time, zone] = /^(\S+) ([\d:]+)(?:\.\d+)? ([+-]\d{4})/.exec(text) ?? [];
  return day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone!.slice(0, 3)}:${zone!.slice(3)}`);
};

export type Traces = { lease: Read<KubeObject>; status: Read<KubeObject> };

/** The evidence that it acted a moment ago; undefined without any. */
export const conflictOf = ({ lease, status }: Traces, now: number): string | undefined => {
  const { renewTime = '', holderIdentity = '' } = (found(lease)?.spec ?? {}) as Record<string, string | undefined>;
  if (now - Date.parse(renewTime) < minute)
    return `cluster-autoscaler holds the Lease kube-system/${otherAutoscaler.lease}${holderIdentity && ` as ${holderIdentity}`}`;
  if (now - goTime(found(status)?.metadata.annotations?.[updated] ?? '') < 3 * minute)
    return `cluster-autoscaler writes the ConfigMap kube-system/${otherAutoscaler.status}`;
  return undefined;
};
