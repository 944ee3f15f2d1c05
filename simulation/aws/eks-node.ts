/** Instances as nodes of EKS clusters: which role they prove, and whether EKS lets it in. */
import type { EksNode } from '../ports.ts';
import { admitsNodes } from './eks-access-entry.ts';
import { roleArn } from './role.ts';
import type { AccountState } from './state.ts';

export const eksNode = (account: AccountState, instanceId: string, clusterName: string): EksNode | undefined => {
  const instance = account.instances.get(instanceId);
  const cluster =
    instance && account.eksClusters.by('name', clusterName).find(({ region }) => region === instance.region);
  if (!instance || !cluster) return undefined;
  const group = account.eksNodegroups
    .by('cluster', cluster.id)
    .find(({ name }) => name === instance.tags['eks:nodegroup-name']);
  // clusterawsadm names the profile of a role after it.
  const role = group?.input.nodeRole ?? roleArn(account, instance.region, instance.profile ?? '');
  const mode = cluster.input.accessConfig.authenticationMode;
  return {
    roleArn: role,
    isAdmitted: group !== undefined || (mode !== 'CONFIG_MAP' && admitsNodes(account, cluster, role)),
    readsConfigMap: mode !== 'API',
  };
};
