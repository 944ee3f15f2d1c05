import { expect, it } from 'vitest';
import type { Address, Instance } from '../../ports/cloud/index.ts';
import { planAddress } from './address.ts';
import type { Observed } from './observe.ts';

const owner = { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} };
const address = (AllocationId: string, InstanceId?: string): Address => ({
  AllocationId,
  PublicIp: '192.0.2.1',
  ...(InstanceId && { AssociationId: `of-${AllocationId}`, InstanceId }),
  Tags: [],
});

it.each([
  { rule: 'is allocated', addresses: [], does: [['AllocateAddress', undefined]] },
  { rule: 'is associated', addresses: [address('eip-1')], does: [['AssociateAddress', 'eip-1']] },
  { rule: 'exists', addresses: [address('eip-1', 'i-1')], does: [] },
  {
    rule: 'exists, and a duplicate of a stalled worker is released',
    addresses: [address('eip-2'), address('eip-1', 'i-1')],
    does: [['ReleaseAddress', 'eip-2']],
  },
  {
    rule: 'exists, and a duplicate in use elsewhere is kept',
    addresses: [address('eip-2', 'i-2'), address('eip-1', 'i-1')],
    does: [],
  },
  {
    rule: 'is associated, unless it is in use elsewhere',
    addresses: [address('eip-2', 'i-2'), address('eip-1')],
    does: [['AssociateAddress', 'eip-1']],
  },
])('an Elastic IP address of a machine $rule', ({ addresses, does }) => {
  const observed = {
    awsMachine: {
      metadata: { name: 'm', namespace: 'default', uid: 'uid-of-m' },
      spec: { instanceType: 't3.large', elasticIpPool: {} },
    },
    machine: { state: 'absent' },
    withheld: undefined,
    region: 'r',
    addresses,
    poolUsedUp: false,
  } as unknown as Observed;
  const instance = { InstanceId: 'i-1', State: { Name: 'running' } } as Instance;
  const done = planAddress(observed, owner, instance)
    .flatMap(({ actions }) => actions(0))
    .map((action) => {
      if (action.do !== 'call') return action;
      const { input } = action.input as { input: { AllocationId?: string } };
      return [action.operation, input.AllocationId];
    });
  expect(done).toEqual(does);
});
