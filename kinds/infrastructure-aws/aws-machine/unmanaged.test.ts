import { expect, it } from 'vitest';
import type { Instance, Tag } from '../../ports/cloud/index.ts';
import { launchedFor, unmanagedInstance, whyNotOwn } from './unmanaged.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const own: Tag[] = [
  { Key: 'capstan.dev/installation', Value: 'here' },
  { Key: 'capstan.dev/cluster-uid', Value: 'uid' },
];
const launched = (Value: string): Tag => ({ Key: 'capstan.dev/machine-uid', Value });
const instance = (...Tags: Tag[]) => ({ InstanceId: 'i-1', Tags }) as unknown as Instance;
const machine = (spec: object, launch?: object) => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: { name: 'one', uid: 'm', ...(launch && { annotations: { 'capstan.dev/launch': JSON.stringify(launch) } }) },
  spec,
});

it.each([
  { rule: 'no instance', of: machine({}), is: undefined },
  { rule: 'the instance of its provider ID', of: machine({ providerID: 'aws:///eu-west-1a/i-1' }), is: 'i-1' },
  { rule: 'the instance of its instance ID', of: machine({ instanceID: 'i-2' }), is: 'i-2' },
  { rule: 'no instance that was launched for it', of: machine({ instanceID: 'i-2' }, { machine: 'm' }), is: undefined },
  {
    rule: 'the instance that was launched for another object',
    of: machine({ instanceID: 'i-2' }, { machine: 'original' }),
    is: 'i-2',
  },
])('the unmanaged instance of an AWSMachine is $rule', ({ of, is }) => expect(unmanagedInstance(of)).toBe(is));

it.each([
  { rule: 'it carries the tags of its cluster', Tags: own, is: undefined },
  { rule: 'it was launched for a deleted AWSMachine', Tags: [...own, launched('gone')], is: undefined },
  { rule: 'it was launched for itself', Tags: [...own, launched('m')], is: undefined },
  { rule: 'another AWSMachine has it', Tags: [...own, launched('other')], is: /^was launched for another AWSMachine$/ },
  { rule: 'it carries no tags', Tags: [], is: /^does not carry the tags capstan.dev\/installation=here and / },
  { rule: 'it lacks one tag', Tags: own.slice(1), is: /capstan.dev\/cluster-uid=uid$/ },
  { rule: 'it belongs to another cluster', Tags: [own[0]!, { ...own[1]!, Value: 'another' }], is: /^does not carry/ },
])('decides whether an instance may be used where $rule', ({ Tags, is }) => {
  const why = whyNotOwn(instance(...Tags), owner, ['other']);
  if (is) expect(why).toMatch(is);
  else expect(why).toBeUndefined();
});

it('reads the AWSMachine that an instance was launched for from its tag', () => {
  expect(launchedFor(instance(...own, launched('m')))).toBe('m');
  expect(launchedFor(instance(...own))).toBeUndefined();
});
