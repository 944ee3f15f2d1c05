/** The hosts of the toy provider, and the workload cluster that they form: each host is a Node at once. */
import { WorkloadError } from '../../kinds/ports/workload.ts';
import { mergePatch } from '../../machinery/api/merge.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/api/object.ts';
import type { Port } from '../../machinery/controller/index.ts';

export interface Host {
  name: string;
  version: string;
  controlPlane: boolean;
}

const healthy = [
  { type: 'Ready', status: 'True' },
  ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({ type, status: 'False' })),
];

const nodeOf = ({ name, version, controlPlane }: Host): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    uid: `node-${name}`,
    resourceVersion: '1',
    labels: controlPlane ? { 'node-role.kubernetes.io/control-plane': '' } : {},
  },
  spec: { providerID: `toy:///${name}` },
  status: { conditions: healthy, nodeInfo: { kubeletVersion: version } },
});

export const toyCloud = () => {
  const hosts = new Map<string, { host: Host; node: KubeObject | undefined }>();
  let hasRoom = true;
  const nodes = () => [...hosts.values()].flatMap(({ node }) => node ?? []);
  const isServed = () => [...hosts.values()].some(({ host, node }) => host.controlPlane && node);

  const toy: Port = {
    read: async (_, input) => hosts.get((input as unknown as Host).name)?.host,
    call: async (operation, input) => {
      const host = input as unknown as Host;
      if (operation === 'stop') hosts.delete(host.name);
      else if (!hasRoom && !host.controlPlane) throw new Error('there is no room for workers');
      else if (!hosts.has(host.name)) hosts.set(host.name, { host, node: nodeOf(host) });
    },
  };

  const named = (input: JsonValue) => input as { kind?: string; name?: string; patch?: JsonObject };
  const answer = (operation: string, input: JsonValue): unknown => {
    const { kind, name = '' } = named(input);
    if (operation === 'version') return { gitVersion: 'v1.35.0' };
    if (operation === 'list') return { items: kind === 'Node' ? nodes() : [] };
    if (kind === 'Node') return hosts.get(name)?.node;
    return kind === 'ConfigMap' ? { apiVersion: 'v1', kind, metadata: { name } } : undefined;
  };
  const workload: Port = {
    read: async (operation, input) => {
      if (!isServed()) throw new WorkloadError('Unreachable', 'no control plane machine is up');
      return answer(operation, input);
    },
    call: async (operation, input) => {
      const { name = '', patch = {} } = named(input);
      const known = hosts.get(name);
      if (!known?.node) return;
      known.node = operation === 'delete' ? undefined : mergePatch(known.node, patch);
    },
  };
  return {
    setRoom: (is: boolean) => {
      hasRoom = is;
    },
    ports: { toy, workload },
    hosts: () => [...hosts.values()].map(({ host }) => host),
    nodeOf: (name: string) => hosts.get(name)?.node,
  };
};
