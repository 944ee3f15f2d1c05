/** kube-proxy and CoreDNS: kubeadm installs them, and no other controller upgrades them. Pure. */
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Read } from '../../../machinery/api/reconcile.ts';
import type { ClusterConfiguration } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import { compareTags } from '../../common/image-tag.ts';
import type { AddOnTags } from '../../core/contract/control-plane.ts';
import { callWorkload } from '../../ports/index.ts';
import { accessOf, type ControlPlane } from './control-plane.ts';
import { kubeadmConfigFault, updateKubeadmConfig } from './kubeadm-config-map.ts';
import { annotations } from './names.ts';
import type { Step } from './step.ts';

interface Container extends JsonObject {
  name: string;
  image: string;
}
type Workload = KubeObject<{ template?: { spec?: { containers?: Container[] } } }>;

const imageOf = (workload: Workload, container: string): string | undefined =>
  workload.spec?.template?.spec?.containers?.find(({ name }) => name === container)?.image;

/** The parts of an image reference such as registry/path/name:tag. */
const split = (image: string): { repository: string; name: string; tag: string } => {
  const slash = image.lastIndexOf('/');
  const [name = '', tag = ''] = image
    .slice(slash + 1)
    .split('@')[0]!
    .split(':');
  return { repository: image.slice(0, Math.max(slash, 0)), name, tag };
};
/** Image tags must not contain a plus sign. */
const tagOf = (version: string) => version.replaceAll('+', '_');

const setImage = (kubeconfig: string, workload: Workload, container: string, image: string): Action => {
  const containers = (workload.spec?.template?.spec?.containers ?? []).map((one) =>
    one.name === container ? { ...one, image } : one,
  );
  const { namespace = '', name, resourceVersion } = workload.metadata;
  return callWorkload('patch', {
    kubeconfig,
    apiVersion: workload.apiVersion,
    kind: workload.kind,
    namespace,
    name,
    patch: { spec: { template: { spec: { containers } } } },
    ...(resourceVersion && { resourceVersion }),
  });
};

const skips = ({ kcp }: Pick<ControlPlane, 'kcp'>, annotation: string) =>
  kcp.metadata.annotations?.[annotation] !== undefined;

/** The tags that a rollout ends with. */
export const addOnTags = (of: Pick<ControlPlane, 'kcp'>): AddOnTags => {
  const { version, kubeadmConfigSpec } = of.kcp.spec ?? {};
  const { imageTag } = kubeadmConfigSpec?.clusterConfiguration?.dns ?? {};
  return {
    ...(version && !skips(of, annotations.skipKubeProxy) && { kubeProxy: tagOf(version) }),
    ...(imageTag && !skips(of, annotations.skipCoreDns) && { coreDns: tagOf(imageTag) }),
  };
};

export const updateKubeProxy = (controlPlane: ControlPlane): Action[] => {
  const { kcp, live } = controlPlane;
  const kubeconfig = accessOf(controlPlane);
  const daemonSet = live.kubeProxy && (found(live.kubeProxy) as Workload | undefined);
  const current = daemonSet && imageOf(daemonSet, 'kube-proxy');
  if (!kcp.spec || !kubeconfig || !daemonSet || !current || skips(controlPlane, annotations.skipKubeProxy)) return [];
  const { repository, name } = split(current);
  const wanted = kcp.spec.kubeadmConfigSpec?.clusterConfiguration?.imageRepository ?? repository;
  const image = `${wanted}/${name}:${tagOf(kcp.spec.version)}`;
  return image === current ? [] : [setImage(kubeconfig, daemonSet, 'kube-proxy', image)];
};

const backupKey = 'Corefile-backup';

/** Keeps the previous Corefile next to the current one, in the ConfigMap that the pods mount. */
const backUpCorefile = (kubeconfig: string, configMap: KubeObject | undefined): Action[] => {
  const { Corefile, [backupKey]: backup } = (configMap as { data?: Record<string, string> } | undefined)?.data ?? {};
  if (!configMap || Corefile === undefined || Corefile === backup) return [];
  return [
    callWorkload('patch', {
      kubeconfig,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'kube-system',
      name: 'coredns',
      patch: { data: { [backupKey]: Corefile } },
    }),
  ];
};

const defaultRepository = 'registry.k8s.io';
/**
 * The repository that kubeadm uses; undefined if the configuration names none. In the default
 * repository, CoreDNS has a folder of its own.
 */
const dnsRepositoryOf = ({ dns, imageRepository }: ClusterConfiguration): string | undefined =>
  dns?.imageRepository ?? (imageRepository === defaultRepository ? `${defaultRepository}/coredns` : imageRepository);

interface CoreDnsUpdate {
  kubeconfig: string;
  deployment: Workload;
  image: string;
}

/** Follows `dns` and the image repository of the cluster configuration; never downgrades. */
const coreDnsUpdate = (controlPlane: ControlPlane): CoreDnsUpdate | undefined => {
  const { kcp, live } = controlPlane;
  const kubeconfig = accessOf(controlPlane);
  const deployment = live.coreDns && (found(live.coreDns) as Workload | undefined);
  const configuration = kcp.spec?.kubeadmConfigSpec?.clusterConfiguration ?? {};
  const current = deployment && imageOf(deployment, 'coredns');
  if (!kubeconfig || !deployment || !current || skips(controlPlane, annotations.skipCoreDns)) return undefined;
  const { repository, name, tag } = split(current);
  const wantedTag = configuration.dns?.imageTag ?? tag;
  const image = `${dnsRepositoryOf(configuration) ?? repository}/${name}:${tagOf(wantedTag)}`;
  if (image === current) return undefined;
  if (tag !== wantedTag && (compareTags(tag, wantedTag) ?? 1) > 0) return undefined;
  return { kubeconfig, deployment, image };
};

/** The image goes last, as it marks the update as done. */
export const updateCoreDns = (controlPlane: ControlPlane): Action[] => {
  const { kcp, live } = controlPlane;
  const update = coreDnsUpdate(controlPlane);
  if (!kcp.spec || !update || addOnObstacles(controlPlane).length > 0) return [];
  const { kubeconfig, deployment, image } = update;
  const [configMap, corefile] = [live.kubeadmConfig, live.coreDnsConfig].map((read) => read && found(read));
  return [
    ...(configMap ? updateKubeadmConfig(kubeconfig, configMap, kcp.spec, { dns: true }) : []),
    ...backUpCorefile(kubeconfig, corefile),
    setImage(kubeconfig, deployment, 'coredns', image),
  ];
};

const unread = (name: string, read: Read<KubeObject> | undefined): string[] =>
  read?.state === 'unreadable' ? [`${name} of the workload cluster could not be read: ${read.reason}`] : [];

/** Why it is not known whether an add-on must be updated, or cannot be. One without any object is not. */
const addOnObstacles = (controlPlane: ControlPlane): string[] => {
  const { kubeProxy, coreDns, coreDnsConfig, kubeadmConfig } = controlPlane.live;
  const isRecorded = coreDnsUpdate(controlPlane) && kubeadmConfig?.state !== 'absent';
  const fault = isRecorded ? kubeadmConfigFault(controlPlane) : undefined;
  return [
    ...unread('DaemonSet kube-system/kube-proxy', kubeProxy),
    ...unread('Deployment kube-system/coredns', coreDns),
    ...unread('ConfigMap kube-system/coredns', coreDnsConfig),
    ...(fault === undefined ? [] : [fault]),
  ];
};

/** Seconds. */
const unreadRetry = 60;

export const updateAddons: Step = (controlPlane) => {
  const actions = [...updateKubeProxy(controlPlane), ...updateCoreDns(controlPlane)];
  if (actions.length > 0) return { actions, again: true };
  const waitsFor = addOnObstacles(controlPlane);
  return waitsFor.length > 0 ? { waitsFor, requeueAfter: unreadRetry } : undefined;
};

export const followsCoreDns = ({ kcp }: Pick<ControlPlane, 'kcp'>): boolean => {
  const { dns, imageRepository } = kcp.spec?.kubeadmConfigSpec?.clusterConfiguration ?? {};
  return dns !== undefined || imageRepository !== undefined;
};
