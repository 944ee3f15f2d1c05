/** Taints that workers are to have, for good or only to begin with. */
import type { KubeObject } from '../../../machinery/api/object.ts';
import { sleep } from '../../../machinery/ports.ts';
import { Violation } from '../invariants/invariant.ts';
import { deployment, type Scene } from './scene.ts';
import { changeInPlace, staying } from './wishes.ts';
import { within } from './within.ts';

const minute = 60_000;

type Taint = { key: string; value?: string; effect: string };

/** A Node's users may take off what it has only to begin with: it does not come back. They put it on again themselves. */
const takeTaintOff = async (scene: Scene, key: string) => {
  const { clock, draw, world } = scene;
  const taintsOf = async (name: string) => {
    for (const cluster of world.guests.clusters.all())
      for (const { metadata, spec } of await cluster.list<KubeObject<{ taints?: Taint[] }>>('nodes'))
        if (metadata.name === name) return spec?.taints ?? [];
    return [];
  };
  const isTainted = async (name: string) => (await taintsOf(name)).some((one) => one.key === key);
  for (const { metadata, status } of staying(scene)) {
    const name = status?.nodeRef?.name ?? '';
    const taint = (await taintsOf(name)).find((one) => one.key === key);
    if (!taint) continue;
    const write = (taints: Taint[]) =>
      // A Node that is gone has none.
      within(scene, 'patch', { apiVersion: 'v1', kind: 'Node', name, patch: { spec: { taints } } }).catch(() => {});
    await write((await taintsOf(name)).filter((one) => one.key !== key));
    if (await isTainted(name)) return;
    await sleep(clock, draw.spread(minute, 20 * minute));
    if (await isTainted(name))
      throw new Violation('taints', `${key}, which somebody took off, is on the node of ${metadata.name} again`);
    return write([...(await taintsOf(name)), taint]);
  }
};

export const taintWorkers = async (scene: Scene) => {
  const { client, draw, settled, wish } = scene;
  const taint = { key: 'example.com/only', value: draw.pick(['one', 'other']), effect: 'PreferNoSchedule' };
  const propagation = draw.pick(['Always', 'OnInitialization']);
  await changeInPlace(scene, { spec: { taints: draw.chance(0.7) ? [{ ...taint, propagation }] : null } });
  // Of those that come later each has it from the beginning.
  if (propagation === 'Always') return;
  wish.workers += 1;
  await client.scale('MachineDeployment', deployment(scene), wish.workers);
  await settled(60);
  await takeTaintOff(scene, taint.key);
};
