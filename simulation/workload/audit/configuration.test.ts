import { expect, it } from 'vitest';
import { auditConfigurationOf } from './configuration.ts';

const manifest = {
  image: 'registry.k8s.io/kube-apiserver:v1.35.0',
  command: ['kube-apiserver', '--audit-policy-file=/audit/p.yaml', '--audit-webhook-config-file=/audit/w.yaml'],
  mounts: [{ hostPath: '/etc/kubernetes/audit', mountPath: '/audit' }],
};
const webhook = `apiVersion: v1
kind: Config
clusters:
- name: sink
  cluster: {server: "https://audit.example.com/events"}
users:
- name: sender
  user: {token: secret}
`;
const policy = 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n';
const host = (files: Record<string, string>) => ({
  files: Object.entries(files).map(([name, content]) => ({ path: `/etc/kubernetes/audit/${name}`, content })),
  commands: [],
  certificatesDir: '/etc/kubernetes/pki',
});

it('a policy and a webhook may be YAML, at another place of the container', () =>
  expect(auditConfigurationOf(manifest, host({ 'p.yaml': policy, 'w.yaml': webhook }))).toEqual({
    rules: [{ level: 'Metadata' }],
    server: 'https://audit.example.com/events',
    token: 'secret',
  }));

it('there is no webhook without a policy', () =>
  expect(auditConfigurationOf(manifest, host({ 'w.yaml': webhook }))).toBeUndefined());
