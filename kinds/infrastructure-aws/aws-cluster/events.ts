/**
 * Events of an AWSCluster, with the AWS provider's reasons: one for each type of call in a pass.
 */
import type { Action, EventDraft, Failure } from '../../../machinery/api/reconcile.ts';
import { isAboutTags } from './additional-tags.ts';

const words: Record<string, string> = {
  CreateVpc: 'CreateVPC',
  ModifyVpcAttribute: 'SetVPCAttributes',
  AssociateVpcCidrBlock: 'AssociateVPCSecondaryCidr',
  DeleteVpc: 'DeleteVPC',
  CreateSubnet: 'CreateSubnet',
  ModifySubnetAttribute: 'ModifySubnetAttributes',
  DeleteSubnet: 'DeleteSubnet',
  CreateInternetGateway: 'CreateInternetGateway',
  AttachInternetGateway: 'AttachInternetGateway',
  DetachInternetGateway: 'DetachInternetGateway',
  DeleteInternetGateway: 'DeleteInternetGateway',
  AllocateAddress: 'AllocateAddress',
  ReleaseAddress: 'ReleaseAddress',
  CreateNatGateway: 'CreateNATGateway',
  DeleteNatGateway: 'DeleteNATGateway',
  CreateCarrierGateway: 'CreateCarrierGateway',
  DeleteCarrierGateway: 'DeleteCarrierGateway',
  CreateRouteTable: 'CreateRouteTable',
  CreateRoute: 'CreateRoute',
  ReplaceRoute: 'ReplaceRoute',
  AssociateRouteTable: 'AssociateRouteTable',
  DeleteRouteTable: 'DeleteRouteTable',
  CreateSecurityGroup: 'CreateSecurityGroup',
  AuthorizeSecurityGroupIngress: 'AuthorizeSecurityGroupIngressRules',
  RevokeSecurityGroupIngress: 'RevokeSecurityGroupIngressRules',
  DeleteSecurityGroup: 'DeleteSecurityGroup',
  CreateLoadBalancer: 'CreateLoadBalancer',
  DeleteLoadBalancer: 'DeleteLoadBalancer',
  RunInstances: 'CreateBastion',
  TerminateInstances: 'TerminateBastion',
};

/** Reasons for tag calls, which AWS may refuse on their own. */
const tagged: Record<string, string> = {
  vpc: 'VPC',
  subnet: 'Subnet',
  'internet-gateway': 'InternetGateway',
  'carrier-gateway': 'CarrierGateway',
  'nat-gateway': 'NATGateway',
  address: 'EIP',
  'route-table': 'RouteTable',
  'security-group': 'SecurityGroup',
  bastion: 'Bastion',
  'load-balancer': 'LoadBalancer',
  listener: 'Listener',
  'target-group': 'TargetGroup',
};

const wordOf = ({ operation, group = '' }: Failure): string | undefined => {
  const what = isAboutTags(group) ? tagged[group.split('/')[0]!] : undefined;
  return what ? `${/^(Delete|Remove)/.test(operation) ? 'Untag' : 'Tag'}${what}` : words[operation];
};

/** Events for `actions` when all of them succeed. */
export const doneEvents = (actions: readonly Action[]): EventDraft[] => {
  const counts = new Map<string, number>();
  for (const action of actions)
    if (action.do === 'call') counts.set(action.operation, (counts.get(action.operation) ?? 0) + 1);
  return [...counts].flatMap(([operation, count]): EventDraft[] => {
    const word = words[operation];
    const times = count > 1 ? ` (${count})` : '';
    return word ? [{ type: 'Normal', reason: `Successful${word}`, message: `${operation} succeeded${times}` }] : [];
  });
};

export const failedEvents = (failure: Failure): EventDraft[] => {
  const { operation, code, message } = failure;
  const word = wordOf(failure);
  return word ? [{ type: 'Warning', reason: `Failed${word}`, message: `${operation}: ${code}: ${message}` }] : [];
};
