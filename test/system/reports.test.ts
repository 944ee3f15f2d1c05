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
  world.system.account.terminate(instance);
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

// At several moments of the period in which the autoscaler would poll.
it.each([
  420, 424, 428, 432,
])('instances for Pods that are pending after %d s are launched within three seconds', async (seconds) => {
  await open();
  await world.pass(seconds / 60);
  const launches = () => (world.calls(true).RunInstances ?? 0) + (world.calls(true).CreateFleet ?? 0);
  const before = launches();
  await world.wait(
    guest().create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'default', name: 'web' },
      spec: {
        replicas: 4,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '1500m', memory: '1Gi' } } }],
          },
        },
      },
    } as KubeObject),
  );
  const isMarked = () =>
    guest()
      .seen<PodObject>('pods')
      .some(({ status }) => status?.conditions?.some(({ reason }) => reason === 'Unschedulable'));
  await world.until('marked', isMarked, 1);
  const markedAt = world.now();
  await world.until('launched', () => launches() > before, 2);
  expect((world.now() - markedAt) / 1000).toBeLessThanOrEqual(3);
});
