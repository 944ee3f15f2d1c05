import { expect, it } from 'vitest';
import type { Instance, Tag } from '../../ports/cloud.ts';
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
  { rule: 'nothing', of: machine({}), is: undefined },
  { rule: 'what its provider id names', of: machine({ providerID: 'aws:///eu-west-1a/i-1' }), is: 'i-1' },
  { rule: 'what its instance id names', of: machine({ instanceID: 'i-2' }), is: 'i-2' },
  { rule: 'nothing that was launched for it', of: machine({ instanceID: 'i-2' }, { machine: 'm' }), is: undefined },
  { rule: 'what was launched for another', of: machine({ instanceID: 'i-2' }, { machine: 'original' }), is: 'i-2' },
])('an AWSMachine comes with $rule', ({ of, is }) => expect(unmanagedInstance(of)).toBe(is));

it.each([
  { rule: 'it carries the tags of its cluster', Tags: own, is: undefined },
  { rule: 'it was launched for one that is gone', Tags: [...own, launched('gone')], is: undefined },
  { rule: 'it was launched for itself', Tags: [...own, launched('m')], is: undefined },
  { rule: 'another one has it', Tags: [...own, launched('other')], is: /^was launched for another AWSMachine$/ },
  { rule: 'it carries no tags', Tags: [], is: /^does not carry the tags capstan.dev\/installation=here and / },
  { rule: 'it lacks one', Tags: own.slice(1), is: /capstan.dev\/cluster-uid=uid$/ },
  { rule: 'it is another cluster’s', Tags: [own[0]!, { ...own[1]!, Value: 'another' }], is: /^does not carry/ },
])('whether an instance is its own where $rule', ({ Tags, is }) => {
  const why = whyNotOwn(instance(...Tags), owner, ['other']);
  if (is) expect(why).toMatch(is);
  else expect(why).toBeUndefined();
});

it('reads the AWSMachine that an instance was launched for from its tag', () => {
  expect(launchedFor(instance(...own, launched('m')))).toBe('m');
  expect(launchedFor(instance(...own))).toBeUndefined();
});
