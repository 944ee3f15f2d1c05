/**
 * What kubeadm's preflight refuses of a host, as far as its instance type and its configuration tell.
 * A check that `ignorePreflightErrors` names is passed. Pure.
 */
import { isWithin } from '../files/host.ts';

/** What is known of a host besides its configuration. */
export interface HostType {
  processors?: number | undefined;
  memoryMiB?: number | undefined;
  /** Whether its image is one that the AWS provider publishes, whose programs and users are known. */
  isPublished?: boolean | undefined;
}

export interface Mounted {
  device: string;
  point: string;
  type?: string | undefined;
}
export interface FileSystem {
  device: string;
  filesystem?: string | undefined;
  label?: string | undefined;
}

/** The host before kubeadm runs. */
export interface PreparedHost extends HostType {
  paths: readonly string[];
  mounts: readonly Mounted[];
  fileSystems: readonly FileSystem[];
  /** Commands and the scripts that they run. */
  commands: readonly string[];
}

/** What kubeadm is to do there. */
export interface KubeadmRun {
  command: 'init' | 'join';
  isControlPlane: boolean;
  criSocket?: string | undefined;
  ignored: readonly string[];
  skipPhases: readonly string[];
  bindPort: number;
  /** Undefined without an etcd of its own. */
  dataDir?: string | undefined;
  caCertPath?: string | undefined;
}

export interface HostFault {
  /** By which kubeadm ignores it. */
  check: string;
  why: string;
  remedy: string;
}

export const defaultDataDir = '/var/lib/etcd';
export const defaultBindPort = 6443;
const defaultAuthority = '/etc/kubernetes/pki/ca.crt';
const leastProcessors = 2;
const leastMiB = 1700;

/** The runtime on published images, under both names of its folder. */
const containerd = /^(?:unix:\/\/)?(?:\/var)?\/run\/containerd\/containerd\.sock$/;
/** What a command that installs the runtime behind a socket names. */
const runtimes: readonly [socket: RegExp, program: RegExp][] = [
  [/dockershim\.sock$/, /docker/],
  [/cri-dockerd\.sock$/, /docker/],
  [/crio\.sock$/, /cri-?o\b/],
];

const judgeSocket = (
  socket: string | undefined,
  minor: number,
  { isPublished, commands }: PreparedHost,
): HostFault[] => {
  if (!socket || /\{[{%]|\$/.test(socket) || containerd.test(socket)) return [];
  const refuse = (what: string): HostFault[] => [
    {
      check: 'CRI',
      why: `container runtime is not running: ${socket}: ${what}`,
      remedy: 'set it to unix:///var/run/containerd/containerd.sock, or leave it out',
    },
  ];
  if (/dockershim\.sock$/.test(socket) && minor >= 24) return refuse('the kubelet has no dockershim since v1.24');
  const program = runtimes.find(([pattern]) => pattern.test(socket))?.[1] ?? /containerd|cri/;
  const isInstalled = commands.some((command) => program.test(command));
  return isPublished && !isInstalled ? refuse('the image has no runtime there') : [];
};

const judgeCapacity = ({ processors, memoryMiB }: HostType): HostFault[] => [
  ...(processors !== undefined && processors < leastProcessors
    ? [
        {
          check: 'NumCPU',
          why: `the number of available CPUs ${processors} is less than the required ${leastProcessors}`,
          remedy: 'choose an instance type with more, or list NumCPU here',
        },
      ]
    : []),
  ...(memoryMiB !== undefined && memoryMiB < leastMiB
    ? [
        {
          check: 'Mem',
          why: `the system RAM (${memoryMiB} MB) is less than the minimum ${leastMiB} MB`,
          remedy: 'choose an instance type with more, or list Mem here',
        },
      ]
    : []),
];

const dashed = (path: string): string => path.replaceAll('/', '-');

const judgePaths = (paths: readonly string[], mustBeAbsent: readonly string[]): HostFault[] =>
  mustBeAbsent
    .filter((path) => paths.includes(path))
    .map((path) => ({
      check: `FileAvailable-${dashed(path)}`,
      why: `${path} already exists`,
      remedy: `leave it to kubeadm: remove ${path} from files`,
    }));

const mounted = ({ device, type }: Mounted, fileSystems: readonly FileSystem[]): string | undefined =>
  fileSystems.find((one) => one.device === device || (one.label && device === `LABEL=${one.label}`))?.filesystem ??
  type;

/** A file system of the ext family has a folder `lost+found` from its beginning. */
const judgeDataDir = (dataDir: string, { paths, mounts, fileSystems, commands }: PreparedHost): HostFault[] => {
  const directory = dataDir.replace(/\/+$/, '');
  if (commands.some((command) => command.includes(directory) || command.includes('lost+found'))) return [];
  const mount = mounts.find(({ point }) => point.replace(/\/+$/, '') === directory);
  const isExt = mount !== undefined && /^ext[234]$/.test(mounted(mount, fileSystems) ?? '');
  if (!isExt && !paths.some((path) => path !== directory && isWithin(path, directory))) return [];
  return [
    {
      check: `DirAvailable-${dashed(dataDir)}`,
      why: `${dataDir} is not empty`,
      remedy: isExt
        ? `its file system holds lost+found: set clusterConfiguration.etcd.local.dataDir to a folder in it, such as ${directory}/etcd`
        : 'write no files there',
    },
  ];
};

/** Ports of a host of the control plane that other programs than the API server use. */
const programPorts = { 22: 'sshd', 2379: 'etcd', 2380: 'etcd', 10250: 'the kubelet' } as const;
const localPorts = { 10257: 'kube-controller-manager', 10259: 'kube-scheduler' } as const;

const judgePorts = (bindPort: number): HostFault[] => {
  const program = ({ ...programPorts, ...localPorts } as Record<number, string>)[bindPort];
  return program === undefined
    ? []
    : [
        {
          check: `Port-${bindPort}`,
          why: `Port ${bindPort} is in use, by ${program}`,
          remedy: 'choose another localAPIEndpoint.bindPort',
        },
      ];
};

const manifests = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd'].map(
  (name) => `/etc/kubernetes/manifests/${name}.yaml`,
);
const kubeletFiles = ['/etc/kubernetes/kubelet.conf', '/etc/kubernetes/bootstrap-kubelet.conf'];

/** In the order of kubeadm's checks. */
export const judgeHost = (run: KubeadmRun, host: PreparedHost, minor: number): HostFault[] => {
  const { command, isControlPlane, ignored, skipPhases, caCertPath } = run;
  if (skipPhases.includes('preflight')) return [];
  const names = new Set(ignored.map((name) => name.toLowerCase()));
  const faults = [
    ...(isControlPlane
      ? [
          ...judgeCapacity(host),
          ...judgePorts(run.bindPort),
          ...judgePaths(host.paths, manifests),
          ...(run.dataDir === undefined ? [] : judgeDataDir(run.dataDir, host)),
        ]
      : judgePaths(host.paths, [caCertPath || defaultAuthority])),
    ...(command === 'join' ? judgePaths(host.paths, kubeletFiles) : []),
    ...judgeSocket(run.criSocket, minor, host),
  ];
  return faults.filter(({ check }) => !names.has('all') && !names.has(check.toLowerCase()));
};

/** As kubeadm prints them. */
export const preflightOutput = (faults: readonly HostFault[]): string =>
  ['[preflight] Some fatal errors occurred:', ...faults.map(({ check, why }) => `\t[ERROR ${check}]: ${why}`)].join(
    '\n',
  );
