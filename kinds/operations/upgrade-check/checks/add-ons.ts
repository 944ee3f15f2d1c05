/** Whether add-ons fit the target version, and the volumes' zones have room. Pure. */
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { compareTags } from '../../../common/image-tag.ts';
import { type Finding, nameOf, ofWorkload, type WorkloadFacts } from './facts.ts';
import { isRunning, nodeNameOf } from './pods.ts';

interface PodTemplate {
  template?: { spec?: { containers?: { name: string; image?: string }[] } };
}
const imagesOf = ({ spec }: KubeObject): string[] =>
  ((spec as PodTemplate | undefined)?.template?.spec?.containers ?? []).flatMap(({ image }) => image ?? []);

/** Add-ons whose minor version is the cluster's. */
const versionedAddOns = ['cloud-controller-manager', 'cluster-autoscaler'];

export const checkAddOns = ofWorkload(({ deployments, daemonSets }, { target }) =>
  [...deployments, ...daemonSets].flatMap((workload) =>
    imagesOf(workload).flatMap((image): Finding[] => {
      const [, name = '', major, minor] = /([^/:]+):v?(\d+)\.(\d+)\./.exec(image) ?? [];
      const isOutdated = Number(major) === target.major && Number(minor) < target.minor;
      if (!versionedAddOns.includes(name) || !isOutdated) return [];
      return [
        {
          code: 'AddOnOutdated',
          level: 'Warn',
          object: nameOf(workload, true),
          message: `It runs ${name} of v${major}.${minor}, whose minor version should be the cluster's`,
          remedy: `Move it to v${target.major}.${target.minor} with the upgrade`,
        },
      ];
    }),
  ),
);

type DnsConfiguration = { kubeadmConfigSpec?: { clusterConfiguration?: { dns?: { imageTag?: string } } } };

/** Plugins that CoreDNS no longer has. */
const removedPlugins: readonly { plugin: string; since: string }[] = [
  { plugin: 'proxy', since: '1.5.0' },
  { plugin: 'federation', since: '1.7.0' },
];
const uses = (corefile: string, plugin: string): boolean => new RegExp(`^\\s*${plugin}\\s`, 'm').test(corefile);

export const checkCoreDns = ofWorkload(({ deployments, corefiles }, { controlPlane }) => {
  const wanted = (controlPlane?.spec as DnsConfiguration | undefined)?.kubeadmConfigSpec?.clusterConfiguration?.dns;
  const target = wanted?.imageTag;
  const dns = deployments.find(
    ({ metadata: { namespace, name } }) => namespace === 'kube-system' && name === 'coredns',
  );
  const current = dns && /:([^:@/]+)(?:@|$)/.exec(imagesOf(dns)[0] ?? '')?.[1];
  if (!dns || !target || !current || target === current) return [];
  if ((compareTags(target, current) ?? 0) < 0)
    return [
      {
        code: 'CoreDNSTagLower',
        level: 'Warn',
        object: nameOf(dns, true),
        message: `It runs ${current}, and dns.imageTag asks for the lower ${target}: it stays as it is`,
        remedy: `Set dns.imageTag to ${current} or higher`,
      },
    ];
  const corefile = (corefiles[0] as { data?: { Corefile?: string } } | undefined)?.data?.Corefile ?? '';
  return removedPlugins
    .filter(({ plugin, since }) => (compareTags(target, since) ?? -1) >= 0 && uses(corefile, plugin))
    .map(({ plugin, since }) => ({
      code: 'CorefilePluginRemoved',
      level: 'Refuse' as const,
      object: 'ConfigMap kube-system/coredns',
      message: `Its Corefile uses the plugin ${plugin}, which CoreDNS ${since} no longer has: DNS would stop`,
      remedy: 'Migrate the Corefile first',
    }));
});

type Terms = { nodeSelectorTerms?: { matchExpressions?: { key: string; values?: string[] }[] }[] };
type Volume = KubeObject<{ nodeAffinity?: { required?: Terms }; claimRef?: { namespace?: string; name?: string } }>;
const zoneLabels = ['topology.kubernetes.io/zone', 'topology.ebs.csi.aws.com/zone'];

const zonesOf = ({ spec }: Volume): string[] =>
  (spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [])
    .flatMap(({ matchExpressions = [] }) => matchExpressions)
    .filter(({ key }) => zoneLabels.includes(key))
    .flatMap(({ values = [] }) => values);

type PodVolumes = { volumes?: { persistentVolumeClaim?: { claimName?: string } }[] };
const claimsOf = (pod: KubeObject): string[] =>
  ((pod.spec as PodVolumes | undefined)?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim?.claimName ? [`${pod.metadata.namespace}/${persistentVolumeClaim.claimName}`] : [],
  );

const isWorker = ({ metadata, spec }: KubeObject): boolean =>
  metadata.labels?.['node-role.kubernetes.io/control-plane'] === undefined &&
  (spec as { unschedulable?: boolean } | undefined)?.unschedulable !== true;

/** A Pod with a volume of a zone waits while the only Node of that zone is replaced. */
export const checkVolumeZones = ofWorkload(({ nodes, pods, persistentVolumes }: WorkloadFacts) => {
  const used = new Set(pods.filter((pod) => isRunning(pod) && nodeNameOf(pod)).flatMap(claimsOf));
  const volumes = (persistentVolumes as readonly Volume[]).filter(({ spec }) =>
    used.has(`${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`),
  );
  const byZone = Map.groupBy(
    volumes.flatMap((volume) => zonesOf(volume).map((zone) => ({ volume, zone }))),
    ({ zone }) => zone,
  );
  return [...byZone].flatMap(([zone, all]): Finding[] => {
    const inZone = nodes.filter(
      (node) => isWorker(node) && node.metadata.labels?.['topology.kubernetes.io/zone'] === zone,
    );
    if (inZone.length > 1) return [];
    return [
      {
        code: 'VolumeZoneHasOneNode',
        level: 'Warn',
        object: `Zone ${zone}`,
        message: `${all.length} volumes in use are in this zone, such as ${nameOf(all[0]!.volume)}, and ${inZone.length} Node takes Pods there: their Pods wait while it is replaced`,
        remedy: 'Add a Node in this zone first',
      },
    ];
  });
});
