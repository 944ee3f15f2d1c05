/** The configuration of a cluster, as a joining kubeadm reads it from its ConfigMaps. */
import { parse } from 'yaml';
import { isObject } from '../../../machinery/api/object.ts';
import type { Cluster } from '../cluster.ts';
import { sinceMinor } from './api.ts';
import { type ClusterConfig, clusterConfigOf } from './cluster-config.ts';
import { JoinError } from './discovery.ts';
import { ConfigError, type Fields } from './documents.ts';
import { type KubernetesVersion, parseVersion } from './version.ts';

const oldestKubelet = 3;
const unfetched = 'unable to fetch the kubeadm-config ConfigMap';
const undecoded = `${unfetched}: failed to decode cluster configuration data`;

const textIn = async (cluster: Cluster, name: string, key: string): Promise<string | undefined> => {
  const map = await cluster.get('configmaps', 'kube-system', name);
  if (!map) return undefined;
  const text = (map.data as Record<string, string> | undefined)?.[key];
  if (text === undefined)
    throw new JoinError(`${unfetched}: unexpected error when reading ${name} ConfigMap: ${key} key value pair missing`);
  return text;
};

const decoded = (text: string, failed: string): Fields => {
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new JoinError(`${failed}: error converting YAML to JSON: ${String(error)}`);
  }
  if (!isObject(document)) throw new JoinError(`${failed}: couldn't get version/kind; json parse error`);
  if (!document.kind) throw new JoinError(`${failed}: Object 'Kind' is missing in '${text.slice(0, 100)}'`);
  return document;
};

/** Fields of another type are refused; unknown ones are not. */
const checkTypes = (document: Fields): void => {
  for (const field of ['networking', 'etcd', 'apiServer', 'controllerManager', 'scheduler', 'dns', 'featureGates'])
    if (document[field] !== undefined && document[field] !== null && !isObject(document[field]))
      throw new JoinError(`${undecoded}: json: cannot unmarshal into Go struct field ClusterConfiguration.${field}`);
  for (const field of ['kubernetesVersion', 'controlPlaneEndpoint', 'clusterName', 'certificatesDir'])
    if (document[field] !== undefined && document[field] !== null && typeof document[field] !== 'string')
      throw new JoinError(
        `${undecoded}: json: cannot unmarshal into Go struct field ClusterConfiguration.${field} of type string`,
      );
};

const clusterConfigIn = (text: string, kubeadm: KubernetesVersion): ClusterConfig => {
  const document = decoded(text, undecoded);
  const since = sinceMinor[String(document.apiVersion)];
  if (since === undefined || kubeadm.minor < since)
    throw new JoinError(
      `${undecoded}: no kind "${String(document.kind)}" is registered for version "${String(document.apiVersion)}"`,
    );
  if (document.kind !== 'ClusterConfiguration')
    throw new JoinError(
      `${undecoded}: unable to decode ${String(document.apiVersion)}, Kind=${String(document.kind)} into *kubeadm.ClusterConfiguration`,
    );
  checkTypes(document);
  try {
    return clusterConfigOf(document);
  } catch (error) {
    if (error instanceof ConfigError) throw new JoinError(`${unfetched}: ${error.message}`);
    throw error;
  }
};

/** kubeadm reads the configurations of the kubelet and of kube-proxy before anything else. */
const checkComponents = async (cluster: Cluster): Promise<void> => {
  const failed = `${unfetched}: failed to get component configs: could not download the`;
  const kubelet = await textIn(cluster, 'kubelet-config', 'kubelet');
  if (kubelet === undefined)
    throw new JoinError(
      `${failed} kubelet configuration from ConfigMap "kubelet-config": configmaps "kubelet-config" not found`,
    );
  decoded(kubelet, `${failed} kubelet configuration from ConfigMap "kubelet-config"`);
  const proxy = await textIn(cluster, 'kube-proxy', 'config.conf');
  if (proxy !== undefined) decoded(proxy, `${failed} kube-proxy configuration from ConfigMap "kube-proxy"`);
};

/** Throws JoinError when this kubeadm cannot join with what is stored. */
export const storedConfig = async (
  cluster: Cluster,
  kubeadm: KubernetesVersion,
  { isControlPlane }: { isControlPlane: boolean },
): Promise<ClusterConfig> => {
  const text = await textIn(cluster, 'kubeadm-config', 'ClusterConfiguration');
  if (text === undefined)
    throw new JoinError(
      'failed to get config map: configmaps "kubeadm-config" not found in the "kube-system" namespace',
    );
  const config = clusterConfigIn(text, kubeadm);
  await checkComponents(cluster);
  const controlPlane = parseVersion(config.kubernetesVersion ?? '');
  if (!controlPlane) throw new JoinError(`${unfetched}: it names no Kubernetes version`);
  if (isControlPlane && !config.controlPlaneEndpoint)
    throw new JoinError(
      "One or more conditions for hosting a new control plane instance is not satisfied.\n\nunable to add a new control plane instance to a cluster that doesn't have a stable controlPlaneEndpoint address",
    );
  const skew = kubeadm.minor - controlPlane.minor;
  if (skew > 0 || skew < -oldestKubelet)
    throw new JoinError(
      `[preflight] Some fatal errors occurred:\n\t[ERROR KubeletVersion]: the kubelet version is ${skew > 0 ? 'higher' : 'too old'} than the control plane version. This is not a supported version skew and may lead to a malfunctional cluster. Kubelet version: "${kubeadm.text.slice(1)}" Control plane version: "${controlPlane.text.slice(1)}"`,
    );
  return config;
};
