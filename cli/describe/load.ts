import type { KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { CliError } from '../errors.ts';
import type { ClusterObjects } from './tree.ts';

interface Ref {
  apiGroup: string;
  kind: string;
  name: string;
}

/** The newest served version of a group, as discovery prefers it. */
const preferredVersion = async (client: ApiClient, group: string): Promise<string | undefined> =>
  (await client.find<{ preferredVersion: { groupVersion: string } }>(`/apis/${group}`))?.preferredVersion.groupVersion;

const follow = async (client: ApiClient, namespace: string, ref: Ref | undefined): Promise<KubeObject | undefined> => {
  const groupVersion = ref && (await preferredVersion(client, ref.apiGroup));
  if (!ref || !groupVersion) return undefined;
  return client.find(`/apis/${groupVersion}/namespaces/${namespace}/${ref.kind.toLowerCase()}s/${ref.name}`);
};

/** Reads what the tree of one cluster needs; undefined when there is no such Cluster. */
export const findClusterObjects = async (
  client: ApiClient,
  namespace: string,
  name: string,
): Promise<ClusterObjects | undefined> => {
  const core = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}`;
  const cluster = await client.find(`${core}/clusters/${name}`);
  if (!cluster) return undefined;
  const { infrastructureRef, controlPlaneRef } = (cluster.spec ?? {}) as {
    infrastructureRef?: Ref;
    controlPlaneRef?: Ref;
  };
  const selector = `?labelSelector=${encodeURIComponent(`cluster.x-k8s.io/cluster-name=${name}`)}`;
  const list = async (plural: string) =>
    (await client.json<{ items: KubeObject[] }>('GET', `${core}/${plural}${selector}`)).items;
  const [infrastructure, controlPlane, machineDeployments, machineSets, machines, binding] = await Promise.all([
    follow(client, namespace, infrastructureRef),
    follow(client, namespace, controlPlaneRef),
    list('machinedeployments'),
    list('machinesets'),
    list('machines'),
    client.find(`/apis/addons.cluster.x-k8s.io/v1beta2/namespaces/${namespace}/clusterresourcesetbindings/${name}`),
  ]);
  return { cluster, infrastructure, controlPlane, machineDeployments, machineSets, machines, binding };
};

export const loadClusterObjects = async (
  client: ApiClient,
  namespace: string,
  name: string,
): Promise<ClusterObjects> => {
  const objects = await findClusterObjects(client, namespace, name);
  if (!objects) throw new CliError(`clusters.cluster.x-k8s.io "${name}" not found in namespace ${namespace}`);
  return objects;
};
