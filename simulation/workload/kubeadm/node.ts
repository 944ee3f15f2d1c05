/** The Node object that a kubelet registers, and kubeadm's additions. */

import { parseTaint, taintTexts } from '../../../kinds/components/labels.ts';
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import type { GuestInstance } from '../../ports.ts';
import type { NodeObject, NodeTaint } from '../objects.ts';
import type { KubeletRecord, StaticPod } from '../records.ts';
import type { NodeRegistration } from './config.ts';
import type { KubernetesVersion } from './version.ts';

export const controlPlaneTaint: NodeTaint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };
const controlPlaneLabels = {
  'node-role.kubernetes.io/control-plane': '',
  'node.kubernetes.io/exclude-from-external-load-balancers': '',
};

/** `a=b,c=d` */
const labelsOf = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (text ?? '')
      .split(',')
      .filter(Boolean)
      .map((pair) => {
        const [key = '', ...value] = pair.split('=');
        return [key, value.join('=')];
      }),
  );

/** `key=value:effect,…` */
const taintsOf = (text: string | undefined): NodeTaint[] =>
  taintTexts(text ?? '').flatMap((item) => {
    const taint = parseTaint(item);
    if ('refused' in taint) return [];
    const { key, value, effect } = taint;
    return [{ key, ...(value && { value }), effect }];
  });

export interface Registration {
  cluster: string;
  nodeName: string;
  node: NodeRegistration;
  isControlPlane: boolean;
  kubelet: KubernetesVersion;
  manifests: Record<string, StaticPod>;
  now: number;
}

/** The kubelet as its flags configure it. The provider ID is a flag's, or comes from an in-tree cloud provider. */
export const kubeletOf = (
  { instanceId, zone }: GuestInstance,
  { cluster, nodeName, node, isControlPlane, kubelet, manifests, now }: Registration,
): KubeletRecord => {
  const { kubeletArgs: args } = node;
  const externalCloud = args['cloud-provider'] === 'external';
  const inTree = args['cloud-provider'] === 'aws' && kubelet.minor < 27;
  const providerID = args['provider-id'] || (inTree ? `aws:///${zone}/${instanceId}` : undefined);
  const roleTaints = node.taints ?? (isControlPlane ? [controlPlaneTaint] : []);
  const external: NodeTaint[] = externalCloud
    ? [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }]
    : [];
  return {
    cluster,
    nodeName,
    registeredAt: now,
    version: kubelet.text,
    criSocket: node.criSocket,
    externalCloud,
    ...(inTree && { inTreeCloud: true as const }),
    ...(providerID && { providerID }),
    labels: { ...labelsOf(args['node-labels']), ...(isControlPlane && controlPlaneLabels) },
    taints: [...roleTaints, ...taintsOf(args['register-with-taints']), ...external],
    manifests,
  };
};

const osImages: [RegExp, string][] = [
  [/ubuntu-?24/i, 'Ubuntu 24.04.3 LTS'],
  [/ubuntu-?22/i, 'Ubuntu 22.04.5 LTS'],
  [/ubuntu/i, 'Ubuntu 24.04.3 LTS'],
  [/flatcar/i, 'Flatcar Container Linux by Kinvolk'],
  [/rhel|rockylinux/i, 'Rocky Linux 9.6 (Blue Onyx)'],
];

/** The registered node: not ready, and with all initial taints. */
export const nodeObject = (instance: GuestInstance, kubelet: KubeletRecord, podCIDRs: string[] = []): NodeObject => {
  const { architecture, privateIp, publicIp, imageName, instanceId, instanceType, zone, region, privateDnsName } =
    instance;
  const arch = architecture === 'arm64' || architecture === 'aarch64' ? 'arm64' : 'amd64';
  const cloudLabels: Record<string, string> = kubelet.inTreeCloud
    ? {
        'node.kubernetes.io/instance-type': instanceType,
        'topology.kubernetes.io/region': region,
        'topology.kubernetes.io/zone': zone,
      }
    : {};
  const notReady: NodeTaint = {
    key: 'node.kubernetes.io/not-ready',
    effect: 'NoSchedule',
    timeAdded: timestamp(kubelet.registeredAt),
  };
  const { vcpus = 2, memoryMiB = 8192 } = instance;
  // The kernel keeps some of the memory for itself.
  const memory = memoryMiB - Math.ceil(memoryMiB / 32);
  const resources = {
    cpu: String(vcpus),
    memory: `${memory}Mi`,
    pods: '110',
    'ephemeral-storage': '20134592Ki',
    'hugepages-2Mi': '0',
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: kubelet.nodeName,
      labels: {
        'beta.kubernetes.io/arch': arch,
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': arch,
        'kubernetes.io/hostname': kubelet.nodeName,
        'kubernetes.io/os': 'linux',
        ...cloudLabels,
        ...kubelet.labels,
      },
      annotations: {
        'kubeadm.alpha.kubernetes.io/cri-socket': kubelet.criSocket,
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
    },
    spec: {
      ...(podCIDRs[0] && { podCIDR: podCIDRs[0], podCIDRs }),
      ...(kubelet.providerID && { providerID: kubelet.providerID }),
      taints: [...kubelet.taints, notReady],
    },
    status: {
      addresses: [
        { type: 'InternalIP', address: privateIp },
        ...(publicIp && kubelet.inTreeCloud ? [{ type: 'ExternalIP', address: publicIp }] : []),
        { type: 'Hostname', address: kubelet.nodeName },
        ...(kubelet.inTreeCloud ? [{ type: 'InternalDNS', address: privateDnsName }] : []),
      ],
      capacity: resources,
      allocatable: { ...resources, memory: `${memory - 100}Mi` },
      conditions: [],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      images: [],
      nodeInfo: {
        architecture: arch,
        bootID: bootId(instanceId, 'boot'),
        containerRuntimeVersion: 'containerd://1.7.28',
        kernelVersion: '6.8.0-1038-aws',
        kubeProxyVersion: kubelet.version,
        kubeletVersion: kubelet.version,
        machineID: instanceId.replace(/^i-/, '').padEnd(32, '0'),
        operatingSystem: 'linux',
        osImage: osImages.find(([pattern]) => pattern.test(imageName))?.[1] ?? 'Ubuntu 24.04.3 LTS',
        systemUUID: bootId(instanceId, 'system'),
      },
    },
  };
};

const bootId = (instanceId: string, salt: string): string => {
  const hex = Buffer.from(`${salt}${instanceId}`).toString('hex').padEnd(32, '0').slice(-32);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};
