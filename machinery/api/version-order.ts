/** The order of API versions: v2 before v1, released before beta before alpha, other names last. */

/** Above zero for `v1`, `v2beta1` and their like, the higher the more they are preferred. */
const rankOf = (version: string): number => {
  const [, major, stage, minor] = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version) ?? [];
  if (major === undefined) return 0;
  const stages: Record<string, number> = { alpha: 1, beta: 2 };
  return (stage ? stages[stage]! : 3) * 1e12 + Number(major) * 1e6 + Number(minor ?? 0);
};

/** Sorts the most preferred version first. */
export const compareVersions = (a: string, b: string): number => rankOf(b) - rankOf(a) || (a < b ? -1 : a > b ? 1 : 0);
