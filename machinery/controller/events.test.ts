import { describe, expect, it } from 'vitest';
import { event, make, shelf, widget } from '../../test/loop/kinds.ts';
import { createWorld } from '../../test/loop/world.ts';
import type { KubeObject } from '../api/object.ts';
import { defineController } from '../api/reconcile.ts';

/** A controller that records the same Event in each pass, `requeueAfter` seconds apart. */
const ticking = (kind: string, requeueAfter?: number) =>
  defineController<KubeObject, object>({
    name: 'ticking',
    for: kind,
    worker: 'core',
    watches: [],
    conditions: 'none',
    observe: () => ({}),
    reconcile: () => ({
      events: [{ type: 'Normal', reason: 'Tick', message: 'tick' }],
      ...(requeueAfter !== undefined && { requeueAfter }),
    }),
  });
const worldOf = async (controller: ReturnType<typeof ticking>) => {
  const world = await createWorld({ controllers: [controller] });
  return { world, events: async () => (await world.store.list('events', { namespace: 'default' })).objects };
};

describe('an Event', () => {
  it('is counted at most once a minute instead of being written again, even if its object changed', async () => {
    const { world, events } = await worldOf(ticking('Widget', 40));
    await world.create(make(widget, 'a'));
    await world.seconds(50);
    await world.update(widget, 'a', (object) => ({ ...object, spec: { size: 2 } }));
    await world.seconds(50);
    const [first, ...others] = await events();
    expect(first).toMatchObject({ kind: event.kind, count: 2, reason: 'Tick' });
    expect(first!.metadata.name).toMatch(/^a\.[0-9a-f]{16}$/);
    expect(others).toEqual([]);
  });

  it('is counted every five minutes when it persists', async () => {
    const { world, events } = await worldOf(ticking('Widget', 15));
    await world.create(make(widget, 'a'));
    await world.seconds(24 * 60 + 5);
    expect(await events()).toMatchObject([{ count: 25 }]);
    await world.seconds(4 * 60);
    expect(await events()).toMatchObject([{ count: 25 }]);
    await world.seconds(60);
    expect(await events()).toMatchObject([{ count: 26 }]);
  });

  it('for an object without a namespace goes to the default namespace', async () => {
    const { world, events } = await worldOf(ticking('Shelf'));
    await world.create(make(shelf, 'a'));
    await world.seconds(1);
    const [first] = await events();
    expect(first).toMatchObject({ reason: 'Tick', involvedObject: { kind: 'Shelf', name: 'a' } });
    expect(first).not.toHaveProperty('involvedObject.namespace');
  });
});
