import { parse } from 'yaml';
import type { KubeadmConfig } from '../../../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import { restoreAnnotations } from '../../../../kinds/core/contract/restore.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { lacking, ownServerGate, saysOwnServer } from '../bootstrap/kubeadm-documents.ts';
import { joinTokenOf } from '../relations.ts';
import { expecting, type Rule, type Setting } from '../rule.ts';

/** The lifetime of a join token. The token that a machine was created with may be older. */
const longest = 20 * 60_000;

/** The default image registry. */
export const defaultRegistry = 'registry.k8s.io';
/** The ClusterRoleBinding that lets API servers call kubelets. */
const bindingName = 'kubeadm:apiserver-kubelet-client';

type Workload = KubeObject<{ template?: { spec?: { containers?: { name: string; image: string }[] } } }>;
const dataOf = (object: KubeObject | undefined) =>
  (object as { data?: Record<string, string> } | undefined)?.data ?? {};

interface Asked {
  dns?: { imageTag?: string; imageRepository?: string };
  imageRepository?: string;
}
interface Kept {
  networking?: { podSubnet?: string };
  controlPlaneEndpoint?: string;
  featureGates?: Record<string, boolean>;
}
type Guest = ReturnType<Setting['world']['guests']['clusters']['all']>[number];

const numbersOf = (tag: string): number[] =>
  tag
    .match(/\d+\.\d+\.\d+/)![0]
    .split('.')
    .map(Number);
/** Whether a tag is older. The suffixes of distributions have no order. */
const isOlder = (tag: string, than: string): boolean => {
  const [is, should] = [numbersOf(tag), numbersOf(than)];
  const at = is.findIndex((number, index) => number !== should[index]);
  return at >= 0 ? is[at]! < should[at]! : tag !== than;
};

export const kubeadmState: Rule = ({ world, wanted, isRuined = () => false }, broken) => {
  const { mirror, guests, clock } = world;
  const expect = expecting(broken);
  const nameOf = ({ metadata }: KubeObject) => metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? '';
  const uidOf = (namespace: string, name: string) => mirror.get('Cluster', namespace, name)?.metadata.uid ?? '';
  /**
   * Uids of clusters whose control plane got a machine of another version. A later cluster of the
   * same name has another uid.
   */
  const upgraded = new Set<string>();
  const isOfControlPlane = ({ metadata }: Machine) => 'cluster.x-k8s.io/control-plane' in (metadata.labels ?? {});
  const expectDns = async (guest: Guest, { dns, imageRepository }: Asked, kept: string) => {
    const asked = dns?.imageTag;
    const deployment = (await guest.get('deployments.apps', 'kube-system', 'coredns')) as Workload | undefined;
    const image = deployment?.spec?.template?.spec?.containers?.find((one) => one.name === 'coredns')?.image;
    const [source, tag] = image?.split(':') ?? [];
    // The default registry keeps CoreDNS in a folder of its own.
    const byDefault = imageRepository === defaultRegistry ? `${defaultRegistry}/coredns` : imageRepository;
    const repository = dns?.imageRepository ?? byDefault;
    if (source && repository) expect('the CoreDNS repository', source, `${repository}/coredns`);
    if (!tag || !asked) return;
    expect(`whether CoreDNS ${tag} is older than the requested ${asked}`, isOlder(tag, asked), false);
    const { Corefile, 'Corefile-backup': backup } = dataOf(await guest.get('configmaps', 'kube-system', 'coredns'));
    if (tag !== asked) return;
    expect('the backup of the Corefile', backup, Corefile);
    expect(
      'dns.imageTag in ClusterConfiguration',
      (parse(kept) as { dns?: { imageTag?: string } }).dns?.imageTag,
      asked,
    );
  };
  return {
    onCommit: ({ event, object }) => {
      if (event !== 'ADDED' || object?.kind !== 'Machine' || !isOfControlPlane(object as Machine)) return;
      const { version } = (object as Machine).spec ?? {};
      const { namespace = '', annotations = {} } = object.metadata;
      // Its data may be from before an upgrade.
      if (restoreAnnotations.restoredBy in annotations) upgraded.delete(uidOf(namespace, nameOf(object)));
      const others = mirror
        .all<Machine>('Machine')
        .filter(
          (one) => isOfControlPlane(one) && one.metadata.namespace === namespace && nameOf(one) === nameOf(object),
        );
      if (others.some((one) => one.status?.nodeRef && one.spec?.version !== version))
        upgraded.add(uidOf(namespace, nameOf(object)));
    },
    atEnd: async () => {
      if (isRuined()) return;
      const tokens = new Set(
        mirror
          .all<KubeadmConfig>('KubeadmConfig')
          .map((config) => `bootstrap-token-${joinTokenOf(mirror, config)?.split('.')[0]}`),
      );
      for (const cluster of guests.clusters.all())
        for (const secret of await cluster.list('secrets')) {
          // kubeadm creates another token itself, valid for a day.
          if (!tokens.has(secret.metadata.name)) continue;
          const end = Date.parse(Buffer.from(dataOf(secret).expiration ?? '', 'base64').toString());
          expect(
            `whether ${secret.metadata.name} expires soon`,
            Number.isNaN(end) || end < clock.now() + longest,
            true,
          );
        }
      const clusters = guests.clusters.all();
      // With several guests, the one of this Cluster cannot be told apart.
      if (clusters.length !== 1 || wanted().length !== 1) return;
      const [guest] = clusters;
      const lock = `${wanted()[0]!.name}-lock`;
      const lockedAt = mirror.get('ConfigMap', 'default', lock)?.metadata.creationTimestamp;
      // The first machine's init lock is released by the next that joins. The first one of a restored
      // etcd takes it again: those that joined before do not release it.
      const hasJoined = mirror.all<KubeadmConfig>('KubeadmConfig').some(({ spec, status }) => {
        const data = mirror.get('Secret', 'default', status?.dataSecretName ?? '');
        return spec?.joinConfiguration && lockedAt && (data?.metadata.creationTimestamp ?? '') > lockedAt;
      });
      if (hasJoined) expect(`whether ${lock} exists`, true, false);
      const name = `${wanted()[0]!.name}-control-plane`;
      const { version, kubeadmConfigSpec } =
        mirror.get<KubeadmControlPlane>('KubeadmControlPlane', 'default', name)?.spec ?? {};
      const { clusterConfiguration = {} } = kubeadmConfigSpec ?? {};
      const { dns: _, ...configuration } = clusterConfiguration;
      const { imageRepository } = configuration;
      const proxy = (await guest!.get('daemonsets.apps', 'kube-system', 'kube-proxy')) as Workload | undefined;
      const image = proxy?.spec?.template?.spec?.containers?.find((one) => one.name === 'kube-proxy')?.image;
      if (image) expect('the version of kube-proxy', image.split(':').at(-1), version);
      if (image && imageRepository)
        expect('the image of kube-proxy', image, `${imageRepository}/kube-proxy:${version}`);
      const kept = dataOf(await guest!.get('configmaps', 'kube-system', 'kubeadm-config')).ClusterConfiguration ?? '';
      await expectDns(guest!, clusterConfiguration, kept);
      const binding = await guest!.get('clusterrolebindings.rbac.authorization.k8s.io', '', bindingName);
      if (upgraded.has(uidOf('default', wanted()[0]!.name)))
        expect(`whether ${bindingName} exists`, binding !== undefined, true);
      const reported = /^kubernetesVersion: (\S+)$/m.exec(kept)?.[1];
      if (reported) expect('kubernetesVersion in ClusterConfiguration', reported, version);
      const { clusterNetwork, controlPlaneEndpoint } =
        mirror.get<Cluster>('Cluster', 'default', wanted()[0]!.name)?.spec ?? {};
      const known = parse(kept) as Kept | null;
      const blocks = clusterNetwork?.pods?.cidrBlocks.join(',');
      if (reported && blocks) expect('podSubnet in ClusterConfiguration', known?.networking?.podSubnet, blocks);
      if (reported && controlPlaneEndpoint)
        expect(
          'controlPlaneEndpoint in ClusterConfiguration',
          known?.controlPlaneEndpoint,
          `${controlPlaneEndpoint.host}:${controlPlaneEndpoint.port}`,
        );
      if (reported)
        expect(
          `${ownServerGate} in ClusterConfiguration`,
          known?.featureGates?.[ownServerGate] ?? false,
          saysOwnServer(version),
        );
      // Machines that join later read this configuration.
      if (reported)
        expect(
          'the first field missing from ClusterConfiguration',
          lacking(configuration, parse(kept), 'ClusterConfiguration'),
          undefined,
        );
    },
  };
};
