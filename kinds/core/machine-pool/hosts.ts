/** The Nodes of a pool's hosts, as the last probe of the cluster saw them. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
import { isVersionOf } from '../../common/kubernetes-version.ts';
import type { WorkloadNode, WorkloadSnapshot } from '../../ports/workload.ts';

/** `aws:////i-1` names the same host as `aws:///zone/i-1`: only the short form lacks what is between. */
const nameOf = (providerId: string): { short: string; isShort: boolean } => {
  const at = providerId.indexOf('://');
  const parts = providerId
    .slice(at + 3)
    .split('/')
    .filter(Boolean);
  return { short: `${providerId.slice(0, Math.max(at, 0))}://${parts.at(-1) ?? ''}`, isShort: parts.length === 1 };
};

/** The Nodes with one of these provider ids, by name. */
export const nodesOf = (
  snapshot: WorkloadSnapshot | undefined,
  providerIds: readonly string[] = [],
): WorkloadNode[] => {
  const whole = new Set(providerIds);
  const names = providerIds.map(nameOf);
  const shorts = new Set(names.map(({ short }) => short));
  const onlyShort = new Set(names.filter(({ isShort }) => isShort).map(({ short }) => short));
  const isOurs = (id: string): boolean => {
    if (whole.has(id)) return true;
    const { short, isShort } = nameOf(id);
    return isShort ? shorts.has(short) : onlyShort.has(short);
  };
  return (snapshot?.nodes ?? [])
    .filter(({ providerID }) => providerID !== undefined && isOurs(providerID))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const readyOf = ({ conditions }: WorkloadNode) => conditionOf(conditions, 'Ready');
export const isReady = (node: WorkloadNode): boolean => readyOf(node)?.status === 'True';

/** Milliseconds until the Node has been ready for `minReadySeconds`; undefined if it is not ready. */
export const untilAvailable = (node: WorkloadNode, minReadySeconds: number, now: number): number | undefined => {
  if (!isReady(node)) return undefined;
  const since = Date.parse(readyOf(node)?.lastTransitionTime ?? '');
  return Number.isFinite(since) ? Math.max(0, since + minReadySeconds * 1000 - now) : 0;
};

export const runs = ({ nodeInfo }: WorkloadNode, version: string | undefined): boolean =>
  version === undefined || isVersionOf(nodeInfo.kubeletVersion ?? '', version);
