/** KubeadmConfig v1beta2, the stored version. */
import { boolean, type Infer, int32, listMap, object, required, string } from '../../../machinery/api/schema.ts';
import { conditions, deprecated, observedGeneration } from '../../common/schema.ts';
import { boundedFailure, parts, text } from './schema-parts.ts';

const p = parts('v1beta2');

/** `field`: the name of the list in messages. */
const args = (description: string, field = 'extraArgs') =>
  listMap(
    description,
    ['name', 'value'],
    object('One flag.', {
      name: required(text('Name of the flag, without dashes.', 256)),
      value: required(string('Value of the flag.', { maxLength: 1024, minLength: 0 })),
    }),
    {
      maxItems: 100,
      minItems: 1,
      'x-kubernetes-validations': [
        { rule: 'self.all(x, self.exists_one(y, x.name == y.name))', message: `${field} name must be unique` },
      ],
    },
  );

const component = (name: string) =>
  object(
    `Settings of the ${name}.`,
    { extraArgs: args(`Flags of the ${name}.`), extraEnvs: p.extraEnvs, extraVolumes: p.extraVolumes },
    p.struct,
  );

const seconds = (description: string) => int32(description, { minimum: 0 });
const timeouts = object(
  'How long kubeadm waits for what. From Kubernetes 1.31, before it only the first is used.',
  {
    controlPlaneComponentHealthCheckSeconds: seconds(
      'Seconds to wait for a control plane component to become healthy.',
    ),
    discoverySeconds: seconds('Seconds to wait for the cluster information.'),
    etcdAPICallSeconds: seconds('Seconds to wait for a call to etcd.'),
    kubeletHealthCheckSeconds: seconds('Seconds to wait for the kubelet to become healthy.'),
    kubernetesAPICallSeconds: seconds('Seconds to wait for a call to the API server.'),
    tlsBootstrapSeconds: seconds('Seconds to wait for the kubelet to get its certificate.'),
  },
  p.struct,
);

const nodeRegistration = object(
  'How the node registers itself.',
  { ...p.registration, kubeletExtraArgs: args('Flags of the kubelet.', 'kubeletExtraArgs') },
  p.struct,
);

const clusterConfiguration = object(
  'Settings of the whole cluster, used when it is initialised and when control plane nodes join.',
  {
    ...p.days,
    apiServer: object(
      'Settings of the API server.',
      {
        certSANs: p.certSANs('API server'),
        extraArgs: args('Flags of the API server.'),
        extraEnvs: p.extraEnvs,
        extraVolumes: p.extraVolumes,
      },
      p.struct,
    ),
    certificatesDir: p.certificatesDir,
    controlPlaneEndpoint: p.controlPlaneEndpoint,
    controllerManager: component('controller manager'),
    dns: p.dns,
    encryptionAlgorithm: p.encryptionAlgorithm,
    etcd: object(
      'Where the state of the cluster is kept; etcd on the control plane nodes when empty.',
      {
        external: object('An etcd that others run.', {
          caFile: required(text('Path of the CA of etcd on the node.', 512)),
          certFile: required(text('Path of the client certificate on the node.', 512)),
          endpoints: required(p.endpoints('URLs of the members.')),
          keyFile: required(text('Path of the client key on the node.', 512)),
        }),
        local: object(
          'etcd as a static pod on each control plane node.',
          {
            ...p.etcdImage,
            extraArgs: args('Flags of etcd.'),
            extraEnvs: p.extraEnvs,
            peerCertSANs: p.certSANs('peer'),
            serverCertSANs: p.certSANs('server'),
          },
          p.struct,
        ),
      },
      p.struct,
    ),
    featureGates: p.featureGates,
    imageRepository: p.imageRepository,
    scheduler: component('scheduler'),
  },
  p.struct,
);

const initConfiguration = object(
  'Settings of the first control plane node.',
  {
    bootstrapTokens: p.many(
      'Bootstrap tokens made when the cluster is initialised.',
      object('A bootstrap token.', {
        ...p.bootstrapToken,
        token: required(text('The token, as id.secret.', 23)),
        ttlSeconds: int32('Seconds until the token ends; 86400 when unset.', { minimum: 0 }),
      }),
      100,
    ),
    localAPIEndpoint: p.localAPIEndpoint,
    nodeRegistration,
    patches: p.patches,
    skipPhases: p.skipPhases,
    timeouts,
  },
  p.struct,
);

const joinConfiguration = object(
  'Settings of every other node.',
  {
    caCertPath: p.caCertPath,
    controlPlane: p.controlPlane,
    discovery: object(
      'How the node finds the cluster and trusts it.',
      {
        bootstrapToken: p.bootstrapTokenDiscovery,
        file: p.fileDiscovery,
        tlsBootstrapToken: p.tlsBootstrapToken,
      },
      p.struct,
    ),
    nodeRegistration,
    patches: p.patches,
    skipPhases: p.skipPhases,
    timeouts,
  },
  p.struct,
);

export const kubeadmConfigSpec = object(
  'What a machine runs at its first boot to become a node.',
  {
    ...p.node,
    clusterConfiguration,
    diskSetup: object(
      'Partitions and file systems of further disks.',
      {
        filesystems: p.filesystems(p.filesystem),
        partitions: p.partitions(
          object(
            'The partition table of a disk.',
            { ...p.partition, layout: boolean('True to make one partition of the whole disk; excludes diskLayout.') },
            {
              'x-kubernetes-validations': [
                {
                  rule: '[has(self.layout),has(self.diskLayout)].filter(x,x==true).size() == 1',
                  message: 'exactly one of the fields in [layout diskLayout] must be set',
                },
              ],
            },
          ),
        ),
      },
      p.struct,
    ),
    initConfiguration,
    joinConfiguration,
  },
  p.struct,
);
export type KubeadmConfigSpec = Infer<typeof kubeadmConfigSpec>;
export type ClusterConfiguration = Infer<typeof clusterConfiguration>;
export type InitConfiguration = Infer<typeof initConfiguration>;
export type JoinConfiguration = Infer<typeof joinConfiguration>;
export type NodeRegistration = Infer<typeof nodeRegistration>;
export type Timeouts = Infer<typeof timeouts>;
export type Arg = { name: string; value: string };
export type File = NonNullable<KubeadmConfigSpec['files']>[number];

export const kubeadmConfigStatus = object(
  'What was observed of the config.',
  {
    conditions: conditions(),
    dataSecretName: text('Name of the Secret that holds the user data.', 253),
    deprecated: deprecated(boundedFailure),
    initialization: object(
      'Facts about the first provisioning; they never turn back.',
      { dataSecretCreated: boolean('True once the Secret with the user data exists.') },
      { minProperties: 1 },
    ),
    observedGeneration: observedGeneration('v1beta2'),
  },
  { minProperties: 1 },
);
export type KubeadmConfigStatus = Infer<typeof kubeadmConfigStatus>;
