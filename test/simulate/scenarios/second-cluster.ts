/**
 * A second cluster exists for a while: in the same network or its own, sometimes with the same
 * name, sometimes invalid at first.
 */
import type { Condition, KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { Violation } from '../invariants/rule.ts';
import type { ScenarioContext } from './context.ts';
import { type DesiredCluster, manifestOf } from './manifest.ts';

const minute = 60_000;
const timeout = 24 * 60 * minute;
const elsewhere = 'elsewhere';
const unknown = 'x9.imagined';

export const createSecondCluster = async ({ client, clock, draw, desired, world, tell }: ScenarioContext) => {
  const { mirror } = world;
  const namespace = draw.chance(0.45) ? elsewhere : 'default';
  const name = namespace === elsewhere && draw.chance(0.7) ? desired.name : `${desired.name}-beside`;
  const other: DesiredCluster = {
    ...desired,
    name,
    controlPlanes: 1,
    workers: draw.whole(0, 1),
    workerVersion: desired.version,
    instanceType: draw.chance(0.4) ? unknown : 't3.large',
    onFailure: draw.pick(['TearDown', 'Hold', 'Retry']),
    paused: false,
    // Additional settings and provided certificates are for the first cluster only.
    infrastructure: undefined,
    providedAuthorities: undefined,
  };
  const apply = async () => {
    for (const object of manifestOf(other))
      await client.apply({ ...object, metadata: { ...object.metadata, namespace } });
  };
  const found = () => mirror.get<KubeObject>('Cluster', namespace, name);
  const isAvailable = () =>
    (found()?.status as { conditions?: Condition[] } | undefined)?.conditions?.some(
      ({ type, status }) => type === 'Available' && status === 'True',
    ) ?? false;
  const waitFor = async (what: string, isSo: () => boolean, ms: number, must: boolean) => {
    const until = clock.now() + ms;
    while (!isSo()) {
      if (clock.now() > until && !must) return;
      if (clock.now() > until) throw new Violation('converges', `timed out: ${what}`);
      await sleep(clock, 20_000);
    }
  };

  if (namespace === elsewhere)
    await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere } });
  await apply();
  await waitFor(`that ${name} is Available`, isAvailable, draw.spread(minute, 60 * minute), false);
  if (other.instanceType === unknown && draw.chance(0.6)) {
    tell(`repair ${name}`);
    other.instanceType = 't3.large';
    await apply();
    const annotations = { 'capstan.dev/retry': 'repaired' };
    const path = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/clusters/${name}`;
    await client.request('PATCH', path, { metadata: { annotations } });
    await waitFor(`that ${name} is Available`, isAvailable, draw.spread(minute, 90 * minute), false);
  }
  if (draw.chance(0.4)) {
    tell(`scale ${name}`);
    other.workers = draw.whole(0, 2);
    await apply();
    await sleep(clock, draw.spread(1000, 20 * minute));
  }
  tell(`delete ${name}`);
  if (namespace === elsewhere) await client.request('DELETE', `/api/v1/namespaces/${elsewhere}`);
  else await client.remove('Cluster', name);
  const isGone = () => !found() && (namespace === 'default' || !mirror.get('Namespace', '', elsewhere));
  await waitFor(`the end of ${name}`, isGone, timeout, true);
};
