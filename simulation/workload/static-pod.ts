/** The control plane's static pods, as a kubelet publishes them in the API. */
import type { NodeObject, PodObject } from './objects.ts';
import type { StaticPod } from './records.ts';
import { type Host, hash } from './world.ts';

const portOf: Record<string, number> = { etcd: 2381, 'kube-controller-manager': 10257, 'kube-scheduler': 10259 };

/** A manifest is written once and read often. */
const digests = new WeakMap<StaticPod, string>();
const digestOf = (component: string, manifest: StaticPod): string => {
  const { image, command } = manifest;
  const known = digests.get(manifest);
  if (known !== undefined) return known;
  const digest = hash(JSON.stringify([component, image, command]))
    .toString(16)
    .padStart(8, '0')
    .repeat(4);
  digests.set(manifest, digest);
  return digest;
};

/** Distinguishes one run of a component from the next. */
export const annotationsOf = (component: string, { instance, kubelet }: Host): Record<string, string> => {
  const digest = digestOf(component, kubelet.manifests[component]!);
  const { privateIp } = instance;
  const clientUrls = { 'kubeadm.kubernetes.io/etcd.advertise-client-urls': `https://${privateIp}:2379` };
  const endpoint = {
    'kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint': `${privateIp}:${kubelet.apiServer?.port ?? 6443}`,
  };
  return {
    ...(component === 'etcd' && clientUrls),
    ...(component === 'kube-apiserver' && endpoint),
    'kubernetes.io/config.hash': digest,
    'kubernetes.io/config.mirror': digest,
    'kubernetes.io/config.seen': new Date(kubelet.registeredAt).toISOString(),
    'kubernetes.io/config.source': 'file',
  };
};

export const mirrorPodName = (component: string, { kubelet }: Host): string => `${component}-${kubelet.nodeName}`;

export const mirrorPod = (component: string, host: Host, node: NodeObject): PodObject => {
  const { kubelet } = host;
  const { image, command } = kubelet.manifests[component]!;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: mirrorPodName(component, host),
      namespace: 'kube-system',
      labels: { component, tier: 'control-plane' },
      annotations: annotationsOf(component, host),
      ownerReferences: [
        { apiVersion: 'v1', kind: 'Node', name: node.metadata.name, uid: node.metadata.uid ?? '', controller: true },
      ],
    },
    spec: {
      containers: [
        {
          name: component,
          image,
          command,
          imagePullPolicy: 'IfNotPresent',
          livenessProbe: {
            httpGet: {
              host: '127.0.0.1',
              path: '/livez',
              port: portOf[component] ?? kubelet.apiServer?.port ?? 6443,
              scheme: 'HTTPS',
            },
            failureThreshold: 8,
            initialDelaySeconds: 10,
            periodSeconds: 10,
            timeoutSeconds: 15,
          },
        },
      ],
      hostNetwork: true,
      nodeName: kubelet.nodeName,
      priorityClassName: 'system-node-critical',
      priority: 2_000_001_000,
      tolerations: [{ effect: 'NoExecute', operator: 'Exists' }],
    },
  };
};
