/** Everything that is there, whatever its service, in the order of creation. */
import { holderOf } from './address.ts';
import { instanceState } from './instance.ts';
import { loadBalancerExists } from './load-balancer.ts';
import { natGatewayState } from './nat-gateway.ts';
import { networkInterfacesOfRegion } from './network-interface.ts';
import { partitionOf } from './regions.ts';
import type { AccountState } from './state.ts';
import { volumesOfRegion } from './volume.ts';

export interface Resource {
  /** The service's own word, such as natgateway or elastic-ip. */
  type: string;
  id: string;
  arn: string;
  state: string;
  /** One zone, several with commas, or empty for what belongs to the whole region. */
  zone: string;
  tags: Record<string, string>;
  seq: number;
  created: number;
}

/** A record, or a part of one. */
type Part = Pick<Resource, 'id' | 'seq' | 'created' | 'tags'>;

/** Live resources: without what is terminated or deleted, and without what AWS provides by itself. */
export const resourcesOf = (account: AccountState, region: string, now: number): Resource[] => {
  const ec2 = (type: string, id: string) =>
    `arn:${partitionOf(region)}:ec2:${region}:${account.accountId}:${type}/${id}`;
  const rows: Resource[] = [];
  const add = <T extends Part>(
    type: string,
    records: T[],
    facts: (record: T) => { state: string; zone?: string },
    arn: (record: T) => string = ({ id }) => ec2(type, id),
  ): void => {
    for (const record of records)
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
  };
  const made = <T extends { provided?: boolean }>(records: T[]): T[] => records.filter(({ provided }) => !provided);
  const own = ({ id }: { id: string }): string => id;

  add('vpc', made(account.vpcs.by('region', region)), () => ({ state: 'available' }));
  add('subnet', made(account.subnets.by('region', region)), ({ zone }) => ({ state: 'available', zone }));
  add('internet-gateway', made(account.internetGateways.by('region', region)), ({ vpcId }) => ({
    state: vpcId ? 'attached' : 'detached',
  }));
  add('carrier-gateway', account.carrierGateways.by('region', region), () => ({ state: 'available' }));
  add(
    'natgateway',
    account.natGateways.by('region', region).filter((gateway) => natGatewayState(gateway, now) !== 'deleted'),
    (gateway) => ({ state: natGatewayState(gateway, now), zone: gateway.zone }),
  );
  add('elastic-ip', account.addresses.by('region', region), ({ id }) => ({
    state: holderOf(account, id, now) ? 'associated' : 'available',
  }));
  add(
    'route-table',
    account.routeTables.by('region', region).filter(({ main }) => main === undefined),
    () => ({ state: 'available' }),
  );
  add(
    'security-group',
    account.securityGroups.by('region', region).filter(({ vpcId, id }) => account.vpcs.get(vpcId)?.defaultGroup !== id),
    () => ({ state: 'available' }),
  );
  add('vpc-endpoint', account.vpcEndpoints.by('region', region), () => ({ state: 'available' }));
  add(
    'instance',
    account.instances.by('region', region).filter((instance) => instanceState(instance, now) !== 'terminated'),
    (instance) => ({ state: instanceState(instance, now), zone: instance.zone }),
  );
  add('volume', volumesOfRegion(account, region, now), ({ zone }) => ({ state: 'in-use', zone }));
  add('network-interface', networkInterfacesOfRegion(account, region, now), ({ zone }) => ({ state: 'in-use', zone }));
  add(
    'load-balancer',
    account.loadBalancers.by('region', region).filter(loadBalancerExists),
    ({ active, interfaces }) => ({
      state: now < active ? 'provisioning' : 'active',
      zone: interfaces.map(({ zone }) => zone).join(','),
    }),
    own,
  );
  add('listener', account.listeners.by('region', region), () => ({ state: 'active' }), own);
  add(
    'target-group',
    account.targetGroups.by('region', region),
    ({ arn }) => ({ state: account.listeners.count('target-group', arn) > 0 ? 'in-use' : 'unused' }),
    own,
  );
  add('secret', account.secrets.by('region', region), () => ({ state: 'available' }), own);
  add('parameter', account.parameters.by('region', region), () => ({ state: 'available' }), own);
  return rows.sort((a, b) => a.seq - b.seq);
};
