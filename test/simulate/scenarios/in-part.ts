/** A creation of which only a part has come about when its time is over: its policy says what becomes of that part. */
import type { ClusterOperation } from '../../../kinds/cluster-operation/index.ts';
import type { Machine } from '../../../kinds/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { Violation } from '../invariants/invariant.ts';
import { deleteAndCreateAgain } from './deletions.ts';
import { full } from './disaster.ts';
import { manifestOf } from './manifest.ts';
import { controlPlanesOf, type Scene } from './scene.ts';

const minute = 60_000;
const hour = 60 * minute;
const rule = 'ends in part';

/** How the attempts to create it have ended so far. */
const endsOf = ({ world, wish }: Scene): string[] =>
  world.mirror
    .all<ClusterOperation>('ClusterOperation')
    .filter(({ metadata, spec }) => metadata.namespace === 'default' && spec?.clusterName === wish.name)
    .flatMap(({ spec, status }) => (spec?.type === 'create' ? (status?.phase ?? []) : []));

const made = ['Machine', 'AWSMachine', 'KubeadmConfig', 'MachineSet'] as const;

/** Of what controllers make for it, nothing is left; what its users wrote is, as they wrote it. */
const expectTornDown = (scene: Scene) => {
  const { world, wish } = scene;
  const isIts = ({ metadata: { labels = {}, namespace } }: KubeObject) =>
    namespace === 'default' && labels['cluster.x-k8s.io/cluster-name'] === wish.name;
  for (const kind of made) {
    const left = world.mirror.all(kind).filter(isIts);
    if (left.length > 0) throw new Violation(rule, `${kind} ${left[0]!.metadata.name} is left of ${wish.name}`);
  }
  for (const { kind, metadata } of manifestOf(wish))
    if (!world.mirror.get(kind, 'default', metadata.name))
      throw new Violation(rule, `${kind} ${metadata.name}, which its users wrote, is gone with ${wish.name}`);
};

/** Nothing of it ends, and nothing is added. */
const expectKept = (scene: Scene, before: readonly Machine[]) => {
  const uids = (machines: readonly Machine[]) =>
    machines
      .map(({ metadata }) => metadata.uid)
      .sort()
      .join();
  const after = controlPlanesOf(scene);
  if (uids(before) !== uids(after) || after.some(({ metadata }) => metadata.deletionTimestamp))
    throw new Violation(rule, `${scene.wish.name} is held, and its control plane changes`);
};

export const createInPart = async (scene: Scene) => {
  const { client, clock, draw, life, settled, wish, world } = scene;
  await settled(60);
  if (!life.wish) return;
  const { faults } = world.account;
  wish.workers = Math.max(1, wish.workers);
  // Control planes are of another type: all but the workers comes about.
  wish.instanceType = 'm5.large';
  wish.onFailure = draw.pick(['TearDown', 'TearDown', 'Hold']);
  const { id } = faults.add({ action: 'RunInstances', code: full, type: wish.instanceType });
  await deleteAndCreateAgain(scene);
  const patch = (annotations: object) => client.patch('Cluster', wish.name, { metadata: { annotations } });
  await patch({ 'capstan.dev/create-deadline': `${draw.whole(5, 25)}m` });
  const end = clock.now() + 4 * hour;
  const hasEnded = () => endsOf(scene).some((phase) => phase === 'TornDown' || phase === 'Held');
  while (!hasEnded() && clock.now() < end) await sleep(clock, minute);
  const isTornDown = endsOf(scene).at(-1) === 'TornDown';
  // Whoever stood still may make something late.
  if (isTornDown && !world.isHeldUp) expectTornDown(scene);
  const kept = controlPlanesOf(scene);
  await sleep(clock, draw.spread(minute, 2 * hour));
  if (!isTornDown && hasEnded() && !world.isDisturbed) expectKept(scene, kept);
  faults.clear(id);
  await patch({ 'capstan.dev/create-deadline': '2h', 'capstan.dev/retry': 'there is room' });
};
