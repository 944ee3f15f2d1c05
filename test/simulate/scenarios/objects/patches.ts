/** Patches of lists, of immutable fields and of Secrets. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { pathOf } from '../../clients/client.ts';
import { configMaps, placeOf, type Session, sorts, templates } from './session.ts';
import { begun, collectionOf } from './writes.ts';

const jsonPatch = 'application/json-patch+json';
const strategicPatch = 'application/strategic-merge-patch+json';
const at = '/spec/template/spec/preKubeadmCommands';

/** JSON patches of a list of three items, with the result. */
const edits: readonly (readonly [operations: readonly object[], should: string])[] = [
  [[{ op: 'add', path: `${at}/1`, value: 'new' }], 'a new b c'],
  [[{ op: 'add', path: `${at}/-`, value: 'new' }], 'a b c new'],
  [[{ op: 'replace', path: `${at}/1`, value: 'new' }], 'a new c'],
  [[{ op: 'remove', path: `${at}/1` }], 'a c'],
  [[{ op: 'move', from: `${at}/0`, path: `${at}/2` }], 'b c a'],
  [[{ op: 'copy', from: `${at}/0`, path: `${at}/2` }], 'a b a c'],
  [
    [
      { op: 'remove', path: `${at}/2` },
      { op: 'add', path: `${at}/0`, value: 'new' },
    ],
    'new a b',
  ],
];

const label = '/metadata/labels';
/** JSON patches that fail on a list of three items or on an object with one label. */
const mistaken: readonly (readonly object[])[] = [
  [{ op: 'replace', path: '/metadata/none/of', value: 'new' }],
  [{ op: 'replace', path: `${at}/3`, value: 'new' }],
  [{ op: 'remove', path: `${label}/none` }],
  [{ op: 'remove', path: `${at}/3` }],
  [{ op: 'add', path: `${at}/4`, value: 'new' }],
  [{ op: 'add', path: '/metadata/none/of', value: 'new' }],
  [{ op: 'test', path: `${label}/of`, value: 'another' }],
  [{ op: 'copy', from: `${at}/3`, path: `${label}/it` }],
  [{ op: 'move', from: `${label}/none`, path: `${label}/it` }],
];

export const changes = {
  'patch missing fields': async (session: Session) => {
    const { ask, draw, expect } = session;
    const name = session.newName();
    const { metadata } = await session.make(templates, { name, labels: { of: 'user' } });
    const place = placeOf(templates, name);
    const list = { spec: { template: { spec: { preKubeadmCommands: ['a', 'b', 'c'] } } } };
    const before = await ask('PATCH', place, 200, list);
    for (const operations of mistaken) {
      // A failing patch has no effect, not even of its first operations.
      const first = draw.chance(0.5) ? [{ op: 'add', path: `${label}/more`, value: 'first' }] : [];
      await ask('PATCH', place, 422, [...first, ...operations], jsonPatch);
    }
    const after = await ask('GET', place, 200);
    expect(`the version of ${metadata.name}`, after.metadata.resourceVersion, before.metadata.resourceVersion);
  },
  'patch a list': async (session: Session) => {
    const { client, expect } = session;
    const name = session.newName();
    await session.make(templates, { name });
    const place = placeOf(templates, name);
    const list = ['a', 'b', 'c'];
    for (const [operations, should] of edits) {
      await session.ask('PATCH', place, 200, { spec: { template: { spec: { preKubeadmCommands: list } } } });
      // A repeated patch would fail, because the first attempt may have taken effect.
      const isAsBefore = { op: 'test', path: at, value: list };
      const { code, isRepeated } = await client.request('PATCH', place, [isAsBefore, ...operations], jsonPatch);
      expect(`whether ${name} may be edited`, code === 200 || (isRepeated && code === 422), true);
      const { spec } = (await session.ask('GET', place, 200)) as KubeObject<{
        template: { spec: { preKubeadmCommands: string[] } };
      }>;
      const is = spec?.template.spec.preKubeadmCommands.join(' ');
      expect(`${list.join(' ')} after ${JSON.stringify(operations)}`, is, should);
    }
  },
  'add to lists': async (session: Session) => {
    const { draw, ask, expect } = session;
    const sort = draw.pick(sorts.filter(({ isCustom }) => !isCustom));
    const name = session.newName();
    const [one, other] = ['example.com/one', 'example.com/other'];
    await session.make(sort, { name, finalizers: [one] });
    const place = placeOf(sort, name);
    const finalizers = async () => ((await ask('GET', place, 200)).metadata.finalizers ?? []).toSorted().join(' ');
    await ask('PATCH', place, 200, { metadata: { finalizers: [other] } }, strategicPatch);
    expect(`finalizers of ${name}`, await finalizers(), `${one} ${other}`);
    // A strategic merge does not duplicate existing items.
    await ask('PATCH', place, 200, { metadata: { finalizers: [other, one] } }, strategicPatch);
    expect(`finalizers of ${name}`, await finalizers(), `${one} ${other}`);
    const gone = { '$deleteFromPrimitiveList/finalizers': [one] };
    await ask('PATCH', place, 200, { metadata: gone }, strategicPatch);
    expect(`finalizers of ${name}`, await finalizers(), other);
    // A merge patch replaces the whole list.
    await ask('PATCH', place, 200, { metadata: { finalizers: [one] } });
    expect(`finalizers of ${name}`, await finalizers(), one);
    await ask('PATCH', place, 200, { metadata: { finalizers: null } });
    // Custom kinds define no strategic merge of lists.
    const custom = session.newName();
    await session.make(templates, { name: custom });
    await ask('PATCH', placeOf(templates, custom), 415, { metadata: { labels: { of: 'user' } } }, strategicPatch);
  },
  'make an object immutable': async (session: Session) => {
    const { draw, ask, expect } = session;
    const sort = draw.pick(sorts.filter(({ isCustom }) => !isCustom));
    const name = session.newName();
    await session.make(sort, { name });
    const place = placeOf(sort, name);
    await ask('PATCH', place, 200, { immutable: true });
    await ask('PATCH', place, 422, sort.of('second'));
    await ask('PATCH', place, 422, { immutable: null });
    await ask('PATCH', place, 200, { metadata: { labels: { of: 'user' } } });
    expect(`the word of ${name}`, sort.wordIn(await ask('GET', place, 200)), 'first');
    await ask('DELETE', place, 200);
  },
  'change immutable fields': async (session: Session) => {
    const { ask } = session;
    const { place } = await begun(session);
    for (const metadata of [{ namespace: 'elsewhere' }, { name: 'another' }])
      await ask('PATCH', place, 400, { metadata });
    const name = session.newName();
    const template = `${pathOf('AWSMachineTemplate')}/${name}`;
    const machine = (instanceType: string) => ({ spec: { template: { spec: { instanceType } } } });
    await ask('POST', collectionOf(template), 201, {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'AWSMachineTemplate',
      metadata: { name },
      ...machine('t3.large'),
    });
    await ask('PATCH', template, 422, machine('m5.large'));
    await ask('DELETE', template, 200);
    await ask('PATCH', placeOf(configMaps, session.newName()), 404, { metadata: { labels: { of: 'user' } } });
  },
};
