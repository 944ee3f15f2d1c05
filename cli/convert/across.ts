/** What goes from one object to another: today's versions have it there. */
import { isSeq } from 'yaml';
import {
  awsMachinePath,
  drop,
  type Input,
  kubeadmPath,
  type Manifest,
  machinePath,
  split,
  textIn,
} from './manifest.ts';
import {
  asMap,
  at,
  contentOf,
  fieldIn,
  type MapNode,
  mapAt,
  nodeOf,
  removeAt,
  scalar,
  setAt,
  setField,
  textAt,
} from './nodes.ts';

const clusterLabel = 'cluster.x-k8s.io/cluster-name';

export const find = (
  { manifests }: Input,
  kind: string,
  name: string | undefined,
  namespace: string,
): Manifest | undefined =>
  manifests.find((one) => one.kind === kind && one.name === name && one.namespace === namespace);

const pathTo = (manifest: Manifest): string | undefined => machinePath[manifest.kind];

/** Objects of Machines that refer to this one, and the path of their Machine's spec. */
export const referrers = ({ manifests }: Input, to: Manifest): { manifest: Manifest; path: string }[] =>
  manifests.flatMap((manifest) => {
    const path = pathTo(manifest);
    if (path === undefined || manifest.namespace !== to.namespace) return [];
    const references = [
      [...split(path), 'infrastructureRef'],
      [...split(path), 'bootstrap', 'configRef'],
    ];
    const isReferrer = references.some((reference) => {
      const node = at(manifest.node, ...reference);
      return textAt(node, 'kind') === to.kind && textAt(node, 'name') === to.name;
    });
    return isReferrer ? [{ manifest, path }] : [];
  });

/** The object of this kind that a reference names. */
export const referencedBy = (input: Input, from: Manifest, path: string, kind: string): Manifest | undefined => {
  const reference = at(from.node, ...split(path));
  if (textAt(reference, 'kind') !== kind) return undefined;
  return find(input, kind, textAt(reference, 'name'), from.namespace);
};

/** The control planes whose machines are made from this template. */
const controlPlanesOf = ({ manifests }: Input, to: Manifest): Manifest[] =>
  manifests.filter(
    ({ kind, node, namespace }) =>
      kind === 'KubeadmControlPlane' &&
      namespace === to.namespace &&
      ['machineTemplate.spec.infrastructureRef', 'machineTemplate.infrastructureRef', 'infrastructureTemplate'].some(
        (path) => textAt(node, 'spec', ...split(path), 'name') === to.name,
      ),
  );

/** v1alpha2 knew the cluster of a Machine by a label. */
const nameClusters = (input: Input): void => {
  const clusters = input.manifests.filter(({ kind }) => kind === 'Cluster');
  for (const manifest of input.manifests) {
    const path = pathTo(manifest);
    if (path === undefined) continue;
    const { node, changes } = manifest;
    const paths = path === 'spec' ? ['spec.clusterName'] : ['spec.clusterName', `${path}.clusterName`];
    const missing = paths.filter((one) => !textIn(manifest, one));
    if (missing.length === 0) continue;
    const label = (...at: string[]) => textAt(node, ...at, clusterLabel);
    const name =
      label('metadata', 'labels') ??
      label('spec', 'template', 'metadata', 'labels') ??
      label('spec', 'selector', 'matchLabels') ??
      (clusters.length === 1 ? clusters[0]!.name : undefined);
    for (const one of missing) {
      // Without a name, the schema asks for one.
      if (name === undefined) continue;
      const parent = mapAt(node, split(one).slice(0, -1));
      if (parent) setField(parent, 'clusterName', scalar(name), 0);
      changes.add('changed', one, `required since v1alpha3; the label ${clusterLabel} had it before`, { to: name });
    }
    if (name !== undefined && clusters.length > 0 && !clusters.some((one) => one.name === name))
      changes.add('note', paths[0]!, 'no Cluster here has this name', { to: name });
  }
};

export const clusterOf = (input: Input, manifest: Manifest): Manifest | undefined => {
  const clusters = input.manifests.filter(
    ({ kind, namespace }) => kind === 'Cluster' && namespace === manifest.namespace,
  );
  const byReference = clusters.find(({ node }) => textAt(node, 'spec', 'controlPlaneRef', 'name') === manifest.name);
  if (manifest.kind === 'KubeadmControlPlane') return byReference;
  const byMachine = referrers(input, manifest).map((one) => textIn(one.manifest, `${one.path}.clusterName`));
  return clusters.find(({ name }) => byMachine.includes(name));
};

const networks: [from: string, to: string[], isList: boolean][] = [
  ['podSubnet', ['pods', 'cidrBlocks'], true],
  ['serviceSubnet', ['services', 'cidrBlocks'], true],
  ['dnsDomain', ['serviceDomain'], false],
];

/** kubeadm's cluster configuration repeats what the Cluster says. The Cluster's is what counts. */
const clusterFacts = (input: Input, manifest: Manifest): void => {
  const path = kubeadmPath[manifest.kind];
  const configuration =
    path === undefined ? undefined : asMap(at(manifest.node, ...split(path), 'clusterConfiguration'));
  if (!configuration) return;
  const where = `${path}.clusterConfiguration`;
  const cluster = clusterOf(input, manifest);
  const { changes } = manifest;
  const name = textAt(configuration, 'clusterName');
  if (name !== undefined)
    drop(
      manifest,
      `${where}.clusterName`,
      cluster && cluster.name !== name ? 'note' : 'changed',
      'the name of the Cluster counts',
    );
  const version = textAt(configuration, 'kubernetesVersion');
  const own = textIn(manifest, 'spec.version');
  if (version !== undefined)
    drop(
      manifest,
      `${where}.kubernetesVersion`,
      own && own !== version ? 'note' : 'changed',
      'the version of the Machine counts',
    );
  for (const [from, to, isList] of networks) {
    const text = textAt(configuration, 'networking', from);
    if (!text) continue;
    const target = ['spec', 'clusterNetwork', ...to];
    const value = isList ? text.split(',').map((one) => one.trim()) : text;
    const there = cluster && at(cluster.node, ...target);
    const at_ = `${where}.networking.${from}`;
    if (!cluster)
      changes.add('error', at_, `needs a hand: write it as ${target.join('.')} of the Cluster`, { from: text });
    else if (there === undefined) {
      const node = nodeOf(value);
      if (isSeq(node)) node.flow = true;
      setAt(cluster.node, target, node);
      changes.add('changed', at_, 'the Cluster has it since v1beta2', {
        moved: `Cluster/${cluster.name} ${target.join('.')}`,
        from: text,
      });
    } else if (JSON.stringify(contentOf(there)) === JSON.stringify(value))
      changes.add('changed', at_, 'the Cluster has it', { from: text });
    else
      changes.add(
        'error',
        at_,
        `needs a hand: Cluster/${cluster.name} has ${JSON.stringify(contentOf(there))} in ${target.join('.')}`,
        {
          from: text,
        },
      );
    removeAt(configuration, ['networking', from]);
  }
  if (asMap(at(configuration, 'networking'))?.items.length === 0) removeAt(configuration, ['networking']);
};

/** A machine's zone is the Machine's to name. */
const failureDomain = (input: Input, manifest: Manifest): void => {
  const path = awsMachinePath[manifest.kind];
  const zone = path === undefined ? undefined : textIn(manifest, `${path}.failureDomain`);
  if (!zone) return;
  const { changes } = manifest;
  const from = `${path}.failureDomain`;
  removeAt(manifest.node, split(from));
  const machines = referrers(input, manifest);
  for (const { manifest: machine, path: spec } of machines) {
    const there = textIn(machine, `${spec}.failureDomain`);
    if (!there) setAt(machine.node, [...split(spec), 'failureDomain'], scalar(zone));
    const other = there && there !== zone ? `; it has ${there} already` : '';
    changes.add(other ? 'note' : 'changed', from, `the Machine has it since v1beta2${other}`, {
      moved: `${machine.kind}/${machine.name} ${spec}.failureDomain`,
      from: zone,
    });
  }
  if (machines.length > 0) return;
  if (controlPlanesOf(input, manifest).length > 0)
    changes.add('lost', from, 'a control plane spreads its machines over all zones of the cluster', { from: zone });
  else
    changes.add('error', from, 'needs a hand: write it as failureDomain of the Machine, which is not here', {
      from: zone,
    });
};

/** v1alpha2 and v1alpha3 had bootstrap data in the Machine. */
const bootstrapData = (input: Input, manifest: Manifest): void => {
  if (manifest.kind !== 'Machine') return;
  const data = textIn(manifest, 'spec.bootstrap.data');
  if (data === undefined) return;
  const name = `${manifest.name}-bootstrap-data`;
  removeAt(manifest.node, ['spec', 'bootstrap', 'data']);
  setAt(manifest.node, ['spec', 'bootstrap', 'dataSecretName'], scalar(name));
  const why = `Secret/${name} has it, for v1alpha4 reads it there`;
  manifest.changes.add('changed', 'spec.bootstrap.data', why, { moved: 'spec.bootstrap.dataSecretName', to: name });
  const cluster = textIn(manifest, 'spec.clusterName');
  input.added.push({
    after: manifest,
    object: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        ...(manifest.namespace && { namespace: manifest.namespace }),
        ...(cluster && { labels: { [clusterLabel]: cluster } }),
      },
      type: 'cluster.x-k8s.io/secret',
      data: { value: data },
    },
    why,
  });
};

/** One object was infrastructure and control plane of an EKS cluster. */
const managedCluster = (input: Input, cluster: Manifest): void => {
  if (cluster.kind !== 'Cluster') return;
  const [infrastructure, controlPlane] = ['infrastructureRef', 'controlPlaneRef'].map((field) =>
    at(cluster.node, 'spec', field),
  );
  if (
    textAt(infrastructure, 'kind') !== 'AWSManagedControlPlane' ||
    textAt(controlPlane, 'kind') !== 'AWSManagedControlPlane'
  )
    return;
  const reference = infrastructure as MapNode;
  const group = 'infrastructure.cluster.x-k8s.io';
  if (fieldIn(reference, 'apiGroup')) setField(reference, 'apiGroup', scalar(group));
  else setField(reference, 'apiVersion', scalar(`${group}/v1beta2`));
  setField(reference, 'kind', scalar('AWSManagedCluster'));
  setField(reference, 'name', scalar(cluster.name));
  const why = 'an EKS cluster has an infrastructure object of its own since v1beta2';
  cluster.changes.add('changed', 'spec.infrastructureRef', why, {
    from: 'AWSManagedControlPlane',
    to: `AWSManagedCluster/${cluster.name}`,
  });
  if (find(input, 'AWSManagedCluster', cluster.name, cluster.namespace)) return;
  input.added.push({
    after: cluster,
    object: {
      apiVersion: `${group}/v1beta2`,
      kind: 'AWSManagedCluster',
      metadata: { name: cluster.name, ...(cluster.namespace && { namespace: cluster.namespace }) },
      spec: {},
    },
    why,
  });
};

export const acrossObjects = (input: Input): void => {
  nameClusters(input);
  for (const manifest of input.manifests) {
    clusterFacts(input, manifest);
    failureDomain(input, manifest);
    bootstrapData(input, manifest);
    managedCluster(input, manifest);
  }
};
