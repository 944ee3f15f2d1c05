import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Reader } from '../../../machinery/api/reconcile.ts';
import {
  addressFault,
  awaitedAddress,
  claimFinalizer,
  fixedAddressOf,
  observeFixedAddress,
  releasingAddress,
  validateFixedAddress,
} from './fixed-address.ts';
import { choosePlace } from './placement.ts';
import type { AWSMachine } from './schema.ts';

const annotation = 'capstan.dev/address-pool';
const machine = (reference?: string): AWSMachine => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachine',
  metadata: {
    namespace: 'default',
    name: 'a',
    uid: 'of-a',
    labels: { 'cluster.x-k8s.io/cluster-name': 'demo' },
    ...(reference && { annotations: { [annotation]: reference } }),
  },
  spec: { instanceType: 't3.large' },
});
const asking = machine('Subnet.ipam.example.com/blue');
const poolRef = { apiGroup: 'ipam.example.com', kind: 'Subnet', name: 'blue' };
const owned = { apiVersion: '', kind: 'AWSMachine', name: 'a', uid: 'of-a', controller: true };
const claim = (more: object = {}, metadata: object = {}): KubeObject => ({
  apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
  kind: 'IPAddressClaim',
  metadata: { namespace: 'default', name: 'a', finalizers: [claimFinalizer], ownerReferences: [owned], ...metadata },
  spec: { poolRef },
  ...more,
});
const bound = claim({ status: { addressRef: { name: 'a' } } });
const address = (text: string): KubeObject => ({
  apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
  kind: 'IPAddress',
  metadata: { namespace: 'default', name: 'a' },
  spec: { address: text, prefix: 24, claimRef: { name: 'a' }, poolRef },
});

const observed = (awsMachine: AWSMachine, ...objects: KubeObject[]) =>
  observeFixedAddress(awsMachine, {
    get: (kind: string) => {
      const value = objects.find((one) => one.kind === kind);
      return value ? { state: 'found', value } : { state: 'absent' };
    },
  } as unknown as Reader);

describe('a machine that asks for a pool', () => {
  it('claims an address of it, whoever serves it', () => {
    const awaited = awaitedAddress(asking, observed(asking));
    expect(awaited?.message).toBe('Waiting for IPAddressClaim a');
    expect(awaited?.actions).toMatchObject([
      {
        do: 'create',
        object: {
          kind: 'IPAddressClaim',
          metadata: { name: 'a', finalizers: [claimFinalizer], ownerReferences: [{ uid: 'of-a', controller: true }] },
          spec: { clusterName: 'demo', poolRef },
        },
      },
    ]);
  });

  it.each([
    { rule: 'waits for its claim', objects: [claim()], message: 'Waiting for IPAddressClaim a' },
    {
      rule: 'says what its claim waits for',
      objects: [
        claim({ status: { conditions: [{ type: 'Ready', status: 'False', message: 'Subnet blue is full' }] } }),
      ],
      message: 'Waiting for IPAddressClaim a: Subnet blue is full',
    },
    { rule: 'waits for the address itself', objects: [bound], message: 'Waiting for IPAddressClaim a' },
    {
      rule: 'waits until the claim of an earlier launch is gone',
      objects: [claim({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
      message: 'Waiting until IPAddressClaim a of an earlier launch is gone',
    },
    {
      rule: 'takes no claim of another owner',
      objects: [claim({}, { ownerReferences: [] })],
      message: 'IPAddressClaim a exists and belongs to another owner: delete it',
      isFault: true,
    },
    {
      rule: 'takes no claim of another pool',
      objects: [claim({ spec: { poolRef: { ...poolRef, name: 'red' } } })],
      message: `IPAddressClaim a refers to another pool than ${annotation}: delete the Machine`,
      isFault: true,
    },
  ])('$rule', ({ objects, message, isFault }) => {
    const awaited = awaitedAddress(asking, observed(asking, ...objects));
    expect(awaited).toEqual({ message, ...(isFault && { isFault }) });
  });

  it('launches at the address', () => {
    const fixed = observed(asking, bound, address('10.0.1.9'));
    expect([awaitedAddress(asking, fixed), fixedAddressOf(fixed), addressFault(fixed)]).toEqual([
      undefined,
      '10.0.1.9',
      undefined,
    ]);
    expect(addressFault(observed(asking, bound, address('2001:db8::1')))).toContain('IPv4 only');
  });

  it('gives it back before its own end, and not earlier', () => {
    const fixed = observed(asking, bound, address('10.0.1.9'));
    const end = { finished: true };
    expect(releasingAddress({}, asking, fixed)).toEqual({});
    expect(releasingAddress(end, asking, fixed)).toMatchObject({
      actions: [
        { do: 'patch', patch: { metadata: { finalizers: [] } } },
        { do: 'delete', kind: 'IPAddressClaim' },
      ],
    });
    expect(releasingAddress(end, asking, observed(asking))).toEqual(end);
    expect(releasingAddress(end, asking, observed(asking, claim({}, { finalizers: [] })))).toEqual(end);
    expect(releasingAddress(end, asking, observed(asking, claim({}, { ownerReferences: [] })))).toEqual(end);
  });

  it('asks for nothing without the annotation', () => expect(observed(machine())).toBeUndefined());
});

describe('the annotation', () => {
  const faults = (value: string, spec = {}) =>
    validateFixedAddress('metadata.annotations', { [annotation]: value }, { instanceType: 't3.large', ...spec }).map(
      ({ field, detail }) => `${field}: ${detail}`,
    );
  it.each([
    'InClusterIPPool/workers',
    'Subnet.ipam.example.com/blue',
    'GlobalInClusterIPPool/a.b',
  ])('may be %s', (value) => expect(faults(value)).toEqual([]));
  it.each([
    '',
    'workers',
    'InClusterIPPool/',
    '/workers',
    'InClusterIPPool/a/b',
    'InClusterIPPool./a',
    'Pool.UPPER/a',
  ])('may not be %j', (value) => expect(faults(value)).toHaveLength(1));
  it('excludes network interfaces that exist', () =>
    expect(faults('InClusterIPPool/workers', { networkInterfaces: ['eni-1'] })).toEqual([
      `metadata.annotations[${annotation}]: a machine with network interfaces of its own has their addresses`,
    ]));
});

describe('the place of an address', () => {
  const subnet = (id: string, availabilityZone: string, cidrBlock: string) => ({
    id,
    resourceID: id,
    availabilityZone,
    cidrBlock,
  });
  const choice = {
    spec: { instanceType: 't3.large' },
    failureDomain: undefined,
    subnets: [subnet('subnet-a', 'a', '10.0.1.0/24'), subnet('subnet-b', 'b', '10.0.2.0/24')],
    vpcId: 'vpc-1',
    named: [],
    exhausted: ['subnet-b'],
  };
  it('is the subnet that contains it, whatever is exhausted', () =>
    expect(choosePlace({ ...choice, address: '10.0.2.9' })).toMatchObject({ subnetId: 'subnet-b', zone: 'b' }));
  it('is none outside of the subnets', () =>
    expect(choosePlace({ ...choice, address: '10.0.3.9' })).toBe('no subnet for the machine contains 10.0.3.9'));
  it('is none in another zone than the Machine', () =>
    expect(choosePlace({ ...choice, failureDomain: 'a', address: '10.0.2.9' })).toBe(
      'the subnet that contains 10.0.2.9 is not in availability zone a',
    ));
});
