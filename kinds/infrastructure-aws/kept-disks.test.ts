import { describe, expect, it } from 'vitest';
import { type Failure, found, type Read, type Reader } from '../../machinery/api/reconcile.ts';
import type { CloudInput, VolumeSnapshot } from '../ports/cloud/index.ts';
import { tagList } from './engine/tags.ts';
import { observeKeptDisks } from './kept-disks.ts';

const former = {
  namespace: 'default',
  clusterName: 'c',
  clusterUid: 'uid',
  region: 'eu-central-1',
  installation: 'here',
};
const ours = { 'capstan.dev/installation': 'here', 'capstan.dev/cluster-uid': 'uid' };
const kept = {
  uid: 'uid-of-restore',
  hosts: ['aws:///eu-central-1a/i-1'],
  since: '2026-11-30T00:00:00Z',
  until: '2026-12-30T00:00:00Z',
};

interface Host {
  id: string;
  state?: string;
  tags?: Record<string, string>;
}
const instanceOf = ({ id, state = 'running', tags = ours }: Host) => ({
  InstanceId: id,
  State: { Name: state },
  Tags: tagList(tags),
  BlockDeviceMappings: [
    { DeviceName: '/dev/xvda', Ebs: { VolumeId: `vol-${id}`, Status: 'attached', DeleteOnTermination: true } },
    { DeviceName: '/dev/xvdba', Ebs: { VolumeId: `vol-claim-${id}`, Status: 'attached', DeleteOnTermination: false } },
  ],
});
const snapshotOf = (host: string, State: VolumeSnapshot['State'], more: Partial<VolumeSnapshot> = {}) => ({
  SnapshotId: `snap-${host}`,
  VolumeId: `vol-${host}`,
  State,
  Description: `/dev/xvda of EC2 instance ${host}`,
  Tags: tagList(ours),
  ...more,
});

interface Account {
  hosts?: Host[];
  snapshots?: object[];
  failure?: Pick<Failure, 'operation' | 'code' | 'group'>;
  unreadable?: string;
}
const observe = ({ hosts = [{ id: 'i-1' }], snapshots = [], failure, unreadable }: Account) => {
  const asked: string[] = [];
  const read = {
    get: () => ({ state: 'absent' }),
    ask: (_: string, action: string, { input }: { input: CloudInput<'DescribeSnapshots'> }): Read<unknown> => {
      asked.push(`${action} ${input.Filters?.map(({ Name, Values }) => `${Name}=${Values}`).join(' ')}`);
      if (action === unreadable) return { state: 'unreadable', reason: 'denied' };
      return action === 'DescribeSnapshots'
        ? { state: 'found', value: { Snapshots: snapshots } }
        : { state: 'found', value: { Reservations: [{ Instances: hosts.map(instanceOf) }] } };
    },
  } as unknown as Reader;
  const failed = failure && ({ message: 'because', at: 0, ...failure } as Failure);
  return { disks: observeKeptDisks(former, kept, read, failed), asked };
};
const callsIn = (account: Account) =>
  (found(observe(account).disks)?.actions ?? []).map((action) => (action.do === 'call' ? action.input : undefined));

describe('the disks of a control plane', () => {
  it('are copied with the tags by which they are found and deleted, and once each', () => {
    const [call, ...more] = callsIn({});
    expect(more).toEqual([]);
    expect(call).toMatchObject({
      region: 'eu-central-1',
      input: { VolumeId: 'vol-i-1', Description: '/dev/xvda of EC2 instance i-1' },
    });
    const { TagSpecifications } = (call as { input: CloudInput<'CreateSnapshot'> }).input;
    expect(TagSpecifications).toMatchObject([{ ResourceType: 'snapshot' }]);
    expect(Object.fromEntries(TagSpecifications[0]!.Tags.map(({ Key, Value }) => [Key, Value]))).toMatchObject({
      ...ours,
      'capstan.dev/operation-uid': 'uid-of-restore',
      'capstan.dev/copy-of': '/dev/xvda of EC2 instance i-1',
      'capstan.dev/kept-since': '2026-11-30T00:00:00Z',
      'capstan.dev/kept-until': '2026-12-30T00:00:00Z',
    });
    expect(observe({}).asked).toContain(
      'DescribeSnapshots tag:capstan.dev/installation=here tag:capstan.dev/cluster-uid=uid tag:capstan.dev/operation-uid=uid-of-restore',
    );
  });

  it.each<{
    rule: string;
    account: Account;
    copies: number;
    kept?: number;
    copying?: number;
    missing?: number;
    refusal?: string;
  }>([
    {
      rule: 'that are copied need no other copy',
      account: { snapshots: [snapshotOf('i-1', 'completed')] },
      copies: 0,
      kept: 1,
    },
    {
      rule: 'count once the copy is complete',
      account: { snapshots: [snapshotOf('i-1', 'pending')] },
      copies: 0,
      copying: 1,
    },
    {
      rule: 'whose copy failed are not kept',
      account: { snapshots: [snapshotOf('i-1', 'error', { StateMessage: 'the key is disabled' })] },
      copies: 0,
      refusal: 'EBS snapshot snap-i-1 (/dev/xvda of EC2 instance i-1) failed: the key is disabled',
    },
    {
      rule: 'of a stopped host are copied',
      account: { hosts: [{ id: 'i-1', state: 'stopped' }] },
      copies: 1,
      missing: 1,
    },
    { rule: 'of a terminated host are gone', account: { hosts: [{ id: 'i-1', state: 'terminated' }] }, copies: 0 },
    { rule: 'of a host of others are left alone', account: { hosts: [{ id: 'i-1', tags: {} }] }, copies: 0 },
    {
      rule: 'are not kept where the account refuses',
      account: { failure: { operation: 'CreateSnapshot', code: 'UnauthorizedOperation' } },
      copies: 1,
      missing: 1,
      refusal: 'CreateSnapshot: UnauthorizedOperation: because',
    },
    {
      rule: 'are named where one of them is refused',
      account: {
        hosts: [{ id: 'i-1' }, { id: 'i-2' }],
        snapshots: [snapshotOf('i-1', 'pending')],
        failure: { operation: 'CreateSnapshot', code: 'SnapshotLimitExceeded', group: 'vol-i-2' },
      },
      copies: 1,
      copying: 1,
      missing: 1,
      refusal: 'CreateSnapshot of /dev/xvda of EC2 instance i-2: SnapshotLimitExceeded: because',
    },
    ...['RequestLimitExceeded', 'SnapshotCreationPerVolumeRateExceeded', 'InternalError'].map((code) => ({
      rule: `wait while EBS answers ${code}`,
      account: { failure: { operation: 'CreateSnapshot', code } },
      copies: 1,
      missing: 1,
    })),
    {
      rule: 'are not refused by the failure of another call',
      account: { failure: { operation: 'patch Cluster', code: 'Conflict' } },
      copies: 1,
      missing: 1,
    },
  ])('$rule', ({ account, copies, kept: complete = 0, copying = 0, missing = 0, refusal }) => {
    const disks = found(observe(account).disks)!;
    const { actions, ...parts } = disks;
    expect(actions).toHaveLength(copies);
    expect([parts.kept.length, parts.copying.length, parts.missing.length]).toEqual([complete, copying, missing]);
    expect(disks.refusal).toBe(refusal);
    expect(disks.delay?.message).toBe(
      account.failure?.operation === 'CreateSnapshot' && refusal === undefined
        ? `CreateSnapshot: ${account.failure.code}: because`
        : undefined,
    );
  });

  it('are not known while the account cannot be read', () =>
    expect(observe({ unreadable: 'DescribeSnapshots' }).disks).toEqual({
      state: 'unreadable',
      reason: 'DescribeSnapshots: denied',
    }));
});
