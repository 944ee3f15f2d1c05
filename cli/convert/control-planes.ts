/**
 * The control plane of v1alpha2 was Machines, each with a configuration of its own. They become one
 * KubeadmControlPlane, where they are alike.
 */
import { YAMLMap } from 'yaml';
import { referencedBy } from './across.ts';
import { Changes } from './changes.ts';
import { groups, type Input, type Manifest, textIn, today } from './manifest.ts';
import {
  asMap,
  at,
  contentOf,
  fieldIn,
  type MapNode,
  nodeOf,
  removeAt,
  scalar,
  setAt,
  setField,
  textAt,
} from './nodes.ts';

const label = 'cluster.x-k8s.io/control-plane';

interface Member {
  machine: Manifest;
  config: Manifest;
  infrastructure: Manifest;
}

const isMember = ({ kind, version, node }: Manifest): boolean =>
  kind === 'Machine' && version === 'v1alpha2' && fieldIn(at(node, 'metadata', 'labels'), label) !== undefined;

/** Why they cannot become one control plane; undefined if they can. */
const obstacle = (machines: readonly Manifest[], members: readonly Member[]): string | undefined => {
  if (members.length < machines.length) return 'the KubeadmConfig or AWSMachine of one is not here';
  if (members.length % 2 === 0) return `there are ${members.length}, and it must have an odd number`;
  const versions = new Set(machines.map(({ node }) => textAt(node, 'spec', 'version')));
  if (versions.size > 1 || versions.has(undefined)) return 'their versions differ, or are not given';
  if (new Set(members.map(({ config }) => JSON.stringify(sharedOf(config)))).size > 1)
    return 'the files, commands or users of their KubeadmConfigs differ';
  if (members.filter(({ config }) => isFirst(config)).length !== 1)
    return 'not exactly one KubeadmConfig has a clusterConfiguration or an initConfiguration';
  return undefined;
};

const own = new Set(['clusterConfiguration', 'initConfiguration', 'joinConfiguration']);
const sharedOf = ({ node }: Manifest): unknown =>
  Object.fromEntries(
    Object.entries((contentOf(at(node, 'spec') ?? new YAMLMap()) ?? {}) as object)
      .filter(([name]) => !own.has(name))
      .sort(),
  );
const isFirst = ({ node }: Manifest): boolean =>
  ['clusterConfiguration', 'initConfiguration'].some((name) => at(node, 'spec', name) !== undefined);

const header = (manifest: Manifest, kind: string, name: string): MapNode => {
  const labels = contentOf(at(manifest.node, 'metadata', 'labels') ?? null) as Record<string, string> | null;
  const { [label]: _, ...kept } = labels ?? {};
  return nodeOf({
    apiVersion: `${groups[kind]!}/${today}`,
    kind,
    metadata: {
      name,
      ...(manifest.namespace && { namespace: manifest.namespace }),
      ...(Object.keys(kept).length > 0 && { labels: kept }),
    },
    spec: {},
  }) as MapNode;
};

/** What the manifest becomes. Its earlier changes stay reported. */
const become = (manifest: Manifest, kind: string, name: string, spec: MapNode): void => {
  const node = header(manifest, kind, name);
  setField(node, 'spec', spec);
  node.items[0]!.key.commentBefore = manifest.node.items[0]?.key.commentBefore;
  manifest.document.contents = node as never;
  const { list } = manifest.changes;
  Object.assign(manifest, { kind, name, node, changes: new Changes(`${kind}/${name}`) });
  manifest.changes.list.push(...list);
};

const configOf = (first: Manifest, second: Manifest | undefined): MapNode => {
  const spec = asMap(at(first.node, 'spec')) ?? (new YAMLMap() as MapNode);
  const join = asMap(at(second?.node, 'spec', 'joinConfiguration')) ?? asMap(at(spec, 'joinConfiguration'));
  const registration = at(spec, 'initConfiguration', 'nodeRegistration');
  if (join) {
    setField(spec, 'joinConfiguration', join);
    for (const field of ['discovery', 'controlPlane']) {
      if (removeAt(join, [field]))
        first.changes.add(
          'changed',
          `spec.joinConfiguration.${field}`,
          'the control plane’s controller sets it for each machine',
        );
    }
  } else if (asMap(registration))
    setAt(spec, ['joinConfiguration', 'nodeRegistration'], (registration as MapNode).clone());
  return spec;
};

const unite = (cluster: Manifest, members: readonly Member[]): void => {
  const first = members.find(({ config }) => isFirst(config))!;
  const others = members.filter((one) => one !== first);
  const name = `${cluster.name}-control-plane`;
  const why = `these ${members.length} Machines are the control plane, which has an object of its own since v1alpha3`;
  const config = configOf(first.config, others[0]?.config);
  const machine = asMap(at(first.infrastructure.node, 'spec')) ?? (new YAMLMap() as MapNode);
  for (const field of ['providerID', 'instanceID']) {
    const taken = removeAt(machine, [field]);
    if (taken)
      first.infrastructure.changes.add('lost', `spec.${field}`, 'a template has none: the machines are created anew');
  }
  const template = new YAMLMap() as MapNode;
  setAt(template, ['template', 'spec'], machine);
  const plane = nodeOf({ replicas: members.length }) as MapNode;
  setField(plane, 'version', scalar(textIn(first.machine, 'spec.version')!));
  const group = 'infrastructure.cluster.x-k8s.io';
  setAt(
    plane,
    ['machineTemplate', 'spec', 'infrastructureRef'],
    nodeOf({ apiGroup: group, kind: 'AWSMachineTemplate', name }),
  );
  setField(plane, 'kubeadmConfigSpec', config);
  const names = members.map((one) => `Machine/${one.machine.name}`).join(', ');
  for (const { machine: one } of members) {
    const zone = textIn(one, 'spec.failureDomain');
    if (zone)
      one.changes.add('lost', 'spec.failureDomain', 'a control plane spreads its machines over all zones', {
        from: zone,
      });
  }
  become(first.machine, 'KubeadmControlPlane', name, plane);
  first.machine.changes.add('changed', 'kind', why, { from: names, to: `KubeadmControlPlane/${name}` });
  become(first.infrastructure, 'AWSMachineTemplate', name, template);
  for (const one of [first.config, ...others.flatMap((other) => [other.machine, other.config, other.infrastructure])]) {
    one.isGone = true;
    one.changes.add('changed', 'kind', `KubeadmControlPlane/${name} and its template take its place`);
  }
  const reference = nodeOf({ apiGroup: groups.KubeadmControlPlane!, kind: 'KubeadmControlPlane', name });
  setAt(cluster.node, ['spec', 'controlPlaneRef'], reference);
  cluster.changes.add('changed', 'spec.controlPlaneRef', why, { to: `KubeadmControlPlane/${name}` });
};

export const uniteControlPlanes = (input: Input): void => {
  for (const cluster of input.manifests.filter(
    ({ kind, node }) => kind === 'Cluster' && !at(node, 'spec', 'controlPlaneRef'),
  )) {
    const machines = input.manifests.filter(
      (one) => isMember(one) && one.namespace === cluster.namespace && textIn(one, 'spec.clusterName') === cluster.name,
    );
    if (machines.length === 0) continue;
    const members = machines.flatMap((machine) => {
      const config = referencedBy(input, machine, 'spec.bootstrap.configRef', 'KubeadmConfig');
      const infrastructure = referencedBy(input, machine, 'spec.infrastructureRef', 'AWSMachine');
      return config && infrastructure ? [{ machine, config, infrastructure }] : [];
    });
    const why = obstacle(machines, members);
    if (why === undefined) unite(cluster, members);
    else
      cluster.changes.add(
        'error',
        'spec.controlPlaneRef',
        `needs a hand: its control-plane Machines become no KubeadmControlPlane: ${why}`,
      );
  }
};
