/** Loads for any API server with the same kind. */
import { closedLoop, type Spread, spread } from './closed-loop.ts';
import { collection, merge, objectOf } from './objects.ts';
import { clientOf, cpuOf, type LoadClient, memoryOf, type Target } from './target.ts';

export type Load =
  | { of: 'create' | 'patch' | 'get' | 'delete'; objects: number; calls: number; concurrency: number }
  | { of: 'list'; objects: number; calls: number; concurrency: number }
  /** Patches for some seconds, while another client lists all objects without a pause. */
  | { of: 'patch beside lists'; objects: number; concurrency: number; seconds: number }
  /** Watches of all objects, and changes per second. */
  | { of: 'fan-out'; objects: number; watchers: number; perSecond: number; seconds: number };

export interface Measured extends Spread {
  /** The server processes' CPU per call or change. */
  cpuMs: number;
  /** Bytes at the end. */
  memory: number;
  /** Expected events that did not arrive. */
  missing: number;
}

const nameOf = (index: number, objects: number) => `bench-${index % objects}`;

const call = (
  client: LoadClient,
  { of, objects }: { of: Load['of']; objects: number },
  index: number,
): Promise<unknown> => {
  const name = nameOf(index, objects);
  switch (of) {
    case 'create':
      return client.send('POST', collection, { body: objectOf(name) });
    case 'patch': {
      const body = JSON.stringify({ metadata: { labels: { value: `p${index}` } } });
      return client.send('PATCH', `${collection}/${name}`, { body, contentType: merge });
    }
    case 'get':
      return client.send('GET', `${collection}/${name}`);
    case 'list':
      return client.send('GET', collection);
    default:
      return client.send('DELETE', `${collection}/${name}`);
  }
};

/** The time of a list counts as that of a patch: the longest call shows how long the server stalls. */
const patchBesideLists = async (
  client: LoadClient,
  target: Target,
  { objects, concurrency, seconds }: Extract<Load, { of: 'patch beside lists' }>,
): Promise<Measured> => {
  const taken: number[] = [];
  let patches = 0;
  const cpu = cpuOf(target);
  const began = performance.now();
  const repeat = async (of: 'patch' | 'list') => {
    while (performance.now() - began < seconds * 1000) {
      const sent = performance.now();
      await call(client, { of, objects }, of === 'patch' ? patches++ : 0);
      taken.push(performance.now() - sent);
    }
  };
  await Promise.all([repeat('list'), ...Array.from({ length: concurrency }, () => repeat('patch'))]);
  const cpuMs = (cpuOf(target) - cpu) / patches;
  const perSecond = (patches * 1000) / (performance.now() - began);
  return { ...spread(taken, perSecond), cpuMs, memory: memoryOf(target), missing: 0 };
};

const marker = Buffer.from('"sequence":"');
const digits = 8;

/** Calls `seen` for each number in a stream, whatever its chunks. */
export const sequencesIn = (seen: (sequence: number) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes: Buffer): void => {
    const all = rest.length > 0 ? Buffer.concat([rest, bytes]) : bytes;
    let done = 0;
    for (let at = all.indexOf(marker); at >= 0; at = all.indexOf(marker, done)) {
      const begin = at + marker.length;
      if (begin + digits > all.length) break;
      seen(Number(all.toString('latin1', begin, begin + digits)));
      done = begin + digits;
    }
    // A marker or its number may continue in the next chunk.
    rest = all.subarray(Math.max(done, all.length - marker.length - digits));
  };
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const fanOut = async (
  client: LoadClient,
  target: Target,
  { objects, watchers, perSecond, seconds }: Extract<Load, { of: 'fan-out' }>,
): Promise<Measured> => {
  const changes = perSecond * seconds;
  const sentAt = new Float64Array(changes);
  const taken: number[] = [];
  const { metadata } = JSON.parse((await client.send('GET', `${collection}?limit=1`)).text) as {
    metadata: { resourceVersion: string };
  };
  // Unique to this run: writing an existing label would be no change.
  const first = Math.floor(Math.random() * (10 ** digits - changes));
  const path = `${collection}?watch=1&resourceVersion=${metadata.resourceVersion}`;
  const onSequence = (sequence: number) => {
    const sent = sentAt[sequence - first];
    if (sent) taken.push(performance.now() - sent);
  };
  await Promise.all(Array.from({ length: watchers }, () => client.watch(path, sequencesIn(onSequence))));
  const cpu = cpuOf(target);
  const began = performance.now();
  const writes: Promise<unknown>[] = [];
  for (let index = 0; index < changes; index++) {
    const due = began + (index * 1000) / perSecond;
    const early = due - performance.now();
    if (early > 0.5) await sleep(early);
    sentAt[index] = performance.now();
    const labels = { sequence: String(first + index).padStart(digits, '0') };
    const body = JSON.stringify({ metadata: { labels } });
    writes.push(client.send('PATCH', `${collection}/${nameOf(index, objects)}`, { body, contentType: merge }));
  }
  await Promise.all(writes);
  const written = performance.now();
  const expected = changes * watchers;
  while (taken.length < expected && performance.now() - written < 30_000) await sleep(5);
  const cpuMs = (cpuOf(target) - cpu) / changes;
  return {
    ...spread(taken, changes / ((performance.now() - began) / 1000)),
    cpuMs,
    memory: memoryOf(target),
    missing: expected - taken.length,
  };
};

export const measure = async (target: Target, load: Load): Promise<Measured> => {
  const client = clientOf(target);
  if (load.of === 'fan-out') return fanOut(client, target, load);
  if (load.of === 'patch beside lists') return patchBesideLists(client, target, load);
  const { calls, concurrency } = load;
  // Connects before the measurement starts.
  await Promise.all(Array.from({ length: concurrency }, () => client.send('GET', '/version')));
  const cpu = cpuOf(target);
  const began = performance.now();
  const taken = await closedLoop(calls, concurrency, (index) => call(client, load, index));
  const seconds = (performance.now() - began) / 1000;
  const cpuMs = (cpuOf(target) - cpu) / calls;
  client.close();
  return { ...spread(taken, calls / seconds), cpuMs, memory: memoryOf(target), missing: 0 };
};
