import { boolean, int64, list, listMap, object, oneOf, required, string } from '../../../machinery/api/schema.ts';
import { tags } from '../shapes.ts';
import { ingressRule } from './schema-network.ts';

const targetAddressing = oneOf('Address family of the targets.', ['ipv4', 'ipv6']);
const intervalSeconds = int64('Seconds between two checks.', { maximum: 300, minimum: 5 });
const thresholdCount = int64('Successes in a row after which a target counts as healthy.', { maximum: 10, minimum: 2 });
const timeoutSeconds = int64('Seconds to wait for an answer.', { maximum: 120, minimum: 2 });
const unhealthyThresholdCount = int64('Failures in a row after which a target counts as unhealthy.', {
  maximum: 10,
  minimum: 2,
});

const additionalListener = object('One more port that is forwarded to the control plane.', {
  healthCheck: object('How the targets of this port are checked.', {
    intervalSeconds,
    path: string('Path to ask for, over HTTP or HTTPS.'),
    port: string('Port to check; absent means the port of the traffic.'),
    protocol: oneOf('Protocol of the check.', ['TCP', 'HTTP', 'HTTPS']),
    thresholdCount,
    timeoutSeconds,
    unhealthyThresholdCount,
  }),
  port: required(int64('The port.', { maximum: 65535, minimum: 1 })),
  protocol: oneOf('Protocol of the port.', ['TCP'], { default: 'TCP' }),
  targetGroupIPType: targetAddressing,
});

export const loadBalancer = (description: string) =>
  object(description, {
    additionalListeners: listMap('Ports to forward besides that of the API server.', ['port'], additionalListener),
    additionalSecurityGroups: list('Security groups besides that of the cluster.', string('Id of a security group.')),
    crossZoneLoadBalancing: boolean('Whether every zone forwards to the targets of all zones.'),
    disableHostsRewrite: boolean(
      'Whether control-plane machines resolve the endpoint as everybody does, instead of to themselves.',
    ),
    dnsResolutionCheck: oneOf('Whether the name must resolve before it is used.', ['None', 'Enabled']),
    healthCheck: object('How the API servers are checked.', {
      intervalSeconds,
      thresholdCount,
      timeoutSeconds,
      unhealthyThresholdCount,
    }),
    healthCheckProtocol: oneOf('Protocol of the check; HTTP and HTTPS ask for /readyz.', [
      'TCP',
      'SSL',
      'HTTP',
      'HTTPS',
      'TLS',
      'UDP',
    ]),
    ingressRules: list('Who may reach it; absent means anybody.', ingressRule),
    loadBalancerType: oneOf(
      'Kind of load balancer; disabled means that you bring an endpoint.',
      ['classic', 'elb', 'alb', 'nlb', 'disabled'],
      { default: 'classic' },
    ),
    name: string('Name of the load balancer; absent means one made from the name of the cluster.', {
      maxLength: 32,
      pattern: '^[A-Za-z0-9]([A-Za-z0-9]{0,31}|[-A-Za-z0-9]{0,30}[A-Za-z0-9])$',
    }),
    preserveClientIP: boolean('Whether API servers see the addresses of clients.'),
    scheme: oneOf('Whether it is reachable from the internet.', ['internet-facing', 'internal'], {
      default: 'internet-facing',
    }),
    subnets: list('Subnets it stands in; absent means one a zone.', string('Id of a subnet.')),
    targetGroupIPType: targetAddressing,
  });

const targetGroup = object('Where a listener forwards to.', {
  ipType: string('Address family of the targets.'),
  name: required(string('Name of the target group.', { maxLength: 32 })),
  port: required(int64('Port of the targets.')),
  protocol: required(oneOf('Protocol to the targets.', ['tcp', 'tls', 'udp', 'TCP', 'TLS', 'UDP'])),
  targetGroupHealthCheck: object('How the targets are checked.', {
    intervalSeconds: int64('Seconds between two checks.'),
    path: string('Path that is asked for.'),
    port: string('Port that is checked.'),
    protocol: string('Protocol of the check.'),
    thresholdCount: int64('Successes in a row after which a target counts as healthy.'),
    timeoutSeconds: int64('Seconds to wait for an answer.'),
    unhealthyThresholdCount: int64('Failures in a row after which a target counts as unhealthy.'),
  }),
  vpcId: required(string('Network of the targets.')),
});

export const observedLoadBalancer = (description: string) =>
  object(description, {
    arn: string('ARN of the load balancer.'),
    attributes: object('Attributes of a classic load balancer.', {
      crossZoneLoadBalancing: boolean('Whether every zone forwards to the targets of all zones.'),
      idleTimeout: int64('Nanoseconds after which an idle connection is closed.'),
    }),
    availabilityZones: list('Zones it stands in.', string('Name of a zone.')),
    dnsName: string('DNS name under which clients reach it.'),
    elbAttributes: tags('Attributes of a network or application load balancer.'),
    elbListeners: list(
      'Listeners of a network or application load balancer.',
      object('A port that is forwarded.', {
        port: required(int64('The port.')),
        protocol: required(string('Protocol of the port.')),
        targetGroup: required(targetGroup),
      }),
    ),
    healthChecks: object('Health check of a classic load balancer.', {
      healthyThreshold: required(int64('Successes in a row after which an instance counts as healthy.')),
      interval: required(int64('Nanoseconds between two checks.')),
      target: required(string('What is checked, as protocol, port and path.')),
      timeout: required(int64('Nanoseconds to wait for an answer.')),
      unhealthyThreshold: required(int64('Failures in a row after which an instance counts as unhealthy.')),
    }),
    listeners: list(
      'Listeners of a classic load balancer.',
      object('A port that is forwarded.', {
        instancePort: required(int64('Port on the instances.')),
        instanceProtocol: required(string('Protocol to the instances.')),
        port: required(int64('Port of the load balancer.')),
        protocol: required(string('Protocol of the port.')),
      }),
    ),
    loadBalancerIPAddressType: oneOf('Address families of the load balancer.', [
      'ipv4',
      'dualstack',
      'dualstack-without-public-ipv4',
    ]),
    loadBalancerType: oneOf('Kind of the load balancer.', ['classic', 'elb', 'alb', 'nlb']),
    name: string('Name of the load balancer.'),
    scheme: string('Whether it is reachable from the internet.'),
    securityGroupIds: list('Its security groups.', string('Id of a security group.')),
    subnetIds: list('Subnets it stands in.', string('Id of a subnet.')),
    tags: tags('Its tags.'),
  });
