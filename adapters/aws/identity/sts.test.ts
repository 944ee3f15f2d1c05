import { describe, expect, it } from 'vitest';
import {
  bearing,
  caller,
  clusterId,
  encoded,
  json,
  type Net,
  net,
  parametersAt,
  stamp,
  start,
  sts,
  urlOf,
} from './identity.fixture.ts';
import { createAuthenticate } from './index.ts';

const token = (cluster = clusterId, time = start, expires = '60') =>
  encoded(urlOf({ ...parametersAt(time), 'X-Amz-Expires': expires }, undefined, cluster));
const keyOf = (number: number) => `AKIDEXAMPLE${String(number).padStart(7, '0')}`;
/** A token of one access key out of many. */
const tokenOf = (number: number, time = start, cluster = clusterId) => {
  const credential = `${keyOf(number)}/20260102/eu-central-1/sts/aws4_request`;
  return encoded(urlOf({ ...parametersAt(time), 'X-Amz-Credential': credential }, undefined, cluster));
};
const over = (at: Net, endpoint?: string) => {
  const config = { clusterId, region: 'eu-central-1', ...(endpoint && { endpoint }) };
  const authenticate = createAuthenticate({ sts: config }, at);
  return (text: string) => authenticate(bearing(text));
};
const unavailable = { code: 503, reason: 'ServiceUnavailable' };

describe('an AWS identity', () => {
  it('is taken from the STS response', async () => {
    const at = net(sts);
    expect(await over(at)(token())).toEqual({
      username: 'arn:aws:iam::111122223333:role/Admin',
      uid: 'AROAEXAMPLE:ann',
      groups: ['system:authenticated'],
      extra: {
        arn: ['arn:aws:sts::111122223333:assumed-role/Admin/ann'],
        accessKeyId: ['AKIDEXAMPLEEXAMPLE'],
        sessionName: ['ann'],
      },
    });
    expect(at.asked[0]!.headers).toEqual({ accept: 'application/json', 'x-k8s-aws-id': clusterId });
  });

  it('is not given to a token that is signed for another cluster', async () => {
    expect(await over(net(sts))(token('another'))).toBeUndefined();
  });

  it('is requested from the emulator with the query that was signed', async () => {
    const at = net(() => caller());
    await over(at, 'http://127.0.0.1:4999/')(token());
    expect(at.asked[0]!.url).toMatch(/^http:\/\/127\.0\.0\.1:4999\/\?Action=GetCallerIdentity&/);
  });

  it.each([
    { arn: 'arn:aws:iam::111122223333:user/path/bob', username: 'arn:aws:iam::111122223333:user/path/bob' },
    { arn: 'arn:aws:iam::111122223333:root', username: 'arn:aws:iam::111122223333:root' },
    {
      arn: 'arn:aws-cn:sts::111122223333:assumed-role/AWSReservedSSO_Admin_0a1b/bob@example.com',
      username: 'arn:aws-cn:iam::111122223333:role/AWSReservedSSO_Admin_0a1b',
    },
    { arn: 'arn:aws:sts::111122223333:federated-user/bob', username: 'arn:aws:sts::111122223333:federated-user/bob' },
  ])('is named $username', async ({ arn, username }) => {
    expect(await over(net(() => caller(arn)))(token())).toMatchObject({ username });
  });

  it.each([
    { rule: 'an error response', answer: () => json({ Error: { Code: 'SignatureDoesNotMatch' } }, 403) },
    { rule: 'expired credentials', answer: () => json({ Error: { Code: 'ExpiredToken' } }, 400) },
    { rule: 'another account in the ARN', answer: () => caller(undefined, '999988887777') },
    { rule: 'an ARN of another service', answer: () => caller('arn:aws:s3:::111122223333:bucket') },
    { rule: 'a role that is not assumed', answer: () => caller('arn:aws:iam::111122223333:role/Admin') },
    { rule: 'a response of another shape', answer: () => json({ GetCallerIdentityResult: {} }) },
    { rule: 'a null response', answer: () => json(null) },
    { rule: 'an HTML response', answer: () => new Response('<html>') },
    { rule: 'a success status other than 200', answer: () => new Response('{}', { status: 203 }) },
  ])('is refused after $rule', async ({ answer }) => expect(await over(net(answer))(token())).toBeUndefined());

  it.each([
    { rule: 'STS throttles', answer: () => json({ Error: { Code: 'Throttling' } }, 400) },
    { rule: 'STS fails', answer: () => json({}, 500) },
    { rule: 'STS answers 429', answer: () => json({}, 429) },
    {
      rule: 'STS cannot be reached',
      answer: () => {
        throw new TypeError('fetch failed');
      },
    },
  ])('is unavailable, not refused, when $rule', async ({ answer }) => {
    const at = net(answer);
    const ask = over(at);
    await expect(ask(token())).rejects.toMatchObject(unavailable);
    await expect(ask(token())).rejects.toMatchObject(unavailable);
    expect(at.asked).toHaveLength(2);
  });

  it('is refused when the response has no end', async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }));
    expect(await over(net(endless))(token())).toBeUndefined();
  });
});

describe('a cached identity', () => {
  it('is kept for five minutes and requested once for concurrent tokens', async () => {
    const at = net(sts);
    const ask = over(at);
    const users = await Promise.all([1, 2, 3].map(() => ask(token())));
    expect(new Set(users.map((user) => user?.username)).size).toBe(1);
    await at.clock.advance(4 * 60_000);
    await ask(token());
    expect(at.asked).toHaveLength(1);
    await at.clock.advance(2 * 60_000);
    await ask(token());
    expect(at.asked).toHaveLength(2);
  });

  it('expires with the token', async () => {
    const at = net(sts);
    const ask = over(at);
    await at.clock.advance(14 * 60_000);
    expect(await ask(token())).toBeDefined();
    await at.clock.advance(2 * 60_000);
    expect(await ask(token())).toBeUndefined();
    expect(at.asked).toHaveLength(1);
  });

  it('is cached for a minute when refused, per token', async () => {
    const at = net(sts);
    const ask = over(at);
    for (let i = 0; i < 5; i++) expect(await ask(token('another'))).toBeUndefined();
    expect(at.asked).toHaveLength(1);
    expect(await ask(token())).toBeDefined();
    await at.clock.advance(61_000);
    await ask(token('another'));
    expect(at.asked).toHaveLength(3);
  });

  it('is not evicted by forged tokens', async () => {
    const at = net(sts);
    const ask = over(at);
    await ask(token());
    for (let i = 0; i < 1100; i++) await ask(tokenOf(i, start, 'another'));
    const before = at.asked.length;
    await ask(token());
    expect(at.asked).toHaveLength(before);
    await ask(tokenOf(0, start, 'another'));
    expect(at.asked).toHaveLength(before + 1);
  });

  it('is requested for a bounded number of tokens at a time', async () => {
    let answer = () => {};
    const waiting = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const at = net(async (url, headers) => {
      await waiting;
      return sts(url, headers);
    });
    const ask = over(at);
    const all = Array.from({ length: 60 }, (_, i) => ask(tokenOf(i)));
    const settled = Promise.allSettled(all);
    await at.clock.advance(0);
    answer();
    const outcomes = await settled;
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    expect(at.asked).toHaveLength(50);
  });
});

describe('tokens that need a call to STS', () => {
  const from = (at: Net) => {
    const authenticate = createAuthenticate({ sts: { clusterId, region: 'eu-central-1' } }, at);
    return (text: string, address: string) => {
      const { headers } = bearing(text);
      return authenticate(
        new Request('https://capstan.example/api', {
          headers: { ...Object.fromEntries(headers), 'x-forwarded-for': address },
        }),
      );
    };
  };
  const tooMany = { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } };

  it('are limited per source address, whatever access keys they name', async () => {
    const at = net(() => json({}, 403));
    const authenticate = from(at);
    for (let i = 0; i < 50; i++) expect(await authenticate(tokenOf(i), '192.0.2.1')).toBeUndefined();
    await expect(authenticate(tokenOf(50), '192.0.2.1')).rejects.toMatchObject(tooMany);
    expect(at.asked).toHaveLength(50);
    expect(await authenticate(tokenOf(50), '192.0.2.2')).toBeUndefined();
    await at.clock.advance(1000);
    expect(await authenticate(tokenOf(51), '192.0.2.1')).toBeUndefined();
  });

  it('are limited per access key at an address, so a stranger who names a key does not lock out its user', async () => {
    const at = net(() => json({}, 403));
    const authenticate = from(at);
    for (let i = 0; i < 25; i++) await authenticate(tokenOf(0, start - i * 1000), '192.0.2.1');
    await expect(authenticate(tokenOf(0, start - 25_000), '192.0.2.1')).rejects.toMatchObject(tooMany);
    expect(at.asked).toHaveLength(25);
    expect(await authenticate(tokenOf(0, start - 25_000), '192.0.2.2')).toBeUndefined();
    expect(at.asked).toHaveLength(26);
  });

  it('leave users at a known address theirs while strangers take all requests at a time', async () => {
    let isHeld = false;
    const held = Promise.withResolvers<void>();
    const at = net(async (url, headers) => {
      if (isHeld && new URL(url).searchParams.get('X-Amz-Date') === stamp(start)) await held.promise;
      return sts(url, headers);
    });
    const authenticate = from(at);
    expect(await authenticate(token(), '192.0.2.1')).toBeDefined();
    isHeld = true;
    const unknownCallers = Array.from({ length: 60 }, (_, n) => authenticate(tokenOf(n), `198.51.100.${n}`));
    const outcomes = Promise.allSettled(unknownCallers);
    expect(await authenticate(tokenOf(99, start - 1000), '192.0.2.1')).toBeDefined();
    await expect(authenticate(tokenOf(98, start - 1000), '198.51.100.99')).rejects.toMatchObject({ code: 503 });
    held.resolve();
    await outcomes;
  });

  it('count once while they are cached', async () => {
    const at = net(sts);
    const authenticate = from(at);
    for (let i = 0; i < 200; i++) expect(await authenticate(token(), '192.0.2.1')).toBeDefined();
    expect(at.asked).toHaveLength(1);
  });
});
