/** Flags, versions and images that newer Kubernetes no longer has, which no version of an API converts. */
import { isSeq } from 'yaml';
import { kubeadmApiOf } from '../../kinds/bootstrap-kubeadm/kubeadm-config/kubeadm-documents.ts';
import { parseVersion } from '../../kinds/common/kubernetes-version.ts';
import { normalVersion } from '../../kinds/common/validate.ts';
import { lastReleaseBefore } from '../../kinds/components/releases.ts';
import { entryOf, newestMinor, type TableName } from '../../kinds/components/tables.ts';
import { referrers } from './across.ts';
import {
  awsClusterPath,
  awsMachinePath,
  drop,
  type Input,
  kubeadmPath,
  type Manifest,
  machinePath,
  split,
  textIn,
} from './manifest.ts';
import { isVariable } from './move.ts';
import {
  asMap,
  at,
  contentOf,
  keyOf,
  type MapNode,
  removeAt,
  scalar,
  setAt,
  setField,
  textAt,
  textOf,
} from './nodes.ts';

const components: Record<string, TableName> = {
  kubelet: 'kubelet',
  'API server': 'kube-apiserver',
  'controller manager': 'kube-controller-manager',
  scheduler: 'kube-scheduler',
};
/** The last minor version that has a flag, of flags that went before the tables begin to be complete. */
const lastMinor: Record<string, Record<string, number>> = {
  'API server': { 'kubelet-https': 21, 'insecure-port': 23, 'insecure-bind-address': 23 },
  'controller manager': { 'horizontal-pod-autoscaler-use-rest-clients': 23 },
  scheduler: { 'algorithm-provider': 21 },
};
/** The last minor version that knows a name; undefined if the newest still does, or none ever did. */
const lastOf = (table: TableName, name: string): number | undefined => {
  const entry = entryOf(table, name, newestMinor);
  return entry.is === 'unknown' ? entry.until : undefined;
};
const lastOfFlag = (component: string, flag: string): number | undefined =>
  lastMinor[component]?.[flag] ?? lastOf(components[component]!, flag.replaceAll('_', '-'));
/** Flags whose values are lists of names that versions know. */
const listed: Record<string, TableName> = {
  'enable-admission-plugins': 'plugins',
  'disable-admission-plugins': 'plugins',
  'feature-gates': 'gates',
};

const argumentsOf: [component: string, path: string][] = [
  ['API server', 'clusterConfiguration.apiServer.extraArgs'],
  ['controller manager', 'clusterConfiguration.controllerManager.extraArgs'],
  ['scheduler', 'clusterConfiguration.scheduler.extraArgs'],
  ['kubelet', 'initConfiguration.nodeRegistration.kubeletExtraArgs'],
  ['kubelet', 'joinConfiguration.nodeRegistration.kubeletExtraArgs'],
];

/** The oldest minor version whose kubeadm is supported, at its last patch. */
const oldest = 'v1.22.17';

const versionPath = (kind: string): string | undefined =>
  kind === 'KubeadmControlPlane' ? 'spec.version' : machinePath[kind] && `${machinePath[kind]}.version`;

const supportedVersion = (manifest: Manifest): void => {
  const path = versionPath(manifest.kind);
  const text = path && textIn(manifest, path);
  if (!path || !text || isVariable(text)) return;
  const normal = normalVersion(text);
  if (!parseVersion(normal)) return;
  const last = lastReleaseBefore(normal);
  if (last !== undefined)
    manifest.changes.add('error', path, `was never released: ${last} is the last of its minor version`, { from: text });
  const isTooOld = kubeadmApiOf(normal) === undefined;
  const to = isTooOld ? oldest : normal;
  if (to === text) return;
  setAt(manifest.node, split(path), scalar(to));
  const why = isTooOld ? `the nearest version whose kubeadm is supported` : 'a version begins with v';
  manifest.changes.add(isTooOld ? 'note' : 'changed', path, why, { from: text, to });
};

/** The lowest minor version that machines with this configuration run; undefined if it is not known. */
const minorOf = (input: Input, manifest: Manifest): number | undefined => {
  const texts =
    manifest.kind === 'KubeadmControlPlane'
      ? [textIn(manifest, 'spec.version')]
      : referrers(input, manifest).map((one) => textIn(one.manifest, `${one.path}.version`));
  const minors = texts.map((text) => (text ? parseVersion(normalVersion(text))?.minor : undefined));
  return minors.length === 0 || minors.includes(undefined) ? undefined : Math.min(...(minors as number[]));
};

interface Flags {
  component: string;
  path: string;
  items: { name: string; map: MapNode; at: string }[];
  remove: (name: string) => void;
}
const flagsIn = ({ node }: Manifest, path: string): Flags[] =>
  argumentsOf.flatMap(([component, below]) => {
    const where = `${path}.${below}`;
    const list = at(node, ...split(where));
    if (!isSeq(list)) return [];
    const named = (name: string) => list.items.findIndex((item) => textAt(item, 'name') === name);
    const remove = (name: string) => {
      list.items.splice(named(name), 1);
      if (list.items.length === 0) removeAt(node, split(where));
    };
    const items = list.items.flatMap((item) => {
      const [map, name] = [asMap(item), textAt(item, 'name')];
      return map && name !== undefined ? [{ name, map, at: `${where}[${name}]` }] : [];
    });
    return [{ component, path: where, items, remove }];
  });

/** Returns whether the manifest now needs a cloud controller manager. */
const externalCloud = ({ changes }: Manifest, flags: readonly Flags[]): boolean => {
  let isChanged = false;
  for (const { component, items, remove } of flags)
    for (const { name, map, at: where } of items.filter((item) => item.name === 'cloud-provider')) {
      const from = textAt(map, 'value') ?? '';
      if (component === 'API server') {
        remove(name);
        changes.add('changed', where, 'the API server needs no cloud provider, and has no such flag since v1.33', {
          from,
        });
      } else if (from === 'aws') {
        setField(map, 'value', scalar('external'));
        changes.add('changed', where, 'Kubernetes has no cloud provider of AWS built in since v1.27', {
          from,
          to: 'external',
        });
        isChanged = true;
      }
    }
  return isChanged;
};

const privateName = '{{ ds.meta_data.local_hostname }}';
/** The former provider of AWS named Nodes so, and the cloud controller manager finds hosts by no other name. */
const nodeNames = (manifest: Manifest, path: string, isOwn: boolean): void => {
  const { node, changes } = manifest;
  const isIgnition = textIn(manifest, `${path}.format`) === 'ignition';
  for (const configuration of ['initConfiguration', 'joinConfiguration']) {
    const where = `${path}.${configuration}.nodeRegistration`;
    const registration = asMap(at(node, ...split(where)));
    const args = at(registration, 'kubeletExtraArgs');
    const given = (name: string) =>
      isSeq(args)
        ? textAt(
            args.items.find((item) => textAt(item, 'name') === name),
            'value',
          )
        : undefined;
    if (!registration || given('cloud-provider') !== 'external') continue;
    if (textAt(registration, 'name') || given('hostname-override') || given('provider-id')) continue;
    const why = 'the cloud controller manager finds the host of a Node by its private DNS name';
    if (isOwn || isIgnition) {
      changes.add('note', `${where}.name`, `${why}: set it, unless the image has this host name`);
      continue;
    }
    setField(registration, 'name', scalar(privateName, true), 0);
    changes.add('changed', `${where}.name`, `${why}, which the former provider set`, { to: privateName });
  }
};

const removedFlags = ({ changes }: Manifest, flags: readonly Flags[], minor: number | undefined): void => {
  for (const { component, items, remove } of flags)
    for (const { name, map, at: where } of items) {
      const last = lastOfFlag(component, name);
      const from = textAt(map, 'value') ?? '';
      if (last !== undefined && minor === undefined)
        changes.add(
          'note',
          where,
          `the ${component} has no such flag after v1.${last}, and the version is not known here`,
          { from },
        );
      else if (last !== undefined && minor! > last) {
        remove(name);
        changes.add('changed', where, `the ${component} has no such flag since v1.${last + 1}`, { from });
      } else removedItems(changes, { name, map, where, from }, minor, () => remove(name));
    }
};

/** Labels that kubeadm gives a control plane, and that no kubelet may give its Node. */
const ofKubeadm = /^node-role\.kubernetes\.io\/(?:control-plane|master)(?:=|$)/;

const ownLabels = ({ kind, changes }: Manifest, flags: readonly Flags[]): void => {
  if (kind !== 'KubeadmControlPlane') return;
  for (const { items, remove } of flags)
    for (const { name, map, at: where } of items.filter((item) => item.name === 'node-labels')) {
      const from = textAt(map, 'value') ?? '';
      const labels = from.split(',').map((label) => label.trim());
      const kept = labels.filter((label) => !ofKubeadm.test(label)).join(',');
      if (kept === labels.join(',')) continue;
      if (kept === '') remove(name);
      else setField(map, 'value', scalar(kept, true));
      const why = 'a kubelet that gives its Node this label exits; kubeadm gives it to control planes';
      changes.add('changed', where, why, { from, ...(kept && { to: kept }) });
    }
};

const removedItems = (
  changes: Manifest['changes'],
  { name, map, where, from }: { name: string; map: MapNode; where: string; from: string },
  minor: number | undefined,
  remove: () => void,
): void => {
  const table = listed[name];
  if (!table || minor === undefined) return;
  const items = from.split(',').map((item) => item.trim());
  const isGone = (item: string) => minor > (lastOf(table, item.split('=')[0]!) ?? Number.POSITIVE_INFINITY);
  const [gone, kept] = [items.filter(isGone), items.filter((item) => !isGone(item)).join(',')];
  if (gone.length === 0) return;
  if (kept === '') remove();
  else setField(map, 'value', scalar(kept, true));
  changes.add('changed', where, `v1.${minor} no longer knows ${gone.join(', ')}`, { from, ...(kept && { to: kept }) });
};

const gates = ({ node, changes }: Manifest, path: string, minor: number | undefined): void => {
  const where = `${path}.clusterConfiguration.featureGates`;
  for (const field of [...(asMap(at(node, ...split(where)))?.items ?? [])]) {
    const last = lastOf('kubeadmGates', keyOf(field));
    if (last === undefined || minor === undefined || minor <= last) continue;
    removeAt(node, [...split(where), keyOf(field)]);
    changes.add('changed', `${where}.${keyOf(field)}`, `kubeadm has no such gate since v1.${last + 1}`, {
      from: textOf(field.value) ?? '',
    });
  }
};

const formerRegistry = 'k8s.gcr.io';
const registry = (manifest: Manifest, path: string): void => {
  const where = `${path}.clusterConfiguration.imageRepository`;
  if (textIn(manifest, where) === formerRegistry)
    drop(manifest, where, 'changed', 'registry.k8s.io took its place, and is the default');
  for (const field of ['files', 'preKubeadmCommands', 'postKubeadmCommands']) {
    const list = at(manifest.node, ...split(path), field);
    if (!isSeq(list)) continue;
    for (const [i, item] of list.items.entries())
      if ((textOf(item) ?? textAt(item, 'content') ?? '').includes(formerRegistry))
        manifest.changes.add(
          'note',
          `${path}.${field}[${i}]`,
          `${formerRegistry} gets no new images: registry.k8s.io has them all`,
        );
  }
};

/** The provider published its images in this account until its version 2.6. */
const formerPublisher = '258751437250';
const images = (manifest: Manifest): void => {
  const path = awsMachinePath[manifest.kind] ?? awsClusterPath[manifest.kind];
  if (!path) return;
  if (textIn(manifest, `${path}.imageLookupOrg`) === formerPublisher)
    drop(
      manifest,
      `${path}.imageLookupOrg`,
      'note',
      'the images are published in another account now, which is the default',
    );
  const system = textIn(manifest, `${path}.imageLookupBaseOS`);
  if (system && /^(ubuntu-1[68]\.04|centos-7|amazon-2)$/.test(system))
    manifest.changes.add(
      'note',
      `${path}.imageLookupBaseOS`,
      'no current image has this system: without the field it is ubuntu-24.04',
      { from: system },
    );
};

const containerd = 'unix:///var/run/containerd/containerd.sock';
const sockets = (manifest: Manifest, path: string, minor: number | undefined): void => {
  if (minor !== undefined && minor < 24) return;
  for (const configuration of ['initConfiguration', 'joinConfiguration']) {
    const where = `${path}.${configuration}.nodeRegistration.criSocket`;
    const from = textIn(manifest, where);
    if (!from || !/dockershim\.sock$/.test(from)) continue;
    if (minor === undefined) {
      const why = 'the kubelet has no dockershim since v1.24, and the version is not known here';
      manifest.changes.add('note', where, why, { from });
      continue;
    }
    setAt(manifest.node, split(where), scalar(containerd));
    const why = 'the kubelet has no dockershim since v1.24, and the images of the AWS provider have containerd';
    manifest.changes.add('changed', where, why, { from, to: containerd });
  }
};

/** Returns the manifests whose machines now need a cloud controller manager. */
export const updateComponents = (input: Input): Manifest[] => {
  for (const manifest of input.manifests) {
    supportedVersion(manifest);
    images(manifest);
  }
  return input.manifests.filter((manifest) => {
    const path = kubeadmPath[manifest.kind];
    if (!path) return false;
    const minor = minorOf(input, manifest);
    registry(manifest, path);
    gates(manifest, path, minor);
    sockets(manifest, path, minor);
    const needsManager = externalCloud(manifest, flagsIn(manifest, path));
    nodeNames(manifest, path, !needsManager);
    removedFlags(manifest, flagsIn(manifest, path), minor);
    ownLabels(manifest, flagsIn(manifest, path));
    return needsManager;
  });
};

/** Whether nothing tells the kubelets of the manifest's machines who gives their Nodes a provider id. */
export const lacksCloudProvider = (manifest: Manifest): boolean => {
  const path = kubeadmPath[manifest.kind];
  return (
    path !== undefined &&
    !/cloud-provider|provider-id/.test(JSON.stringify(contentOf(at(manifest.node, ...split(path)) ?? null)))
  );
};

/** Whether kubelets of the manifest's machines wait for a cloud controller manager. */
export const awaitsManager = (manifest: Manifest): boolean => {
  const path = kubeadmPath[manifest.kind];
  return (
    path !== undefined &&
    flagsIn(manifest, path).some(({ items }) =>
      items.some(({ name, map }) => name === 'cloud-provider' && textAt(map, 'value') === 'external'),
    )
  );
};
