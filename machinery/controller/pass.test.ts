import { describe, expect, it } from 'vitest';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { cluster, make, ownedBy, part, toyKinds, widget } from '../../test/loop/kinds.ts';
import { createWorld } from '../../test/loop/world.ts';
import type { KindDefinition } from '../api/kind.ts';
import type { Condition, JsonObject, KubeObject } from '../api/object.ts';
import { type Action, type AnyPlan, type Context, defineController, found, type Read } from '../api/reconcile.ts';
import { createAwaits } from '../operations/awaits.ts';
import { sleep } from '../ports.ts';

type Widget = KubeObject<
  { size?: number; cluster?: string; name?: string },
  { size?: number; conditions?: Condition[] }
>;

interface Observed {
  widget: Widget;
  parts: Read<KubeObject[]>;
}
const finalizer = 'toys.example/widget';
const drafts = (...conditions: [string, 'True' | 'False', string][]) =>
  conditions.map(([type, status, reason]) => ({ type, status, reason }));

/** A controller that decides as the test says and counts its passes. */
const toy = (
  decide: (observed: Observed, context: Context) => AnyPlan,
  conditions: 'v1beta2' | 'v1beta1' = 'v1beta2',
) =>
  defineController<Widget, Observed>({
    name: 'widget',
    for: 'Widget',
    worker: 'core',
    watches: [],
    finalizer,
    clusterOf: (object) => object.spec?.cluster,
    conditions,
    observe: (object, read) => ({ widget: object, parts: read.list('Part', { owner: object.metadata.uid! }) }),
    reconcile: decide,
  });

const statusOf = async (world: Awaited<ReturnType<typeof createWorld>>) =>
  ((await world.get<Widget>(widget, 'a'))?.status ?? {}) as { size?: number; observedGeneration?: number } & {
    conditions: Condition[];
  };
const conditionOf = async (world: Awaited<ReturnType<typeof createWorld>>, type: string) =>
  (await statusOf(world)).conditions?.find((c) => c.type === type);

describe('a pass', () => {
  it('leaves an object of another program as it is', async () => {
    const controller = { ...toy(() => ({ status: { size: 1 }, finished: true })), isForeign: () => true };
    const world = await createWorld({ controllers: [controller] });
    const made = await world.create(make(widget, 'a'));
    await world.seconds(30);
    expect(await world.get(widget, 'a')).toEqual(made);
    expect(world.passes.map(({ ended }) => ended)).toEqual(['finished']);
  });

  it('lets other work run between the steps of its decisions, also of those that follow', async () => {
    let pauses = 0;
    const world = await createWorld({
      pause: async () => {
        pauses++;
      },
      controllers: [
        {
          ...toy(() => ({})),
          *reconcileInSteps({ widget: object }: Observed) {
            for (let step = 0; step < 3; step++) yield;
            return { status: { size: object.spec?.size ?? 0 } };
          },
        },
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(30);
    pauses = 0;
    await world.update(widget, 'a', (object) => ({ ...object, spec: { size: 2 } }));
    await world.seconds(30);
    expect([world.passes.length, pauses, (await statusOf(world)).size]).toEqual([2, 2 * 3, 2]);
  });

  it.each([
    { rule: 'does not run again when its new status leads to the same decision', grows: 0, passes: 1 },
    { rule: 'converges on its own status before it writes', grows: 3, passes: 1 },
    { rule: 'runs again when its new status still leads to another decision', grows: 16, passes: 3 },
  ])('$rule', async ({ grows, passes }) => {
    const world = await createWorld({
      controllers: [
        toy(({ widget: { status } }) => {
          const size = status?.size ?? 0;
          return { status: { size: Math.min(size + 1, grows) } };
        }),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(30);
    expect((await statusOf(world)).size).toBe(grows);
    expect(world.passes.length).toBe(passes);
  });

  it.each([
    {
      rule: 'stores the finalizer and the intent before the first effect, and the status after it',
      actions: [{ do: 'call', port: 'cloud', operation: 'Build', input: {} }] satisfies AnyPlan['actions'],
      levels: ['count', 'count'],
      built: [{ finalizers: [finalizer], size: 5, status: undefined }],
    },
    {
      rule: 'stores the finalizer, the intent and the status in one write without an effect',
      actions: [],
      levels: ['count'],
      built: [],
    },
  ])('$rule', async ({ actions, levels, built }) => {
    const found: object[] = [];
    const world = await createWorld({
      ports: {
        cloud: {
          call: async () => {
            const { metadata, spec, status } = (await world.get<Widget>(widget, 'a'))!;
            found.push({ finalizers: metadata.finalizers, size: spec?.size, status });
          },
        },
      },
      controllers: [
        toy(({ widget: { spec } }) => ({
          ...(spec?.size === undefined && { actions, intent: { spec: { size: 5 } } }),
          status: { size: 5 },
        })),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(30);
    const own = world.entries.filter(({ event, name }) => event === 'MODIFIED' && name === 'a');
    expect(own.map(({ level }) => level)).toEqual(levels);
    expect(found).toEqual(built);
    expect(await statusOf(world)).toMatchObject({ size: 5, observedGeneration: 2 });
    expect((await world.get(widget, 'a'))?.metadata.generation).toBe(2);
  });

  it.each([
    { rule: 'stores everything in one write when its only action is a claim', refuses: false, size: 5, owners: 1 },
    { rule: 'stores the finalizer when a claim is refused', refuses: true, size: 0, owners: 0 },
  ])('$rule', async ({ refuses, size, owners }) => {
    const validate: KindDefinition['validate'] = ({ metadata }) =>
      refuses && metadata.ownerReferences
        ? [{ reason: 'FieldValueForbidden', field: 'metadata.ownerReferences', detail: 'is nobody’s' }]
        : [];
    const world = await createWorld({
      kinds: toyKinds.map((kind) => (kind === part ? { ...part, validate } : kind)),
      controllers: [
        toy(({ widget, parts }, { lastFailure }) => ({
          actions: found(parts)?.length === 0 ? [claim(widget)] : [],
          status: { size: lastFailure ? 0 : 5 },
        })),
      ],
    });
    const { uid = '' } = (await world.create(make(part, 'b'))).metadata;
    const claim = (owner: Widget): Action => ({
      ...{ do: 'patch', kind: 'Part', namespace: 'default', name: 'b', uid },
      patch: { metadata: { ownerReferences: [ownedBy(owner)] } },
    });
    await world.create(make(widget, 'a'));
    await world.seconds(1);
    const own = world.entries.filter(({ event, name }) => event === 'MODIFIED' && name === 'a');
    expect(own.map(({ level }) => level)).toEqual(['count']);
    expect((await world.get(widget, 'a'))?.metadata.finalizers).toEqual([finalizer]);
    expect((await statusOf(world)).size).toBe(size);
    expect((await world.get(part, 'b'))?.metadata.ownerReferences ?? []).toHaveLength(owners);
  });

  it.each([
    { seconds: 119, done: [1] },
    { seconds: 121, done: [2] },
  ])('acts on reads of which the first is $seconds s old only within its lease', async ({ seconds, done }) => {
    let reads = 0;
    const built: number[] = [];
    const world = await createWorld({
      ports: {
        cloud: {
          read: async () => {
            reads += 1;
            if (reads === 1) await sleep(world.clock, seconds * 1000);
            return reads;
          },
          call: async () => void built.push(reads),
        },
      },
      controllers: [
        defineController<Widget, number>({
          name: 'widget',
          for: 'Widget',
          worker: 'core',
          watches: [],
          conditions: 'v1beta2',
          observe: (_, read) => found(read.ask<number>('cloud', 'Describe', {})) ?? 0,
          reconcile: (seen) =>
            built.length > 0 || seen === 0
              ? {}
              : { actions: [{ do: 'call', port: 'cloud', operation: 'Build', input: {} }] },
        }),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(300);
    expect(built).toEqual(done);
  });

  it.each<{ rule: string; annotations: Record<string, string> }>([
    { rule: 'paused or not: paused', annotations: { 'cluster.x-k8s.io/paused': '' } },
    { rule: 'paused or not: not paused', annotations: {} },
  ])('adds the finalizers of other controllers to a new object, $rule', async ({ annotations }) => {
    const others = ['toys.example/a', 'toys.example/b'];
    const world = await createWorld({ controllers: [{ ...toy(() => ({})), keptFor: () => others }] });
    const metadata = { name: 'a', namespace: 'default', annotations, finalizers: ['toys.example/b'] };
    await world.create(make(widget, 'a', { metadata }));
    await world.seconds(1);
    const held = async () => (await world.get(widget, 'a'))?.metadata.finalizers;
    expect(await held()).toEqual(['toys.example/b', 'toys.example/a', finalizer]);
    await world.remove(widget, 'a');
    await world.seconds(1);
    expect(await held()).toContain('toys.example/a');
  });

  it('decides nothing for a paused object, but adds its finalizer', async () => {
    const world = await createWorld({ controllers: [toy(() => ({ status: { size: 1 } }))] });
    const annotations = { 'cluster.x-k8s.io/paused': '' };
    await world.create(make(widget, 'a', { metadata: { name: 'a', namespace: 'default', annotations } }));
    await world.seconds(1);
    expect((await world.get(widget, 'a'))?.metadata.finalizers).toEqual([finalizer]);
    expect(await conditionOf(world, 'Paused')).toMatchObject({ status: 'True' });
    expect(world.entries.filter(({ event }) => event === 'MODIFIED')).toHaveLength(1);
  });

  it('writes a new message with the next change, or after 30 s', async () => {
    let ready: 'True' | 'False' = 'False';
    let message = 'one';
    const world = await createWorld({
      controllers: [
        toy(() => ({ status: { conditions: [{ type: 'Ready', status: ready, reason: 'Counted', message }] } })),
      ],
      wiring: { widget: { for: 'Widget', worker: 'core', watches: [{ kind: 'Part', to: 'namespace' }] } },
    });
    await world.create(make(widget, 'a'));
    await world.seconds(1);
    let parts = 0;
    const saying = async (text: string) => {
      message = text;
      await world.create(make(part, `part-${parts++}`));
      await world.seconds(2);
      return (await conditionOf(world, 'Ready'))?.message;
    };
    expect(await saying('two')).toBe('one');
    expect(await saying('three')).toBe('one');
    ready = 'True';
    expect(await saying('four')).toBe('four');
    expect(await saying('five')).toBe('four');
    await world.seconds(25);
    expect((await conditionOf(world, 'Ready'))?.message).toBe('four');
    await world.seconds(5);
    expect((await conditionOf(world, 'Ready'))?.message).toBe('five');
    expect(await saying('six')).toBe('five');
    await world.seconds(20);
    expect(await saying('seven')).toBe('five');
    await world.seconds(10);
    expect((await conditionOf(world, 'Ready'))?.message).toBe('seven');
  });

  it('keeps the finalizer of a deleted object until the controller is done', async () => {
    let isDone = false;
    const world = await createWorld({
      controllers: [
        toy(({ widget: { metadata } }) => {
          if (metadata.deletionTimestamp && isDone) return { finished: true };
          return metadata.deletionTimestamp ? { status: { size: 7 }, requeueAfter: 1 } : {};
        }),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(1);
    await world.remove(widget, 'a');
    await world.seconds(10);
    expect((await world.get(widget, 'a'))?.metadata.finalizers).toEqual([finalizer]);
    isDone = true;
    await world.seconds(2);
    expect(await world.get(widget, 'a')).toBeUndefined();
  });

  it('deletes the work item with the pass that removes the finalizer', async () => {
    const lettingGo = toy(({ widget: { metadata } }) => (metadata.deletionTimestamp ? { finished: true } : {}));
    const world = await createWorld({ controllers: [lettingGo] });
    await world.create(make(widget, 'a'));
    await world.seconds(1);
    await world.remove(widget, 'a');
    await world.seconds(1);
    expect(world.passes.map(({ ended }) => ended)).toEqual(['finished', 'gone']);
    const key = { controller: 'widget', type: 'widgets.toys.example', namespace: 'default', name: 'a' };
    expect(await world.work.get(key)).toBeUndefined();
  });

  it('writes the last status and removes the finalizer in one step', async () => {
    const world = await createWorld({
      controllers: [
        toy(({ widget: { metadata } }) => (metadata.deletionTimestamp ? { finished: true, status: { size: 7 } } : {})),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(1);
    const from = await world.store.position('widgets.toys.example');
    await world.remove(widget, 'a');
    const seen: [string, unknown][] = [];
    const stop = new AbortController();
    void (async () => {
      for await (const item of world.store.watch('widgets.toys.example', from, stop.signal))
        if (item.type !== 'BOOKMARK') seen.push([item.type, (item.object as Widget).status?.size]);
    })();
    await world.seconds(2);
    stop.abort();
    expect(seen).toEqual([
      ['MODIFIED', undefined],
      ['DELETED', 7],
    ]);
  });

  it('stamps conditions and the generation, and then writes nothing more', async () => {
    const world = await createWorld({
      controllers: [
        toy(({ widget: { spec } }) => ({
          status: {
            size: spec?.size ?? 0,
            conditions: drafts(['Fitting', 'True', 'Fits'], ['Ready', 'True', 'Ready']),
          },
        })),
      ],
    });
    await world.create(make(widget, 'a', { spec: { size: 1 } }));
    await world.seconds(1);
    const first = await statusOf(world);
    expect(first.conditions.map(({ type }) => type)).toEqual(['Ready', 'Fitting', 'Paused']);
    expect(first).toMatchObject({ size: 1, observedGeneration: 1 });
    expect(first.conditions[0]).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
      observedGeneration: 1,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    });
    const writes = world.entries.length;
    await world.seconds(3600);
    expect(world.entries.length).toBe(writes);

    await world.update(widget, 'a', (object) => ({ ...object, spec: { size: 2 } }));
    await world.seconds(1);
    const second = await statusOf(world);
    expect(second).toMatchObject({ size: 2, observedGeneration: 2 });
    expect(second.conditions[0]).toMatchObject({ observedGeneration: 2, lastTransitionTime: '2026-01-01T00:00:00Z' });
  });

  it('performs reads, applies actions and completes a deletion', async () => {
    const reconcile = ({ widget: { metadata }, parts }: Observed): AnyPlan => {
      const have = found(parts) ?? [];
      if (metadata.deletionTimestamp) {
        if (have.length === 0) return { finished: true };
        return {
          actions: have.map(({ metadata: { name, uid } }) => ({
            do: 'delete',
            kind: 'Part',
            namespace: 'default',
            name,
            uid: uid!,
          })),
        };
      }
      if (have.length > 0) return { status: { parts: have.length } };
      const owner = { apiVersion: 'toys.example/v1', kind: 'Widget', name: metadata.name, uid: metadata.uid! };
      const object = make(part, `${metadata.name}-part`, {
        metadata: { name: `${metadata.name}-part`, namespace: 'default', ownerReferences: [owner] },
      });
      return {
        actions: [{ do: 'create', object }],
        events: [{ type: 'Normal', reason: 'SuccessfulCreate', message: 'Created a part' }],
      };
    };
    const world = await createWorld({
      controllers: [toy(reconcile)],
      wiring: { widget: { for: 'Widget', worker: 'core', watches: [{ kind: 'Part', to: 'owner' }] } },
    });
    await world.create(make(widget, 'a'));
    await world.seconds(2);
    expect(await statusOf(world)).toMatchObject({ parts: 1 });
    const events = await world.store.list('events');
    expect(events.objects).toMatchObject([{ reason: 'SuccessfulCreate', count: 1, involvedObject: { name: 'a' } }]);

    await world.remove(widget, 'a');
    await world.seconds(4);
    expect(await world.get(widget, 'a')).toBeUndefined();
    expect(await world.get(part, 'a-part')).toBeUndefined();
    expect(
      await world.work.get({ controller: 'widget', type: 'widgets.toys.example', namespace: 'default', name: 'a' }),
    ).toBe(undefined);
  });

  it.each([
    {
      rule: 'by its cluster',
      spec: { cluster: 'c' },
      annotations: undefined,
      message: 'Cluster spec.paused is set to true',
    },
    {
      rule: 'by its annotation',
      spec: {},
      annotations: { 'cluster.x-k8s.io/paused': '' },
      message: 'Widget has the cluster.x-k8s.io/paused annotation',
    },
  ])('only reports the pause when the object is paused $rule', async ({ spec, annotations, message }) => {
    let decided = 0;
    const world = await createWorld({
      controllers: [
        toy(() => {
          decided++;
          return { status: {} };
        }),
      ],
      wiring: { widget: { for: 'Widget', worker: 'core', watches: [{ kind: 'Cluster', to: 'namespace' }] } },
    });
    await world.create(make(cluster, 'c', { spec: { paused: true } }));
    await world.create(
      make(widget, 'a', { spec, metadata: { name: 'a', namespace: 'default', ...(annotations && { annotations }) } }),
    );
    await world.seconds(1);
    expect(await conditionOf(world, 'Paused')).toMatchObject({
      status: 'True',
      reason: 'Paused',
      message,
      observedGeneration: 1,
    });
    expect(decided).toBe(0);
    await world.update(cluster, 'c', (object) => ({ ...object, spec: { paused: false } }));
    await world.update(
      widget,
      'a',
      ({ metadata: { annotations: _, ...metadata }, ...object }) => ({ ...object, metadata }) as KubeObject,
    );
    await world.seconds(1);
    expect(await conditionOf(world, 'Paused')).toMatchObject({ status: 'False', reason: 'NotPaused' });
    expect(decided).toBeGreaterThan(0);
  });

  it('does not pause a finished object with its cluster, which no longer concerns it', async () => {
    const finished: KindDefinition = { ...widget, isPast: () => true };
    let decided = 0;
    const world = await createWorld({
      kinds: toyKinds.map((kind) => (kind === widget ? finished : kind)),
      controllers: [
        toy(() => {
          decided++;
          return { status: {} };
        }),
      ],
    });
    await world.create(make(cluster, 'c', { spec: { paused: true } }));
    await world.create(make(widget, 'a', { spec: { cluster: 'c' } }));
    await world.seconds(1);
    expect(await conditionOf(world, 'Paused')).toMatchObject({ status: 'False' });
    expect(decided).toBeGreaterThan(0);
  });

  it('reports a failed effect at once, backs off, and clears the report after a success', async () => {
    let broken = true;
    const calls: number[] = [];
    const world = await createWorld({
      ports: {
        cloud: {
          call: async () => {
            calls.push(world.clock.now());
            if (broken) throw Object.assign(new Error('no more of them'), { code: 'InsufficientThings' });
          },
        },
      },
      controllers: [
        toy(({ widget: { status } }, { lastFailure }) => {
          const isBuilt = calls.length > 0 && !broken;
          const condition = lastFailure
            ? drafts(['Built', 'False', lastFailure.code])
            : drafts(['Built', 'True', 'Built']);
          return {
            actions: isBuilt && status ? [] : [{ do: 'call', port: 'cloud', operation: 'Build', input: {} }],
            status: { conditions: condition },
          };
        }),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(0.05);
    expect(await conditionOf(world, 'Built')).toMatchObject({ status: 'False', reason: 'InsufficientThings' });
    expect((await statusOf(world)).observedGeneration).toBeUndefined();
    expect(calls.length).toBe(1);
    await world.seconds(3600);
    expect(calls.length).toBeGreaterThan(5);
    expect(calls.length).toBeLessThan(30);
    broken = false;
    await world.seconds(1800);
    expect(await conditionOf(world, 'Built')).toMatchObject({ status: 'True' });
    const made = calls.length;
    await world.seconds(3600);
    expect(calls.length).toBe(made);
  });

  it.each([
    {
      rule: 'records a Warning for a failed optional action, and continues as after a success',
      also: [],
      left: 'nothing',
    },
    { rule: 'reports another failed action, in either order', also: ['worse'], left: 'worse' },
  ])('$rule', async ({ also, left }) => {
    const calls: string[] = [];
    const failed = new Set<string | undefined>();
    const act = (operation: string, optional?: true) => ({
      do: 'call' as const,
      port: 'cloud',
      operation,
      input: {},
      group: operation,
      ...(optional && { optional }),
    });
    const world = await createWorld({
      ports: {
        cloud: {
          call: async (operation) => {
            calls.push(operation);
            throw new Error(operation);
          },
        },
      },
      controllers: [
        toy((_, { lastFailure, now }) => {
          const operation = lastFailure?.operation;
          if (lastFailure?.at !== now) failed.add(operation);
          return {
            actions: calls.length > 5 ? [] : [act('good to have', true), ...also.map((one) => act(one))],
            status: { conditions: drafts(['Built', operation === undefined ? 'True' : 'False', operation ?? 'Built']) },
            events: operation ? [{ type: 'Warning', reason: 'Refused', message: operation }] : [],
            requeueAfter: 1,
          };
        }),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(0.05);
    expect(await conditionOf(world, 'Built')).toMatchObject({ reason: left === 'nothing' ? 'Built' : left });
    const messages = (await world.store.list('events', { namespace: 'default' })).objects.map(({ message }) => message);
    expect(messages.sort()).toEqual(['good to have', ...also]);
    await world.seconds(60);
    expect([...failed]).toEqual(left === 'nothing' ? [undefined] : [undefined, left]);
  });

  it('records what the status reports for the first time, although an action failed', async () => {
    let calls = 0;
    const world = await createWorld({
      ports: {
        cloud: {
          call: async () => {
            if (calls++ === 0) throw new Error('no answer');
          },
        },
      },
      controllers: [
        toy(({ widget: { status } }) => ({
          actions: [{ do: 'call', port: 'cloud', operation: 'Touch', input: {} }],
          status: { size: 7 },
          events: [
            ...(status?.size === 7
              ? []
              : [{ type: 'Normal' as const, reason: 'Sized', message: 'seven', isOfStatus: true as const }]),
            { type: 'Normal', reason: 'Touched', message: 'by the action' },
          ],
          requeueAfter: 600,
        })),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(0.05);
    const reasons = async () =>
      (await world.store.list('events', { namespace: 'default' })).objects.map(({ reason }) => reason).sort();
    expect([calls, await reasons()]).toEqual([1, ['Sized']]);
    await world.seconds(60);
    expect(await reasons()).toEqual(['Sized', 'Touched']);
  });

  it('runs again at once after a conflict', async () => {
    let changes = 3;
    const world = await createWorld({
      ports: {
        cloud: {
          call: async () => {
            if (changes-- > 0) await world.update(widget, 'a', (object) => ({ ...object, spec: { size: changes } }));
          },
        },
      },
      controllers: [
        toy(({ widget: { spec } }) => ({
          actions: [{ do: 'call', port: 'cloud', operation: 'Touch', input: {} }],
          status: { size: spec?.size ?? 99 },
        })),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(2);
    expect(world.passes.filter(({ ended }) => ended === 'thrown').length).toBe(3);
    expect(await statusOf(world)).toMatchObject({ size: 0 });
  });

  it('skips only the group of a failed action', async () => {
    const done: string[] = [];
    const failed: (string | undefined)[] = [];
    const call = (operation: string, group?: string) => ({
      do: 'call' as const,
      port: 'cloud',
      operation,
      input: {},
      ...(group && { group }),
    });
    const world = await createWorld({
      ports: {
        cloud: {
          call: async (operation) => {
            if (operation === 'bad') throw new Error('bad');
            done.push(operation);
          },
        },
      },
      controllers: [
        toy((_, { lastFailure }) => {
          failed.push(lastFailure?.group);
          return { actions: [call('bad', 'one'), call('never', 'one'), call('other', 'two'), call('plain')] };
        }),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(0.05);
    expect(done).toEqual(['other', 'plain']);
    // Each group handles its failure differently.
    await world.seconds(30);
    expect(failed.at(-1)).toBe('one');
  });

  it('skips the groups around a failed group, and no sibling', async () => {
    const done: string[] = [];
    const call = (operation: string, group: string, within?: string) => ({
      do: 'call' as const,
      port: 'cloud',
      operation,
      input: {},
      group,
      ...(within && { within }),
    });
    const part = async (operation: string) => {
      if (operation === 'bad') throw new Error('bad');
      done.push(operation);
    };
    const actions = [
      call('bad', 'one part', 'one'),
      call('never', 'one part', 'one'),
      call('beside', 'other part', 'one'),
      call('neither', 'one'),
      call('whole', 'two'),
    ];
    const world = await createWorld({ ports: { cloud: { call: part } }, controllers: [toy(() => ({ actions }))] });
    await world.create(make(widget, 'a'));
    await world.seconds(0.05);
    expect(done).toEqual(['beside', 'whole']);
  });

  it.each([
    { what: 'deletes', action: { do: 'delete' as const } },
    { what: 'patches', action: { do: 'patch' as const, patch: { metadata: { labels: { changed: '' } } } } },
  ])('$what no namesake with another UID', async ({ action }) => {
    const world = await createWorld({
      controllers: [
        toy(({ parts }) => ({
          actions: (found(parts) ?? []).map(({ metadata: { name } }) => ({
            ...action,
            kind: 'Part',
            namespace: 'default',
            name,
            uid: 'of its predecessor',
          })),
        })),
      ],
    });
    const owner = await world.create(
      make(widget, 'a', { metadata: { name: 'a', namespace: 'default', finalizers: [finalizer] } }),
    );
    const reference = { apiVersion: owner.apiVersion, kind: owner.kind, name: 'a', uid: owner.metadata.uid! };
    const metadata = { name: 'p', namespace: 'default', ownerReferences: [reference] };
    const before = await world.create(make(part, 'p', { metadata }));
    await world.update(widget, 'a', (o) => ({ ...o, spec: { size: 1 } }));
    await world.seconds(5);
    expect((await world.get(part, 'p'))?.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('writes no Paused condition for v1beta1, and keeps the transition times', async () => {
    const world = await createWorld({
      controllers: [
        toy(
          ({ widget: { spec } }) => ({
            status: { conditions: [{ type: 'Ready', status: 'False', severity: 'Info', reason: `Size${spec?.size}` }] },
          }),
          'v1beta1',
        ),
      ],
    });
    await world.create(make(widget, 'a', { spec: { size: 1 } }));
    await world.seconds(60);
    await world.update(widget, 'a', (object) => ({ ...object, spec: { size: 2 } }));
    await world.seconds(31);
    expect((await statusOf(world)).conditions).toEqual([
      {
        type: 'Ready',
        status: 'False',
        severity: 'Info',
        reason: 'Size2',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ]);
  });

  it('backs off from an unreadable resource', async () => {
    const asked: number[] = [];
    const world = await createWorld({
      ports: {
        cloud: {
          read: async () => {
            asked.push(world.clock.now());
            throw Object.assign(new Error('not now'), { code: 'Unavailable' });
          },
        },
      },
      controllers: [
        defineController<Widget, Read<JsonObject>>({
          name: 'widget',
          for: 'Widget',
          worker: 'core',
          watches: [],
          conditions: 'v1beta2',
          observe: (_, read) => read.ask('cloud', 'Describe', {}),
          reconcile: () => ({}),
        }),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(3600);
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.length).toBeLessThan(30);
  });

  it('keeps the due time of requeueAfter', async () => {
    const at: number[] = [];
    const world = await createWorld({
      controllers: [
        toy((_, { now }) => {
          at.push(now);
          return { requeueAfter: 1200, status: {} };
        }),
      ],
    });
    await world.create(make(widget, 'a'));
    await world.seconds(3700);
    const settled = at[at.length - 4]!;
    expect(at.slice(-3).map((t) => t - settled)).toEqual([1200_000, 2400_000, 3600_000]);
  });

  describe('whose change of its own object is refused', () => {
    const refusedSize = 'spec.size: Invalid value: -1: must not be negative';
    const call = { do: 'call', port: 'cloud', operation: 'Build', input: {} } as const;
    it.each([
      { rule: 'reports it in the status, and writes the finalizer', form: 'v1beta2' as const, actions: [] },
      { rule: 'performs none of its actions', form: 'v1beta2' as const, actions: [call] },
      { rule: 'reports it in the form of older kinds', form: 'v1beta1' as const, actions: [] },
    ])('$rule', async ({ form, actions }) => {
      const calls: string[] = [];
      const world = await createWorld({
        ports: { cloud: { call: async (operation) => void calls.push(operation) } },
        controllers: [
          toy(
            ({ widget: { spec } }) => ({
              ...(spec?.name !== 'small' && { intent: { spec: { size: -1 } } }),
              actions: spec?.name === 'small' ? [] : actions,
              status: { size: 5, conditions: drafts(['Built', 'True', 'Built']) },
            }),
            form,
          ),
        ],
      });
      await world.create(make(widget, 'a', { spec: { size: 1 } }));
      await world.seconds(3600);
      const stored = await world.get<Widget>(widget, 'a');
      expect(stored?.spec).toEqual({ size: 1 });
      expect(stored?.metadata.finalizers).toEqual([finalizer]);
      expect(stored?.status).toMatchObject({ size: 5 });
      expect(await conditionOf(world, 'Built')).toMatchObject({ status: 'True' });
      expect(await conditionOf(world, 'ChangeAccepted')).toMatchObject({
        status: 'False',
        reason: 'Invalid',
        message: expect.stringContaining(refusedSize),
        ...(form === 'v1beta1' && { severity: 'Error' }),
      });
      expect(calls).toEqual([]);
      const events = (await world.store.list('events', { namespace: 'default' })).objects;
      expect(events.map(({ type, reason }) => ({ type, reason }))).toEqual([
        { type: 'Warning', reason: 'ChangeRefused' },
      ]);
      const writes = world.entries.filter(({ event, name }) => event === 'MODIFIED' && name === 'a').length;
      expect(writes).toBe(1);
      // A pass an interval, until a user changes the object.
      expect(world.passes.length).toBeLessThan(20);
      await world.update(widget, 'a', (object) => ({ ...object, spec: { size: 1, name: 'small' } }));
      await world.seconds(1);
      expect(await conditionOf(world, 'ChangeAccepted')).toBeUndefined();
    });

    it('keeps the stored status where the status itself is refused', async () => {
      const validate: KindDefinition['validate'] = ({ status }) =>
        ((status as { size?: number } | undefined)?.size ?? 0) > 8
          ? [{ reason: 'FieldValueInvalid', field: 'status.size', value: 9, detail: 'must not be more than 8' }]
          : [];
      const world = await createWorld({
        kinds: toyKinds.map((kind) => (kind === widget ? { ...widget, validate } : kind)),
        controllers: [toy(({ widget: { spec } }) => ({ status: { size: spec?.size ?? 0 } }))],
      });
      await world.create(make(widget, 'a', { spec: { size: 3 } }));
      await world.seconds(1);
      await world.update(widget, 'a', (object) => ({ ...object, spec: { size: 9 } }));
      await world.seconds(1);
      expect(await statusOf(world)).toMatchObject({ size: 3, observedGeneration: 1 });
      expect(await conditionOf(world, 'ChangeAccepted')).toMatchObject({
        status: 'False',
        message: expect.stringContaining('status.size'),
      });
    });
  });
});

describe('a controller that a workflow waits for', () => {
  /** Records what was readable when each task was completed. */
  const setUp = async (decide: (observed: Observed, context: Context) => AnyPlan) => {
    const answered: { token: string; answer: unknown; size: number | undefined }[] = [];
    const record = async (token: string, answer: unknown) => {
      answered.push({ token, answer, size: (await world.get<Widget>(widget, 'a'))?.status?.size });
    };
    const clock = virtualClock(0);
    const workflows = { succeed: record, fail: (token: string, error: string) => record(token, error) };
    const awaits = createAwaits({ table: memoryTable({ clock }), workflows, clock });
    const world = await createWorld({ controllers: [{ ...toy(decide), awaits: true }], awaits });
    const type = world.kinds.typeOf('Widget');
    const key = { namespace: 'default', name: 'a' };
    const wait = async (token: string) => {
      await awaits.add(type, key, { step: 'Step', uid: 'u', token });
      await world.work.request({ controller: 'widget', type, ...key }, { urgent: true });
      await world.seconds(1);
    };
    return { world, answered, wait, left: () => awaits.of(type, key) };
  };
  const answerAll = (context: Context): AnyPlan => ({
    status: { size: context.awaits.length },
    answers: context.awaits.map(({ id, step }) => ({ to: id, output: { step } })),
  });

  it('completes the task once the awaited state is readable', async () => {
    const { world, answered, wait, left } = await setUp((_, context) => answerAll(context));
    await world.create(make(widget, 'a'));
    await world.seconds(1);
    await wait('t');
    expect(answered).toEqual([{ token: 't', answer: { step: 'Step' }, size: 1 }]);
    expect(await left()).toEqual([]);
  });

  it('completes nothing when an action fails', async () => {
    const { world, answered, wait } = await setUp((_, context) => ({
      ...answerAll(context),
      actions: [{ do: 'call', port: 'nowhere', operation: 'Act', input: {} }],
    }));
    await world.create(make(widget, 'a'));
    await wait('t');
    expect(answered).toEqual([]);
  });

  it('dismisses the tasks of a missing object', async () => {
    const { answered, wait, left } = await setUp((_, context) => answerAll(context));
    await wait('t');
    expect(answered).toEqual([{ token: 't', answer: 'Cancelled', size: undefined }]);
    expect(await left()).toEqual([]);
  });

  it('dismisses the tasks of an object whose finalizer it removes', async () => {
    const { world, answered, wait, left } = await setUp(({ widget: { metadata } }) =>
      metadata.deletionTimestamp ? { finished: true } : {},
    );
    await world.create(make(widget, 'a'));
    await wait('t');
    await world.remove(widget, 'a');
    await world.seconds(1);
    expect(answered).toEqual([{ token: 't', answer: 'Cancelled', size: undefined }]);
    expect(await left()).toEqual([]);
  });
});
