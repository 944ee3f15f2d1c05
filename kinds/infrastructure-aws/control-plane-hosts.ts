/** The hosts of a cluster, as the account has them. */
import type { Read, Reader } from '../../machinery/api/reconcile.ts';
import type { FormerCluster } from '../core/contract/infrastructure.ts';
import type { Filter, Instance } from '../ports/cloud/index.ts';
import { type Asking, asking } from './engine/ask.ts';
import { ownedFilter, roleTag } from './engine/tags.ts';

/** Instances a call, by which a filter with many values stays short. */
const mostValues = 100;

const instancesWith = (cloud: Asking, Filters: Filter[]): Instance[] =>
  cloud.all('DescribeInstances', { Filters }, ({ Reservations }) =>
    Reservations.flatMap(({ Instances }) => Instances),
  ) ?? [];

const idsIn = (providerIds: readonly string[]): string[][] => {
  const ids = providerIds.map((id) => id.split('/').at(-1) ?? '').filter((id) => id !== '');
  return ids.length === 0 ? [] : [ids.slice(0, mostValues), ...idsIn(ids.slice(mostValues))];
};

const roleFilter = { Name: `tag:${roleTag}`, Values: ['control-plane'] };

/** Those that carry the tags of the cluster, and those with these provider IDs. */
export const controlPlaneInstances = (cloud: Asking, of: FormerCluster, providerIds: readonly string[]): Instance[] => {
  const all = [
    ...instancesWith(cloud, [...ownedFilter(of), roleFilter]),
    ...idsIn(providerIds).flatMap((Values) => instancesWith(cloud, [{ Name: 'instance-id', Values }])),
  ];
  return [...new Map(all.map((one) => [one.InstanceId, one])).values()];
};

/**
 * A stopped instance counts: any user can start it again. An instance that EC2 does not list any more
 * was terminated, because a Machine names it only once EC2 has listed it.
 */
export const observeControlPlaneHosts = (
  of: FormerCluster,
  providerIds: readonly string[],
  read: Reader,
): Read<string[]> => {
  if (!of.region) return { state: 'unreadable', reason: 'the region of the cluster is not known' };
  const cloud = asking(read, of.region);
  const instances = controlPlaneInstances(cloud, of, providerIds);
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason !== undefined) return { state: 'unreadable', reason };
  const left = instances.filter(({ State }) => State.Name !== 'terminated');
  const names = left.map(({ InstanceId, State }) => `EC2 instance ${InstanceId} (${State.Name})`);
  return { state: 'found', value: names.sort() };
};

/** Of hosts that had Nodes: EC2 has listed their instances before. */
export const observeEndedHosts = (of: FormerCluster, providerIds: readonly string[], read: Reader): Read<string[]> => {
  if (!of.region) return { state: 'unreadable', reason: 'the region of the cluster is not known' };
  const cloud = asking(read, of.region);
  const ours = providerIds.filter((id) => id.startsWith('aws:///') && /\/i-[0-9a-f]+$/.test(id));
  const instances = idsIn(ours).flatMap((Values) => instancesWith(cloud, [{ Name: 'instance-id', Values }]));
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason !== undefined) return { state: 'unreadable', reason };
  const left = new Set(instances.flatMap(({ InstanceId, State }) => (State.Name === 'terminated' ? [] : [InstanceId])));
  return { state: 'found', value: ours.filter((id) => !left.has(id.split('/').at(-1) ?? '')) };
};
