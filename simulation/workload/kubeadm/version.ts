/** Kubernetes versions, as kubeadm compares them. */

export interface KubernetesVersion {
  major: number;
  minor: number;
  patch: number;
  /** With its `v` and any suffix. */
  text: string;
}

export const parseVersion = (text: string): KubernetesVersion | undefined => {
  const [, major, minor, patch, rest] = /^v?(\d+)\.(\d+)\.(\d+)([-+][0-9A-Za-z.+-]+)?$/.exec(text.trim()) ?? [];
  if (major === undefined) return undefined;
  const numbers = { major: Number(major), minor: Number(minor), patch: Number(patch) };
  return { ...numbers, text: `v${major}.${minor}.${patch}${rest ?? ''}` };
};

/** Whether the AWS provider publishes the image, of which all programs and users are known. */
export const isPublished = ({ imageName }: { imageName: string }): boolean => imageName.startsWith('capa-ami-');

/** The version an image was built with: capa-ami-ubuntu-24.04-v1.35.0-1730000000 → v1.35.0. */
export const versionOfImage = (imageName: string): KubernetesVersion | undefined => {
  const found = /(?:^|[-_])v?(\d+\.\d+\.\d+)(?=$|[-_+])/.exec(imageName)?.[1];
  return found ? parseVersion(found) : undefined;
};

export const compareVersions = (a: KubernetesVersion, b: KubernetesVersion): number =>
  a.major - b.major || a.minor - b.minor || a.patch - b.patch;
