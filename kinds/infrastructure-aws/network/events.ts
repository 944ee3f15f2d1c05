/**
 * Events of an AWSCluster, with the AWS provider's reasons: one for each type of call in a pass.
 */

import type { Action, EventDraft, Failure } from '../../../machinery/api/reconcile.ts';
import { isAboutTags } from '../engine/additional-tags.ts';
import { eventNounOf, typeOf } from '../engine/resource.ts';
import { types } from './resources/index.ts';

/** Reasons that are not their operation's name. */
const reasons: Record<string, string> = {
  ModifyVpcAttribute: 'SetVPCAttributes',
  AssociateVpcCidrBlock: 'AssociateSecondaryCidr',
  ReleaseAddress: 'ReleaseEIP',
  ModifySubnetAttribute: 'ModifySubnetAttributes',
  AuthorizeSecurityGroupIngress: 'AuthorizeSecurityGroupIngressRules',
  RevokeSecurityGroupIngress: 'RevokeSecurityGroupIngressRules',
  RunInstances: 'CreateBastion',
  TerminateInstances: 'TerminateBastion',
};
const withEvents = new Set<string>(Object.values(types).flatMap(({ events }) => events));

/** Undefined for an operation without an Event. */
const reasonOf = (operation: string): string | undefined =>
  withEvents.has(operation)
    ? (reasons[operation] ?? operation.replace('Vpc', 'VPC').replace('NatGateway', 'NATGateway'))
    : undefined;

const reasonOfFailure = ({ operation, group = '' }: Failure): string | undefined => {
  // AWS may refuse tag calls on their own.
  const what = isAboutTags(group) ? typeOf(group, types) : undefined;
  return what ? `${/^(Delete|Remove)/.test(operation) ? 'Untag' : 'Tag'}${eventNounOf(what)}` : reasonOf(operation);
};

/** Events for `actions` when all of them succeed. */
export const doneEvents = (actions: readonly Action[]): EventDraft[] => {
  const counts = new Map<string, number>();
  for (const action of actions)
    if (action.do === 'call') counts.set(action.operation, (counts.get(action.operation) ?? 0) + 1);
  return [...counts].flatMap(([operation, count]): EventDraft[] => {
    const reason = reasonOf(operation);
    const times = count > 1 ? ` (${count})` : '';
    return reason ? [{ type: 'Normal', reason: `Successful${reason}`, message: `${operation} succeeded${times}` }] : [];
  });
};

export const failedEvents = (failure: Failure): EventDraft[] => {
  const { operation, code, message } = failure;
  const reason = reasonOfFailure(failure);
  return reason ? [{ type: 'Warning', reason: `Failed${reason}`, message: `${operation}: ${code}: ${message}` }] : [];
};
