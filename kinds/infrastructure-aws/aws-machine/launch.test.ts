import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import { decideLaunch, isRefused, isToRepeat, type Launch, launchOf, mayBeHidden, repeated } from './launch.ts';
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
const reserved = {
  ...request('ami-1'),
  CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: 'cr-1' } },
};
const asBefore = { request: request('ami-1'), userDataHash: 'hash' };
const otherwise = { request: request('ami-2'), userDataHash: 'hash' };

interface Given {
  rule: string;
  was?: Launch;
  wanted?: typeof asBefore;
  ended?: Instance[];
  failure?: Failure;
  does: string;
}
const cases: Given[] = [
  ...['InvalidAMIID.Unavailable', 'InvalidNetworkInterface.InUse', 'InvalidPlacementGroup.Unknown'].map((code) => ({
    rule: `starts a new attempt when the last one failed for good: ${code}`,
    was: launch(),
    wanted: otherwise,
    failure: failed(code),
    does: 'next',
  })),
  { rule: 'makes the first attempt', wanted: asBefore, does: 'first' },
  { rule: 'waits while the launch parameters are unknown', does: 'wait' },
  { rule: 'waits while the instance may not be visible yet', was: launch(2), wanted: asBefore, does: 'wait' },
  { rule: 'repeats the launch when the instance stays invisible', was: launch(5), wanted: asBefore, does: 'repeat' },
  {
    rule: 'repeats the launch after a crash, even if other parameters are wanted by now',
    was: launch(),
    wanted: otherwise,
    does: 'repeat',
  },
  {
    rule: 'repeats the launch after a crash, even if its parameters can no longer be computed',
    was: launch(),
    does: 'repeat',
  },
  {
    rule: 'repeats the launch when its outcome is unknown',
    was: launch(1),
    wanted: otherwise,
    failure: failed('RequestTimeout'),
    does: 'repeat',
  },
  {
    rule: 'repeats the launch after throttling, which does not reveal the outcome of earlier calls',
    was: launch(1),
    wanted: otherwise,
    failure: failed('RequestLimitExceeded'),
    does: 'repeat',
  },
  {
    rule: 'repeats the launch when the service does not answer, which does not reveal the outcome of earlier calls',
    was: launch(1),
    wanted: otherwise,
    failure: failed('UnknownEndpoint'),
    does: 'repeat',
  },
  {
    rule: 'repeats the launch when a secret could not be created',
    was: launch(1),
    wanted: otherwise,
    failure: failed('InternalServiceError', 'CreateSecret'),
    does: 'repeat',
  },
  {
    rule: 'repeats the launch after a refusal with unchanged parameters',
    was: launch(1),
    wanted: asBefore,
    failure: failed('InvalidKeyPair.NotFound'),
    does: 'repeat',
  },
  {
    rule: 'starts a new attempt after a refusal with other parameters',
    was: launch(1),
    wanted: otherwise,
    failure: failed('InvalidAMIID.NotFound'),
    does: 'next',
  },
  {
    rule: 'waits after a refusal while the launch parameters are unknown',
    was: launch(1),
    failure: failed('InvalidAMIID.NotFound'),
    does: 'wait',
  },
  {
    rule: 'starts a new attempt in another zone without capacity',
    was: launch(1),
    wanted: asBefore,
    failure: failed('InsufficientInstanceCapacity'),
    does: 'next',
  },
  {
    rule: 'starts a new attempt in another zone, which may have a lower spot price',
    was: launch(1),
    wanted: asBefore,
    failure: failed('SpotMaxPriceTooLow'),
    does: 'next',
  },
  {
    rule: 'starts a new attempt without room in its reservation, as another zone may have one',
    was: launch(1),
    wanted: asBefore,
    failure: failed('ReservationCapacityExceeded'),
    does: 'next',
  },
  {
    rule: 'repeats the launch without room in the reservation that it names, which is in one zone',
    was: { ...launch(1), request: reserved },
    wanted: { request: reserved, userDataHash: 'hash' },
    failure: failed('ReservationCapacityExceeded'),
    does: 'repeat',
  },
  {
    rule: 'repeats the launch beyond the spot quota, which counts the whole region',
    was: launch(1),
    wanted: asBefore,
    failure: failed('MaxSpotInstanceCountExceeded'),
    does: 'repeat',
  },
  {
    rule: 'repeats the launch without the service-linked role, which says nothing about earlier calls',
    was: launch(1),
    wanted: otherwise,
    failure: failed('AuthFailure.ServiceLinkedRoleCreationNotPermitted'),
    does: 'repeat',
  },
  {
    rule: 'waits when the token was used with other parameters, because an instance may be invisible',
    was: launch(1),
    wanted: asBefore,
    failure: failed('IdempotentParameterMismatch'),
    does: 'wait',
  },
  {
    rule: 'starts a new attempt when the token was used with other parameters and no instance exists',
    was: launch(1, 90),
    wanted: asBefore,
    failure: failed('IdempotentParameterMismatch'),
    does: 'next',
  },
  {
    rule: 'starts a new attempt when its instance is terminated',
    was: launch(1, 90),
    wanted: asBefore,
    failure: failed('IdempotentInstanceTerminated'),
    does: 'next',
  },
  {
    rule: 'starts a new attempt when its instance was observed terminated',
    was: launch(),
    wanted: asBefore,
    ended: [terminated('token')],
    does: 'next',
  },
  {
    rule: 'repeats the launch when the instance of another attempt was observed terminated',
    was: launch(),
    wanted: asBefore,
    ended: [terminated('older')],
    does: 'repeat',
  },
  {
    rule: 'repeats the launch when another call failed with a code that would end a launch',
    was: launch(1),
    wanted: otherwise,
    failure: failed('InsufficientInstanceCapacity', 'CreateSecret'),
    does: 'repeat',
  },
  {
    rule: 'starts a new attempt after a refusal when its user data would differ',
    was: launch(1),
    wanted: { ...asBefore, userDataHash: 'other' },
    failure: failed('InvalidAMIID.NotFound'),
    does: 'next',
  },
  {
    rule: 'starts a new attempt when the token was used with other parameters a minute ago',
    was: launch(1, 60),
    wanted: asBefore,
    failure: failed('IdempotentParameterMismatch'),
    does: 'next',
  },
  {
    rule: 'handles a failure of the same moment',
    was: launch(2),
    wanted: otherwise,
    failure: failed('InvalidAMIID.NotFound', 'RunInstances', 2),
    does: 'next',
  },
  {
    rule: 'ignores a failure before the last call',
    was: launch(2),
    wanted: otherwise,
    failure: failed('InvalidAMIID.NotFound', 'RunInstances', 9),
    does: 'wait',
  },
];

describe('without a live instance', () => {
  it.each(cases)('$rule', ({ was, wanted, ended = [], failure, does }) =>
    expect(decideLaunch(was, wanted, ended, failure, now).do).toBe(does));
  it('remembers zones without capacity', () =>
    expect(decideLaunch(launch(1), asBefore, [], failed('InsufficientInstanceCapacity'), now)).toEqual({
      do: 'next',
      exhausted: ['subnet-a'],
      shortage: 'InsufficientInstanceCapacity',
    }));
  it('leaves the spot market beyond its quota, which counts the whole region, if it may', () => {
    const wanted = { ...asBefore, fallsBack: true };
    expect(decideLaunch(launch(1), wanted, [], failed('MaxSpotInstanceCountExceeded'), now)).toEqual({
      do: 'next',
      exhausted: [],
      shortage: 'MaxSpotInstanceCountExceeded',
      everywhere: true,
    });
  });
});

it.each([
  { seconds: 0, hidden: true },
  { seconds: 59, hidden: true },
  { seconds: 60, hidden: false },
])('a launch may have an invisible instance $seconds s after its call: $hidden', ({ seconds, hidden }) =>
  expect(mayBeHidden(launch(seconds, 300), now)).toBe(hidden));

it('ignores the launch record on a copy of the object', () => {
  const annotations = { [launchAnnotation]: JSON.stringify(launch()) };
  expect(launchOf({ uid: 'uid', annotations })?.token).toBe('token');
  expect(launchOf({ uid: 'another', annotations })).toBeUndefined();
  expect(launchOf({ uid: 'uid', annotations: { [launchAnnotation]: '{' } })).toBeUndefined();
});

describe('a launch that must be repeated unchanged', () => {
  it.each([
    { rule: 'was throttled', failure: failed('RequestLimitExceeded'), is: true },
    { rule: 'was refused because of credentials', failure: failed('UnauthorizedOperation'), is: true },
    { rule: 'was not refused because of its parameters', failure: failed('InsufficientInstanceCapacity'), is: false },
    {
      rule: 'failed in RunInstances, not in a call for its secrets',
      failure: failed('ThrottlingException', 'CreateSecret'),
      is: false,
    },
    {
      rule: 'failed in this attempt, not in an earlier one',
      failure: failed('RequestLimitExceeded', 'RunInstances', 60),
      is: false,
    },
    { rule: 'failed', failure: undefined, is: false },
    {
      rule: 'has no instance that was terminated',
      failure: failed('RequestLimitExceeded'),
      there: [terminated('token')],
      is: false,
    },
  ])('$rule: $is', ({ failure, there = [], is }) => expect(isToRepeat(launch(), there, failure)).toBe(is));
});

describe('a launch', () => {
  const unsure = { ...launch(1, 20) };
  it.each<{ rule: string; of: Launch; failure?: Failure; is: boolean }>([
    { rule: 'has not been answered', of: launch(), is: false },
    { rule: 'failed by an unclear error', of: launch(), failure: failed('RequestTimeout'), is: false },
    { rule: 'was refused in its only call', of: launch(), failure: failed('UnauthorizedOperation'), is: true },
    {
      rule: 'was refused before EC2 looked for the token of an earlier call',
      of: unsure,
      failure: failed('UnauthorizedOperation'),
      is: false,
    },
    {
      rule: 'was refused in each of its calls',
      of: { ...unsure, refused: true },
      failure: failed('UnauthorizedOperation'),
      is: true,
    },
    { rule: 'was refused by what it asks for', of: unsure, failure: failed('VcpuLimitExceeded'), is: true },
    { rule: 'has an instance that ended', of: launch(), failure: failed('IdempotentInstanceTerminated'), is: false },
    {
      rule: 'was refused in an earlier call alone',
      of: launch(1, 20),
      failure: failed('VcpuLimitExceeded', 'RunInstances', 5),
      is: false,
    },
    { rule: 'failed in another call', of: launch(), failure: failed('AccessDenied', 'CreateSecret'), is: false },
  ])('that $rule is certain to have no instance: $is', ({ of, failure, is }) => {
    expect(isRefused(of, failure)).toBe(is);
    expect(repeated(of, failure, now)).toEqual({ ...of, refused: is || undefined, tried: now });
  });
});
