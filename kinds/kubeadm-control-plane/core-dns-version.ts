import { compareVersions, parseVersion } from '../kubeadm-config/kubernetes-version.ts';

const versionOf = (tag: string) => parseVersion(`v${/^v?([\d.]+)/.exec(tag)?.[1]}`);

/** Orders tags of CoreDNS by their numbers: what a distribution appends makes none older. Undefined where one tells no version. */
export const compareTags = (a: string, b: string): number | undefined => {
  const [left, right] = [versionOf(a), versionOf(b)];
  return left && right && compareVersions(left, right);
};
