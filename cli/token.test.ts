import { expect, it } from 'vitest';
import { bearing, clusterId, net, start, sts } from '../adapters/aws/identity/identity.fixture.ts';
import { createAuthenticate } from '../adapters/aws/identity/index.ts';
import { type Credentials, execCredential, presign } from './token.ts';

/** The credentials that the STS of the fixture knows. */
const credentials: Credentials = { accessKeyId: 'AKIDEXAMPLEEXAMPLE', secretAccessKey: 'a secret key' };
const region = 'eu-central-1';

const tokenOf = async (given: Credentials = credentials, to = { region, clusterId, now: start }): Promise<string> =>
  execCredential(await presign(given, to), to.now, given.expiration).status.token;

const authenticated = async (token: string) => {
  const world = net(sts);
  const user = await createAuthenticate({ sts: { clusterId, region } }, world)(bearing(token));
  return { user, ...world };
};

it('is accepted by the control plane and identifies the caller', async () => {
  const { user, asked } = await authenticated(await tokenOf());
  expect(user?.username).toBe('arn:aws:iam::111122223333:role/Admin');
  expect(asked.map(({ url }) => new URL(url).host)).toEqual(['sts.eu-central-1.amazonaws.com']);
});

it('equals the token of `aws eks get-token` of the AWS CLI', async () => {
  const url = new URL(
    await presign(
      {
        accessKeyId: 'AKIAEXAMPLEEXAMPLE',
        secretAccessKey: 'secretsecret',
        sessionToken: 'IQoJb3JpZ2luX2VjE+/a==',
      },
      { region, clusterId: 'demo', now: Date.UTC(2026, 10, 21, 11, 17, 7) },
    ),
  );
  expect(url.host).toBe('sts.eu-central-1.amazonaws.com');
  // Made by aws-cli 1.46.3 on 2026-11-21.
  expect(Object.fromEntries(url.searchParams)).toEqual({
    Action: 'GetCallerIdentity',
    Version: '2011-06-15',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAEXAMPLEEXAMPLE/20261121/eu-central-1/sts/aws4_request',
    'X-Amz-Date': '20261121T111707Z',
    'X-Amz-Expires': '60',
    'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    'X-Amz-Security-Token': 'IQoJb3JpZ2luX2VjE+/a==',
    'X-Amz-Signature': '9b58a474284bbba715cc3b7b9886f76fa95debacc8b268b2a8150ff1bbba4f7b',
  });
});

it.each([
  { rule: 'is refused for another cluster', to: { region, clusterId: 'another', now: start } },
  { rule: 'is refused when it is too old', to: { region, clusterId, now: start - 16 * 60_000 } },
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

it('cannot be created for a region that does not exist', async () => {
  await expect(tokenOf(credentials, { region: 'eu-nowhere-9', clusterId, now: start })).rejects.toThrow('eu-nowhere-9');
});

it.each([
  { rule: 'expires after 14 minutes', expiration: undefined, until: '2026-01-02T03:18:05Z' },
  {
    rule: 'expires no later than the credentials that sign it',
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
