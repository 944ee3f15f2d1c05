import { expect, it } from 'vitest';
import type { Scope } from '../context.ts';
import { planVpc } from './vpc.ts';

it.each([
  {
    rule: 'with names for its instances is ready',
    dns: { dnsSupport: true, dnsHostnames: true },
    steps: [],
    is: 'True',
  },
  {
    rule: 'without them is given them',
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
  const plan = planVpc({
    owner: { installation: 'here', clusterUid: 'uid', clusterName: 'demo', additionalTags: {} },
    region: 'eu-west-1',
    network: {},
    observed: { vpc: { VpcId: 'vpc-1', State: 'available', unmanaged: false, ...dns } },
    isRecent: () => false,
  } as unknown as Scope);
  expect(plan.steps.map(({ key }) => key)).toEqual(steps);
  expect(plan.conditions.map(({ status }) => status)).toEqual([is]);
});
