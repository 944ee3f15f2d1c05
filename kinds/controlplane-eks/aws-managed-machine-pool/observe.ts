import { type Context, found, mapRead, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { ownersOf } from '../../common/owners.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { awaitsOperation } from '../../core/contract/scope.ts';
import type { MachinePool } from '../../core/machine-pool/schema.ts';
import { asking } from '../../infrastructure-aws/engine/ask.ts';
import { additional, type Owner } from '../../infrastructure-aws/engine/tags.ts';
import type { EksNodegroup, Instance, Subnet } from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import type { AWSManagedControlPlane } from '../aws-managed-control-plane/schema.ts';
import { type ObservedRole, observeMadeRole, observeRole } from '../roles.ts';
import { type Note, noteOf } from './note.ts';
import { isOurs, wantedRole } from './ownership.ts';
import type { AWSManagedMachinePool } from './schema.ts';
import { unzoned } from './subnets.ts';

export interface Observed {
  pool: AWSManagedMachinePool;
  machinePool: Read<MachinePool>;
  cluster: Read<Cluster>;
  controlPlane: Read<AWSManagedControlPlane>;
  /** What was noted, or is going to be; undefined without a Cluster and its control plane. */
  note: Note | undefined;
  owner: Owner | undefined;
  /** unread while nothing may be made. */
  nodegroup: Read<EksNodegroup>;
  /** Its instances that run or start; undefined while unread. */
  instances: Instance[] | undefined;
  /** What is read before the node group is created. */
  role: ObservedRole;
  /** The role that Capstan made; read when the node group is gone. */
  madeRole: ObservedRole;
  subnets: Read<Subnet[]>;
  /** The security group of the cluster; found and empty where SSH does not need it. */
  securityGroup: Read<string>;
}

const unread = { state: 'unread' } as const;
const none = <T>(value: T): Read<T> => ({ state: 'found', value });

const controlPlaneKind = 'AWSManagedControlPlane';

const newNote = (
  pool: AWSManagedMachinePool,
  cluster: Cluster | undefined,
  controlPlane: AWSManagedControlPlane | undefined,
): Note | undefined => {
  const { region, eksClusterName } = controlPlane?.spec ?? {};
  if (!cluster || !region || !eksClusterName) return undefined;
  const { uid: clusterUid = '', name: clusterName } = cluster.metadata;
  return { pool: pool.metadata.uid ?? '', clusterUid, clusterName, region, eksCluster: eksClusterName };
};

export const observe = (pool: AWSManagedMachinePool, read: Reader, { installation, withheld }: Context): Observed => {
  const { metadata, spec = {} } = pool;
  const { namespace = '' } = metadata;
  const goes = metadata.deletionTimestamp !== undefined || withheld?.releases === true;
  const reference = ownersOf(pool).find(({ kind }) => kind === 'MachinePool');
  const machinePool: Read<MachinePool> = reference
    ? read.get('MachinePool', { namespace, name: reference.name })
    : { state: 'absent' };
  const clusterName = found(machinePool)?.spec?.clusterName ?? metadata.labels?.['cluster.x-k8s.io/cluster-name'];
  const cluster: Read<Cluster> = clusterName
    ? read.get('Cluster', { namespace, name: clusterName })
    : { state: 'absent' };
  const plane = found(cluster)?.spec?.controlPlaneRef;
  const controlPlane: Read<AWSManagedControlPlane> =
    plane?.kind === controlPlaneKind
      ? read.get(controlPlaneKind, { namespace, name: plane.name })
      : cluster.state === 'unread'
        ? unread
        : { state: 'absent' };
  const it = found(controlPlane);
  const noted = noteOf(pool);
  const note = noted ?? newNote(pool, found(cluster), it);
  const owner = note && {
    installation,
    clusterUid: note.clusterUid,
    clusterName: note.clusterName,
    additionalTags: additional({ ...it?.spec?.additionalTags, ...spec.additionalTags }, note.clusterName),
  };
  const isAdmitted =
    !awaitsOperation(withheld) && !goes && found(machinePool) !== undefined && it?.status?.ready === true;
  const of = note && { clusterName: note.eksCluster, nodegroupName: spec.eksNodegroupName ?? '' };
  const looks = of !== undefined && (noted !== undefined || isAdmitted);
  const nodegroup = looks
    ? mapRead(askCloud(read, note!.region, 'DescribeNodegroup', of), (answer) => answer.nodegroup)
    : unread;
  const creates = isAdmitted && nodegroup.state === 'absent';
  const region = note?.region ?? '';
  const ofRole = owner && { owner, region, wanted: wantedRole(pool) };
  const there = found(nodegroup);
  const isGone =
    goes && noted !== undefined && (nodegroup.state === 'absent' || (there && owner && !isOurs(there, pool, owner)));
  const domains = found(machinePool)?.spec?.failureDomains ?? [];
  const SubnetIds = creates ? unzoned(spec, it, domains) : [];
  const cloud = asking(read, region);
  return {
    pool,
    machinePool,
    cluster,
    controlPlane,
    note,
    owner,
    nodegroup,
    instances:
      nodegroup.state === 'found'
        ? cloud.all(
            'DescribeInstances',
            {
              Filters: [
                { Name: 'tag:eks:cluster-name', Values: [of!.clusterName] },
                { Name: 'tag:eks:nodegroup-name', Values: [of!.nodegroupName] },
                { Name: 'instance-state-name', Values: ['pending', 'running'] },
              ],
              MaxResults: 1000,
            },
            (page) => page.Reservations.flatMap(({ Instances }) => Instances),
          )
        : [],
    role: creates && ofRole ? observeRole(ofRole, spec.roleName, read) : unread,
    madeRole: isGone && ofRole ? observeMadeRole(ofRole, read) : unread,
    subnets:
      SubnetIds.length > 0
        ? mapRead(askCloud(read, region, 'DescribeSubnets', { SubnetIds }), ({ Subnets }) => Subnets)
        : none([]),
    securityGroup:
      creates && spec.remoteAccess && !spec.remoteAccess.public
        ? mapRead(
            askCloud(read, region, 'DescribeCluster', { name: of!.clusterName }),
            ({ cluster: { resourcesVpcConfig } }) => resourcesVpcConfig.clusterSecurityGroupId ?? '',
          )
        : none(''),
  };
};
