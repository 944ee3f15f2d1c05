import { expect, it } from 'vitest';
import { planPart } from '../../engine/plan.ts';
import { vpcReady } from '../conditions.ts';
import type { Scope } from '../scope.ts';
import { types } from './index.ts';

it.each([
  {
    rule: 'with DNS host names is ready',
    dns: { dnsSupport: true, dnsHostnames: true },
    steps: [],
    is: 'True',
  },
  {
    rule: 'without DNS host names gets them',
    dns: { dnsSupport: true, dnsHostnames: false },
    steps: ['vpc/EnableDnsHostnames'],
    is: 'False',
  },
  {
    rule: 'with unreadable attributes is not ready',
    dns: { dnsSupport: true, dnsHostnames: undefined },
    steps: [],
    is: 'False',
  },
])('a VPC $rule', ({ dns, steps, is }) => {
  const part = planPart(
    {
      owner: { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} },
      region: 'eu-west-1',
      network: {},
      cloudState: { vpc: { VpcId: 'vpc-1', State: 'available', unmanaged: false, ...dns } },
      isRecent: () => false,
    } as unknown as Scope,
    vpcReady,
    types,
  );
  expect(part.steps.map(({ key }) => key)).toEqual(steps);
  expect(part.conditions.map(({ status }) => status)).toEqual([is]);
});
