/** kube-proxy and CoreDNS: kubeadm installs them, and no other controller upgrades them. Pure. */
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Read } from '../../../machinery/api/reconcile.ts';
import type { ClusterConfiguration } from '../../bootstrap-kubeadm/kubeadm-config/schema.ts';
import { compareTags } from '../../common/image-tag.ts';
import type { AddOnTags } from '../../core/contract/control-plane.ts';
import { callWorkload } from '../../ports/index.ts';
import { accessOf, type ControlPlane } from './control-plane.ts';
import { updateKubeadmConfig } from './kubeadm-config-map.ts';
import { annotations } from './names.ts';

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

/** The object, or its definite absence; undefined while that is unknown. */
const known = (read: Read<KubeObject> | undefined): { object: KubeObject | undefined } | undefined =>
  read?.state === 'found' || read?.state === 'absent' ? { object: found(read) } : undefined;

const usualRepository = 'registry.k8s.io';
/**
 * The repository that kubeadm uses; undefined if the configuration names none. In the default
 * repository, CoreDNS has a folder of its own.
 */
const dnsRepositoryOf = ({ dns, imageRepository }: ClusterConfiguration): string | undefined =>
  dns?.imageRepository ?? (imageRepository === usualRepository ? `${usualRepository}/coredns` : imageRepository);

/** Follows `dns` and the image repository of the cluster configuration; never downgrades. */
export const updateCoreDns = (controlPlane: ControlPlane): Action[] => {
  const { kcp, live } = controlPlane;
  const kubeconfig = accessOf(controlPlane);
  const deployment = live.coreDns && (found(live.coreDns) as Workload | undefined);
  const configuration = kcp.spec?.kubeadmConfigSpec?.clusterConfiguration ?? {};
  const current = deployment && imageOf(deployment, 'coredns');
  if (!kcp.spec || !kubeconfig || !deployment || !current || skips(controlPlane, annotations.skipCoreDns)) return [];
  const { repository, name, tag } = split(current);
  const wantedTag = configuration.dns?.imageTag ?? tag;
  const image = `${dnsRepositoryOf(configuration) ?? repository}/${name}:${tagOf(wantedTag)}`;
  if (image === current) return [];
  if (tag !== wantedTag && (compareTags(tag, wantedTag) ?? 1) > 0) return [];
  // The image goes last, as it marks the update as done. An unreadable object delays the whole
  // update.
  const [configMap, corefile] = [known(live.kubeadmConfig), known(live.coreDnsConfig)];
  if (!configMap || !corefile) return [];
  return [
    ...(configMap.object ? updateKubeadmConfig(kubeconfig, configMap.object, kcp.spec, { dns: true }) : []),
    ...backUpCorefile(kubeconfig, corefile.object),
    setImage(kubeconfig, deployment, 'coredns', image),
  ];
};

export const followsCoreDns = ({ kcp }: Pick<ControlPlane, 'kcp'>): boolean => {
  const { dns, imageRepository } = kcp.spec?.kubeadmConfigSpec?.clusterConfiguration ?? {};
  return dns !== undefined || imageRepository !== undefined;
};
