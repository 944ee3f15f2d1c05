/** Which Clusters of the documents are made with a template, by their ClusterClass. */
import type { Input, Manifest } from './manifest.ts';
import { at, contentOf, textAt } from './nodes.ts';

const roles: Record<string, (spec: ClassSpec) => (string | undefined)[]> = {
  KubeadmControlPlaneTemplate: ({ controlPlane }) => [controlPlane?.templateRef?.name],
  KubeadmConfigTemplate: ({ workers }) =>
    (workers?.machineDeployments ?? []).map((one) => one.bootstrap?.templateRef?.name),
};

interface Slot {
  templateRef?: { name?: string };
}
interface ClassSpec {
  controlPlane?: Slot;
  workers?: { machineDeployments?: { bootstrap?: Slot }[] };
}

const isOf =
  ({ name, namespace }: Manifest) =>
  (cluster: Manifest): boolean =>
    textAt(cluster.node, 'spec', 'topology', 'classRef', 'name') === name &&
    (textAt(cluster.node, 'spec', 'topology', 'classRef', 'namespace') ?? cluster.namespace) === namespace;

export const clustersByClass = ({ manifests }: Input, { kind, name, namespace }: Manifest): Manifest[] =>
  manifests
    .filter((one) => one.kind === 'ClusterClass' && one.namespace === namespace)
    .filter(({ node }) => roles[kind]?.((contentOf(at(node, 'spec')) ?? {}) as ClassSpec).includes(name))
    .flatMap((clusterClass) => manifests.filter(({ kind: of }) => of === 'Cluster').filter(isOf(clusterClass)));
