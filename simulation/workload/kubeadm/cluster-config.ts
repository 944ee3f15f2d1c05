/** What a ClusterConfiguration says that changes what happens. */
import { defaultCertificatesDir, type Mount } from '../../../kinds/components/files/host.ts';
import { defaultDataDir } from '../../../kinds/components/kubeadm/preflight.ts';
import { argsOf, ConfigError, type Fields, fields, milliseconds, textList, textOf } from './documents.ts';

/**
 * The fields of a ClusterConfiguration that the simulation acts on; `document` is the whole, as
 * given.
 */
export interface ClusterConfig {
  document: Record<string, unknown>;
  kubernetesVersion?: string;
  clusterName: string;
  controlPlaneEndpoint?: string;
  certSANs: string[];
  serviceSubnet: string;
  podSubnet?: string;
  dnsDomain: string;
  imageRepository: string;
  etcdImageTag?: string;
  etcdDataDir: string;
  dnsImage: { imageRepository?: string; imageTag?: string };
  externalEtcd: boolean;
  extraArgs: Record<'apiServer' | 'controllerManager' | 'scheduler' | 'etcd', Record<string, string>>;
  /** Of the programs' containers, besides kubeadm's own. */
  extraVolumes: Record<'apiServer' | 'controllerManager' | 'scheduler', Mount[]>;
  certificatesDir: string;
  featureGates: Record<string, boolean>;
  /** The validity of certificates that kubeadm issues. */
  certificateDays: number;
  authorityDays: number;
  proxyDisabled: boolean;
  dnsDisabled: boolean;
}

const days = (duration: unknown, fallback: number): number => {
  const ms = milliseconds(textOf(duration));
  return ms ? ms / (24 * 3_600_000) : fallback;
};

const mountsOf = (component: unknown): Mount[] => {
  const { extraVolumes } = fields(component);
  return Array.isArray(extraVolumes) ? (extraVolumes as Mount[]) : [];
};

/** Also reads the ClusterConfiguration from kubeadm's ConfigMap. */
export const clusterConfigOf = (document: Fields): ClusterConfig => {
  const { networking, dns, etcd, apiServer, controllerManager, scheduler, proxy, featureGates } = document;
  const { serviceSubnet, podSubnet, dnsDomain } = fields(networking);
  const { local, external } = fields(etcd);
  if (local && external)
    throw new ConfigError('etcd: Invalid value: "": must specify only one of etcd.local and etcd.external');
  const optional = {
    kubernetesVersion: textOf(document.kubernetesVersion),
    controlPlaneEndpoint: textOf(document.controlPlaneEndpoint),
    podSubnet: textOf(podSubnet),
    etcdImageTag: textOf(fields(local).imageTag),
  };
  return {
    document,
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    clusterName: textOf(document.clusterName) ?? 'kubernetes',
    certSANs: textList(fields(apiServer).certSANs),
    serviceSubnet: textOf(serviceSubnet) ?? '10.96.0.0/12',
    dnsDomain: textOf(dnsDomain) ?? 'cluster.local',
    imageRepository: textOf(document.imageRepository) ?? 'registry.k8s.io',
    dnsImage: fields(dns) as ClusterConfig['dnsImage'],
    etcdDataDir: textOf(fields(local).dataDir) ?? defaultDataDir,
    externalEtcd: external !== undefined && external !== null,
    extraArgs: {
      apiServer: argsOf(fields(apiServer).extraArgs),
      controllerManager: argsOf(fields(controllerManager).extraArgs),
      scheduler: argsOf(fields(scheduler).extraArgs),
      etcd: argsOf(fields(local).extraArgs),
    },
    extraVolumes: {
      apiServer: mountsOf(apiServer),
      controllerManager: mountsOf(controllerManager),
      scheduler: mountsOf(scheduler),
    },
    certificatesDir: textOf(document.certificatesDir) ?? defaultCertificatesDir,
    featureGates: fields(featureGates) as Record<string, boolean>,
    certificateDays: days(document.certificateValidityPeriod, 365),
    authorityDays: days(document.caCertificateValidityPeriod, 3650),
    proxyDisabled: fields(proxy).disabled === true,
    dnsDisabled: fields(dns).disabled === true,
  };
};
