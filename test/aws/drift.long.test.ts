/** What the drift sweep finds in the account, compared with what each controller would find itself. */

import { beforeEach, describe, expect, it } from 'vitest';
import { surveyed } from '../../adapters/cloud/survey.ts';
import { drifted } from '../../kinds/capstan/installation/drift/reconcile.ts';
import { pagesOf } from '../../kinds/infrastructure-aws/aws-cluster/differs.ts';
import type { AWSCluster } from '../../kinds/infrastructure-aws/aws-cluster/index.ts';
import { ownerOf } from '../../kinds/infrastructure-aws/aws-cluster/owner.ts';
import type { AWSMachine } from '../../kinds/infrastructure-aws/aws-machine/index.ts';
import { installationTag, tagSpecifications } from '../../kinds/infrastructure-aws/engine/tags.ts';
import { defaultApiPorts } from '../../kinds/infrastructure-aws/network/api-ports.ts';
import type { CloudAction, CloudInput, CloudOutput, TagSpecifications } from '../../kinds/ports/cloud/index.ts';
import { addCluster, addMachine, createWorld, join, type World } from './world.ts';

const region = 'eu-west-1';
let world: World;
const cluster = () => world.get<AWSCluster>('AWSCluster', 'demo');
const machine = () => world.get<AWSMachine>('AWSMachine', 'one');
const call = <A extends CloudAction>(action: A, input: CloudInput<A>): Promise<CloudOutput<A>> =>
  world.account.call(region, action, input);

/** The names of the objects that would be enqueued now. */
const woken = async () => {
  // Describe calls lag.
  await world.run(60);
  const awsCluster = cluster();
  const survey = await surveyed(world.account, region, { [installationTag]: 'here' }, pagesOf(awsCluster));
  const settled = [
    { awsCluster, owner: ownerOf(awsCluster, 'here')!, apiPorts: defaultApiPorts, machines: [machine()] },
  ];
  const { clusters, machines } = drifted(region, settled, survey);
  return [...clusters, ...machines].map(({ kind }) => kind);
};
const idOf = (type: string, purpose?: string): string =>
  world.account.list().find((one) => one.type === type && (!purpose || one.tags['capstan.dev/purpose'] === purpose))!
    .id;
/** Creates a copy with the same tags as the first existing resource. */
const again = (type: string, make: (tags: TagSpecifications) => Promise<unknown>) =>
  make(tagSpecifications(type, world.account.list().find((one) => one.type === type)!.tags));
const instance = () => machine().spec!.instanceID!;
const group = () => idOf('security-group', 'security-group/node');
const loadBalancer = async () => (await call('DescribeLoadBalancers', {})).LoadBalancers[0]!.LoadBalancerArn;

const started = async (spec = {}) => {
  world = createWorld({ behaviour: { inconsistency: 0 } });
  addCluster(world, spec);
  await world.until(() => cluster()?.status?.ready === true);
  addMachine(world, 'one');
  await world.until(() => machine()?.status?.ready === true);
  join(world, 'one');
  await world.run(120);
};

describe('the drift sweep', () => {
  beforeEach(() => started());

  it('enqueues nothing while everything matches', async () => expect(await woken()).toEqual([]));

  it('enqueues nothing for tags that have been refused for hours', async () => {
    for (const action of ['CreateTags', 'AddTags'] as const)
      world.account.faults.add({ action, code: 'UnauthorizedOperation' });
    const asking = { additionalTags: { team: 'payments' } };
    world.put({ ...cluster(), spec: { ...cluster().spec, ...asking } } as AWSCluster);
    await world.run(60);
    expect(await woken()).toEqual(['AWSCluster', 'AWSMachine']);
    await world.run(3 * 3600);
    expect(await woken()).toEqual([]);
  });

  const rule = [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  const tables = async () => (await call('DescribeRouteTables', {})).RouteTables;
  const cases: { rule: string; change: () => Promise<unknown>; wakes: string }[] = [
    {
      rule: 'a rule that another client added to a security group',
      change: () => call('AuthorizeSecurityGroupIngress', { GroupId: group(), IpPermissions: rule }),
      wakes: 'AWSCluster',
    },
    {
      rule: 'a renamed security group',
      change: () => call('CreateTags', { Resources: [group()], Tags: [{ Key: 'Name', Value: 'renamed' }] }),
      wakes: 'AWSCluster',
    },
    {
      rule: 'a NAT gateway without a requested tag',
      change: async () => {
        const spec = { ...cluster().spec, additionalTags: { team: 'payments' } };
        world.put({ ...cluster(), spec } as AWSCluster);
        await world.run(600);
        const id = idOf('natgateway');
        expect(world.account.list().find((one) => one.id === id)?.tags).toMatchObject({ team: 'payments' });
        await call('DeleteTags', { Resources: [id], Tags: [{ Key: 'team' }] });
      },
      wakes: 'AWSCluster',
    },
    {
      rule: 'a renamed network',
      change: () => call('CreateTags', { Resources: [idOf('vpc')], Tags: [{ Key: 'Name', Value: 'renamed' }] }),
      wakes: 'AWSCluster',
    },
    {
      rule: 'a removed tag of a network',
      change: async () => {
        await call('CreateTags', { Resources: [idOf('vpc')], Tags: [{ Key: 'team', Value: 'payments' }] });
        world.enqueue('AWSCluster', 'demo');
        await world.run(600);
        expect(cluster().spec?.network?.vpc?.tags).toMatchObject({ team: 'payments' });
        await call('DeleteTags', { Resources: [idOf('vpc')], Tags: [{ Key: 'team' }] });
      },
      wakes: 'AWSCluster',
    },
    {
      rule: 'a changed route',
      change: async () => {
        const table = (await tables()).find(({ Routes }) => Routes.some(({ NatGatewayId }) => NatGatewayId))!;
        const there = { RouteTableId: table.RouteTableId, DestinationCidrBlock: '0.0.0.0/0' };
        await call('ReplaceRoute', { ...there, GatewayId: idOf('internet-gateway') });
      },
      wakes: 'AWSCluster',
    },
    {
      rule: 'a subnet without its route table',
      change: async () => {
        const own = (await tables()).flatMap(({ Associations }) => Associations.filter(({ Main }) => !Main));
        await call('DisassociateRouteTable', { AssociationId: own[0]!.RouteTableAssociationId });
      },
      wakes: 'AWSCluster',
    },
    {
      rule: 'a deleted NAT gateway',
      change: () => call('DeleteNatGateway', { NatGatewayId: idOf('natgateway') }),
      wakes: 'AWSCluster',
    },
    {
      rule: 'an address allocated by a stalled worker',
      change: () =>
        again('elastic-ip', (TagSpecifications) => call('AllocateAddress', { Domain: 'vpc', TagSpecifications })),
      wakes: 'AWSCluster',
    },
    {
      rule: 'an internet gateway created by a stalled worker',
      change: () =>
        again('internet-gateway', (TagSpecifications) => call('CreateInternetGateway', { TagSpecifications })),
      wakes: 'AWSCluster',
    },
    {
      rule: 'changed groups on the load balancer',
      change: async () =>
        call('SetSecurityGroups', { LoadBalancerArn: await loadBalancer(), SecurityGroups: [group()] }),
      wakes: 'AWSCluster',
    },
    {
      rule: 'a deleted listener',
      change: async () => {
        const { Listeners } = await call('DescribeListeners', { LoadBalancerArn: await loadBalancer() });
        await call('DeleteListener', { ListenerArn: Listeners[0]!.ListenerArn });
      },
      wakes: 'AWSCluster',
    },
    {
      rule: 'a terminated instance without an event',
      change: async () => world.account.terminate(instance()),
      wakes: 'AWSMachine',
    },
    {
      rule: 'a removed tag of an instance',
      change: () => call('DeleteTags', { Resources: [instance()], Tags: [{ Key: 'MachineName' }] }),
      wakes: 'AWSMachine',
    },
    {
      rule: 'a metadata service without session tokens',
      change: () => call('ModifyInstanceMetadataOptions', { InstanceId: instance(), HttpTokens: 'optional' }),
      wakes: 'AWSMachine',
    },
  ];
  it.each(cases)('finds $rule', async ({ change, wakes }) => {
    await change();
    expect(await woken()).toEqual([wakes]);
  });

  it.each(
    cases.filter(({ wakes }) => wakes === 'AWSCluster'),
  )('finds nothing once the cluster has repaired $rule', async ({ change }) => {
    await change();
    await world.run(60);
    world.enqueue('AWSCluster', 'demo');
    await world.run(1800);
    expect(await woken()).toEqual([]);
  });
});

describe('the drift sweep of a cluster with a bastion', () => {
  beforeEach(() => started({ bastion: { enabled: true } }));
  const bastion = () => cluster().status?.bastion;

  it('finds that the bastion was stopped, and started again, without an event', async () => {
    expect(await woken()).toEqual([]);
    world.account.halt(bastion()?.id ?? '', true);
    expect(await woken()).toEqual(['AWSCluster']);
    world.enqueue('AWSCluster', 'demo');
    await world.run(600);
    expect(bastion()?.instanceState).toBe('stopped');
    expect(await woken()).toEqual([]);
    world.account.start(bastion()?.id ?? '');
    expect(await woken()).toEqual(['AWSCluster']);
    world.enqueue('AWSCluster', 'demo');
    await world.run(600);
    expect(bastion()).toMatchObject({ instanceState: 'running', publicIp: expect.any(String) });
    expect(await woken()).toEqual([]);
  });
});
