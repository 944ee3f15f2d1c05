import { expect, it } from 'vitest';
import { kubeadmConfigTemplate } from './index.ts';

const faults = (template: object, operation: 'create' | 'delete' = 'create') => {
  const object = { apiVersion: '', kind: '', metadata: { name: 'a' }, spec: { template } };
  const admission = { operation, user: { username: 'u', groups: [] }, dryRun: false };
  return kubeadmConfigTemplate.validate!(object, admission).map(({ field }) => field);
};

it.each([
  { rule: 'may be empty', template: {}, says: [] },
  {
    rule: 'must have labels that are valid for configs',
    template: { metadata: { labels: { a: 'b c' } } },
    says: ['spec.template.metadata.labels'],
  },
  {
    rule: 'must have annotations that are valid for configs',
    template: { metadata: { annotations: { 'a b': '' } } },
    says: ['spec.template.metadata.annotations'],
  },
  {
    rule: 'must have a spec that is valid for configs',
    template: { spec: { files: [{ path: '/a' }, { path: '/a' }] } },
    says: ['spec.template.spec.files[1].path'],
  },
])('a template $rule', ({ template, says }) => expect(faults(template)).toEqual(says));

it('can be deleted even when it is invalid', () =>
  expect(faults({ metadata: { labels: { a: 'b c' } } }, 'delete')).toEqual([]));
