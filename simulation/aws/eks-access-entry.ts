/** Access entries of EKS clusters. */
import type { CloudInput, EksAccessEntry, EksAccessPolicy } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { type EksClusterRecord, eksClusterNamed } from './eks-cluster.ts';
import { refuse } from './errors.ts';
import { newHex } from './naming.ts';
import type { AccountState, Call, Handlers } from './state.ts';

export interface EksAccessEntryRecord extends Stored {
  /** Id of its cluster. */
  cluster: string;
  principalArn: string;
  kubernetesGroups: string[];
  username: string;
  type: string;
  policies: EksAccessPolicy[];
}

export const eksAccessEntries: CollectionOf<EksAccessEntryRecord> = {
  name: 'eks-access-entries',
  indexes: { cluster: ({ cluster }) => [cluster] },
};

const ofCluster = (account: AccountState, cluster: EksClusterRecord): readonly EksAccessEntryRecord[] =>
  account.eksAccessEntries.by('cluster', cluster.id);

/** Entries do not count before the cluster's mode has them. */
const withEntries = (call: Call, name: string): EksClusterRecord => {
  const cluster = eksClusterNamed(call, name);
  if (cluster.input.accessConfig.authenticationMode === 'CONFIG_MAP')
    refuse(
      'InvalidRequestException',
      "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
    );
  return cluster;
};

const named = (call: Call, { clusterName, principalArn }: { clusterName: string; principalArn: string }) =>
  ofCluster(call.account, withEntries(call, clusterName)).find((entry) => entry.principalArn === principalArn) ??
  refuse(
    'ResourceNotFoundException',
    "The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.",
  );

const view = ({ principalArn, kubernetesGroups, username, type, tags }: EksAccessEntryRecord): EksAccessEntry => ({
  principalArn,
  kubernetesGroups,
  username,
  type,
  tags: { ...tags },
});

/** The name that EKS gives where none was chosen. */
const standardName = (principalArn: string, type: string): string => {
  if (type.startsWith('EC2')) return 'system:node:{{EC2PrivateDNSName}}';
  const [, account, role] = /^arn:[\w-]+:iam::(\d+):role\/(?:.*\/)?(.+)$/.exec(principalArn) ?? [];
  return role ? `arn:aws:sts::${account}:assumed-role/${role}/{{SessionName}}` : principalArn;
};

const isNode = (type: string): boolean => type !== 'STANDARD';

const put = (
  call: Call,
  cluster: EksClusterRecord,
  input: Pick<CloudInput<'CreateAccessEntry'>, 'principalArn' | 'type' | 'tags'> &
    Partial<CloudInput<'CreateAccessEntry'>>,
): EksAccessEntryRecord => {
  const { account, region, now } = call;
  const { principalArn, type, tags, kubernetesGroups = [], username } = input;
  const entry: EksAccessEntryRecord = {
    id: `entry-${newHex(account.random, 17)}`,
    region,
    seq: account.nextSeq(),
    created: now,
    tags,
    cluster: cluster.id,
    principalArn,
    kubernetesGroups: isNode(type) ? ['system:nodes'] : kubernetesGroups,
    username: username || standardName(principalArn, type),
    type,
    policies: [],
  };
  account.eksAccessEntries.put(entry);
  return entry;
};

/** EKS lets the nodes of its node groups in, and the creator. */
export const admitNodes = (call: Call, cluster: EksClusterRecord, roleArn: string): void => {
  const isKnown = ofCluster(call.account, cluster).some(({ principalArn }) => principalArn === roleArn);
  if (cluster.input.accessConfig.authenticationMode === 'CONFIG_MAP' || isKnown) return;
  put(call, cluster, { principalArn: roleArn, type: 'EC2_LINUX', tags: {} });
};

/** Whether an entry lets nodes with this role in. */
export const admitsNodes = (account: AccountState, cluster: EksClusterRecord, roleArn: string): boolean =>
  ofCluster(account, cluster).some(({ principalArn, type }) => principalArn === roleArn && type === 'EC2_LINUX');

export const eksAccessEntryActions = {
  ListAccessEntries: (call, { clusterName }) => ({
    accessEntries: ofCluster(call.account, withEntries(call, clusterName)).map(({ principalArn }) => principalArn),
  }),
  DescribeAccessEntry: (call, of) => ({ accessEntry: view(named(call, of)) }),
  ListAssociatedAccessPolicies: (call, of) => ({ associatedAccessPolicies: [...named(call, of).policies] }),

  CreateAccessEntry: (call, input) => {
    const { clusterName, principalArn, type, kubernetesGroups = [] } = input;
    const cluster = withEntries(call, clusterName);
    const earlier = ofCluster(call.account, cluster).find((entry) => entry.principalArn === principalArn);
    if (earlier)
      refuse('ResourceInUseException', 'The specified access entry resource is already in use on this cluster.');
    if (!/^arn:[\w-]+:iam::\d{12}:(role|user)\/.+$/.test(principalArn))
      refuse('InvalidParameterException', 'The specified principalArn is invalid: invalid principal.');
    if (kubernetesGroups.some((group) => group.startsWith('system:')))
      refuse('InvalidParameterException', 'The kubernetes group name must not start with system:');
    if (isNode(type) && kubernetesGroups.length > 0)
      refuse('InvalidParameterException', `The type ${type} takes no kubernetes groups`);
    return { accessEntry: view(put(call, cluster, input)) };
  },

  UpdateAccessEntry: (call, { clusterName, principalArn, kubernetesGroups, username }) => {
    const entry = named(call, { clusterName, principalArn });
    Object.assign(entry, { kubernetesGroups, ...(username && { username }) });
    call.account.eksAccessEntries.put(entry);
    return { accessEntry: view(entry) };
  },

  DeleteAccessEntry: (call, of) => {
    call.account.eksAccessEntries.delete(named(call, of).id);
    return {};
  },

  AssociateAccessPolicy: (call, { policyArn, accessScope, ...of }) => {
    const entry = named(call, of);
    if (isNode(entry.type))
      refuse('InvalidRequestException', `The access entry of type ${entry.type} takes no access policies.`);
    if (!/^arn:[\w-]+:eks::aws:cluster-access-policy\/\w+$/.test(policyArn))
      refuse('InvalidParameterException', 'The policyArn parameter format is not valid');
    entry.policies = [...entry.policies.filter((one) => one.policyArn !== policyArn), { policyArn, accessScope }];
    call.account.eksAccessEntries.put(entry);
    return {};
  },

  DisassociateAccessPolicy: (call, { policyArn, ...of }) => {
    const entry = named(call, of);
    entry.policies = entry.policies.filter((one) => one.policyArn !== policyArn);
    call.account.eksAccessEntries.put(entry);
    return {};
  },
} satisfies Handlers;
