/**
 * KubeadmConfig v1beta1: flags as maps, durations as strings, and fields that the stored version
 * lacks.
 */
import { boolean, type Infer, object, required, string, stringMap, time } from '../../../machinery/api/schema.ts';
import { conditions, duration, legacyConditions, observedGeneration } from '../../common/schema.ts';
import { boundedFailure, parts, text } from './schema-parts.ts';

const p = parts('v1beta1');

const typeMeta = {
  apiVersion: string('Ignored; kept from the time when this was a document of kubeadm.'),
  kind: string('Ignored; kept from the time when this was a document of kubeadm.'),
};
const component = (name: string) =>
  object(`Settings of the ${name}.`, {
    extraArgs: stringMap(`Flags of the ${name}, by name without dashes.`),
    extraEnvs: p.extraEnvs,
    extraVolumes: p.extraVolumes,
  });
const nodeRegistration = object('How the node registers itself.', {
  ...p.registration,
  kubeletExtraArgs: stringMap('Flags of the kubelet, by name without dashes.'),
});

const clusterConfiguration = object(
  'Settings of the whole cluster, used when it is initialised and when control plane nodes join.',
  {
    ...typeMeta,
    ...p.days,
    apiServer: object('Settings of the API server.', {
      certSANs: p.certSANs('API server'),
      extraArgs: stringMap('Flags of the API server, by name without dashes.'),
      extraEnvs: p.extraEnvs,
      extraVolumes: p.extraVolumes,
      timeoutForControlPlane: duration('How long kubeadm waits for the API server, as a duration.'),
    }),
    certificatesDir: p.certificatesDir,
    clusterName: string('Ignored; the name of the Cluster is used.', { maxLength: 63, minLength: 1 }),
    controlPlaneEndpoint: p.controlPlaneEndpoint,
    controllerManager: component('controller manager'),
    dns: p.dns,
    encryptionAlgorithm: p.encryptionAlgorithm,
    etcd: object('Where the state of the cluster is kept; etcd on the control plane nodes when empty.', {
      external: object('An etcd that others run.', {
        caFile: required(text('Path of the CA of etcd on the node.', 512)),
        certFile: required(text('Path of the client certificate on the node.', 512)),
        endpoints: required(p.endpoints('URLs of the members.')),
        keyFile: required(text('Path of the client key on the node.', 512)),
      }),
      local: object('etcd as a static pod on each control plane node.', {
        ...p.etcdImage,
        extraArgs: stringMap('Flags of etcd, by name without dashes.'),
        extraEnvs: p.extraEnvs,
        peerCertSANs: p.certSANs('peer'),
        serverCertSANs: p.certSANs('server'),
      }),
    }),
    featureGates: p.featureGates,
    imageRepository: p.imageRepository,
    kubernetesVersion: text('Ignored; the version of the Machine is used.', 256),
    networking: object('Ignored; the network of the Cluster is used.', {
      dnsDomain: text('Domain of the cluster.', 253),
      podSubnet: text('CIDR blocks of pods, separated by commas.', 1024),
      serviceSubnet: text('CIDR blocks of services, separated by commas.', 1024),
    }),
    scheduler: component('scheduler'),
  },
);

const initConfiguration = object('Settings of the first control plane node.', {
  ...typeMeta,
  bootstrapTokens: p.many(
    'Bootstrap tokens made when the cluster is initialised.',
    object('A bootstrap token.', {
      ...p.bootstrapToken,
      expires: time('When the token ends; excludes ttl.'),
      token: required(string('The token, as id.secret.')),
      ttl: duration('How long the token lives, as a duration; 24h when empty.'),
    }),
    100,
  ),
  localAPIEndpoint: p.localAPIEndpoint,
  nodeRegistration,
  patches: p.patches,
  skipPhases: p.skipPhases,
});

const joinConfiguration = object('Settings of every other node.', {
  ...typeMeta,
  caCertPath: p.caCertPath,
  controlPlane: p.controlPlane,
  discovery: object('How the node finds the cluster and trusts it.', {
    bootstrapToken: p.bootstrapTokenDiscovery,
    file: p.fileDiscovery,
    timeout: duration('How long to wait for the cluster information, as a duration.'),
    tlsBootstrapToken: p.tlsBootstrapToken,
  }),
  nodeRegistration,
  patches: p.patches,
  skipPhases: p.skipPhases,
});

export const kubeadmConfigSpec = object('What a machine runs at its first boot to become a node.', {
  ...p.node,
  clusterConfiguration,
  diskSetup: object('Partitions and file systems of further disks.', {
    filesystems: p.filesystems(p.filesystem),
    partitions: p.partitions(
      object('The partition table of a disk.', {
        ...p.partition,
        layout: required(boolean('True to make one partition of the whole disk.')),
      }),
    ),
  }),
  initConfiguration,
  joinConfiguration,
  useExperimentalRetryJoin: boolean('Ignored; kubeadm itself tries again.'),
});
export type KubeadmConfigSpec = Infer<typeof kubeadmConfigSpec>;

export const kubeadmConfigStatus = object('What was observed of the config.', {
  conditions: legacyConditions(),
  dataSecretName: text('Name of the Secret that holds the user data.', 253),
  ...boundedFailure,
  observedGeneration: observedGeneration('v1beta1'),
  ready: boolean('True once the Secret with the user data exists.'),
  v1beta2: object('Status fields as v1beta2 has them.', { conditions: conditions() }),
});
export type KubeadmConfigStatus = Infer<typeof kubeadmConfigStatus>;
