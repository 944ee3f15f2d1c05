import type { VersionInfo } from '../machinery/server/index.ts';

/** The Kubernetes API that is served; clients compare its minor version with their own. */
export const version: VersionInfo = {
  major: '1',
  minor: '33',
  gitVersion: 'v1.33.0+capstan',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

/** Creation time of built-in objects, in milliseconds since the epoch: equal in every process. */
export const builtAt = Date.parse(version.buildDate);
