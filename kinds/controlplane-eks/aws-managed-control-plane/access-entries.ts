/** Access entries of an EKS cluster: what is read of them, and the calls that make them as the spec says. Pure. */
import { equal } from '../../../machinery/api/merge.ts';
import { type Action, found, mapRead, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { carries, evidence, type Owner, tagList, tagsOf } from '../../infrastructure-aws/engine/tags.ts';
import type { EksAccessEntry, EksAccessPolicy, EksCluster } from '../../ports/cloud/index.ts';
import { askCloud, callCloud } from '../../ports/index.ts';
import { standard } from './entry-types.ts';
import type { Parts } from './parts.ts';
import type { AWSManagedControlPlaneSpec } from './schema.ts';

type Wanted = NonNullable<AWSManagedControlPlaneSpec['accessEntries']>[number];

export interface ObservedEntry {
  principalArn: string;
  /** Undefined: it is to go. */
  wanted: Wanted | undefined;
  entry: Read<EksAccessEntry>;
  policies: Read<EksAccessPolicy[]>;
}

const isStandard = ({ type = standard }: Wanted): boolean => type === standard;
const isOurs = ({ tags }: EksAccessEntry, owner: Owner): boolean => carries(tagList(tags), evidence(owner));

/** None before the cluster's mode has entries. */
export const observeEntries = (
  read: Reader,
  region: string,
  spec: AWSManagedControlPlaneSpec,
  { accessEntries: noted }: Parts,
  { name, accessConfig }: EksCluster,
): ObservedEntry[] => {
  if (accessConfig.authenticationMode === 'CONFIG_MAP') return [];
  const wanted = spec.accessEntries ?? [];
  const principals = new Set([...wanted.map(({ principalARN }) => principalARN), ...noted]);
  return [...principals].map((principalArn) => {
    const of = { clusterName: name, principalArn };
    const asked = wanted.find(({ principalARN }) => principalARN === principalArn);
    const entry = mapRead(askCloud(read, region, 'DescribeAccessEntry', of), ({ accessEntry }) => accessEntry);
    return {
      principalArn,
      wanted: asked,
      entry,
      policies:
        entry.state === 'found' && asked && isStandard(asked)
          ? mapRead(askCloud(read, region, 'ListAssociatedAccessPolicies', of), (page) => page.associatedAccessPolicies)
          : { state: 'found', value: [] },
    };
  });
};

export interface PartsPlan {
  actions: Action[];
  /** What cannot be done, and what is read in vain. */
  faults: string[];
  /** Whether a read is still to be made. */
  isUnread: boolean;
}

interface Where {
  region: string;
  clusterName: string;
  owner: Owner;
}

const scopeOf = ({ accessScope: { type, namespaces } }: NonNullable<Wanted['accessPolicies']>[number]) => ({
  type,
  ...(namespaces?.length && { namespaces }),
});

const policyActions = (
  { region, clusterName, owner }: Where,
  { principalArn, wanted }: ObservedEntry,
  has: readonly EksAccessPolicy[],
): Action[] => {
  const of = { clusterName, principalArn };
  const asked = (wanted?.accessPolicies ?? []).map((one) => ({ policyArn: one.policyARN, accessScope: scopeOf(one) }));
  const same = (one: EksAccessPolicy) => (other: EksAccessPolicy) =>
    one.policyArn === other.policyArn && equal(one.accessScope, other.accessScope);
  const proof = evidence(owner);
  return [
    ...asked
      .filter((one) => !has.some(same(one)))
      .map((one) => callCloud(region, 'AssociateAccessPolicy', { ...of, ...one }, proof)),
    ...has
      .filter(({ policyArn }) => !asked.some((one) => one.policyArn === policyArn))
      .map(({ policyArn }) => callCloud(region, 'DisassociateAccessPolicy', { ...of, policyArn }, proof)),
  ];
};

const creation = ({ region, clusterName, owner }: Where, wanted: Wanted): Action => {
  const { principalARN: principalArn, type = standard, username, kubernetesGroups } = wanted;
  return callCloud(region, 'CreateAccessEntry', {
    clusterName,
    principalArn,
    type: type.toUpperCase(),
    ...(username && { username }),
    ...(kubernetesGroups?.length && { kubernetesGroups }),
    tags: tagsOf(owner, { name: clusterName, role: 'common' }),
  });
};

const actionsFor = (where: Where, observed: ObservedEntry, entry: EksAccessEntry): Action[] => {
  const { region, clusterName, owner } = where;
  const { principalArn, wanted, policies } = observed;
  const of = { clusterName, principalArn };
  const proof = evidence(owner);
  const removal = callCloud(region, 'DeleteAccessEntry', of, proof);
  if (!wanted) return [removal];
  // Its type never changes: the next pass makes it anew.
  if ((wanted.type ?? standard).toUpperCase() !== entry.type) return [removal];
  // EKS chose the groups of nodes, and the name where the user chose none.
  if (!isStandard(wanted)) return [];
  const groups = wanted.kubernetesGroups ?? [];
  const isOther =
    !equal([...groups].sort(), [...entry.kubernetesGroups].sort()) ||
    (wanted.username !== undefined && wanted.username !== '' && wanted.username !== entry.username);
  return [
    ...(isOther
      ? [
          callCloud(
            region,
            'UpdateAccessEntry',
            { ...of, kubernetesGroups: groups, ...(wanted.username && { username: wanted.username }) },
            proof,
          ),
        ]
      : []),
    ...policyActions(where, observed, found(policies) ?? []),
  ];
};

/** Each entry in a group of its own: a refused one does not keep the others. */
export const planEntries = (where: Where, entries: readonly ObservedEntry[]): PartsPlan => {
  const plan: PartsPlan = { actions: [], faults: [], isUnread: false };
  for (const observed of entries) {
    const { principalArn, wanted, entry, policies } = observed;
    const group = `access entry ${principalArn}`;
    const unreadable = [entry, policies].find(({ state }) => state === 'unreadable');
    if (entry.state === 'unread' || policies.state === 'unread') plan.isUnread = true;
    else if (unreadable?.state === 'unreadable') plan.faults.push(`${group}: ${unreadable.reason}`);
    else if (entry.state === 'absent') {
      if (wanted) plan.actions.push({ ...creation(where, wanted), group });
    } else if (entry.state === 'found' && isOurs(entry.value, where.owner))
      plan.actions.push(...actionsFor(where, observed, entry.value).map((action) => ({ ...action, group })));
    else if (wanted)
      plan.faults.push(`The ${group} exists and was not made for this Cluster: take it from spec.accessEntries`);
  }
  return plan;
};

/** Those that exist, or are going to. */
export const notedEntries = (entries: readonly ObservedEntry[], owner: Owner): string[] =>
  entries.flatMap(({ principalArn, wanted, entry }) => {
    const isGone = entry.state === 'absent' || (entry.state === 'found' && !isOurs(entry.value, owner));
    return wanted || !isGone ? [principalArn] : [];
  });
