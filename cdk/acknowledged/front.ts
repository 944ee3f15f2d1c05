import type { Acknowledgement } from './acknowledge.ts';

export const inFront: readonly Acknowledgement[] = [
  {
    rules: ['AwsSolutions-VPC7', 'NIST.800.53.R5-VPCFlowLogsEnabled'],
    of: ['FrontNetwork'],
    reason:
      'Two tasks live in it, which one port of the load balancer alone reaches, and their requests are logged by whom and for what. Flow logs would cost more than the tasks.',
  },
  {
    rules: ['NIST.800.53.R5-VPCDefaultSecurityGroupClosed'],
    of: ['FrontNetwork'],
    reason: 'Nothing is in the default group. Emptying it takes a function that may change any security group.',
  },
  {
    rules: ['NIST.800.53.R5-VPCNoUnrestrictedRouteToIGW'],
    of: ['FrontNetwork/PublicSubnet1', 'FrontNetwork/PublicSubnet2'],
    reason:
      'The load balancer is for clients on the internet, and the tasks reach AWS this way: a NAT gateway would cost three times as much as all else of the front.',
  },
  {
    rules: ['AwsSolutions-EC23'],
    of: ['FrontBalancerGroup'],
    reason:
      'Clients of the Kubernetes API are anywhere, as with the gateway; nothing behind it is of use without a token.',
  },
  {
    rules: ['AwsSolutions-ECS4'],
    of: ['FrontCluster'],
    reason:
      'Container Insights cost more than the tasks; the metrics of the service and of the load balancer are free.',
  },
  {
    rules: ['AwsSolutions-ECS2'],
    of: ['FrontTask'],
    reason: 'Variables hold names and addresses of the installation, as those of its functions do, and no secret.',
  },
  {
    rules: ['AwsSolutions-ELB2', 'NIST.800.53.R5-ELBLoggingEnabled'],
    of: ['FrontBalancer'],
    reason: 'It would log connections, into a bucket of its own; what is asked for on them is logged by the front.',
  },
  {
    rules: ['NIST.800.53.R5-ELBDeletionProtectionEnabled'],
    of: ['FrontBalancer'],
    reason: 'It holds nothing, and the stack, which is protected, makes another one.',
  },
  {
    rules: ['NIST.800.53.R5-IAMNoInlinePolicy'],
    of: ['FrontRole/DefaultPolicy', 'FrontTask/ExecutionRole/DefaultPolicy'],
    reason: 'One role for one purpose: its policy is shared with nothing, and goes when the role goes.',
  },
  {
    rules: ['NIST.800.53.R5-CloudWatchLogGroupEncrypted'],
    of: ['FrontLog'],
    reason:
      'Logs hold names and identifiers, no secret, and are encrypted by the service. They must be readable when the installation’s key is disabled: that is when they are read.',
  },
];
