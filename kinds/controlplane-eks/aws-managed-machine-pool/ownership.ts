/** What proves that a node group and a role are a pool's own: each pool of a cluster has some. Pure. */
import { carries, evidence, type Owner, purposeTag, tagList } from '../../infrastructure-aws/engine/tags.ts';
import type { EksNodegroup } from '../../ports/cloud/index.ts';
import type { WantedRole } from '../roles.ts';
import { defaultRole } from './defaults.ts';
import type { AWSManagedMachinePool } from './schema.ts';

const ofPool = (what: string, { metadata }: AWSManagedMachinePool): string =>
  `${what}/${metadata.namespace ?? ''}/${metadata.name}`;

export const purposeOf = (pool: AWSManagedMachinePool): string => ofPool('node-group', pool);

export const proofOf = (pool: AWSManagedMachinePool, owner: Owner): Record<string, string> => ({
  ...evidence(owner),
  [purposeTag]: purposeOf(pool),
});

export const isOurs = ({ tags }: EksNodegroup, pool: AWSManagedMachinePool, owner: Owner): boolean =>
  carries(tagList(tags), proofOf(pool, owner));

export const wantedRole = (pool: AWSManagedMachinePool): WantedRole => ({
  purpose: ofPool('role', pool),
  standard: defaultRole,
  service: 'ec2.amazonaws.com',
  policies: ['AmazonEKSWorkerNodePolicy', 'AmazonEKS_CNI_Policy', 'AmazonEC2ContainerRegistryReadOnly'],
});
