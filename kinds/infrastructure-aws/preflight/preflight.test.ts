import { describe, expect, it } from 'vitest';
import { type Given, judged, refusal } from './preflight.fixture.ts';

describe('the verdict', () => {
  it('passes without a message for a valid cluster', () =>
    expect(judged()).toEqual({ verdict: 'passed', message: '' }));

  it('lists every problem at once, each once', () => {
    const { verdict, message } = judged({
      answers: { DescribeKeyPairs: () => refusal('InvalidKeyPair.NotFound') },
      changed: {
        workersTemplate: { spec: { template: { spec: { instanceType: 'm9.tiny', sshKeyName: 'default' } } } },
      },
    });
    expect(verdict).toBe('refused');
    expect(message.split('; ')).toEqual([
      'AWSMachineTemplate default/workers spec.template.spec.instanceType: instance type m9.tiny does not exist in eu-west-1: choose one that does',
      'AWSMachineTemplate default/demo-cp spec.template.spec.sshKeyName: key pair default does not exist in eu-west-1: import it, name another, or leave the field out',
      'AWSMachineTemplate default/workers spec.template.spec.sshKeyName: key pair default does not exist in eu-west-1: import it, name another, or leave the field out',
    ]);
  });

  const unreadable: { rule: string; answers: Given['answers']; says?: RegExp }[] = (
    [
      'DescribeAvailabilityZones',
      'DescribeInstanceTypes',
      'DescribeInstanceTypeOfferings',
      'DescribeImages',
      'DescribeKeyPairs',
      'DescribeVpcs',
      'DescribeAddresses',
      'DescribeLoadBalancers',
    ] as const
  ).map((action) => ({
    rule: action,
    answers: { [action]: () => refusal('UnauthorizedOperation', 'You may not.') },
    says: /could not be read: UnauthorizedOperation: You may not\./,
  }));
  it.each(unreadable)('waits while $rule is unreadable', ({ answers, says }) => {
    const { verdict, message } = judged({ answers });
    expect({ verdict, says: says!.test(message) }).toEqual({ verdict: 'pending', says: true });
  });

  it('waits while a named security group is unread', () => {
    const own = {
      network: { vpc: { id: 'vpc-1' }, subnets: [{ id: 'subnet-00000001' }], securityGroupOverrides: { node: 'sg-1' } },
    };
    const changed = { awsCluster: { spec: own } };
    const answers = { DescribeSecurityGroups: () => refusal('InternalError') };
    expect(judged({ changed }).verdict).toBe('passed');
    expect(judged({ changed, answers }).verdict).toBe('pending');
  });

  it.each([
    'GetInstanceProfile',
    'GetServiceQuota',
    'DescribeRegions',
  ])('ignores a missing permission for %s', (action) =>
    expect(judged({ answers: { [action]: () => refusal('AccessDenied') } }).verdict).toBe('passed'));
  it.each(['GetInstanceProfile', 'GetServiceQuota'])('retries %s after throttling', (action) =>
    expect(judged({ answers: { [action]: () => refusal('ThrottlingException') } }).verdict).toBe('pending'));

  it('refuses because of a certain problem even if something else is unread', () =>
    expect(
      judged({
        answers: { DescribeKeyPairs: () => refusal('RequestLimitExceeded') },
        changed: { controlPlaneTemplate: { spec: { template: { spec: { instanceType: 'none.such' } } } } },
      }).verdict,
    ).toBe('refused'));
});
