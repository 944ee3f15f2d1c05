/** kubeadm.k8s.io/v1beta3 and v1beta4, field by field. Source: kubeadm's configuration reference. */
import {
  anything,
  boolean,
  duration,
  integer,
  list,
  map,
  object,
  type Shape,
  text,
  time,
} from '../../../kinds/components/shape.ts';

const token = object({
  token: text,
  description: text,
  ttl: duration,
  expires: time,
  usages: list(text),
  groups: list(text),
});
const taint = object({ key: text, value: text, effect: text, timeAdded: time });
const endpoint = object({ advertiseAddress: text, bindPort: integer });
const patches = object({ directory: text });
const volume = object({ name: text, hostPath: text, mountPath: text, readOnly: boolean, pathType: text });
const image = { imageRepository: text, imageTag: text };
const typeMeta = { apiVersion: text, kind: text };

/**
 * The differences between the versions: arguments as a map or as a list, and added or removed
 * fields.
 */
const documentsOf = (version: 'v1beta3' | 'v1beta4'): Record<string, Shape> => {
  const old = version === 'v1beta3';
  const args = old ? map(text) : list(object({ name: text, value: text }));
  const env: Record<string, Shape> = old
    ? {}
    : { extraEnvs: list(object({ name: text, value: text, valueFrom: anything })) };
  const component = { extraArgs: args, extraVolumes: list(volume), ...env };
  const timeouts: Record<string, Shape> = old
    ? {}
    : {
        timeouts: object({
          controlPlaneComponentHealthCheck: duration,
          kubeletHealthCheck: duration,
          kubernetesAPICall: duration,
          etcdAPICall: duration,
          tlsBootstrap: duration,
          discovery: duration,
          upgradeManifests: duration,
        }),
        dryRun: boolean,
      };
  const nodeRegistration = object({
    name: text,
    criSocket: text,
    taints: list(taint),
    kubeletExtraArgs: args,
    ignorePreflightErrors: list(text),
    imagePullPolicy: text,
    ...(!old && { imagePullSerial: boolean }),
  });
  return {
    InitConfiguration: object({
      ...typeMeta,
      bootstrapTokens: list(token),
      nodeRegistration,
      localAPIEndpoint: endpoint,
      certificateKey: text,
      skipPhases: list(text),
      patches,
      ...timeouts,
    }),
    ClusterConfiguration: object({
      ...typeMeta,
      etcd: object({
        local: object({
          ...image,
          dataDir: text,
          extraArgs: args,
          serverCertSANs: list(text),
          peerCertSANs: list(text),
          ...env,
        }),
        external: object({
          endpoints: list(text),
          caFile: text,
          certFile: text,
          keyFile: text,
          ...(!old && { httpEndpoints: list(text) }),
        }),
      }),
      networking: object({ serviceSubnet: text, podSubnet: text, dnsDomain: text }),
      kubernetesVersion: text,
      controlPlaneEndpoint: text,
      apiServer: object({ ...component, certSANs: list(text), ...(old && { timeoutForControlPlane: duration }) }),
      controllerManager: object(component),
      scheduler: object(component),
      dns: object({ ...image, ...(!old && { disabled: boolean }) }),
      certificatesDir: text,
      imageRepository: text,
      featureGates: map(boolean),
      clusterName: text,
      ...(!old && {
        proxy: object({ disabled: boolean }),
        encryptionAlgorithm: text,
        certificateValidityPeriod: duration,
        caCertificateValidityPeriod: duration,
      }),
    }),
    JoinConfiguration: object({
      ...typeMeta,
      nodeRegistration,
      caCertPath: text,
      discovery: object({
        bootstrapToken: object({
          token: text,
          apiServerEndpoint: text,
          caCertHashes: list(text),
          unsafeSkipCAVerification: boolean,
        }),
        file: object({ kubeConfigPath: text }),
        tlsBootstrapToken: text,
        ...(old && { timeout: duration }),
      }),
      controlPlane: object({ localAPIEndpoint: endpoint, certificateKey: text }),
      skipPhases: list(text),
      patches,
      ...timeouts,
    }),
  };
};

/** By API version, then kind. */
export const kubeadmApi: Record<string, Record<string, Shape>> = {
  'kubeadm.k8s.io/v1beta3': documentsOf('v1beta3'),
  'kubeadm.k8s.io/v1beta4': documentsOf('v1beta4'),
};

/** The first minor release of kubeadm that reads each API version. */
export const sinceMinor: Record<string, number> = { 'kubeadm.k8s.io/v1beta3': 22, 'kubeadm.k8s.io/v1beta4': 31 };
