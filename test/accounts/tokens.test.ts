/** Tokens of ServiceAccounts: who gets one, what it asserts, and when it stops being valid. */
import { createHmac, createPublicKey, createSign, generateKeyPairSync } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RightsWorld } from '../rights/world.ts';
import {
  accountOf,
  accounts,
  createAccount,
  createAccountsWorld,
  grant,
  issuer,
  requestToken,
  reviewToken,
  secrets,
  tokenOf,
  whoIs,
} from './world.ts';

const own = 'https://kubernetes.default.svc';
const hour = 3_600_000;
const start = Date.UTC(2026, 10, 30);

let world: RightsWorld;
let uid: string;
beforeEach(async () => {
  world = createAccountsWorld();
  await world.root.get('/api/v1/namespaces');
  uid = (await createAccount(world, 'robot')).metadata.uid!;
});

const wait = (ms: number) => world.clock.advance(ms);

describe('a TokenRequest', () => {
  it('is answered with a token of the account for one hour', async () => {
    const { status, body } = await requestToken(world, 'robot');
    const { token, expirationTimestamp } = body.status as Record<string, string>;
    expect(status).toBe(201);
    expect(body).toMatchObject({
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: 'robot', namespace: 'default' },
      spec: { audiences: [own], expirationSeconds: 3600 },
    });
    const now = start / 1000;
    expect(expirationTimestamp).toBe('2026-11-30T01:00:00Z');
    expect(decodeProtectedHeader(token!)).toEqual({ alg: 'RS256', kid: expect.stringMatching(/^[\w-]{43}$/) });
    expect(decodeJwt(token!)).toEqual({
      iss: issuer,
      sub: 'system:serviceaccount:default:robot',
      aud: [own],
      iat: now,
      nbf: now,
      exp: now + 3600,
      jti: expect.any(String),
      'kubernetes.io': { namespace: 'default', serviceaccount: { name: 'robot', uid } },
    });
  });

  it('takes a null for an absent field', async () => {
    const { status, body } = await requestToken(world, 'robot', { expirationSeconds: null });
    expect(status, body.message).toBe(201);
    expect(body.spec.expirationSeconds).toBe(3600);
  });

  it.each([
    [
      { expirationSeconds: 599 },
      422,
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      { expirationSeconds: 2 ** 32 + 1 },
      422,
      'spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [{ expirationSeconds: 'x' }, 422, 'spec.expirationSeconds: Invalid value: "x": must be an integer'],
    [
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } },
      400,
      'cannot bind token to object of type /v1, Kind=Pod',
    ],
    [{ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'none' } }, 404, 'secrets "none" not found'],
  ])('with the spec %j is refused with %i', async (spec, code, message) => {
    const { body } = await requestToken(world, 'robot', spec);
    expect(body).toMatchObject({ kind: 'Status', code, message: expect.stringContaining(message) });
  });

  it('must be for the account of its path, which exists', async () => {
    expect((await requestToken(world, 'robot', {}, { name: 'other', namespace: 'elsewhere' })).body).toMatchObject({
      code: 422,
      message:
        'TokenRequest.authentication.k8s.io "robot" is invalid: [metadata.name: Invalid value: "other": must match the service account name, metadata.namespace: Invalid value: "elsewhere": must match the service account namespace]',
    });
    expect((await requestToken(world, 'none')).body).toMatchObject({
      code: 404,
      message: 'serviceaccounts "none" not found',
    });
    expect((await world.root.post(`${accounts}/robot/token`, accountOf('robot'))).status).toBe(400);
    expect((await world.root.get(`${accounts}/robot/token`)).status).toBe(405);
  });

  it('needs the right to create tokens, and is audited with the id of its token', async () => {
    expect((await world.as('ann').post(`${accounts}/robot/token`, {})).body).toMatchObject({
      code: 403,
      message: expect.stringContaining('User "ann" cannot create resource "serviceaccounts/token"'),
    });
    const token = await tokenOf(world, 'robot');
    expect(world.events.at(-1)).toMatchObject({
      annotations: { 'authentication.kubernetes.io/issued-credential-id': `JTI=${decodeJwt(token).jti}` },
    });
    expect(JSON.stringify(world.events)).not.toContain(token.split('.')[2]);
  });
});

describe('a token', () => {
  it('authenticates in every process, with the rights of the account', async () => {
    const token = await tokenOf(world, 'robot');
    const user = {
      username: 'system:serviceaccount:default:robot',
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${decodeJwt(token).jti}`] },
    };
    expect(await whoIs(world, token)).toEqual(user);
    expect(await whoIs(world, token, 'elsewhere')).toEqual(user);
    expect((await world.as(token).get(accounts)).status).toBe(403);
    await grant(world, 'robot', 'view');
    expect((await world.as(token).get(accounts)).status).toBe(200);
    expect((await world.as(token).get('/api/v1/namespaces/kube-system/serviceaccounts')).status).toBe(403);
  });

  it('expires, with a minute for clocks that differ', async () => {
    const token = await tokenOf(world, 'robot', { expirationSeconds: 600 });
    await wait(600_000 + 50_000);
    expect(await whoIs(world, token)).toMatchObject({ uid });
    await wait(20_000);
    expect(await whoIs(world, token)).toBe(401);
  });

  it('is for its audiences alone', async () => {
    const token = await tokenOf(world, 'robot', { audiences: ['vault', 'aws'] });
    expect(await whoIs(world, token)).toBe(401);
    expect(await reviewToken(world, token)).toMatchObject({ authenticated: false });
    expect(await reviewToken(world, token, ['aws', 'azure'])).toMatchObject({
      authenticated: true,
      audiences: ['aws'],
      user: { username: 'system:serviceaccount:default:robot', uid },
    });
    expect(await reviewToken(world, await tokenOf(world, 'robot'))).toMatchObject({
      authenticated: true,
      audiences: [own],
    });
  });

  it('ends with its account, at once in the process that deletes it and within ten seconds elsewhere', async () => {
    const token = await tokenOf(world, 'robot');
    expect(await whoIs(world, token, 'elsewhere')).toMatchObject({ uid });
    await world.root.delete(`${accounts}/robot`);
    expect(await whoIs(world, token)).toBe(401);
    await wait(10_001);
    expect(await whoIs(world, token, 'elsewhere')).toBe(401);
    await createAccount(world, 'robot');
    await wait(10_001);
    expect(await whoIs(world, token)).toBe(401);
    expect(await whoIs(world, token, 'elsewhere')).toBe(401);
  });

  it('ends a minute after the deletion of an account that a finalizer keeps', async () => {
    await world.root.patch(`${accounts}/robot`, 'merge', { metadata: { finalizers: ['example.com/keep'] } });
    const token = await tokenOf(world, 'robot');
    await world.root.delete(`${accounts}/robot`);
    expect(await whoIs(world, token)).toMatchObject({ uid });
    await wait(61_000);
    expect(await whoIs(world, token)).toBe(401);
  });

  it('that is bound to a Secret ends with it', async () => {
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bond' } };
    const { body } = await world.root.post(secrets, secret);
    const bound = { kind: 'Secret', apiVersion: 'v1', name: 'bond' };
    const other = await requestToken(world, 'robot', { boundObjectRef: { ...bound, uid: 'other' } });
    expect(other.body).toMatchObject({ code: 409, reason: 'Conflict' });
    const token = await tokenOf(world, 'robot', { boundObjectRef: bound });
    expect(decodeJwt(token)['kubernetes.io']).toMatchObject({ secret: { name: 'bond', uid: body.metadata.uid } });
    expect(await whoIs(world, token)).toMatchObject({ uid });
    await world.root.delete(`${secrets}/bond`);
    await world.root.post(secrets, secret);
    expect(await whoIs(world, token)).toBe(401);
  });
});

describe('a forged token', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each(['none', 'HS256', 'RS256'])('with the algorithm %s is refused', async (alg) => {
    const token = await tokenOf(world, 'robot');
    const [head, claims] = token.split('.');
    const { kid } = decodeProtectedHeader(token);
    const { keys } = JSON.parse((await world.root.get('/openid/v1/jwks')).text) as JSONWebKeySet;
    const publicPem = createPublicKey({ key: keys[0] as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const signed = `${encode({ alg, kid })}.${claims}`;
    const signature = {
      none: '',
      HS256: createHmac('sha256', publicPem).update(signed).digest('base64url'),
      RS256: createSign('sha256')
        .update(signed)
        .sign(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey, 'base64url'),
    }[alg];
    expect(await whoIs(world, `${signed}.${signature}`)).toBe(401);
    const richer = encode({ ...decodeJwt(token), sub: 'system:serviceaccount:kube-system:robot' });
    expect(await whoIs(world, `${head}.${richer}.${token.split('.')[2]}`)).toBe(401);
    expect(await whoIs(world, `${encode({ alg, kid: 'unknown' })}.${claims}.${token.split('.')[2]}`)).toBe(401);
    expect(await whoIs(world, token)).toMatchObject({ uid });
  });
});

describe('the issuer', () => {
  const publishedBy = async (from: 'as' | 'elsewhere' = 'as') => {
    const { status, text, headers } = await world[from]('').get('/openid/v1/jwks', { authorization: '' });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/jwk-set+json']);
    return JSON.parse(text) as JSONWebKeySet;
  };

  it('publishes, without credentials, how relying parties verify its tokens', async () => {
    const { status, body } = await world.as('').get('/.well-known/openid-configuration', { authorization: '' });
    expect(status).toBe(200);
    expect(body).toEqual({
      issuer,
      jwks_uri: `${issuer}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
    const keys = await publishedBy();
    expect(keys.keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']]);
    const token = await tokenOf(world, 'robot', { audiences: ['sts.amazonaws.com'] });
    const currentDate = new Date(world.clock.now());
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience: 'sts.amazonaws.com',
      currentDate,
    });
    expect(payload.sub).toBe('system:serviceaccount:default:robot');
  });

  it('replaces its key every 90 days, publishes the next one a day before, and still accepts what the old one signed', async () => {
    const kidOf = (token: string) => decodeProtectedHeader(token).kid;
    const long = { expirationSeconds: 365 * 86_400 };
    const first = await tokenOf(world, 'robot', long);
    await wait(90 * 24 * hour);
    const before = await tokenOf(world, 'robot', long);
    expect(kidOf(before)).toBe(kidOf(first));
    expect((await publishedBy('elsewhere')).keys).toHaveLength(2);
    await wait(24 * hour);
    const after = await tokenOf(world, 'robot', long);
    expect(kidOf(after)).not.toBe(kidOf(first));
    expect((await publishedBy()).keys.map(({ kid }) => kid)).toEqual([kidOf(first), kidOf(after)]);
    for (const token of [first, before, after]) {
      expect(await whoIs(world, token)).toMatchObject({ uid });
      expect(await whoIs(world, token, 'elsewhere')).toMatchObject({ uid });
    }
    const { items } = await world.foundation.objects.query({ pk: 't#keys', consistent: true });
    expect(items.map(({ privateKey }) => privateKey !== undefined)).toEqual([false, true]);
    expect(JSON.stringify(items)).not.toContain('"d":');
  });

  describe('with a key that may be known to others', () => {
    const kidOf = (token: string) => decodeProtectedHeader(token).kid;
    const demand = async (tokenKeys: object) => {
      const path = '/apis/capstan.dev/v1alpha1/installations/capstan';
      const { status, text } = await world.root.patch(path, 'merge', { spec: { tokenKeys } });
      expect(status, text).toBe(200);
      await wait(10_001);
    };
    const now = () => new Date(world.clock.now()).toISOString();

    it('signs with another at once, and accepts what was signed', async () => {
      const first = await tokenOf(world, 'robot');
      await wait(5000);
      await demand({ replaceBefore: now() });
      const after = await tokenOf(world, 'robot');
      expect(kidOf(after)).not.toBe(kidOf(first));
      expect(kidOf(await tokenOf(world, 'robot'))).toBe(kidOf(after));
      for (const token of [first, after])
        for (const process of ['as', 'elsewhere'] as const)
          expect(await whoIs(world, token, process)).toMatchObject({ uid });
      expect((await publishedBy()).keys).toHaveLength(2);
      const { items } = await world.foundation.objects.query({ pk: 't#keys', consistent: true });
      expect(items.map(({ privateKey }) => privateKey !== undefined)).toEqual([false, true]);
    });

    it('refuses what was signed, if that is demanded, in every process', async () => {
      const first = await tokenOf(world, 'robot');
      expect(await whoIs(world, first, 'elsewhere')).toMatchObject({ uid });
      await wait(5000);
      await demand({ revokeBefore: now() });
      await wait(10_001);
      const after = await tokenOf(world, 'robot');
      for (const process of ['as', 'elsewhere'] as const) {
        expect(await whoIs(world, first, process)).toBe(401);
        expect(await whoIs(world, after, process)).toMatchObject({ uid });
      }
      expect((await publishedBy('elsewhere')).keys.map(({ kid }) => kid)).toEqual([kidOf(after)]);
    });

    it('waits for a time to come', async () => {
      const first = await tokenOf(world, 'robot');
      await demand({ revokeBefore: new Date(world.clock.now() + 60_000).toISOString() });
      const again = await tokenOf(world, 'robot');
      expect(kidOf(again)).toBe(kidOf(first));
      await wait(70_000);
      expect(kidOf(await tokenOf(world, 'robot'))).not.toBe(kidOf(first));
      expect(await whoIs(world, again)).toBe(401);
    });
  });

  it('has one key for all processes that start together', async () => {
    const there = world.elsewhere('root+system:masters');
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
    const asked = await Promise.all([world.root, there].map((one) => one.post(`${accounts}/robot/token`, request)));
    const tokens = asked.map(({ body }) => (body.status as { token: string }).token);
    expect(new Set(tokens.map((token) => decodeProtectedHeader(token).kid)).size).toBe(1);
  });
});
