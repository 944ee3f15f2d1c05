import { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Head } from '../adapters/aws/lambda/http.ts';
import { noRestrictions } from '../machinery/server/index.ts';
import proxy from './fixtures/api-gateway-proxy.json' with { type: 'json' };
import type { Invocation } from './handle.ts';
import { createServing } from './runtime/serving.ts';
import type { StreamingHandler } from './streams.ts';
import { watches } from './watch.ts';
import { createWorld, type World } from './world.fixture.ts';

const minute = 60_000;
const path = '/api/v1/namespaces/default/configmaps';

/** A process of the function whose clients never close their streams. */
const processOf = ({ foundation, clock }: World, most: number) => {
  const options = {
    authenticate: () => ({ username: 'me', groups: [] }),
    rightsOf: () => noRestrictions,
    watches: most,
  };
  const serving = createServing(foundation, options);
  const run = watches(() => serving, {
    streamifyResponse: (handler) => handler,
    HttpResponseStream: {
      from: (stream, head) => {
        (stream as Recorded).head = head;
        return stream;
      },
    },
  }) as StreamingHandler;
  return (query: Record<string, string[]> = {}) => {
    const stream = new Recorded();
    const began = clock.now();
    const invocation: Invocation = {
      awsRequestId: 'a',
      getRemainingTimeInMillis: () => began + 5.5 * minute - clock.now(),
    };
    const event = { ...proxy, httpMethod: 'GET', path, multiValueQueryStringParameters: { watch: ['true'], ...query } };
    const ended = run(event, stream, invocation).then(() => clock.now() - began);
    return { stream, ended };
  };
};

class Recorded extends Writable {
  head: Head | undefined;
  text = '';
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

const begun = async (world: World, one: { stream: Recorded }) => {
  while (!one.stream.head) {
    await world.clock.advance(1);
    // Modules load in real time.
    await setTimeout(1);
  }
  return one.stream.head;
};

describe('a watch whose client disappeared', () => {
  it.each([
    { rule: 'ends within five minutes', timeoutSeconds: [] },
    { rule: 'ends within five minutes even when a longer timeout was requested', timeoutSeconds: ['3600'] },
  ])('$rule, and sends nothing in between', async ({ timeoutSeconds }) => {
    const world = createWorld();
    const watch = processOf(world, 10)({ timeoutSeconds });
    await begun(world, watch);
    await world.clock.advance(5 * minute);
    expect(await watch.ended).toBeLessThan(5 * minute);
    expect(await watch.ended).toBeGreaterThan(3.9 * minute);
    expect(watch.stream.text).toBe('');
  });

  it('lasts as long as requested when that is shorter', async () => {
    const world = createWorld();
    const watch = processOf(world, 10)({ timeoutSeconds: ['20'] });
    await world.clock.advance(25_000);
    expect(await watch.ended).toBeLessThanOrEqual(21_000);
  });
});

describe('the limit of open watches', () => {
  it('is shared by all processes; one more watch gets 429 with Retry-After, and succeeds later', async () => {
    const world = createWorld();
    const [one, other] = [processOf(world, 2), processOf(world, 2)];
    const open = [one(), other()];
    for (const watch of open) expect((await begun(world, watch)).statusCode).toBe(200);

    const refused = other();
    const { statusCode, headers } = await begun(world, refused);
    const status = JSON.parse(refused.stream.text);
    expect([statusCode, status]).toMatchObject([
      429,
      { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'TooManyRequests', code: 429 },
    ]);
    expect(Number(headers['retry-after'])).toBe(status.details.retryAfterSeconds);
    expect(status.details.retryAfterSeconds).toBeGreaterThan(0);
    await refused.ended;

    await world.clock.advance(5 * minute);
    for (const watch of open) expect(await watch.ended).toBeLessThan(5 * minute);
    expect((await begun(world, one())).statusCode).toBe(200);
  });

  it('shortens watches while it is nearly reached', async () => {
    const world = createWorld();
    const watching = processOf(world, 3);
    const open = [watching(), watching(), watching()];
    for (const watch of open) await begun(world, watch);
    await world.clock.advance(5 * minute);
    const lasted = (await Promise.all(open.map(({ ended }) => ended))).sort((a, b) => a - b);
    expect(lasted[0]).toBeLessThan(2 * minute);
    expect(lasted[2]).toBeGreaterThan(3.9 * minute);
  });

  it('recovers from processes that were killed', async () => {
    const world = createWorld();
    const { objects } = world.foundation;
    const write = objects.write;
    // A killed process does not release its watches.
    objects.write = (given) => ('delete' in given ? Promise.resolve(undefined) : write(given));
    const watching = processOf(world, 1);
    await begun(world, watching());
    await world.clock.advance(6 * minute);
    objects.write = write;
    expect((await begun(world, watching())).statusCode).toBe(200);
  });

  it('refuses an unauthenticated client first', async () => {
    const world = createWorld();
    const otherServing = createServing(world.foundation, {
      authenticate: () => undefined,
      rightsOf: () => noRestrictions,
      watches: 1,
    });
    const asked = () => otherServing.server.fetch(new Request(`https://capstan${path}?watch=true`));
    expect([(await asked()).status, (await asked()).status]).toEqual([401, 401]);
    expect((await begun(world, processOf(world, 1)())).statusCode).toBe(200);
  });

  it('does not count a refused watch', async () => {
    const world = createWorld();
    const watching = processOf(world, 1);
    expect((await begun(world, watching({ resourceVersion: ['9'.repeat(15)] }))).statusCode).toBe(504);
    expect((await begun(world, watching({ timeoutSeconds: ['soon'] }))).statusCode).toBe(400);
    expect((await begun(world, watching())).statusCode).toBe(200);
  });

  it('does not count lists', async () => {
    const world = createWorld();
    const watching = processOf(world, 1);
    await begun(world, watching());
    expect((await begun(world, watching({ watch: ['false'] }))).statusCode).toBe(200);
  });
});
