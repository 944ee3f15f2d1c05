/** Events of an AWSCluster, in the words of the AWS provider: one for each sort of call of a pass. */
import type { Action, EventDraft, Failure } from '../../machinery/api/reconcile.ts';
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
};

const wordOf = (operation: string, group = ''): string | undefined => {
  const what = isAboutTags(group) ? tagged[group.split('/')[0]!] : undefined;
  return what ? `${/^(Delete|Remove)/.test(operation) ? 'Untag' : 'Tag'}${what}` : words[operation];
};

/** What is told when all of `actions` succeed. */
export const doneEvents = (actions: readonly Action[]): EventDraft[] => {
  const counts = new Map<string, { operation: string; count: number }>();
  for (const action of actions) {
    const word = action.do === 'call' ? wordOf(action.operation, action.group) : undefined;
    if (action.do !== 'call' || word === undefined) continue;
    counts.set(word, { operation: action.operation, count: (counts.get(word)?.count ?? 0) + 1 });
  }
  return [...counts].map(([word, { operation, count }]): EventDraft => {
    const times = count > 1 ? ` (${count})` : '';
    return { type: 'Normal', reason: `Successful${word}`, message: `${operation} succeeded${times}` };
  });
};

export const failedEvents = ({ operation, code, message, group }: Failure): EventDraft[] => {
  const word = wordOf(operation, group);
  return word ? [{ type: 'Warning', reason: `Failed${word}`, message: `${operation}: ${code}: ${message}` }] : [];
};
