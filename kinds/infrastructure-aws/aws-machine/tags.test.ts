import { describe, expect, it } from 'vitest';
import { launchAnnotation } from '../../core/contract/launch.ts';
import type { Address, Instance } from '../../ports/cloud/index.ts';
import { appliedTagsAnnotation } from '../engine/additional-tags.ts';
import { tagList } from '../engine/tags.ts';
import { machineTags } from './request.ts';
import type { AWSMachine } from './schema.ts';
import { planTags } from './tags.ts';

const owner = { clusterUid: 'c', clusterName: 'demo', installation: 'here', additionalTags: { cost: '1' } };
const machine = (spec: object = {}, annotations: Record<string, string> = {}): AWSMachine => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: { name: 'one', namespace: 'default', uid: 'u', annotations },
  spec: { instanceType: 't3.large', ...spec },
});
const volume = (VolumeId: string, DeleteOnTermination: boolean) => ({
  DeviceName: '/dev/x',
  Ebs: { VolumeId, Status: 'attached', DeleteOnTermination },
});
const networkInterface = (DeviceIndex: number) => ({
  NetworkInterfaceId: `eni-${DeviceIndex}`,
  Attachment: { DeviceIndex },
});
/** The instance of a node after a while, with a workload's volume and an interface for pods. */
const instance = (tags: Record<string, string> = {}, state = 'running') =>
  ({
    InstanceId: 'i-1',
    State: { Name: state },
    BlockDeviceMappings: [volume('vol-root', true), volume('vol-of-a-pod', false)],
    NetworkInterfaces: [networkInterface(0), networkInterface(1)],
    Tags: tagList(tags),
  }) as unknown as Instance;
interface Call {
  input: { input: { Resources: string[]; Tags: object[] } };
}
const planned = (awsMachine: AWSMachine, tags?: Record<string, string>, state?: string, addresses: Address[] = []) =>
  planTags({ region: 'r', owner, awsMachine, controlPlane: false }, instance(tags, state), addresses, 0);
const done = (...of: Parameters<typeof planned>) =>
  planned(...of).steps.flatMap(({ actions }) => actions(0).map((one) => (one as unknown as Call).input.input));
const noted = (applied: object) => ({ [appliedTagsAnnotation]: JSON.stringify(applied) });
const launched = (tags: Record<string, string>) => ({
  [launchAnnotation]: JSON.stringify({
    machine: 'u',
    request: { TagSpecifications: [{ ResourceType: 'instance', Tags: tagList(tags) }] },
  }),
});

const all = { ...machineTags(owner, machine(), false), team: 'a' };

describe('the tags of a machine', () => {
  it('are not set until all resources of the launch are visible', () =>
    expect(done(machine(), {}, 'pending')).toEqual([]));
  it('are kept for a pending instance', () => {
    const long = { 'surplus-tags/x': { since: 0, tried: 0 } };
    const asking = machine({}, { ...noted({ cost: '1', team: 'a' }), 'capstan.dev/pending': JSON.stringify(long) });
    const { note, steps } = planTags(
      { region: 'r', owner, awsMachine: asking, controlPlane: false },
      instance(all, 'pending'),
      [],
      1e9,
    );
    expect({ note, steps }).toEqual({ note: {}, steps: [] });
  });
  it('are set on its Elastic IP address', () => {
    const Tags = tagList({ ...all, team: 'other' });
    const address = { AllocationId: 'eipalloc-1', Tags } as unknown as Address;
    expect(done(machine({}, noted({ cost: '1', team: 'a' })), all, 'running', [address])).toEqual([
      { Resources: ['eipalloc-1'], Tags: [{ Key: 'team' }] },
      { Resources: ['eni-0', 'i-1', 'vol-root'], Tags: [{ Key: 'team' }] },
    ]);
  });
  it.each([
    { rule: 'are set on the instance and the resources of its launch', spec: {}, on: ['eni-0', 'i-1', 'vol-root'] },
    {
      rule: 'are never set on a user-provided network interface',
      spec: { networkInterfaces: ['eni-0'] },
      on: ['i-1', 'vol-root'],
    },
  ])('$rule, and never on resources that workloads attached', ({ spec, on }) =>
    expect(done(machine(spec))).toMatchObject([{ Resources: on }]));

  it.each([
    { rule: 'are kept when another tool set them', annotations: {}, takes: [] },
    {
      rule: 'are removed when the controller applied them',
      annotations: noted({ cost: '1', team: 'a' }),
      takes: ['team'],
    },
    { rule: 'are removed when they were set by the launch', annotations: launched(all), takes: ['team'] },
    {
      rule: 'are kept when another tool set them again after a removal',
      annotations: { ...launched(all), ...noted({ cost: '1' }) },
      takes: [],
    },
  ])('$rule, when the spec no longer requests them', ({ annotations, takes }) => {
    const taken = done(machine({}, annotations), all).flatMap(({ Tags }) => Tags);
    expect(taken).toEqual(takes.map((Key) => ({ Key })));
  });

  it.each([
    {
      rule: 'are recorded with the launch',
      annotations: launched(all),
      spec: { additionalTags: { team: 'a' } },
      says: {},
    },
    {
      rule: 'are recorded before they are applied',
      annotations: launched(all),
      spec: { additionalTags: { team: 'b' } },
      says: noted({ cost: '1', team: 'b' }),
    },
  ])('$rule', ({ annotations, spec, says }) => expect(planned(machine(spec, annotations), all).note).toEqual(says));
});

it('rejects identity and ownership tags from a user', () => {
  const additionalTags = { team: 'a', 'capstan.dev/purpose': 'bastion', 'kubernetes.io/role/elb': '1' };
  const tags = machineTags(owner, machine({ additionalTags }), false);
  expect(tags).toMatchObject({ cost: '1', team: 'a' });
  expect(tags).not.toHaveProperty(['capstan.dev/purpose']);
  expect(tags).not.toHaveProperty(['kubernetes.io/role/elb']);
});
