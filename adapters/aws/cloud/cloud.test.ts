import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CloudAction, CloudInput } from '../../../kinds/ports/cloud/index.ts';
import { iamActionOf, iamActionsOf } from './index.ts';
import { type Answer, ec2, ec2Error, openWire, query, type Wire } from './wire.fixture.ts';

const region = 'eu-west-1';
const arn = 'arn:aws:elasticloadbalancing:eu-west-1:1:loadbalancer/net/api/1';

/** The requests that one call sends. */
const sentBy = async <A extends CloudAction>(action: A, input: CloudInput<A>, answer: Answer) => {
  const { cloud, sent } = openWire(() => answer);
  await cloud.call(region, action, input);
  expect(sent).toHaveLength(1);
  return sent[0]!;
};
const answerTo = <A extends CloudAction>(action: A, input: CloudInput<A>, answer: Answer) =>
  openWire(() => answer).cloud.call(region, action, input);

/** The outcome of a call that pauses between its attempts. */
const outcomeOf = async ({ cloud, clock }: Wire, action: CloudAction, input: object): Promise<unknown> => {
  let outcome: { of: unknown } | undefined;
  const settle = (of: unknown) => {
    outcome = { of };
  };
  cloud.call(region, action, input as never).then(settle, settle);
  while (!outcome) {
    if (clock.pending > 0) await clock.advance(1_000);
    await setImmediate();
  }
  return outcome.of;
};

describe('a call', () => {
  it('goes to the service in its region', async () => {
    const { host, fields } = await sentBy('DescribeVpcs', { VpcIds: ['vpc-1'] }, ec2('DescribeVpcs', ''));
    expect(host).toBe('ec2.eu-west-1.amazonaws.com');
    expect(fields).toMatchObject({ Action: 'DescribeVpcs', 'VpcId.1': 'vpc-1' });
  });

  it.each([
    { region: 'eu-west-1', host: 'iam.amazonaws.com' },
    { region: 'us-gov-west-1', host: 'iam.us-gov.amazonaws.com' },
  ])('to IAM in $region goes to the endpoint of the partition', async ({ region: from, host }) => {
    const profile = '<InstanceProfile><InstanceProfileName>nodes</InstanceProfileName><Arn>arn</Arn></InstanceProfile>';
    const { cloud, sent } = openWire(() => query('GetInstanceProfile', profile));
    const output = await cloud.call(from, 'GetInstanceProfile', { InstanceProfileName: 'nodes' });
    expect(output).toEqual({ InstanceProfile: { InstanceProfileName: 'nodes', Arn: 'arn' } });
    expect(sent[0]?.host).toBe(host);
  });

  it('for NAT gateways sends Filter, as EC2 expects', async () => {
    const input = { Filter: [{ Name: 'vpc-id', Values: ['vpc-1'] }] };
    const { fields } = await sentBy('DescribeNatGateways', input, ec2('DescribeNatGateways', ''));
    expect(fields).toMatchObject({ 'Filter.1.Name': 'vpc-id', 'Filter.1.Value.1': 'vpc-1' });
  });

  it('for spot prices sends the time, and decodes prices without their product', async () => {
    const item = `<item><instanceType>m5.large</instanceType><productDescription>Linux/UNIX</productDescription>
      <spotPrice>0.031500</spotPrice><timestamp>2026-11-27T10:00:00.000Z</timestamp>
      <availabilityZone>eu-west-1a</availabilityZone></item>`;
    const { cloud, sent } = openWire(() =>
      ec2('DescribeSpotPriceHistory', `<spotPriceHistorySet>${item}</spotPriceHistorySet><nextToken></nextToken>`),
    );
    const answer = await cloud.call(region, 'DescribeSpotPriceHistory', {
      InstanceTypes: ['m5.large'],
      ProductDescriptions: ['Linux/UNIX'],
      StartTime: '2026-11-27T12:00:00Z',
    });
    expect(sent[0]?.fields).toMatchObject({
      'InstanceType.1': 'm5.large',
      'ProductDescription.1': 'Linux/UNIX',
      StartTime: '2026-11-27T12:00:00Z',
    });
    expect(answer).toEqual({
      SpotPriceHistory: [
        {
          InstanceType: 'm5.large',
          AvailabilityZone: 'eu-west-1a',
          SpotPrice: '0.031500',
          Timestamp: '2026-11-27T10:00:00.000Z',
        },
      ],
    });
  });

  it('for on-demand prices goes to the Price List service', async () => {
    const input: CloudInput<'GetProducts'> = {
      ServiceCode: 'AmazonEC2',
      Filters: [{ Type: 'TERM_MATCH', Field: 'instanceType', Value: 'm5.large' }],
    };
    const { cloud, sent } = openWire(() => ({ body: { FormatVersion: 'aws_v1', PriceList: ['{}'], NextToken: '' } }));
    expect(await cloud.call('eu-central-1', 'GetProducts', input)).toEqual({ PriceList: ['{}'] });
    expect(sent).toEqual([
      { host: 'api.pricing.eu-central-1.amazonaws.com', target: 'AWSPriceListService.GetProducts', fields: input },
    ]);
  });

  it.each([
    {
      rule: 'a denial',
      answer: { status: 400, body: { __type: 'com.amazonaws#AccessDeniedException', Message: 'not you' } },
      code: 'AccessDeniedException',
      says: "not you Allow Capstan's role pricing:GetProducts on this.",
    },
    {
      rule: 'a failure of the service',
      answer: { status: 503, body: '<html>' },
      code: 'ServiceUnavailable',
      says: 'pricing in eu-west-1 answered with status 503 and nothing readable',
    },
  ])('for on-demand prices reports $rule', async ({ answer, code, says }) => {
    const outcome = outcomeOf(
      openWire(() => answer),
      'GetProducts',
      { ServiceCode: 'AmazonEC2', Filters: [] },
    );
    expect(await outcome).toMatchObject({ name: 'CloudError', code, message: says });
  });

  it('sends the token, the user data and the tags unchanged', async () => {
    const { fields } = await sentBy(
      'RunInstances',
      {
        ImageId: 'ami-1',
        InstanceType: 'm9x.huge',
        MinCount: 1,
        MaxCount: 1,
        ClientToken: 'token',
        UserData: 'aGVsbG8=',
        TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'a', Value: '' }] }],
      },
      ec2('RunInstances', '<instancesSet/>'),
    );
    expect(fields).toMatchObject({
      ClientToken: 'token',
      UserData: 'aGVsbG8=',
      InstanceType: 'm9x.huge',
      'TagSpecification.1.ResourceType': 'instance',
      'TagSpecification.1.Tag.1.Key': 'a',
      'TagSpecification.1.Tag.1.Value': '',
    });
  });

  it('omits the empty lists that Elastic Load Balancing rejects', async () => {
    const { fields } = await sentBy(
      'CreateLoadBalancer',
      { Name: 'api', Type: 'network', Scheme: 'internal', Subnets: ['subnet-1'], SecurityGroups: [], Tags: [] },
      query('CreateLoadBalancer', ''),
    );
    expect(Object.keys(fields).sort()).toEqual(['Action', 'Name', 'Scheme', 'Subnets.member.1', 'Type', 'Version']);
  });

  it('for load balancer tags describes at most twenty at a time', async () => {
    const { cloud, sent } = openWire(({ fields }) => {
      const arns = Object.entries(fields).flatMap(([name, value]) => (name.startsWith('ResourceArns') ? [value] : []));
      const described = arns.map((one) => `<member><ResourceArn>${one}</ResourceArn></member>`).join('');
      return query('DescribeTags', `<TagDescriptions>${described}</TagDescriptions>`);
    });
    const ResourceArns = Array.from({ length: 45 }, (_, n) => `${arn}${n}`);
    const { TagDescriptions } = await cloud.call(region, 'DescribeLoadBalancerTags', { ResourceArns });
    expect(sent).toHaveLength(3);
    expect(TagDescriptions).toEqual(ResourceArns.map((ResourceArn) => ({ ResourceArn, Tags: [] })));
  });

  it('preserves the bytes of a secret', async () => {
    const SecretBinary = Buffer.from([0, 255, 31, 139]).toString('base64');
    const input = { Name: 'a/b', ClientRequestToken: 't'.repeat(32), SecretBinary, Tags: [] };
    const { fields } = await sentBy('CreateSecret', input, { body: { ARN: 'arn', Name: 'a/b' } });
    expect(fields).toEqual(input);
  });

  it('for secrets sends Key instead of Name in tag filters', async () => {
    const input = { Filters: [{ Name: 'name', Values: ['a/b'] }], NextToken: 'more' };
    const { fields } = await sentBy('ListSecrets', input, { body: { SecretList: [{ ARN: 'arn', Name: 'a/b' }] } });
    expect(fields).toEqual({ Filters: [{ Key: 'name', Values: ['a/b'] }], NextToken: 'more' });
  });
});

describe('an answer', () => {
  it('fills in missing lists, omits a missing next token, and drops fields that the port does not know', async () => {
    const vpc = `<item><vpcId>vpc-1</vpcId><state>available</state><cidrBlock>10.0.0.0/16</cidrBlock>
      <isDefault>false</isDefault><ownerId>1</ownerId><instanceTenancy>default</instanceTenancy><novelty>x</novelty></item>`;
    const answer = ec2('DescribeVpcs', `<vpcSet>${vpc}</vpcSet><nextToken></nextToken>`);
    expect(await answerTo('DescribeVpcs', {}, answer)).toEqual({
      Vpcs: [
        {
          VpcId: 'vpc-1',
          OwnerId: '1',
          State: 'available',
          CidrBlock: '10.0.0.0/16',
          CidrBlockAssociationSet: [],
          IsDefault: false,
          Tags: [],
        },
      ],
    });
    expect(await answerTo('DescribeVpcs', {}, ec2('DescribeVpcs', ''))).toEqual({ Vpcs: [] });
  });

  it('formats the launch time as text and omits an address that does not exist yet', async () => {
    const instance = `<item><instanceId>i-1</instanceId><instanceState><name>pending</name></instanceState>
      <launchTime>2026-01-02T03:04:05.000Z</launchTime><ipAddress></ipAddress><networkInterfaceSet><item>
      <networkInterfaceId>eni-1</networkInterfaceId><attachment><deviceIndex>0</deviceIndex>
      <attachTime>2026-01-02T03:04:04.000Z</attachTime></attachment></item></networkInterfaceSet></item>`;
    const answer = ec2('RunInstances', `<instancesSet>${instance}</instancesSet>`);
    const input = { ImageId: '', InstanceType: '', ClientToken: '', UserData: '', TagSpecifications: [] };
    const { Instances } = await answerTo('RunInstances', { ...input, MinCount: 1, MaxCount: 1 }, answer);
    expect(Instances).toMatchObject([
      { InstanceId: 'i-1', State: { Name: 'pending' }, LaunchTime: '2026-01-02T03:04:05.000Z', SecurityGroups: [] },
    ]);
    const Attachment = { DeviceIndex: 0, AttachTime: '2026-01-02T03:04:04.000Z' };
    expect(Instances[0]!.NetworkInterfaces).toEqual([{ NetworkInterfaceId: 'eni-1', Attachment, Groups: [] }]);
    expect(Instances[0]).not.toHaveProperty('PublicIpAddress');
  });

  it('contains only routes to blocks', async () => {
    const routes = `<item><destinationPrefixListId>pl-1</destinationPrefixListId><gatewayId>vpce-1</gatewayId></item>
      <item><destinationIpv6CidrBlock>::/0</destinationIpv6CidrBlock><gatewayId>igw-1</gatewayId><state>active</state></item>
      <item><destinationCidrBlock>0.0.0.0/0</destinationCidrBlock><gatewayId>igw-1</gatewayId><state>active</state>
      <origin>CreateRoute</origin></item>`;
    const table = `<item><routeTableId>rtb-1</routeTableId><routeSet>${routes}</routeSet></item>`;
    const answer = ec2('DescribeRouteTables', `<routeTableSet>${table}</routeTableSet>`);
    const { RouteTables } = await answerTo('DescribeRouteTables', {}, answer);
    expect(RouteTables[0]?.Routes).toEqual([
      { DestinationIpv6CidrBlock: '::/0', GatewayId: 'igw-1', State: 'active' },
      { DestinationCidrBlock: '0.0.0.0/0', GatewayId: 'igw-1', State: 'active' },
    ]);
  });

  it('omits rules that no API call can name', async () => {
    const rules = `<item><ipProtocol>tcp</ipProtocol><fromPort>22</fromPort><toPort>22</toPort>
      <prefixListIds><item><prefixListId>pl-1</prefixListId></item></prefixListIds></item>
      <item><ipProtocol>icmp</ipProtocol><fromPort>0</fromPort><toPort>0</toPort><groups/><ipv6Ranges/>
      <ipRanges><item><cidrIp>10.0.0.0/8</cidrIp></item></ipRanges></item>`;
    const group = `<item><groupId>sg-1</groupId><ipPermissions>${rules}</ipPermissions></item>`;
    const answer = ec2('DescribeSecurityGroups', `<securityGroupInfo>${group}</securityGroupInfo>`);
    const { SecurityGroups } = await answerTo('DescribeSecurityGroups', {}, answer);
    expect(SecurityGroups[0]?.IpPermissions).toEqual([
      { IpProtocol: 'icmp', FromPort: 0, ToPort: 0, IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
    ]);
  });

  it('adds the endpoint to each listener and describes each load balancer once', async () => {
    const listener = (port: number) =>
      `<member><ListenerArn>${arn}/${port}</ListenerArn><LoadBalancerArn>${arn}</LoadBalancerArn><Port>${port}</Port></member>`;
    const { cloud, sent } = openWire(
      ({ fields }) =>
        fields.Action === 'DescribeListeners'
          ? query('DescribeListeners', `<Listeners>${listener(6443)}${listener(9345)}</Listeners>`)
          : query(
              'DescribeLoadBalancers',
              '<LoadBalancers><member><DNSName>api.elb</DNSName></member></LoadBalancers>',
            ),
      { resolveEndpoint: async (at) => ({ ...at, Resolves: at.Port === 6443 }) },
    );
    const { Listeners } = await cloud.call(region, 'DescribeListeners', { LoadBalancerArn: arn });
    expect(Listeners.map(({ Endpoint }) => Endpoint)).toEqual([
      { Host: 'api.elb', Port: 6443, Resolves: true },
      { Host: 'api.elb', Port: 9345, Resolves: false },
    ]);
    expect(sent.map(({ fields }) => fields.Action)).toEqual(['DescribeListeners', 'DescribeLoadBalancers']);
  });
});

describe('an error', () => {
  it('is recognised inside a successful response', async () => {
    const error = '<error><code>InvalidState</code><message>in use</message></error>';
    const answer = ec2(
      'DeleteVpcEndpoints',
      `<unsuccessful><item><resourceId>vpce-1</resourceId>${error}</item></unsuccessful>`,
    );
    const call = (xml: Answer) => answerTo('DeleteVpcEndpoints', { VpcEndpointIds: ['vpce-1'] }, xml);
    await expect(call(answer)).rejects.toMatchObject({ code: 'InvalidState', message: 'in use' });
    expect(await call(ec2('DeleteVpcEndpoints', '<unsuccessful/>'))).toEqual({});
  });

  it('for a quota without an override falls back to the default quota', async () => {
    const wire = openWire(({ target }) =>
      target.endsWith('.GetServiceQuota')
        ? { status: 400, body: { __type: 'NoSuchResourceException', Message: 'no' } }
        : { body: { Quota: { ServiceCode: 'vpc', QuotaCode: 'L-1', Value: 5 } } },
    );
    const { Quota } = await wire.cloud.call(region, 'GetServiceQuota', { ServiceCode: 'vpc', QuotaCode: 'L-1' });
    expect(Quota).toMatchObject({ Value: 5, Adjustable: false });
  });

  it.each([
    {
      rule: 'EC2',
      action: 'DeleteVpc',
      input: { VpcId: 'vpc-1' },
      answer: ec2Error('DependencyViolation'),
      code: 'DependencyViolation',
    },
    {
      rule: 'load balancing',
      action: 'DescribeTargetGroups',
      input: { Names: ['api'] },
      answer: {
        status: 400,
        body: '<ErrorResponse><Error><Type>Sender</Type><Code>TargetGroupNotFound</Code><Message>no</Message></Error></ErrorResponse>',
      },
      code: 'TargetGroupNotFound',
    },
    {
      rule: 'Systems Manager',
      action: 'DeleteParameter',
      input: { Name: 'a' },
      answer: { status: 400, body: { __type: 'com.amazonaws.ssm#ParameterNotFound', message: 'no' } },
      code: 'ParameterNotFound',
    },
    {
      rule: 'a proxy that returns an HTML page',
      action: 'DescribeVpcs',
      input: {},
      answer: { status: 404, body: '<html><body>Not here</body></html>' },
      code: 'UnexpectedAnswer',
    },
  ] as const)('from $rule has the code $code', async ({ action, input, answer, code }) => {
    expect(
      await outcomeOf(
        openWire(() => answer),
        action,
        input,
      ),
    ).toMatchObject({ name: 'CloudError', code });
  });
});

describe('a call that fails', () => {
  const attempts = async (action: CloudAction, input: object, answer: Answer): Promise<number> => {
    const wire = openWire(() => answer);
    await outcomeOf(wire, action, input);
    return wire.sent.length;
  };
  it.each([
    {
      rule: 'three attempts for a read after a server error',
      code: 'InternalError',
      status: 500,
      reads: 3,
      changes: 1,
    },
    { rule: 'one attempt after a client error', code: 'InvalidParameterValue', status: 400, reads: 1, changes: 1 },
    { rule: 'one attempt after throttling', code: 'RequestLimitExceeded', status: 503, reads: 1, changes: 1 },
  ])('makes $rule', async ({ code, status, reads, changes }) => {
    expect(await attempts('DescribeVpcs', {}, ec2Error(code, status))).toBe(reads);
    expect(await attempts('DeleteVpc', { VpcId: 'vpc-1' }, ec2Error(code, status))).toBe(changes);
  });

  it('is held back while the account is throttled', async () => {
    const { cloud, clock, sent } = openWire(() => ec2Error('RequestLimitExceeded', 503));
    const call = () => cloud.call(region, 'DeleteNatGateway', { NatGatewayId: 'nat-1' });
    await expect(call()).rejects.toMatchObject({ code: 'RequestLimitExceeded', message: 'because' });
    const held = [call(), call(), call()];
    const outcomes = Promise.allSettled(held);
    await clock.advance(0);
    await expect(held[2]).rejects.toThrow('held back');
    expect(sent).toHaveLength(1);
    await clock.advance(5_000);
    await outcomes;
  });
});

describe('a classic load balancer', () => {
  const member = `<member><LoadBalancerName>api</LoadBalancerName><DNSName>api-1.eu-west-1.elb.amazonaws.com</DNSName>
    <Scheme>internal</Scheme><VPCId>vpc-1</VPCId><Subnets><member>subnet-1</member></Subnets>
    <AvailabilityZones><member>eu-west-1a</member></AvailabilityZones><SecurityGroups></SecurityGroups>
    <Instances><member><InstanceId>i-1</InstanceId></member></Instances>
    <HealthCheck><Target>TCP:6443</Target><Interval>10</Interval><Timeout>5</Timeout>
    <HealthyThreshold>5</HealthyThreshold><UnhealthyThreshold>3</UnhealthyThreshold></HealthCheck>
    <ListenerDescriptions><member><PolicyNames></PolicyNames><Listener><Protocol>TCP</Protocol>
    <LoadBalancerPort>443</LoadBalancerPort><InstanceProtocol>TCP</InstanceProtocol>
    <InstancePort>6443</InstancePort></Listener></member></ListenerDescriptions></member>`;
  const page = query(
    'DescribeLoadBalancers',
    `<LoadBalancerDescriptions>${member}</LoadBalancerDescriptions><NextMarker>next</NextMarker>`,
  );
  const listener = { Protocol: 'TCP', LoadBalancerPort: 443, InstanceProtocol: 'TCP', InstancePort: 6443 };

  const open = () => openWire(() => page, { resolveEndpoint: async (at) => ({ ...at, Resolves: true }) });

  it('is asked for by the first version of the API', async () => {
    const { cloud, sent } = open();
    await cloud.call(region, 'DescribeClassicLoadBalancers', { LoadBalancerNames: ['api'] });
    const { host, fields } = sent[0]!;
    expect(host).toBe('elasticloadbalancing.eu-west-1.amazonaws.com');
    expect(fields).toMatchObject({
      Action: 'DescribeLoadBalancers',
      Version: '2012-06-01',
      'LoadBalancerNames.member.1': 'api',
    });
  });

  it('is read with its listeners, and with their endpoints when it is asked for by name', async () => {
    const balancer = {
      LoadBalancerName: 'api',
      DNSName: 'api-1.eu-west-1.elb.amazonaws.com',
      Scheme: 'internal',
      VPCId: 'vpc-1',
      Subnets: ['subnet-1'],
      AvailabilityZones: ['eu-west-1a'],
      SecurityGroups: [],
      Instances: [{ InstanceId: 'i-1' }],
      HealthCheck: { Target: 'TCP:6443', Interval: 10, Timeout: 5, HealthyThreshold: 5, UnhealthyThreshold: 3 },
      ListenerDescriptions: [{ Listener: listener }],
    };
    const { cloud } = open();
    expect(await cloud.call(region, 'DescribeClassicLoadBalancers', {})).toEqual({
      LoadBalancerDescriptions: [balancer],
      NextMarker: 'next',
    });
    const Endpoint = { Host: 'api-1.eu-west-1.elb.amazonaws.com', Port: 443, Resolves: true };
    expect(await cloud.call(region, 'DescribeClassicLoadBalancers', { LoadBalancerNames: ['api'] })).toEqual({
      LoadBalancerDescriptions: [{ ...balancer, ListenerDescriptions: [{ Listener: listener, Endpoint }] }],
      NextMarker: 'next',
    });
  });

  it('sends every field of a creation', async () => {
    const { fields } = await sentBy(
      'CreateClassicLoadBalancer',
      {
        LoadBalancerName: 'api',
        Listeners: [listener],
        Scheme: 'internal',
        Subnets: ['subnet-1'],
        SecurityGroups: ['sg-1'],
        Tags: [{ Key: 'a', Value: 'b' }],
      },
      query('CreateLoadBalancer', '<DNSName>name</DNSName>'),
    );
    expect(fields).toMatchObject({
      'Listeners.member.1.LoadBalancerPort': '443',
      'Listeners.member.1.InstancePort': '6443',
      Scheme: 'internal',
      'Subnets.member.1': 'subnet-1',
      'SecurityGroups.member.1': 'sg-1',
      'Tags.member.1.Key': 'a',
    });
  });

  it.each(['LoadBalancerNotFound', 'InvalidInstance'])('keeps the code %s', async (code) => {
    const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>no</Message></Error></ErrorResponse>`;
    const wire = openWire(() => ({ status: 400, body }));
    expect(await outcomeOf(wire, 'DescribeClassicLoadBalancers', { LoadBalancerNames: ['api'] })).toMatchObject({
      name: 'CloudError',
      code,
    });
  });
});

describe('permissions', () => {
  it.each([
    ['DescribeLoadBalancerTags', ['elasticloadbalancing:DescribeTags']],
    ['DescribeClassicLoadBalancerTags', ['elasticloadbalancing:DescribeTags']],
    ['GetResources', ['tag:GetResources']],
    ['RunInstances', ['ec2:RunInstances', 'ec2:CreateTags', 'iam:PassRole', 'iam:CreateServiceLinkedRole']],
    ['CreateSecret', ['secretsmanager:CreateSecret', 'secretsmanager:TagResource']],
  ] as const)('%s needs %j', (action, needed) => {
    expect(iamActionsOf(action)).toEqual(needed);
    expect(iamActionOf(action)).toBe(needed[0]);
  });
});
