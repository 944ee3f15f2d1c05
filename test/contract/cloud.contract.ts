/**
 * What Capstan relies on in any implementation of the Cloud port. These tests only use the port, so they can also
 * run against another implementation of the AWS API, or against an account.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CloudAction,
  CloudError,
  type CloudInput,
  type CloudOutput,
  type Filter,
  isNotFound,
} from '../../kinds/ports/cloud/index.ts';
import type { CloudUnderTest } from './cloud.fixture.ts';
import { inputs } from './cloud.inputs.ts';
import { type Deviations, expectDeviations } from './deviations.ts';

export const cloudContract = (name: string, open: () => Promise<CloudUnderTest>, deviations: Deviations = {}) =>
  describe(`the Cloud port: ${name}`, () => {
    expectDeviations(deviations);
    let under: CloudUnderTest;
    let region: string;
    let make: ReturnType<typeof inputs>;
    beforeEach(async () => {
      under = await open();
      region = under.region;
      make = inputs(under.cloud, region);
    });
    afterEach(() => under.close());

    const call = <A extends CloudAction>(action: A, input: CloudInput<A>): Promise<CloudOutput<A>> =>
      under.cloud.call(region, action, input);
    const refusal = async (promise: Promise<unknown>): Promise<string> => {
      try {
        await promise;
      } catch (error) {
        if (error instanceof CloudError) return error.code;
        throw error;
      }
      return 'accepted';
    };
    const eventually = async <T>(read: () => Promise<T>, until: (value: T) => boolean): Promise<T> => {
      let value = await read();
      if (!until(value))
        await under.settle(async () => {
          value = await read();
          return until(value);
        });
      expect(until(value), JSON.stringify(value)).toBe(true);
      return value;
    };
    const instanceState = async (id: string): Promise<string | undefined> => {
      const { Reservations } = await call('DescribeInstances', { InstanceIds: [id] });
      return Reservations[0]?.Instances[0]?.State.Name;
    };
    const running = (id: string) =>
      eventually(
        () => instanceState(id),
        (state) => state === 'running',
      );
    const tag = (Name: string, ...Values: string[]): Filter[] => [{ Name, Values }];

    describe('an alarm', () => {
      const stateOf = async (...AlarmNames: string[]) => {
        const { MetricAlarms } = await call('DescribeAlarms', {
          AlarmNames,
          AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
          MaxRecords: 100,
        });
        return MetricAlarms.map(({ AlarmName, StateValue }) => `${AlarmName} ${StateValue}`).sort();
      };
      it('shows its state by name, and one that does not exist is left out', async () => {
        await under.alarm('queue', 'ALARM');
        await under.alarm('load', 'OK');
        expect(await stateOf('queue')).toEqual(['queue ALARM']);
        expect(await stateOf('queue', 'load', 'none')).toEqual(['load OK', 'queue ALARM']);
        await under.alarm('queue', 'OK');
        expect(await stateOf('queue')).toEqual(['queue OK']);
        expect(await stateOf('none')).toEqual([]);
      });
    });

    describe('networks', () => {
      it('finds what it created by ID, by tag and by VPC, and nothing else', async () => {
        const mine = await make.vpc({ cluster: 'mine' });
        const other = await make.vpc({ cluster: 'other' });
        const subnet = await make.subnet(mine, '10.0.0.0/20', { cluster: 'mine' });
        await make.subnet(other, '10.0.0.0/20', { cluster: 'other' });
        const byId = await call('DescribeVpcs', { VpcIds: [mine] });
        expect(byId.Vpcs).toMatchObject([
          { VpcId: mine, CidrBlock: '10.0.0.0/16', State: 'available', IsDefault: false },
        ]);
        expect(byId.Vpcs[0]?.Tags).toContainEqual({ Key: 'cluster', Value: 'mine' });
        const byTag = await call('DescribeVpcs', { Filters: tag('tag:cluster', 'mine') });
        expect(byTag.Vpcs.map(({ VpcId }) => VpcId)).toEqual([mine]);
        const byVpc = await call('DescribeSubnets', { Filters: tag('vpc-id', mine) });
        expect(byVpc.Subnets.map(({ SubnetId }) => SubnetId)).toEqual([subnet]);
        const byKey = await call('DescribeVpcs', { Filters: tag('tag-key', 'cluster') });
        expect(byKey.Vpcs.map(({ VpcId }) => VpcId).sort()).toEqual([mine, other].sort());
        const byPattern = await call('DescribeVpcs', { Filters: tag('tag:cluster', 'o*r', 'nobody') });
        expect(byPattern.Vpcs.map(({ VpcId }) => VpcId)).toEqual([other]);
      });

      it('gives a new VPC a main route table and a default security group that cannot be deleted', async () => {
        const vpc = await make.vpc();
        const { RouteTables } = await call('DescribeRouteTables', { Filters: tag('vpc-id', vpc) });
        expect(RouteTables.map(({ Associations }) => Associations.map(({ Main }) => Main))).toEqual([[true]]);
        const { SecurityGroups } = await call('DescribeSecurityGroups', { Filters: tag('vpc-id', vpc) });
        expect(SecurityGroups.map(({ GroupName }) => GroupName)).toEqual(['default']);
        expect(await refusal(call('DeleteSecurityGroup', { GroupId: SecurityGroups[0]!.GroupId }))).toBe(
          'CannotDelete',
        );
        expect(await refusal(call('DeleteRouteTable', { RouteTableId: RouteTables[0]!.RouteTableId }))).toBe(
          'DependencyViolation',
        );
        await call('DeleteVpc', { VpcId: vpc });
        expect(await refusal(call('DescribeVpcs', { VpcIds: [vpc] }))).toBe('InvalidVpcID.NotFound');
      });

      it('keeps the DNS attributes of a VPC', async () => {
        const vpc = await make.vpc();
        const read = async () =>
          (await call('DescribeVpcAttribute', { VpcId: vpc, Attribute: 'enableDnsHostnames' })).EnableDnsHostnames;
        expect(await read()).toEqual({ Value: false });
        await call('ModifyVpcAttribute', { VpcId: vpc, EnableDnsHostnames: { Value: true } });
        expect(await read()).toEqual({ Value: true });
      });

      it.each([
        { rule: 'a malformed CIDR block', cidr: 'ten', code: 'InvalidParameterValue' },
        { rule: 'a block outside the VPC', cidr: '10.1.0.0/20', code: 'InvalidSubnet.Range' },
        { rule: 'a block in use by another subnet', cidr: '10.0.8.0/24', code: 'InvalidSubnet.Conflict' },
      ])('refuses a subnet with $rule', async ({ cidr, code }) => {
        const vpc = await make.vpc();
        await make.subnet(vpc, '10.0.0.0/20');
        expect(await refusal(make.subnet(vpc, cidr))).toBe(code);
      });

      it('does not count the five addresses per subnet that AWS reserves', async () => {
        const subnet = await make.subnet(await make.vpc(), '10.0.0.0/24');
        const { Subnets } = await call('DescribeSubnets', { SubnetIds: [subnet] });
        expect(Subnets[0]).toMatchObject({ AvailableIpAddressCount: 251, MapPublicIpOnLaunch: false });
      });

      it('attaches one internet gateway to a VPC, and deletes it only detached', async () => {
        const vpc = await make.vpc();
        const gateway = await make.internetGateway(vpc);
        const second = await make.internetGateway();
        expect(await refusal(call('AttachInternetGateway', { InternetGatewayId: second, VpcId: vpc }))).toBe(
          'InvalidParameterValue',
        );
        expect(await refusal(call('AttachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc }))).toBe(
          'Resource.AlreadyAssociated',
        );
        const found = await call('DescribeInternetGateways', { Filters: tag('attachment.vpc-id', vpc) });
        expect(found.InternetGateways.map(({ InternetGatewayId }) => InternetGatewayId)).toEqual([gateway]);
        expect(await refusal(call('DeleteInternetGateway', { InternetGatewayId: gateway }))).toBe(
          'DependencyViolation',
        );
        await call('DetachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc });
        await call('DeleteInternetGateway', { InternetGatewayId: gateway });
        expect(await refusal(call('DetachInternetGateway', { InternetGatewayId: second, VpcId: vpc }))).toBe(
          'Gateway.NotAttached',
        );
      });

      const available = (nat: string) =>
        eventually(
          async () => (await call('DescribeNatGateways', { NatGatewayIds: [nat] })).NatGateways[0]?.State,
          (state) => state === 'available',
        );

      it('routes a subnet through a NAT gateway', async () => {
        const { vpc, publicSubnet } = await make.network();
        const nat = await make.natGateway(publicSubnet, await make.address());
        await available(nat);
        const table = await make.routeTable(vpc);
        await call('CreateRoute', { RouteTableId: table, DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: nat });
        const { RouteTables } = await call('DescribeRouteTables', { RouteTableIds: [table] });
        expect(RouteTables[0]?.Routes).toEqual([
          { DestinationCidrBlock: '10.0.0.0/16', GatewayId: 'local', State: 'active' },
          { DestinationCidrBlock: '0.0.0.0/0', NatGatewayId: nat, State: 'active' },
        ]);
      });

      it('releases the address and the subnet of a deleted NAT gateway', async () => {
        const { publicSubnet } = await make.network();
        const address = await make.address();
        const nat = await make.natGateway(publicSubnet, address);
        await available(nat);
        await call('DeleteNatGateway', { NatGatewayId: nat });
        await eventually(
          () => refusal(call('ReleaseAddress', { AllocationId: address })),
          (code) => code === 'accepted',
        );
        await call('DeleteSubnet', { SubnetId: publicSubnet });
      });

      it('keeps the address, the subnet and the internet gateway of an existing NAT gateway', async () => {
        const { vpc, publicSubnet, gateway } = await make.network();
        const address = await make.address();
        await available(await make.natGateway(publicSubnet, address));
        expect(await refusal(call('DeleteSubnet', { SubnetId: publicSubnet }))).toBe('DependencyViolation');
        expect(await refusal(call('DetachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc }))).toBe(
          'DependencyViolation',
        );
        expect(await refusal(call('ReleaseAddress', { AllocationId: address }))).not.toBe('accepted');
      });

      it('creates one NAT gateway per client token, and refuses the token with other parameters', async () => {
        const { publicSubnet } = await make.network();
        const address = await make.address();
        const nat = await make.natGateway(publicSubnet, address, 'token-1');
        expect(await make.natGateway(publicSubnet, address, 'token-1')).toBe(nat);
        expect(await refusal(make.natGateway(publicSubnet, await make.address(), 'token-1'))).toBe(
          'IdempotentParameterMismatch',
        );
      });

      it('associates a subnet with one route table at a time', async () => {
        const { vpc, publicSubnet, gateway } = await make.network();
        const table = await make.routeTable(vpc);
        await call('CreateRoute', { RouteTableId: table, DestinationCidrBlock: '0.0.0.0/0', GatewayId: gateway });
        const { AssociationId } = await call('AssociateRouteTable', { RouteTableId: table, SubnetId: publicSubnet });
        const again = await call('AssociateRouteTable', { RouteTableId: table, SubnetId: publicSubnet });
        expect(again.AssociationId).toBe(AssociationId);
        const other = await make.routeTable(vpc);
        expect(await refusal(call('AssociateRouteTable', { RouteTableId: other, SubnetId: publicSubnet }))).toBe(
          'Resource.AlreadyAssociated',
        );
        expect(await refusal(call('DeleteRouteTable', { RouteTableId: table }))).toBe('DependencyViolation');
        await call('DisassociateRouteTable', { AssociationId });
        await call('DeleteRouteTable', { RouteTableId: table });
        expect(await refusal(call('DisassociateRouteTable', { AssociationId }))).toBe('InvalidAssociationID.NotFound');
      });

      it('replaces a route but never adds a second one to the same destination', async () => {
        const { vpc, publicSubnet, gateway } = await make.network();
        const table = await make.routeTable(vpc);
        const everywhere = { RouteTableId: table, DestinationCidrBlock: '0.0.0.0/0' };
        await call('CreateRoute', { ...everywhere, GatewayId: gateway });
        const nat = await make.natGateway(publicSubnet, await make.address());
        expect(await refusal(call('CreateRoute', { ...everywhere, NatGatewayId: nat }))).toBe('RouteAlreadyExists');
        await call('ReplaceRoute', { ...everywhere, NatGatewayId: nat });
        const { RouteTables } = await call('DescribeRouteTables', { RouteTableIds: [table] });
        expect(RouteTables[0]?.Routes).toContainEqual({
          DestinationCidrBlock: '0.0.0.0/0',
          NatGatewayId: nat,
          State: 'active',
        });
        expect(
          await refusal(
            call('ReplaceRoute', { ...everywhere, DestinationCidrBlock: '10.9.0.0/16', NatGatewayId: nat }),
          ),
        ).toBe('InvalidParameterValue');
      });

      it('names the resources that keep a VPC from being deleted', async () => {
        const vpc = await make.vpc();
        const subnet = await make.subnet(vpc, '10.0.0.0/20');
        expect(await refusal(call('DeleteVpc', { VpcId: vpc }))).toBe('DependencyViolation');
        await call('DeleteSubnet', { SubnetId: subnet });
        const gateway = await make.internetGateway(vpc);
        expect(await refusal(call('DeleteVpc', { VpcId: vpc }))).toBe('DependencyViolation');
        await call('DetachInternetGateway', { InternetGatewayId: gateway, VpcId: vpc });
        const group = await make.securityGroup(vpc, 'nodes');
        expect(await refusal(call('DeleteVpc', { VpcId: vpc }))).toBe('DependencyViolation');
        await call('DeleteSecurityGroup', { GroupId: group });
        await call('DeleteVpc', { VpcId: vpc });
      });
    });

    describe('security groups', () => {
      it('refuses a second group of the same name in a VPC', async () => {
        const vpc = await make.vpc();
        await make.securityGroup(vpc, 'nodes');
        expect(await refusal(make.securityGroup(vpc, 'nodes'))).toBe('InvalidGroup.Duplicate');
        expect(await refusal(make.securityGroup(await make.vpc(), 'nodes'))).toBe('accepted');
      });

      it('adds and removes exactly the named rules, grouped by protocol and ports', async () => {
        const vpc = await make.vpc();
        const nodes = await make.securityGroup(vpc, 'nodes');
        const planes = await make.securityGroup(vpc, 'planes');
        const kubelet = { IpProtocol: 'tcp', FromPort: 10250, ToPort: 10250 };
        await call('AuthorizeSecurityGroupIngress', {
          GroupId: nodes,
          IpPermissions: [
            { ...kubelet, UserIdGroupPairs: [{ GroupId: planes, Description: 'kubelet' }, { GroupId: nodes }] },
            { IpProtocol: '4', FromPort: -1, ToPort: 65535, UserIdGroupPairs: [{ GroupId: nodes }] },
            { IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
          ],
        });
        const read = async () =>
          (await call('DescribeSecurityGroups', { GroupIds: [nodes] })).SecurityGroups[0]!.IpPermissions;
        const before = await read();
        expect(before).toHaveLength(3);
        expect(
          before
            .find(({ FromPort }) => FromPort === 10250)
            ?.UserIdGroupPairs?.map(({ GroupId }) => GroupId)
            .sort(),
        ).toEqual([planes, nodes].sort());
        const authorize = (CidrIp: string) =>
          call('AuthorizeSecurityGroupIngress', {
            GroupId: nodes,
            IpPermissions: [{ IpProtocol: 'tcp', FromPort: 22, ToPort: 22, IpRanges: [{ CidrIp }] }],
          });
        expect(await refusal(authorize('10.0.0.0/8'))).toBe('InvalidPermission.Duplicate');
        expect(await refusal(authorize('10.0.0.0/33'))).toBe('InvalidParameterValue');
        const revoke = () =>
          call('RevokeSecurityGroupIngress', {
            GroupId: nodes,
            IpPermissions: [{ ...kubelet, UserIdGroupPairs: [{ GroupId: planes }] }],
          });
        await revoke();
        const after = await read();
        expect(
          after.find(({ FromPort }) => FromPort === 10250)?.UserIdGroupPairs?.map(({ GroupId }) => GroupId),
        ).toEqual([nodes]);
        expect(await refusal(revoke())).toBe('InvalidPermission.NotFound');
      });

      it('keeps a group that another group refers to', async () => {
        const vpc = await make.vpc();
        const [nodes, planes] = [await make.securityGroup(vpc, 'nodes'), await make.securityGroup(vpc, 'planes')];
        const rule = { IpProtocol: '-1', UserIdGroupPairs: [{ GroupId: planes }] };
        await call('AuthorizeSecurityGroupIngress', { GroupId: nodes, IpPermissions: [rule] });
        expect(await refusal(call('DeleteSecurityGroup', { GroupId: planes }))).toBe('DependencyViolation');
        await call('RevokeSecurityGroupIngress', { GroupId: nodes, IpPermissions: [rule] });
        await call('DeleteSecurityGroup', { GroupId: planes });
        expect(await refusal(call('DeleteSecurityGroup', { GroupId: planes }))).toBe('InvalidGroup.NotFound');
      });
    });

    describe('instances', () => {
      it('starts with its volumes and interfaces, and is terminated with them', async () => {
        const { vpc, privateSubnet } = await make.network();
        const group = await make.securityGroup(vpc, 'nodes');
        const id = await make.instance(privateSubnet, {
          SecurityGroupIds: [group],
          BlockDeviceMappings: [
            { DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20, Encrypted: true, DeleteOnTermination: true } },
          ],
        });
        await running(id);
        const { Reservations } = await call('DescribeInstances', { InstanceIds: [id] });
        const instance = Reservations[0]!.Instances[0]!;
        expect(instance).toMatchObject({
          VpcId: vpc,
          SubnetId: privateSubnet,
          SecurityGroups: [{ GroupId: group, GroupName: 'nodes' }],
        });
        expect(instance.PrivateIpAddress).toMatch(/^10\.0\./);
        expect(instance.PrivateDnsName).toBe(
          `ip-${instance.PrivateIpAddress!.replaceAll('.', '-')}.${region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`}`,
        );
        const volumes = await call('DescribeVolumes', { Filters: tag('attachment.instance-id', id) });
        expect(volumes.Volumes).toMatchObject([{ Size: 20, Encrypted: true }]);
        const interfaces = await call('DescribeNetworkInterfaces', { Filters: tag('attachment.instance-id', id) });
        expect(interfaces.NetworkInterfaces).toMatchObject([{ SubnetId: privateSubnet, Groups: [{ GroupId: group }] }]);

        await call('TerminateInstances', { InstanceIds: [id] });
        await eventually(
          () => instanceState(id),
          (state) => state === 'terminated',
        );
        const after = await call('DescribeVolumes', { Filters: tag('attachment.instance-id', id) });
        expect(after.Volumes).toEqual([]);
        expect(await refusal(call('TerminateInstances', { InstanceIds: [id] }))).toBe('accepted');
        await call('DeleteSecurityGroup', { GroupId: group });
        await call('DeleteSubnet', { SubnetId: privateSubnet });
      });

      const atAddress = async () => {
        const { vpc, privateSubnet } = await make.network();
        const group = await make.securityGroup(vpc, 'nodes');
        const { Subnets } = await call('DescribeSubnets', { SubnetIds: [privateSubnet] });
        const network = Subnets[0]!.CidrBlock.split('.').slice(0, 3).join('.');
        const launch = (PrivateIpAddress: string) =>
          make.instance(privateSubnet, { SecurityGroupIds: [group], PrivateIpAddress });
        const terminate = async (id: string) => {
          await call('TerminateInstances', { InstanceIds: [id] });
          await eventually(
            () => instanceState(id),
            (state) => state === 'terminated',
          );
        };
        return { network, launch, terminate };
      };

      it('starts at the address that is asked for', async () => {
        const { network, launch, terminate } = await atAddress();
        const id = await launch(`${network}.77`);
        await running(id);
        const { Reservations } = await call('DescribeInstances', { InstanceIds: [id] });
        expect(Reservations[0]!.Instances[0]!.PrivateIpAddress).toBe(`${network}.77`);
        await terminate(id);
      });

      it('starts at the address of a terminated instance', async () => {
        const { network, launch, terminate } = await atAddress();
        for (let times = 0; times < 2; times++) await terminate(await launch(`${network}.77`));
      });

      it('refuses an address that another has, that EC2 keeps, or of another network', async () => {
        const { network, launch, terminate } = await atAddress();
        const id = await launch(`${network}.77`);
        await running(id);
        expect(await refusal(launch('192.168.77.77'))).toBe('InvalidParameterValue');
        expect(await refusal(launch(`${network}.1`))).toBe('InvalidParameterValue');
        expect(await refusal(launch(`${network}.77`))).toBe('InvalidIPAddress.InUse');
        await terminate(id);
      });

      it('leaves a snapshot of its volume, which is complete after it is gone', async () => {
        const { vpc, privateSubnet } = await make.network();
        const group = await make.securityGroup(vpc, 'nodes');
        const id = await make.instance(privateSubnet, {
          SecurityGroupIds: [group],
          BlockDeviceMappings: [{ DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20, DeleteOnTermination: true } }],
        });
        await running(id);
        const { Volumes } = await call('DescribeVolumes', { Filters: tag('attachment.instance-id', id) });
        const VolumeId = Volumes[0]!.VolumeId;
        const Tags = [{ Key: 'cluster', Value: 'kept' }];
        const { SnapshotId } = await call('CreateSnapshot', {
          VolumeId,
          Description: 'of a member',
          TagSpecifications: [{ ResourceType: 'snapshot', Tags }],
        });
        await call('TerminateInstances', { InstanceIds: [id] });
        const own = { OwnerIds: ['self'], Filters: tag('tag:cluster', 'kept') };
        const [kept] = await eventually(
          async () => (await call('DescribeSnapshots', own)).Snapshots,
          (all) => all[0]?.State === 'completed',
        );
        expect(kept).toMatchObject({ SnapshotId, VolumeId, VolumeSize: 20, Description: 'of a member', Tags });
        expect((await call('DescribeSnapshots', { SnapshotIds: [SnapshotId] })).Snapshots).toHaveLength(1);
        await call('DeleteSnapshot', { SnapshotId });
        expect((await call('DescribeSnapshots', own)).Snapshots).toEqual([]);
        expect(await refusal(call('DeleteSnapshot', { SnapshotId }))).toBe('InvalidSnapshot.NotFound');
      });

      it('has status checks while it runs, and counts as passed or not yet checked', async () => {
        const { vpc, privateSubnet } = await make.network();
        const group = await make.securityGroup(vpc, 'nodes');
        const id = await make.instance(privateSubnet, { SecurityGroupIds: [group] });
        await running(id);
        const { InstanceStatuses } = await call('DescribeInstanceStatus', { InstanceIds: [id] });
        expect(InstanceStatuses).toMatchObject([{ InstanceId: id, InstanceState: { Name: 'running' }, Events: [] }]);
        const [status] = InstanceStatuses;
        for (const check of [status!.SystemStatus, status!.InstanceStatus])
          expect(['ok', 'initializing']).toContain(check.Status);
        const missing = call('DescribeInstanceStatus', { InstanceIds: ['i-0123456789abcdef0'] });
        expect(await refusal(missing)).toBe('InvalidInstanceID.NotFound');
        await call('TerminateInstances', { InstanceIds: [id] });
        await eventually(
          () => instanceState(id),
          (state) => state === 'terminated',
        );
        expect((await call('DescribeInstanceStatus', { InstanceIds: [id] })).InstanceStatuses).toEqual([]);
      });

      it('has console output in base64, and an unknown one has none', async () => {
        const { vpc, privateSubnet } = await make.network();
        const group = await make.securityGroup(vpc, 'nodes');
        const id = await make.instance(privateSubnet, { SecurityGroupIds: [group] });
        await running(id);
        const { Output = '' } = await call('GetConsoleOutput', { InstanceId: id, Latest: true });
        expect(Buffer.from(Output, 'base64').toString('base64')).toBe(Output);
        const missing = call('GetConsoleOutput', { InstanceId: 'i-0123456789abcdef0' });
        expect(await refusal(missing)).toBe('InvalidInstanceID.NotFound');
      });

      it.each([
        { resource: 'security group', remove: (group: string) => call('DeleteSecurityGroup', { GroupId: group }) },
        { resource: 'subnet', remove: (_: string, subnet: string) => call('DeleteSubnet', { SubnetId: subnet }) },
      ])('keeps its $resource from being deleted', async ({ remove }) => {
        const { vpc, privateSubnet } = await make.network();
        const group = await make.securityGroup(vpc, 'nodes');
        await make.instance(privateSubnet, { SecurityGroupIds: [group] });
        expect(await refusal(remove(group, privateSubnet))).toBe('DependencyViolation');
      });

      const find = async (Filters: Filter[]) =>
        (await call('DescribeInstances', { Filters })).Reservations.flatMap(({ Instances }) => Instances).map(
          ({ InstanceId }) => InstanceId,
        );

      it('is found by client token', async () => {
        const { privateSubnet } = await make.network();
        const id = await make.instance(privateSubnet, { ClientToken: 'token-1' });
        await make.instance(privateSubnet);
        expect(await find(tag('client-token', 'token-1'))).toEqual([id]);
      });

      it('is found by tag and state', async () => {
        const { privateSubnet } = await make.network();
        const id = await make.instance(privateSubnet, { tags: { machine: 'one' } });
        await make.instance(privateSubnet, { tags: { machine: 'two' } });
        await running(id);
        expect(await find(tag('tag:machine', 'one'))).toEqual([id]);
        expect(await find([...tag('tag:machine', 'one'), ...tag('instance-state-name', 'running')])).toEqual([id]);
        expect(
          await find([...tag('tag:machine', 'one'), ...tag('instance-state-name', 'stopped', 'terminated')]),
        ).toEqual([]);
      });

      it('is bought in the spot market, if the launch says so', async () => {
        const { privateSubnet } = await make.network();
        const SpotOptions = { SpotInstanceType: 'one-time', InstanceInterruptionBehavior: 'terminate' } as const;
        const bought = [
          await make.instance(privateSubnet, { InstanceMarketOptions: { MarketType: 'spot', SpotOptions } }),
          await make.instance(privateSubnet),
        ];
        const { Reservations } = await call('DescribeInstances', { InstanceIds: bought });
        const markets = new Map(
          Reservations.flatMap(({ Instances }) => Instances).map((one) => [one.InstanceId, one.InstanceLifecycle]),
        );
        expect(bought.map((id) => markets.get(id))).toEqual(['spot', undefined]);
      });

      it('starts one instance per client token', async () => {
        const { privateSubnet } = await make.network();
        const id = await make.instance(privateSubnet, { ClientToken: 'token-1' });
        expect(await make.instance(privateSubnet, { ClientToken: 'token-1' })).toBe(id);
        expect(await refusal(make.instance(privateSubnet, { ClientToken: 'token-1', KeyName: 'other' }))).toBe(
          'IdempotentParameterMismatch',
        );
        const second = await make.instance(privateSubnet, { ClientToken: 'token-2' });
        expect(second).not.toBe(id);
      });

      it('numbers the instances of a launch', async () => {
        const { privateSubnet } = await make.network();
        await make.instance(privateSubnet, { MinCount: 3, MaxCount: 3 });
        const { Reservations } = await call('DescribeInstances', { Filters: tag('subnet-id', privateSubnet) });
        const numbers = Reservations.flatMap(({ Instances }) => Instances).map(({ AmiLaunchIndex }) => AmiLaunchIndex);
        expect(numbers.toSorted()).toEqual([0, 1, 2]);
      });

      it.each([
        { rule: 'type', change: { InstanceType: 'm5.tiny' }, code: 'InvalidParameterValue' },
        { rule: 'image', change: { ImageId: 'ami-00000000000000000' }, code: 'InvalidAMIID.NotFound' },
        { rule: 'subnet', change: { SubnetId: 'subnet-00000000000000000' }, code: 'InvalidSubnetID.NotFound' },
        { rule: 'profile', change: { IamInstanceProfile: { Name: 'nobody' } }, code: 'InvalidParameterValue' },
        {
          rule: 'security group',
          change: { SecurityGroupIds: ['sg-00000000000000000'] },
          code: 'InvalidGroup.NotFound',
        },
      ])('refuses to start one with an unknown $rule', async ({ change, code }) => {
        const { privateSubnet } = await make.network();
        expect(await refusal(make.instance(privateSubnet, change))).toBe(code);
      });

      it('finds the newest published image for a version and an architecture', async () => {
        const find = (architecture: string) =>
          call('DescribeImages', {
            Owners: ['819546954734'],
            Filters: [
              ...tag('name', 'capa-ami-ubuntu-24.04-?1.35.0-*'),
              ...tag('architecture', architecture),
              ...tag('state', 'available'),
              ...tag('virtualization-type', 'hvm'),
            ],
          });
        for (const architecture of ['x86_64', 'arm64']) {
          const { Images } = await find(architecture);
          expect(Images.length).toBeGreaterThan(0);
          expect(Images[0]).toMatchObject({ Architecture: architecture, OwnerId: '819546954734' });
          expect(Images[0]?.Name).toMatch(/^capa-ami-ubuntu-24\.04-v1\.35\.0-\d+$/);
        }
        expect((await find('vax')).Images).toEqual([]);
      });

      it('knows instance types and their architectures', async () => {
        const { InstanceTypes } = await call('DescribeInstanceTypes', { InstanceTypes: ['t3.large', 'm7g.xlarge'] });
        expect(InstanceTypes.find(({ InstanceType }) => InstanceType === 't3.large')).toMatchObject({
          VCpuInfo: { DefaultVCpus: 2 },
          MemoryInfo: { SizeInMiB: 8192 },
          ProcessorInfo: { SupportedArchitectures: ['x86_64'] },
        });
        expect(
          InstanceTypes.find(({ InstanceType }) => InstanceType === 'm7g.xlarge')?.ProcessorInfo.SupportedArchitectures,
        ).toEqual(['arm64']);
        const old = await call('DescribeInstanceTypes', { InstanceTypes: ['t2.medium'] });
        expect(old.InstanceTypes[0]?.ProcessorInfo.SupportedArchitectures).toEqual(['i386', 'x86_64']);
        expect(await refusal(call('DescribeInstanceTypes', { InstanceTypes: ['m5.tiny'] }))).toBe(
          'InvalidInstanceType',
        );
      });

      it('knows the current spot prices of an instance type in each zone', async () => {
        const { SpotPriceHistory } = await call('DescribeSpotPriceHistory', {
          InstanceTypes: ['m5.large'],
          ProductDescriptions: ['Linux/UNIX'],
          StartTime: new Date().toISOString(),
        });
        const zones = SpotPriceHistory.map(({ AvailabilityZone }) => AvailabilityZone);
        expect(new Set(zones).size).toBeGreaterThanOrEqual(2);
        for (const { InstanceType, AvailabilityZone, SpotPrice } of SpotPriceHistory) {
          expect([InstanceType, AvailabilityZone.startsWith(region)]).toEqual(['m5.large', true]);
          expect(Number(SpotPrice)).toBeGreaterThan(0);
        }
      });

      it('knows the price of an instance type on demand', async () => {
        const match = (Field: string, Value: string) => ({ Type: 'TERM_MATCH' as const, Field, Value });
        const input: CloudInput<'GetProducts'> = {
          ServiceCode: 'AmazonEC2',
          Filters: [
            match('regionCode', region),
            match('instanceType', 'm5.large'),
            match('operatingSystem', 'Linux'),
            match('preInstalledSw', 'NA'),
            match('capacitystatus', 'Used'),
            match('marketoption', 'OnDemand'),
            match('tenancy', 'Shared'),
          ],
        };
        const { PriceList } = await under.cloud.call('us-east-1', 'GetProducts', input);
        expect(PriceList).toHaveLength(1);
        const { product, terms } = JSON.parse(PriceList[0]!) as {
          product: { attributes: Record<string, string> };
          terms: { OnDemand: Record<string, { priceDimensions: Record<string, { pricePerUnit: { USD: string } }> }> };
        };
        expect(product.attributes).toMatchObject({ instanceType: 'm5.large', regionCode: region });
        const [{ priceDimensions } = { priceDimensions: {} }] = Object.values(terms.OnDemand);
        expect(Number(Object.values(priceDimensions)[0]?.pricePerUnit.USD)).toBeGreaterThan(0);
      });

      it('has at least three zones', async () => {
        const Filters = [...tag('state', 'available'), ...tag('zone-type', 'availability-zone')];
        const { AvailabilityZones } = await call('DescribeAvailabilityZones', { Filters });
        expect(AvailabilityZones.length).toBeGreaterThanOrEqual(3);
        for (const zone of AvailabilityZones)
          expect(zone).toMatchObject({ RegionName: region, ZoneType: 'availability-zone' });
      });
    });

    describe('tags', () => {
      it('can be changed on any resource', async () => {
        const vpc = await make.vpc({ a: '1' });
        await call('CreateTags', {
          Resources: [vpc],
          Tags: [
            { Key: 'a', Value: '2' },
            { Key: 'b', Value: '3' },
          ],
        });
        const read = async () =>
          Object.fromEntries(
            (await call('DescribeVpcs', { VpcIds: [vpc] })).Vpcs[0]!.Tags.map(({ Key, Value }) => [Key, Value]),
          );
        expect(await read()).toEqual({ a: '2', b: '3' });
        await call('DeleteTags', { Resources: [vpc], Tags: [{ Key: 'a' }, { Key: 'b', Value: 'other' }] });
        expect(await read()).toEqual({ b: '3' });
      });

      it('refuses keys that begin with aws:', async () => {
        expect(await refusal(make.vpc({ 'aws:mine': 'x' }))).toBe('InvalidParameterValue');
      });
    });

    describe('pages', () => {
      it('arrive in order, without duplicates or gaps', async () => {
        const { privateSubnet } = await make.network();
        const ids: string[] = [];
        for (let n = 0; n < 12; n++) ids.push(await make.instance(privateSubnet, { ClientToken: `page-${n}` }));
        const seen: string[] = [];
        let NextToken: string | undefined;
        do {
          const page = await call('DescribeInstances', {
            Filters: tag('subnet-id', privateSubnet),
            MaxResults: 5,
            ...(NextToken && { NextToken }),
          });
          const found = page.Reservations.flatMap(({ Instances }) => Instances).map(({ InstanceId }) => InstanceId);
          expect(found.length).toBeLessThanOrEqual(5);
          seen.push(...found);
          NextToken = page.NextToken;
        } while (NextToken);
        expect(seen.sort()).toEqual(ids.sort());
      });
    });

    describe('ids', () => {
      it.each([
        ['DescribeVpcs', { VpcIds: ['vpc-00000000000000000'] }],
        ['DescribeSubnets', { SubnetIds: ['subnet-00000000000000000'] }],
        ['DescribeInstances', { InstanceIds: ['i-00000000000000000'] }],
        ['DescribeSecurityGroups', { GroupIds: ['sg-00000000000000000'] }],
        ['DescribeRouteTables', { RouteTableIds: ['rtb-00000000000000000'] }],
        ['DescribeInternetGateways', { InternetGatewayIds: ['igw-00000000000000000'] }],
        ['DescribeNatGateways', { NatGatewayIds: ['nat-00000000000000000'] }],
        ['DescribeSnapshots', { SnapshotIds: ['snap-00000000000000000'] }],
        ['CreateSnapshot', { VolumeId: 'vol-00000000000000000', TagSpecifications: [] }],
        ['DeleteSnapshot', { SnapshotId: 'snap-00000000000000000' }],
        ['DeleteVpc', { VpcId: 'vpc-00000000000000000' }],
        ['DeleteSubnet', { SubnetId: 'subnet-00000000000000000' }],
        ['TerminateInstances', { InstanceIds: ['i-00000000000000000'] }],
        ['ReleaseAddress', { AllocationId: 'eipalloc-00000000000000000' }],
        ['DeleteNatGateway', { NatGatewayId: 'nat-00000000000000000' }],
      ] as const)('%s returns NotFound for a missing one', async (action, input) => {
        const code = await refusal(under.cloud.call(region, action, input as never));
        expect(code).toSatisfy(isNotFound);
      });
    });

    describe('load balancers', () => {
      it('forward from a listener to registered instances', async () => {
        const { vpc, publicSubnet } = await make.network();
        const balancer = await make.loadBalancer('api', [publicSubnet]);
        const group = await make.targetGroup('api', vpc);
        const listener = await make.listener(balancer, group, 6443);
        const found = await call('DescribeLoadBalancers', { Names: ['api'] });
        expect(found.LoadBalancers).toMatchObject([
          { LoadBalancerArn: balancer, Type: 'network', Scheme: 'internet-facing', VpcId: vpc },
        ]);
        expect(found.LoadBalancers[0]?.DNSName).toMatch(/^api-[0-9a-z]+\./);
        const { Listeners } = await call('DescribeListeners', { LoadBalancerArn: balancer });
        expect(Listeners).toMatchObject([{ ListenerArn: listener, Port: 6443, Protocol: 'TCP' }]);
        expect(Listeners[0]?.DefaultActions).toMatchObject([{ Type: 'forward', TargetGroupArn: group }]);
        const id = await make.instance(publicSubnet);
        await running(id);
        await call('RegisterTargets', { TargetGroupArn: group, Targets: [{ Id: id }] });
        const health = await call('DescribeTargetHealth', { TargetGroupArn: group });
        expect(health.TargetHealthDescriptions.map(({ Target }) => Target)).toEqual([{ Id: id, Port: 6443 }]);
        expect(await refusal(call('DeleteTargetGroup', { TargetGroupArn: group }))).toBe('ResourceInUse');
        await call('DeleteLoadBalancer', { LoadBalancerArn: balancer });
        await call('DeleteTargetGroup', { TargetGroupArn: group });
        expect(await refusal(call('DescribeLoadBalancers', { LoadBalancerArns: [balancer] }))).toBe(
          'LoadBalancerNotFound',
        );
        expect(await refusal(call('DescribeTargetGroups', { TargetGroupArns: [group] }))).toBe('TargetGroupNotFound');
      });

      it('return the existing one for a repeated creation, and reject a different one', async () => {
        const { vpc, publicSubnet } = await make.network();
        const balancer = await make.loadBalancer('api', [publicSubnet]);
        expect(await make.loadBalancer('api', [publicSubnet])).toBe(balancer);
        expect(await refusal(make.loadBalancer('api', [publicSubnet], 'internal'))).toBe('DuplicateLoadBalancerName');
        const group = await make.targetGroup('api', vpc);
        expect(await make.targetGroup('api', vpc)).toBe(group);
        expect(await refusal(make.targetGroup('api', vpc, { Port: 9345 }))).toBe('DuplicateTargetGroupName');
        await make.listener(balancer, group, 6443);
        const other = await make.targetGroup('other', vpc);
        expect(await refusal(make.listener(balancer, other, 6443))).toBe('DuplicateListener');
      });

      it.each([
        { rule: 'longer than 32 characters', name: 'a'.repeat(33) },
        { rule: 'with a dot', name: 'my.cluster' },
        { rule: 'ending in a hyphen', name: 'api-' },
      ])('refuse a name $rule', async ({ name }) => {
        const { publicSubnet } = await make.network();
        expect(await refusal(make.loadBalancer(name, [publicSubnet]))).toBe('ValidationError');
      });

      it('accept one subnet per zone', async () => {
        const { vpc, publicSubnet } = await make.network();
        const neighbour = await make.subnet(vpc, '10.0.240.0/20');
        expect(await refusal(make.loadBalancer('api', [publicSubnet, neighbour]))).toBe('InvalidConfigurationRequest');
      });

      it('are tagged one resource per call', async () => {
        const { vpc, publicSubnet } = await make.network();
        const ResourceArns = [await make.loadBalancer('api', [publicSubnet]), await make.targetGroup('api', vpc)];
        const Tags = [{ Key: 'more', Value: 'yes' }];
        expect(await refusal(call('AddTags', { ResourceArns, Tags }))).toBe('ValidationError');
        expect(await refusal(call('RemoveTags', { ResourceArns, TagKeys: ['more'] }))).toBe('ValidationError');
      });

      it('keep attributes and tags', async () => {
        const { publicSubnet } = await make.network();
        const arn = await make.loadBalancer('api', [publicSubnet], 'internet-facing', { cluster: 'mine' });
        const key = 'load_balancing.cross_zone.enabled';
        await call('ModifyLoadBalancerAttributes', { LoadBalancerArn: arn, Attributes: [{ Key: key, Value: 'true' }] });
        const { Attributes } = await call('DescribeLoadBalancerAttributes', { LoadBalancerArn: arn });
        expect(Attributes).toContainEqual({ Key: key, Value: 'true' });
        await call('AddTags', { ResourceArns: [arn], Tags: [{ Key: 'more', Value: 'yes' }] });
        const { TagDescriptions } = await call('DescribeLoadBalancerTags', { ResourceArns: [arn] });
        expect(TagDescriptions[0]?.Tags).toEqual(
          expect.arrayContaining([
            { Key: 'cluster', Value: 'mine' },
            { Key: 'more', Value: 'yes' },
          ]),
        );
        await call('RemoveTags', { ResourceArns: [arn], TagKeys: ['more', 'never there'] });
        const left = await call('DescribeLoadBalancerTags', { ResourceArns: [arn] });
        expect(left.TagDescriptions[0]?.Tags.map(({ Key }) => Key)).not.toContain('more');
        const tagged = await call('GetResources', {
          TagFilters: [{ Key: 'cluster', Values: ['mine'] }],
          ResourceTypeFilters: ['elasticloadbalancing:loadbalancer'],
        });
        expect(tagged.ResourceTagMappingList.map(({ ResourceARN }) => ResourceARN)).toEqual([arn]);
      });
    });

    describe('classic load balancers', () => {
      const checked = { Target: 'TCP:6443', Interval: 10, Timeout: 5, HealthyThreshold: 5, UnhealthyThreshold: 3 };
      const shown = async (name: string) => {
        const { LoadBalancerDescriptions } = await call('DescribeClassicLoadBalancers', { LoadBalancerNames: [name] });
        return LoadBalancerDescriptions[0]!;
      };

      it('forward to the instances that are registered with them', async () => {
        const { vpc, publicSubnet } = await make.network();
        const group = await make.securityGroup(vpc, 'balancer');
        const name = await make.classicLoadBalancer('api', [publicSubnet], { SecurityGroups: [group] });
        const { DNSName, ...balancer } = await shown(name);
        expect(DNSName).toMatch(/^api-?[0-9a-z]*\..*elb/);
        expect(balancer).toMatchObject({
          LoadBalancerName: 'api',
          Scheme: 'internet-facing',
          VPCId: vpc,
          Subnets: [publicSubnet],
          SecurityGroups: [group],
          Instances: [],
          ListenerDescriptions: [
            {
              Listener: { Protocol: 'TCP', LoadBalancerPort: 6443, InstanceProtocol: 'TCP', InstancePort: 6443 },
              Endpoint: { Host: expect.any(String), Port: expect.any(Number) },
            },
          ],
        });
        const id = await make.instance(publicSubnet);
        await running(id);
        const Instances = [{ InstanceId: id }];
        await call('RegisterInstancesWithLoadBalancer', { LoadBalancerName: name, Instances });
        expect((await shown(name)).Instances).toEqual(Instances);
        await call('DeregisterInstancesFromLoadBalancer', { LoadBalancerName: name, Instances });
        expect((await shown(name)).Instances).toEqual([]);
      });

      it('register an instance once', async () => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        const Instances = [{ InstanceId: await make.instance(publicSubnet) }];
        for (const _ of [1, 2]) await call('RegisterInstancesWithLoadBalancer', { LoadBalancerName, Instances });
        expect((await shown(LoadBalancerName)).Instances).toEqual(Instances);
      });

      it('are gone once they are deleted, and a second deletion is no error', async () => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        await call('DeleteClassicLoadBalancer', { LoadBalancerName });
        await call('DeleteClassicLoadBalancer', { LoadBalancerName });
        expect(await refusal(shown(LoadBalancerName))).toBe('LoadBalancerNotFound');
        expect((await call('DescribeClassicLoadBalancers', {})).LoadBalancerDescriptions).toEqual([]);
        const tags = call('DescribeClassicLoadBalancerTags', { LoadBalancerNames: [LoadBalancerName] });
        expect(await refusal(tags)).toBe('LoadBalancerNotFound');
      });

      it('register nothing if they do not exist', async () => {
        const { publicSubnet } = await make.network();
        const Instances = [{ InstanceId: await make.instance(publicSubnet) }];
        const registered = call('RegisterInstancesWithLoadBalancer', { LoadBalancerName: 'api', Instances });
        expect(await refusal(registered)).toBe('LoadBalancerNotFound');
      });

      it('have names of their own, apart from those of network load balancers', async () => {
        const { publicSubnet } = await make.network();
        await make.loadBalancer('api', [publicSubnet]);
        await make.classicLoadBalancer('api', [publicSubnet]);
        expect((await call('DescribeLoadBalancers', {})).LoadBalancers).toHaveLength(1);
        expect((await call('DescribeClassicLoadBalancers', {})).LoadBalancerDescriptions).toHaveLength(1);
      });

      it('return the existing one for an equal creation', async () => {
        const { publicSubnet } = await make.network();
        await make.classicLoadBalancer('api', [publicSubnet]);
        expect(await make.classicLoadBalancer('api', [publicSubnet])).toBe('api');
      });

      it('reject a different creation of the same name', async () => {
        const { publicSubnet } = await make.network();
        await make.classicLoadBalancer('api', [publicSubnet]);
        const other = make.classicLoadBalancer('api', [publicSubnet], { Scheme: 'internal' });
        expect(await refusal(other)).toBe('DuplicateLoadBalancerName');
      });

      it.each([
        { rule: 'that is too long', name: 'a'.repeat(33) },
        { rule: 'that has a dot', name: 'my.cluster' },
        { rule: 'that ends in a hyphen', name: 'api-' },
      ])('reject a name $rule', async ({ name }) => {
        const { publicSubnet } = await make.network();
        expect(await refusal(make.classicLoadBalancer(name, [publicSubnet]))).toBe('ValidationError');
      });

      it('stand in one subnet a zone, to which others are added', async () => {
        const { vpc, publicSubnet } = await make.network();
        const elsewhere = await make.subnet(vpc, '10.0.224.0/20', {}, `${region}b`);
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        await call('AttachLoadBalancerToSubnets', { LoadBalancerName, Subnets: [elsewhere] });
        expect((await shown(LoadBalancerName)).Subnets.sort()).toEqual([publicSubnet, elsewhere].sort());
      });

      it('reject two subnets of one zone', async () => {
        const { vpc, publicSubnet } = await make.network();
        const neighbour = await make.subnet(vpc, '10.0.240.0/20');
        const balancer = make.classicLoadBalancer('api', [publicSubnet, neighbour]);
        expect(await refusal(balancer)).toBe('InvalidConfigurationRequest');
      });

      it('keep a health check', async () => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        for (const Target of ['TCP:6443', 'SSL:6443', 'HTTPS:6443/readyz']) {
          await call('ConfigureHealthCheck', { LoadBalancerName, HealthCheck: { ...checked, Target } });
          expect((await shown(LoadBalancerName)).HealthCheck).toEqual({ ...checked, Target });
        }
      });

      it.each([
        { rule: 'without a path', change: { Target: 'HTTPS:6443' } },
        { rule: 'with the path of another protocol', change: { Target: 'TCP:6443/readyz' } },
        { rule: 'of an unknown protocol', change: { Target: 'UDP:6443' } },
        { rule: 'with a timeout as long as the interval', change: { Interval: 10, Timeout: 10 } },
        { rule: 'with a timeout of over a minute', change: { Interval: 90, Timeout: 61 } },
        { rule: 'with an interval under five seconds', change: { Interval: 4, Timeout: 2 } },
        { rule: 'with a threshold of one', change: { HealthyThreshold: 1 } },
        { rule: 'with a threshold over ten', change: { UnhealthyThreshold: 11 } },
      ])('reject a health check $rule', async ({ change }) => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        const HealthCheck = { ...checked, ...change };
        expect(await refusal(call('ConfigureHealthCheck', { LoadBalancerName, HealthCheck }))).toBe('ValidationError');
      });

      const timeOut = (LoadBalancerName: string, IdleTimeout: number) =>
        call('ModifyClassicLoadBalancerAttributes', {
          LoadBalancerName,
          LoadBalancerAttributes: { CrossZoneLoadBalancing: { Enabled: true }, ConnectionSettings: { IdleTimeout } },
        });

      it('keep attributes', async () => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        const read = async () =>
          (await call('DescribeClassicLoadBalancerAttributes', { LoadBalancerName })).LoadBalancerAttributes;
        expect(await read()).toEqual({
          CrossZoneLoadBalancing: { Enabled: false },
          ConnectionSettings: { IdleTimeout: 60 },
        });
        await timeOut(LoadBalancerName, 600);
        expect(await read()).toEqual({
          CrossZoneLoadBalancing: { Enabled: true },
          ConnectionSettings: { IdleTimeout: 600 },
        });
      });

      it('keep idle connections for at most 4000 seconds', async () => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        expect(await refusal(timeOut(LoadBalancerName, 4000))).toBe('accepted');
        expect(await refusal(timeOut(LoadBalancerName, 4001))).toBe('InvalidConfigurationRequest');
      });

      it('have security groups, which can be changed', async () => {
        const { vpc, publicSubnet } = await make.network();
        const [one, two] = [await make.securityGroup(vpc, 'one'), await make.securityGroup(vpc, 'two')];
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet], { SecurityGroups: [one] });
        await call('ApplySecurityGroupsToLoadBalancer', { LoadBalancerName, SecurityGroups: [one, two] });
        expect((await shown(LoadBalancerName)).SecurityGroups.sort()).toEqual([one, two].sort());
      });

      it('reject a security group that does not exist', async () => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        const SecurityGroups = ['sg-0123456789abcdef0'];
        const applied = call('ApplySecurityGroupsToLoadBalancer', { LoadBalancerName, SecurityGroups });
        expect(await refusal(applied)).toBe('InvalidSecurityGroup');
      });

      it('have one listener a port', async () => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        const listen = (LoadBalancerPort: number, InstancePort: number) =>
          call('CreateLoadBalancerListeners', {
            LoadBalancerName,
            Listeners: [{ Protocol: 'TCP', LoadBalancerPort, InstanceProtocol: 'TCP', InstancePort }],
          });
        await listen(443, 6443);
        await listen(443, 6443);
        const { ListenerDescriptions } = await shown(LoadBalancerName);
        expect(ListenerDescriptions.map(({ Listener }) => Listener.LoadBalancerPort).sort()).toEqual([443, 6443]);
        expect(await refusal(listen(443, 8443))).toBe('DuplicateListener');
      });

      it('know no instance that does not exist', async () => {
        const { publicSubnet } = await make.network();
        const LoadBalancerName = await make.classicLoadBalancer('api', [publicSubnet]);
        const Instances = [{ InstanceId: 'i-0123456789abcdef0' }];
        for (const action of ['RegisterInstancesWithLoadBalancer', 'DeregisterInstancesFromLoadBalancer'] as const)
          expect(await refusal(call(action, { LoadBalancerName, Instances }))).toBe('InvalidInstance');
      });

      it('are tagged by name', async () => {
        const { publicSubnet } = await make.network();
        const Tags = [{ Key: 'cluster', Value: 'mine' }];
        const name = await make.classicLoadBalancer('api', [publicSubnet], { Tags });
        const LoadBalancerNames = [name];
        const read = async () =>
          (await call('DescribeClassicLoadBalancerTags', { LoadBalancerNames })).TagDescriptions[0]!;
        expect(await read()).toEqual({ LoadBalancerName: name, Tags });
        await call('AddClassicLoadBalancerTags', { LoadBalancerNames, Tags: [{ Key: 'more', Value: 'yes' }] });
        expect((await read()).Tags.map(({ Key }) => Key).sort()).toEqual(['cluster', 'more']);
        await call('RemoveClassicLoadBalancerTags', { LoadBalancerNames, Tags: [{ Key: 'more' }, { Key: 'never' }] });
        expect((await read()).Tags).toEqual(Tags);
      });

      it('are found by the tagging API with the other load balancers', async () => {
        const { publicSubnet } = await make.network();
        const Tags = [{ Key: 'cluster', Value: 'mine' }];
        const name = await make.classicLoadBalancer('api', [publicSubnet], { Tags });
        const { ResourceTagMappingList } = await call('GetResources', {
          TagFilters: [{ Key: 'cluster', Values: ['mine'] }],
          ResourceTypeFilters: ['elasticloadbalancing:loadbalancer'],
        });
        expect(ResourceTagMappingList.map(({ ResourceARN }) => ResourceARN.split('loadbalancer/')[1])).toEqual([name]);
      });
    });

    describe('secrets', () => {
      const secret = (payload: string, ClientRequestToken = 'a'.repeat(32)) =>
        call('CreateSecret', {
          Name: 'aws.cluster.x-k8s.io/contract-0',
          ClientRequestToken,
          SecretBinary: Buffer.from(payload).toString('base64'),
          Tags: [{ Key: 'cluster', Value: 'mine' }],
        });

      it('are created once per token, and never overwritten', async () => {
        const first = await secret('payload');
        expect((await secret('payload')).ARN).toBe(first.ARN);
        expect(await refusal(secret('other', 'b'.repeat(32)))).toBe('ResourceExistsException');
        const { SecretList } = await call('ListSecrets', { Filters: tag('name', 'aws.cluster.x-k8s.io/contract') });
        expect(SecretList).toMatchObject([{ ARN: first.ARN, Tags: [{ Key: 'cluster', Value: 'mine' }] }]);
      });

      it('exist by name from their creation to their deletion', async () => {
        const { Name, ARN } = await secret('payload');
        const Tags = [{ Key: 'cluster', Value: 'mine' }];
        expect(await call('DescribeSecret', { SecretId: Name })).toEqual({ Name, ARN, Tags });
        await call('DeleteSecret', { SecretId: Name, ForceDeleteWithoutRecovery: true });
        expect(await refusal(call('DescribeSecret', { SecretId: Name }))).toBe('ResourceNotFoundException');
      });

      it('can be deleted repeatedly', async () => {
        const { Name } = await secret('payload');
        await call('DeleteSecret', { SecretId: Name, ForceDeleteWithoutRecovery: true });
        await call('DeleteSecret', { SecretId: Name, ForceDeleteWithoutRecovery: true });
        expect((await call('ListSecrets', { Filters: tag('name', Name) })).SecretList).toEqual([]);
      });
    });
  });
