/** The cost of each verb. */
import type { ApiClient } from './clients.ts';
import { closedLoop, type Spread, spread } from './closed-loop.ts';
import { collection, merge, objectOf } from './objects.ts';

export interface Timing extends Spread {
  client: string;
  objects: number;
  verb: string;
  calls: number;
  cpuMs: number;
}

export interface VerbOptions {
  objects: number;
  /** Requests per verb, and their concurrency. */
  calls: number;
  concurrency: number;
}

/** Runs `call` a number of times, with a bounded concurrency. */
const time = async (
  about: Pick<Timing, 'client' | 'objects' | 'verb'>,
  { calls, concurrency }: Pick<VerbOptions, 'calls' | 'concurrency'>,
  call: (index: number) => Promise<unknown>,
): Promise<Timing> => {
  const cpu = process.cpuUsage();
  const began = performance.now();
  const taken = await closedLoop(calls, concurrency, call);
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { ...about, calls, ...spread(taken, calls / seconds), cpuMs: (user + system) / 1000 / calls };
};

/** Lines that a watch delivers; the latency is from request to line. */
const timeWatch = async (
  client: ApiClient,
  path: string,
  about: Pick<Timing, 'client' | 'objects'>,
  options: Pick<VerbOptions, 'calls' | 'concurrency'>,
  change: (index: number) => Promise<unknown>,
): Promise<Timing> => {
  let events = 0;
  const arrived: (() => void)[] = [];
  const { metadata } = JSON.parse(await client.send('GET', `${path}?limit=1`)) as {
    metadata: { resourceVersion: string };
  };
  const stop = await client.watch(`${path}?watch=1&resourceVersion=${metadata.resourceVersion}`, (bytes) => {
    for (const byte of bytes) if (byte === 0x0a) arrived[events++]?.();
  });
  const delivered = (index: number) =>
    new Promise<void>((resolve) => {
      if (index < events) resolve();
      else arrived[index] = resolve;
    });
  const timing = await time({ ...about, verb: 'watch event' }, options, (index) =>
    Promise.all([change(index), delivered(index)]),
  );
  stop();
  return timing;
};

/** Creates the objects, applies each verb, and deletes them. */
export const timeVerbs = async (client: ApiClient, { objects, calls, concurrency }: VerbOptions): Promise<Timing[]> => {
  const path = collection;
  const about = { client: client.name, objects };
  const some = { calls, concurrency };
  const few = { calls: Math.max(1, Math.round(calls / 20)), concurrency: 1 };
  const nameOf = (index: number) => `t${index % objects}`;
  const label = (index: number, value: string) =>
    client.send('PATCH', `${path}/${nameOf(index)}`, JSON.stringify({ metadata: { labels: { value } } }), merge);
  const timings = [
    await time({ ...about, verb: 'create' }, { calls: objects, concurrency }, (index) =>
      client.send('POST', path, objectOf(nameOf(index), 20)),
    ),
    await time({ ...about, verb: 'get' }, some, (index) => client.send('GET', `${path}/${nameOf(index)}`)),
    await time({ ...about, verb: 'patch' }, some, (index) => label(index, `p${index}`)),
    await time({ ...about, verb: 'list' }, few, () => client.send('GET', path)),
    await time({ ...about, verb: 'list a page of 50' }, few, () => client.send('GET', `${path}?limit=50`)),
    await timeWatch(client, path, about, { calls, concurrency: 1 }, (index) => label(index, `w${index}`)),
  ];
  const end = await time({ ...about, verb: 'delete' }, { calls: objects, concurrency }, (index) =>
    client.send('DELETE', `${path}/${nameOf(index)}`),
  );
  return [...timings, end];
};
