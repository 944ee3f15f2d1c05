import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { types } from '../network/resources/index.ts';
import { expectedOf, waitFor } from './expected-durations.ts';
import {
  announce,
  isAbandoned,
  isAlreadyThere,
  isHeldBack,
  isPassing,
  isTooEarly,
  type Pending,
  pendingOf,
  pendingText,
  pollDelay,
  type Step,
  schedule,
} from './step.ts';

const now = 10_000_000;
const ago = (seconds: number) => now - seconds * 1000;
const at = (seconds: number) => ({ thing: { since: ago(seconds), tried: ago(seconds) } });
const step = (once?: true): Step => ({
  key: 'thing',
  ...(once && { once }),
  actions: (since) => [{ do: 'call', port: 'cloud', operation: 'Create', input: { since } }],
});
const failure = (code: string, seconds = 0, group = 'thing'): Failure => ({
  port: 'cloud',
  operation: 'Create',
  code,
  message: '',
  at: ago(seconds),
  group,
});

describe('an optional step', () => {
  const optional: Step = { ...step(), optional: true };
  const tried = (since: number, last: number) => ({ thing: { since: ago(since), tried: ago(last) } });
  it.each<{ rule: string; before: Pending; acts: boolean; wait?: number | undefined; anew?: true }>([
    { rule: 'is recorded and taken', before: {}, acts: true, wait: undefined },
    { rule: 'is repeated after five seconds', before: tried(5, 5), acts: true, wait: undefined },
    { rule: 'is not repeated before', before: tried(4, 4), acts: false, wait: 1 },
    { rule: 'is repeated with increasing delays', before: tried(640, 320), acts: true, wait: undefined },
    { rule: 'waits for as long as it has been tried', before: tried(640, 300), acts: false, wait: 40 },
    { rule: 'needs no requeue after an hour', before: tried(9000, 3000), acts: false, wait: undefined },
    { rule: 'is repeated by a later reconcile', before: tried(9000, 3600), acts: true, wait: undefined },
    { rule: 'starts over when it had succeeded long ago', before: tried(9000, 9000), acts: true, anew: true },
    { rule: 'starts over when it was abandoned a day ago', before: tried(99_000, 86_401), acts: true, anew: true },
  ])('$rule', ({ before, acts, wait, anew }) => {
    const plan = schedule(before, [optional], [], now, failure('UnauthorizedOperation'));
    expect(plan.actions).toEqual(
      acts ? [{ ...optional.actions(0)[0], input: expect.anything(), group: 'thing', optional: true }] : [],
    );
    expect(plan.wait).toBe(wait);
    expect(plan.pending.thing).toEqual({
      since: anew ? now : ((before as Pending).thing?.since ?? now),
      tried: acts ? now : (before as Pending).thing?.tried,
    });
  });
  it('is abandoned after an hour of attempts', () => {
    expect(isAbandoned(tried(3601, 0), 'thing')).toBe(true);
    expect(isAbandoned(tried(3000, 0), 'thing')).toBe(false);
    expect(isAbandoned({}, 'thing')).toBe(false);
  });
  it('leaves operations in progress to their own checks', () =>
    expect(schedule({}, [], ['thing'], now, undefined, [], () => undefined).wait).toBeUndefined());
});

describe('a step that is not idempotent in EC2', () => {
  it.each([
    { rule: 'is recorded and taken', before: {}, acts: true },
    { rule: 'is not repeated while the pass that recorded it may still take it', before: at(119), acts: false },
    { rule: 'is not repeated while its effect may be invisible', before: at(179), acts: false },
    { rule: 'is repeated when it had no effect', before: at(180), acts: true },
    {
      rule: 'is repeated at once after a definite refusal',
      before: at(2),
      failed: failure('VpcLimitExceeded'),
      acts: true,
    },
    {
      rule: 'waits when the outcome of the call is unknown',
      before: at(2),
      failed: failure('RequestTimeout'),
      acts: false,
    },
    {
      rule: 'waits when another step failed',
      before: at(2),
      failed: failure('VpcLimitExceeded', 0, 'other'),
      acts: false,
    },
    { rule: 'ignores an earlier failure', before: at(2), failed: failure('VpcLimitExceeded', 5), acts: false },
    { rule: 'counts a failure of the same moment', before: at(2), failed: failure('VpcLimitExceeded', 2), acts: true },
  ])('$rule', ({ before, failed, acts }) => {
    const { actions, pending } = schedule(before, [step(true)], [], now, failed);
    expect(actions).toHaveLength(acts ? 1 : 0);
    expect(pending.thing?.tried).toBe(acts ? now : (before as Pending).thing?.tried);
  });

  it('is repeated once after a refusal, even if a fast clock dated the refusal later', () => {
    const failed = failure('VpcLimitExceeded', -2);
    const { actions, pending } = schedule(at(2), [step(true)], [], now, failed);
    expect(actions).toHaveLength(1);
    expect(schedule(pending, [step(true)], [], now + 1000, failed).actions).toEqual([]);
  });
});

describe('a step with a token or a name', () => {
  it.each([
    { rule: 'is recorded and taken', before: {}, since: now },
    { rule: 'gives describe calls some time', before: at(4), since: undefined },
    { rule: 'is repeated with the same token', before: at(5), since: ago(5) },
    { rule: 'is repeated at once after any failure', before: at(1), failed: failure('RequestTimeout'), since: ago(1) },
    { rule: 'uses a new token when the old one may stand for a deleted resource', before: at(180), since: now },
    { rule: 'uses a new token for an attempt without effect', before: at(1), forget: ['thing'], since: now },
  ])('$rule', ({ before, failed, since, forget }) => {
    const { actions } = schedule(before, [step()], [], now, failed, forget);
    expect(actions.map((action) => action.do === 'call' && action.input)).toEqual(
      since === undefined ? [] : [{ since }],
    );
  });
});

describe('a step with a client token', () => {
  const launch = (type: string): Step => ({
    key: 'thing',
    token: true,
    actions: (since) => [{ do: 'call', port: 'cloud', operation: 'Create', input: { since, type } }],
  });
  /** Announced `since` seconds ago for `type`, and last called `tried` seconds ago. */
  const announced = (type: string, since: number, tried = since, accepted?: number): Pending => {
    const { request } = schedule({}, [launch(type)], [], now).pending.thing!;
    return {
      thing: {
        since: ago(since),
        tried: ago(tried),
        ...(request && { request }),
        ...(accepted !== undefined && { accepted: ago(accepted) }),
      },
    };
  };
  const older: Pending = { thing: { since: ago(600), tried: ago(1) } };
  type Outcome = 'the same token' | 'a new token' | 'waits';
  it.each<{ rule: string; before: Pending; failed?: Failure; outcome: Outcome }>([
    {
      rule: 'repeats the request that was refused for lack of capacity',
      before: announced('small', 600, 1),
      failed: failure('InsufficientInstanceCapacity'),
      outcome: 'the same token',
    },
    {
      rule: 'changes its token with a request that was refused',
      before: announced('large', 600, 1),
      failed: failure('InsufficientInstanceCapacity'),
      outcome: 'a new token',
    },
    {
      rule: 'waits until the first request is visible when the changed one may not replace it',
      before: announced('large', 1),
      failed: failure('RequestTimeout'),
      outcome: 'waits',
    },
    {
      rule: 'waits when a throttled call says nothing of an earlier one',
      before: announced('large', 1),
      failed: failure('RequestLimitExceeded'),
      outcome: 'waits',
    },
    { rule: 'waits when the call may have been accepted', before: announced('large', 10), outcome: 'waits' },
    { rule: 'changes its token when nothing became visible', before: announced('large', 180), outcome: 'a new token' },
    {
      rule: 'changes its token at once when its instance is terminated',
      before: announced('small', 30, 1),
      failed: failure('IdempotentInstanceTerminated'),
      outcome: 'a new token',
    },
    {
      rule: 'spends its token on a mismatch, and waits until a describe call is certain',
      before: announced('small', 600, 179),
      failed: failure('IdempotentParameterMismatch', 178),
      outcome: 'waits',
    },
    {
      rule: 'changes its token after a mismatch when a describe call is certain',
      before: announced('small', 600, 180),
      failed: failure('IdempotentParameterMismatch', 179),
      outcome: 'a new token',
    },
    {
      rule: 'of an older version is spent by a mismatch, too',
      before: older,
      failed: failure('IdempotentParameterMismatch'),
      outcome: 'waits',
    },
    {
      rule: 'of an older version is repeated while its outcome is unknown',
      before: older,
      failed: failure('RequestTimeout'),
      outcome: 'the same token',
    },
    {
      rule: 'is repeated while describe calls may lag',
      before: announced('small', 599, 5, 599),
      outcome: 'the same token',
    },
    {
      rule: 'changes its token when EC2 returns what came and went',
      before: announced('small', 600, 5, 600),
      outcome: 'a new token',
    },
  ])('$rule', ({ before, failed, outcome }) => {
    const { actions, pending } = schedule(before, [launch('small')], [], now, failed);
    const { since } = before.thing!;
    expect(actions.map((action) => action.do === 'call' && action.input)).toEqual(
      outcome === 'waits' ? [] : [{ since: outcome === 'a new token' ? now : since, type: 'small' }],
    );
    if (outcome !== 'waits') expect(pending.thing?.request).toBe(announced('small', 0).thing?.request);
  });

  it('counts for how long EC2 accepts its calls', () => {
    const first = announced('small', 5);
    const second = schedule(first, [launch('small')], [], now).pending;
    expect(second.thing?.accepted).toBe(ago(5));
    expect(schedule(second, [launch('small')], [], now + 5000).pending.thing?.accepted).toBe(ago(5));
    const refused = schedule(second, [launch('small')], [], now + 5000, failure('NatGatewayLimitExceeded', -1));
    expect(refused.pending.thing?.accepted).toBeUndefined();
  });
});

describe('a visible resource', () => {
  it('keeps its record while a lagging read may miss it, and is checked when that is over', () => {
    expect(schedule(at(10), [], [], now)).toEqual({ pending: at(10), actions: [], wait: 50 });
    expect(schedule(at(60), [], [], now)).toEqual({ pending: {}, actions: [], wait: undefined });
  });
  it('is settled sooner if it was visible when it was removed', () => {
    const seen = (seconds: number): Pending => ({ thing: { ...at(seconds).thing, seen: true } });
    expect(schedule(seen(10), [], [], now)).toEqual({ pending: seen(10), actions: [], wait: 10 });
    expect(schedule(seen(20), [], [], now)).toEqual({ pending: {}, actions: [], wait: undefined });
  });
  it.each([true, undefined] as (
    | true
    | undefined
  )[])('ignores an old record that was never removed (once: %s)', (once) => {
    expect(schedule(at(3600), [step(once)], [], now)).toEqual(schedule({}, [step(once)], [], now));
  });
  it('keeps its record until it is finished', () => {
    expect(schedule(at(100), [], ['thing'], now)).toMatchObject({ pending: at(100), wait: 15 });
  });
});

it.each([
  { seconds: 0, wait: 1 },
  { seconds: 8, wait: 2 },
  { seconds: 40, wait: 10 },
  { seconds: 500, wait: 15 },
])('checks again after $wait s when it has waited for $seconds s', ({ seconds, wait }) =>
  expect(pollDelay(ago(seconds), now)).toBe(wait));

it('checks an operation without a record from now on', () => {
  expect(schedule({}, [], ['thing'], now)).toEqual({ pending: at(0), actions: [], wait: 1 });
});

it('checks a step that must not be repeated yet, by its last record', () => {
  const before: Pending = { thing: { since: ago(400), tried: ago(4) }, other: { since: ago(8), tried: ago(4) } };
  const wanted = [step(), { ...step(), key: 'other' }];
  expect(schedule(before, wanted.slice(0, 1), [], now).wait).toBe(15);
  expect(schedule(before, wanted, [], now)).toEqual({ pending: before, actions: [], wait: 2 });
});

describe('a call whose dependency was not found', () => {
  const made = (seconds: number) => ({ vpc: { since: ago(seconds), tried: ago(seconds) } });
  it.each([
    {
      rule: 'was premature when the dependency was created a moment ago',
      code: 'InvalidVpcID.NotFound',
      before: made(2),
      is: true,
    },
    { rule: 'was premature for Elastic Load Balancing, too', code: 'TargetGroupNotFound', before: made(59), is: true },
    { rule: 'is a definite failure after a minute', code: 'InvalidVpcID.NotFound', before: made(60), is: false },
    {
      rule: 'was premature, however often it was tried',
      code: 'TargetGroupNotFound',
      before: { vpc: { since: ago(60), tried: now } },
      is: false,
    },
    {
      rule: 'is a definite failure when no dependency was created',
      code: 'InvalidVpcID.NotFound',
      before: at(2),
      is: false,
    },
    {
      rule: 'is a definite failure for a resource that users name',
      code: 'InvalidAMIID.NotFound',
      before: made(2),
      is: false,
    },
    { rule: 'is another failure with another code', code: 'VpcLimitExceeded', before: made(2), is: false },
  ])('$rule', ({ code, before, is }) => {
    expect(isTooEarly(failure(code), before)).toBe(is);
  });
});

describe('a call for what exists already', () => {
  it.each([
    { rule: 'shows that a describe call missed it', code: 'InvalidGroup.Duplicate', since: ago(59), is: true },
    { rule: 'is a failure after a minute', code: 'InvalidGroup.Duplicate', since: ago(60), is: false },
    { rule: 'of a subnet is one, too', code: 'InvalidSubnet.Conflict', since: ago(60), is: false },
    { rule: 'is another failure with another code', code: 'VpcLimitExceeded', since: now, is: false },
  ])('$rule', ({ code, since, is }) => expect(isAlreadyThere(failure(code), since)).toBe(is));
});

describe('a throttled call', () => {
  it.each([
    { rule: 'waits for its turn', code: 'RequestLimitExceeded', since: ago(59), is: true },
    { rule: 'of Elastic Load Balancing waits, too', code: 'Throttling', since: now, is: true },
    { rule: 'of Service Quotas waits, too', code: 'TooManyRequestsException', since: now, is: true },
    { rule: 'has waited too long after a minute', code: 'RequestLimitExceeded', since: ago(60), is: false },
    { rule: 'is not one that failed with another code', code: 'VpcLimitExceeded', since: ago(30), is: false },
    { rule: 'is not one without a record', code: 'RequestLimitExceeded', since: undefined, is: false },
  ])('$rule', ({ code, since, is }) => {
    expect(isHeldBack(failure(code), since)).toBe(is);
  });
});

describe('the annotation', () => {
  const old = at(100);
  const other = { other: { since: now, tried: now } };
  const tried = { thing: { since: ago(100), tried: now } };
  it.each([
    { rule: 'is written before the first step', before: {}, pending: other, writes: other },
    { rule: 'is not written when nothing is new', before: old, pending: old },
    { rule: 'is not written only to drop old records', before: old, pending: {} },
    { rule: 'drops old records with any other write', before: old, pending: {}, anyway: true, writes: {} },
    { rule: 'drops old records with the next step', before: old, pending: other, writes: other },
    { rule: 'is written when a step is repeated', before: old, pending: tried, writes: tried },
    { rule: 'is unchanged beside another write', before: old, pending: old, anyway: true },
  ] as { rule: string; before: Pending; pending: Pending; anyway?: boolean; writes?: Pending }[])('$rule', ({
    before,
    pending,
    anyway,
    writes,
  }) => {
    const text = pendingText(before);
    const annotations = announce(text === null ? {} : { [pendingAnnotation]: text }, pending, anyway);
    expect(annotations).toEqual(writes ? { [pendingAnnotation]: pendingText(writes) } : {});
  });
  it('is parsed as it was written, and is absent when nothing is pending', () => {
    expect(pendingOf({ 'capstan.dev/pending': pendingText(at(3))! })).toEqual(at(3));
    expect(pendingText({})).toBeNull();
  });
  it('is the same in whatever order its parts are added', () => {
    const [one, other] = [
      { since: 1, tried: 1 },
      { since: 2, tried: 2 },
    ];
    expect(pendingText({ b: other, a: one, c: one })).toBe(pendingText({ c: one, a: one, b: other }));
  });
  it('is not added when nothing is pending', () => expect(announce(undefined, {}, true)).toEqual({}));
  it.each([
    '',
    '{',
    '[]',
    'null',
    '{"thing":5}',
    '{"thing":null}',
    '{"thing":{"since":"x"}}',
    '{"thing":{"since":5}}',
  ])('is ignored as %s', (text) => expect(pendingOf({ 'capstan.dev/pending': text })).toEqual({}));
});

it.each([
  { reason: 'DescribeVpcs: RequestLimitExceeded: Request limit exceeded.', passing: true },
  { reason: 'DescribeVpcs: InternalError: An internal error has occurred', passing: true },
  { reason: 'DescribeVpcs: UnauthorizedOperation: not for this network', passing: false },
  { reason: 'DescribeVpcs: UnknownError: nobody knows', passing: true },
  { reason: 'DescribeImages: InvalidAMIID.Unavailable: it was deregistered', passing: false },
  { reason: 'GetServiceQuota: TooManyRequestsException: too many', passing: true },
  { reason: 'DescribeVpcs: NetworkFailure.EHOSTUNREACH: the connection broke', passing: true },
  { reason: 'DescribeVpcs: ServiceUnavailable: later', passing: true },
  { reason: 'DescribeVpcs: RequestTimeout: no answer', passing: true },
  { reason: 'DescribeVpcs: UnknownEndpoint: there is no such region', passing: false },
])('treats "$reason" as transient: $passing', ({ reason, passing }) => expect(isPassing(reason)).toBe(passing));

it('checks a visible resource once, when it is certain', () => {
  const before: Pending = { first: { since: ago(30), tried: ago(30) }, last: { since: ago(10), tried: ago(10) } };
  expect(schedule(before, [], [], now)).toEqual({ pending: before, actions: [], wait: 50 });
});

describe('the expected durations of AWS operations', () => {
  // A multiple of every check interval.
  const even = 9_990_000;
  const begun = (seconds: number) => even - seconds * 1000;
  it.each([
    {
      rule: 'a load balancer is not checked before it can exist',
      key: 'load-balancer/apiserver',
      at: 6,
      wait: 102,
    },
    { rule: 'a load balancer is then checked every few seconds', key: 'load-balancer/apiserver', at: 120, wait: 3 },
    {
      rule: 'a load balancer is checked less often when it is late',
      key: 'load-balancer/apiserver',
      at: 600,
      wait: 15,
    },
    { rule: 'a NAT gateway is checked when it would have failed', key: 'nat-gateway/a', at: 10, wait: 20 },
    { rule: 'a NAT gateway is checked when it may be available', key: 'nat-gateway/a', at: 30, wait: 60 },
    { rule: 'a DNS name is checked when it may resolve', key: 'load-balancer/apiserver/name', at: 0, wait: 8 },
    { rule: 'any other operation is checked with a short backoff', key: 'subnet/a', at: 8, wait: 2 },
  ])('$rule', ({ key, at: seconds, wait }) =>
    expect(waitFor(expectedOf(key, types), begun(seconds), even, 1)).toBe(wait));

  it('scale with the speed of the account', () => {
    expect(waitFor(expectedOf('load-balancer/apiserver', types), begun(0), even, 60)).toBeCloseTo(1.8, 1);
  });

  it('align the checks of operations that began together', () => {
    const looks = [3, 5, 8].map(
      (seconds) => even + waitFor(expectedOf('nat-gateway/a', types), begun(seconds), even, 1) * 1000,
    );
    expect(new Set(looks).size).toBe(1);
  });
});
