/** Which parts of a kubeadm configuration keep a machine of some version from joining its cluster. Pure. */
import { faultsOf } from './component.ts';
import type { Arg, Component, Fault, GivenArg } from './fault.ts';
import { defaultCertificatesDir, type Host, type HostFile, type Mount, withScripts } from './files/host.ts';
import { judgeFiles } from './files/judge.ts';
import { historyOf } from './gates.ts';
import { faultOfTemplate } from './jinja/judge.ts';
import {
  judgeClusterConfiguration,
  judgeInitConfiguration,
  judgeJoinConfiguration,
  outputOf,
} from './kubeadm/config.ts';
import type { FieldFault } from './kubeadm/fields.ts';
import {
  defaultBindPort,
  defaultDataDir,
  type FileSystem,
  type HostFault,
  type HostType,
  judgeHost,
  type KubeadmRun,
  type PreparedHost,
} from './kubeadm/preflight.ts';
import { entryOf } from './tables.ts';
import { unknownOwner } from './users.ts';

interface Extended {
  extraArgs?: readonly GivenArg[] | undefined;
  extraVolumes?: readonly Mount[] | undefined;
}
interface Registration {
  nodeRegistration?:
    | {
        kubeletExtraArgs?: readonly GivenArg[] | undefined;
        taints?: readonly { key: string; value?: string | undefined; effect: string }[] | undefined;
        criSocket?: string | undefined;
        ignorePreflightErrors?: readonly string[] | undefined;
      }
    | undefined;
  skipPhases?: readonly string[] | undefined;
}
interface LocalEndpoint {
  localAPIEndpoint?: { bindPort?: number | undefined } | undefined;
}

interface GivenFile {
  path: string;
  content?: string | undefined;
  contentFrom?: { secret: { name: string; key: string } } | undefined;
  contentFormat?: string | undefined;
  encoding?: string | undefined;
  append?: boolean | undefined;
  owner?: string | undefined;
}

/** The part of a KubeadmConfigSpec that programs get as flags. */
export interface KubeadmSpec {
  clusterConfiguration?:
    | {
        apiServer?: Extended | undefined;
        controllerManager?: Extended | undefined;
        scheduler?: Extended | undefined;
        etcd?:
          | {
              local?: (Extended & { imageTag?: string | undefined; dataDir?: string | undefined }) | undefined;
              external?: object | undefined;
            }
          | undefined;
        featureGates?: Readonly<Record<string, boolean>> | undefined;
        imageRepository?: string | undefined;
        certificatesDir?: string | undefined;
      }
    | undefined;
  files?: readonly GivenFile[] | undefined;
  bootCommands?: readonly string[] | undefined;
  preKubeadmCommands?: readonly string[] | undefined;
  format?: string | undefined;
  mounts?: readonly (readonly string[])[] | undefined;
  diskSetup?: { filesystems?: readonly FileSystem[] | undefined } | undefined;
  initConfiguration?: (Registration & LocalEndpoint) | undefined;
  joinConfiguration?:
    | (Registration & { caCertPath?: string | undefined; controlPlane?: LocalEndpoint | undefined })
    | undefined;
}

/** A value of a Secret; undefined: not known. */
export type SecretValue = (source: { name: string; key: string }) => string | undefined;

export interface SpecFault extends Fault {
  component: Component | 'kubeadm' | 'cloud-init';
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

/** cloud-init renders braces when the machine boots. */
const isTemplate = (text: string): boolean => /\{[{%#]/.test(text);

const contentOf = (file: GivenFile, secret: SecretValue): string | undefined => {
  const { content, contentFrom, contentFormat, encoding = '', append } = file;
  const given = contentFrom ? secret(contentFrom.secret) : (content ?? '');
  if (given === undefined || contentFormat || append || encoding.startsWith('gz') || isTemplate(given))
    return undefined;
  return encoding === 'base64' ? Buffer.from(given, 'base64').toString('utf8') : given;
};

/** The host as its configuration makes it, before kubeadm runs. */
const hostOf = (spec: KubeadmSpec, secret: SecretValue): Host => {
  const files = (spec.files ?? []).map(
    (file, i): HostFile => ({ path: file.path, content: contentOf(file, secret), field: `files[${i}]` }),
  );
  return {
    files,
    commands: withScripts([...(spec.bootCommands ?? []), ...(spec.preKubeadmCommands ?? [])], files),
    certificatesDir: spec.clusterConfiguration?.certificatesDir || defaultCertificatesDir,
  };
};

const judgeControlPlane = (spec: KubeadmSpec, minor: number, secret: SecretValue): SpecFault[] => {
  const cluster = spec.clusterConfiguration ?? {};
  const host = hostOf(spec, secret);
  const isUncertain = cluster.imageRepository !== undefined && !released.test(cluster.imageRepository);
  const at = (component: Component, path: string, faults: Fault[]) =>
    faults.map((fault) => ({ ...fault, component, path: fault.at ?? `clusterConfiguration.${path}`, isUncertain }));
  const server = (component: Component, field: 'apiServer' | 'controllerManager' | 'scheduler') => {
    const { extraArgs = [], extraVolumes = [] } = cluster[field] ?? {};
    return at(component, `${field}.extraArgs`, [
      ...faultsOf(component, extraArgs, minor),
      ...judgeFiles(component, extraArgs, minor, extraVolumes, host),
    ]);
  };
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

const preflightFault = (path: string, { check, why, remedy }: HostFault): SpecFault => ({
  component: 'kubeadm',
  code: 'HostRefused',
  path,
  flag: '',
  output: `[ERROR ${check}]: ${why}`,
  message: `its check ${check} fails: ${why}`,
  remedy,
  isUncertain: false,
});

const preparedHost = (spec: KubeadmSpec, secret: SecretValue, type: HostType): PreparedHost => {
  const { files, commands } = hostOf(spec, secret);
  return {
    ...type,
    paths: files.map(({ path }) => path),
    mounts: (spec.mounts ?? []).map(([device = '', point = '', fileSystem]) => ({ device, point, type: fileSystem })),
    fileSystems: spec.diskSetup?.filesystems ?? [],
    commands,
  };
};

const judgePreflight = (
  spec: KubeadmSpec,
  minor: number,
  isControlPlane: boolean,
  secret: SecretValue,
  type: HostType,
): SpecFault[] => {
  const { clusterConfiguration, initConfiguration, joinConfiguration } = spec;
  const host = preparedHost(spec, secret, type);
  const runOf = (
    command: KubeadmRun['command'],
    { nodeRegistration, skipPhases = [] }: Registration = {},
    endpoint: LocalEndpoint = {},
  ): KubeadmRun => ({
    command,
    isControlPlane,
    criSocket: nodeRegistration?.criSocket,
    ignored: nodeRegistration?.ignorePreflightErrors ?? [],
    skipPhases,
    bindPort: endpoint.localAPIEndpoint?.bindPort || defaultBindPort,
    ...(!clusterConfiguration?.etcd?.external && {
      dataDir: clusterConfiguration?.etcd?.local?.dataDir || defaultDataDir,
    }),
    caCertPath: joinConfiguration?.caCertPath,
  });
  const faultsIn = (field: string, run: KubeadmRun): SpecFault[] =>
    judgeHost(run, host, minor).map((fault) =>
      preflightFault(
        `${field}.nodeRegistration.${fault.check === 'CRI' ? 'criSocket' : 'ignorePreflightErrors'}`,
        fault,
      ),
    );
  return [
    ...(isControlPlane ? faultsIn('initConfiguration', runOf('init', initConfiguration, initConfiguration)) : []),
    ...faultsIn('joinConfiguration', runOf('join', joinConfiguration, joinConfiguration?.controlPlane)),
  ];
};

/** cloud-init writes files before it makes users, and none after one whose owner it does not find. */
const judgeOwners = ({ files = [], bootCommands = [], format }: KubeadmSpec): SpecFault[] =>
  files.flatMap(({ owner, path }, i): SpecFault[] => {
    const name = unknownOwner(owner);
    if (format === 'ignition' || name === undefined || bootCommands.some((command) => command.includes(name)))
      return [];
    return [
      {
        component: 'cloud-init',
        code: 'OwnerRefused',
        path: `files[${i}].owner`,
        flag: '',
        output: `Unknown user or group: "getpwnam(): name not found: '${name}'"`,
        message: `the image has no user or group ${name} when ${path} is written, which is before users are made`,
        remedy: 'leave it out, and change the owner in preKubeadmCommands',
        isUncertain: false,
      },
    ];
  });

const kubeadmFault = (path: string, fault: FieldFault): SpecFault => ({
  component: 'kubeadm',
  code: 'KubeadmRefused',
  path: `${path}.${fault.path}`,
  flag: '',
  output: outputOf(fault),
  message: `${fault.value === undefined ? '' : `${fault.value}: `}${fault.why}`,
  remedy: 'change it',
  isUncertain: false,
});

/** Taints of workers are a flag of their kubelets; kubeadm itself puts those of control planes. */
const judgeRegistration = (
  spec: KubeadmSpec,
  field: 'initConfiguration' | 'joinConfiguration',
  minor: number,
): SpecFault[] => {
  const taints = spec[field]?.nodeRegistration?.taints ?? [];
  const value = taints.map(({ key, value: of, effect }) => `${key}${of ? `=${of}` : ''}:${effect}`).join(',');
  return faultsOf('kubelet', [{ name: 'register-with-taints', value }], minor).map((fault) => ({
    ...fault,
    component: 'kubelet',
    path: `${field}.nodeRegistration.taints`,
    isUncertain: false,
  }));
};

const judgeDocuments = (spec: KubeadmSpec, minor: number, isControlPlane: boolean): SpecFault[] => {
  const { clusterConfiguration = {}, initConfiguration = {}, joinConfiguration = {} } = spec;
  return [
    ...(isControlPlane
      ? [
          ...judgeClusterConfiguration(clusterConfiguration, minor).map((fault) =>
            kubeadmFault('clusterConfiguration', fault),
          ),
          ...judgeInitConfiguration({ ...initConfiguration }).map((fault) => kubeadmFault('initConfiguration', fault)),
          ...judgeRegistration(spec, 'initConfiguration', minor),
        ]
      : []),
    ...judgeJoinConfiguration({ ...joinConfiguration }).map((fault) => kubeadmFault('joinConfiguration', fault)),
    ...judgeRegistration(spec, 'joinConfiguration', minor),
  ];
};

/** The texts of user data, which is one template. YAML escapes those of commands. */
const templatesIn = (value: unknown, path: string): { path: string; text: string }[] => {
  if (typeof value === 'string')
    return [{ path, text: /Commands\[\d+\]$/.test(path) ? JSON.stringify(value).slice(1, -1) : value }];
  if (Array.isArray(value)) return value.flatMap((item, i) => templatesIn(item, `${path}[${i}]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => templatesIn(item, path === '' ? key : `${path}.${key}`));
};

/** What this program renders before cloud-init sees it, and what is encoded, is left out. */
const asRendered = (file: GivenFile, secret: SecretValue) => {
  const { content, contentFrom, contentFormat, encoding, ...rest } = file;
  const given = contentFrom ? secret(contentFrom.secret) : content;
  return { ...rest, ...(!contentFormat && !encoding && given !== undefined && { content: given }) };
};

const judgeTemplates = (spec: KubeadmSpec, isControlPlane: boolean, secret: SecretValue): SpecFault[] => {
  if (spec.format === 'ignition') return [];
  const { clusterConfiguration, initConfiguration, files = [], ...common } = spec;
  const rendered = {
    ...common,
    files: files.map((file) => asRendered(file, secret)),
    ...(isControlPlane && { clusterConfiguration, initConfiguration }),
  };
  return templatesIn(rendered, '').flatMap(({ path, text }): SpecFault[] => {
    const fault = faultOfTemplate(text);
    if (fault === undefined) return [];
    return [
      {
        component: 'cloud-init',
        code: 'TemplateRefused',
        path,
        flag: '',
        output: fault,
        message: fault,
        remedy: 'correct it, or put what is no template of cloud-init between {% raw %} and {% endraw %}',
        isUncertain: false,
      },
    ];
  });
};

export interface Surroundings {
  secret?: SecretValue;
  host?: HostType;
}

/** Of a host that runs `minor`. Only hosts of the control plane run more than a kubelet. */
export const judgeKubeadmSpec = (
  spec: KubeadmSpec,
  minor: number,
  isControlPlane: boolean,
  { secret = () => undefined, host = {} }: Surroundings = {},
): SpecFault[] => {
  const kubelet = (field: 'initConfiguration' | 'joinConfiguration'): SpecFault[] =>
    faultsOf('kubelet', spec[field]?.nodeRegistration?.kubeletExtraArgs ?? [], minor).map((fault) => ({
      ...fault,
      component: 'kubelet',
      path: `${field}.nodeRegistration.kubeletExtraArgs`,
      isUncertain: false,
    }));
  return [
    ...(isControlPlane ? [...judgeControlPlane(spec, minor, secret), ...kubelet('initConfiguration')] : []),
    ...kubelet('joinConfiguration'),
    ...judgeDocuments(spec, minor, isControlPlane),
    ...judgePreflight(spec, minor, isControlPlane, secret, host),
    ...(host.isPublished ? judgeOwners(spec) : []),
    ...judgeTemplates(spec, isControlPlane, secret),
  ];
};

/** Of a finding: for flags that a release has no longer or not yet, and for all else that it refuses. */
export const codeOf = ({ code, output }: SpecFault): string =>
  code ?? (/^(?:unknown flag|flag provided)/.test(output) ? 'FlagRemoved' : 'FlagRefused');

/** `kube-apiserver of v1.34 would exit: there is no flag --x`. */
export const messageOf = ({ component, message, code }: SpecFault, minor: number): string =>
  component === 'cloud-init' && code === 'OwnerRefused'
    ? `cloud-init would write no further files, and kubeadm would find none: ${message}`
    : component === 'cloud-init'
      ? `cloud-init would drop all user data, and run nothing: ${message}`
      : `${component} of v1.${minor} would ${component === 'kubeadm' ? 'refuse this' : 'exit'}: ${message}`;
