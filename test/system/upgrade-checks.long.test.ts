import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWorkload } from '../../adapters/workload/index.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import { wellBehaved } from '../../simulation/aws/index.ts';
import { guestTransport } from '../../simulation/workload/index.ts';
import { settledMoment } from './moments.ts';
import { cluster, controlPlane, openUpgrade, type Upgrading } from './upgrade.fixture.ts';
import type { Moment } from './world.ts';

let quickstart: Moment;
let upgrade: Upgrading;
beforeAll(async () => {
  quickstart = await settledMoment('quickstart.yaml');
}, 60_000);
afterEach(() => upgrade.world.end());

const kubeconfig = (): string => {
  const secret = upgrade.world.find('Secret', `${cluster}-kubeconfig`) as { data?: { value?: string } } | undefined;
  return Buffer.from(secret?.data?.value ?? '', 'base64').toString('utf8');
};
const workload = () => createWorkload({ transport: guestTransport(upgrade.world.system.guests) });
const plant = (object: KubeObject) =>
  upgrade.world.wait(workload().effect('create', { kubeconfig: kubeconfig(), object: object as never }));
const remove = ({ apiVersion, kind, metadata: { namespace, name } }: KubeObject) =>
  upgrade.world.wait(
    workload().effect('delete', { kubeconfig: kubeconfig(), apiVersion, kind, name, ...(namespace && { namespace }) }),
  );
const check = () => upgrade.world.find('UpgradeCheck', cluster)?.status;
const codes = () => check()?.findings?.map(({ code }) => code);

const budget: KubeObject = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { namespace: 'kube-system', name: 'never' },
  spec: { maxUnavailable: 0, selector: { matchLabels: { 'k8s-app': 'kube-dns' } } },
};
const webhook = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'policy' },
  webhooks: [
    {
      name: 'pods.example.com',
      failurePolicy: 'Fail',
      clientConfig: { service: { namespace: 'policy', name: 'svc' } },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
} as KubeObject;

const alarms = () => upgrade.world.system.guests.clusters.all()[0]!.record.etcd;

describe('an upgrade is refused', () => {
  it.each([
    {
      what: 'a PodDisruptionBudget that never permits an eviction',
      says: /DisruptionBudgetBlocks: PodDisruptionBudget kube-system\/never: It never permits.*nodeDrainTimeoutSeconds/,
      begin: () => plant(budget),
      mend: () => remove(budget),
    },
    {
      what: 'a webhook without endpoints',
      says: /WebhookUnavailable: ValidatingWebhookConfiguration policy: .*policy\/svc.*failurePolicy/,
      begin: () => plant(webhook),
      mend: () => remove(webhook),
    },
    {
      what: 'an etcd alarm',
      says: /EtcdAlarm: etcd member .*NOSPACE.*alarm disarm/,
      begin: async () => {
        const { members } = alarms();
        alarms().alarms = [{ memberID: members[0]!.id, type: 'NOSPACE' }];
      },
      mend: async () => {
        alarms().alarms = [];
      },
    },
  ])('because of $what, and goes on after it is mended', async ({ says, begin, mend }) => {
    upgrade = await openUpgrade(quickstart, 1);
    await begin();
    await upgrade.world.pass(1);
    await upgrade.toVersion('v1.36.0');
    await upgrade.ended();
    expect(upgrade.phases()).toEqual(['RolledBack']);
    expect(upgrade.message()).toMatch(says);
    expect(upgrade.message()).toContain('Nothing was changed');
    expect(upgrade.world.find('KubeadmControlPlane', controlPlane)?.spec?.version).toBe('v1.36.0');
    expect(upgrade.versions()).toEqual(['v1.35.0']);
    await mend();
    await upgrade.world.pass(2);
    await upgrade.annotate({ 'capstan.dev/retry': '1' });
    await upgrade.world.until('a second one', () => upgrade.phases().length === 2, 5);
    await upgrade.settled();
    expect(upgrade.phases()).toEqual(['RolledBack', 'Succeeded']);
    expect(upgrade.versions()).toEqual(['v1.36.0']);
  });
});

it('is refused, naming the workers that are ahead of their control plane', async () => {
  upgrade = await openUpgrade(quickstart, 6);
  await upgrade.change('MachineDeployment', { spec: { template: { spec: { version: 'v1.36.0' } } } });
  await upgrade.ended();
  expect(upgrade.message()).toContain('WorkersAhead');
  expect(upgrade.versions()).toEqual(['v1.35.0']);
});

it('quotes within a minute why an old Machine does not go', async () => {
  upgrade = await openUpgrade(quickstart, 9);
  const { world } = upgrade;
  await upgrade.toVersion('v1.36.0');
  await upgrade.atStep('ControlPlaneFirst');
  await plant(budget);
  const drains = () =>
    world
      .all('Machine')
      .flatMap(({ metadata }) => world.condition('Machine', metadata.name, 'Deleting')?.message ?? '');
  const step = () =>
    upgrade
      .upgrades()
      .at(-1)
      ?.status?.steps?.find(({ name }) => name === 'ControlPlaneFirst')?.message ?? '';
  const [violated, doubled] = ["the pod's disruption budget", 'more than one PodDisruptionBudget'];
  await world.until('a drain that waits', () => step().includes(violated), 5);
  await world.pass(5);
  await plant({ ...budget, metadata: { ...budget.metadata, name: 'again' } });
  await world.until('another reason of the Machine', () => drains().some((message) => message.includes(doubled)), 5);
  await world.until('that of the operation', () => step().includes(doubled), 1);
});

it('rolls kube-proxy out before workers', async () => {
  upgrade = await openUpgrade(quickstart, 2);
  await upgrade.toVersion('v1.36.0');
  await upgrade.atStep('WorkersCanary');
  const read = { apiVersion: 'v1', kind: 'Pod', namespace: 'kube-system', labelSelector: 'k8s-app=kube-proxy' };
  const pods = await upgrade.world.wait(workload().read('list', { kubeconfig: kubeconfig(), ...read }));
  // The Nodes of workers are about to be replaced.
  const workers = upgrade.world
    .all('Machine')
    .filter(({ metadata }) => metadata.labels?.['cluster.x-k8s.io/deployment-name'] !== undefined)
    .map(({ status }) => status?.nodeRef?.name);
  const specs = (pods?.items ?? []).map(({ spec }) => spec as { nodeName: string; containers: { image: string }[] });
  const images = specs
    .filter(({ nodeName }) => !workers.includes(nodeName))
    .map(({ containers }) => containers[0]?.image);
  expect(new Set(images)).toEqual(new Set(['registry.k8s.io/kube-proxy:v1.36.0']));
  await upgrade.settled();
});

it('checks when a user creates an UpgradeCheck', async () => {
  upgrade = await openUpgrade(quickstart, 4);
  await plant(budget);
  await upgrade.world.pass(1);
  expect(check()).toBeUndefined();
  await upgrade.world.apply({
    apiVersion: 'capstan.dev/v1alpha1',
    kind: 'UpgradeCheck',
    metadata: { namespace: 'default', name: cluster },
    spec: { clusterName: cluster },
  });
  await upgrade.world.until('checked', () => check()?.result === 'Error', 1);
  expect(codes()).toContain('DisruptionBudgetBlocks');
  const owners = upgrade.world.find('UpgradeCheck', cluster)?.metadata.ownerReferences;
  expect(owners?.map(({ kind, name }) => ({ kind, name }))).toEqual([{ kind: 'Cluster', name: cluster }]);
});

it('checks for the version that a user asks about, once, and daily for the next minor version again', async () => {
  upgrade = await openUpgrade(quickstart, 5);
  const ask = (request: string) =>
    upgrade.world.patch('UpgradeCheck', cluster, {
      metadata: { annotations: { 'capstan.dev/check-upgrade': request } },
    });
  await upgrade.world.until('a daily check', () => check() !== undefined, 25 * 60);
  const request = 'v1.38.0 2026-01-02';
  await ask(request);
  await upgrade.world.until('an answer', () => check()?.request === request, 1);
  expect(check()).toMatchObject({ target: 'v1.38.0', result: 'Error' });
  expect(codes()).toContain('MinorSkipped');
  await ask('nonsense');
  await upgrade.world.until('the next minor', () => check()?.target === 'v1.36.0', 25 * 60);
  expect(check()).toMatchObject({ request });
});

it('asks the infrastructure about a version that a user asks about, as the upgrade does', async () => {
  upgrade = await openUpgrade(quickstart, 7, { behaviour: { ...wellBehaved, quotas: { vcpus: 1 } } });
  await upgrade.world.until('a daily check', () => check() !== undefined, 25 * 60);
  await upgrade.world.patch('UpgradeCheck', cluster, {
    metadata: { annotations: { 'capstan.dev/check-upgrade': 'v1.36.0' } },
  });
  await upgrade.world.until('an answer', () => check()?.request === 'v1.36.0', 1);
  expect(codes()).toContain('QuotaExceeded');
  await upgrade.toVersion('v1.36.0');
  await upgrade.ended();
  expect(upgrade.message()).toContain('--override QuotaExceeded');
});

it('reports a flag once that the objects and the infrastructure show', async () => {
  upgrade = await openUpgrade(quickstart, 8);
  await upgrade.world.until('a daily check', () => check() !== undefined, 25 * 60);
  const extraArgs = [{ name: 'no-such-flag', value: 'x' }];
  await upgrade.world.patch('KubeadmControlPlane', controlPlane, {
    spec: { kubeadmConfigSpec: { clusterConfiguration: { scheduler: { extraArgs } } } },
    metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } },
  });
  await upgrade.world.patch('UpgradeCheck', cluster, {
    metadata: { annotations: { 'capstan.dev/check-upgrade': 'v1.36.0' } },
  });
  await upgrade.world.until('an answer', () => check()?.request === 'v1.36.0', 1);
  const flagFindings = check()?.findings?.filter(({ message }) => message.includes('no-such-flag'));
  expect(flagFindings?.map(({ code, object }) => `${code} ${object}`)).toEqual([
    `FlagRemoved KubeadmControlPlane ${controlPlane}`,
  ]);
});

it('checks each day for the next minor version, and writes nothing else', async () => {
  upgrade = await openUpgrade(quickstart, 3);
  await plant(budget);
  const writes: string[] = [];
  upgrade.world.onCommit(({ type, event }) => {
    if (type.startsWith('upgradechecks.')) writes.push(event);
  });
  await upgrade.world.until('checked', () => check() !== undefined, 25 * 60);
  expect(check()).toMatchObject({ target: 'v1.36.0', result: 'Error' });
  expect(codes()).toContain('DisruptionBudgetBlocks');
  await remove(budget);
  await upgrade.world.until('clean', () => check()?.result !== 'Error', 120);
  writes.length = 0;
  await upgrade.world.pass(2 * 24 * 60);
  expect(writes.length).toBeGreaterThan(0);
  expect(writes.length).toBeLessThanOrEqual(2);
});
