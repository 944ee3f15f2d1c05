import { expect, it } from 'vitest';
import { kubeletFailure, staticPodFailures } from './components.ts';
import { parseVersion } from './version.ts';

it.each<{ args: Record<string, string>; version: string; says?: string }>([
  { args: {}, version: 'v1.35.0' },
  { args: { 'cloud-provider': 'external', v: '2', 'node-labels': 'a=b' }, version: 'v1.35.0' },
  { args: { 'cloud-provider': '' }, version: 'v1.35.0' },
  { args: { 'pod-infra-container-image': 'pause' }, version: 'v1.34.9' },
  {
    args: { 'pod-infra-container-image': 'pause' },
    version: 'v1.35.0',
    says: 'err="failed to parse kubelet flag: unknown flag: --pod-infra-container-image"',
  },
  { args: { 'network-plugin': 'cni' }, version: 'v1.23.0' },
  { args: { 'network-plugin': 'cni' }, version: 'v1.24.0', says: 'unknown flag: --network-plugin' },
  { args: { 'cloud-provider': 'aws' }, version: 'v1.26.0' },
  { args: { 'cloud-provider': 'aws' }, version: 'v1.27.0', says: 'unknown cloud provider "aws"' },
  {
    args: { 'node-labels': 'node-role.kubernetes.io/infra=' },
    version: 'v1.30.2',
    says: "err=\"failed to validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified",
  },
  {
    args: { 'feature-gates': 'NoSuchGate=true' },
    version: 'v1.35.0',
    says: 'err="failed to set feature gates from initial flags-based config: unrecognized feature gate: NoSuchGate"',
  },
])('a kubelet of $version starts with $args unless it reports $says', ({ args, version, says }) => {
  const failure = kubeletFailure(args, parseVersion(version)!);
  if (says === undefined) expect(failure).toBeUndefined();
  else expect(failure).toContain(says);
});

const mounts = [{ hostPath: '/etc/audit', mountPath: '/etc/audit' }];
const host = {
  files: [{ path: '/etc/audit/policy.yaml', content: 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: []\n' }],
  commands: [],
  certificatesDir: '/etc/kubernetes/pki',
};
it.each<{ rule: string; image: string; command: string[]; says: string[] }>([
  {
    rule: 'runs with what its release knows',
    image: 'registry.k8s.io/kube-apiserver:v1.32.0',
    command: ['kube-apiserver', '--cloud-provider=external', '--profiling'],
    says: [],
  },
  {
    rule: 'exits with its own words',
    image: 'registry.k8s.io/kube-apiserver:v1.33.0',
    command: ['kube-apiserver', '--cloud-provider=external'],
    says: ['kube-apiserver: Error: unknown flag: --cloud-provider'],
  },
  {
    rule: "of etcd is judged by the image's version",
    image: 'registry.k8s.io/etcd:3.6.6-0',
    command: ['etcd', '--enable-v2=true'],
    says: ['etcd: flag provided but not defined: -enable-v2'],
  },
  {
    rule: 'exits on a file that it does not take',
    image: 'registry.k8s.io/kube-apiserver:v1.35.0',
    command: ['kube-apiserver', '--audit-policy-file=/etc/audit/policy.yaml'],
    says: [
      'kube-apiserver: Error: audit-policy-file: loading /etc/audit/policy.yaml: loaded illegal policy with 0 rules',
    ],
  },
  {
    rule: 'exits on a file that it does not find',
    image: 'registry.k8s.io/kube-apiserver:v1.35.0',
    command: ['kube-apiserver', '--audit-policy-file=/etc/other/policy.yaml'],
    says: ['kube-apiserver: Error: audit-policy-file: open /etc/other/policy.yaml: no such file or directory'],
  },
  {
    rule: 'of an unknown version runs',
    image: 'registry.example.com/etcd:latest',
    command: ['etcd', '--enable-v2=true'],
    says: [],
  },
])('a static Pod $rule', ({ image, command, says }) =>
  expect(staticPodFailures({ [command[0]!]: { image, command, mounts } }, host)).toEqual(says));
