/** API servers report to the installation, which acts on a report at once and polls rarely. */
import { afterEach, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { PodObject } from '../../simulation/workload/objects.ts';
import { isSettled } from './checks.ts';
import { example } from './manifests.ts';
import { createWorld, type Moment, type World } from './world.ts';

const cluster = 'quickstart';
const pool = 'burst';
const timeoutSeconds = 120;

const healthCheck: KubeObject = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  metadata: { name: 'check', namespace: 'default' },
  spec: {
    clusterName: cluster,
    selector: { matchExpressions: [{ key: 'cluster.x-k8s.io/control-plane', operator: 'DoesNotExist' }] },
    checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds }] },
  },
};
/** As the workers of the quickstart, without replicas of its own. */
const poolLike = ({ apiVersion, kind, spec }: KubeObject): KubeObject => {
  const { replicas: _, template, ...more } = spec as { replicas?: number; template: object; selector: object };
  return {
    apiVersion,
    kind,
    metadata: {
      name: pool,
      namespace: 'default',
      annotations: { 'capstan.dev/autoscale-min': '0', 'capstan.dev/autoscale-max': '5' },
    },
    spec: { ...more, selector: {}, template: { spec: (template as { spec: object }).spec } },
  };
};

let settled: Moment;
let world: World;
beforeAll(async () => {
  world = await createWorld({ reports: true });
  const objects = example('quickstart.yaml');
  const workers = objects.find(({ kind }) => kind === 'MachineDeployment')!;
  for (const object of [healthCheck, ...objects, poolLike(workers)]) {
    const { code, body } = await world.apply(object);
    expect(code, body.message).toBe(201);
  }
  await world.until('settled', () => isSettled(world), 30);
  await world.pass(30);
  settled = world.moment();
}, 120_000);
afterEach(() => world.end());

const open = async () => {
  world = await createWorld({ from: settled, reports: true, seed: 5 });
};
const guest = () => world.system.guests.clusters.all()[0]!;
const passesOf = (controller: string): number =>
  Object.entries(world.passes)
    .filter(([key]) => key.startsWith(`k#${controller}#`))
    .reduce((sum, [, count]) => sum + count, 0);

it('the API server of the first host has the webhook, and the prober rests for five minutes', async () => {
  await open();
  const [apiServer] = (await world.wait(guest().list<PodObject>('pods'))).filter(
    ({ metadata }) => metadata.labels?.component === 'kube-apiserver',
  );
  const command = (apiServer!.spec as unknown as { containers: { command: string[] }[] }).containers[0]!.command;
  expect(command).toContainEqual(expect.stringMatching(/^--audit-webhook-config-file=.*\/webhook\.json$/));
  await world.pass(10);
  const before = passesOf('workload-prober');
  await world.pass(60);
  expect(passesOf('workload-prober') - before).toBeLessThanOrEqual(13);
});

it('a worker whose host fails is found unhealthy once its Node was lost for the timeout', async () => {
  await open();
  const machine = world
    .all('Machine')
    .find(({ metadata }) => !('cluster.x-k8s.io/control-plane' in (metadata.labels ?? {})))!;
  const instance = world.all('AWSMachine').find(({ metadata }) => metadata.name === machine.metadata.name)!.spec!
    .instanceID!;
  // In the middle of a rest of the prober.
  await world.pass(7);
  world.system.account.halt(instance);
  const isLost = () =>
    guest()
      .seen('nodes')
      .some(
        ({ metadata, status }) =>
          metadata.name === machine.status?.nodeRef?.name &&
          (status as { conditions: { type: string; status: string }[] }).conditions.some(
            (one) => one.type === 'Ready' && one.status === 'Unknown',
          ),
      );
  await world.until('the Node is lost', isLost, 5);
  const lostAt = world.now();
  const health = () => world.condition('Machine', machine.metadata.name, 'HealthCheckSucceeded');
  await world.until('the Machine is unhealthy', () => health()?.status === 'False', 10);
  const seconds = (world.now() - lostAt) / 1000;
  expect(seconds).toBeGreaterThanOrEqual(timeoutSeconds - 1);
  expect(seconds).toBeLessThanOrEqual(timeoutSeconds + 10);
  await world.until('it is replaced', () => world.find('Machine', machine.metadata.name) === undefined, 30);
});

/** Pods of which one fills a worker. */
const workload = (name: string, replicas: number, cpu = '1500m'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'default', name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: `${name}:1`, resources: { requests: { cpu, memory: '1Gi' } } }] },
    },
  },
});
const run = async (replicas: number, name = 'web', cpu?: string) => {
  const stored = await world.wait(guest().get('deployments.apps', 'default', name));
  const wanted = workload(name, replicas, cpu);
  await world.wait(stored ? guest().put([{ ...stored, spec: wanted.spec }]) : guest().create(wanted));
};
const isMarked = () =>
  guest()
    .seen<PodObject>('pods')
    .some(({ status }) => status?.conditions?.some(({ reason }) => reason === 'Unschedulable'));
const launches = () => (world.calls(true).RunInstances ?? 0) + (world.calls(true).CreateFleet ?? 0);
const replicas = () => world.find('MachineDeployment', pool)?.spec?.replicas;
const nodesOf = () =>
  world.all('Machine').filter(({ metadata, status }) => metadata.name.startsWith(pool) && status?.nodeRef);
/** Without API servers that report, the autoscaler decides four times a minute. */
const decisionsIn = async (minutes: number): Promise<number> => {
  const before = passesOf('autoscaler');
  await world.pass(minutes);
  return passesOf('autoscaler') - before;
};

it('the autoscaler of an idle cluster decides every five minutes', async () => {
  await open();
  await world.pass(10);
  expect(await decisionsIn(60)).toBeLessThanOrEqual(13);
});

it('the autoscaler polls again once the token of the reports is gone', async () => {
  await open();
  await world.pass(10);
  await world.remove('Secret', `${cluster}-audit-webhook`);
  expect(await decisionsIn(10)).toBeGreaterThanOrEqual(18);
});

it('a node is removed ten minutes after its last Pod ended, which the autoscaler learns by a report', async () => {
  await open();
  await world.pass(10);
  await run(4);
  await world.until('nodes', () => nodesOf().length === 2, 15);
  await world.pass(20);
  expect(await decisionsIn(20), 'a cluster whose nodes are used').toBeLessThanOrEqual(5);
  await run(0);
  const isEmpty = () =>
    guest()
      .seen<PodObject>('pods')
      .every(({ metadata }) => !metadata.name.startsWith('web'));
  await world.until('ended', isEmpty, 2);
  const endedAt = world.now();
  await world.until('removed', () => replicas() === 0, 15);
  expect((world.now() - endedAt) / 1000).toBeLessThanOrEqual(600 + 30);
});

it('two hundred Pods of a burst of eight seconds take two decisions, and at most one node too many', async () => {
  await open();
  const annotations = { 'capstan.dev/autoscale-max': '60' };
  await world.patch('MachineDeployment', pool, { metadata: { annotations } });
  await world.pass(10);
  const sizes: number[] = [];
  world.onCommit(({ type, name, object }) => {
    const { replicas: count = 0 } = (object?.spec ?? {}) as { replicas?: number };
    if (type.startsWith('machinedeployments.') && name === `default/${pool}` && count !== (sizes.at(-1) ?? 0))
      sizes.push(count);
  });
  const began = world.now();
  for (let second = 0; second <= 8; second++) {
    await run(second === 8 ? 200 : 10 + second * 24, 'web', '450m');
    await world.pass(1 / 60);
  }
  await world.until('marked', () => (world.find('ScalingPlan', cluster)?.status?.pending ?? 0) > 150, 1);
  expect((world.now() - began) / 1000).toBeLessThanOrEqual(12);
  await world.pass(1);
  expect(sizes.length, String(sizes)).toBeLessThanOrEqual(2);
  const placed = () =>
    guest()
      .seen<PodObject>('pods')
      .filter(({ metadata, spec }) => metadata.name.startsWith('web') && spec?.nodeName);
  await world.until('placed', () => placed().length === 200, 30);
  const used = new Set(placed().map(({ spec }) => spec!.nodeName));
  const empty = nodesOf().filter(({ status }) => !used.has(status!.nodeRef!.name));
  expect(empty.length).toBeLessThanOrEqual(1);
}, 120_000);

// At several moments of the period in which the autoscaler would poll.
it.each([
  420, 424, 428, 432,
])('instances for Pods that are pending after %d s are launched within three seconds', async (seconds) => {
  await open();
  await world.pass(seconds / 60);
  const before = launches();
  await run(4);
  await world.until('marked', isMarked, 1);
  const markedAt = world.now();
  await world.until('launched', () => launches() > before, 2);
  expect((world.now() - markedAt) / 1000).toBeLessThanOrEqual(3);
});
