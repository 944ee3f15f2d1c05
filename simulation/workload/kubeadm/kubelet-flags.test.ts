import { expect, it } from 'vitest';
import { startKubelet } from './kubelet-flags.ts';
import { parseVersion } from './version.ts';

it.each<{ args: Record<string, string>; version: string; says?: RegExp }>([
  { args: {}, version: 'v1.35.0' },
  { args: { 'cloud-provider': 'external', v: '2', 'node-labels': 'a=b' }, version: 'v1.35.0' },
  { args: { 'cloud-provider': '' }, version: 'v1.35.0' },
  { args: { 'pod-infra-container-image': 'pause' }, version: 'v1.34.9' },
  { args: { 'pod-infra-container-image': 'pause' }, version: 'v1.35.0', says: /flag: --pod-infra-container-image/ },
  { args: { 'container-runtime': 'remote' }, version: 'v1.26.0' },
  { args: { 'container-runtime': 'remote' }, version: 'v1.27.0', says: /flag: --container-runtime/ },
  { args: { 'network-plugin': 'cni' }, version: 'v1.23.0' },
  { args: { 'network-plugin': 'cni' }, version: 'v1.24.0', says: /flag: --network-plugin/ },
  { args: { 'cloud-provider': 'aws' }, version: 'v1.26.0' },
  { args: { 'cloud-provider': 'aws' }, version: 'v1.27.0', says: /unknown cloud provider "aws"/ },
])('a kubelet of $version starts with $args unless it reports $says', ({ args, version, says }) => {
  const start = () => startKubelet(args, parseVersion(version)!);
  if (says) expect(start).toThrow(says);
  else expect(start).not.toThrow();
});
