import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bearing, json, type Net, net, start } from './identity.fixture.ts';
import { createAuthenticate, type OidcConfig } from './index.ts';
import { verifyingKey } from './jwt.ts';

const issuer = 'https://issuer.example/tenant';
const seconds = start / 1000;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
const jwk = (key: KeyObject, kid: string, more = {}) => ({
  ...key.export({ format: 'jwk' }),
  kid,
  use: 'sig',
  ...more,
});
const published = () => [jwk(rsa.publicKey, 'r1'), jwk(ec.publicKey, 'e1')];

type Json = Record<string, unknown>;
const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const claims = (change: Json = {}): Json => ({
  iss: issuer,
  aud: 'capstan',
  sub: 'ann',
  exp: seconds + 300,
  iat: seconds,
  groups: ['team', 'system:masters'],
  ...change,
});
const signedBy = (key: KeyObject, alg: string, text: string): Buffer =>
  alg === 'ES256'
    ? sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
    : sign('sha256', Buffer.from(text), key);
const jwt = (change: Json = {}, header: Json = {}, key: KeyObject = rsa.privateKey): string => {
  const head = { alg: 'RS256', typ: 'JWT', kid: 'r1', ...header };
  const text = `${part(head)}.${part(claims(change))}`;
  return `${text}.${signedBy(key, String(head.alg), text).toString('base64url')}`;
};

const provider =
  (keys: () => unknown[] = published) =>
  (url: URL): Response =>
    url.pathname === '/tenant/.well-known/openid-configuration'
      ? json({ issuer, jwks_uri: 'https://keys.example/jwks' })
      : url.href === 'https://keys.example/jwks'
        ? json({ keys: keys() })
        : json({}, 404);
const over = (at: Net, change: Partial<OidcConfig> = {}) => {
  const config = { issuer, audiences: ['capstan', 'other'], groupsClaim: 'groups', ...change };
  const authenticate = createAuthenticate({ oidc: [config] }, at);
  return (token: string) => authenticate(bearing(token));
};

describe('a token of an OpenID provider', () => {
  it('authenticates its subject and groups, and drops groups with a reserved prefix', async () => {
    expect(await over(net(provider()))(jwt())).toEqual({
      username: `${issuer}#ann`,
      uid: 'ann',
      groups: ['team', 'system:authenticated'],
    });
  });

  it.each([
    { rule: 'signed with ES256', token: () => jwt({}, { alg: 'ES256', kid: 'e1' }, ec.privateKey) },
    { rule: 'for several audiences', token: () => jwt({ aud: ['x', 'other'] }) },
    { rule: 'without a key id', token: () => jwt({}, { kid: undefined }) },
    { rule: 'expired for less than the allowed clock skew', token: () => jwt({ exp: seconds - 59 }) },
    { rule: 'not yet valid by less than the allowed clock skew', token: () => jwt({ nbf: seconds + 59 }) },
  ])('is accepted when it is $rule', async ({ token }) => expect(await over(net(provider()))(token())).toBeDefined());

  const forged = (header: Json, signature: string) =>
    `${part({ kid: 'r1', ...header })}.${part(claims())}.${signature}`;
  const tampered = () => {
    const [head, , signature] = jwt().split('.');
    return `${head}.${part(claims({ sub: 'root' }))}.${signature}`;
  };
  const der = () => {
    const text = `${part({ alg: 'ES256', kid: 'e1' })}.${part(claims())}`;
    return `${text}.${sign('sha256', Buffer.from(text), ec.privateKey).toString('base64url')}`;
  };
  const keyedByThePublicKey = () => {
    const text = `${part({ alg: 'HS256', kid: 'r1' })}.${part(claims())}`;
    const secret = rsa.publicKey.export({ type: 'spki', format: 'pem' });
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };

  it.each([
    { rule: 'no signature', token: () => forged({ alg: 'none' }, '') },
    { rule: 'an algorithm of none with a signature', token: () => forged({ alg: 'none' }, 'AA') },
    { rule: 'no algorithm', token: () => forged({}, 'AA') },
    { rule: 'the public key as a shared secret', token: keyedByThePublicKey },
    { rule: 'an algorithm that is not allowed', token: () => jwt({}, { alg: 'RS512' }) },
    { rule: 'an algorithm in lower case', token: () => jwt({}, { alg: 'rs256' }) },
    { rule: 'a list of algorithms', token: () => forged({ alg: ['RS256'] }, 'AA') },
    { rule: 'another key', token: () => jwt({}, {}, other.privateKey) },
    { rule: 'an unknown key', token: () => jwt({}, { kid: 'r9' }) },
    { rule: 'an embedded key', token: () => jwt({}, { jwk: jwk(other.publicKey, 'r1') }, other.privateKey) },
    {
      rule: 'a key URL in the header',
      token: () => jwt({}, { jku: 'https://evil.example', kid: 'x' }, other.privateKey),
    },
    { rule: 'a key of another kind', token: () => jwt({}, { kid: 'e1' }) },
    { rule: 'a signature in another encoding', token: der },
    { rule: 'an empty signature of a curve', token: () => forged({ alg: 'ES256', kid: 'e1' }, 'A'.repeat(86)) },
    { rule: 'claims that changed after signing', token: tampered },
    { rule: 'critical extensions', token: () => jwt({}, { crit: ['exp'] }) },
    { rule: 'an unencoded payload', token: () => jwt({}, { b64: false }) },
    { rule: 'another type', token: () => jwt({}, { typ: 'at+jwt' }) },
    { rule: 'a key ID that is not a string', token: () => jwt({}, { kid: 1 }) },
    { rule: 'another audience', token: () => jwt({ aud: 'elsewhere' }) },
    { rule: 'no audience', token: () => jwt({ aud: undefined }) },
    { rule: 'a malformed audience', token: () => jwt({ aud: { 0: 'capstan' } }) },
    { rule: 'no expiry', token: () => jwt({ exp: undefined }) },
    { rule: 'an expiry that is not a number', token: () => jwt({ exp: '9999999999' }) },
    { rule: 'an expiry that is too large', token: () => jwt({ exp: null }) },
    { rule: 'being expired', token: () => jwt({ exp: seconds - 60 }) },
    { rule: 'not being valid yet', token: () => jwt({ nbf: seconds + 61 }) },
    { rule: 'an issue time in the future', token: () => jwt({ iat: seconds + 61 }) },
    { rule: 'no subject', token: () => jwt({ sub: undefined }) },
    { rule: 'an empty subject', token: () => jwt({ sub: '' }) },
    { rule: 'a fourth part', token: () => `${jwt()}.AA` },
    { rule: 'five parts', token: () => `${jwt()}.AA.AA` },
    { rule: 'padding', token: () => `${jwt()}=` },
    { rule: 'its length', token: () => jwt({ more: 'x'.repeat(20_000) }) },
  ])('is rejected for $rule', async ({ token }) => expect(await over(net(provider()))(token())).toBeUndefined());

  it.each([
    { rule: 'another issuer', token: () => jwt({ iss: 'https://evil.example' }) },
    { rule: 'an issuer with a trailing slash', token: () => jwt({ iss: `${issuer}/` }) },
    { rule: 'a wrong audience', token: () => jwt({ aud: 'elsewhere' }) },
    { rule: 'being expired', token: () => jwt({ exp: seconds - 600 }) },
  ])('is rejected for $rule without fetching keys', async ({ token }) => {
    const at = net(provider());
    expect(await over(at)(token())).toBeUndefined();
    expect(at.asked).toEqual([]);
  });

  it.each([
    { rule: 'a reserved system name', change: { usernamePrefix: '' }, sub: 'system:admin' },
    { rule: 'an AWS identity', change: { usernamePrefix: '' }, sub: 'arn:aws:iam::111122223333:role/Admin' },
    { rule: 'taken from a missing claim', change: { usernameClaim: 'name' }, sub: 'ann' },
    {
      rule: 'taken from a property that every JavaScript object has',
      change: { usernameClaim: 'constructor' },
      sub: 'ann',
    },
  ])('is rejected when its username is $rule', async ({ change, sub }) => {
    expect(await over(net(provider()), change)(jwt({ sub }))).toBeUndefined();
  });

  it('uses an email address only when it is verified', async () => {
    const ask = over(net(provider()), { usernameClaim: 'email', usernamePrefix: '' });
    expect(await ask(jwt({ email: 'ann@example.com', email_verified: false }))).toBeUndefined();
    expect(await ask(jwt({ email: 'ann@example.com', email_verified: true }))).toMatchObject({
      username: 'ann@example.com',
    });
  });

  it('requires an https issuer and an audience', () => {
    for (const change of [{ issuer: 'http://issuer.example' }, { audiences: [] }, { jwksUri: 'http://x.example' }])
      expect(() => over(net(provider()), change)).toThrow();
  });
});

describe('the keys of an issuer', () => {
  it('are fetched once for concurrent tokens', async () => {
    const at = net(provider());
    const ask = over(at);
    await Promise.all([1, 2, 3].map(() => ask(jwt())));
    expect(at.asked.map(({ url }) => new URL(url).host)).toEqual(['issuer.example', 'keys.example']);
  });

  it('are fetched again for an unknown key ID, at most once a minute', async () => {
    let keys = [jwk(ec.publicKey, 'e1')];
    const at = net(provider(() => keys));
    const ask = over(at, { jwksUri: 'https://keys.example/jwks' });
    for (let i = 0; i < 20; i++) expect(await ask(jwt({}, { kid: `made-up-${i}` }))).toBeUndefined();
    expect(at.asked).toHaveLength(1);
    keys = published();
    expect(await ask(jwt())).toBeUndefined();
    await at.clock.advance(60_000);
    expect(await ask(jwt())).toBeDefined();
    expect(at.asked).toHaveLength(2);
  });

  it('are used for an hour while their issuer is unavailable, and are replaced once it answers', async () => {
    let answer = provider();
    const at = net((url) => answer(url));
    const ask = over(at);
    await ask(jwt());
    answer = () => json({}, 500);
    await at.clock.advance(61 * 60_000);
    const later = () => jwt({ exp: at.clock.now() / 1000 + 60, iat: seconds });
    expect(await ask(later())).toBeDefined();
    answer = provider(() => [jwk(other.publicKey, 'r1')]);
    await at.clock.advance(60_000);
    expect(await ask(later())).toBeUndefined();
  });

  it('cannot be judged while their issuer is unavailable, so an unknown key ID is not rejected', async () => {
    let answer = provider(() => [jwk(ec.publicKey, 'e1')]);
    const at = net((url) => answer(url));
    const ask = over(at);
    await expect(ask(jwt())).resolves.toBeUndefined();
    await at.clock.advance(60_000);
    answer = () => json({}, 500);
    await expect(ask(jwt())).rejects.toMatchObject({ code: 503 });
    const asked = at.asked.length;
    await expect(ask(jwt())).rejects.toMatchObject({ code: 503 });
    expect(at.asked).toHaveLength(asked);
    await at.clock.advance(60_000);
    answer = provider();
    await expect(ask(jwt())).resolves.toBeDefined();
  });

  it.each([
    { rule: 'the issuer answers with an error', answer: () => json({}, 500) },
    {
      rule: 'the discovery document names another issuer',
      answer: () => json({ issuer: 'https://evil.example', jwks_uri: 'https://x' }),
    },
    { rule: 'the key URL does not use https', answer: () => json({ issuer, jwks_uri: 'http://169.254.169.254/' }) },
    {
      rule: 'the issuer publishes no keys',
      answer: (url: URL) => (url.host === 'keys.example' ? json({}) : provider()(url)),
    },
  ])('are unavailable, and the token is not rejected, when $rule', async ({ answer }) => {
    const at = net(answer);
    const ask = over(at);
    await expect(ask(jwt())).rejects.toMatchObject({ code: 503 });
    const asked = at.asked.length;
    await expect(ask(jwt())).rejects.toMatchObject({ code: 503 });
    expect(at.asked).toHaveLength(asked);
    await at.clock.advance(5000);
    await expect(ask(jwt())).rejects.toMatchObject({ code: 503 });
    expect(at.asked).toHaveLength(2 * asked);
  });

  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  it.each([
    { rule: 'a short modulus', key: jwk(weak.publicKey, 'k') },
    { rule: 'an unsupported curve', key: jwk(p384.publicKey, 'k') },
    { rule: 'being an encryption key', key: jwk(rsa.publicKey, 'k', { use: 'enc' }) },
    { rule: 'an unsupported algorithm', key: jwk(rsa.publicKey, 'k', { alg: 'PS256' }) },
    { rule: 'not allowing verification', key: jwk(rsa.publicKey, 'k', { key_ops: ['encrypt'] }) },
    { rule: 'being a shared secret', key: { kty: 'oct', k: 'AA', kid: 'k' } },
    { rule: 'a point off the curve', key: { ...jwk(ec.publicKey, 'k'), x: 'A'.repeat(43) } },
    { rule: 'missing fields', key: { kty: 'RSA' } },
    { rule: 'not being an object', key: 'key' },
  ])('are ignored for $rule', ({ key }) => expect(verifyingKey(key)).toBeUndefined());
});
