import { describe, expect, it } from 'vitest';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { clusterUidTag, installationTag } from '../engine/tags.ts';
import { observeBlockingResources, withBlockingResources } from './blocking-resources.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const ours = [
  { Key: installationTag, Value: 'here' },
  { Key: clusterUidTag, Value: 'uid' },
];
const theirs = [{ Key: installationTag, Value: 'there' }];
const instance = (InstanceId: string, Tags: object[], Name = 'running') => ({ InstanceId, State: { Name }, Tags });
const eni = (NetworkInterfaceId: string, InstanceId?: string) => ({
  NetworkInterfaceId,
  TagSet: [],
  ...(InstanceId && { Attachment: { InstanceId } }),
});
const group = (GroupId: string, GroupName: string, Tags: object[] = []) => ({ GroupId, GroupName, Tags });

const readerOf = (account: { instances?: object[]; interfaces?: object[]; groups?: object[] } | undefined): Reader => {
  const pages: Record<string, object> = {
    DescribeInstances: { Reservations: [{ Instances: account?.instances ?? [] }] },
    DescribeNetworkInterfaces: { NetworkInterfaces: account?.interfaces ?? [] },
    DescribeSecurityGroups: { SecurityGroups: account?.groups ?? [] },
  };
  const ask = (_port: string, action: string): Read<unknown> =>
    account ? { state: 'found', value: pages[action.split('/').at(-1)!] } : { state: 'unread' };
  return { ask } as unknown as Reader;
};
const network = { region: 'eu-central-1', vpcIds: ['vpc-1'], owner };

describe('the resources that block the deletion of a network', () => {
  it.each([
    { rule: 'excludes the cluster’s own resources', account: { instances: [instance('i-1', ours)] }, says: [] },
    {
      rule: 'includes an instance of another tool',
      account: { instances: [instance('i-1', theirs)] },
      says: ['EC2 instance i-1'],
    },
    { rule: 'excludes terminated instances', account: { instances: [instance('i-1', [], 'terminated')] }, says: [] },
    {
      rule: 'includes a network interface, unless its instance is included',
      account: { instances: [instance('i-1', [])], interfaces: [eni('eni-1', 'i-1'), eni('eni-2')] },
      says: ['EC2 instance i-1', 'network interface eni-2'],
    },
    {
      rule: 'includes a security group, but not the default group of the VPC',
      account: { groups: [group('sg-1', 'default'), group('sg-2', 'theirs'), group('sg-3', 'node', ours)] },
      says: ['security group sg-2'],
    },
    {
      rule: 'are sorted, whatever order AWS lists them in',
      account: {
        instances: [instance('i-2', []), instance('i-1', [])],
        groups: [group('sg-2', 'b'), group('sg-1', 'a')],
      },
      says: ['EC2 instance i-1', 'EC2 instance i-2', 'security group sg-1', 'security group sg-2'],
    },
    { rule: 'are empty while they are unread', account: undefined, says: [] },
  ])('$rule', ({ account, says }) => expect(observeBlockingResources(network, readerOf(account))).toEqual(says));
});

describe('a refusal', () => {
  const failure = { port: 'cloud', operation: 'DeleteVpc', message: 'It has dependencies.', at: 0 };
  const many = Array.from({ length: 7 }, (_, i) => `security group sg-${i}`);

  it('because of a dependency names the first few of them', () =>
    expect(withBlockingResources({ ...failure, code: 'DependencyViolation' }, many).message).toMatch(
      /^It has dependencies\. In the way.*: security group sg-0, .*sg-4 and 2 more$/,
    ));
  it('for another reason names none', () =>
    expect(withBlockingResources({ ...failure, code: 'UnauthorizedOperation' }, many).message).toBe(
      'It has dependencies.',
    ));
});
