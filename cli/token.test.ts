import { expect, it } from 'vitest';
import { bearing, clusterId, net, start, sts } from '../adapters/aws/identity/identity.fixture.ts';
import { createAuthenticate } from '../adapters/aws/identity/index.ts';
import { type Credentials, execCredential, presign } from './token.ts';

/** Whose signatures the fixture's STS knows. */
const credentials: Credentials = { accessKeyId: 'AKIDEXAMPLEEXAMPLE', secretAccessKey: 'a secret key' };
const region = 'eu-central-1';

const tokenOf = async (given: Credentials = credentials, to = { region, clusterId, now: start }): Promise<string> =>
  execCredential(await presign(given, to), to.now, given.expiration).status.token;

const authenticated = async (token: string) => {
  const world = net(sts);
  const user = await createAuthenticate({ sts: { clusterId, region } }, world)(bearing(token));
  return { user, ...world };
};

it('is taken by the control plane, and says who calls', async () => {
  const { user, asked } = await authenticated(await tokenOf());
  expect(user?.username).toBe('arn:aws:iam::111122223333:role/Admin');
  expect(asked.map(({ url }) => new URL(url).host)).toEqual(['sts.eu-central-1.amazonaws.com']);
});

it('has the parameters that the AWS CLI signs, and no others', async () => {
  const url = new URL(await presign({ ...credentials, sessionToken: 'a+b/c==' }, { region, clusterId, now: start }));
  expect([...url.searchParams.keys()].sort()).toEqual([
    'Action',
    'Version',
    'X-Amz-Algorithm',
    'X-Amz-Credential',
    'X-Amz-Date',
    'X-Amz-Expires',
    'X-Amz-Security-Token',
    'X-Amz-Signature',
    'X-Amz-SignedHeaders',
  ]);
  expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('host;x-k8s-aws-id');
  expect(url.searchParams.get('X-Amz-Expires')).toBe('60');
  expect(url.searchParams.get('X-Amz-Security-Token')).toBe('a+b/c==');
});

it.each([
  { rule: 'is refused for another cluster', to: { region, clusterId: 'another', now: start } },
  { rule: 'is refused when it is old', to: { region, clusterId, now: start - 16 * 60_000 } },
])('$rule', async ({ to }) => {
  const { user } = await authenticated(await tokenOf(credentials, to));
  expect(user).toBeUndefined();
});

it('may be signed for another region of the partition', async () => {
  const { user, asked } = await authenticated(
    await tokenOf(credentials, { region: 'us-east-1', clusterId, now: start }),
  );
  expect(user).toBeDefined();
  expect(asked.length).toBe(1);
});

it('cannot be made for a region that there is not', async () => {
  await expect(tokenOf(credentials, { region: 'eu-nowhere-9', clusterId, now: start })).rejects.toThrow('eu-nowhere-9');
});

it.each([
  { rule: 'is kept for 14 minutes', expiration: undefined, until: '2026-01-02T03:18:05Z' },
  {
    rule: 'is kept no longer than the credentials it was made with',
    expiration: new Date(start + 60_000),
    until: '2026-01-02T03:05:05Z',
  },
])('$rule', ({ expiration, until }) => {
  expect(execCredential('https://x', start, expiration)).toMatchObject({
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { expirationTimestamp: until },
  });
});
