/** Roles of IAM: those that clusterawsadm makes for EKS, and those that callers make. Roles belong to no region. */
import type { Role } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { refuse } from './errors.ts';
import { partitionOf } from './regions.ts';
import { isRemoved } from './removed.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';
import { parseTags, tagList } from './tags.ts';

export interface RoleRecord extends Stored {
  name: string;
  /** ARNs. */
  policies: string[];
  /** When every service knows it. */
  known: number;
}

export const roles: CollectionOf<RoleRecord> = {
  name: 'roles',
  indexes: { name: ({ name }) => [name] },
  type: 'role',
};

const provided = ['eks-controlplane', 'eks-nodegroup', 'eks-fargate'].map(
  (role) => `${role}.cluster-api-provider-aws.sigs.k8s.io`,
);
const isProvided = (account: AccountState, name: string): boolean =>
  provided.includes(name) && !isRemoved(account, 'role', name);

export const roleArn = (account: AccountState, region: string, name: string): string =>
  `arn:${partitionOf(region)}:iam::${account.accountId}:role/${name}`;

/** Whether a service can take it. */
export const hasRole = ({ account, region, now }: Call, arn: string): boolean =>
  provided.some((name) => isProvided(account, name) && roleArn(account, region, name) === arn) ||
  account.roles.all().some(({ name, known }) => now >= known && roleArn(account, region, name) === arn);

const made = ({ account }: Call, name: string): RoleRecord =>
  account.roles.by('name', name)[0] ?? refuse('NoSuchEntity', `The role with name ${name} cannot be found.`);

const view = ({ account, region }: Call, RoleName: string, tags: Record<string, string>): Role => ({
  RoleName,
  Arn: roleArn(account, region, RoleName),
  Tags: tagList(tags),
});

export const roleActions = {
  GetRole: (call, { RoleName }) => ({
    Role: view(call, RoleName, isProvided(call.account, RoleName) ? {} : made(call, RoleName).tags),
  }),

  ListAttachedRolePolicies: (call, { RoleName }) => ({
    AttachedPolicies: isProvided(call.account, RoleName)
      ? []
      : made(call, RoleName).policies.map((PolicyArn) => ({ PolicyArn })),
  }),

  CreateRole: (call, { RoleName, Tags }) => {
    const { account, region, now } = call;
    if (isProvided(account, RoleName) || account.roles.count('name', RoleName) > 0)
      refuse('EntityAlreadyExists', `Role with name ${RoleName} already exists.`);
    if (!/^[\w+=,.@-]{1,64}$/.test(RoleName)) refuse('ValidationError', `The name ${RoleName} is invalid.`);
    const tags = parseTags(Tags);
    account.roles.put({
      id: RoleName,
      region,
      seq: account.nextSeq(),
      created: now,
      tags,
      name: RoleName,
      policies: [],
      known: now + scaled(account, account.behaviour.delays.roleKnown),
    });
    return { Role: view(call, RoleName, tags) };
  },

  AttachRolePolicy: (call, { RoleName, PolicyArn }) => {
    const role = made(call, RoleName);
    role.policies = [...new Set([...role.policies, PolicyArn])];
    call.account.roles.put(role);
    return {};
  },

  DetachRolePolicy: (call, { RoleName, PolicyArn }) => {
    const role = made(call, RoleName);
    if (!role.policies.includes(PolicyArn)) refuse('NoSuchEntity', `Policy ${PolicyArn} was not found.`);
    role.policies = role.policies.filter((policy) => policy !== PolicyArn);
    call.account.roles.put(role);
    return {};
  },

  DeleteRole: (call, { RoleName }) => {
    const role = made(call, RoleName);
    if (role.policies.length > 0) refuse('DeleteConflict', 'Cannot delete entity, must detach all policies first.');
    call.account.roles.delete(role.id);
    return {};
  },
} satisfies Handlers;
