import { describe, expect, it } from 'vitest';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { launchAnnotation } from '../../core/contract/launch.ts';
import type { Instance } from '../../ports/cloud/index.ts';
import type { TaggedResource } from '../../ports/installation.ts';
import { drawnToken, tokenOf } from './launch.ts';
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

describe('an instance is stranded', () => {
  it.each<{ rule: string; one?: Partial<Instance>; tombstone?: Tombstone; is: boolean }>([
    { rule: 'when it was launched after its AWSMachine was deleted', is: true },
    { rule: 'even while it is pending', one: { State: { Name: 'pending' } }, is: true },
    {
      rule: 'not when it existed before and was restarted since',
      one: { NetworkInterfaces: attachedAt('2026-01-02T03:04:05.000Z') },
      is: false,
    },
    { rule: 'not when its creation time is unknown', one: { NetworkInterfaces: [] }, is: false },
    { rule: 'not while its AWSMachine exists or has no tombstone', tombstone: { state: 'absent' }, is: false },
    { rule: 'not before the tombstone is read', tombstone: { state: 'unread' }, is: false },
    {
      rule: 'not when the tombstone is that of a namesake',
      tombstone: { state: 'found', value: { uid: 'other', at } },
      is: false,
    },
    { rule: 'not when it is being terminated', one: { State: { Name: 'shutting-down' } }, is: false },
    { rule: 'not when it belongs to another owner', one: { Tags: [] }, is: false },
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

describe('an instance is a duplicate', () => {
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
    { rule: 'when an abandoned attempt created it', one: { ClientToken: drawnToken('these', 'x') }, is: true },
    { rule: 'when an abandoned attempt of an earlier version created it', is: true },
    {
      rule: 'when the last attempt created it and an earlier one created the AWSMachine’s own instance',
      one: { ClientToken: tokenOf('these', 3) },
      is: true,
    },
    { rule: 'not while the AWSMachine’s own instance is invisible', own: { InstanceId: 'i-3' }, is: false },
    {
      rule: 'not when the AWSMachine’s own instance is being terminated',
      own: { State: { Name: 'terminated' } },
      is: false,
    },
    {
      rule: 'not when a user set the ID of an instance that was not launched for the AWSMachine',
      own: { ClientToken: 'another' },
      is: false,
    },
    {
      rule: 'not while the AWSMachine has no instance',
      of: machine({ spec: { instanceType: 't3.large' } }),
      is: false,
    },
    { rule: 'not when a user launched it by hand', one: { ClientToken: 'another' }, is: false },
    { rule: 'not when its client token is unknown', one: { ClientToken: undefined }, is: false },
    { rule: 'not when the AWSMachine is a copy', of: machine({}, { machine: 'uid-of-n' }), is: false },
    { rule: 'not when it is being terminated', one: { State: { Name: 'shutting-down' } }, is: false },
    { rule: 'not when it belongs to another owner', one: { Tags: [] }, is: false },
  ])('$rule', ({ one, of = machine(), own, is }) => {
    const given = { ...instance(), ClientToken: tokenOf('these', 1), ...one } as Instance;
    const its = { ...instance(), InstanceId: 'i-2', ClientToken: tokenOf('these', 2), ...own } as Instance;
    expect(duplicateInstances([given, its], [of])).toEqual(is ? [given] : []);
  });
});

describe('a one-time secret is stranded', () => {
  const tags = { MachineName: 'default/m', 'capstan.dev/machine-uid': 'uid-of-m' };
  it.each<{ rule: string; more?: Record<string, string>; tombstone?: Tombstone; is: boolean }>([
    { rule: 'when its AWSMachine was deleted', is: true },
    { rule: 'not while its AWSMachine exists or has no tombstone', tombstone: { state: 'absent' }, is: false },
    { rule: 'not before the tombstone is read', tombstone: { state: 'unread' }, is: false },
    {
      rule: 'not when the tombstone is that of a namesake',
      tombstone: { state: 'found', value: { uid: 'other', at } },
      is: false,
    },
    { rule: 'not when it names no machine', more: { MachineName: '' }, is: false },
  ])('$rule', ({ more, tombstone = buried, is }) => {
    const read = { tombstone: () => tombstone } as unknown as Reader;
    const given = { type: 'secret', id: 'arn', tags: { ...tags, ...more } } as TaggedResource;
    expect(strandedSecrets([given], read)).toEqual(is ? [given] : []);
  });
});
