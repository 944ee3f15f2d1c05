import { describe, expect, it } from 'vitest';
import type { Read, Reader } from '../../machinery/api/reconcile.ts';
import type { CloudInput } from '../ports/cloud/index.ts';
import { observeControlPlaneHosts } from './control-plane-hosts.ts';

const former = {
  namespace: 'default',
  clusterName: 'c',
  clusterUid: 'uid',
  region: 'eu-central-1',
  installation: 'here',
};

type States = Record<string, string>;
/** What EC2 answers: by tag, and by id. */
const hostsOf = (byTag: Read<States>, byId: Read<States>, ids: string[], region = former.region) => {
  const asked: string[] = [];
  const read = {
    ask: (_: string, action: string, { input }: { input: CloudInput<'DescribeInstances'> }) => {
      const [filter] = input.Filters ?? [];
      asked.push(`${action} ${input.Filters?.map(({ Name, Values }) => `${Name}=${Values}`).join(' ')}`);
      const answer = filter?.Name === 'instance-id' ? byId : byTag;
      if (answer.state !== 'found') return answer;
      const Instances = Object.entries(answer.value).map(([InstanceId, Name]) => ({ InstanceId, State: { Name } }));
      return { state: 'found', value: { Reservations: [{ Instances }] } };
    },
  } as unknown as Reader;
  return { hosts: observeControlPlaneHosts({ ...former, region }, ids, read), asked };
};
const found = (value: States): Read<States> => ({ state: 'found', value });
const ids = ['aws:///eu-central-1a/i-1', 'aws:///eu-central-1b/i-2'];

describe('the hosts of a control plane', () => {
  it('are asked for by the tags of the cluster and by id', () =>
    expect(hostsOf(found({}), found({}), ids).asked).toEqual([
      'DescribeInstances tag:capstan.dev/installation=here tag:capstan.dev/cluster-uid=uid tag:sigs.k8s.io/cluster-api-provider-aws/role=control-plane',
      'DescribeInstances instance-id=i-1,i-2',
    ]));

  it.each<{ rule: string; byTag: Read<States>; byId: Read<States>; is: Read<string[]> }>([
    {
      rule: 'are off once they are terminated, or EC2 lists them no more',
      byTag: found({ 'i-1': 'terminated' }),
      byId: found({ 'i-1': 'terminated' }),
      is: { state: 'found', value: [] },
    },
    {
      rule: 'may run without an object',
      byTag: found({ 'i-9': 'running' }),
      byId: found({}),
      is: { state: 'found', value: ['EC2 instance i-9 (running)'] },
    },
    {
      rule: 'may run without their tags',
      byTag: found({}),
      byId: found({ 'i-2': 'shutting-down' }),
      is: { state: 'found', value: ['EC2 instance i-2 (shutting-down)'] },
    },
    {
      rule: 'that are stopped may start again',
      byTag: found({ 'i-1': 'stopped' }),
      byId: found({ 'i-1': 'stopped' }),
      is: { state: 'found', value: ['EC2 instance i-1 (stopped)'] },
    },
    {
      rule: 'are not known while a call is refused',
      byTag: { state: 'unreadable', reason: 'throttled' },
      byId: found({}),
      is: { state: 'unreadable', reason: 'DescribeInstances: throttled' },
    },
    { rule: 'are not known before EC2 answers', byTag: { state: 'unread' }, byId: found({}), is: { state: 'unread' } },
  ])('$rule', ({ byTag, byId, is }) => expect(hostsOf(byTag, byId, ids).hosts).toEqual(is));

  it('are not known without a region', () =>
    expect(hostsOf(found({}), found({}), ids, '').hosts).toMatchObject({ state: 'unreadable' }));
});
