/** Events of an AWSCluster, in the words of the AWS provider: one for each sort of call of a pass. */
import type { Action, EventDraft, Failure } from '../../machinery/api/reconcile.ts';

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
  CreateTags: 'TagSubnet',
  RunInstances: 'CreateBastion',
  TerminateInstances: 'TerminateBastion',
};

/** What is told when all of `actions` succeed. */
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

export const failedEvents = ({ operation, code, message }: Failure): EventDraft[] => {
  const word = words[operation];
  return word ? [{ type: 'Warning', reason: `Failed${word}`, message: `${operation}: ${code}: ${message}` }] : [];
};
