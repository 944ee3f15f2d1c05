import { beforeEach, describe, expect, it } from 'vitest';
import { type VirtualClock, virtualClock } from '../../adapters/memory/virtual-clock.ts';
import type { ApiServer } from '../../machinery/server/index.ts';
import { type Client, clientOf, widget, widgets } from './client.ts';
import { createTestServer, token } from './world.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

describe('a watch', () => {
  let clock: VirtualClock;
  let client: Client;
  let server: ApiServer;

  /** The response, while time passes as needed. */
  const during = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    const ended = promise.finally(() => {
      done = true;
    });
    await clock.run(() => done, clock.now() + 3_600_000);
    return ended;
  };
  const create = (name: string, spec: object = {}, metadata: object = {}) =>
    during(client.post(widgets, widget(name, spec, metadata)));
  const patch = (name: string, body: object, subresource = '') =>
    during(client.patch(`${widgets}/${name}${subresource}`, 'merge', body));
  const positionNow = async () => (await during(client.get(widgets))).body.metadata.resourceVersion as string;
  const watching = (query: string, headers?: Record<string, string>) =>
    during(client.watch(`${widgets}?watch=true${query}`, headers));
  const eventsOf = async (watch: Awaited<ReturnType<Client['watch']>>, count: number) => {
    const events: string[] = [];
    for (let i = 0; i < count; i++) {
      const event = await during(watch.next());
      events.push(event ? `${event.type} ${event.object.metadata.name}` : 'end');
    }
    return events;
  };

  beforeEach(async () => {
    clock = virtualClock(Date.UTC(2026, 0, 1));
    const creating = createTestServer(clock);
    server = (await during(creating)).server;
    client = clientOf(server);
  });

  it('delivers every later change once, with its resourceVersion', async () => {
    const from = await positionNow();
    const { body: created } = await create('a', { replicas: 1 });
    const { body: changed } = await patch('a', { spec: { replicas: 2 } });
    await during(client.delete(`${widgets}/a`));
    const watch = await watching(`&resourceVersion=${from}`);
    const added = await during(watch.next());
    expect(added).toEqual({ type: 'ADDED', object: created });
    expect(await during(watch.next())).toEqual({ type: 'MODIFIED', object: changed });
    const deleted = await during(watch.next());
    expect(deleted).toMatchObject({ type: 'DELETED', object: { spec: { replicas: 2 } } });
    expect(Number(deleted!.object.metadata.resourceVersion)).toBeGreaterThan(Number(changed.metadata.resourceVersion));
    watch.stop();
  });

  it.each([
    '',
    '&resourceVersion=0',
  ])('without a resourceVersion (%s) begins with the existing objects', async (query) => {
    await create('a');
    await create('b');
    const watch = await watching(query);
    await create('c');
    expect(await eventsOf(watch, 3)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    watch.stop();
  });

  it('turns leaving and entering a label selector into DELETED and ADDED', async () => {
    await create('a', {}, { labels: { color: 'red' } });
    const from = await positionNow();
    const watch = await watching(`&resourceVersion=${from}&labelSelector=color%3Dred`);
    await create('b', {}, { labels: { color: 'blue' } });
    await patch('a', { metadata: { labels: { color: 'blue' } } });
    await patch('a', { spec: { replicas: 9 } });
    await patch('b', { metadata: { labels: { color: 'red' } } });
    await during(client.delete(`${widgets}/a`));
    await during(client.delete(`${widgets}/b`));
    expect(await eventsOf(watch, 3)).toEqual(['DELETED a', 'ADDED b', 'DELETED b']);
    watch.stop();
  });

  it('does the same for a field selector', async () => {
    const events = '/api/v1/namespaces/default/events';
    const event = (name: string, type: string) => ({
      metadata: { name },
      type,
      involvedObject: { namespace: 'default' },
    });
    await during(client.post(events, event('a', 'Warning')));
    const { body } = await during(client.get(events));
    const from = body.metadata.resourceVersion;
    const watch = await during(
      client.watch(`${events}?watch=true&resourceVersion=${from}&fieldSelector=type%3DWarning`),
    );
    await during(client.post(events, event('b', 'Normal')));
    await during(client.patch(`${events}/b`, 'merge', { reason: 'x' }));
    await during(client.patch(`${events}/b`, 'merge', { type: 'Warning' }));
    await during(client.patch(`${events}/a`, 'merge', { type: 'Normal' }));
    await during(client.patch(`${events}/a`, 'merge', { reason: 'x' }));
    await during(client.delete(`${events}/b`));
    expect(await eventsOf(watch, 3)).toEqual(['ADDED b', 'DELETED a', 'DELETED b']);
    watch.stop();
  });

  it('knows initially what a field selector matches', async () => {
    const events = '/api/v1/namespaces/default/events';
    const event = (name: string, type: string) => ({
      metadata: { name },
      type,
      involvedObject: { namespace: 'default' },
    });
    await during(client.post(events, event('a', 'Normal')));
    await during(client.post(events, event('b', 'Warning')));
    const watch = await during(client.watch(`${events}?watch=true&fieldSelector=type%3DWarning`));
    await during(client.patch(`${events}/a`, 'merge', { type: 'Warning' }));
    await during(client.patch(`${events}/b`, 'merge', { type: 'Normal' }));
    expect(await eventsOf(watch, 3)).toEqual(['ADDED b', 'ADDED a', 'DELETED b']);
    watch.stop();
  });

  it('with a field selector continues from a resourceVersion as from that state', async () => {
    const events = '/api/v1/namespaces/default/events';
    const send = (name: string, type: string) =>
      during(client.post(events, { metadata: { name }, type, involvedObject: { namespace: 'default' } }));
    const become = (name: string, type: string) => during(client.patch(`${events}/${name}`, 'merge', { type }));
    await send('comes', 'Normal');
    await send('went', 'Warning');
    const { body } = await during(client.get(events));
    await become('went', 'Normal');
    const watch = await during(
      client.watch(
        `${events}?watch=true&fieldSelector=type%3DWarning&resourceVersion=${body.metadata.resourceVersion}`,
      ),
    );
    await become('comes', 'Warning');
    expect(await eventsOf(watch, 2)).toEqual(['DELETED went', 'ADDED comes']);
    watch.stop();
  });

  it('of one name omits other names and namespaces', async () => {
    const watch = await watching('&fieldSelector=metadata.name%3Dkeep');
    await create('other');
    await create('keep');
    expect(await eventsOf(watch, 1)).toEqual(['ADDED keep']);
    watch.stop();
    const from = await positionNow();
    const elsewhere = await during(
      client.watch(
        `/apis/example.com/v1/namespaces/kube-system/widgets?watch=true&timeoutSeconds=5&resourceVersion=${from}`,
      ),
    );
    await create('late');
    expect(await eventsOf(elsewhere, 1)).toEqual(['end']);
  });

  it('needs a collection: a single object is returned, whatever the query is', async () => {
    await create('a');
    for (const path of ['a', 'a/status'])
      expect((await client.get(`${widgets}/${path}?watch=true`)).body).toMatchObject({ kind: 'Widget' });
  });

  it('ends after timeoutSeconds, with a bookmark when those are allowed', async () => {
    await create('a');
    const from = await positionNow();
    const started = clock.now();
    const watch = await watching(`&resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=20`);
    const last = await during(watch.next());
    expect(last).toEqual({
      type: 'BOOKMARK',
      object: {
        kind: 'Widget',
        apiVersion: 'example.com/v1',
        metadata: { resourceVersion: from, creationTimestamp: null },
      },
    });
    expect(await during(watch.next())).toBeUndefined();
    expect(clock.now() - started).toBeLessThan(22_000);
  });

  it('sends a bookmark every minute where the client allows them, and no other line while idle', async () => {
    const began = clock.now();
    const marked = await watching('&allowWatchBookmarks=true&timeoutSeconds=300');
    for (const minutes of [1, 2, 3]) {
      expect((await during(marked.next()))?.type).toBe('BOOKMARK');
      expect(Math.round((clock.now() - began) / 60_000)).toBe(minutes);
    }
    marked.stop();
  });

  it('sends nothing to an idle client that allows no bookmarks', async () => {
    const plain = await watching('&timeoutSeconds=600');
    expect(await during(plain.next())).toBeUndefined();
  });

  it('serves clients that decode every line as JSON, such as the Python client', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const read = async (query: string) => {
      const request = new Request(`https://server${widgets}?watch=true&timeoutSeconds=200${query}`, { headers });
      const response = await during(server.fetch(request));
      const text = response.text();
      await clock.advance(100_000);
      await create(`w${query.length}`);
      const lines = (await during(text)).split('\n');
      expect(lines.pop()).toBe('');
      return lines.map((line) => (JSON.parse(line) as { type: string }).type);
    };
    expect(await read('')).toEqual(['ADDED']);
    expect(await read('&allowWatchBookmarks=true')).toEqual([
      'ADDED',
      'BOOKMARK',
      'ADDED',
      'BOOKMARK',
      'BOOKMARK',
      'BOOKMARK',
    ]);
  });

  it('as a Table sends its columns once', async () => {
    await create('a', { replicas: 3 });
    await create('b');
    const watch = await watching('&allowWatchBookmarks=true&timeoutSeconds=5', { accept: table });
    const first = await during(watch.next());
    expect(first!.object).toMatchObject({ kind: 'Table', rows: [{ cells: ['a', 3, null, null, expect.any(String)] }] });
    expect(first!.object.columnDefinitions).toHaveLength(5);
    expect((await during(watch.next()))!.object.columnDefinitions).toBeNull();
    expect((await during(watch.next()))!.object).toMatchObject({
      kind: 'Table',
      rows: [],
      metadata: { resourceVersion: expect.any(String) },
    });
  });

  it('in another version converts each event', async () => {
    const watch = await during(client.watch('/apis/example.com/v1beta1/namespaces/default/widgets?watch=true'));
    await create('a', { replicas: 4 });
    expect(await during(watch.next())).toMatchObject({
      type: 'ADDED',
      object: { apiVersion: 'example.com/v1beta1', spec: { count: 4 } },
    });
    watch.stop();
  });

  it('from an expired resourceVersion returns 410', async () => {
    await create('a');
    const watch = await watching('&resourceVersion=1');
    expect(await during(watch.next())).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired' },
    });
    expect(await during(watch.next())).toBeUndefined();
  });

  it.each([
    {
      rule: 'from the future',
      query: '&resourceVersion=900000000000000',
      status: 504,
      says: 'Too large resource version',
    },
    {
      rule: 'that streams a list from the future',
      query: '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=900000000000000',
      status: 504,
      says: 'Too large resource version',
    },
    {
      rule: 'that streams a list of any age',
      query: '&sendInitialEvents=true',
      status: 422,
      says: 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    },
    {
      rule: 'that streams a list of an exact age',
      query: '&sendInitialEvents=false&resourceVersionMatch=Exact&resourceVersion=1',
      status: 422,
      says: 'supported values: "NotOlderThan", ""',
    },
    {
      rule: 'that streams the rest of a list',
      query: '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x',
      status: 422,
      says: 'resourceVersionMatch is forbidden when continue is provided',
    },
    {
      rule: 'that matches versions',
      query: '&resourceVersionMatch=Exact',
      status: 422,
      says: 'resourceVersionMatch is forbidden',
    },
    {
      rule: 'from an invalid resourceVersion',
      query: '&resourceVersion=abc',
      status: 400,
      says: 'invalid resource version',
    },
    {
      rule: 'by an unknown field',
      query: '&fieldSelector=spec.size%3Dx',
      status: 400,
      says: 'field label not supported',
    },
  ])('$rule is rejected with $status', async ({ query, status, says }) => {
    const answer = await during(client.get(`${widgets}?watch=true${query}`));
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(says);
  });

  describe('that streams a list', () => {
    const initial = '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const eventsOf = async (watch: Awaited<ReturnType<typeof watching>>, count: number) => {
      const events = [];
      for (let i = 0; i < count; i++) events.push((await during(watch.next()))!);
      watch.stop();
      return events;
    };

    it.each([
      '',
      '&resourceVersion=0',
      '&resourceVersion=1',
      '&resourceVersion=',
    ])('sends what exists, then its mark, then what changes (%s)', async (version) => {
      await create('a');
      await create('b');
      const watch = await watching(initial + version);
      await create('c');
      const events = await eventsOf(watch, 4);
      expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
        ['ADDED', 'a'],
        ['ADDED', 'b'],
        ['BOOKMARK', undefined],
        ['ADDED', 'c'],
      ]);
      const [, last, mark] = events;
      expect(mark!.object).toMatchObject({
        kind: 'Widget',
        apiVersion: 'example.com/v1',
        metadata: {
          annotations: { 'k8s.io/initial-events-end': 'true' },
          resourceVersion: last!.object.metadata.resourceVersion,
        },
      });
    });

    it('sends the mark in the form of its events, and alone if nothing is selected', async () => {
      await create('a');
      const accept = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';
      const watch = await watching(`${initial}&labelSelector=absent%3Dyes`, { accept });
      const [mark] = await eventsOf(watch, 1);
      expect(mark).toMatchObject({
        type: 'BOOKMARK',
        object: { kind: 'PartialObjectMetadata', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
      });
    });

    it('sends no mark to a client that takes no bookmarks', async () => {
      await create('a');
      const watch = await watching('&sendInitialEvents=1&resourceVersionMatch=NotOlderThan');
      await create('b');
      const events = await eventsOf(watch, 2);
      expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
        ['ADDED', 'a'],
        ['ADDED', 'b'],
      ]);
    });

    it.each(['', '&resourceVersion=0'])('sends only changes without the initial events (%s)', async (version) => {
      await create('a');
      const watch = await watching(`&sendInitialEvents=false&resourceVersionMatch=NotOlderThan${version}`);
      await create('b');
      const events = await eventsOf(watch, 1);
      expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([['ADDED', 'b']]);
    });
  });

  it('releases everything when its client disconnects', async () => {
    const watch = await watching('');
    const pending = clock.pending;
    watch.stop();
    await during(Promise.resolve(watch.next()));
    expect(clock.pending).toBeLessThan(pending);
  });

  it.each([
    { rule: 'whose client disconnected before it began', leavesFirst: true, events: 0 },
    { rule: 'whose client disconnected without reading', leavesFirst: false, events: 70 },
  ])('$rule releases everything', async ({ leavesFirst, events }) => {
    const before = clock.pending;
    const leaving = new AbortController();
    if (leavesFirst) leaving.abort();
    const { signal } = leaving;
    const headers = { authorization: `Bearer ${token}` };
    const request = new Request(`https://server${widgets}?watch=true`, { headers, signal });
    await during(server.fetch(request));
    for (let i = 0; i < events; i++) await create(`w${i}`);
    leaving.abort();
    await clock.advance(1000);
    expect(clock.pending).toBe(before);
  });
});
