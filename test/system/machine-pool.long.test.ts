/** Pools that are Auto Scaling groups, from their creation to their deletion. */
import { afterEach, describe, expect, it } from 'vitest';
import { messageOf } from '../../kinds/common/causes/index.ts';
import type { CloudAction, CloudInput, CloudOutput } from '../../kinds/ports/cloud/index.ts';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { isTrue, remains } from './checks.ts';
import { explainedFor } from './faults-to-explain.ts';
import { example } from './manifests.ts';
import { createWorld, type World } from './world.ts';

const region = 'eu-central-1';
const name = 'pools-pool';
let world: World;
afterEach(() => world.end());

const call = <A extends CloudAction>(action: A, input: CloudInput<A>): Promise<CloudOutput<A>> =>
  world.wait(world.system.account.uncounted(region, action, input));
const pool = () => world.find('MachinePool', name);
const awsPool = () => world.find('AWSMachinePool', name);
const group = async () => {
  const { AutoScalingGroups } = await call('DescribeAutoScalingGroups', {});
  return AutoScalingGroups[0]!;
};
const condition = (type: string) => world.condition('AWSMachinePool', name, type);
const ready = () => pool()?.status?.availableReplicas ?? 0;
const isAt = (count: number) => () =>
  pool()?.status?.phase === 'Running' &&
  ready() === count &&
  pool()?.status?.replicas === count &&
  world.all('Machine').filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/pool-name'] === name).length ===
    count;

const apply = async (spec: object = {}): Promise<void> => {
  for (const object of example('machine-pool.yaml')) {
    const changed = object.kind === 'AWSMachinePool' ? mergePatch(object as never, { spec } as never) : object;
    const { code, body } = await world.apply(changed as KubeObject);
    expect(code, `${object.kind}: ${body.message}`).toBeLessThan(202);
  }
};
const started = async (spec: object = {}): Promise<void> => {
  world = await createWorld();
  await apply(spec);
  await world.until('three Nodes of the pool', isAt(3), 60);
};

describe('a pool', () => {
  it('grows and shrinks with its MachinePool, idles cheaply, and goes without leaving anything', async () => {
    await started();
    expect(awsPool()).toMatchObject({
      spec: { providerIDList: pool()?.spec?.providerIDList },
      status: { replicas: 3 },
    });
    expect(isTrue(world, 'AWSMachinePool', name, 'Ready')).toBe(true);
    await world.pass(20);
    const reads = () => Object.values(world.calls(false)).reduce((sum, count) => sum + count, 0);
    const since = { ...world.calls(false) };
    const sum = reads();
    await world.pass(60);
    const more = Object.entries(world.calls(false)).map(([action, count]) => [action, count - (since[action] ?? 0)]);
    expect((reads() - sum) / 6, JSON.stringify(more)).toBeLessThanOrEqual(5);

    await world.scale('MachinePool', name, 1);
    await world.until('one Node', isAt(1), 40);
    expect((await group()).Instances).toHaveLength(1);
    await world.scale('MachinePool', name, 5);
    await world.until('five Nodes', isAt(5), 40);

    await world.remove('MachinePool', name);
    await world.until('the pool gone', () => pool() === undefined && awsPool() === undefined, 60);
    expect((await call('DescribeLaunchTemplates', {})).LaunchTemplates).toEqual([]);
    expect((await call('ListSecrets', {})).SecretList).toEqual([]);
    await world.remove('Cluster', 'pools');
    await world.until('nothing remains', () => remains(world).length === 0, 60);
    expect(world.errors).toEqual([]);
  });

  const templates = async () => {
    const [template] = (await call('DescribeLaunchTemplates', {})).LaunchTemplates;
    const { LaunchTemplateId } = template!;
    return (await call('DescribeLaunchTemplateVersions', { LaunchTemplateId })).LaunchTemplateVersions;
  };
  const instances = async () => (await group()).Instances.map(({ InstanceId }) => InstanceId).toSorted();
  const patch = (spec: object) => world.patch('AWSMachinePool', name, { spec });
  const secret = async () => {
    const [entry] = (await call('ListSecrets', {})).SecretList;
    const [id] = await instances();
    return Buffer.from(world.system.account.readSecret(id!, entry!.Name)!).toString('base64');
  };

  it('replaces its instances for a change of the template, and never for a token', async () => {
    await started();
    const before = await instances();
    const stored = await secret();
    await world.pass(65);
    expect(await secret()).not.toBe(stored);
    expect(await instances()).toEqual(before);
    expect(await templates()).toHaveLength(1);

    await patch({ awsLaunchTemplate: { rootVolume: { size: 40 } } });
    await world.until('a refresh', () => condition('InstanceRefreshStarted')?.status === 'True', 5);
    // Another change in the middle of it.
    await patch({ additionalTags: { team: 'blue' } });
    const untouched = () =>
      world.all('Machine').filter(({ metadata }) => before.some((id) => metadata.name.endsWith(id.slice(2))));
    await world.until('all replaced', () => untouched().length === 0 && isAt(3)(), 120);
    await world.pass(30);
    const now = await group();
    expect(now.Instances).toHaveLength(3);
    expect(now.Instances.map(({ LaunchTemplate }) => LaunchTemplate?.Version)).toEqual(['3', '3', '3']);
    expect((await templates()).map(({ VersionNumber }) => VersionNumber)).toEqual([3, 1]);
    expect(world.calls(true)).toMatchObject({
      StartInstanceRefresh: 2,
      CancelInstanceRefresh: 1,
      CreateLaunchTemplateVersion: 2,
    });
    const tagged = world.live('instance').filter(({ tags }) => tags.team === 'blue');
    expect(tagged).toHaveLength(3);
    expect(world.errors).toEqual([]);
  });

  it('holds an instance that Auto Scaling takes until its Node is drained', async () => {
    await started();
    const guest = world.system.guests.clusters.all()[0]!;
    const labels = { app: 'web' };
    const create = (object: object) => world.wait(guest.create(object as KubeObject));
    const budget = (maxUnavailable: number) =>
      ({
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { namespace: 'default', name: 'web' },
        spec: { maxUnavailable, selector: { matchLabels: labels } },
      }) as KubeObject;
    await create(budget(0));
    const nodes = pool()!.status!.nodeRefs!.map((one) => one.name!);
    const topology = {
      topologyKey: 'kubernetes.io/hostname',
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: labels },
    };
    await create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'default', name: 'web' },
      spec: {
        replicas: nodes.length,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { topologySpreadConstraints: [topology], containers: [{ name: 'web', image: 'web:1' }] },
        },
      },
    });
    await world.pass(2);
    await world.scale('MachinePool', name, 1);
    await world.pass(60);
    const states = async () => (await group()).Instances.map(({ LifecycleState }) => LifecycleState).toSorted();
    expect(await states()).toEqual(['InService', 'Terminating:Wait', 'Terminating:Wait']);
    expect(world.calls(true).RecordLifecycleActionHeartbeat).toBeGreaterThan(10);
    expect(explainedFor(world, 'MachinePool', name, 'pools').map(messageOf)[0]).toMatch(
      /^Machine pools-pool-\w+: Drain not completed yet: .*disruption budget/,
    );
    const there = (await world.wait(guest.get('poddisruptionbudgets.policy', 'default', 'web')))!;
    await world.wait(guest.put([{ ...budget(3), metadata: there.metadata }]));
    await world.until('one Node', isAt(1), 40);
    expect(world.errors).toEqual([]);
  });

  it('drains an instance of the spot market before EC2 takes it', async () => {
    await started({ awsLaunchTemplate: { spotMarketOptions: {} } });
    const [victim] = world
      .all('AWSMachine')
      .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/pool-name'] === name);
    expect(victim?.status?.interruptible).toBe(true);
    world.system.account.interrupt(victim!.spec!.instanceID!);
    const machine = () => world.find('Machine', victim!.metadata.name);
    await world.until('the drain', () => machine()?.metadata.deletionTimestamp !== undefined, 1);
    await world.until('another instance', () => machine() === undefined && isAt(3)(), 30);
    expect(world.errors).toEqual([]);
  });

  it('neither changes nor deletes a group and a template that are not its own', async () => {
    await started();
    const { AutoScalingGroupName: theirs, VPCZoneIdentifier } = await group();
    const [version] = await templates();
    await world.remove('MachinePool', name);
    await world.until('the pool gone', () => awsPool() === undefined && pool() === undefined, 60);
    const { LaunchTemplate } = await call('CreateLaunchTemplate', {
      LaunchTemplateName: 'theirs',
      LaunchTemplateData: version!.LaunchTemplateData,
      TagSpecifications: [],
      ClientToken: 'theirs',
    });
    await call('CreateAutoScalingGroup', {
      AutoScalingGroupName: theirs,
      LaunchTemplate: { LaunchTemplateId: LaunchTemplate.LaunchTemplateId, Version: '$Latest' },
      MinSize: 0,
      MaxSize: 1,
      VPCZoneIdentifier,
      Tags: [],
    });
    const before = world.calls(true);
    await apply();
    const message = () => condition('ASGReady')?.message ?? '';
    await world.until('refused', () => message().includes('was not made for this pool'), 10);
    await world.remove('MachinePool', name);
    await world.until('the pool gone', () => awsPool() === undefined && pool() === undefined, 60);
    expect((await group()).AutoScalingGroupName).toBe(theirs);
    expect(world.calls(true)).toMatchObject({
      DeleteAutoScalingGroup: before.DeleteAutoScalingGroup,
      CreateAutoScalingGroup: before.CreateAutoScalingGroup,
    });
    expect(world.errors).toEqual([]);
  });

  it('follows another program that scales the group', async () => {
    await started();
    await world.patch('MachinePool', name, {
      metadata: { annotations: { 'cluster.x-k8s.io/replicas-managed-by': 'autoscaler' } },
    });
    const { AutoScalingGroupName } = await group();
    await call('UpdateAutoScalingGroup', { AutoScalingGroupName, DesiredCapacity: 4 });
    await world.until('four', () => pool()?.spec?.replicas === 4 && ready() === 4, 30);
    expect((await group()).DesiredCapacity).toBe(4);
    await patch({ minSize: 6 });
    await world.until('six', () => pool()?.spec?.replicas === 6 && ready() === 6, 30);
    expect(world.errors).toEqual([]);
  });

  it('says why AWS launches nothing, and what asks for more than the group may have', async () => {
    world = await createWorld();
    world.system.account.faults.add({
      action: 'RunInstances',
      code: 'InsufficientInstanceCapacity',
      type: 'm5.xlarge',
    });
    await apply({ maxSize: 2, awsLaunchTemplate: { instanceType: 'm5.xlarge' } });
    await world.until('said', () => condition('InstancesLaunched')?.status === 'False', 40);
    expect(condition('InstancesLaunched')?.message).toContain('mixedInstancesPolicy');
    expect(condition('ASGReady')?.message).toContain('above spec.maxSize (2)');
    world.system.account.faults.clear();
    await world.until('two Nodes', () => ready() === 2, 30);
    expect(condition('InstancesLaunched')?.status).toBe('True');
    expect(world.errors).toEqual([]);
  });

  it('puts, changes and removes lifecycle hooks, processes and settings of the group', async () => {
    await started();
    const hook = { name: 'mine', lifecycleTransition: 'autoscaling:EC2_INSTANCE_TERMINATING', heartbeatTimeout: '1m' };
    await patch({
      lifecycleHooks: [{ ...hook, defaultResult: 'CONTINUE' }],
      suspendProcesses: { processes: { azRebalance: true } },
      defaultCoolDown: '1m',
      capacityRebalance: true,
    });
    await world.pass(2);
    const hooks = async () => {
      const { AutoScalingGroupName } = await group();
      const { LifecycleHooks } = await call('DescribeLifecycleHooks', { AutoScalingGroupName });
      return LifecycleHooks.map(
        ({ LifecycleHookName, HeartbeatTimeout }) => `${LifecycleHookName} ${HeartbeatTimeout}`,
      );
    };
    expect(await hooks()).toEqual(['capstan-drain 900', 'mine 60']);
    expect(await group()).toMatchObject({
      DefaultCooldown: 60,
      CapacityRebalance: true,
      SuspendedProcesses: [{ ProcessName: 'AZRebalance' }],
    });
    await world.scale('MachinePool', name, 2);
    await world.until('two', isAt(2), 30);
    await patch({ lifecycleHooks: null, suspendProcesses: null, capacityRebalance: null });
    await world.pass(2);
    expect(await hooks()).toEqual(['capstan-drain 900']);
    expect(await group()).toMatchObject({ CapacityRebalance: false, SuspendedProcesses: [] });
    expect(world.errors).toEqual([]);
  });

  it('replaces an instance whose Node fails its health check', async () => {
    await started();
    const { code } = await world.apply({
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineHealthCheck',
      metadata: { name: 'check', namespace: 'default' },
      spec: {
        clusterName: 'pools',
        selector: { matchLabels: { 'cluster.x-k8s.io/pool-name': name } },
        checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: 120 }] },
      },
    } as KubeObject);
    expect(code).toBe(201);
    await world.pass(2);
    const [id] = await instances();
    world.system.account.halt(id!);
    const isThere = () => world.all('Machine').some(({ metadata }) => metadata.name.endsWith(id!.slice(2)));
    await world.until('the Machine gone', () => !isThere(), 40);
    await world.until('three Nodes again', isAt(3), 40);
    expect(await instances()).not.toContain(id);
    expect(world.errors).toEqual([]);
  });

  it('makes bootstrap data again that was deleted, and keeps its size meanwhile', async () => {
    await started();
    const before = await instances();
    const data = () => world.find('Secret', name);
    const uid = data()?.metadata.uid;
    await world.remove('Secret', name);
    await world.scale('MachinePool', name, 4);
    await world.until('another Secret', () => data() !== undefined && data()?.metadata.uid !== uid, 5);
    await world.until('four Nodes', isAt(4), 40);

    await world.remove('KubeadmConfig', name);
    await world.until('no Secret', () => data() === undefined, 5);
    await world.scale('MachinePool', name, 5);
    await world.pass(2);
    expect((await group()).DesiredCapacity).toBe(5);
    expect(data()).toBeUndefined();
    const config = example('machine-pool.yaml').find(({ kind }) => kind === 'KubeadmConfig')!;
    expect((await world.apply(config)).code).toBe(201);
    await world.until('a third Secret', () => data() !== undefined, 10);
    await world.until('five Nodes', isAt(5), 40);
    await world.until('said', () => isTrue(world, 'KubeadmConfig', name, 'DataSecretAvailable'), 2);
    expect(await instances()).toEqual(expect.arrayContaining(before));
    expect(await templates()).toHaveLength(1);
    expect(world.errors).toEqual([]);
  });

  it('keeps its instances when another pool that names its parts goes', async () => {
    await started();
    const before = await instances();
    const { apiVersion, kind, spec } = example('machine-pool.yaml').find((one) => one.kind === 'MachinePool')!;
    const metadata = { name: 'dup', namespace: 'default' };
    expect((await world.apply({ apiVersion, kind, metadata, spec } as KubeObject)).code).toBe(201);
    await world.pass(3);
    for (const [type, part] of [
      ['InfrastructureReady', 'AWSMachinePool'],
      ['BootstrapConfigReady', 'KubeadmConfig'],
    ] as const)
      expect(world.condition('MachinePool', 'dup', type)).toMatchObject({
        status: 'False',
        message: expect.stringContaining(`${part} ${name} is controlled by MachinePool ${name}`),
      });
    const dup = world.find('MachinePool', 'dup');
    expect(dup?.spec?.providerIDList ?? []).toEqual([]);
    expect(dup?.status?.nodeRefs ?? []).toEqual([]);
    await world.remove('MachinePool', 'dup');
    await world.until('the other gone', () => world.find('MachinePool', 'dup') === undefined, 10);
    await world.pass(5);
    expect(await instances()).toEqual(before);
    expect(isAt(3)()).toBe(true);
    expect(world.find('KubeadmConfig', name)?.metadata.deletionTimestamp).toBeUndefined();
    expect(world.errors).toEqual([]);
  });

  it('replaces no host by one of a newer minor release than the control plane', async () => {
    await started();
    const before = await instances();
    const version = 'v1.36.0';
    await world.patch('MachinePool', name, { spec: { template: { spec: { version } } } });
    await world.until('said', () => condition('LaunchTemplateReady')?.status === 'False', 5);
    expect(condition('LaunchTemplateReady')?.message).toBe('Waiting for the control plane to have v1.36.0');
    await world.scale('MachinePool', name, 4);
    await world.until('four hosts', () => ready() === 4, 40);
    // Longer than a token lives.
    const stored = await secret();
    await world.pass(40);
    expect(await secret()).not.toBe(stored);
    expect(await instances()).toEqual(expect.arrayContaining(before));
    expect(await templates()).toHaveLength(1);

    await world.patch('KubeadmControlPlane', 'pools-control-plane', { spec: { version } });
    const runs = () => (pool()?.status?.upToDateReplicas ?? 0) === 4;
    await world.until('replaced', () => runs() && isAt(4)(), 150);
    expect((await instances()).filter((id) => before.includes(id))).toEqual([]);
    expect(condition('LaunchTemplateReady')?.status).toBe('True');
    expect(world.errors).toEqual([]);
  });

  it('goes after the control plane when both get a version at once', async () => {
    await started();
    const version = 'v1.36.0';
    await world.patch('MachinePool', name, { spec: { template: { spec: { version } } } });
    await world.patch('KubeadmControlPlane', 'pools-control-plane', { spec: { version } });
    const plane = () => world.find('KubeadmControlPlane', 'pools-control-plane')?.status?.version;
    while (plane() !== version) {
      expect(await templates()).toHaveLength(1);
      await world.pass(1);
    }
    await world.until('replaced', () => pool()?.status?.upToDateReplicas === 3 && isAt(3)(), 150);
    expect(world.errors).toEqual([]);
  });

  it('goes on at once when its parts are applied late', async () => {
    world = await createWorld();
    const isPart = ({ kind }: KubeObject) => kind === 'AWSMachinePool' || kind === 'KubeadmConfig';
    const objects = example('machine-pool.yaml') as KubeObject[];
    for (const object of objects) if (!isPart(object)) await world.apply(object);
    await world.pass(31);
    for (const object of objects.filter(isPart)) await world.apply(object);
    await world.pass(2 / 60);
    expect(awsPool()?.metadata.ownerReferences).toMatchObject([{ kind: 'MachinePool', name }]);
    expect(world.condition('MachinePool', name, 'InfrastructureReady')?.reason).not.toBe('ObjectDoesNotExist');
  });

  it('goes with its Cluster', async () => {
    await started();
    await world.remove('Cluster', 'pools');
    await world.until('nothing remains', () => remains(world).length === 0 && !pool() && !awsPool(), 90);
    expect(world.errors).toEqual([]);
  });

  it('keeps its Cluster until its group is gone, although a client took its finalizers', async () => {
    await started();
    const { AutoScalingGroupName } = await group();
    const [template] = (await call('DescribeLaunchTemplates', {})).LaunchTemplates;
    const { LaunchTemplateId } = template!;
    await world.patch('AWSMachinePool', name, { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } });
    await world.remove('AWSMachinePool', name);
    await world.patch('AWSMachinePool', name, { metadata: { finalizers: null } });
    await world.remove('Cluster', 'pools');
    await world.pass(30);
    const step = () => world.all('ClusterOperation').at(-1)?.status?.steps?.at(-1)?.message;
    expect(step()).toContain(`Auto Scaling group ${AutoScalingGroupName}`);
    expect(step()).toContain(`launch template ${LaunchTemplateId}`);
    await call('DeleteAutoScalingGroup', { AutoScalingGroupName, ForceDelete: true });
    await call('DeleteLaunchTemplate', { LaunchTemplateId });
    await world.until('nothing remains', () => remains(world).length === 0, 90);
  });

  it('says why a refresh failed, and replaces nothing more when the change is taken back', async () => {
    await started();
    const before = await instances();
    world.system.account.faults.add({
      action: 'RunInstances',
      code: 'InsufficientInstanceCapacity',
      type: 'm5.xlarge',
    });
    await patch({ awsLaunchTemplate: { instanceType: 'm5.xlarge' } });
    await world.until('failed', () => condition('InstanceRefreshStarted')?.status === 'False', 120);
    expect(condition('InstanceRefreshStarted')).toMatchObject({
      reason: 'InstanceRefreshFailed',
      message: expect.stringContaining('made no progress'),
    });
    await patch({ awsLaunchTemplate: { instanceType: 't3.large' } });
    await world.until('three Nodes again', isAt(3), 60);
    await world.pass(10);
    expect((await instances()).filter((id) => before.includes(id))).toHaveLength(2);
    expect(condition('InstanceRefreshStarted')?.status).toBe('True');
    expect(isTrue(world, 'AWSMachinePool', name, 'Ready')).toBe(true);
    expect(world.calls(true)).toMatchObject({ StartInstanceRefresh: 1 });
    expect(world.errors).toEqual([]);
  });
});
