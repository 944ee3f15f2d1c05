import { Sha256 } from '@aws-crypto/sha256-js';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUsers, type Sts, startSts } from './index.ts';

const account = '000000000000';
const users = createUsers(account);
const alice = users.user('alice', 'alice’s key');
let sts: Sts;
beforeAll(async () => {
  sts = await startSts({ users, account, port: 0, elsewhere: 'http://127.0.0.1:9' });
});
afterAll(() => sts.close());

const host = 'sts.eu-central-1.amazonaws.com';
interface Variation {
  credentials?: { accessKeyId: string; secretAccessKey: string };
  signedAt?: Date;
  cluster?: string;
  tamper?: (url: string) => string;
}
/** The request that the API server sends for a token. */
const ask = async ({
  credentials = alice,
  signedAt = new Date(),
  cluster = 'one',
  tamper = (url) => url,
}: Variation) => {
  const signer = new SignatureV4({ service: 'sts', region: 'eu-central-1', credentials, sha256: Sha256 });
  const { query = {} } = await signer.presign(
    {
      protocol: 'https:',
      hostname: host,
      method: 'GET',
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host, 'x-k8s-aws-id': 'one' },
    },
    { expiresIn: 60, signingDate: signedAt, unhoistableHeaders: new Set(['x-k8s-aws-id']) },
  );
  const text = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  const response = await fetch(tamper(`${sts.endpoint}/?${text.join('&')}`), {
    headers: { accept: 'application/json', 'x-k8s-aws-id': cluster },
  });
  const body = (await response.json()) as {
    Error?: { Code: string };
    GetCallerIdentityResponse?: { GetCallerIdentityResult: { Arn: string } };
  };
  return {
    status: response.status,
    code: body.Error?.Code,
    arn: body.GetCallerIdentityResponse?.GetCallerIdentityResult.Arn,
  };
};

describe('a presigned GetCallerIdentity', () => {
  it.each([
    { rule: 'returns the identity that signed it', given: {}, status: 200, arn: alice.arn },
    {
      rule: 'is refused when it is signed with another key',
      given: { credentials: { ...alice, secretAccessKey: 'no key' } },
      status: 403,
      code: 'SignatureDoesNotMatch',
    },
    {
      rule: 'is refused for a cluster that it was not signed for',
      given: { cluster: 'two' },
      status: 403,
      code: 'SignatureDoesNotMatch',
    },
    {
      rule: 'is refused when it was changed',
      given: { tamper: (url: string) => url.replace('X-Amz-Expires=60', 'X-Amz-Expires=600') },
      status: 403,
      code: 'SignatureDoesNotMatch',
    },
    {
      rule: 'is refused for an unknown access key',
      given: { credentials: { ...alice, accessKeyId: 'AKIANOBODY0000000000' } },
      status: 403,
      code: 'InvalidClientTokenId',
    },
    {
      rule: 'is accepted for 15 minutes, whatever its own expiry is',
      given: { signedAt: new Date(Date.now() - 14 * 60_000) },
      status: 200,
      arn: alice.arn,
    },
    {
      rule: 'is refused after 15 minutes',
      given: { signedAt: new Date(Date.now() - 15 * 60_000 - 1_000) },
      status: 403,
      code: 'ExpiredToken',
    },
    {
      rule: 'is refused before its time',
      given: { signedAt: new Date(Date.now() + 3600_000) },
      status: 403,
      code: 'SignatureDoesNotMatch',
    },
  ])('$rule', async ({ given, status, code, arn }) => {
    expect(await ask(given)).toEqual({ status, code, arn });
  });
});

describe('an SDK client', () => {
  const clientOf = (credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }) =>
    new STSClient({ endpoint: sts.endpoint, region: 'eu-central-1', credentials });

  it('gets its own identity, or that of an assumed role', async () => {
    const own = clientOf(alice);
    expect(await own.send(new GetCallerIdentityCommand({}))).toMatchObject({ Arn: alice.arn, Account: account });
    const RoleArn = `arn:aws:iam::${account}:role/deployer`;
    const { Credentials } = await own.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'cdk' }));
    const lent = clientOf({
      accessKeyId: Credentials!.AccessKeyId!,
      secretAccessKey: Credentials!.SecretAccessKey!,
      sessionToken: Credentials!.SessionToken!,
    });
    expect(await lent.send(new GetCallerIdentityCommand({}))).toMatchObject({
      Arn: `arn:aws:sts::${account}:assumed-role/deployer/cdk`,
    });
  });

  it('is refused with a wrong secret key', async () => {
    const asked = clientOf({ ...alice, secretAccessKey: 'no key' }).send(new GetCallerIdentityCommand({}));
    await expect(asked).rejects.toMatchObject({ name: 'SignatureDoesNotMatch' });
  });
});
