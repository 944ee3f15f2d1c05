/** Which parts of a kubeadm configuration keep a machine of some version from joining its cluster. Pure. */
import { faultsOf } from './component.ts';
import type { Arg, Component, Fault, GivenArg } from './fault.ts';
import { historyOf } from './gates.ts';
import { entryOf } from './tables.ts';

interface Extended {
  extraArgs?: readonly GivenArg[] | undefined;
}
interface Registration {
  nodeRegistration?: { kubeletExtraArgs?: readonly GivenArg[] | undefined } | undefined;
}

/** The part of a KubeadmConfigSpec that programs get as flags. */
export interface KubeadmSpec {
  clusterConfiguration?:
    | {
        apiServer?: Extended | undefined;
        controllerManager?: Extended | undefined;
        scheduler?: Extended | undefined;
        etcd?: { local?: (Extended & { imageTag?: string | undefined }) | undefined } | undefined;
        featureGates?: Readonly<Record<string, boolean>> | undefined;
        imageRepository?: string | undefined;
      }
    | undefined;
  initConfiguration?: Registration | undefined;
  joinConfiguration?: Registration | undefined;
}

export interface SpecFault extends Fault {
  component: Component | 'kubeadm';
  /** In the KubeadmConfigSpec. */
  path: string;
  /** The program comes from a repository whose images may differ from the released ones. */
  isUncertain: boolean;
}

/** The minor of an etcd image's tag, such as 3.6.6-0. */
const etcdMinor = (tag: string): number => Number(/^v?3\.(\d+)\./.exec(tag)?.[1] ?? Number.NaN);

/** The etcd that kubeadm of a Kubernetes minor deploys. */
const defaultEtcd = (minor: number): number => (minor >= 37 ? 7 : minor >= 34 ? 6 : 5);

/** What kubeadm itself gives etcd: up to v1.33 for etcd 3.5, from v1.36 on for etcd 3.6. */
const etcdDefaults = (minor: number): Arg[] => {
  if (minor >= 36) return [{ name: 'feature-gates', value: 'InitialCorruptCheck=true' }];
  return minor <= 33 ? [{ name: 'experimental-initial-corrupt-check', value: 'true' }] : [];
};

/** The repositories of the project itself. */
const released = /^(?:registry\.k8s\.io|k8s\.gcr\.io)(?:\/|$)/;

const judgeEtcd = (
  { imageTag, extraArgs = [] }: Extended & { imageTag?: string | undefined },
  minor: number,
): Fault[] => {
  const release = imageTag === undefined ? defaultEtcd(minor) : etcdMinor(imageTag);
  const byKubeadm = imageTag === undefined ? [] : faultsOf('etcd', etcdDefaults(minor), release);
  return [
    ...byKubeadm.map((fault) => ({
      ...fault,
      message: `kubeadm of v1.${minor} starts etcd with --${fault.flag}, which ${imageTag} does not know`,
      remedy: 'leave out imageTag, or choose the version that this kubeadm deploys',
    })),
    ...faultsOf('etcd', extraArgs, release),
  ];
};

const judgeControlPlane = (cluster: NonNullable<KubeadmSpec['clusterConfiguration']>, minor: number): SpecFault[] => {
  const isUncertain = cluster.imageRepository !== undefined && !released.test(cluster.imageRepository);
  const at = (component: Component, path: string, faults: Fault[]) =>
    faults.map((fault) => ({ ...fault, component, path: `clusterConfiguration.${path}`, isUncertain }));
  const server = (component: Component, field: 'apiServer' | 'controllerManager' | 'scheduler') =>
    at(component, `${field}.extraArgs`, faultsOf(component, cluster[field]?.extraArgs ?? [], minor));
  return [
    ...server('kube-apiserver', 'apiServer'),
    ...server('kube-controller-manager', 'controllerManager'),
    ...server('kube-scheduler', 'scheduler'),
    ...at('etcd', 'etcd.local.extraArgs', judgeEtcd(cluster.etcd?.local ?? {}, minor)),
    ...judgeKubeadmGates(cluster.featureGates ?? {}, minor),
  ];
};

const judgeKubeadmGates = (gates: Readonly<Record<string, boolean>>, minor: number): SpecFault[] =>
  Object.keys(gates).flatMap((gate): SpecFault[] => {
    const entry = entryOf('kubeadmGates', gate, minor);
    if (entry.is !== 'unknown') return [];
    return [
      {
        component: 'kubeadm',
        path: 'clusterConfiguration.featureGates',
        flag: gate,
        output: `featureGates: Invalid value: "${gate}": ${gate} is not a valid feature name.`,
        message: `there is no feature gate ${gate}${historyOf(entry, 'kubeadmGates')}`,
        remedy: 'remove it',
        isUncertain: false,
      },
    ];
  });

/** Of a host that runs `minor`. Only hosts of the control plane run more than a kubelet. */
export const judgeKubeadmSpec = (spec: KubeadmSpec, minor: number, isControlPlane: boolean): SpecFault[] => {
  const kubelet = (field: 'initConfiguration' | 'joinConfiguration'): SpecFault[] =>
    faultsOf('kubelet', spec[field]?.nodeRegistration?.kubeletExtraArgs ?? [], minor).map((fault) => ({
      ...fault,
      component: 'kubelet',
      path: `${field}.nodeRegistration.kubeletExtraArgs`,
      isUncertain: false,
    }));
  return [
    ...(isControlPlane
      ? [...judgeControlPlane(spec.clusterConfiguration ?? {}, minor), ...kubelet('initConfiguration')]
      : []),
    ...kubelet('joinConfiguration'),
  ];
};

/** Of a finding: for flags that a release has no longer or not yet, and for all else that it refuses. */
export const codeOf = ({ output }: SpecFault): string =>
  /^(?:unknown flag|flag provided)/.test(output) ? 'FlagRemoved' : 'FlagRefused';

/** `kube-apiserver of v1.34 would exit: there is no flag --x`. */
export const sentenceOf = ({ component, message }: SpecFault, minor: number): string =>
  `${component} of v1.${minor} would exit: ${message}`;
