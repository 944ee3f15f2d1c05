import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../adapters/memory/random.ts';
import type { Records, Storage } from '../ports.ts';
import { openWorld, region } from './account.fixture.ts';
import { groupName, openGroup } from './group.fixture.ts';
import { type Account, createAccount, wellBehaved } from './index.ts';

const seconds = 1000;
const minutes = 60 * seconds;

describe('a restart', () => {
  it('continues what was in progress', async () => {
    const world = openWorld();
    const { privateSubnet } = await world.make.network();
    const id = await world.make.instance(privateSubnet);
    await world.clock.advance(10 * seconds);
    await world.restart();
    expect(await world.state(id)).toBe('pending');
    await world.clock.advance(6 * seconds);
    expect(world.recorded.booted.map(({ instanceId }) => instanceId)).toEqual([id]);
    expect(await world.state(id)).toBe('running');
  });

  it('catches up with what happened while the process was down', async () => {
    const world = openWorld();
    const { privateSubnet } = await world.make.network();
    const starting = await world.make.instance(privateSubnet);
    const ending = await world.make.instance(privateSubnet);
    await world.call('TerminateInstances', { InstanceIds: [ending] });
    await world.restart(2 * minutes);
    await world.clock.advance(5 * seconds);
    expect(await world.state(starting)).toBe('running');
    expect(await world.state(ending)).toBe('terminated');
    expect(world.recorded.booted.map(({ instanceId }) => instanceId)).toEqual([starting]);
    expect(world.recorded.events).toEqual([`${starting} running`, `${ending} terminated`]);
  });

  it('boots running guests and reopens listeners, at the same address', async () => {
    const world = openWorld();
    const { vpc, publicSubnet } = await world.make.network();
    const balancer = await world.make.loadBalancer('api', [publicSubnet]);
    const group = await world.make.targetGroup('api', vpc);
    const arn = await world.make.listener(balancer, group, 6443);
    const id = await world.make.instance(publicSubnet);
    await world.clock.advance(3 * minutes);
    await world.call('RegisterTargets', { TargetGroupArn: group, Targets: [{ Id: id }] });
    world.answer(id);
    await world.clock.advance(30 * seconds);
    const { host, port } = world.recorded.listening.get(arn)!;
    world.recorded.listening.clear();
    world.recorded.booted.length = 0;
    await world.restart(1 * minutes);
    expect(world.recorded.booted.map(({ instanceId }) => instanceId)).toEqual([id]);
    expect(world.recorded.listening.get(arn)).toMatchObject({ host, port });
    expect(world.recorded.listening.get(arn)?.healthyTargets()).toEqual([{ instanceId: id, port: 6443 }]);
    expect(world.account.endpoint(host, port)?.listenerArn).toBe(arn);
    const asked = world.recorded.asked;
    await world.clock.advance(10 * seconds);
    expect(world.recorded.asked).toBeGreaterThan(asked);
  });

  it('keeps its call counts', async () => {
    const world = openWorld();
    await world.make.vpc();
    await world.restart();
    await world.make.vpc();
    await expect(world.make.subnet('vpc-0', '10.0.0.0/20')).rejects.toThrow();
    expect(world.account.calls()).toEqual([
      { action: 'CreateSubnet', mutating: true, calls: 1, errors: 1 },
      { action: 'CreateVpc', mutating: true, calls: 2, errors: 0 },
    ]);
  });

  it('never assigns an address twice', async () => {
    const world = openWorld();
    const { publicSubnet, privateSubnet } = await world.make.network();
    await world.make.natGateway(publicSubnet, await world.make.address());
    const small = await world.make.subnet(await world.make.vpc(), '10.0.0.0/28');
    for (let n = 0; n < 6; n++) await world.make.instance(small);
    await world.restart();
    for (let n = 0; n < 5; n++) await world.make.instance(small);
    await world.make.instance(privateSubnet);
    const { Reservations } = await world.call('DescribeInstances', {
      Filters: [{ Name: 'subnet-id', Values: [small] }],
    });
    expect(new Set(Reservations.map(({ Instances }) => Instances[0]!.PrivateIpAddress)).size).toBe(11);
  });
});

describe('a crash between any two writes', () => {
  /** Fails at the n-th write and at every later one, as in a process that died. */
  const dyingAfter = (storage: Storage, writes: number): Storage => {
    let left = writes;
    const alive = () => {
      if (left-- <= 0) throw new Error('the process is gone');
    };
    return {
      ...storage,
      records: <T>(name: string): Records<T> => {
        const records = storage.records<T>(name);
        return {
          ...records,
          put: (id, value) => {
            alive();
            records.put(id, value);
          },
          delete: (id) => {
            alive();
            records.delete(id);
          },
        };
      },
    };
  };
  const dying = (world: ReturnType<typeof openWorld>, writes: number): Account =>
    createAccount({
      clock: world.clock,
      random: seededRandom(99),
      storage: dyingAfter(world.storage, writes),
      network: { listen: () => {}, close: () => {}, reserve: () => 40_000 },
      guests: {
        boot: () => {},
        halt: () => {},
        forget: () => {},
        answers: () => false,
        console: () => '',
        onChange: () => {},
        listen: () => {},
        close: () => {},
      },
      behaviour: wellBehaved,
    });

  it('leaves one instance for one token', async () => {
    for (let writes = 0; writes < 5; writes++) {
      const world = openWorld();
      const { privateSubnet } = await world.make.network();
      await world.make.instance(privateSubnet, { ClientToken: 'first' });
      const [image] = (await world.call('DescribeImages', {})).Images;
      const launch = (account: Account) =>
        account.call(region, 'RunInstances', {
          ImageId: image!.ImageId,
          InstanceType: 't3.large',
          MinCount: 1,
          MaxCount: 1,
          ClientToken: 'token',
          UserData: '',
          SubnetId: privateSubnet,
          TagSpecifications: [],
        });
      await launch(dying(world, writes)).catch(() => {});
      await world.restart();
      await launch(world.account);
      const { Reservations } = await world.call('DescribeInstances', {
        Filters: [{ Name: 'client-token', Values: ['token'] }],
      });
      expect(Reservations).toHaveLength(1);
    }
  });

  it('leaves no instance outside of its group', async () => {
    for (let writes = 0; writes < 30; writes++) {
      const { world, pass, read } = await openGroup({ DesiredCapacity: 1 });
      await pass(30);
      world.account.stop();
      const account = dying(world, writes);
      const input = { AutoScalingGroupName: groupName, DesiredCapacity: 3 };
      const crash = account.call(region, 'UpdateAutoScalingGroup', input).then(() => pass(60));
      await crash.catch(() => {});
      account.stop();
      await world.restart();
      await pass(300);
      const { DesiredCapacity, Instances } = await read();
      const inService = Instances.filter(({ LifecycleState }) => LifecycleState === 'InService');
      expect(inService).toHaveLength(DesiredCapacity);
      const instances = world.account.list().filter(({ type }) => type === 'instance');
      expect(instances.map(({ id }) => id).sort()).toEqual(Instances.map(({ InstanceId }) => InstanceId).sort());
    }
  });

  it('leaves a whole VPC or none', async () => {
    for (let writes = 0; writes < 25; writes++) {
      const world = openWorld();
      await dying(world, writes)
        .call(region, 'CreateVpc', { CidrBlock: '10.0.0.0/16', TagSpecifications: [] })
        .catch(() => {});
      await world.restart();
      const vpcs = (await world.call('DescribeVpcs', {})).Vpcs.map(({ VpcId }) => VpcId);
      const groups = (await world.call('DescribeSecurityGroups', {})).SecurityGroups.map(({ VpcId }) => VpcId);
      const tables = (await world.call('DescribeRouteTables', {})).RouteTables.map(({ VpcId }) => VpcId);
      expect(groups.sort()).toEqual(vpcs.sort());
      expect(tables.sort()).toEqual(vpcs);
      expect((await world.call('DescribeSubnets', {})).Subnets).toHaveLength(6);
    }
  });

  it('leaves a VPC that can still be deleted, during its deletion', async () => {
    for (let writes = 0; writes < 6; writes++) {
      const world = openWorld();
      const vpc = await world.make.vpc();
      await dying(world, writes)
        .call(region, 'DeleteVpc', { VpcId: vpc })
        .catch(() => {});
      await world.restart();
      await world.call('DeleteVpc', { VpcId: vpc }).catch(({ code }) => expect(code).toBe('InvalidVpcID.NotFound'));
      expect(world.account.list()).toEqual([]);
    }
  });
});
