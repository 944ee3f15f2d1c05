/** Lists, tables and watches: which objects and events a client gets. */
import { seconds } from '../../../../cdk/limits.ts';
import { eventsLast } from '../../../../kinds/kubernetes/event/lifetime.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { watchFor } from '../../clients/events.ts';
import { configMaps, placeOf, type Session, sorts, templates } from './session.ts';
import { noise } from './writes.ts';

const several = 7;
const minute = 60_000;
const inRows = 'application/json;as=Table;v=v1;g=meta.k8s.io';
interface Column {
  name: string;
  type: string;
  priority?: number;
}
interface Table {
  kind: string;
  columnDefinitions: Column[] | null;
  rows: { cells: unknown[] }[];
}
interface Version {
  name: string;
  served: boolean;
  additionalPrinterColumns?: Column[];
}
type Definition = KubeObject<{ group: string; scope: string; names: { plural: string }; versions: Version[] }>;
/** Columns with a priority above 0 are shown only in the wide format. */
const described = ({ name, type, priority = 0 }: Column): string => `${name} ${type} ${priority}`;
const nameOf = ({ metadata }: KubeObject) => metadata.name;
const newNamespace = async (session: Session): Promise<string> => {
  const name = session.newName();
  await session.ask('POST', '/api/v1/namespaces', 201, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return name;
};
const selectors: readonly (readonly [query: string, isSelected: (index: number) => boolean])[] = [
  ['labelSelector=part=0', (index) => index % 3 === 0],
  ['labelSelector=part==0', (index) => index % 3 === 0],
  ['labelSelector=part!=0', (index) => index % 3 !== 0],
  ['labelSelector=part in (0,1)', (index) => index % 3 !== 2],
  ['labelSelector=part notin (0,1)', (index) => index % 3 === 2],
  ['labelSelector=odd', (index) => index % 2 === 1],
  // A negative requirement matches objects without the label.
  ['labelSelector=odd!=yes', (index) => index % 2 === 0],
  ['labelSelector=odd notin (yes,no)', (index) => index % 2 === 0],
  ['labelSelector=odd notin (no),part in (1)', (index) => index % 3 === 1],
  ['labelSelector=odd in (yes,)', (index) => index % 2 === 1],
  ['labelSelector=!odd,part=0', (index) => index % 6 === 0],
  ['fieldSelector=metadata.name=thing-of-3', (index) => index === 3],
  ['fieldSelector=metadata.name==thing-of-3', (index) => index === 3],
  ['fieldSelector=metadata.name!=thing-of-3', (index) => index !== 3],
  ['labelSelector=part=0&fieldSelector=metadata.name!=thing-of-3', (index) => index % 3 === 0 && index !== 3],
];

export const lists = {
  'list in every way': async (session: Session) => {
    const { draw, client, ask, expect } = session;
    const sort = draw.pick(sorts);
    const namespace = await newNamespace(session);
    for (let index = 0; index < several; index++) {
      const labels = { part: String(index % 3), ...(index % 2 && { odd: 'yes' }) };
      await session.make(sort, { name: `thing-of-${index}`, namespace, labels }, `word ${index}`);
    }
    const collection = placeOf(sort, '', namespace).slice(0, -1);
    await client.list(sort.kind, namespace, draw.whole(0, several + 1));
    await client.list(sort.kind, undefined, draw.whole(0, several + 1));
    const list = async ([query, isSelected]: (typeof selectors)[number]) => {
      const should = Array.from({ length: several }, (_, index) => index)
        .filter(isSelected)
        .map((index) => `thing-of-${index}`)
        .join(' ');
      const limit = draw.whole(0, 3);
      const found: KubeObject[] = [];
      for (let next = ''; ; ) {
        const path = `${collection}?${encodeURI(query)}&limit=${limit}&continue=${encodeURIComponent(next)}`;
        const { code, body } = await client.request('GET', path);
        // The continue token expires, and the server may have been frozen.
        if (code === 410 && next) {
          found.length = 0;
          next = '';
          continue;
        }
        expect(`the answer to ${path}`, code, 200);
        const { items, metadata } = body as unknown as {
          items: KubeObject[];
          metadata: { continue?: string; remainingItemCount?: number };
        };
        found.push(...items);
        // The number of remaining items is unknown with a selector.
        expect(`remainingItemCount with ${query}`, metadata.remainingItemCount, undefined);
        next = metadata.continue ?? '';
        if (!next) break;
      }
      expect(`${sort.kind} with ${query}`, found.map(nameOf).sort().join(' '), should);
      return { query, should, found };
    };
    for (const selector of selectors) await list(selector);
    const { query, should, found } = await list(draw.pick(selectors));
    for (const item of found)
      expect(
        `${nameOf(item)} of the list`,
        JSON.stringify({ ...item, apiVersion: sort.apiVersion, kind: sort.kind, ...sort.of('') }),
        JSON.stringify({ ...(await ask('GET', placeOf(sort, nameOf(item), namespace), 200)), ...sort.of('') }),
      );
    await ask('DELETE', `${collection}?${encodeURI(query)}&dryRun=All`, 200);
    expect('the number left after a dry run', (await client.list(sort.kind, namespace)).length, several);
    await ask('DELETE', `${collection}?${encodeURI(query)}`, 200);
    const left = (await client.list(sort.kind, namespace)).map(nameOf).sort();
    const kept = Array.from({ length: several }, (_, index) => `thing-of-${index}`).filter(
      (name) => !should.split(' ').includes(name),
    );
    expect(`${sort.kind} after the deletion of those with ${query}`, left.join(' '), kept.join(' '));
  },
  'list large objects': async (session: Session) => {
    const { draw, client, expect } = session;
    const namespace = await newNamespace(session);
    const texts = ['little', noise(namespace), 'little'];
    const names = texts.map((_, index) => `thing-of-${index}`);
    for (const [index, name] of names.entries()) await session.make(configMaps, { name, namespace }, texts[index]);
    for (const limit of [1, 2, draw.whole(0, 4)]) {
      const found = await client.list(configMaps.kind, namespace, limit);
      for (const [index, one] of found.entries())
        expect(`the length of ${nameOf(one)}`, String(configMaps.wordIn(one)).length, texts[index]!.length);
    }
  },
  'watch with a selector': async (session: Session) => {
    const { draw, ask, world, clock, expect } = session;
    const sort = draw.pick([configMaps, templates]);
    const namespace = await newNamespace(session);
    const collection = placeOf(sort, '', namespace).slice(0, -1);
    await session.make(sort, { name: 'before', namespace, labels: { seen: 'yes' } });
    const { metadata } = await ask('GET', collection, 200);
    const should: string[] = [];
    const isSelected = (object: KubeObject | undefined) =>
      object?.metadata.labels?.seen === 'yes' && nameOf(object) !== 'overlooked';
    let isOn = true;
    world.mirror.onCommit(({ object, before, namespace: of }) => {
      if (!isOn || of !== namespace || (object ?? before)?.kind !== sort.kind) return;
      const [was, is] = [isSelected(before), isSelected(object)];
      if (was || is) should.push(`${is ? (was ? 'MODIFIED' : 'ADDED') : 'DELETED'} ${nameOf((object ?? before)!)}`);
    });
    // Too short for a bookmark, except the final one.
    const seconds = 45;
    const query = `watch=true&allowWatchBookmarks=true&labelSelector=seen=yes&timeoutSeconds=${seconds}`;
    const at = `&fieldSelector=metadata.name!=overlooked&resourceVersion=${metadata.resourceVersion}`;
    const watching = watchFor(world, `${collection}?${query}${at}`, 75_000);
    const change = (name: string, patch: unknown) =>
      ask('PATCH', placeOf(sort, name, namespace), 200, patch).then(() => sleep(clock, draw.spread(10, 3000)));
    await session.make(sort, { name: 'late', namespace, labels: { seen: 'yes' } });
    await session.make(sort, { name: 'overlooked', namespace, labels: { seen: 'yes' } });
    await session.make(sort, { name: 'unseen', namespace });
    await change('unseen', { metadata: { labels: { seen: 'yes' } } });
    // The write that removes the label also deletes the object.
    await session.make(sort, { name: 'held', namespace, labels: { seen: 'yes' }, finalizers: ['example.com/hold'] });
    await ask('DELETE', placeOf(sort, 'held', namespace), 200);
    const { code } = await session.client.request('PATCH', placeOf(sort, 'held', namespace), {
      metadata: { labels: null, finalizers: null },
    });
    expect('whether the last finalizer can be removed', code === 200 || code === 404, true);
    await change('late', sort.of('second'));
    await change('before', { metadata: { labels: { seen: 'no' } } });
    await change('before', sort.of('second'));
    await ask('DELETE', placeOf(sort, 'late', namespace), 200);
    const { events, isEnded } = await watching;
    isOn = false;
    const changes = events.filter(({ type }) => type !== 'BOOKMARK');
    const is = changes.map(({ type, object }) => `${type} ${nameOf(object)}`);
    // Slow changes may follow after its end.
    expect(
      'the events of a watch',
      is.join(', '),
      should.slice(0, isEnded ? is.length : 0).join(', ') || is.join(', '),
    );
    if (isEnded) expect('the end of a watch that asked for bookmarks', events.at(-1)?.type, 'BOOKMARK');
    for (const { object } of changes.filter(({ type }) => type === 'DELETED'))
      expect(
        `when ${nameOf(object)} left`,
        Number(object.metadata.resourceVersion) > Number(metadata.resourceVersion),
        true,
      );
  },
  'list as a table': async (session: Session) => {
    const { ask, expect } = session;
    const namespace = await newNamespace(session);
    const names = ['first', 'second'];
    for (const name of names) await session.make(configMaps, { name, namespace });
    const collection = placeOf(configMaps, '', namespace).slice(0, -1);
    const answer = (await ask('GET', collection, 200, undefined, inRows)) as unknown as Table;
    const { columnDefinitions, rows } = answer;
    expect('columns of a table', columnDefinitions?.map(({ name }) => name).join(), 'Name,Data,Age');
    const cells = rows.map((row) => row.cells.slice(0, 2).join(' '));
    expect('rows of a table', cells.join(), names.map((name) => `${name} 1`).join());
    // With a slow clock the creation lies in the future.
    const age = /^(\d+[smhd]|<invalid>)/;
    for (const row of rows) expect('whether a row has an age', age.test(String(row.cells[2])), true);
  },
  'list custom kinds as tables': async (session: Session) => {
    const { draw, ask, expect } = session;
    const answer = await ask('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', 200);
    const { spec, metadata } = draw.pick((answer as unknown as { items: Definition[] }).items);
    const { group, scope, names, versions } = spec!;
    const { name: version, additionalPrinterColumns } = draw.pick(versions.filter(({ served }) => served));
    const place = scope === 'Namespaced' ? 'namespaces/default/' : '';
    const path = `/apis/${group}/${version}/${place}${names.plural}`;
    const { columnDefinitions } = (await ask('GET', path, 200, undefined, inRows)) as unknown as Table;
    // A table begins with a Name column and has an Age column unless the kind defines its own.
    const columns = additionalPrinterColumns ?? [{ name: 'Age', type: 'date' }];
    const all = columns.some(({ name }) => name === 'Name') ? columns : [{ name: 'Name', type: 'string' }, ...columns];
    const is = columnDefinitions?.map(described).join();
    expect(`columns of ${metadata.name} in ${version}`, is, all.map(described).join());
  },
  'watch as a table': async (session: Session) => {
    const { world, expect, draw, clock } = session;
    const namespace = await newNamespace(session);
    const collection = placeOf(configMaps, '', namespace).slice(0, -1);
    await session.make(configMaps, { name: 'first', namespace });
    const watching = watchFor(world, `${collection}?watch=true&timeoutSeconds=60`, 90_000, inRows);
    await sleep(clock, draw.spread(1000, 20_000));
    await session.make(configMaps, { name: 'second', namespace });
    const { events } = await watching;
    const tables = events.flatMap(({ type, object }) => (type === 'ADDED' ? [object as unknown as Table] : []));
    const columns = tables.map(({ columnDefinitions }) => columnDefinitions?.map(({ name }) => name).join() ?? 'none');
    expect(
      'column definitions, which only the first event has',
      columns.join(' '),
      ['Name,Data,Age', 'none'].slice(0, columns.length).join(' '),
    );
    for (const { kind, rows } of tables) expect('rows of an event', `${kind} of ${rows.length}`, 'Table of 1');
  },
  'watch for longer than the server allows': async (session: Session) => {
    const { draw, world, expect } = session;
    const collection = placeOf(draw.pick(sorts), '').slice(0, -1);
    const query = `watch=true&allowWatchBookmarks=true&timeoutSeconds=${draw.pick([3600, 86_400])}`;
    const { events, isEnded } = await watchFor(world, `${collection}?${query}`, 2 * seconds.watch * 1000);
    // The server may have crashed.
    expect(`whether a watch of ${collection} ends by itself`, isEnded || world.isDisturbed, true);
    if (isEnded) expect(`the end of a watch of ${collection}`, events.at(-1)?.type, 'BOOKMARK');
  },
  'list at a future version': async (session: Session) => {
    const collection = placeOf(session.draw.pick(sorts), '').slice(0, -1);
    const { metadata } = await session.ask('GET', collection, 200);
    await session.ask('GET', `${collection}?resourceVersion=${Number(metadata.resourceVersion) + 1e6}`, 504);
  },
  'let listed Events expire': async (session: Session) => {
    const { ask, clock } = session;
    const name = session.newName();
    const collection = '/api/v1/namespaces/default/events';
    const involvedObject = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name };
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name },
      involvedObject,
      reason: 'Seen',
      type: 'Normal',
    };
    await ask('POST', collection, 201, event);
    const isListed = async () => {
      const found = await ask('GET', `${collection}?fieldSelector=metadata.name=${name}`, 200);
      return (found as unknown as { items: KubeObject[] }).items.length > 0;
    };
    // An update extends the lifetime.
    if (session.draw.chance(0.5)) {
      await sleep(clock, (eventsLast / 60 - 30) * minute);
      await ask('PATCH', `${collection}/${name}`, 200, { reason: 'Lasting' });
    }
    await sleep(clock, (eventsLast / 60 - 5) * minute);
    session.expect(`whether ${name} is listed`, await isListed(), true);
    await sleep(clock, 10 * minute);
    session.expect(`whether ${name} is listed`, await isListed(), false);
  },
};
