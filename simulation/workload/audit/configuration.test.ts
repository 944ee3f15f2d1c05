import { describe, expect, it } from 'vitest';
import { auditConfigurationOf, auditFailure } from './configuration.ts';

const manifest = {
  image: 'registry.k8s.io/kube-apiserver:v1.35.0',
  command: ['kube-apiserver', '--audit-policy-file=/p.yaml', '--audit-webhook-config-file=/w.yaml'],
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
const policy = (rules: string) => `apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n${rules}`;

it('a policy and a webhook may be YAML', () => {
  const files = new Map([
    ['/p.yaml', policy('- level: Metadata\n')],
    ['/w.yaml', webhook],
  ]);
  expect(auditFailure(manifest, files)).toBeUndefined();
  expect(auditConfigurationOf(manifest, files)).toEqual({
    rules: [{ level: 'Metadata' }],
    server: 'https://audit.example.com/events',
    token: 'secret',
  });
});

describe('an API server', () => {
  const failureOf = (text: string) => auditFailure(manifest, new Map([['/p.yaml', text]]));
  it.each([
    { rule: 'a policy in JSON', text: '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"None"}]}' },
    { rule: 'an unknown field', text: `${policy('- level: Metadata\n')}nope: true\n` },
    { rule: 'a wildcard at the end of a URL', text: policy('- {level: None, nonResourceURLs: ["/healthz*"]}\n') },
  ])('takes $rule', ({ text }) => expect(failureOf(text)).toBeUndefined());

  it.each([
    {
      rule: 'an older API version',
      text: policy('- level: None\n').replace('/v1', '/v1beta1'),
      says: 'no kind "Policy" is registered for version "audit.k8s.io/v1beta1"',
    },
    { rule: 'a policy without rules', text: policy('').replace('rules:\n', 'rules: []'), says: 'with 0 rules' },
    { rule: 'an unknown level', text: policy('- level: Everything\n'), says: 'Unsupported value: "Everything"' },
    {
      rule: 'a group with a slash',
      text: policy('- {level: None, resources: [{group: apps/v1}]}\n'),
      says: 'group must not contain a slash',
    },
    {
      rule: 'a wildcard inside of a URL',
      text: policy('- {level: None, nonResourceURLs: ["/a*b"]}\n'),
      says: 'must be the final character',
    },
    {
      rule: 'resources and URLs in one rule',
      text: policy('- {level: None, resources: [{group: ""}], nonResourceURLs: ["/a"]}\n'),
      says: 'both regular resources and non-resource URLs',
    },
    { rule: 'broken YAML', text: 'rules: [', says: 'error converting YAML to JSON' },
  ])('exits on $rule', ({ text, says }) => expect(failureOf(text)).toContain(says));
});
