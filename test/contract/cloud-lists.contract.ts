/** Lists by tag, in any implementation of the Cloud port: one that ignores a filter answers other clusters' resources. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CloudAction, CloudInput, Filter } from '../../kinds/ports/cloud/index.ts';
import type { CloudUnderTest } from './cloud.fixture.ts';
import { inputs } from './cloud.inputs.ts';

interface Listed {
  action: CloudAction;
  list: string;
  id: string;
  /** The input field of the action's filters. */
  filters?: 'Filter';
}

const listed: Listed[] = [
  { action: 'DescribeVpcs', list: 'Vpcs', id: 'VpcId' },
  { action: 'DescribeSubnets', list: 'Subnets', id: 'SubnetId' },
  { action: 'DescribeInternetGateways', list: 'InternetGateways', id: 'InternetGatewayId' },
  { action: 'DescribeAddresses', list: 'Addresses', id: 'AllocationId' },
  { action: 'DescribeNatGateways', list: 'NatGateways', id: 'NatGatewayId', filters: 'Filter' },
  { action: 'DescribeRouteTables', list: 'RouteTables', id: 'RouteTableId' },
  { action: 'DescribeSecurityGroups', list: 'SecurityGroups', id: 'GroupId' },
];

export const cloudListsContract = (name: string, open: () => Promise<CloudUnderTest>) =>
  describe(`lists by tag: ${name}`, () => {
    let under: CloudUnderTest;
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.close());
    const call = (action: CloudAction, input: object) =>
      under.cloud.call(under.region, action, input as CloudInput<CloudAction>) as unknown as Promise<
        Record<string, Record<string, string>[]>
      >;

    /** Creates one of each resource with this tag. */
    const makeAll = async (cluster: string): Promise<string[]> => {
      const make = inputs(under.cloud, under.region, cluster);
      const { vpc, gateway, publicSubnet } = await make.network();
      const address = await make.address();
      const made = [
        vpc,
        gateway,
        publicSubnet,
        address,
        await make.natGateway(publicSubnet, address),
        await make.routeTable(vpc),
        await make.securityGroup(vpc, 'nodes'),
      ];
      await call('CreateTags', { Resources: made, Tags: [{ Key: 'cluster', Value: cluster }] });
      return made;
    };

    it('contain only resources with the tag', async () => {
      const made = { mine: await makeAll('mine'), other: await makeAll('other') };
      const Filters: Filter[] = [{ Name: 'tag:cluster', Values: ['mine'] }];
      for (const { action, list, id, filters = 'Filters' } of listed) {
        const found = (await call(action, { [filters]: Filters }))[list]!.map((one) => one[id]!);
        expect([action, found]).toEqual([action, made.mine.filter((one) => found.includes(one))]);
        expect([action, found.length]).toEqual([action, 1]);
      }
    });

    it('are empty for an unused tag', async () => {
      await makeAll('mine');
      const Filters: Filter[] = [
        { Name: 'tag:cluster', Values: ['mine'] },
        { Name: 'tag:installation', Values: ['here'] },
      ];
      for (const { action, list, filters = 'Filters' } of listed)
        expect([action, (await call(action, { [filters]: Filters }))[list]]).toEqual([action, []]);
    });

    it('of instances and of all tagged resources contain no others', async () => {
      for (const cluster of ['mine', 'other']) {
        const make = inputs(under.cloud, under.region, cluster);
        const { privateSubnet } = await make.network();
        await make.instance(privateSubnet, { tags: { cluster } });
      }
      const isMine = ({ Key, Value }: { Key: string; Value: string }) => Key === 'cluster' && Value === 'mine';
      const { Reservations } = await under.cloud.call(under.region, 'DescribeInstances', {
        Filters: [{ Name: 'tag:cluster', Values: ['mine'] }],
      });
      const instances = Reservations.flatMap(({ Instances }) => Instances);
      expect(instances.map(({ Tags }) => Tags.some(isMine))).toEqual([true]);
      const { ResourceTagMappingList } = await under.cloud.call(under.region, 'GetResources', {
        TagFilters: [{ Key: 'cluster', Values: ['mine'] }],
      });
      expect(ResourceTagMappingList.map(({ Tags }) => Tags.some(isMine))).toEqual([true]);
    });
  });
