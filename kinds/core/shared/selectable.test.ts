import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../../machinery/api/errors.ts';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject, LabelSelector } from '../../../machinery/api/object.ts';
import { machineDeployment } from '../machine-deployment/index.ts';
import { machineSet } from '../machine-set/index.ts';

const cluster = 'cluster.x-k8s.io/cluster-name';
const deployment = 'cluster.x-k8s.io/deployment-name';
const set = 'cluster.x-k8s.io/set-name';
const hash = 'machine-template-hash';

interface Of {
  labels?: Record<string, string>;
  selector: LabelSelector;
  templateLabels?: Record<string, string>;
}
/** `templateLabels`: by default, the labels that the selector requires. */
const workers = ({ labels, selector, templateLabels = selector.matchLabels ?? {} }: Of): KubeObject =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    metadata: { name: 'workers', namespace: 'default', ...(labels && { labels }) },
    spec: {
      clusterName: 'c',
      selector,
      template: {
        metadata: { labels: templateLabels },
        spec: {
          clusterName: 'c',
          bootstrap: { dataSecretName: 'given' },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachineTemplate', name: 't' },
        },
      },
    },
  }) as unknown as KubeObject;

const faultsOf = (kind: typeof machineSet, of: Of, before?: Of) => {
  const user = { username: 'user', groups: [] };
  const create: Admission = { operation: 'create', user, dryRun: false };
  const old = before && kind.default!(workers(before), create);
  const admission: Admission = old ? { ...create, operation: 'update', old } : create;
  return kind.validate!(kind.default!(workers(of), admission), admission).map(
    (fault) => `${fault.field}: ${fieldMessage(fault)}`,
  );
};
const named = (key: string, value: string, given: string) =>
  `spec.selector.matchLabels[${key}]: Invalid value: "${value}": never selects a Machine: the controller labels each Machine with ${key}: ${given}; remove the label from the selector, or set it to "${given}"`;
const drawn = (key: string, value: string) =>
  `spec.selector.matchLabels[${key}]: Invalid value: "${value}": never selects a Machine: the controller labels each Machine with a generated value of ${key}; remove the label from the selector`;

describe('the selector of a MachineDeployment', () => {
  it.each<{ rule: string; of: Of; is: string[] }>([
    { rule: 'may be empty', of: { selector: {} }, is: [] },
    { rule: 'may require labels of the template', of: { selector: { matchLabels: { role: 'worker' } } }, is: [] },
    {
      rule: 'may require the deployment’s own label',
      of: { selector: { matchLabels: { [deployment]: 'workers' } } },
      is: [],
    },
    {
      rule: 'must not require another deployment',
      of: { selector: { matchLabels: { [cluster]: 'c', [deployment]: 'blue' } } },
      is: [named(deployment, 'blue', 'workers')],
    },
    {
      rule: 'must not require a MachineSet, whose name is generated',
      of: { selector: { matchLabels: { [set]: 'blue' } } },
      is: [drawn(set, 'blue')],
    },
    {
      rule: 'must not require a template hash, which differs per MachineSet',
      of: { selector: { matchLabels: { [hash]: '1' } } },
      is: [drawn(hash, '1')],
    },
    {
      rule: 'may exclude values of generated labels',
      of: { selector: { matchExpressions: [{ key: hash, operator: 'NotIn', values: ['1'] }] } },
      is: [],
    },
    {
      rule: 'must not exclude a label that every Machine has',
      of: {
        selector: {
          matchExpressions: [
            { key: 'role', operator: 'Exists' },
            { key: deployment, operator: 'NotIn', values: ['workers'] },
          ],
        },
        templateLabels: { role: 'worker', [deployment]: 'blue' },
      },
      is: [expect.stringMatching(/^spec.selector.matchExpressions\[1\]: .*deployment-name: workers; remove the label/)],
    },
    {
      rule: 'must not exclude the label of its MachineSet',
      of: { selector: { matchExpressions: [{ key: set, operator: 'DoesNotExist' }] } },
      is: [expect.stringContaining('the controller labels each Machine with a generated value of')],
    },
  ])('$rule', ({ of, is }) => expect(faultsOf(machineDeployment, of)).toEqual(is));
  it('stays accepted where an earlier release accepted it', () => {
    const of = { selector: { matchLabels: { [deployment]: 'blue' } } };
    expect(faultsOf(machineDeployment, of, of)).toEqual([]);
  });
});

describe('the selector of a MachineSet', () => {
  it.each<{ rule: string; of: Of; before?: Of; is: string[] }>([
    { rule: 'may be empty', of: { selector: {} }, is: [] },
    { rule: 'may require the set’s own label', of: { selector: { matchLabels: { [set]: 'workers' } } }, is: [] },
    {
      rule: 'may require a template hash without a MachineDeployment',
      of: { selector: { matchLabels: { [hash]: '1' } } },
      is: [],
    },
    {
      rule: 'gets the cluster label from the controller',
      of: { selector: { matchLabels: { [cluster]: 'other' } } },
      is: [],
    },
    {
      rule: 'must not require another set',
      of: { selector: { matchLabels: { [set]: 'blue' } } },
      is: [named(set, 'blue', 'workers')],
    },
    {
      rule: 'must not require another deployment than its own label names',
      of: { labels: { [deployment]: 'green' }, selector: { matchLabels: { [deployment]: 'blue' } } },
      is: [named(deployment, 'blue', 'green')],
    },
    {
      rule: 'may use a key named like a property of every JavaScript object',
      of: {
        selector: {
          matchLabels: { constructor: 'x' },
          matchExpressions: [{ key: 'toString', operator: 'DoesNotExist' }],
        },
        templateLabels: { constructor: 'x' },
      },
      is: [],
    },
    {
      rule: 'must not exclude its cluster',
      of: {
        selector: { matchExpressions: [{ key: cluster, operator: 'In', values: ['other'] }] },
        templateLabels: { [cluster]: 'other' },
      },
      is: [expect.stringContaining(`the controller labels each Machine with ${cluster}: c`)],
    },
    {
      rule: 'must not be changed to require another set',
      before: { selector: {} },
      of: { selector: { matchLabels: { [set]: 'blue' } } },
      is: [named(set, 'blue', 'workers')],
    },
  ])('$rule', ({ of, before, is }) => expect(faultsOf(machineSet, of, before)).toEqual(is));
});
