/** The Nodes of a pool's hosts, as the last probe of the cluster saw them. Pure. */
import { conditionOf } from '../../../machinery/api/conditions.ts';
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

/** A build of a distribution, such as v1.35.2-eks-113cf36, which chooses its patch release itself. */
const isBuild = (version: string): boolean => /^v\d+\.\d+\.\d+-(?!alpha|beta|rc)/.test(version);
const minorOf = (version: string): string => version.split('.').slice(0, 2).join('.');

export const runs = (node: WorkloadNode, version: string | undefined): boolean => {
  const { kubeletVersion = '' } = node.nodeInfo;
  if (version === undefined || kubeletVersion === version) return true;
  return isBuild(kubeletVersion) && minorOf(kubeletVersion) === minorOf(version);
};
