import { describe, expect, it } from 'vitest';
import { bearing, clusterId, encoded, json, net, parametersAt, start, sts, urlOf } from './identity.fixture.ts';
import { createAuthenticate, type IdentityConfig, withNamedGroups } from './index.ts';

const both: IdentityConfig = {
  sts: { clusterId, region: 'eu-central-1' },
  oidc: [{ issuer: 'https://issuer.example', audiences: ['capstan'], jwksUri: 'https://issuer.example/jwks' }],
};
const presigned = encoded(urlOf(parametersAt(start)));
const header = (value: string) => new Request('https://capstan.example/api', { headers: { authorization: value } });

it.each([
  { rule: 'no header', request: new Request('https://capstan.example/api') },
  { rule: 'an empty header', request: header('') },
  { rule: 'another scheme', request: header(`Basic ${presigned}`) },
  { rule: 'no token', request: header('Bearer ') },
  { rule: 'two tokens', request: header(`Bearer ${presigned}, Bearer ${presigned}`) },
  { rule: 'text after the token', request: header(`Bearer ${presigned} more`) },
  { rule: 'a token of an unknown format', request: header('Bearer secret') },
  { rule: 'a JWT from an issuer that is not configured', request: header(`Bearer e30.${btoa('{"iss":"x"}')}.AA`) },
])('does not authenticate a request with $rule, and calls neither STS nor an issuer', async ({ request }) => {
  const at = net(sts);
  expect(await createAuthenticate(both, at)(request)).toBeUndefined();
  expect(at.asked).toEqual([]);
});

it.each(['Bearer', 'bearer', 'BEARER'])('accepts the scheme %s', async (scheme) => {
  expect(await createAuthenticate(both, net(sts))(header(`${scheme} ${presigned}`))).toBeDefined();
});

it('does not authenticate with a method that is switched off', async () => {
  const at = net(sts);
  expect(await createAuthenticate({ oidc: both.oidc! }, at)(bearing(presigned))).toBeUndefined();
  expect(await createAuthenticate({}, at)(bearing(presigned))).toBeUndefined();
  expect(at.asked).toEqual([]);
});

describe('secrets', () => {
  const canary = 'CANARYCANARY';
  const ofSession = { ...parametersAt(start), 'X-Amz-Security-Token': canary };
  const jwt = (claims: object) =>
    `${btoa('{"alg":"RS256"}')}.${btoa(JSON.stringify({ iss: 'https://issuer.example', ...claims }))}.${canary}`.replaceAll(
      '=',
      '',
    );
  const failing = (url: URL) => {
    throw Object.assign(new TypeError(`fetch of ${url.href} failed`), { cause: new Error(url.href) });
  };

  it.each([
    { rule: 'is accepted', token: encoded(urlOf(ofSession)), answer: sts },
    { rule: 'is refused', token: encoded(urlOf(ofSession, undefined, 'another')), answer: sts },
    { rule: 'cannot be verified', token: encoded(urlOf(ofSession)), answer: failing },
    { rule: 'is malformed', token: encoded(`https://${canary}.example/?X-Amz-Security-Token=${canary}`), answer: sts },
    { rule: 'is a JWT that is refused', token: jwt({ sub: canary }), answer: () => json({ keys: [] }) },
    {
      rule: 'is a JWT whose issuer’s keys are unavailable',
      token: jwt({ aud: 'capstan', exp: start, sub: 'x' }),
      answer: failing,
    },
  ])('appear in no log and no error when a token $rule', async ({ token, answer }) => {
    const at = net(answer);
    const outcome = await createAuthenticate(both, at)(bearing(token)).catch((error: Error) => error);
    const ended = outcome instanceof Error ? `${outcome.stack} ${outcome.cause}` : JSON.stringify(outcome ?? {});
    const output = [...at.logged, ended];
    const signature = /X-Amz-Signature=(\w+)/.exec(Buffer.from(token.slice(11), 'base64url').toString())?.[1];
    for (const text of output)
      for (const secret of [canary, token, signature ?? canary]) expect(text).not.toContain(secret);
  });
});

describe('users whom the deployment names', () => {
  const named = {
    administrators: [
      'arn:aws:iam::111122223333:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Admin_0a1b',
      'arn:aws:iam::111122223333:user/bob',
      'https://issuer.example#ann',
    ],
    viewers: ['arn:aws:iam::111122223333:role/teams/Viewer', 'arn:aws:iam::111122223333:user/bob'],
  };
  it.each([
    { username: 'arn:aws:iam::111122223333:role/AWSReservedSSO_Admin_0a1b', groups: ['administrators'] },
    { username: 'arn:aws:iam::111122223333:user/bob', groups: ['administrators', 'viewers'] },
    { username: 'https://issuer.example#ann', groups: ['administrators'] },
    { username: 'arn:aws:iam::111122223333:role/Viewer', groups: ['viewers'] },
    { username: 'arn:aws:iam::999988887777:role/AWSReservedSSO_Admin_0a1b', groups: [] },
    { username: 'arn:aws:iam::111122223333:role/AWSReservedSSO_Admin_0a1', groups: [] },
    { username: 'arn:aws:iam::111122223333:user/BOB', groups: [] },
    { username: 'ann', groups: [] },
    { username: '', groups: [] },
  ])('$username: $groups', async ({ username, groups }) => {
    const authenticate = withNamedGroups(async () => ({ username, groups: ['system:authenticated'] }), named);
    expect((await authenticate(new Request('https://x/')))?.groups).toEqual([...groups, 'system:authenticated']);
  });

  it('are nobody without a token', async () => {
    expect(await withNamedGroups(async () => undefined, named)(new Request('https://x/'))).toBeUndefined();
  });
});
