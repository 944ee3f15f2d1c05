/** Add-ons of EKS clusters: their records alone, without what they would install. */
import type { CloudInput, EksAddon } from '../../kinds/ports/cloud/index.ts';
import type { CollectionOf, Stored } from './collection.ts';
import { type EksClusterRecord, eksClusterNamed } from './eks-cluster.ts';
import { refuse } from './errors.ts';
import { newHex } from './naming.ts';
import { partitionOf } from './regions.ts';
import { type AccountState, type Call, type Handlers, scaled } from './state.ts';

export interface EksAddonRecord extends Stored {
  /** Id of its cluster. */
  cluster: string;
  input: Omit<CloudInput<'CreateAddon'>, 'tags'>;
  status: 'CREATING' | 'UPDATING' | 'DELETING';
  /** When that ends. */
  until: number;
  modified: number;
}

export const eksAddons: CollectionOf<EksAddonRecord> = {
  name: 'eks-addons',
  indexes: { cluster: ({ cluster }) => [cluster] },
};

const known = new Set([
  'vpc-cni',
  'coredns',
  'kube-proxy',
  'aws-ebs-csi-driver',
  'aws-efs-csi-driver',
  'eks-pod-identity-agent',
  'metrics-server',
  'snapshot-controller',
]);

const ofCluster = (account: AccountState, { id }: EksClusterRecord, now: number): EksAddonRecord[] =>
  account.eksAddons.by('cluster', id).filter(({ status, until }) => status !== 'DELETING' || now < until);

const named = (call: Call, { clusterName, addonName }: { clusterName: string; addonName: string }) =>
  ofCluster(call.account, eksClusterNamed(call, clusterName), call.now).find(
    ({ input }) => input.addonName === addonName,
  ) ?? refuse('ResourceNotFoundException', `No addon: ${addonName} found in cluster: ${clusterName}`);

const statusOf = ({ status, until }: EksAddonRecord, now: number): EksAddon['status'] =>
  now < until || status === 'DELETING' ? status : 'ACTIVE';

const view = (account: AccountState, addon: EksAddonRecord, now: number): EksAddon => {
  const { addonName, addonVersion, clusterName, serviceAccountRoleArn, configurationValues } = addon.input;
  return {
    addonName,
    addonArn: `arn:${partitionOf(addon.region)}:eks:${addon.region}:${account.accountId}:addon/${clusterName}/${addonName}/${addon.id}`,
    addonVersion,
    status: statusOf(addon, now),
    ...(serviceAccountRoleArn && { serviceAccountRoleArn }),
    ...(configurationValues && { configurationValues }),
    createdAt: new Date(addon.created).toISOString(),
    modifiedAt: new Date(addon.modified).toISOString(),
    health: { issues: [] },
    tags: { ...addon.tags },
  };
};

const checkVersion = ({ addonName, addonVersion }: { addonName: string; addonVersion: string }): void => {
  if (!/^v\d+\.\d+\.\d+-eksbuild\.\d+$/.test(addonVersion))
    refuse('InvalidParameterException', `Addon version specified is not supported: ${addonName} ${addonVersion}`);
};

const changeable = (call: Call, of: { clusterName: string; addonName: string }): EksAddonRecord => {
  const addon = named(call, of);
  const status = statusOf(addon, call.now);
  if (status !== 'ACTIVE')
    refuse('ResourceInUseException', `Addon ${of.addonName} cannot be changed as it is currently in ${status} state`);
  return addon;
};

export const eksAddonActions = {
  ListAddons: (call, { clusterName }) => ({
    addons: ofCluster(call.account, eksClusterNamed(call, clusterName), call.now).map(({ input }) => input.addonName),
  }),
  DescribeAddon: (call, of) => ({ addon: view(call.account, named(call, of), call.now) }),

  CreateAddon: (call, { tags, ...input }) => {
    const { account, region, now } = call;
    const cluster = eksClusterNamed(call, input.clusterName);
    const earlier = ofCluster(account, cluster, now).find((one) => one.input.addonName === input.addonName);
    if (earlier) refuse('ResourceInUseException', 'Addon already exists.');
    if (!known.has(input.addonName))
      refuse('InvalidParameterException', `Addon ${input.addonName} specified is not supported`);
    checkVersion(input);
    const addon: EksAddonRecord = {
      id: newHex(account.random, 32),
      region,
      seq: account.nextSeq(),
      created: now,
      tags,
      cluster: cluster.id,
      input,
      status: 'CREATING',
      until: now + scaled(account, account.behaviour.delays.eksAddon),
      modified: now,
    };
    account.eksAddons.put(addon);
    return { addon: view(account, addon, now) };
  },

  UpdateAddon: (call, input) => {
    const { account, now } = call;
    const addon = changeable(call, input);
    checkVersion(input);
    Object.assign(addon, {
      input,
      status: 'UPDATING',
      until: now + scaled(account, account.behaviour.delays.eksAddon),
      modified: now,
    });
    account.eksAddons.put(addon);
    return { update: { id: newHex(account.random, 32) } };
  },

  DeleteAddon: (call, { preserve: _, ...of }) => {
    const { account, now } = call;
    const addon = named(call, of);
    if (addon.status !== 'DELETING') {
      Object.assign(addon, { status: 'DELETING', until: now + scaled(account, account.behaviour.delays.eksAddon) });
      account.eksAddons.put(addon);
    }
    return { addon: view(account, addon, now) };
  },
} satisfies Handlers;
