import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { CloudError, isMutating, isNotFound } from '../../../../kinds/ports/cloud/index.ts';
import type { Account, ListedResource } from '../../../../simulation/aws/index.ts';
import { isEnding } from '../deletion.ts';
import type { Rule } from '../rule.ts';
import { owner as ownerTag, region } from '../tags.ts';
import { belongingsOf } from './resources.ts';

/** Retries a read, which may not see a new resource yet. */
const patiently = async <T>(run: () => Promise<T>): Promise<T> => {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === 100 || !(error instanceof CloudError && isNotFound(error.code))) throw error;
    }
  }
};

const specification = (ResourceType: string, all: Record<string, string>) => [
  { ResourceType, Tags: Object.entries(all).map(([Key, Value]) => ({ Key, Value })) },
];

/** Creates gateways in an unmanaged network. */
const plantGateways = async ({ call }: Account, VpcId: string, SubnetId: string, tags: Record<string, string>) => {
  const { InternetGateway } = await call(region, 'CreateInternetGateway', {
    TagSpecifications: specification('internet-gateway', tags),
  });
  const { InternetGatewayId } = InternetGateway;
  await patiently(() => call(region, 'AttachInternetGateway', { InternetGatewayId, VpcId }));
  const { RouteTable } = await call(region, 'CreateRouteTable', {
    VpcId,
    TagSpecifications: specification('route-table', tags),
  });
  const { RouteTableId } = RouteTable;
  const way = { RouteTableId, DestinationCidrBlock: '0.0.0.0/0', GatewayId: InternetGatewayId };
  await patiently(() => call(region, 'CreateRoute', way));
  const { AllocationId } = await call(region, 'AllocateAddress', {
    Domain: 'vpc',
    TagSpecifications: specification('elastic-ip', tags),
  });
  await patiently(() =>
    call(region, 'CreateNatGateway', {
      SubnetId,
      AllocationId,
      ClientToken: 'unmanaged',
      TagSpecifications: specification('natgateway', tags),
    }),
  );
  await call(region, 'CreateLoadBalancer', {
    Name: 'unmanaged',
    Type: 'network',
    Scheme: 'internal',
    Subnets: [SubnetId],
    Tags: specification('', tags)[0]!.Tags,
  });
};

/**
 * Creates unmanaged resources: without our tags, with the tags of another installation, and with
 * only the cluster's name.
 */
export const plant = async (account: Account, cluster: string): Promise<void> => {
  const owners: Record<string, string>[] = [
    { Owner: 'user' },
    { 'capstan.dev/installation': 'there', 'capstan.dev/cluster-uid': '00000000-0000-4000-8000-000000000000' },
    { [`sigs.k8s.io/cluster-api-provider-aws/cluster/${cluster}`]: 'owned', Name: `${cluster}-vpc` },
  ];
  for (const tags of owners) {
    const TagSpecifications = specification('vpc', tags);
    const { Vpc } = await account.call(region, 'CreateVpc', { CidrBlock: '10.0.0.0/16', TagSpecifications });
    const { VpcId } = Vpc;
    const { Subnet } = await patiently(() =>
      account.call(region, 'CreateSubnet', {
        VpcId,
        CidrBlock: '10.0.0.0/24',
        AvailabilityZone: `${region}a`,
        TagSpecifications: specification('subnet', tags),
      }),
    );
    await patiently(() =>
      account.call(region, 'CreateSecurityGroup', {
        VpcId,
        GroupName: `${cluster}-lb`,
        Description: 'unmanaged',
        TagSpecifications: specification('security-group', tags),
      }),
    );
    if (tags === owners[0]) await plantGateways(account, VpcId, Subnet.SubnetId, tags);
  }
};

/** Calls that use an unmanaged network without changing it. */
const uses = new Set([
  'CreateSecurityGroup',
  'CreateLoadBalancer',
  'SetSubnets',
  'CreateTargetGroup',
  'RunInstances',
  'CreateTags',
]);
/** Calls that are allowed only while their cluster is being deleted. */
const tearsDown =
  /^(Delete(Vpc|Subnet|RouteTable|(Internet|Carrier|EgressOnlyInternet)Gateway|SecurityGroup|LoadBalancer|TargetGroup)|DetachInternetGateway)$/;
const alters =
  /^(Delete|Remove|Terminate|Detach|Disassociate|Release|Revoke|Replace|Deregister|ModifyNetworkInterface)/;
const namedIn = (text: string) => (id: string) => text.includes(`"${id}"`);

export const unmanaged: Rule = ({ world, provided, network }, broken) => {
  const { account, mirror } = world;
  const lent = new Set(network && [network.vpc, ...network.subnets]);
  const clusterOf = (uid: string | undefined) =>
    mirror.all<Cluster>('Cluster').find(({ metadata }) => metadata.uid === uid);
  const isGoing = ({ metadata: { namespace = '', name }, spec }: Cluster) =>
    isEnding(mirror, namespace, name) ||
    mirror.get('AWSCluster', namespace, spec?.infrastructureRef?.name ?? '')?.metadata.deletionTimestamp !== undefined;
  const machineOf = ({ id, tags }: ListedResource) =>
    mirror
      .all<AWSMachine>('AWSMachine')
      .find(
        ({ metadata, spec }) =>
          `${metadata.namespace}/${metadata.name}` === tags.MachineName && spec?.instanceID === id,
      );
  /**
   * A frozen worker may have created a duplicate. Only the one without attachments can be deleted.
   */
  const isDuplicate = ({ type, tags }: ListedResource) =>
    account.list().filter((one) => one.type === type && one.tags[ownerTag] === tags[ownerTag]).length > 1;
  world.onAsked((asked) => {
    if (asked.port !== 'cloud' || !alters.test(asked.action)) return;
    const isNamed = namedIn(JSON.stringify(asked.input));
    for (const resource of account.list().filter(({ id }) => isNamed(id))) {
      const { type, id, tags } = resource;
      if (tags['capstan.dev/installation'] !== 'here')
        throw broken(`${asked.action} of ${type} ${id}, which is unmanaged`);
      const cluster = clusterOf(tags[ownerTag]);
      if (!cluster || isGoing(cluster)) continue;
      const { name } = cluster.metadata;
      if (asked.action === 'DeleteInternetGateway' && isDuplicate(resource)) continue;
      if (tearsDown.test(asked.action))
        throw broken(`${asked.action} of ${type} ${id} of ${name}, which is not being deleted`);
      const machine = asked.action === 'TerminateInstances' ? machineOf(resource) : undefined;
      if (machine && !machine.metadata.deletionTimestamp)
        throw broken(`${id} is terminated although ${machine.metadata.name} is not being deleted`);
    }
  });
  return {
    onCall: ({ action, input, happened }) => {
      if (!happened || !isMutating(action)) return;
      const isNamed = namedIn(JSON.stringify(input));
      for (const id of provided.keys())
        if (isNamed(id) && !(lent.has(id) && uses.has(action)))
          throw broken(`${action} names ${id}, which is unmanaged`);
    },
    atEnd: async () => {
      const now = await belongingsOf(account, provided).catch((error: unknown) => {
        throw broken(String(error));
      });
      for (const [id, was] of provided)
        if (now.get(id) !== was) throw broken(`${id} changed from ${was} to ${now.get(id) ?? 'gone'}`);
    },
  };
};
