import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import type { Instance } from '../../ports/cloud.ts';
import { decideLaunch, isToRepeat, type Launch, launchOf, mayBeHidden } from './launch.ts';
import type { LaunchRequest } from './request.ts';

const now = 10_000_000;
const ago = (seconds: number) => now - seconds * 1000;
const request = (image: string) =>
  ({ ImageId: image, InstanceType: 't', MinCount: 1, MaxCount: 1, TagSpecifications: [] }) as LaunchRequest;
const launch = (tried = 10, since = tried): Launch => ({
  machine: 'uid',
  region: 'r',
  clusterUid: 'c',
  clusterName: 'demo',
  attempt: 1,
  series: 'series',
  token: 'token',
  zone: 'a',
  subnet: 'subnet-a',
  type: 't',
  image: 'ami-1',
  userDataHash: 'hash',
  since: ago(since),
  tried: ago(tried),
  exhausted: [],
  request: request('ami-1'),
});
const failed = (code: string, operation = 'RunInstances', seconds = 0): Failure => ({
  port: 'cloud',
  operation,
  code,
  message: '',
  at: ago(seconds),
});
const terminated = (ClientToken: string) => ({ ClientToken, State: { Name: 'terminated' } }) as Instance;
const asBefore = { request: request('ami-1'), userDataHash: 'hash' };
const otherwise = { request: request('ami-2'), userDataHash: 'hash' };

interface Situation {
  rule: string;
  was?: Launch;
  wanted?: typeof asBefore;
  ended?: Instance[];
  failure?: Failure;
  does: string;
}
const situations: Situation[] = [
  ...['InvalidAMIID.Unavailable', 'InvalidNetworkInterface.InUse', 'InvalidPlacementGroup.Unknown'].map((code) => ({
    rule: `what is wanted by now, when the last attempt came to nothing: ${code}`,
    was: launch(),
    wanted: otherwise,
    failure: failed(code),
    does: 'next',
  })),
  { rule: 'the first attempt', wanted: asBefore, does: 'first' },
  { rule: 'nothing while what is wanted is not known', does: 'wait' },
  { rule: 'nothing while the instance may not be visible yet', was: launch(2), wanted: asBefore, does: 'wait' },
  { rule: 'the same again when it stays invisible', was: launch(5), wanted: asBefore, does: 'repeat' },
  {
    rule: 'the same again after a crash, though something else is wanted by now',
    was: launch(),
    wanted: otherwise,
    does: 'repeat',
  },
  { rule: 'the same again after a crash, though it could not be composed any more', was: launch(), does: 'repeat' },
  {
    rule: 'the same again when the outcome of the call is unknown',
    was: launch(1),
    wanted: otherwise,
    failure: failed('RequestTimeout'),
    does: 'repeat',
  },
  {
    rule: 'the same again after throttling, which says nothing of earlier calls',
    was: launch(1),
    wanted: otherwise,
    failure: failed('RequestLimitExceeded'),
    does: 'repeat',
  },
  {
    rule: 'the same again when nothing answers any more, which says nothing of earlier calls',
    was: launch(1),
    wanted: otherwise,
    failure: failed('UnknownEndpoint'),
    does: 'repeat',
  },
  {
    rule: 'the same again when a secret could not be made',
    was: launch(1),
    wanted: otherwise,
    failure: failed('InternalServiceError', 'CreateSecret'),
    does: 'repeat',
  },
  {
    rule: 'the same again after a refusal that nothing was changed about',
    was: launch(1),
    wanted: asBefore,
    failure: failed('InvalidKeyPair.NotFound'),
    does: 'repeat',
  },
  {
    rule: 'another attempt after a refusal, when something else is wanted',
    was: launch(1),
    wanted: otherwise,
    failure: failed('InvalidAMIID.NotFound'),
    does: 'next',
  },
  {
    rule: 'nothing after a refusal while what is wanted is not known',
    was: launch(1),
    failure: failed('InvalidAMIID.NotFound'),
    does: 'wait',
  },
  {
    rule: 'another attempt elsewhere without capacity',
    was: launch(1),
    wanted: asBefore,
    failure: failed('InsufficientInstanceCapacity'),
    does: 'next',
  },
  {
    rule: 'nothing yet when the token was used otherwise, for an instance may be hidden',
    was: launch(1),
    wanted: asBefore,
    failure: failed('IdempotentParameterMismatch'),
    does: 'wait',
  },
  {
    rule: 'another attempt when the token was used otherwise and nothing is behind it',
    was: launch(1, 90),
    wanted: asBefore,
    failure: failed('IdempotentParameterMismatch'),
    does: 'next',
  },
  {
    rule: 'another attempt when its instance is terminated',
    was: launch(1, 90),
    wanted: asBefore,
    failure: failed('IdempotentInstanceTerminated'),
    does: 'next',
  },
  {
    rule: 'another attempt when its instance was seen terminated',
    was: launch(),
    wanted: asBefore,
    ended: [terminated('token')],
    does: 'next',
  },
  {
    rule: 'the same again when another attempt was seen terminated',
    was: launch(),
    wanted: asBefore,
    ended: [terminated('older')],
    does: 'repeat',
  },
  {
    rule: 'the same again when something else said what would end a launch',
    was: launch(1),
    wanted: otherwise,
    failure: failed('InsufficientInstanceCapacity', 'CreateSecret'),
    does: 'repeat',
  },
  {
    rule: 'another attempt after a refusal, when its user data would be others',
    was: launch(1),
    wanted: { ...asBefore, userDataHash: 'other' },
    failure: failed('InvalidAMIID.NotFound'),
    does: 'next',
  },
  {
    rule: 'another attempt when the token was used otherwise a minute ago',
    was: launch(1, 60),
    wanted: asBefore,
    failure: failed('IdempotentParameterMismatch'),
    does: 'next',
  },
  {
    rule: 'what a failure of the same moment asks for',
    was: launch(2),
    wanted: otherwise,
    failure: failed('InvalidAMIID.NotFound', 'RunInstances', 2),
    does: 'next',
  },
  {
    rule: 'nothing about a failure of before the last call',
    was: launch(2),
    wanted: otherwise,
    failure: failed('InvalidAMIID.NotFound', 'RunInstances', 9),
    does: 'wait',
  },
];

describe('without a live instance', () => {
  it.each(situations)('does $rule', ({ was, wanted, ended = [], failure, does }) =>
    expect(decideLaunch(was, wanted, ended, failure, now).do).toBe(does));
  it('remembers where there was no capacity', () =>
    expect(decideLaunch(launch(1), asBefore, [], failed('InsufficientInstanceCapacity'), now)).toEqual({
      do: 'next',
      exhausted: ['subnet-a'],
    }));
});

it.each([
  { seconds: 0, hidden: true },
  { seconds: 59, hidden: true },
  { seconds: 60, hidden: false },
])('may have an instance that does not show $seconds s after its call: $hidden', ({ seconds, hidden }) =>
  expect(mayBeHidden(launch(seconds, 300), now)).toBe(hidden));

it('means nothing on a copy of the object', () => {
  const annotations = { [launchAnnotation]: JSON.stringify(launch()) };
  expect(launchOf({ uid: 'uid', annotations })?.token).toBe('token');
  expect(launchOf({ uid: 'another', annotations })).toBeUndefined();
  expect(launchOf({ uid: 'uid', annotations: { [launchAnnotation]: '{' } })).toBeUndefined();
});

describe('a launch that is only to be repeated', () => {
  it.each([
    { rule: 'was refused for its frequency', failure: failed('RequestLimitExceeded'), is: true },
    { rule: 'was refused for who made it', failure: failed('UnauthorizedOperation'), is: true },
    { rule: 'was not refused for what it asks for', failure: failed('InsufficientInstanceCapacity'), is: false },
    { rule: 'was called, not its secrets', failure: failed('ThrottlingException', 'CreateSecret'), is: false },
    { rule: 'was refused, not an earlier one', failure: failed('RequestLimitExceeded', 'RunInstances', 60), is: false },
    { rule: 'failed', failure: undefined, is: false },
    {
      rule: 'has no instance that came and went',
      failure: failed('RequestLimitExceeded'),
      there: [terminated('token')],
      is: false,
    },
  ])('$rule: $is', ({ failure, there = [], is }) => expect(isToRepeat(launch(), there, failure)).toBe(is));
});
