/** Every live resource of all services, in the order of creation. */
import { holderOf } from './address.ts';
import { classicExists } from './classic-health.ts';
import { type Collection, partTag, type Stored, tagIndex } from './collection.ts';
import { type Collections, collections } from './collections.ts';
import { groupArn, zonesOfGroup } from './group.ts';
import { instanceState } from './instance.ts';
import { loadBalancerExists } from './load-balancer.ts';
import { natGatewayState } from './nat-gateway.ts';
import { interfacesOf, networkInterfacesOfRegion } from './network-interface.ts';
import { partitionOf } from './regions.ts';
import { snapshotState } from './snapshot.ts';
import type { AccountState } from './state.ts';
import { volumesOf } from './volume.ts';

export interface Resource {
  /** The service's resource type, such as natgateway or elastic-ip. */
  type: string;
  id: string;
  arn: string;
  state: string;
  /** One zone, several separated by commas, or empty for a regional resource. */
  zone: string;
  tags: Record<string, string>;
  seq: number;
  created: number;
}

/** A record, or a part of one. */
type Part = Pick<Resource, 'id' | 'seq' | 'created' | 'tags'>;

/** Selects by a tag with one of these values. */
export interface Tagged {
  key: string;
  values: string[];
}

/**
 * Live resources with a tag, or all, created after a place in the order of creation. Excludes
 * terminated and deleted ones, and those that AWS provides.
 */
export const resourcesOf = (
  account: AccountState,
  region: string,
  now: number,
  { tagged, after = 0 }: { tagged?: Tagged | undefined; after?: number } = {},
): Resource[] => {
  const under = <T extends Stored>(records: Collection<T>, index: string, values: string[]): readonly T[] =>
    [...new Set(values)].flatMap((value) => records.by(index, value));
  const here = <T extends Stored>(records: Collection<T>): readonly T[] =>
    tagged ? under(records, tagIndex(region, tagged.key), tagged.values) : records.by('region', region);
  const ec2 = (type: string, id: string) =>
    `arn:${partitionOf(region)}:ec2:${region}:${account.accountId}:${type}/${id}`;
  const rows: Resource[] = [];
  const add = <T extends Part>(
    type: string,
    records: readonly T[],
    facts: (record: T) => { state: string; zone?: string },
    arn: (record: T) => string = ({ id }) => ec2(type, id),
  ): void => {
    for (const record of records) {
      if (record.seq <= after) continue;
      rows.push({
        type,
        id: record.id,
        arn: arn(record),
        zone: '',
        ...facts(record),
        tags: { ...record.tags },
        seq: record.seq,
        created: record.created,
      });
    }
  };
  const made = <T extends { provided?: boolean }>(records: readonly T[]): T[] =>
    records.filter(({ provided }) => !provided);
  const own = ({ id }: { id: string }): string => id;

  for (const [name, { type }] of Object.entries(collections))
    if (type) add(type, here(account[name as keyof Collections] as Collection<Stored>), () => ({ state: 'available' }));
  add('vpc', made(here(account.vpcs)), () => ({ state: 'available' }));
  add('subnet', made(here(account.subnets)), ({ zone }) => ({ state: 'available', zone }));
  add('internet-gateway', made(here(account.internetGateways)), ({ vpcId }) => ({
    state: vpcId ? 'attached' : 'detached',
  }));
  add(
    'natgateway',
    here(account.natGateways).filter((gateway) => natGatewayState(gateway, now) !== 'deleted'),
    (gateway) => ({ state: natGatewayState(gateway, now), zone: gateway.zone }),
  );
  add('elastic-ip', here(account.addresses), ({ id }) => ({
    state: holderOf(account, id, now) ? 'associated' : 'available',
  }));
  add(
    'route-table',
    here(account.routeTables).filter(({ main }) => main === undefined),
    () => ({ state: 'available' }),
  );
  add(
    'security-group',
    here(account.securityGroups).filter(({ vpcId, id }) => account.vpcs.get(vpcId)?.defaultGroup !== id),
    () => ({ state: 'available' }),
  );
  add(
    'instance',
    here(account.instances).filter((instance) => instanceState(instance, now) !== 'terminated'),
    (instance) => ({ state: instanceState(instance, now), zone: instance.zone }),
  );
  const tags = tagged?.values.map((value) => partTag(region, tagged.key, value));
  const owners = tags ? [...new Set(under(account.instances, 'part-tag', tags))] : here(account.instances);
  // Interfaces of gateways and load balancers have no tags.
  const interfaces = tagged
    ? owners.flatMap((instance) => interfacesOf(instance, now))
    : networkInterfacesOfRegion(account, region, now);
  add(
    'volume',
    owners.flatMap((instance) => volumesOf(instance, now)),
    ({ zone }) => ({ state: 'in-use', zone }),
  );
  add('snapshot', here(account.snapshots), (snapshot) => ({ state: snapshotState(snapshot, now) }));
  add('network-interface', interfaces, ({ zone }) => ({ state: 'in-use', zone }));
  add(
    'load-balancer',
    here(account.loadBalancers).filter(loadBalancerExists),
    ({ active, interfaces }) => ({
      state: now < active ? 'provisioning' : 'active',
      zone: interfaces.map(({ zone }) => zone).join(','),
    }),
    own,
  );
  add(
    'load-balancer',
    here(account.classicLoadBalancers)
      .filter(classicExists)
      .map((balancer) => ({ ...balancer, id: balancer.arn })),
    ({ interfaces }) => ({ state: 'active', zone: interfaces.map(({ zone }) => zone).join(',') }),
    own,
  );
  add('listener', here(account.listeners), () => ({ state: 'active' }), own);
  add(
    'target-group',
    here(account.targetGroups),
    ({ arn }) => ({ state: account.listeners.count('target-group', arn) > 0 ? 'in-use' : 'unused' }),
    own,
  );
  add(
    'auto-scaling-group',
    here(account.autoScalingGroups).map((group) => ({ ...group, id: group.name, arn: groupArn(account, group) })),
    ({ arn, ...group }) => ({
      state: group.deleting ? 'deleting' : 'active',
      zone: zonesOfGroup(account, group).join(','),
    }),
    ({ arn }) => arn,
  );
  add('secret', here(account.secrets), () => ({ state: 'available' }), own);
  add('parameter', here(account.parameters), () => ({ state: 'available' }), own);
  return rows.sort((a, b) => a.seq - b.seq);
};
