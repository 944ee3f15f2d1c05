/** One object has the paused annotation, with any value. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineSet } from '../../../../kinds/core/machine-set/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { controlled, hostOf, isGoing, verdictOf } from '../../invariants/relations.ts';
import { Violation } from '../../invariants/rule.ts';
import { controlPlane, controlPlanesOf, deployment, type Scene, workersOf } from '../context.ts';

const minute = 60_000;
const annotation = 'cluster.x-k8s.io/paused';
/** Passes that began before the pause end in this time, unless a worker freezes. */
const underWay = 4 * minute;

interface Part {
  kind: string;
  /** The object to pause; undefined when there is none. */
  find: (scene: Scene) => KubeObject | undefined;
  /** Requests a change that the object's controller would have to make. */
  ask: (scene: Scene, part: KubeObject) => Promise<unknown>;
  /** Measures what that controller changes. */
  measure: (scene: Scene, part: KubeObject) => unknown;
}

const setsOf = ({ world }: Scene, owner: KubeObject) => controlled<MachineSet>(world.mirror, 'MachineSet', owner);
const moreWorkers = (scene: Scene) => {
  scene.wish.workers += 1;
  return scene.client.scale('MachineDeployment', deployment(scene), scene.wish.workers);
};
const aWorker = (scene: Scene): Machine | undefined => workersOf(scene).find((one) => !isGoing(one));
const remove = ({ client }: Scene, { metadata }: KubeObject) => client.remove('Machine', metadata.name);

const parts: readonly Part[] = [
  {
    kind: 'MachineDeployment',
    find: (scene) => scene.world.mirror.get('MachineDeployment', 'default', deployment(scene)),
    ask: moreWorkers,
    measure: (scene, part) => setsOf(scene, part).map(({ spec }) => spec?.replicas),
  },
  {
    kind: 'MachineSet',
    find: (scene) => {
      const owner = scene.world.mirror.get('MachineDeployment', 'default', deployment(scene));
      return owner && setsOf(scene, owner).find(({ spec }) => (spec?.replicas ?? 0) > 0);
    },
    ask: moreWorkers,
    measure: ({ world }, part) => controlled(world.mirror, 'Machine', part).length,
  },
  {
    kind: 'KubeadmControlPlane',
    find: (scene) => scene.world.mirror.get('KubeadmControlPlane', 'default', controlPlane(scene)),
    ask: (scene) => {
      scene.wish.controlPlanes = scene.wish.controlPlanes === 1 ? 3 : scene.wish.controlPlanes;
      return scene.client.scale('KubeadmControlPlane', controlPlane(scene), scene.wish.controlPlanes);
    },
    measure: (scene) => controlPlanesOf(scene).length,
  },
  {
    kind: 'Machine',
    find: aWorker,
    ask: remove,
    measure: (scene, part) => {
      const host = hostOf(scene.world.mirror, part as Machine);
      return host && !isGoing(host);
    },
  },
  {
    kind: 'AWSMachine',
    find: (scene) => {
      const worker = aWorker(scene);
      return worker && hostOf(scene.world.mirror, worker);
    },
    ask: (scene, { metadata }) => {
      const of = workersOf(scene).find(({ spec }) => spec?.infrastructureRef?.name === metadata.name);
      return of ? remove(scene, of) : Promise.resolve();
    },
    measure: ({ world }, part) => {
      const { instanceID } = (part.spec ?? {}) as { instanceID?: string };
      return world.account.list().find(({ id }) => id === instanceID)?.state;
    },
  },
];

export const pauseObject = async (scene: Scene) => {
  const { client, clock, draw, settled, world } = scene;
  await settled(60);
  const part = draw.pick(parts);
  const found = part.find(scene);
  if (!found) return;
  const { kind } = part;
  const { name, uid } = found.metadata;
  const mark = (value: string | null) =>
    client.patch(kind, name, { metadata: { annotations: { [annotation]: value } } });
  const { code } = await mark(draw.pick(['', 'true', 'false']));
  if (code !== 200) return;
  await sleep(clock, underWay);
  const before = world.mirror.get(kind, 'default', name);
  if (before?.metadata.uid !== uid) return;
  const measured = JSON.stringify(part.measure(scene, before!));
  await part.ask(scene, before!);
  const until = clock.now() + draw.spread(2 * minute, 30 * minute);
  while (clock.now() < until) {
    await sleep(clock, 20_000);
    const now = world.mirror.get(kind, 'default', name);
    const is = now ? JSON.stringify(part.measure(scene, now)) : 'gone';
    // A frozen worker, or one that takes over from a crashed one, acts on the former state.
    if (is !== measured && !world.isReplaced)
      throw new Violation('pauses', `${kind} ${name} is paused, but has ${is} instead of ${measured}`);
    // The infrastructure provider's kinds have no Paused condition.
    const saysSo = !now || kind.startsWith('AWS') || verdictOf(now, 'Paused') === 'True';
    if (!saysSo && !world.isDisturbed)
      throw new Violation('pauses', `${kind} ${name} is paused, but has no condition Paused`);
  }
  await mark(null);
};
