/** Secrets that an older version encrypted for no purpose are encrypted again, one by one. */
import { expect, it } from 'vitest';
import type { WorkItem, WorkKey } from '../machinery/controller/work-item.ts';
import { collectorName, encryptedTypes } from '../machinery/gc/requests.ts';
import { storedFormat, unrecordedFormat } from '../machinery/store/format.ts';
import { objectKey } from '../machinery/store/items.ts';
import { composeFoundation } from '../runtime/foundation.ts';
import { housekeepingOf } from '../runtime/sweep.ts';
import { damage } from '../test/damage.ts';
import { createSweeping } from './runtime/sweeping.ts';
import { recordedSwitches } from './switches.fixture.ts';
import { createWorld } from './world.fixture.ts';

const names = ['c-ca', 'c-kubeconfig', 'worker', 'mine', 'broken'];
const data: Record<string, string> = { 'tls.key': 'a2V5', value: 'dmFsdWU=' };
const at = (name: string) => ({ namespace: 'default', name });

/** An installation with Secrets of format 1, of which one is damaged. */
const createFormer = async () => {
  const world = createWorld();
  const ofFormat = (format: number) => composeFoundation({ ...world.foundation, format: async () => format });
  const { store } = ofFormat(unrecordedFormat);
  for (const name of names)
    await store.commit('secrets', at(name), () => ({
      do: 'put',
      object: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          ...at(name),
          uid: `uid-of-${name}`,
          labels: { kept: 'yes' },
          ...(name === 'worker' && {
            ownerReferences: [{ apiVersion: 'example.com/v1', kind: 'KubeadmConfig', name: 'worker', uid: 'u' }],
          }),
        },
        type: 'Opaque',
        data,
      },
    }));
  await damage(world.foundation.objects, 'secrets', at('broken'));
  const purposes = async () => {
    const items = names.map((name) =>
      world.foundation.objects.get(objectKey('secrets', at(name)), { consistent: true }),
    );
    return (await Promise.all(items)).map((item) => {
      const body = Buffer.from(item!.body as Uint8Array);
      return body[0] === 2 ? body.subarray(2, 2 + body[1]!).toString() : 'none';
    });
  };
  /** Runs a resync in a new process, and then the passes that it and they request. */
  const resync = async (format: number) => {
    await world.clock.advance(3_600_000);
    const process = ofFormat(format);
    const collector = housekeepingOf(process).runners[collectorName]!;
    const asked: string[] = [];
    const failed: string[] = [];
    world.sent.length = 0;
    await createSweeping(process, recordedSwitches([])).resync();
    for (let next = world.sent.shift(); next; next = world.sent.shift()) {
      const key = next.key as WorkKey;
      if (key.controller !== collectorName) continue;
      if (key.type !== encryptedTypes) asked.push(key.name);
      await collector.run(key, {} as WorkItem).catch(() => failed.push(key.name));
    }
    return { asked, failed };
  };
  return { ...world, ofFormat, purposes, resync };
};

it('for the purpose of each, while the one that is damaged stays as it is and is named', async () => {
  const { foundation, lines, purposes, resync } = await createFormer();
  const states = () => Promise.all(names.slice(0, 4).map((name) => foundation.store.get('secrets', at(name))));
  const before = await states();
  expect(await purposes()).toEqual(['none', 'none', 'none', 'none', 'none']);

  expect(await resync(storedFormat)).toEqual({ asked: ['c-ca', 'c-kubeconfig', 'mine', 'worker'], failed: [] });
  expect(await purposes()).toEqual(['authorities', 'access', 'bootstrap', 'others', 'none']);
  const withoutVersion = (all: Awaited<ReturnType<typeof states>>) =>
    all.map((one) => ({ ...one, metadata: { ...one!.metadata, resourceVersion: '' } }));
  expect(withoutVersion(await states())).toEqual(withoutVersion(before));
  expect(lines.filter((line) => line.includes('secrets default/broken'))).toHaveLength(1);

  // Once it is done, a resync leaves it at that.
  const settled = await resync(storedFormat);
  expect(settled).toEqual({ asked: ['worker'], failed: [] });
});

it('not while functions run that read only the former format', async () => {
  const { purposes, resync } = await createFormer();
  await resync(unrecordedFormat);
  expect(await purposes()).toEqual(['none', 'none', 'none', 'none', 'none']);
});

it('with the next write, before a resync finds them', async () => {
  const { ofFormat, purposes } = await createFormer();
  await ofFormat(storedFormat).store.commit('secrets', at('mine'), (current) => ({
    do: 'put',
    object: { ...current!, metadata: { ...current!.metadata, labels: { kept: 'still' } } },
  }));
  expect(await purposes()).toEqual(['none', 'none', 'none', 'others', 'none']);
});
