/** Kubernetes versions: semantic versions with a leading v. */
export interface KubernetesVersion {
  major: number;
  minor: number;
  patch: number;
  prerelease: string;
}

const number = '(0|[1-9]\\d*)';
const identifier = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const pattern = new RegExp(
  `^v${number}\\.${number}\\.${number}(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

/** Undefined if the text is not a version. */
export const parseVersion = (text: string): KubernetesVersion | undefined => {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [, major, minor, patch, prerelease = ''] = match;
  return { major: Number(major), minor: Number(minor), patch: Number(patch), prerelease };
};

const comparePrereleases = (a: string, b: string): number => {
  if (a === b) return 0;
  // A release comes after its own prereleases.
  if (a === '' || b === '') return a === '' ? 1 : -1;
  const [left, right] = [a.split('.'), b.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [x, y] = [left[i], right[i]];
    if (x === undefined || y === undefined) return x === undefined ? -1 : 1;
    if (x === y) continue;
    const [nx, ny] = [/^\d+$/.test(x), /^\d+$/.test(y)];
    if (nx && ny) return Number(x) - Number(y);
    if (nx !== ny) return nx ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
};

/** Negative, zero or positive, in semantic version order. */
export const compareVersions = (a: KubernetesVersion, b: KubernetesVersion): number =>
  a.major - b.major || a.minor - b.minor || a.patch - b.patch || comparePrereleases(a.prerelease, b.prerelease);

/** Whether they differ at most in patch and prerelease. */
export const isSameMinor = (a: KubernetesVersion, b: KubernetesVersion): boolean =>
  a.major === b.major && a.minor === b.minor;

/** A build of a distribution, such as v1.35.2-eks-113cf36, which chooses its patch release itself. */
const isBuild = (version: string): boolean => /^v\d+\.\d+\.\d+-(?!alpha|beta|rc)/.test(version);

/** Whether a kubelet of the one version is what was asked for with the other. */
export const isVersionOf = (kubelet: string, wanted: string): boolean => {
  const [is, asked] = [parseVersion(kubelet), parseVersion(wanted)];
  if (kubelet === wanted || !is || !asked) return kubelet === wanted;
  return isBuild(kubelet) && !isBuild(wanted) ? isSameMinor(is, asked) : compareVersions(is, asked) === 0;
};

/** Whether `text` has at least this minor version; false if it is not a version. */
export const isAtLeastMinor = (text: string, minor: number): boolean => {
  const version = parseVersion(text);
  return version !== undefined && (version.major > 1 || (version.major === 1 && version.minor >= minor));
};

/** The lowest of the versions; undefined if there are none. */
export const lowestVersion = (texts: readonly string[]): string | undefined =>
  texts
    .map((text) => ({ text, version: parseVersion(text) }))
    .filter((entry): entry is { text: string; version: KubernetesVersion } => entry.version !== undefined)
    .sort((a, b) => compareVersions(a.version, b.version))[0]?.text;

const minorIn = (text: string): number | undefined => {
  const [, minor] = /^v?1\.(\d+)/.exec(text) ?? [];
  return minor === undefined ? undefined : Number(minor);
};

/**
 * Whether a worker of this version would be of a newer minor release than the control plane, which such hosts
 * cannot join; false where either is not known. EKS names versions without v and patch release.
 */
export const isAheadOf = (worker: string | undefined, controlPlane: string | undefined): boolean => {
  const [its, there] = [worker, controlPlane].map((text) => minorIn(text ?? ''));
  return its !== undefined && there !== undefined && its > there;
};
