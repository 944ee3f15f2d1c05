/** The cloud controller manager that a cluster needs whose components leave AWS to an external one. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseVersion } from '../../kinds/common/kubernetes-version.ts';
import { documentValue, yamlDocuments } from '../../machinery/api/yaml.ts';
import { clusterOf } from './across.ts';
import { clustersByClass } from './classes.ts';
import { awaitsManager, lacksCloudProvider } from './components.ts';
import type { Input, Manifest } from './manifest.ts';
import { textIn } from './manifest.ts';
import { at, mapAt, scalar, setField, textAt } from './nodes.ts';

const name = 'cloud-controller-manager';
/** Older clusters take the manager of this minor version. */
const oldestMinor = 24;

interface Part {
  kind: string;
  metadata: { name: string; namespace?: string };
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
}

/** The set and its ConfigMap, as the quickstart has them. */
const parts = (): Part[] =>
  yamlDocuments(readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'quickstart.yaml'), 'utf8'))
    .map((document) => documentValue(document) as Part)
    .filter(({ metadata }) => metadata.name === name);

/** Named by its version, so that clusters of one namespace may have several. */
const managerOf = (minor: number) => {
  const version = `v1.${Math.max(minor, oldestMinor)}`;
  return { version, name: `${name}-${version}`, label: { name, value: `external-${version}` } };
};
type Manager = ReturnType<typeof managerOf>;

const withVersion = (
  part: Part,
  namespace: string,
  { version, name: named, label }: Manager,
): Record<string, unknown> => ({
  ...part,
  metadata: { name: named, ...(namespace && { namespace }) },
  ...(part.spec && {
    spec: {
      ...part.spec,
      clusterSelector: { matchLabels: { [label.name]: label.value } },
      resources: [{ kind: 'ConfigMap', name: named }],
    },
  }),
  ...(part.data && {
    data: Object.fromEntries(
      Object.entries(part.data).map(([key, text]) => [
        key,
        text.replace(/(cloud-controller-manager):v[\d.]+/, `$1:${version}.0`),
      ]),
    ),
  }),
});

const has = ({ others }: Input): boolean => others.some(({ text }) => text.includes(name));

/** Where the author's own kubelets wait for one, it may come from elsewhere, such as a chart. */
const noteAwaited = ({ manifests }: Input): void => {
  for (const plane of manifests.filter(({ kind }) => kind === 'KubeadmControlPlane')) {
    if (lacksCloudProvider(plane))
      plane.changes.add(
        'note',
        'spec.kubeadmConfigSpec',
        'its kubelets have no cloud-provider, so that their Nodes get no provider id and their Machines never find them: set it to external, and install a cloud controller manager',
      );
    if (awaitsManager(plane))
      plane.changes.add(
        'note',
        'spec.kubeadmConfigSpec',
        'its Nodes wait for a cloud controller manager, which is not among these documents: install one, or add the ClusterResourceSet, ConfigMap and label of examples/quickstart.yaml',
      );
  }
};

/** Adds it by a ClusterResourceSet, unless the input has one. */
export const addManager = (input: Input, needing: readonly Manifest[]): void => {
  if (has(input)) return;
  if (needing.length === 0) noteAwaited(input);
  const clusters = new Set(
    needing.flatMap((manifest) => clusterOf(input, manifest) ?? clustersByClass(input, manifest)),
  );
  if (clusters.size === 0) {
    for (const { changes } of needing)
      changes.add('note', 'kind', 'the cluster needs a cloud controller manager, as in examples/quickstart.yaml');
    return;
  }
  const there = new Set<string>();
  for (const cluster of clusters) {
    const labels = mapAt(cluster.node, ['metadata', 'labels']);
    const manager = managerOf(minorOf(input, cluster));
    const { label } = manager;
    if (!labels || at(labels, label.name) !== undefined) continue;
    setField(labels, label.name, scalar(label.value));
    const why = `the ClusterResourceSet ${manager.name} installs a cloud controller manager in clusters with the label`;
    cluster.changes.add('changed', `metadata.labels.${label.name}`, why, { to: label.value });
    cluster.changes.add('note', 'spec', 'volumes need the driver aws-ebs-csi-driver, which is not installed');
    const key = `${cluster.namespace}/${manager.name}`;
    if (there.has(key)) continue;
    there.add(key);
    for (const part of parts())
      input.added.push({ after: last(input), object: withVersion(part, cluster.namespace, manager), why });
  }
};

const last = ({ manifests }: Input): Manifest => manifests.at(-1)!;

/** Of the cluster's topology or control plane; the oldest where it is not known. */
const minorOf = ({ manifests }: Input, cluster: Manifest): number => {
  const plane = manifests.find(
    (one) => one.kind === 'KubeadmControlPlane' && one.name === textAt(cluster.node, 'spec', 'controlPlaneRef', 'name'),
  );
  const version = textAt(cluster.node, 'spec', 'topology', 'version') ?? (plane && textIn(plane, 'spec.version'));
  return parseVersion(version ?? '')?.minor ?? oldestMinor;
};
