/** The flag cloud-provider: in-tree providers left Kubernetes one by one. Pure. */
import { type Arg, type Component, type Fault, lastValueOf } from './fault.ts';

const flag = 'cloud-provider';
/** The in-tree providers that a minor release still has. */
const inTree = (minor: number): string[] => {
  if (minor >= 29) return [];
  const others = ['azure', 'gce', 'vsphere'];
  if (minor >= 27) return others;
  return minor >= 26 ? ['aws', ...others] : ['aws', 'openstack', ...others];
};

/** The components that act on it, and the first and last minors that refuse a value. */
const refusing: Partial<
  Record<Component, { first: number; last: number; output: (value: string, minor: number) => string }>
> = {
  'kube-apiserver': { first: 29, last: 32, output: (value) => `unknown --cloud-provider: ${value}` },
  'kube-controller-manager': {
    first: 0,
    last: Number.POSITIVE_INFINITY,
    output: (value, minor) =>
      minor >= 32
        ? `cloud provider "${value}" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`
        : `error building controller context: cloud provider could not be initialized: could not init cloud provider "${value}": unknown cloud provider "${value}"`,
  },
  kubelet: {
    first: 0,
    last: 33,
    output: (value, minor) =>
      minor >= 32
        ? `cloud provider "${value}" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`
        : `failed to run Kubelet: could not init cloud provider "${value}": unknown cloud provider "${value}"`,
  },
};

export const judgeCloudProvider = (component: Component, args: readonly Arg[], minor: number): Fault[] => {
  const value = lastValueOf(args, flag) ?? '';
  const rule = refusing[component];
  const isRefused =
    rule !== undefined &&
    minor >= rule.first &&
    minor <= rule.last &&
    value !== '' &&
    value !== 'external' &&
    !inTree(minor).includes(value);
  return isRefused
    ? [
        {
          flag,
          output: rule.output(value, minor),
          message: `there is no cloud provider ${value}`,
          remedy: `set ${flag} to external, and install the cloud controller manager`,
        },
      ]
    : [];
};
