import { type Context, found, mapRead, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { type Secret, secretName } from '../../core/contract/cluster-secrets.ts';
import { isProvisioned } from '../../core/contract/cluster-status.ts';
import { awaitsOperation } from '../../core/contract/scope.ts';
import { nothingObserved, type ObservedNetwork } from '../../infrastructure-aws/aws-cluster/observe-network.ts';
import type { Owner } from '../../infrastructure-aws/engine/tags.ts';
import type { CloudOutput, EksCluster } from '../../ports/cloud/index.ts';
import { askCloud } from '../../ports/index.ts';
import { isBegun, isOurs, ownerOf, tagOwnerOf } from '../owner.ts';
import { type ObservedRole, observeMadeRole, observeRole } from '../roles.ts';
import { type ObservedEntry, observeEntries } from './access-entries.ts';
import { type ObservedAddon, observeAddons } from './add-ons.ts';
import { wantedRole } from './defaults.ts';
import { isGivenNetwork } from './given-network.ts';
import { isDue, tokenTime } from './kubeconfig.ts';
import { isNetworkMade, observeNetwork } from './network.ts';
import { partsOf } from './parts.ts';
import type { AWSManagedControlPlane } from './schema.ts';

export interface Observed {
  controlPlane: AWSManagedControlPlane;
  /** Undefined without a Cluster. */
  owner: Owner | undefined;
  cluster: Read<Cluster>;
  region: string;
  network: ObservedNetwork;
  /** unread while nothing may be made. */
  eksCluster: Read<EksCluster>;
  /** Read before the cluster is created. */
  role: ObservedRole;
  /** The role that Capstan made; read when the cluster is gone. */
  madeRole: ObservedRole;
  kubeconfig: Read<Secret>;
  userKubeconfig: Read<Secret>;
  /** Those that are wanted, or were made, while the cluster serves. */
  accessEntries: ObservedEntry[];
  addons: ObservedAddon[];
  /** A new token, once the kubeconfig needs one. */
  token: string | undefined;
  /** Machines and pools of the cluster, which go before it, by their kind. */
  workers: { kind: string; read: Read<unknown[]> }[];
}

const unread = { state: 'unread' } as const;
const workerKinds = ['Machine', 'MachinePool', 'AWSManagedMachinePool'];

const described = (answer: Read<CloudOutput<'DescribeCluster'>>): Read<EksCluster> =>
  mapRead(answer, ({ cluster }) => cluster);

export const observe = (controlPlane: AWSManagedControlPlane, read: Reader, context: Context): Observed => {
  const { installation, now, withheld } = context;
  const { metadata, spec = {} } = controlPlane;
  const { namespace = '' } = metadata;
  const { region = '', eksClusterName: name = '' } = spec;
  const reference = ownerOf(controlPlane);
  const cluster: Read<Cluster> = reference
    ? read.get('Cluster', { namespace, name: reference.name })
    : { state: 'absent' };
  // An API client may refer to the Cluster of another namespace, whose EKS cluster is not this object's.
  const isProven = isBegun(controlPlane) || found(cluster)?.metadata.uid === reference?.uid;
  const owner = isProven ? tagOwnerOf(controlPlane, installation) : undefined;
  const goes = metadata.deletionTimestamp !== undefined || withheld?.releases === true;
  const it = found(cluster);
  const isAdmitted = !awaitsOperation(withheld) && it !== undefined && isProvisioned(it);
  const looks = owner !== undefined && region !== '' && (isBegun(controlPlane) || (isAdmitted && !goes));
  const asks = looks && (goes || isGivenNetwork(spec) || isNetworkMade(controlPlane));
  const eksCluster = asks ? described(askCloud(read, region, 'DescribeCluster', { name })) : unread;
  const clusterName = owner?.clusterName ?? '';
  const secret = (suffix: string): Read<Secret> =>
    goes ? unread : read.get<Secret>('Secret', { namespace, name: suffix });
  const kubeconfig = secret(secretName(clusterName, 'kubeconfig'));
  const current = found(eksCluster);
  const serves = !goes && (current?.status === 'ACTIVE' || current?.status === 'UPDATING');
  const parts = partsOf(controlPlane);
  const token =
    serves && kubeconfig.state !== 'unread' && isDue(found(kubeconfig), now)
      ? found(askCloud(read, region, 'GetClusterToken', { name }))?.token
      : undefined;
  const workers =
    goes && owner
      ? workerKinds.map((kind) => ({ kind, read: read.list(kind, { namespace, cluster: clusterName }) }))
      : [];
  // What EKS makes for the cluster is in the network until it is gone.
  const of = owner && { owner, region, wanted: wantedRole };
  const others = found(eksCluster);
  const isGone = eksCluster.state === 'absent' || (others && owner && !isOurs(others, owner));
  const isLast = isGone && workers.every((one) => found(one.read)?.length === 0);
  return {
    controlPlane,
    owner,
    cluster,
    region,
    network:
      // The time of the last token decides what is described.
      looks && (goes ? isLast : kubeconfig.state !== 'unread')
        ? observeNetwork(
            { controlPlane, owner, region },
            { goes, lastToken: tokenTime(found(kubeconfig)) },
            read,
            context,
          )
        : nothingObserved,
    eksCluster,
    role: eksCluster.state === 'absent' && !goes && of ? observeRole(of, spec.roleName, read) : unread,
    madeRole: isLast && of ? observeMadeRole(of, read) : unread,
    kubeconfig,
    accessEntries: serves ? observeEntries(read, region, spec, parts, current) : [],
    addons: serves ? observeAddons(read, region, spec, parts, current.name) : [],
    userKubeconfig: serves ? secret(`${clusterName}-user-kubeconfig`) : unread,
    token,
    workers,
  };
};
