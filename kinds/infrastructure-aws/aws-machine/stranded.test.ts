import { describe, expect, it } from 'vitest';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import type { Instance } from '../../ports/cloud.ts';
import type { TaggedResource } from '../../ports/installation.ts';
import { tokenOf } from './launch.ts';
import type { AWSMachine } from './schema.ts';
import { duplicateInstances, strandedInstances, strandedSecrets } from './stranded.ts';

const at = Date.parse('2026-01-02T03:04:05Z');
type Tombstone = Read<{ uid: string; at: number }>;
const buried: Tombstone = { state: 'found', value: { uid: 'uid-of-m', at } };

const attachedAt = (AttachTime: string): Instance['NetworkInterfaces'] => [
  { NetworkInterfaceId: 'eni-1', Attachment: { DeviceIndex: 0, AttachTime }, Groups: [] },
];

const instance = (more: Partial<Instance> = {}) =>
  ({
    InstanceId: 'i-1',
    State: { Name: 'running' },
    LaunchTime: '2026-01-02T05:00:00.000Z',
    NetworkInterfaces: attachedAt('2026-01-02T03:04:06.000Z'),
    Tags: [
      { Key: 'MachineName', Value: 'default/m' },
      { Key: 'capstan.dev/machine-uid', Value: 'uid-of-m' },
    ],
    ...more,
  }) as Instance;

describe('an instance came too late', () => {
  it.each<{ rule: string; one?: Partial<Instance>; tombstone?: Tombstone; is: boolean }>([
    { rule: 'when it was launched after its AWSMachine was deleted', is: true },
    { rule: 'also while it is still pending', one: { State: { Name: 'pending' } }, is: true },
    {
      rule: 'not when it was there before, and was started again since',
      one: { NetworkInterfaces: attachedAt('2026-01-02T03:04:05.000Z') },
      is: false,
    },
    { rule: 'not when its creation time is unknown', one: { NetworkInterfaces: [] }, is: false },
    { rule: 'not while its AWSMachine is there, or nothing is known of it', tombstone: { state: 'absent' }, is: false },
    { rule: 'not before that was read', tombstone: { state: 'unread' }, is: false },
    { rule: 'not when a namesake was deleted', tombstone: { state: 'found', value: { uid: 'other', at } }, is: false },
    { rule: 'not when it goes anyway', one: { State: { Name: 'shutting-down' } }, is: false },
    { rule: 'not when it is a stranger’s', one: { Tags: [] }, is: false },
  ])('$rule', ({ one, tombstone = buried, is }) => {
    const asked: unknown[] = [];
    const read = {
      tombstone: (kind: string, key: object) => {
        asked.push([kind, key]);
        return tombstone;
      },
    } as unknown as Reader;
    const given = instance(one);
    expect(strandedInstances([given], read)).toEqual(is ? [given] : []);
    if (is) expect(asked).toEqual([['AWSMachine', { namespace: 'default', name: 'm' }]]);
  });
});

describe('an instance is the second of its machine', () => {
  const machine = (more: Partial<AWSMachine> = {}, launch: object = {}): AWSMachine => ({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind: 'AWSMachine',
    metadata: {
      name: 'm',
      uid: 'uid-of-m',
      annotations: {
        [launchAnnotation]: JSON.stringify({
          machine: 'uid-of-m',
          series: 'these',
          attempt: 3,
          ...launch,
        }),
      },
    },
    spec: { instanceType: 't3.large', providerID: 'aws:///eu-west-1a/i-2', instanceID: 'i-2' },
    ...more,
  });
  it.each<{ rule: string; one?: Partial<Instance>; of?: AWSMachine; own?: Partial<Instance>; is: boolean }>([
    { rule: 'when an attempt made it that had been given up', is: true },
    {
      rule: 'also when its own was, and the last attempt made this one',
      one: { ClientToken: tokenOf('these', 3) },
      is: true,
    },
    { rule: 'not while its own is not shown', own: { InstanceId: 'i-3' }, is: false },
    { rule: 'not when its own goes', own: { State: { Name: 'terminated' } }, is: false },
    {
      rule: 'not when a user wrote the id of an instance into the spec that was not launched for it',
      own: { ClientToken: 'another' },
      is: false,
    },
    { rule: 'not while the machine has none', of: machine({ spec: { instanceType: 't3.large' } }), is: false },
    { rule: 'not when a user launched a similar one by hand', one: { ClientToken: 'another' }, is: false },
    { rule: 'not when nothing says who made it', one: { ClientToken: undefined }, is: false },
    { rule: 'not when the machine was made from a copy', of: machine({}, { machine: 'uid-of-n' }), is: false },
    { rule: 'not when it goes anyway', one: { State: { Name: 'shutting-down' } }, is: false },
    { rule: 'not when it is a stranger’s', one: { Tags: [] }, is: false },
  ])('$rule', ({ one, of = machine(), own, is }) => {
    const given = { ...instance(), ClientToken: tokenOf('these', 1), ...one } as Instance;
    const its = { ...instance(), InstanceId: 'i-2', ClientToken: tokenOf('these', 2), ...own } as Instance;
    expect(duplicateInstances([given, its], [of])).toEqual(is ? [given] : []);
  });
});

describe('a one-shot secret came too late', () => {
  const tags = { MachineName: 'default/m', 'capstan.dev/machine-uid': 'uid-of-m' };
  it.each<{ rule: string; more?: Record<string, string>; tombstone?: Tombstone; is: boolean }>([
    { rule: 'when its AWSMachine was deleted', is: true },
    { rule: 'not while its AWSMachine is there, or nothing is known of it', tombstone: { state: 'absent' }, is: false },
    { rule: 'not before that was read', tombstone: { state: 'unread' }, is: false },
    { rule: 'not when a namesake was deleted', tombstone: { state: 'found', value: { uid: 'other', at } }, is: false },
    { rule: 'not when it names no machine', more: { MachineName: '' }, is: false },
  ])('$rule', ({ more, tombstone = buried, is }) => {
    const read = { tombstone: () => tombstone } as unknown as Reader;
    const given = { type: 'secret', id: 'arn', tags: { ...tags, ...more } } as TaggedResource;
    expect(strandedSecrets([given], read)).toEqual(is ? [given] : []);
  });
});
