import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lifecycleHooks } from '../../kinds/common/hook-names.ts';
import type { JsonObject } from '../../machinery/api/object.ts';
import { isSettled, isTrue, remains } from './checks.ts';
import { extensionNamed } from './extension.ts';
import { explained } from './faults-to-explain.ts';
import { example } from './manifests.ts';
import { settledMoment } from './moments.ts';
import { cluster, file, topologyIn } from './topology.fixture.ts';
import { createWorld, type Moment, minute, type World } from './world.ts';

let moment: Moment;
let world: World;
const { condition, upgrades, settle } = topologyIn(() => world);
beforeAll(async () => {
  moment = await settledMoment(file);
}, 60_000);
afterEach(() => world.end());

const blocking = (retryAfterSeconds: number, message: string) => (): JsonObject => ({
  status: 'Success',
  retryAfterSeconds,
  message,
});
const passing = (): JsonObject => ({ status: 'Success' });
const annotations = () => world.find('Cluster', cluster)?.metadata.annotations ?? {};
const versions = (kind: 'KubeadmControlPlane' | 'Machine') => world.all(kind).map(({ spec }) => spec?.version);
const to = (version: string) => world.patch('Cluster', cluster, { spec: { topology: { version } } });

const opened = async (seed: number, hooks: readonly string[], handler: JsonObject = {}) => {
  const extension = extensionNamed('platform', hooks, handler);
  world = await createWorld({ from: moment, seed, workflows: true, callWebhook: extension.callWebhook });
  await extension.register(world);
  return extension;
};

describe('hooks', () => {
  it('are called once each, in their order, over the life of a cluster', async () => {
    const extension = extensionNamed('platform', lifecycleHooks);
    world = await createWorld({ workflows: true, callWebhook: extension.callWebhook });
    await extension.register(world, { settings: { team: 'a' } });
    for (const object of example(file)) await world.apply(object);
    await world.until('created', () => isTrue(world, 'Cluster', cluster, 'Available') && isSettled(world), 60);
    await world.pass(1);
    expect(extension.names()).toEqual(['BeforeClusterCreate', 'AfterControlPlaneInitialized']);
    const [{ request }] = extension.calls as [(typeof extension.calls)[number]];
    expect(request).toMatchObject({
      kind: 'BeforeClusterCreateRequest',
      settings: { team: 'a' },
      cluster: { apiVersion: 'cluster.x-k8s.io/v1beta1', metadata: { name: cluster } },
    });
    extension.calls.length = 0;
    await to('v1.36.0');
    await settle();
    await world.until('after', () => extension.of('AfterClusterUpgrade').length > 0, 5);
    await world.pass(2);
    expect(extension.names()).toEqual([
      'BeforeClusterUpgrade',
      'BeforeControlPlaneUpgrade',
      'AfterControlPlaneUpgrade',
      'BeforeWorkersUpgrade',
      'AfterWorkersUpgrade',
      'AfterClusterUpgrade',
    ]);
    expect(extension.of('BeforeWorkersUpgrade')[0]?.request).toMatchObject({
      fromKubernetesVersion: 'v1.35.0',
      toKubernetesVersion: 'v1.36.0',
    });
    expect(upgrades().map(({ status }) => status?.phase)).toEqual(['Succeeded']);
    expect(Object.keys(annotations()).filter((key) => /hook/.test(key))).toEqual([]);
    extension.calls.length = 0;
    await world.remove('Cluster', cluster);
    await world.until('deleted', () => remains(world).length === 0, 120);
    expect(extension.names()).toEqual(['BeforeClusterDelete']);
  });

  it('hold a cluster back before anything of it exists, and are asked again when they said', async () => {
    const extension = extensionNamed('platform', ['BeforeClusterCreate']);
    world = await createWorld({ workflows: true, callWebhook: extension.callWebhook });
    await extension.register(world);
    extension.answer('BeforeClusterCreate', blocking(300, 'no address yet'));
    for (const object of example(file)) await world.apply(object);
    await world.until('blocked', () => condition()?.reason === 'ClusterCreating', 5);
    expect(condition()?.message).toBe(
      'Following hooks are blocking Cluster topology creation: BeforeClusterCreate: no address yet',
    );
    await world.pass(12);
    expect(world.all('AWSCluster')).toEqual([]);
    const times = extension.of('BeforeClusterCreate').map(({ at }) => at);
    expect(times).toHaveLength(3);
    expect(times.slice(1).map((at, i) => Math.round((at - times[i]!) / 1000 / 10) * 10)).toEqual([300, 300]);
    extension.answer('BeforeClusterCreate', passing);
    await world.until('begun', () => world.all('AWSCluster').length === 1, 6);
  });

  it('hold an upgrade back before it begins', async () => {
    const extension = await opened(21, ['BeforeClusterUpgrade']);
    extension.answer('BeforeClusterUpgrade', blocking(120, 'freeze'));
    await to('v1.36.0');
    await world.until('blocked', () => condition()?.reason === 'ClusterUpgrading', 5);
    await world.pass(1);
    expect(condition()?.message).toMatch(
      /^Cluster is upgrading to v1.36.0\n {2}\* Following hooks are blocking upgrade: BeforeClusterUpgrade: freeze\n {2}\* KubeadmControlPlane pending upgrade/,
    );
    expect(upgrades()).toEqual([]);
    extension.answer('BeforeClusterUpgrade', passing);
    await settle();
    expect(new Set(versions('Machine'))).toEqual(new Set(['v1.36.0']));
  });

  it('hold the workers of an operation back, which says who blocks and until when', async () => {
    const extension = await opened(22, ['BeforeWorkersUpgrade']);
    extension.answer('BeforeWorkersUpgrade', blocking(3600, 'draining queues'));
    await to('v1.36.0');
    const waits = () => upgrades()[0]?.status?.message ?? '';
    await world.until('waits', () => /blocking since/.test(waits()), 60);
    expect(waits()).toMatch(
      /AddOns: waiting: hook BeforeWorkersUpgrade has been blocking since \S+Z \(beforeworkersupgrade\.platform\), and is asked again at \S+Z: draining queues/,
    );
    expect(explained(world, cluster)[0]).toMatchObject({
      kind: 'ClusterOperation',
      message: expect.stringContaining('hook BeforeWorkersUpgrade has been blocking'),
    });
    expect(new Set(versions('KubeadmControlPlane'))).toEqual(new Set(['v1.36.0']));
    const [calls, before] = [extension.calls.length, world.now()];
    await world.pass(150);
    expect(versions('Machine').filter((version) => version === 'v1.35.0')).toHaveLength(2);
    expect(upgrades()[0]?.status?.phase).toBe('Running');
    expect(extension.calls.length - calls).toBe(Math.floor((world.now() - before) / minute / 60));
    extension.answer('BeforeWorkersUpgrade', passing);
    await world.pass(61);
    await settle();
    expect(upgrades().map(({ status }) => status?.phase)).toEqual(['Succeeded']);
    expect(new Set(versions('Machine'))).toEqual(new Set(['v1.36.0']));
  });

  it('that block after an upgrade forbid another one', async () => {
    const extension = await opened(23, ['AfterClusterUpgrade']);
    extension.answer('AfterClusterUpgrade', blocking(600, 'reporting'));
    await to('v1.36.0');
    await world.until('asked', () => extension.calls.length > 0, 60);
    expect(await to('v1.37.0')).toMatchObject({
      code: 422,
      body: { message: expect.stringContaining('"AfterClusterUpgrade" hook is still blocking') },
    });
    extension.answer('AfterClusterUpgrade', passing);
    await world.until('over', () => annotations()['runtime.cluster.x-k8s.io/pending-hooks'] === undefined, 15);
  });

  it('hold a deletion back, which the operation reports', async () => {
    const extension = await opened(24, ['BeforeClusterDelete']);
    extension.answer('BeforeClusterDelete', blocking(600, 'backup'));
    await world.remove('Cluster', cluster);
    await world.until('asked', () => extension.calls.length > 0, 5);
    await world.pass(3);
    expect(condition()).toMatchObject({
      reason: 'Deleting',
      message: 'Cluster is deleting. Following hooks are blocking delete: BeforeClusterDelete: backup',
    });
    const [deletion] = world.all('ClusterOperation').filter(({ spec }) => spec?.type === 'delete');
    expect(deletion?.status?.message).toMatch(/hook BeforeClusterDelete has been blocking since .*: backup/);
    expect(world.all('Machine')).toHaveLength(3);
    extension.answer('BeforeClusterDelete', passing);
    await world.until('deleted', () => remains(world).length === 0, 120);
  });

  it.each<{ rule: string; answer: () => JsonObject | Error; says: string }>([
    { rule: 'fail', answer: () => ({ status: 'Failure', message: 'no' }), says: 'it answered Failure: no' },
    { rule: 'answer garbage', answer: () => ({ hello: 1 }), says: 'no status Success or Failure' },
    { rule: 'do not answer', answer: () => new Error('context deadline exceeded'), says: 'context deadline exceeded' },
  ])('that $rule keep the upgrade from beginning, until they answer', async ({ answer, says }) => {
    const extension = await opened(25, ['BeforeClusterUpgrade']);
    extension.answer('BeforeClusterUpgrade', answer);
    await to('v1.36.0');
    await world.until('failed', () => condition()?.reason === 'ReconcileFailed', 5);
    expect(condition()?.message).toContain(`handler beforeclusterupgrade.platform of hook BeforeClusterUpgrade: `);
    expect(condition()?.message).toContain(says);
    expect(upgrades()).toEqual([]);
    extension.answer('BeforeClusterUpgrade', passing);
    await settle();
    expect(new Set(versions('Machine'))).toEqual(new Set(['v1.36.0']));
    expect(world.errors).toEqual([]);
  });

  it('that do not answer before a deletion hold it back, and are reported with their extension', async () => {
    const extension = await opened(19, ['BeforeClusterDelete']);
    extension.answer('BeforeClusterDelete', () => new Error('context deadline exceeded'));
    await world.remove('Cluster', cluster);
    const why = 'handler beforeclusterdelete.platform of hook BeforeClusterDelete: context deadline exceeded';
    await world.until('reported', () => condition()?.message === why, 5);
    expect(condition()?.reason).toBe('ReconcileFailed');
    const operation = () => world.find('ClusterOperation', `${cluster}-delete-1`)?.status?.message ?? '';
    await world.until('in the operation', () => operation().includes(why), 5);
    const causes = explained(world, cluster);
    expect(causes[0]?.message).toContain(why);
    expect(causes.flatMap(({ commands }) => commands)).toContain(
      `kubectl annotate cluster ${cluster} -n default runtime.cluster.x-k8s.io/ok-to-delete=`,
    );
    expect(world.all('Machine')).toHaveLength(3);
    extension.answer('BeforeClusterDelete', blocking(60, 'reporting'));
    await world.until('blocks', () => /is asked again at \S+Z: reporting/.test(operation()), 20);
    extension.answer('BeforeClusterDelete', passing);
    await world.until('deleted', () => remains(world).length === 0, 120);
  });

  it('that are to be ignored hold nothing back when they do not answer, but when they fail', async () => {
    const extension = await opened(26, ['BeforeClusterUpgrade'], { failurePolicy: 'Ignore' });
    extension.answer('BeforeClusterUpgrade', () => ({ status: 'Failure', message: 'no' }));
    await to('v1.36.0');
    await world.until('failed', () => condition()?.reason === 'ReconcileFailed', 5);
    extension.answer('BeforeClusterUpgrade', () => new Error('gone'));
    await settle();
    expect(new Set(versions('Machine'))).toEqual(new Set(['v1.36.0']));
  });

  it('of an extension that was deleted hold nothing back', async () => {
    const extension = await opened(27, ['BeforeClusterUpgrade', 'BeforeClusterDelete']);
    extension.answer('BeforeClusterUpgrade', blocking(60, 'never'));
    extension.answer('BeforeClusterDelete', blocking(60, 'never'));
    await to('v1.36.0');
    await world.until('blocked', () => condition()?.reason === 'ClusterUpgrading', 5);
    await world.remove('ExtensionConfig', 'platform', '');
    await settle();
    await world.remove('Cluster', cluster);
    await world.until('deleted', () => remains(world).length === 0, 120);
  });

  it('are called only for the namespaces that the extension selects', async () => {
    const extension = extensionNamed('platform', ['BeforeClusterUpgrade']);
    world = await createWorld({ from: moment, seed: 28, workflows: true, callWebhook: extension.callWebhook });
    await extension.register(world, { namespaceSelector: { matchLabels: { hooks: 'yes' } } });
    await to('v1.36.0');
    await settle();
    expect(extension.calls).toEqual([]);
  });

  it('by annotation hold an upgrade back until the user removes it', async () => {
    world = await createWorld({ from: moment, seed: 29, workflows: true });
    const key = 'before-upgrade.hook.cluster.cluster.x-k8s.io/change-window';
    await world.patch('Cluster', cluster, { metadata: { annotations: { [key]: '' } } });
    await to('v1.36.0');
    await world.until('blocked', () => condition()?.reason === 'ClusterUpgrading', 5);
    expect(condition()?.message).toContain(`BeforeClusterUpgrade: annotation ${key} is set`);
    await world.patch('Cluster', cluster, { metadata: { annotations: { [key]: null } } });
    await settle();
    expect(new Set(versions('Machine'))).toEqual(new Set(['v1.36.0']));
  });
});

describe('a plan of upgrades', () => {
  const chained = async (seed: number) => {
    const extension = await opened(seed, ['GenerateUpgradePlan']);
    const upgrade = { external: { generateUpgradePlanExtension: 'generateupgradeplan.platform' } };
    await world.patch('ClusterClass', 'standard', { spec: { upgrade } });
    await world.pass(1);
    return extension;
  };
  const steps = (...all: string[]) => all.map((version) => ({ version }));

  it('takes a cluster over several minor versions, an operation for each, and workers at once', async () => {
    const extension = await chained(21);
    extension.answer('GenerateUpgradePlan', ({ fromControlPlaneKubernetesVersion: from }) => ({
      status: 'Success',
      controlPlaneUpgrades: steps('v1.36.1', 'v1.37.0').slice(from === 'v1.35.0' ? 0 : from === 'v1.36.1' ? 1 : 2),
    }));
    const seen: string[] = [];
    world.onCommit(({ type, object }) => {
      if (type !== 'machines.cluster.x-k8s.io' || !object) return;
      const { spec, metadata } = object as { spec?: { version?: string }; metadata: { name: string } };
      const entry = `${/control-plane/.test(metadata.name) ? 'control plane' : 'worker'} ${spec?.version}`;
      if (!seen.includes(entry)) seen.push(entry);
    });
    await to('v1.37.0');
    await world.until('upgraded', () => versions('Machine').every((one) => one === 'v1.37.0'), 180);
    await settle();
    expect(seen.filter((one) => !one.endsWith('v1.35.0'))).toEqual([
      'control plane v1.36.1',
      'control plane v1.37.0',
      'worker v1.37.0',
    ]);
    expect(upgrades().map(({ status }) => status?.phase)).toEqual(['Succeeded', 'Succeeded']);
    const asked = extension.of('GenerateUpgradePlan').map(({ request }) => request);
    expect(asked[0]).toMatchObject({
      cluster: { apiVersion: 'cluster.x-k8s.io/v1beta1', metadata: { name: cluster } },
      fromControlPlaneKubernetesVersion: 'v1.35.0',
      fromWorkersKubernetesVersion: 'v1.35.0',
      toKubernetesVersion: 'v1.37.0',
    });
    const spans = new Set(
      asked.map((one) => `${one.fromControlPlaneKubernetesVersion} ${one.fromWorkersKubernetesVersion}`),
    );
    // A process keeps an answer for ten minutes.
    expect(asked.length).toBeLessThan(spans.size + 12);
  });

  it('that cannot be followed, or is not given, begins nothing and is reported', async () => {
    const extension = await chained(22);
    const answers: [JsonObject | Error, RegExp][] = [
      [
        { status: 'Success', controlPlaneUpgrades: steps('v1.37.0') },
        /item 0; expecting a version with minor 35 or 36/,
      ],
      [{ status: 'Success' }, /must end with version v1\.37\.0/],
      [{ status: 'Failure', message: 'not today' }, /it answered Failure: not today/],
      [new Error('connection refused'), /connection refused/],
    ];
    await to('v1.37.0');
    for (const [answer, says] of answers) {
      extension.answer('GenerateUpgradePlan', () => answer as JsonObject);
      await world.until('reported', () => says.test(condition()?.message ?? ''), 30);
      expect(condition()).toMatchObject({ reason: 'ReconcileFailed' });
      expect(condition()?.message).toMatch(/^failed to get upgrade plan from extension: /);
    }
    expect([upgrades(), new Set(versions('Machine'))]).toEqual([[], new Set(['v1.35.0'])]);
    extension.answer('GenerateUpgradePlan', () => ({
      status: 'Success',
      controlPlaneUpgrades: steps('v1.36.0', 'v1.37.0'),
    }));
    await world.until('begun', () => upgrades().length === 1, 15);
  });

  it('is part of a dry run', async () => {
    const extension = await chained(23);
    extension.answer('GenerateUpgradePlan', () => ({
      status: 'Success',
      controlPlaneUpgrades: steps('v1.36.0', 'v1.37.0'),
    }));
    const stored = world.find('Cluster', cluster)!;
    const { topology } = stored.spec!;
    const spec = { ...stored.spec, topology: { ...topology!, version: 'v1.37.0' } };
    const answer = await world.request('PUT', `${world.pathOf(stored)}/${cluster}?dryRun=All`, { ...stored, spec });
    expect([answer.code, extension.of('GenerateUpgradePlan').length]).toEqual([200, 1]);
  });
});

describe('an ExtensionConfig', () => {
  it('gets the certificates of the Secret that it names, and follows them', async () => {
    const extension = extensionNamed('platform', lifecycleHooks);
    const given: (string | undefined)[] = [];
    world = await createWorld({
      from: moment,
      seed: 11,
      callWebhook: async (target, body, options) => {
        given.push(target.caBundle);
        if (target.caBundle === undefined) throw new Error('self-signed certificate');
        return extension.callWebhook(target, body, options);
      },
    });
    const reported = () => {
      const status = world.find('ExtensionConfig', 'platform', '')?.status;
      const { reason, message } = status?.conditions?.find(({ type }) => type === 'Discovered') ?? {};
      return `${reason}: ${message}`;
    };
    const secret = (text: string) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'default', name: 'authority' },
      data: { 'ca.crt': Buffer.from(text).toString('base64') },
    });
    const annotations = { 'runtime.cluster.x-k8s.io/inject-ca-from-secret': 'default/authority' };
    const config = {
      apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
      kind: 'ExtensionConfig',
      metadata: { name: 'platform', annotations },
      spec: { clientConfig: { url: 'https://platform.example' } },
    };
    const wrong = { ...annotations, 'runtime.cluster.x-k8s.io/inject-ca-from-secret': 'authority' };
    await expect(world.apply({ ...config, metadata: { name: 'platform', annotations: wrong } })).rejects.toThrow(
      'secret name must be in the form <namespace>/<name>',
    );
    await world.apply(config);
    await world.until('waits', () => reported().includes('waiting for ca.crt of Secret default/authority: '), 2);
    await world.apply(secret('one'));
    await world.until('discovered', () => reported().startsWith('Discovered'), 2);
    await world.apply(secret('two'));
    await world.pass(1);
    const last = () => Buffer.from(given.at(-1) ?? '', 'base64').toString();
    expect([last(), reported()]).toEqual(['two', 'Discovered: ']);
    await world.remove('Secret', 'authority');
    await world.pass(2);
    expect([last(), reported()]).toEqual(['two', 'Discovered: ']);
  });

  it('keeps its handlers while the extension does not answer', async () => {
    const extension = extensionNamed('platform', ['BeforeClusterUpgrade']);
    let isGone = false;
    world = await createWorld({
      workflows: true,
      callWebhook: async (...call) => {
        if (isGone) throw new Error('gone');
        return extension.callWebhook(...call);
      },
    });
    await extension.register(world);
    const status = () => world.find('ExtensionConfig', 'platform', '')?.status;
    const handlers = [
      {
        name: 'beforeclusterupgrade.platform',
        requestHook: { apiVersion: 'hooks.runtime.cluster.x-k8s.io/v1alpha1', hook: 'BeforeClusterUpgrade' },
        timeoutSeconds: 10,
        failurePolicy: 'Fail',
      },
    ];
    expect(status()?.handlers).toEqual(handlers);
    isGone = true;
    await world.patch('ExtensionConfig', 'platform', { spec: { settings: { a: 'b' } } }, '');
    await world.until(
      'fails',
      () => status()?.conditions?.some(({ reason }) => reason === 'NotDiscovered') ?? false,
      2,
    );
    expect(status()?.handlers).toEqual(handlers);
    isGone = false;
    await world.until(
      'discovered',
      () => status()?.conditions?.some(({ reason }) => reason === 'Discovered') ?? false,
      2,
    );
  });
});
