/** Which Kubernetes releases were never made. Pure. */

/** The last patch of minor versions that get no more. */
const lastPatches: Readonly<Record<number, number>> = {
  22: 17,
  23: 17,
  24: 17,
  25: 16,
  26: 15,
  27: 16,
  28: 15,
  29: 15,
  30: 14,
  31: 14,
  32: 13,
};

/** The last release of the minor version, if `version` is a later one; undefined where it may exist, or be a build of others. */
export const lastReleaseBefore = (version: string): string | undefined => {
  const [, minor, patch] = /^v1\.(\d+)\.(\d+)$/.exec(version) ?? [];
  const last = lastPatches[Number(minor)];
  return last !== undefined && Number(patch) > last ? `v1.${minor}.${last}` : undefined;
};
