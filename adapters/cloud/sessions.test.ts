import { expect, it } from 'vitest';
import { type Cloud, CloudError, type Principal } from '../../kinds/ports/cloud/index.ts';
import { createSessions } from './sessions.ts';

const role = (name: string, more = {}): Principal[number] => ({
  RoleArn: `arn:aws:iam::222233334444:role/${name}`,
  RoleSessionName: 'capstan-default-demo',
  ...more,
});

const open = () => {
  const clock = { at: 0, now: () => clock.at };
  const asked: string[] = [];
  let sessions = 0;
  const state: { refuses?: CloudError } = {};
  const cloudFor = (who: string): Cloud => ({
    call: async (region, action, input) => {
      asked.push(`${who} ${action} ${region}`);
      if (action === 'AssumeRole') {
        const { RoleArn } = input as { RoleArn: string };
        if (RoleArn.endsWith('/none')) throw new CloudError('AccessDenied', 'no trust');
        return {
          Credentials: {
            AccessKeyId: `key-${++sessions}`,
            SecretAccessKey: 'secret',
            SessionToken: 'token',
            Expiration: new Date(clock.at + 3600_000).toISOString(),
          },
          AssumedRoleUser: { Arn: `${RoleArn}/session` },
        } as never;
      }
      if (state.refuses) throw state.refuses;
      return { Vpcs: [] } as never;
    },
    as: ({ credentials }) => ({
      call: async (...request) => {
        const { AccessKeyId } = await credentials();
        return cloudFor(AccessKeyId).call(...request);
      },
    }),
  });
  return { clock, asked, state, cloudOf: createSessions(cloudFor('own'), clock) };
};
const describe = (cloud: Cloud) => cloud.call('eu-west-1', 'DescribeVpcs', {});

it('assumes a role once, in the region that is called, and renews it five minutes before its end', async () => {
  const { cloudOf, asked, clock } = open();
  await Promise.all([describe(cloudOf('eu-west-1', [role('a')])), describe(cloudOf('eu-west-1', [role('a')]))]);
  clock.at = 55 * 60_000 - 1;
  await describe(cloudOf('eu-west-1', [role('a')]));
  expect(asked.filter((one) => one.includes('AssumeRole'))).toEqual(['own AssumeRole eu-west-1']);
  clock.at += 1;
  await describe(cloudOf('eu-west-1', [role('a')]));
  expect(asked.at(-1)).toBe('key-2 DescribeVpcs eu-west-1');
});

it('assumes the roles of a chain one after the other', async () => {
  const { cloudOf, asked } = open();
  await describe(cloudOf('eu-west-1', [role('a'), role('b')]));
  expect(asked).toEqual(['own AssumeRole eu-west-1', 'key-1 AssumeRole eu-west-1', 'key-2 DescribeVpcs eu-west-1']);
});

it('answers who calls from the session', async () => {
  const { cloudOf, asked } = open();
  const answer = await cloudOf('eu-west-1', [role('a')]).call('eu-west-1', 'GetCallerIdentity', {});
  expect(answer).toEqual({ Account: '222233334444', Arn: `${role('a').RoleArn}/session` });
  expect(asked).toEqual(['own AssumeRole eu-west-1']);
});

it('reports why a role cannot be assumed with the code of STS', () =>
  expect(describe(open().cloudOf('eu-west-1', [role('none')]))).rejects.toMatchObject({
    code: 'AccessDenied',
    message: 'arn:aws:iam::222233334444:role/none cannot be assumed: no trust',
  }));

it.each([
  { rule: 'gives up a session that AWS rejects', code: 'ExpiredToken', age: 60_000, sessions: 2 },
  { rule: 'keeps a young session, which may lack one permission', code: 'AccessDenied', age: 59_999, sessions: 1 },
  { rule: 'keeps a session after another error', code: 'RequestLimitExceeded', age: 60_000, sessions: 1 },
])('$rule', async ({ code, age, sessions }) => {
  const { cloudOf, asked, clock, state } = open();
  const cloud = cloudOf('eu-west-1', [role('a')]);
  await describe(cloud);
  clock.at = age;
  state.refuses = new CloudError(code, 'no');
  await expect(describe(cloud)).rejects.toMatchObject({ code });
  delete state.refuses;
  await describe(cloud);
  expect(asked.filter((one) => one.includes('AssumeRole'))).toHaveLength(sessions);
});

it('keeps the sessions of identities apart', async () => {
  const { cloudOf, asked } = open();
  for (const ExternalId of ['one', 'two']) await describe(cloudOf('eu-west-1', [role('a', { ExternalId })]));
  expect(asked.filter((one) => one.includes('AssumeRole'))).toHaveLength(2);
});
