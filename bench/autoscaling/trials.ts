/** More and more pods in both clusters, and how long each autoscaler takes. */
import type { PodObject } from '../../simulation/workload/objects.ts';
import { json, min, poolOf, type Side, sleep, until } from './sides.ts';

const second = 1000;
const minute = 60 * second;
const app = 'trial';

/** Milliseconds since the first pod was marked Unschedulable, and the nodes that were bought. */
export interface Sample {
  scaled: number;
  launched: number;
  placed: number;
  nodes: number;
}

const workload = (replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: app },
  spec: {
    replicas,
    selector: { matchLabels: { app } },
    template: {
      metadata: { labels: { app } },
      spec: { containers: [{ name: 'main', image: 'busybox', resources: { requests: { cpu: '1500m' } } }] },
    },
  },
});
const deployments = '/apis/apps/v1/namespaces/default/deployments';

const run = async ({ workload: client }: Side, replicas: number): Promise<void> => {
  const { status } = await client.send('GET', `${deployments}/${app}`, { also: [404] });
  if (status === 404) await client.send('POST', deployments, { body: JSON.stringify(workload(replicas)) });
  else
    await client.send('PATCH', `${deployments}/${app}`, {
      body: JSON.stringify({ spec: { replicas } }),
      contentType: 'application/merge-patch+json',
    });
};

const podsOf = async ({ workload: client }: Side): Promise<PodObject[]> =>
  (await json<{ items: PodObject[] }>(client, `/api/v1/namespaces/default/pods?labelSelector=app%3D${app}`)).items;
const replicasOf = async (side: Side): Promise<number> => {
  const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machinedeployments/${poolOf(side)}`;
  return (await json<{ spec: { replicas: number } }>(side.management, path)).spec.replicas;
};
const instancesOf = async ({ cluster, management }: Side): Promise<number> => {
  const path = '/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/default/awsmachines';
  const { items } = await json<{ items: { metadata: { name: string }; spec: { providerID?: string } }[] }>(
    management,
    path,
  );
  return items.filter(({ metadata, spec }) => metadata.name.startsWith(`${cluster}-`) && spec.providerID).length;
};

const isPending = ({ spec, status }: PodObject): boolean =>
  spec?.nodeName === undefined &&
  (status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable') ?? false);

const trial = async (side: Side, pods: number): Promise<Sample> => {
  const [replicas, instances] = [await replicasOf(side), await instancesOf(side)];
  await run(side, pods);
  await until('pods are unschedulable', async () => (await podsOf(side)).some(isPending), minute);
  const began = performance.now();
  const since = () => performance.now() - began;
  await until('replicas', async () => (await replicasOf(side)) > replicas, 5 * minute);
  const scaled = since();
  await until('an instance', async () => (await instancesOf(side)) > instances, 5 * minute);
  const launched = since();
  const isPlaced = async () => {
    const all = await podsOf(side);
    return all.length === pods && all.every(({ spec }) => spec?.nodeName !== undefined);
  };
  await until('all pods are placed', isPlaced, 10 * minute);
  return { scaled, launched, placed: since(), nodes: (await replicasOf(side)) - replicas };
};

export const runTrials = async (sides: readonly Side[], trials: number, pods: number) => {
  const results: Record<string, Sample[]> = Object.fromEntries(sides.map(({ name }) => [name, []]));
  /** The nodes that exist take the first pods. */
  const first = await replicasOf(sides[0]!);
  for (let count = 1; count <= trials; count++) {
    const samples = await Promise.all(sides.map((side) => trial(side, first + count * pods)));
    for (const [at, { name }] of sides.entries()) results[name]!.push(samples[at]!);
    // Neither autoscaler looks at the same phase of its period each time.
    await sleep(20 * second + ((count * 7) % 15) * second);
  }
  return results;
};

/** Milliseconds from the end of all pods until both pools have their minimum. */
export const scaledDown = async (sides: readonly Side[]): Promise<Record<string, number>> => {
  await Promise.all(sides.map((side) => run(side, 0)));
  const began = performance.now();
  const taken = sides.map(async (side) => {
    await until(`${side.name} removes nodes`, async () => (await replicasOf(side)) <= min, 60 * minute);
    return [side.name, performance.now() - began] as const;
  });
  return Object.fromEntries(await Promise.all(taken));
};
