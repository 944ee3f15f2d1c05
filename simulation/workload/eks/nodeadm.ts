/** `nodeadm init` of EKS' images: the machine becomes a node of the cluster that its NodeConfig describes. */
import { parse } from 'yaml';
import { mergePatch } from '../../../machinery/api/merge.ts';
import { isObject, type JsonObject, type KubeObject } from '../../../machinery/api/object.ts';
import type { Cluster } from '../cluster.ts';
import type { Clusters } from '../clusters.ts';
import { publicKeyHash } from '../kubeadm/discovery.ts';
import { kubeletOf, nodeObject } from '../kubeadm/node.ts';
import { versionOfImage } from '../kubeadm/version.ts';
import type { Machine } from '../machine.ts';
import type { NodeTaint } from '../objects.ts';

const apiVersion = 'node.eks.aws/v1alpha1';
const build = 'eks-113cf36';
const nodeRetry = 10_000;

interface NodeConfig {
  cluster: { name: string; apiServerEndpoint: string; certificateAuthority: string; cidr: string };
  kubelet?: { config?: { registerWithTaints?: NodeTaint[] }; flags?: string[] };
}

/** Later documents change earlier ones. Throws an Error with nodeadm's words. */
const readConfig = (sources: readonly string[]): NodeConfig => {
  let merged: JsonObject = {};
  for (const source of sources) {
    const document: unknown = parse(source);
    if (!isObject(document) || document.apiVersion !== apiVersion || document.kind !== 'NodeConfig')
      throw new Error(`no NodeConfig of ${apiVersion}`);
    if (isObject(document.spec)) merged = mergePatch(merged, document.spec) as JsonObject;
  }
  const { cluster = {} } = merged as { cluster?: Partial<NodeConfig['cluster']> };
  for (const [field, what] of [
    ['name', 'Name'],
    ['apiServerEndpoint', 'Apiserver endpoint'],
    ['certificateAuthority', 'Certificate authority'],
    ['cidr', 'CIDR'],
  ] as const)
    if (!cluster[field]) throw new Error(`${what} is missing in cluster configuration`);
  return merged as unknown as NodeConfig;
};

/** Whether aws-auth maps the role to a node. */
const isMapped = async (cluster: Cluster, roleArn: string): Promise<boolean> => {
  const map = (await cluster.get('configmaps', 'kube-system', 'aws-auth')) as
    | (KubeObject & { data?: { mapRoles?: string } })
    | undefined;
  const roles: unknown = parse(map?.data?.mapRoles ?? '[]');
  return Array.isArray(roles) && roles.some((one) => one?.rolearn === roleArn && one.groups?.includes('system:nodes'));
};

/** What keeps the kubelet from its API server; undefined if nothing does. */
const obstacle = async (
  { record, services }: Machine,
  { cluster: { name, apiServerEndpoint, certificateAuthority } }: NodeConfig,
  clusters: Clusters,
): Promise<string | { cluster: Cluster }> => {
  const url = URL.parse(apiServerEndpoint);
  const reached = url && clusters.at(url.hostname, Number(url.port || 443));
  if (!reached) return `dial tcp ${url?.host}: connect: connection refused`;
  const { cluster } = reached;
  const authority = Buffer.from(certificateAuthority, 'base64').toString();
  if (!authority.includes('BEGIN') || publicKeyHash(authority) !== publicKeyHash(cluster.record.caCertificate))
    return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
  const node = cluster.record.eksName === name && services.eksNode?.(record.instance.instanceId, name);
  const isAllowed = node && (node.isAdmitted || (node.readsConfigMap && (await isMapped(cluster, node.roleArn))));
  return isAllowed ? { cluster } : 'Unauthorized';
};

/** The status of the command. Waits as long as the API server does not know the machine's role. */
export const nodeadmInit = async (
  machine: Machine,
  sources: readonly string[],
  clusters: Clusters,
): Promise<number> => {
  const { record } = machine;
  const { instance } = record;
  const version = versionOfImage(instance.imageName);
  if (!instance.imageName.startsWith('amazon-eks-node-') || !version) {
    machine.print('nodeadm: command not found');
    return 127;
  }
  if (record.kubelet) return 0;
  let config: NodeConfig;
  try {
    config = readConfig(sources);
  } catch (error) {
    machine.print(`nodeadm: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
  machine.print('nodeadm: Checking user is root..', 'nodeadm: Loading configuration..');
  let printed = '';
  for (;;) {
    const found = await obstacle(machine, config, clusters);
    if (typeof found !== 'string') {
      const { flags = [], config: settings } = config.kubelet ?? {};
      const args = Object.fromEntries(flags.map((flag) => flag.replace(/^--/, '').split(/=(.*)/s).slice(0, 2)));
      const kubelet = kubeletOf(instance, {
        cluster: found.cluster.record.id,
        nodeName: instance.privateDnsName,
        node: {
          criSocket: 'unix:///run/containerd/containerd.sock',
          ignorePreflightErrors: [],
          ...(settings?.registerWithTaints && { taints: settings.registerWithTaints as never }),
          kubeletArgs: {
            ...args,
            'cloud-provider': 'external',
            'provider-id': `aws:///${instance.zone}/${instance.instanceId}`,
          },
        },
        isControlPlane: false,
        kubelet: { ...version, text: `${version.text}-${build}` },
        manifests: {},
        now: machine.now(),
      });
      machine.join(kubelet);
      await found.cluster.create(nodeObject(instance, kubelet));
      machine.save();
      found.cluster.poke();
      machine.print('nodeadm: Completed daemon ensure-running kubelet');
      return 0;
    }
    if (found !== printed) machine.print(`kubelet: "Unable to register node with API server" err="${found}"`);
    printed = found;
    await machine.until(machine.now() + machine.scaled(nodeRetry));
  }
};
