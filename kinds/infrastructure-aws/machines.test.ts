import { describe, expect, it } from 'vitest';
import { refusalIn, viewOf } from '../core/contract/machine-provider.ts';
import { machineProviders } from '../machine-providers.ts';
import { apiVersionFor } from '../references.fixture.ts';

const object = (kind: string, more: object, apiVersion = apiVersionFor(kind)) => ({
  apiVersion,
  kind,
  metadata: { name: 'a' },
  ...more,
});
const refused = (message: string, status = 'False') => ({
  status: { conditions: [{ type: 'InstanceReady', status, message, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
});

describe('a refused launch', () => {
  it.each([
    { code: 'InsufficientInstanceCapacity', consequence: 'noCapacity' },
    { code: 'InsufficientFreeAddressesInSubnet', consequence: 'noCapacity' },
    { code: 'ReservationCapacityExceeded', consequence: 'noCapacity' },
    { code: 'MaxSpotInstanceCountExceeded', consequence: 'noCapacity' },
    { code: 'VcpuLimitExceeded', consequence: 'quota' },
    { code: 'ServiceLinkedRoleCreationNotPermitted', consequence: 'notPermitted' },
  ])('with $code is $consequence', ({ code, consequence }) =>
    expect(refusalIn(object('AWSMachine', refused(`RunInstances: ${code}: none`)), machineProviders)).toEqual({
      consequence,
      code,
      at: Date.UTC(2026, 0, 1),
    }));

  it.each([
    { rule: 'another code', of: object('AWSMachine', refused('InvalidKeyPair.NotFound')) },
    { rule: 'a condition that is True', of: object('AWSMachine', refused('VcpuLimitExceeded', 'True')) },
    { rule: 'a code within a word', of: object('AWSMachine', refused('NoVcpuLimitExceededHere')) },
    {
      rule: 'a kind of another group',
      of: object('AWSMachine', refused('VcpuLimitExceeded'), 'other.example/v1'),
    },
  ])('has no consequence for $rule', ({ of }) => expect(refusalIn(of, machineProviders)).toBeUndefined());
});

describe('the view of a template', () => {
  const spec = {
    template: { spec: { instanceType: 'm7g.large', marketType: 'Spot' }, metadata: { annotations: { a: 'b' } } },
  };
  const status = { capacity: { cpu: '2' }, nodeInfo: { architecture: 'arm64' }, zones: ['a'], price: { source: 'x' } };
  const reported = { declared: spec, ...status, annotations: { a: 'b' } };

  it('has what its fields say, and its type and market', () =>
    expect(viewOf(object('AWSMachineTemplate', { spec, status }), machineProviders)).toEqual({
      ...reported,
      type: 'm7g.large',
      market: 'spot',
    }));

  it('has the fields alone for a foreign provider', () =>
    expect(viewOf(object('ToyMachineTemplate', { spec, status }), machineProviders)).toEqual(reported));
});
