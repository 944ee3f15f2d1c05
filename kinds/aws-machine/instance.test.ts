import { describe, expect, it } from 'vitest';
import type { Instance } from '../ports/cloud.ts';
import { groupRepairs, tagRepairs } from './instance.ts';
import type { AWSMachine } from './schema.ts';

const owner = { clusterUid: 'c', clusterName: 'demo', installation: 'here', additionalTags: {} };
const machine = (spec: object = {}): AWSMachine => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: { name: 'one', namespace: 'default', uid: 'u' },
  spec: { instanceType: 't3.large', ...spec },
});
const volume = (VolumeId: string, DeleteOnTermination: boolean) => ({
  DeviceName: '/dev/x',
  Ebs: { VolumeId, Status: 'attached', DeleteOnTermination },
});
const networkInterface = (DeviceIndex: number, ...groups: string[]) => ({
  NetworkInterfaceId: `eni-${DeviceIndex}`,
  Attachment: { DeviceIndex },
  Groups: groups.map((GroupId) => ({ GroupId })),
});
/** As a node looks after a while: a volume of a workload, and an interface for pods. */
const instance = {
  InstanceId: 'i-1',
  BlockDeviceMappings: [volume('vol-root', true), volume('vol-of-a-pod', false)],
  NetworkInterfaces: [networkInterface(0, 'sg-old'), networkInterface(1, 'sg-pods')],
  Tags: [],
} as unknown as Instance;

const inputs = (actions: readonly object[]) => actions.map((one) => (one as { input: { input: object } }).input.input);

describe('tags', () => {
  it.each([
    { rule: 'go on the instance and what was launched with it', spec: {}, on: ['i-1', 'vol-root', 'eni-0'] },
    {
      rule: 'never on an interface that a user brought',
      spec: { networkInterfaces: ['eni-0'] },
      on: ['i-1', 'vol-root'],
    },
  ])('$rule, and on nothing that workloads attached', ({ spec, on }) =>
    expect(inputs(tagRepairs('r', owner, machine(spec), false, instance))).toMatchObject([{ Resources: on }]));
});

it('security groups are set right on the interface of the launch, and left to others on theirs', () =>
  expect(inputs(groupRepairs('r', instance, ['sg-new']))).toEqual([
    { NetworkInterfaceId: 'eni-0', Groups: ['sg-new'] },
  ]));
