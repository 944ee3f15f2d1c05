/** What the pods of node plugins add to their Node: devices, and the zone as a storage driver names it. */
import type { NodeObject, PodObject } from '../objects.ts';
import type { Host } from '../world.ts';

const gpus = 'nvidia.com/gpu';
const plugins = { devices: /nvidia.*device-plugin|gpu-operator/, ebs: /aws-ebs-csi-driver/ };
export type Plugin = keyof typeof plugins;

/** By node, the plugins that run there. */
export const pluginsOf = (pods: readonly PodObject[]): Map<string, Set<Plugin>> => {
  const found = new Map<string, Set<Plugin>>();
  for (const { metadata, spec, status } of pods) {
    const isDaemon = metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet');
    if (!isDaemon || status?.phase !== 'Running' || metadata.deletionTimestamp || !spec?.nodeName) continue;
    for (const [plugin, image] of Object.entries(plugins))
      if (spec.containers?.some((container) => image.test(container.image ?? '')))
        found.set(spec.nodeName, (found.get(spec.nodeName) ?? new Set()).add(plugin as Plugin));
  }
  return found;
};

/** Devices stay in the capacity once registered, and cannot be allocated while their plugin is away. */
const withDevices = (node: NodeObject, count: number): NodeObject => {
  const { capacity, allocatable } = node.status ?? {};
  if (count === 0 && capacity?.[gpus] === undefined) return node;
  const status = {
    ...node.status,
    capacity: { ...capacity, [gpus]: count > 0 ? String(count) : capacity![gpus]! },
    allocatable: { ...allocatable, [gpus]: String(count) },
  };
  return { ...node, status };
};

const withDriver = (node: NodeObject, zone: string): NodeObject => ({
  ...node,
  metadata: { ...node.metadata, labels: { ...node.metadata.labels, 'topology.ebs.csi.aws.com/zone': zone } },
});

export const withPlugins = (node: NodeObject, { instance }: Host, running: ReadonlySet<Plugin>): NodeObject => {
  const devices = withDevices(node, running.has('devices') ? (instance.gpus ?? 0) : 0);
  return running.has('ebs') ? withDriver(devices, instance.zone) : devices;
};
