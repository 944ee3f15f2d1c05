import { describe, expect, it } from 'vitest';
import { ofType, synthesise } from './stacks.fixture.ts';

interface Rule {
  IpProtocol: string;
  FromPort: number;
  ToPort: number;
  CidrIp?: string;
  CidrIpv6?: string;
}

/** The template of an installation with a front. */
const withFront = (context: Record<string, unknown>) =>
  synthesise({
    ...context,
    frontDomainName: 'front.example.com',
    frontCertificateArn: 'arn:aws:acm:eu-west-1:111122223333:certificate/b',
  }).controlPlane;

const groupOf = (template: ReturnType<typeof withFront>, name: string) =>
  ofType(template, 'AWS::EC2::SecurityGroup').find(([id]) => id.startsWith(`Front${name}Group`)) ??
  expect.fail(`no security group of the ${name}`);

/** The address ranges that a security group admits, with their port. */
const admitted = ([id, { Properties }]: ReturnType<typeof groupOf>, template: ReturnType<typeof withFront>) => {
  const own = (Properties.SecurityGroupIngress as Rule[] | undefined) ?? [];
  const separate = ofType(template, 'AWS::EC2::SecurityGroupIngress')
    .map(([, one]) => one.Properties as unknown as Rule & { GroupId: { 'Fn::GetAtt': string[] } })
    .filter(({ GroupId }) => GroupId['Fn::GetAtt'][0] === id);
  return [...own, ...separate].map(({ IpProtocol, FromPort, ToPort, CidrIp, CidrIpv6 }) => ({
    range: CidrIp ?? CidrIpv6,
    ports: `${IpProtocol} ${FromPort}-${ToPort}`,
  }));
};
const https = (range: string) => ({ range, ports: 'tcp 443-443' });

describe('the front', () => {
  it.each([
    { rule: 'admits every client by default', context: {}, ranges: ['0.0.0.0/0'] },
    {
      rule: 'admits only the ranges of allowedCidrs',
      context: { allowedCidrs: '192.0.2.0/24,198.51.100.7/32' },
      ranges: ['192.0.2.0/24', '198.51.100.7/32'],
    },
    {
      rule: 'ignores IPv6 ranges: its load balancer has no IPv6 address',
      context: { allowedCidrs: '192.0.2.0/24,2001:db8::/32' },
      ranges: ['192.0.2.0/24'],
    },
    { rule: 'admits no client where all ranges are IPv6', context: { allowedCidrs: '2001:db8::/32' }, ranges: [] },
  ])('$rule', { timeout: 60_000 }, ({ context, ranges }) => {
    const template = withFront(context);
    const balancer = groupOf(template, 'Balancer');
    expect(admitted(balancer, template)).toEqual(ranges.map(https));
    const [[, { Properties }] = expect.fail('no load balancer')] = ofType(
      template,
      'AWS::ElasticLoadBalancingV2::LoadBalancer',
    );
    expect(Properties.SecurityGroups).toEqual([{ 'Fn::GetAtt': [balancer[0], 'GroupId'] }]);
  });

  it('survives the loss of a task, and keeps the address of a client', { timeout: 60_000 }, () => {
    const template = withFront({});
    const [[, service] = expect.fail('no service')] = ofType(template, 'AWS::ECS::Service');
    expect(service.Properties).toMatchObject({
      DesiredCount: 2,
      DeploymentConfiguration: { MinimumHealthyPercent: 100 },
      NetworkConfiguration: { AwsvpcConfiguration: { Subnets: [expect.anything(), expect.anything()] } },
    });
    const [[, group] = expect.fail('no targets')] = ofType(template, 'AWS::ElasticLoadBalancingV2::TargetGroup');
    expect(group.Properties.TargetGroupAttributes).toContainEqual({ Key: 'preserve_client_ip.enabled', Value: 'true' });
  });

  it('names its images by digest', { timeout: 60_000 }, () => {
    const [[, { Properties }] = expect.fail('no task')] = ofType(withFront({}), 'AWS::ECS::TaskDefinition');
    const containers = Properties.ContainerDefinitions as { Image: string }[];
    expect(containers.map(({ Image }) => Image)).toEqual([
      expect.stringMatching(/^public\.ecr\.aws\/[\w/-]+@sha256:[0-9a-f]{64}$/),
      expect.stringMatching(/^public\.ecr\.aws\/[\w/-]+@sha256:[0-9a-f]{64}$/),
    ]);
  });

  it('runs tasks that only the load balancer reaches', { timeout: 60_000 }, () => {
    const template = withFront({ allowedCidrs: '192.0.2.0/24' });
    const [task, [balancer]] = [groupOf(template, 'Task'), groupOf(template, 'Balancer')];
    expect(admitted(task, template)).toEqual([{ range: undefined, ports: 'tcp 8443-8443' }]);
    expect(ofType(template, 'AWS::EC2::SecurityGroupIngress').map(([, one]) => one.Properties)).toMatchObject([
      { SourceSecurityGroupId: { 'Fn::GetAtt': [balancer, 'GroupId'] } },
    ]);
    const [[, { Properties }] = expect.fail('no service')] = ofType(template, 'AWS::ECS::Service');
    expect(Properties.NetworkConfiguration).toMatchObject({
      AwsvpcConfiguration: { SecurityGroups: [{ 'Fn::GetAtt': [task[0], 'GroupId'] }] },
    });
  });
});
