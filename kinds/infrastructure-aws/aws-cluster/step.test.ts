import { describe, expect, it } from 'vitest';
import type { Failure } from '../../../machinery/api/reconcile.ts';
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { waitFor } from './expected-durations.ts';
import {
  announce,
  isAbandoned,
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

describe('a step that nothing waits for', () => {
  const optional: Step = { ...step(), optional: true };
  const tried = (since: number, last: number) => ({ thing: { since: ago(since), tried: ago(last) } });
  it.each<{ rule: string; before: Pending; acts: boolean; wait?: number | undefined; anew?: true }>([
    { rule: 'is announced and taken', before: {}, acts: true, wait: undefined },
    { rule: 'is taken again after five seconds', before: tried(5, 5), acts: true, wait: undefined },
    { rule: 'is not before', before: tried(4, 4), acts: false, wait: 1 },
    { rule: 'is taken ever more seldom', before: tried(640, 320), acts: true, wait: undefined },
    { rule: 'rests as long as it was tried before', before: tried(640, 300), acts: false, wait: 40 },
    { rule: 'is not looked for after an hour', before: tried(9000, 3000), acts: false, wait: undefined },
    { rule: 'is taken once more by a later reconcile', before: tried(9000, 3600), acts: true, wait: undefined },
    { rule: 'begins anew when it had come about long ago', before: tried(9000, 9000), acts: true, anew: true },
    { rule: 'begins anew when it was abandoned a day ago', before: tried(99_000, 86_401), acts: true, anew: true },
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
  it('is abandoned once it was tried for an hour', () => {
    expect(isAbandoned(tried(3601, 0), 'thing')).toBe(true);
    expect(isAbandoned(tried(3000, 0), 'thing')).toBe(false);
    expect(isAbandoned({}, 'thing')).toBe(false);
  });
  it('leaves operations in progress to their own checks', () =>
    expect(schedule({}, [], ['thing'], now, undefined, [], () => undefined).wait).toBeUndefined());
});

describe('a step that EC2 would do twice', () => {
  it.each([
    { rule: 'is announced and taken', before: {}, acts: true },
    { rule: 'is not taken again while a pass that announced it may still take it', before: at(119), acts: false },
    { rule: 'is not taken again while the effect of that may be hidden', before: at(179), acts: false },
    { rule: 'is taken again when nothing came of it', before: at(180), acts: true },
    { rule: 'is taken again at once after a refusal', before: at(2), failed: failure('VpcLimitExceeded'), acts: true },
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
    { rule: 'does not mind a failure of before', before: at(2), failed: failure('VpcLimitExceeded', 5), acts: false },
    { rule: 'minds one of the same moment', before: at(2), failed: failure('VpcLimitExceeded', 2), acts: true },
  ])('$rule', ({ before, failed, acts }) => {
    const { actions, pending } = schedule(before, [step(true)], [], now, failed);
    expect(actions).toHaveLength(acts ? 1 : 0);
    expect(pending.thing?.tried).toBe(acts ? now : (before as Pending).thing?.tried);
  });

  it('is taken once after a refusal, also when a clock ahead has dated that later', () => {
    const failed = failure('VpcLimitExceeded', -2);
    const { actions, pending } = schedule(at(2), [step(true)], [], now, failed);
    expect(actions).toHaveLength(1);
    expect(schedule(pending, [step(true)], [], now + 1000, failed).actions).toEqual([]);
  });
});

describe('a step with a token or a name', () => {
  it.each([
    { rule: 'is announced and taken', before: {}, since: now },
    { rule: 'leaves describe calls some time', before: at(4), since: undefined },
    { rule: 'is repeated with the same token', before: at(5), since: ago(5) },
    { rule: 'is repeated at once after any failure', before: at(1), failed: failure('RequestTimeout'), since: ago(1) },
    { rule: 'takes a new token when the old one may stand for something that is gone', before: at(180), since: now },
    { rule: 'takes a new token for what came to nothing', before: at(1), forget: ['thing'], since: now },
  ])('$rule', ({ before, failed, since, forget }) => {
    const { actions } = schedule(before, [step()], [], now, failed, forget);
    expect(actions.map((action) => action.do === 'call' && action.input)).toEqual(
      since === undefined ? [] : [{ since }],
    );
  });
});

describe('what is seen', () => {
  it('keeps its announcement while a lagging read may miss it again, and is looked at when that is over', () => {
    expect(schedule(at(10), [], [], now)).toEqual({ pending: at(10), actions: [], wait: 50 });
    expect(schedule(at(60), [], [], now)).toEqual({ pending: {}, actions: [], wait: undefined });
  });
  it('is over sooner for what was in sight when it was removed', () => {
    const seen = (seconds: number): Pending => ({ thing: { ...at(seconds).thing, seen: true } });
    expect(schedule(seen(10), [], [], now)).toEqual({ pending: seen(10), actions: [], wait: 10 });
    expect(schedule(seen(20), [], [], now)).toEqual({ pending: {}, actions: [], wait: undefined });
  });
  it.each([true, undefined] as (
    | true
    | undefined
  )[])('does not mind an announcement that is old and was never taken back (once: %s)', (once) => {
    expect(schedule(at(3600), [step(once)], [], now)).toEqual(schedule({}, [step(once)], [], now));
  });
  it('keeps it, too, until it is finished', () => {
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

it('what is under way without having been announced is looked at as of now', () => {
  expect(schedule({}, [], ['thing'], now)).toEqual({ pending: at(0), actions: [], wait: 1 });
});

it('what is not to be taken again yet is looked at, and what was announced last decides when', () => {
  const before: Pending = { thing: { since: ago(400), tried: ago(4) }, other: { since: ago(8), tried: ago(4) } };
  const wanted = [step(), { ...step(), key: 'other' }];
  expect(schedule(before, wanted.slice(0, 1), [], now).wait).toBe(15);
  expect(schedule(before, wanted, [], now)).toEqual({ pending: before, actions: [], wait: 2 });
});

describe('a call that found nothing to build on', () => {
  const made = (seconds: number) => ({ vpc: { since: ago(seconds), tried: ago(seconds) } });
  it.each([
    {
      rule: 'came too early when that was made a moment ago',
      code: 'InvalidVpcID.NotFound',
      before: made(2),
      is: true,
    },
    { rule: 'of load balancing, too', code: 'TargetGroupNotFound', before: made(59), is: true },
    { rule: 'says the truth after a minute', code: 'InvalidVpcID.NotFound', before: made(60), is: false },
    {
      rule: 'however often it is tried',
      code: 'TargetGroupNotFound',
      before: { vpc: { since: ago(60), tried: now } },
      is: false,
    },
    { rule: 'says the truth when nothing else was made', code: 'InvalidVpcID.NotFound', before: at(2), is: false },
    { rule: 'says the truth of what users name', code: 'InvalidAMIID.NotFound', before: made(2), is: false },
    { rule: 'was not refused for another reason', code: 'VpcLimitExceeded', before: made(2), is: false },
  ])('$rule', ({ code, before, is }) => {
    expect(isTooEarly(failure(code), before)).toBe(is);
  });
});

describe('a call for which the account has no request left', () => {
  it.each([
    { rule: 'waits for its turn', code: 'RequestLimitExceeded', since: ago(59), is: true },
    { rule: 'of load balancing, too', code: 'Throttling', since: now, is: true },
    { rule: 'of quotas, too', code: 'TooManyRequestsException', since: now, is: true },
    { rule: 'has waited for too long after a minute', code: 'RequestLimitExceeded', since: ago(60), is: false },
    { rule: 'was not refused for another reason', code: 'VpcLimitExceeded', since: ago(30), is: false },
    { rule: 'that was not announced is none of these', code: 'RequestLimitExceeded', since: undefined, is: false },
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
    { rule: 'is not written to forget what is old', before: old, pending: {} },
    { rule: 'forgets what is old with any other write', before: old, pending: {}, anyway: true, writes: {} },
    { rule: 'forgets what is old with the next step', before: old, pending: other, writes: other },
    { rule: 'is written when a step is tried again', before: old, pending: tried, writes: tried },
    { rule: 'stays as it is beside another write', before: old, pending: old, anyway: true },
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
  it('is read as it was written, and is absent when nothing is pending', () => {
    expect(pendingOf({ 'capstan.dev/pending': pendingText(at(3))! })).toEqual(at(3));
    expect(pendingText({})).toBeNull();
  });
  it('is the same in whatever order its parts came', () => {
    const [one, other] = [
      { since: 1, tried: 1 },
      { since: 2, tried: 2 },
    ];
    expect(pendingText({ b: other, a: one, c: one })).toBe(pendingText({ c: one, a: one, b: other }));
  });
  it('is not written on what has none when nothing is pending', () =>
    expect(announce(undefined, {}, true)).toEqual({}));
  it.each([
    '',
    '{',
    '[]',
    'null',
    '{"thing":5}',
    '{"thing":null}',
    '{"thing":{"since":"x"}}',
    '{"thing":{"since":5}}',
  ])('counts for nothing as %s', (text) => expect(pendingOf({ 'capstan.dev/pending': text })).toEqual({}));
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
])('takes "$reason" for passing: $passing', ({ reason, passing }) => expect(isPassing(reason)).toBe(passing));

it('looks once at what was seen, when all of it is certain', () => {
  const before: Pending = { first: { since: ago(30), tried: ago(30) }, last: { since: ago(10), tried: ago(10) } };
  expect(schedule(before, [], [], now)).toEqual({ pending: before, actions: [], wait: 50 });
});

describe('what AWS takes its time for', () => {
  // A multiple of every check interval.
  const even = 9_990_000;
  const begun = (seconds: number) => even - seconds * 1000;
  it.each([
    {
      rule: 'a load balancer is not looked at before it can be there',
      key: 'load-balancer/apiserver',
      at: 6,
      wait: 102,
    },
    { rule: 'then every few seconds', key: 'load-balancer/apiserver', at: 120, wait: 3 },
    { rule: 'and less often when it takes unusually long', key: 'load-balancer/apiserver', at: 600, wait: 15 },
    { rule: 'a gateway is looked at when it would have failed', key: 'nat-gateway/a', at: 10, wait: 20 },
    { rule: 'and when it may be there', key: 'nat-gateway/a', at: 30, wait: 60 },
    { rule: 'a name when it may resolve', key: 'load-balancer/apiserver/name', at: 0, wait: 8 },
    { rule: 'everything else sooner and sooner less', key: 'subnet/a', at: 8, wait: 2 },
  ])('$rule', ({ key, at: seconds, wait }) => expect(waitFor(key, begun(seconds), even, 1)).toBe(wait));

  it('is faster in an account that is', () => {
    expect(waitFor('load-balancer/apiserver', begun(0), even, 60)).toBeCloseTo(1.8, 1);
  });

  it('is looked at together when it began about together', () => {
    const looks = [3, 5, 8].map((seconds) => even + waitFor('nat-gateway/a', begun(seconds), even, 1) * 1000);
    expect(new Set(looks).size).toBe(1);
  });
});
