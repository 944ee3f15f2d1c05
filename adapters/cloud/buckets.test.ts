import { beforeEach, describe, expect, it } from 'vitest';
import type { CloudAction } from '../../kinds/ports/cloud/index.ts';
import { drawsOf, serviceOf } from '../../kinds/ports/cloud-limits.ts';
import { cloudPermissions, iamActionOf } from '../aws/cloud/permissions.ts';
import { type VirtualClock, virtualClock } from '../memory/virtual-clock.ts';
import { type BucketOptions, type Buckets, createBuckets } from './buckets.ts';

const region = 'eu-west-1';
let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock(Date.UTC(2026, 0, 1));
});
const opened = (options: Partial<BucketOptions> = {}): Buckets => createBuckets({ clock, timeout: 0, ...options });

/** How many of the calls, all made at one moment, are admitted. */
const admitted = async (buckets: Buckets, action: CloudAction, calls: number, input: object = { Filters: [] }) => {
  const outcomes = await Promise.allSettled(Array.from({ length: calls }, () => buckets.admit(region, action, input)));
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
};

describe('a full bucket', () => {
  it.each([
    { action: 'DescribeVpcs', tokens: 100, refill: 20 },
    { action: 'DescribeInstances', tokens: 100, refill: 20 },
    { action: 'CreateVpc', tokens: 50, refill: 5 },
    { action: 'AuthorizeSecurityGroupIngress', tokens: 50, refill: 5 },
    { action: 'RunInstances', tokens: 5, refill: 2 },
    { action: 'TerminateInstances', tokens: 100, refill: 5 },
    { action: 'CreateTags', tokens: 100, refill: 10 },
    { action: 'CreateNatGateway', tokens: 10, refill: 1 },
    { action: 'CreateVpcEndpoint', tokens: 4, refill: 0.3 },
    { action: 'DescribeLoadBalancers', tokens: 40, refill: 10 },
    { action: 'CreateLoadBalancer', tokens: 20, refill: 3 },
    { action: 'CreateSecret', tokens: 50, refill: 50 },
    { action: 'GetInstanceProfile', tokens: 100, refill: 15 },
  ] as const)('for $action has $tokens tokens and refills $refill a second', async ({ action, tokens, refill }) => {
    const buckets = opened();
    expect(await admitted(buckets, action, 200)).toBe(tokens);
    await clock.advance(10_000);
    expect(await admitted(buckets, action, 200)).toBe(Math.min(tokens, 10 * refill));
    await clock.advance(3_600_000);
    expect(await admitted(buckets, action, 200)).toBe(tokens);
  });

  it('is smaller for an unfiltered describe', async () => {
    const buckets = opened();
    expect(await admitted(buckets, 'DescribeInstances', 200, {})).toBe(50);
    expect(await admitted(buckets, 'DescribeInstances', 200)).toBe(100);
  });

  it('is separate for each region', async () => {
    const buckets = opened();
    await admitted(buckets, 'RunInstances', 5);
    await expect(buckets.admit('us-east-1', 'RunInstances', {})).resolves.toBeUndefined();
    await expect(buckets.admit(region, 'RunInstances', {})).rejects.toThrow('held back');
  });

  it('is shared by all reads of Elastic Load Balancing, and separate for each of its mutating calls', async () => {
    const buckets = opened();
    expect(await admitted(buckets, 'DescribeListeners', 30)).toBe(30);
    expect(await admitted(buckets, 'DescribeTargetGroups', 30)).toBe(10);
    expect(await admitted(buckets, 'CreateListener', 30)).toBe(20);
    expect(await admitted(buckets, 'CreateTargetGroup', 30)).toBe(20);
  });

  it('charges per instance where a call may name many', async () => {
    const buckets = opened();
    const InstanceIds = Array.from({ length: 400 }, (_, n) => `i-${n}`);
    expect(drawsOf('TerminateInstances', { InstanceIds }).map(({ tokens }) => tokens)).toEqual([1, 400]);
    expect(await admitted(buckets, 'TerminateInstances', 10, { InstanceIds })).toBe(2);
  });

  it('holds a share of the tokens for each of several processes', async () => {
    const buckets = opened({ share: 0.2 });
    expect(await admitted(buckets, 'DescribeVpcs', 200)).toBe(20);
    expect(await admitted(buckets, 'CreateVpcEndpoint', 200)).toBe(1);
    await clock.advance(1_000);
    expect(await admitted(buckets, 'DescribeVpcs', 200)).toBe(4);
  });
});

describe('an empty bucket', () => {
  it('queues calls for a short time, in order, and refuses those that would wait longer', async () => {
    const buckets = opened({ timeout: 2_000 });
    const started = clock.now();
    const sent: number[] = [];
    const refused: string[] = [];
    for (let n = 0; n < 12; n++)
      buckets.admit(region, 'RunInstances', {}).then(
        () => sent.push(clock.now() - started),
        ({ code }) => refused.push(code),
      );
    await clock.advance(10_000);
    expect(sent).toEqual([0, 0, 0, 0, 0, 500, 1_000, 1_500, 2_000]);
    expect(refused).toEqual(['RequestLimitExceeded', 'RequestLimitExceeded', 'RequestLimitExceeded']);
  });

  it('admits all reads of one pass, however small the share', async () => {
    const buckets = createBuckets({ clock, share: 1 / 5 });
    const reads = Array.from({ length: 20 }, () => buckets.admit(region, 'DescribeLoadBalancers', {}));
    const all = Promise.all(reads);
    await clock.advance(15_000);
    await expect(all).resolves.toHaveLength(20);
    const waiting = Array.from({ length: 5 }, () => buckets.admit(region, 'RunInstances', {}).catch(() => 'refused'));
    await clock.advance(15_000);
    expect(await Promise.all(waiting)).toContain('refused');
  });

  it('does not charge a call that it refuses', async () => {
    const buckets = opened();
    await admitted(buckets, 'CreateVpcEndpoint', 100);
    await clock.advance(4_000);
    await expect(buckets.admit(region, 'CreateVpcEndpoint', {})).resolves.toBeUndefined();
  });

  it('is assumed when AWS throttles, because other processes draw from the same bucket', async () => {
    const buckets = opened();
    buckets.refused(region, 'RunInstances', {});
    expect(await admitted(buckets, 'RunInstances', 5)).toBe(0);
    await clock.advance(1_000);
    expect(await admitted(buckets, 'RunInstances', 5)).toBe(2);
  });

  it('stays empty when the clock is set back', async () => {
    const buckets = createBuckets({ clock: { ...clock, now: () => time, after: clock.after }, timeout: 0 });
    let time = 1_000_000;
    await admitted(buckets, 'RunInstances', 5);
    time = 0;
    await expect(buckets.admit(region, 'RunInstances', {})).rejects.toThrow('held back');
  });
});

/** Signed here, and sent by clients of the cluster. */
const unsent = 'GetClusterToken';
const sent = (Object.keys(cloudPermissions) as CloudAction[]).filter((action) => action !== unsent);

it.each(sent)('%s is limited by the service that IAM names', (action) => {
  expect(serviceOf(action)).toBe(iamActionOf(action).split(':')[0]);
});
