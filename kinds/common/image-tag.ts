/** Tags of images that hold a version. */
import { compareVersions, parseVersion } from './kubernetes-version.ts';

const versionOf = (tag: string) => parseVersion(`v${/^v?([\d.]+)/.exec(tag)?.[1]}`);

/**
 * A semantic version of one to three numbers; `_` stands for the `+` that image tags cannot have.
 */
export const isVersionTag = (tag: string): boolean =>
  /^v?\d+(?:\.\d+(?:\.\d+(?:-[0-9A-Za-z.-]+)?(?:_[0-9A-Za-z.-]+)?)?)?$/.test(tag);

/**
 * Compares CoreDNS tags by version number; a distribution's suffix does not make a tag older.
 * Undefined if a tag has no version.
 */
export const compareTags = (a: string, b: string): number | undefined => {
  const [left, right] = [versionOf(a), versionOf(b)];
  return left && right && compareVersions(left, right);
};
