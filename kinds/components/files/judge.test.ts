import { describe, expect, it } from 'vitest';
import type { Component } from '../fault.ts';
import { fileCases } from './cases.fixture.ts';
import type { Host, Mount } from './host.ts';
import { judgeFiles } from './judge.ts';

const path = '/etc/kubernetes/files/config.yaml';
const mounts = [{ hostPath: '/etc/kubernetes/files', mountPath: '/etc/kubernetes/files' }];
const host = (content?: string, commands: string[] = []): Host => ({
  files: content === undefined ? [] : [{ path, content, field: 'files[0]' }],
  commands,
  certificatesDir: '/etc/kubernetes/pki',
});
const faults = (flag: string, text: string, minor = 35) =>
  judgeFiles('kube-apiserver', [{ name: flag, value: path }], minor, mounts, host(text));

describe.each(fileCases)('an API server with $flag', ({ flag, takes, refuses }) => {
  it.each(Object.entries(takes))('takes %s', (_, text) => expect(faults(flag, text)).toEqual([]));
  it.each(Object.entries(refuses))('exits on %s', (_, text) => expect(faults(flag, text)).not.toEqual([]));
});

const encryption = (field: string) =>
  `apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n- resources: [secrets]\n  ${field}\n`;
const kms = encryption('providers: [{kms: {name: k, endpoint: "unix:///k.sock"}}]');
const nope = encryption('nope: 1\n  providers: [{identity: {}}]');
const kind = (version: string, name: string, rest: string) =>
  `apiVersion: apiserver.config.k8s.io/${version}\nkind: ${name}\n${rest}\n`;
const node = 'authorizers: [{type: Node, name: node}]';

it.each<{ rule: string; flag: string; text: string; takes: number; refuses: number }>([
  { rule: 'an unknown field of encryption', flag: 'encryption-provider-config', text: nope, takes: 30, refuses: 31 },
  { rule: 'the first version of KMS', flag: 'encryption-provider-config', text: kms, takes: 28, refuses: 29 },
  {
    rule: 'the first version of authentication',
    flag: 'authentication-config',
    text: kind('v1', 'AuthenticationConfiguration', 'jwt: []'),
    takes: 34,
    refuses: 33,
  },
  {
    rule: 'the first version of authorization',
    flag: 'authorization-config',
    text: kind('v1', 'AuthorizationConfiguration', node),
    takes: 32,
    refuses: 31,
  },
])('takes $rule in 1.$takes and not in 1.$refuses', ({ flag, text, takes, refuses }) => {
  expect(faults(flag, text, takes)).toEqual([]);
  expect(faults(flag, text, refuses)).not.toEqual([]);
});

const valid = fileCases[0]!.takes.YAML!;
it.each<{
  rule: string;
  component?: Component;
  flag?: string;
  value?: string;
  mounts?: Mount[];
  host?: Host;
  says?: string;
}>([
  { rule: 'a file that is written and mounted', host: host(valid) },
  { rule: 'a file that is not mounted', mounts: [], host: host(valid), says: 'which its container does not have' },
  { rule: 'a file that nothing writes', says: `the host has no ${path}` },
  { rule: 'a file that a command writes', host: host(undefined, [`curl -o ${path} https://example.com`]) },
  { rule: 'a folder that a command only makes', host: host(undefined, [`mkdir -p ${path.slice(0, 21)}`]), says: 'no' },
  {
    rule: 'a file at another place of its container',
    value: '/audit/config.yaml',
    mounts: [{ hostPath: '/etc/kubernetes/files/', mountPath: '/audit' }],
    host: host(valid),
  },
  {
    rule: 'a file that is mounted itself',
    mounts: [{ hostPath: path, mountPath: path, pathType: 'File' }],
    host: host(valid),
  },
  {
    rule: 'a mounted file that does not exist',
    flag: 'audit-log-path',
    value: '/var/log/audit.log',
    mounts: [{ hostPath: '/var/log/audit.log', mountPath: '/var/log/audit.log', pathType: 'File' }],
    says: 'a volume mounts the file /var/log/audit.log',
  },
  {
    rule: 'a certificate that kubeadm makes',
    flag: 'etcd-cafile',
    value: '/etc/kubernetes/pki/etcd/ca.crt',
    mounts: [],
  },
  {
    rule: 'a certificate that nothing makes',
    flag: 'oidc-ca-file',
    value: '/etc/kubernetes/pki/oidc.crt',
    says: 'the host has no /etc/kubernetes/pki/oidc.crt',
  },
  { rule: "the image's certificates", flag: 'oidc-ca-file', value: '/etc/ssl/certs/ca-certificates.crt', mounts: [] },
  { rule: 'a path that only the host knows', value: '{{ ds.meta_data.file }}', mounts: [] },
  {
    rule: 'a configuration of the scheduler',
    component: 'kube-scheduler',
    flag: 'config',
    host: host('apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration\n'),
    says: 'no kind "KubeSchedulerConfiguration"',
  },
  { rule: 'a webhook that is not used without a policy', flag: 'audit-webhook-config-file', mounts: [] },
])('$rule', ({ component = 'kube-apiserver', flag = 'audit-policy-file', value = path, says, ...given }) => {
  const args = [{ name: flag, value }];
  const found = judgeFiles(component, args, 35, given.mounts ?? mounts, given.host ?? host());
  if (says === undefined) expect(found).toEqual([]);
  else expect(found.map(({ message }) => message)).toEqual([expect.stringContaining(says)]);
});

it('names the file of the configuration in which something is wrong', () =>
  expect(faults('audit-policy-file', 'kind: Policy')[0]).toMatchObject({ at: 'files[0]', code: 'FileRefused' }));
