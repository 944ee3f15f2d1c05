/**
 * The role that EKS takes for a cluster, or nodes have: the one that the spec names, or the AWS provider's,
 * which clusterawsadm makes, or else one that Capstan makes and deletes. Only that one is changed. Pure.
 */
import type { Action, EventDraft, Failure, Read, Reader } from '../../machinery/api/reconcile.ts';
import { asking } from '../infrastructure-aws/engine/ask.ts';
import {
  carries,
  digest,
  evidence,
  type Owner,
  purposeTag,
  tagList,
  tagsOf,
} from '../infrastructure-aws/engine/tags.ts';
import { type AttachedPolicy, madeRoles } from '../ports/cloud/iam/role.ts';
import type { CloudInput, Role } from '../ports/cloud/index.ts';
import { askCloud, callCloud } from '../ports/index.ts';
import { describeFailure } from './report.ts';

export interface WantedRole {
  /** Its purpose tag, which tells the roles of a cluster apart. */
  purpose: string;
  /** The AWS provider's role. */
  standard: string;
  /** Takes it. */
  service: string;
  /** Names of AWS's policies. */
  policies: readonly AttachedPolicy[];
}

export interface Whose {
  owner: Owner;
  region: string;
  wanted: WantedRole;
}

/** At most 64 characters, IAM's limit. */
export const madeRoleName = ({ owner, wanted: { purpose } }: Pick<Whose, 'owner' | 'wanted'>): string => {
  const { clusterName, installation, clusterUid } = owner;
  const readable = clusterName.replace(/[^\w-]/g, '-').slice(0, 36);
  return `${madeRoles.replace('*', '')}${readable}-${digest(12, installation, clusterUid, purpose)}`;
};

const partitionOf = (region: string): string =>
  region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
const policyArns = ({ region, wanted }: Whose): string[] =>
  wanted.policies.map((name) => `arn:${partitionOf(region)}:iam::aws:policy/${name}`);

/** In China, EC2 has a name of its own. */
const serviceIn = ({ region, wanted: { service } }: Whose): string =>
  service === 'ec2.amazonaws.com' && region.startsWith('cn-') ? `${service}.cn` : service;

export type ObservedRole =
  | { state: 'unread' }
  | { state: 'unreadable'; reason: string }
  /** The spec names one that does not exist. */
  | { state: 'missing'; name: string }
  /** Not Capstan's. */
  | { state: 'given'; arn: string }
  /** There is none, and Capstan may make one. */
  | { state: 'absent' }
  | { state: 'made'; role: Role; attached: string[] };

/** The one that Capstan made, or would make. */
export const observeMadeRole = (of: Whose, read: Reader): ObservedRole => {
  const { region } = of;
  const RoleName = madeRoleName(of);
  const made = askCloud(read, region, 'GetRole', { RoleName });
  if (made.state === 'absent') return { state: 'absent' };
  if (made.state !== 'found') return made;
  const cloud = asking(read, region);
  const { AttachedPolicies = [] } = cloud.ask('ListAttachedRolePolicies', { RoleName }) ?? {};
  if (cloud.unread()) return { state: 'unread' };
  const reason = cloud.unreadable();
  if (reason !== undefined) return { state: 'unreadable', reason };
  return { state: 'made', role: made.value.Role, attached: AttachedPolicies.map(({ PolicyArn }) => PolicyArn) };
};

/** `given`: its name in the spec. */
export const observeRole = (of: Whose, given: string | undefined, read: Reader): ObservedRole => {
  const ask = (RoleName: string): Read<{ Role: Role }> => askCloud(read, of.region, 'GetRole', { RoleName });
  const named = ask(given || of.wanted.standard);
  if (named.state === 'found') return { state: 'given', arn: named.value.Role.Arn };
  if (named.state !== 'absent') return named;
  return given ? { state: 'missing', name: given } : observeMadeRole(of, read);
};

const proofOf = ({ owner, wanted }: Whose): Record<string, string> => ({
  ...evidence(owner),
  [purposeTag]: wanted.purpose,
});

/** The group of the calls. */
const group = 'role';

const attach = (of: Whose, policies: readonly string[]): Action[] =>
  policies.map((PolicyArn) => ({
    ...callCloud(of.region, 'AttachRolePolicy', { RoleName: madeRoleName(of), PolicyArn }, proofOf(of)),
    group,
  }));

const creation = (of: Whose): Action[] => {
  const RoleName = madeRoleName(of);
  const input: CloudInput<'CreateRole'> = {
    RoleName,
    AssumeRolePolicyDocument: JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: { Service: serviceIn(of) }, Action: 'sts:AssumeRole' }],
    }),
    Tags: tagList(tagsOf(of.owner, { name: RoleName, role: 'common', purpose: of.wanted.purpose })),
  };
  return [{ ...callCloud(of.region, 'CreateRole', input), group }, ...attach(of, policyArns(of))];
};

const remedy = ({ wanted: { policies, service } }: Whose): string => {
  const list =
    policies.length > 1
      ? `policies ${policies.slice(0, -1).join(', ')} and ${policies.at(-1)}`
      : `policy ${policies[0]}`;
  return `create it with the ${list} and a trust in ${service}, or name another one in spec.roleName`;
};

export type RolePlan =
  | { state: 'ready'; arn: string }
  /** Nothing can be done. */
  | { state: 'failed'; message: string }
  /** Calls whose result the next pass sees. */
  | { state: 'made'; actions: Action[]; events: EventDraft[]; message: string; isRefused: boolean };

const ofRole = (operations: readonly string[], failure: Failure | undefined): string | undefined =>
  failure && operations.includes(failure.operation) ? describeFailure(failure) : undefined;

/** Undefined while it is unread. */
export const planRole = (of: Whose, observed: ObservedRole, lastFailure: Failure | undefined): RolePlan | undefined => {
  const name = madeRoleName(of);
  switch (observed.state) {
    case 'unread':
      return undefined;
    case 'unreadable':
      return { state: 'failed', message: observed.reason };
    case 'missing':
      return { state: 'failed', message: `Role ${observed.name} does not exist: ${remedy(of)}` };
    case 'given':
      return { state: 'ready', arn: observed.arn };
    case 'absent': {
      const refusal = ofRole(['CreateRole', 'AttachRolePolicy'], lastFailure);
      return {
        state: 'made',
        actions: creation(of),
        events: [{ type: 'Normal', reason: 'SuccessfulIAMRoleCreation', message: `Created role ${name}` }],
        message: refusal
          ? `Role ${of.wanted.standard} does not exist, and AWS refuses to create ${name}: ${refusal}: ${remedy(of)}, or deploy with --context eksRoles=${madeRoles}`
          : `Creating role ${name}`,
        isRefused: refusal !== undefined,
      };
    }
    case 'made': {
      const { role, attached } = observed;
      if (!carries(role.Tags, proofOf(of)))
        return { state: 'failed', message: `Role ${name} exists and was not made for this object: ${remedy(of)}` };
      const missing = policyArns(of).filter((policy) => !attached.includes(policy));
      if (missing.length === 0) return { state: 'ready', arn: role.Arn };
      const refusal = ofRole(['AttachRolePolicy'], lastFailure);
      return {
        state: 'made',
        actions: attach(of, missing),
        events: [],
        message: refusal ?? `Attaching policies to role ${name}`,
        isRefused: refusal !== undefined,
      };
    }
    default:
      return observed satisfies never;
  }
};

export interface RoleRemoval {
  actions: Action[];
  events: EventDraft[];
  /** Nothing of Capstan's is left. */
  isGone: boolean;
  /** Why it is not. */
  message: string;
}

/** Undefined while it is unread. `observed`: the one that Capstan made. */
export const removeRole = (
  of: Whose,
  observed: ObservedRole,
  lastFailure: Failure | undefined,
): RoleRemoval | undefined => {
  const gone = { actions: [], events: [], isGone: true, message: '' };
  if (observed.state === 'unread') return undefined;
  if (observed.state === 'unreadable') return { ...gone, isGone: false, message: observed.reason };
  if (observed.state !== 'made' || !carries(observed.role.Tags, proofOf(of))) return gone;
  const RoleName = madeRoleName(of);
  const owned = proofOf(of);
  return {
    actions: [
      ...observed.attached.map((PolicyArn) => callCloud(of.region, 'DetachRolePolicy', { RoleName, PolicyArn }, owned)),
      callCloud(of.region, 'DeleteRole', { RoleName }, owned),
    ].map((action) => ({ ...action, group })),
    events: [{ type: 'Normal', reason: 'SuccessfulIAMRoleDeletion', message: `Deleted role ${RoleName}` }],
    isGone: false,
    message: ofRole(['DetachRolePolicy', 'DeleteRole'], lastFailure) ?? `Deleting role ${RoleName}`,
  };
};
