/**
 * As whom AWS is called for a cluster: the chain of identities from the AWSCluster's reference down to the
 * control plane's own. Every link must allow the cluster's namespace.
 */
import { type LegacyDraft, legacyFalse } from '../../../machinery/api/conditions.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import type { AssumedRole, CloudOutput, Principal } from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import { principalCredentialRetrieved, principalUsageAllowed } from '../aws-cluster/conditions.ts';
import { isBegun } from '../aws-cluster/owner.ts';
import type { AWSCluster } from '../aws-cluster/schema.ts';
import type { AWSClusterRoleIdentity, AWSClusterRoleIdentitySpec } from '../aws-cluster-role-identity/schema.ts';
import { accountIn, notedAccount } from './account.ts';
import { allowsNamespace, type Identity } from './allowed.ts';

export type Resolved =
  | { state: 'unread' }
  /** AWS must not be called at all. `awaits`: the identity that may still be created, if that is all. */
  | { state: 'refused'; condition: LegacyDraft; awaits?: string }
  /** `account`: the one that the roles lead to; absent for the installation's own identity. */
  | { state: 'known'; roles: Principal; account?: string };

/** The installation itself. */
export const itself: Resolved = { state: 'known', roles: [] };

const unread: Resolved = { state: 'unread' };

const refused = (type: string, reason: string, message: string) => ({
  state: 'refused' as const,
  condition: legacyFalse(type, reason, 'Error', message),
});
const lacking = (message: string) =>
  refused(principalCredentialRetrieved, 'PrincipalCredentialRetrievalFailed', message);

/** STS limits sessions of a role that was assumed by a role, as the control plane's own is, to an hour. */
const longest = 3600;

/** STS takes these characters, and at most 64. */
const sessionName = ({ metadata }: AWSCluster, cluster: string): string =>
  `capstan-${metadata.namespace}-${cluster}`.replaceAll(/[^\w+=,.@-]/g, '-').slice(0, 64);

const roleOf = (spec: AWSClusterRoleIdentitySpec, session: string): AssumedRole => ({
  RoleArn: spec.roleARN,
  RoleSessionName: spec.sessionName || session,
  ...(spec.durationSeconds && { DurationSeconds: Math.min(spec.durationSeconds, longest) }),
  ...(spec.externalID && { ExternalId: spec.externalID }),
  ...(spec.inlinePolicy && { Policy: spec.inlinePolicy }),
  ...(spec.policyARNs?.length && { PolicyArns: spec.policyARNs.map((arn) => ({ arn })) }),
});

type Reference = NonNullable<NonNullable<AWSCluster['spec']>['identityRef']>;

/** The roles in the order in which they are assumed. */
const chainOf = (awsCluster: AWSCluster, first: Reference, session: string, read: Reader): Resolved => {
  const { namespace = '' } = awsCluster.metadata;
  const home: Read<KubeObject> = read.get('Namespace', { namespace: '', name: namespace });
  const roles: AssumedRole[] = [];
  const seen = new Set<string>();
  for (let next: Reference | undefined = first; next; ) {
    const { kind, name }: Reference = next;
    const called = `${kind} ${name}`;
    if (kind === 'AWSClusterStaticIdentity')
      return refused(
        principalUsageAllowed,
        'PrincipalUsageUnauthorized',
        `${kind} is not supported: use an AWSClusterRoleIdentity, which needs no stored keys`,
      );
    if (seen.has(called)) return lacking(`${called} is its own source: change a spec.sourceIdentityRef`);
    const answer: Read<Identity> = read.get<Identity>(kind, { namespace: '', name });
    if (answer.state === 'unread' || home.state === 'unread') return unread;
    if (answer.state === 'absent') return { ...lacking(`${called} does not exist`), awaits: called };
    if (answer.state !== 'found') return lacking(`${called} cannot be read`);
    if (home.state !== 'found' || !allowsNamespace(answer.value, home.value))
      return refused(
        principalUsageAllowed,
        seen.size === 0 ? 'PrincipalUsageUnauthorized' : 'SourcePrincipalUsageUnauthorized',
        `Namespace ${namespace} may not use ${called}: see its spec.allowedNamespaces`,
      );
    seen.add(called);
    if (kind === 'AWSClusterControllerIdentity') break;
    const { spec } = answer.value as AWSClusterRoleIdentity;
    if (!spec) return lacking(`${called} has no spec`);
    if (accountIn(spec.roleARN) === undefined) return lacking(`${called} has no ARN of a role in spec.roleARN`);
    roles.unshift(roleOf(spec, session));
    next = spec.sourceIdentityRef;
  }
  return { state: 'known', roles, account: accountIn(roles.at(-1)?.RoleArn ?? '') ?? '' };
};

/**
 * The account of a cluster never changes: in another one its resources would seem to be gone. It is compared with
 * the installation's own account where only that is known.
 */
const inSameAccount = (awsCluster: AWSCluster, resolved: Resolved, read: Reader): Resolved => {
  if (resolved.state !== 'known') return resolved;
  const noted = notedAccount(awsCluster);
  const isOwn = resolved.roles.length === 0;
  if (isOwn ? noted === undefined : noted === undefined && !isBegun(awsCluster)) return resolved;
  let [before, now] = [noted, resolved.account];
  if (isOwn || noted === undefined) {
    const own = askCloud(read, awsCluster.spec?.region ?? '', 'GetCallerIdentity', {});
    if (own.state === 'unread') return unread;
    if (own.state !== 'found')
      return lacking(`the account cannot be verified: ${own.state === 'unreadable' ? own.reason : 'no answer'}`);
    before ??= own.value.Account;
    now ??= own.value.Account;
  }
  return before === now
    ? resolved
    : refused(
        principalUsageAllowed,
        'PrincipalUsageUnauthorized',
        `the cluster is in account ${before}, and its identity leads to account ${now}: nothing is done until spec.identityRef leads to account ${before} again`,
      );
};

/** As whom AWS is called for the cluster. Costs no read for a cluster with the control plane's own identity. */
export const observePrincipal = (awsCluster: AWSCluster, read: Reader): Resolved => {
  const reference = awsCluster.spec?.identityRef;
  const cluster =
    awsCluster.metadata.ownerReferences?.find(({ kind }) => kind === 'Cluster')?.name ?? awsCluster.metadata.name;
  const resolved =
    !reference || reference.kind === 'AWSClusterControllerIdentity'
      ? itself
      : chainOf(awsCluster, reference, sessionName(awsCluster, cluster), read);
  return inSameAccount(awsCluster, resolved, read);
};

/** Who the roles make the caller; absent for the installation itself, and for one that is refused. */
export type Caller = Read<CloudOutput<'GetCallerIdentity'>> | undefined;

/** Whether the roles can be assumed. Costs a call only when a session begins. `read`: as the principal. */
export const observeCaller = (principal: Resolved, region: string, read: Reader): Caller =>
  principal.state === 'known' && principal.roles.length > 0 && region
    ? askCloud(read, region, 'GetCallerIdentity', {})
    : undefined;
