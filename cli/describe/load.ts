import type { ScalingPlan } from '../../kinds/autoscaling/scaling-plan/index.ts';
import type { UpgradeCheck } from '../../kinds/operations/upgrade-check/index.ts';
import type { Condition, KubeObject } from '../../machinery/api/object.ts';
import type { ApiClient } from '../client.ts';
import { findOperation } from '../operation.ts';
import { type ClusterObjects, type Missing, partsOf, type Ref } from './tree.ts';

/** The newest served version of a group, as discovery prefers it. */
const preferredVersion = async (client: ApiClient, group: string): Promise<string | undefined> =>
  (await client.find<{ preferredVersion: { groupVersion: string } }>(`/apis/${group}`))?.preferredVersion.groupVersion;

const follow = async (client: ApiClient, namespace: string, ref: Ref | undefined): Promise<KubeObject | undefined> => {
  const groupVersion = ref && (await preferredVersion(client, ref.apiGroup));
  if (!ref || !groupVersion) return undefined;
  return client.find(`/apis/${groupVersion}/namespaces/${namespace}/${ref.kind.toLowerCase()}s/${ref.name}`);
};

const selectorOf = (clusterName: string): string =>
  `?labelSelector=${encodeURIComponent(`cluster.x-k8s.io/cluster-name=${clusterName}`)}`;

const isTrue = ({ status }: KubeObject, wanted: string): boolean =>
  (status as { conditions?: Condition[] } | undefined)?.conditions?.some(
    ({ type, status }) => type === wanted && status === 'True',
  ) ?? false;

/** The parts of pools, and of machines that are not ready: one list per kind, however many exist. */
const findMachineParts = async (
  client: ApiClient,
  namespace: string,
  clusterName: string,
  machines: KubeObject[],
  pools: KubeObject[],
): Promise<KubeObject[]> => {
  const lists = new Map<string, Ref>();
  for (const owner of [...pools, ...machines.filter((each) => !isTrue(each, 'Ready'))])
    for (const ref of partsOf(owner)) lists.set(`${ref.apiGroup}/${ref.kind}`, ref);
  const found = await Promise.all(
    [...lists.values()].map(async ({ apiGroup, kind }) => {
      const groupVersion = await preferredVersion(client, apiGroup);
      const path = `/apis/${groupVersion}/namespaces/${namespace}/${kind.toLowerCase()}s${selectorOf(clusterName)}`;
      const list = groupVersion && (await client.find<{ items: KubeObject[] }>(path));
      return list ? list.items.map((item) => ({ ...item, kind })) : [];
    }),
  );
  return found.flat();
};

const templateRefs = (owner: KubeObject): Ref[] => {
  const { machineTemplate } = (owner.spec ?? {}) as { machineTemplate?: { spec?: { infrastructureRef?: Ref } } };
  const { infrastructureRef } = machineTemplate?.spec ?? {};
  return infrastructureRef ? [infrastructureRef] : partsOf(owner);
};

/** The missing templates of the control plane and the MachineDeployments. */
const findMissingTemplates = async (client: ApiClient, namespace: string, owners: KubeObject[]): Promise<Missing[]> => {
  const asked = owners
    .filter((owner) => !isTrue(owner, 'Available') && !owner.metadata.deletionTimestamp)
    .flatMap((owner) => templateRefs(owner).map((ref) => ({ owner: owner.metadata.uid ?? '', ref })));
  const found = await Promise.all(asked.map(({ ref }) => follow(client, namespace, ref)));
  return asked.filter((_, i) => found[i] === undefined);
};

/** Reads the tree of one cluster without the parts of its machines; undefined without the Cluster. */
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
  const selector = selectorOf(name);
  const list = async (plural: string) =>
    (await client.json<{ items: KubeObject[] }>('GET', `${core}/${plural}${selector}`)).items;
  const ofCluster = <T extends KubeObject>(apiVersion: string, plural: string) =>
    client.find<T>(`/apis/${apiVersion}/namespaces/${namespace}/${plural}/${name}`);
  const [parts, members, checks] = await Promise.all([
    Promise.all([
      findOperation(client, cluster),
      follow(client, namespace, infrastructureRef),
      follow(client, namespace, controlPlaneRef),
      ofCluster('addons.cluster.x-k8s.io/v1beta2', 'clusterresourcesetbindings'),
    ]),
    Promise.all([
      list('machinedeployments'),
      list('machinepools'),
      list('machinesets'),
      list('machines'),
      list('machinehealthchecks'),
    ]),
    Promise.all([
      ofCluster<ScalingPlan>('capstan.dev/v1alpha1', 'scalingplans'),
      ofCluster<UpgradeCheck>('capstan.dev/v1alpha1', 'upgradechecks'),
    ]),
  ]);
  const [operation, infrastructure, controlPlane, binding] = parts;
  const [machineDeployments, machinePools, machineSets, machines, healthChecks] = members;
  const [scalingPlan, upgradeCheck] = checks;
  return {
    cluster,
    operation,
    infrastructure,
    controlPlane,
    machineDeployments,
    machinePools,
    machineSets,
    machines,
    healthChecks,
    binding,
    scalingPlan,
    upgradeCheck,
  };
};

/** Adds the parts of machines that are not ready, and the missing templates. */
export const findClusterWithParts = async (
  client: ApiClient,
  namespace: string,
  name: string,
): Promise<ClusterObjects | undefined> => {
  const objects = await findClusterObjects(client, namespace, name);
  if (!objects) return undefined;
  const { controlPlane, machineDeployments, machinePools = [], machines } = objects;
  const owners = [...(controlPlane ? [controlPlane] : []), ...machineDeployments];
  const [machineParts, missingTemplates] = await Promise.all([
    findMachineParts(client, namespace, name, machines, machinePools),
    findMissingTemplates(client, namespace, owners),
  ]);
  return { ...objects, machineParts, missingTemplates };
};
