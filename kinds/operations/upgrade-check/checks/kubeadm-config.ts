/** Whether new hosts can join by kubeadm: the ConfigMaps that it reads. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import {
  addressOf,
  documentIn,
  type ExpectedConfiguration,
  expectedConfiguration,
  faultOfKubeadmConfig,
  kubeadmConfigMap,
} from '../../../common/kubeadm-config-map.ts';
import { type Finding, ofWorkload } from './facts.ts';

const dataOf = (configMap: KubeObject | undefined): Record<string, string> =>
  (configMap as { data?: Record<string, string> } | undefined)?.data ?? {};

interface ControlPlaneSpec {
  kubeadmConfigSpec?: { joinConfiguration?: { discovery?: { file?: unknown } } };
}
/** Hosts discover the cluster by a file of their own. */
const discoversByFile = ({ spec }: KubeObject): boolean =>
  (spec as ControlPlaneSpec | undefined)?.kubeadmConfigSpec?.joinConfiguration?.discovery?.file !== undefined;

interface Kubeconfig {
  clusters?: { cluster?: { server?: string } }[];
}

/** kubeadm continues with the server that it names. */
const faultOfClusterInfo = (
  configMap: KubeObject | undefined,
  { endpoints }: ExpectedConfiguration,
): string | undefined => {
  if (!configMap) return 'does not exist, and no host discovers the cluster without it';
  const kubeconfig = documentIn(dataOf(configMap).kubeconfig ?? '') as Kubeconfig | undefined;
  const clusters = Array.isArray(kubeconfig?.clusters) ? kubeconfig.clusters : [];
  const server = clusters[0]?.cluster?.server;
  if (!server) return 'names no server, and no host joins with it';
  const named = addressOf(server.replace(/^https:\/\//, ''));
  if (endpoints.length === 0 || endpoints.some((one) => addressOf(one) === named)) return undefined;
  return `names the server ${named}, and the Cluster ${endpoints[0]}: hosts would join by that server`;
};

/** kubeadm decodes the configuration of each component before a host joins. */
const faultOfComponent = (text: string | undefined, key: string): string | undefined => {
  const { apiVersion, kind } = documentIn(text ?? '') ?? {};
  return apiVersion && kind ? undefined : `has in its key ${key} no object in YAML, and no host joins with it`;
};

const finding = (code: string, object: string, fault: string | undefined, remedy: string): Finding[] =>
  fault === undefined ? [] : [{ code, level: 'Refuse', object: `ConfigMap ${object}`, message: `It ${fault}`, remedy }];

export const checkKubeadmConfig = ofWorkload((workload, { cluster, controlPlane }) => {
  if (controlPlane?.kind !== 'KubeadmControlPlane') return [];
  const { kubeadmConfigs, clusterInfos, kubeletConfigs, kubeProxyConfigs } = workload;
  const expected = expectedConfiguration(cluster, controlPlane);
  const [kubelet] = kubeletConfigs;
  const [kubeProxy] = kubeProxyConfigs;
  const config = faultOfKubeadmConfig(kubeadmConfigs[0], expected);
  const info = discoversByFile(controlPlane) ? undefined : faultOfClusterInfo(clusterInfos[0], expected);
  const noKubelet = kubelet
    ? faultOfComponent(dataOf(kubelet).kubelet, 'kubelet')
    : 'does not exist, and no host joins without it';
  const noProxy = kubeProxy && faultOfComponent(dataOf(kubeProxy)['config.conf'], 'config.conf');
  const restore = 'Restore it from a backup, or on a control-plane host: kubeadm init phase';
  return [
    ...finding(
      'KubeadmConfigUnusable',
      `${kubeadmConfigMap.namespace}/${kubeadmConfigMap.name}`,
      config,
      `${restore} upload-config kubeadm --config FILE`,
    ),
    ...finding('ClusterInfoUnusable', 'kube-public/cluster-info', info, `${restore} bootstrap-token --config FILE`),
    ...finding(
      'KubeletConfigUnusable',
      'kube-system/kubelet-config',
      noKubelet,
      `${restore} upload-config kubelet --config FILE`,
    ),
    ...finding(
      'KubeProxyConfigUnusable',
      'kube-system/kube-proxy',
      noProxy,
      `${restore} addon kube-proxy --config FILE`,
    ),
  ];
});
