/** Reads the checks' facts in three rounds: the objects first, then the cloud. */

import { type Context, found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { givenSpec } from '../../common/filled.ts';
import type { KubeadmControlPlane } from '../../controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../core/cluster/index.ts';
import { namesKind } from '../../core/contract/named.ts';
import type { AvailabilityZone } from '../../ports/cloud/index.ts';
import { kubeadmControlPlanes } from '../aws-cluster/api-ports.ts';
import type { AWSCluster } from '../aws-cluster/index.ts';
import { awsCluster } from '../aws-cluster/kind.ts';
import { ownerOf } from '../aws-cluster/owner.ts';
import type { AWSClusterSpec } from '../aws-cluster/schema.ts';
import { principalOf, readingAs } from '../identity/acting.ts';
import { observeCaller } from '../identity/principal.ts';
import { filledNetwork, type Network } from '../network/fill.ts';
import type { PlannedMachines, PreflightFacts } from './facts.ts';
import { observeCloud, observeReplacement } from './observe-cloud.ts';
import { observeMachines } from './planned-machines.ts';

export const observePreflight = (cluster: Cluster, read: Reader, context: Context): PreflightFacts =>
  observeWith(observeCloud, cluster, read, context);

/** Machines that get another Kubernetes version than their owners' specs have. */
export interface Reversion {
  owners: readonly string[];
  version: string | undefined;
}

/** Reads less of the cloud: all but the machines exists already. */
export const observeReplacementPreflight = (
  cluster: Cluster,
  read: Reader,
  context: Context,
  reversion?: Reversion,
): PreflightFacts => observeWith(observeReplacement, cluster, read, context, reversion);

const withVersion = (machines: PlannedMachines[], { owners, version }: Reversion): PlannedMachines[] =>
  machines.map((planned) => (version !== undefined && owners.includes(planned.by) ? { ...planned, version } : planned));

const observeWith = (
  observe: typeof observeCloud,
  cluster: Cluster,
  reader: Reader,
  context: Context,
  reversion?: Reversion,
): PreflightFacts => {
  const principal = principalOf({ state: 'found', value: cluster }, reader);
  const read = readingAs(reader, principal);
  const { name, namespace = '', uid = '' } = cluster.metadata;
  const awsCluster = observeInfrastructure(cluster, read);
  const controlPlane = observeControlPlane(cluster, read);
  const spec = found(awsCluster)?.spec ?? {};
  const owner = (awsCluster.state === 'found' && ownerOf(awsCluster.value, context.installation)) || {
    installation: context.installation,
    clusterUid: uid,
    clusterName: name,
    additionalTags: {},
  };
  const planned = observeMachines(cluster, controlPlane && found(controlPlane), found(awsCluster), read);
  const { sets } = planned;
  const machines = reversion ? withVersion(planned.machines, reversion) : planned.machines;
  const given = awsCluster.state === 'found' ? (givenSpec(awsCluster.value) as AWSClusterSpec) : {};
  const region = spec.region ?? '';
  const cloud = region ? observe({ region, spec, given, owner, machines }, read) : undefined;
  const zones = cloud ? (found(cloud.zones) ?? []) : [];
  return {
    cluster,
    now: context.now,
    owner,
    awsCluster,
    principal,
    caller: observeCaller(principal, spec.region ?? '', read),
    identity: read.get('AWSClusterControllerIdentity', { namespace: '', name: spec.identityRef?.name ?? 'default' }),
    namespace: read.get('Namespace', { namespace: '', name: namespace }),
    controlPlane,
    sets,
    machines,
    region,
    given,
    network: plannedNetwork(name, spec.network, given, zones),
    cloud,
  };
};

const observeInfrastructure = ({ spec, metadata }: Cluster, read: Reader): Read<AWSCluster> => {
  const reference = spec?.infrastructureRef;
  return reference && namesKind(reference, awsCluster)
    ? read.get('AWSCluster', { namespace: metadata.namespace ?? '', name: reference.name })
    : { state: 'absent' };
};

const observeControlPlane = ({ spec, metadata }: Cluster, read: Reader): Read<KubeadmControlPlane> | undefined => {
  const reference = spec?.controlPlaneRef;
  return reference && namesKind(reference, kubeadmControlPlanes)
    ? read.get('KubeadmControlPlane', {
        namespace: metadata.namespace ?? '',
        name: reference.name,
      })
    : undefined;
};

/**
 * The network as the AWSCluster controller will fill it in. When it draws zones at random, only
 * their number is certain.
 */
const plannedNetwork = (
  clusterName: string,
  network: Network | undefined,
  given: AWSClusterSpec,
  zones: readonly AvailabilityZone[],
): Network =>
  network?.subnets?.length
    ? network
    : filledNetwork(clusterName, given.network, given.network?.vpc?.id === undefined, zones, ([first]) => first!);
