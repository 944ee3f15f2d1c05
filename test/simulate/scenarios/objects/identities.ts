/**
 * Requests without valid authentication and requests of users without permissions neither return
 * nor change anything.
 */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { bodyOf, configMaps, placeOf, type Session, secrets } from './session.ts';

type Status = KubeObject & { reason?: string };

/**
 * Repeats the request until it is answered, with a new token each time, because a token may expire.
 */
const askAs = async (
  { world, clock, draw }: Session,
  token: () => string,
  method: string,
  path: string,
  body?: object,
) => {
  for (;;) {
    const headers = { authorization: `Bearer ${token()}`, 'content-type': 'application/json' };
    const request = new Request(`https://127.0.0.1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    try {
      const response = await world.request(request);
      if (response.status < 500 && response.status !== 429)
        return { code: response.status, status: (await response.json()) as Status };
    } catch {
      // The answer was lost.
    }
    await sleep(clock, draw.spread(300, 15_000));
  }
};

const attempts = async (session: Session, who: string, token: () => string, code: number, reason: string) => {
  const { draw, expect, make, newName, ask } = session;
  const own = newName();
  const there = await make(secrets, { name: own }, 'known to few');
  const other = placeOf(configMaps, newName());
  const [one, all] = [placeOf(secrets, own), placeOf(secrets, own).replace(/\/[^/]+$/, '')];
  const tries: [method: string, path: string, body?: object][] = [
    ['GET', one],
    ['GET', all],
    ['GET', `${all}?watch=true`],
    // Every authenticated user may discover the API.
    ['GET', code === 401 ? '/apis' : '/metrics'],
    ['DELETE', one],
    ['DELETE', all],
    ['PUT', one, { ...there, data: {} }],
    ['POST', other.replace(/\/[^/]+$/, ''), bodyOf(configMaps, { name: other.slice(other.lastIndexOf('/') + 1) })],
  ];
  const [method, path, body] = draw.pick(tries);
  const answer = await askAs(session, token, method, path, body);
  expect(`the answer to ${who} for ${method} ${path}`, `${answer.code} ${answer.status.reason}`, `${code} ${reason}`);
  const after = await ask('GET', one, 200);
  expect(`what ${who} changed`, after.metadata.resourceVersion, there.metadata.resourceVersion);
  await ask('GET', other, 404);
};

/** A server caches the verdict about a token for this long, by its own clock. */
const believed = 6 * 60_000;
const signedFor = 10 * 60_000;

export const identities = {
  'authenticate with a revoked key': async (session: Session) => {
    const { clock, draw, expect, world } = session;
    const { token, leave } = world.identities.leaver();
    // Concurrent requests, so that several servers cache the verdict.
    const ask = async () => {
      const answers = await Promise.all([1, 2, 3, 4].map(() => askAs(session, () => token, 'GET', '/apis')));
      return [...new Set(answers.map(({ code }) => code))].join();
    };
    const began = clock.now();
    const known = await ask();
    // The wait exceeded the lifetime of the signature.
    if (clock.now() - began > signedFor) return leave();
    expect('the answer before the access key is revoked', known, '200');
    leave();
    await sleep(clock, believed + draw.spread(1000, 60_000));
    expect('the answer after the access key is revoked', await ask(), '401');
  },
  'authenticate with an invalid token': async (session: Session) => {
    const { draw, world } = session;
    const who = draw.pick(Object.keys(world.identities.invalidTokens()));
    await attempts(session, who, () => world.identities.invalidTokens()[who]!, 401, 'Unauthorized');
  },
  'request without permissions': async (session: Session) =>
    attempts(session, 'a guest', session.world.identities.guest, 403, 'Forbidden'),
};
