import type { KubeadmConfig } from '../../../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import type { KubeadmControlPlane } from '../../../../kinds/controlplane-kubeadm/kubeadm-control-plane/index.ts';
import type { Cluster } from '../../../../kinds/core/cluster/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { Secret } from '../../../../kinds/kubernetes/secret/index.ts';
import type { Rule } from '../rule.ts';
import { missingIn } from './cloud-config.ts';
import { documentsIn, lacking, ownServerGate, saysOwnServer } from './kubeadm-documents.ts';

const clusterName = 'cluster.x-k8s.io/cluster-name';
const untouched = 'node.cluster.x-k8s.io/uninitialized';

export const userData: Rule = ({ world, wanted }, broken) => {
  const { mirror } = world;
  /** The user data contains everything that the spec asks for, in this order. */
  const expectAsked = (text: string, { spec }: KubeadmConfig, fail: (what: string) => void) => {
    const kubeadm = text.search(/kubeadm (init|join) --config/);
    for (const command of spec?.preKubeadmCommands ?? []) {
      const place = text.indexOf(command);
      if (place < 0 || place > kubeadm) fail(`does not run ${command} before kubeadm`);
    }
    for (const command of spec?.postKubeadmCommands ?? [])
      if (text.lastIndexOf(command) < kubeadm) fail(`does not run ${command} after kubeadm`);
    for (const { path } of spec?.files ?? []) if (!text.includes(`path: ${path}`)) fail(`comes without ${path}`);
    const { initConfiguration, joinConfiguration, clusterConfiguration } = spec ?? {};
    const isFirst = text.includes('kubeadm init --config');
    const { nodeRegistration } = (isFirst ? initConfiguration : joinConfiguration) ?? {};
    for (const { key } of nodeRegistration?.taints ?? [])
      if (!text.includes(`key: ${key}`)) fail(`joins without the taint ${key}`);
    const { apiServer, controllerManager, scheduler } = (isFirst && clusterConfiguration) || {};
    const asked = [
      nodeRegistration?.kubeletExtraArgs,
      ...[apiServer, controllerManager, scheduler].flatMap((one) => [one?.extraArgs, one?.extraEnvs]),
    ];
    for (const args of asked)
      for (const { name, value } of args ?? [])
        if (!new RegExp(`${name}: |name: "?${name}"?\\s`).test(text) || !text.includes(value ?? ''))
          fail(`does not pass ${name}=${value}`);
  };
  /**
   * kubeadm's documents match the spec of the config and of its Cluster. A join config's discovery
   * differs for each machine.
   */
  const expectSpelled = (text: string, { metadata, spec }: KubeadmConfig, fail: (what: string) => void) => {
    const { name, namespace = '', labels = {} } = metadata;
    const documents = documentsIn(text);
    const { clusterConfiguration, initConfiguration, joinConfiguration } = spec ?? {};
    const { discovery: _, ...join } = joinConfiguration ?? {};
    const { version } = mirror.get<Machine>('Machine', namespace, name)?.spec ?? {};
    const { featureGates = {} } = (documents.get('ClusterConfiguration') ?? {}) as { featureGates?: object };
    if (documents.has('ClusterConfiguration') && ownServerGate in featureGates !== saysOwnServer(version))
      fail(`has version ${version} and feature gates ${JSON.stringify(featureGates)}`);
    const cluster = mirror.get<Cluster>('Cluster', namespace, labels[clusterName] ?? '');
    const { controlPlaneEndpoint: endpoint, clusterNetwork } = cluster?.spec ?? {};
    const asked = {
      ClusterConfiguration: {
        ...clusterConfiguration,
        clusterName: labels[clusterName],
        kubernetesVersion: version,
        controlPlaneEndpoint: clusterConfiguration?.controlPlaneEndpoint ?? `${endpoint?.host}:${endpoint?.port}`,
        networking: {
          dnsDomain: clusterNetwork?.serviceDomain,
          podSubnet: clusterNetwork?.pods?.cidrBlocks.join(','),
          serviceSubnet: clusterNetwork?.services?.cidrBlocks.join(','),
        },
      },
      InitConfiguration: initConfiguration,
      JoinConfiguration: join,
    };
    for (const [kind, fields] of Object.entries(asked)) {
      const document = documents.get(kind);
      const lost = document && lacking(fields, document, kind);
      if (lost) fail(`does not pass ${lost} to kubeadm`);
    }
  };
  const secretOf = (name: string, key: string): string | undefined => {
    const { data = {} } = mirror.get<Secret>('Secret', 'default', name) ?? {};
    return data[key] === undefined ? undefined : Buffer.from(data[key], 'base64').toString();
  };
  const versionsOf = (cluster: string | undefined): string[] =>
    mirror
      .all<KubeadmControlPlane>('KubeadmControlPlane')
      .filter(({ metadata }) => metadata.labels?.[clusterName] === cluster)
      .flatMap(({ spec, status }) => [spec?.version ?? [], status?.version ?? []].flat());
  const expectData = (text: string, config: KubeadmConfig) => {
    const { name, labels = {} } = config.metadata;
    const fail = (what: string) => {
      throw broken(`${name} ${what}`);
    };
    const isControlPlane = 'cluster.x-k8s.io/control-plane' in labels;
    if (!isControlPlane && text.includes('PRIVATE KEY')) fail('is a worker, but receives a private key');
    if (!isControlPlane && !text.includes(untouched)) fail(`is a worker, but lacks the taint ${untouched}`);
    for (const file of text.split(/\n {2}- path: /).slice(1)) {
      const [path] = file.split('\n');
      if (file.includes('PRIVATE KEY') && !/permissions: "?0600/.test(file))
        fail(`lets users other than root read ${path}`);
      if (/\btoken: /.test(file) && !/permissions: "?0[0-7]{2}0/.test(file)) fail(`lets all users read ${path}`);
    }
    if (/unsafeSkipCAVerification: true/.test(text)) fail('joins without verifying the certificate authority');
    expectAsked(text, config, fail);
    expectSpelled(text, config, fail);
    const missing = missingIn(text, config.spec ?? {}, { secretOf, versions: versionsOf(labels[clusterName]) });
    if (missing !== undefined) fail(`boots without its ${missing}`);
  };
  return {
    onCommit: ({ object, writer }) => {
      // Runs that mutate fields may set any of them.
      if (object?.kind !== 'Secret' || writer !== 'kubeadm-config' || wanted().length === 0) return;
      const owner = object.metadata.ownerReferences?.find(({ kind }) => kind === 'KubeadmConfig');
      const config = owner && mirror.get<KubeadmConfig>('KubeadmConfig', object.metadata.namespace!, owner.name);
      const { value } = ((object as Secret).data ?? {}) as Record<string, string>;
      if (config && value) expectData(Buffer.from(value, 'base64').toString(), config);
    },
  };
};
