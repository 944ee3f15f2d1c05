/** Security groups of a VPC. */
import type { SecurityGroup } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { describe } from './describe.ts';
import { dependencyViolation, invalidParameter, refuse } from './errors.ts';
import type { Fields } from './filters.ts';
import { idErrorsOf, named, newRecord } from './naming.ts';
import { networkInterfacesOfVpc } from './network-interface.ts';
import { describeRule, parsePermissions, permissionsOf, type Rule, ruleKey } from './security-group-rule.ts';
import type { Call, Handlers } from './state.ts';
import { tagList } from './tags.ts';
import { vpcErrors } from './vpc.ts';

export interface SecurityGroupRecord extends Stored {
  vpcId: string;
  name: string;
  description: string;
  rules: Rule[];
  /** Egress rules; absent = everything is allowed, EC2's default. */
  egress?: Rule[];
}

export const securityGroups: CollectionOf<SecurityGroupRecord> = {
  name: 'security-groups',
  errors: idErrorsOf('sg', 'InvalidGroup', 'security group'),
  indexes: {
    'vpc-id': ({ vpcId }) => [vpcId],
    'group-name': ({ name }) => [name],
    'ip-permission.group-id': ({ rules }) => [...new Set(rules.flatMap(({ group }) => (group ? [group] : [])))],
  },
};

const everywhere: Rule[] = [{ protocol: '-1', cidr: '0.0.0.0/0' }];

export const securityGroupErrors = {
  ...idErrorsOf('sg', 'InvalidGroup', 'security group'),
  malformed: 'InvalidGroupId.Malformed',
};

/** Written before its VPC. Allows traffic between its members. */
export const newDefaultGroup = (call: Call, vpcId: string): SecurityGroupRecord => {
  const base = newRecord(call, 'sg', 'security-group', undefined);
  const group: SecurityGroupRecord = {
    ...base,
    vpcId,
    name: 'default',
    description: 'default VPC security group',
    rules: [{ protocol: '-1', group: base.id }],
  };
  call.account.securityGroups.put(group);
  return group;
};

const view = (group: SecurityGroupRecord): SecurityGroup => ({
  GroupId: group.id,
  GroupName: group.name,
  Description: group.description,
  VpcId: group.vpcId,
  IpPermissions: permissionsOf(group.rules),
  IpPermissionsEgress: permissionsOf(group.egress ?? everywhere),
  Tags: tagList(group.tags),
});

const fields: Fields<SecurityGroupRecord> = {
  'group-id': ({ id }) => [id],
  'group-name': ({ name }) => [name],
  'vpc-id': ({ vpcId }) => [vpcId],
  description: ({ description }) => [description],
  'ip-permission.group-id': ({ rules }) => rules.flatMap(({ group }) => group ?? []),
  'ip-permission.cidr': ({ rules }) => rules.flatMap(({ cidr }) => cidr ?? []),
  'ip-permission.protocol': ({ rules }) => rules.map(({ protocol }) => protocol),
  'ip-permission.from-port': ({ rules }) => rules.flatMap(({ from }) => (from === undefined ? [] : String(from))),
  'ip-permission.to-port': ({ rules }) => rules.flatMap(({ to }) => (to === undefined ? [] : String(to))),
};

const nameOf = (name: string): string => {
  if (!name || name.length > 255)
    invalidParameter('Character sets beyond ASCII are not supported, or the name is too long.');
  if (!/^[\w .\-:/()#,@[\]+=&;{}!$*]+$/.test(name))
    invalidParameter(
      `Invalid security group name '${name}'. Valid characters are a-z, A-Z, 0-9, spaces, and ._-:/()#,@[]+=&;{}!$*`,
    );
  if (name.startsWith('sg-'))
    invalidParameter(`Invalid parameter at 'GroupName'. Group names may not be in the format sg-*.`);
  return name;
};

const rulesFor = (
  call: Call,
  group: SecurityGroupRecord,
  permissions: Parameters<typeof parsePermissions>[0],
): Rule[] =>
  parsePermissions(permissions, (id) => {
    if (id !== group.id) named(call, call.account.securityGroups, id, securityGroupErrors);
  });

const without = (rules: Rule[], permissions: Parameters<typeof parsePermissions>[0]): Rule[] => {
  const revoked = new Set(parsePermissions(permissions, () => {}).map(ruleKey));
  const known = new Set(rules.map(ruleKey));
  if ([...revoked].some((key) => !known.has(key)))
    refuse('InvalidPermission.NotFound', 'The specified rule does not exist in this security group.');
  return rules.filter((rule) => !revoked.has(ruleKey(rule)));
};

export const securityGroupActions = {
  DescribeSecurityGroups: (call, { GroupIds, Filters, MaxResults, NextToken }) => {
    const question = { ids: GroupIds, filters: Filters, MaxResults, NextToken };
    const found = describe(call, call.account.securityGroups, securityGroupErrors, fields, question);
    return { SecurityGroups: found.items.map(view), ...(found.NextToken && { NextToken: found.NextToken }) };
  },

  CreateSecurityGroup: (call, { GroupName, Description, VpcId, TagSpecifications }) => {
    const { account, region } = call;
    const name = nameOf(GroupName);
    if (!Description) refuse('MissingParameter', 'The request must contain the parameter GroupDescription');
    const vpc = named(call, account.vpcs, VpcId, vpcErrors);
    if (name === 'default') refuse('InvalidParameterValue', `Cannot use reserved security group name: ${name}`);
    if (account.securityGroups.by('vpc-id', vpc.id).some((group) => group.name === name))
      refuse('InvalidGroup.Duplicate', `The security group '${name}' already exists for VPC '${vpc.id}'`);
    const base = newRecord(call, 'sg', 'security-group', TagSpecifications);
    if (account.securityGroups.count('region', region) >= account.behaviour.quotas.securityGroups)
      refuse('SecurityGroupLimitExceeded', `The maximum number of security groups has been reached.`);
    account.securityGroups.put({ ...base, vpcId: vpc.id, name, description: Description, rules: [] });
    return { GroupId: base.id };
  },

  AuthorizeSecurityGroupIngress: (call, { GroupId, IpPermissions }) => {
    const { securityGroups, behaviour } = call.account;
    const group = named(call, securityGroups, GroupId, securityGroupErrors);
    const known = new Set(group.rules.map(ruleKey));
    const rules = rulesFor(call, group, IpPermissions);
    for (const rule of rules) {
      if (known.has(ruleKey(rule)))
        refuse('InvalidPermission.Duplicate', `the specified rule "${describeRule(rule)}" already exists`);
      known.add(ruleKey(rule));
    }
    if (known.size > behaviour.quotas.rulesPerSecurityGroup)
      refuse('RulesPerSecurityGroupLimitExceeded', 'The maximum number of rules per security group has been reached.');
    group.rules.push(...rules);
    securityGroups.put(group);
    return { Return: true };
  },

  RevokeSecurityGroupIngress: (call, { GroupId, IpPermissions }) => {
    const { securityGroups } = call.account;
    const group = named(call, securityGroups, GroupId, securityGroupErrors);
    group.rules = without(group.rules, IpPermissions);
    securityGroups.put(group);
    return { Return: true };
  },

  RevokeSecurityGroupEgress: (call, { GroupId, IpPermissions }) => {
    const { securityGroups } = call.account;
    const group = named(call, securityGroups, GroupId, securityGroupErrors);
    group.egress = without(group.egress ?? everywhere, IpPermissions);
    securityGroups.put(group);
    return { Return: true };
  },

  DeleteSecurityGroup: (call, { GroupId }) => {
    const { account, now } = call;
    const group = named(call, account.securityGroups, GroupId, securityGroupErrors);
    if (account.vpcs.get(group.vpcId)?.defaultGroup === group.id)
      refuse('CannotDelete', `the specified group: "${group.id}" name: "default" cannot be deleted by a user`);
    const isSource = account.securityGroups.by('ip-permission.group-id', group.id).some(({ id }) => id !== group.id);
    const isWorn = networkInterfacesOfVpc(account, group.vpcId, now).some(({ groups }) => groups.includes(group.id));
    if (isSource || isWorn) dependencyViolation(`resource ${group.id} has a dependent object`);
    account.securityGroups.delete(group.id);
    return {};
  },
} satisfies Handlers;

/** Validates the groups of one network interface: existing, in the VPC, and not too many. */
export const checkGroups = (call: Call, vpcId: string, groups: string[], subnetId: string): void => {
  for (const id of groups) {
    const group = named(call, call.account.securityGroups, id, securityGroupErrors);
    if (group.vpcId !== vpcId)
      refuse('InvalidParameter', `Security group ${id} and subnet ${subnetId} belong to different networks.`);
  }
  if (groups.length > call.account.behaviour.quotas.securityGroupsPerInterface)
    refuse(
      'SecurityGroupsPerInterfaceLimitExceeded',
      'The maximum number of security groups per interface has been reached.',
    );
};
