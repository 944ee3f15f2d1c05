import { describe, expect, it } from 'vitest';
import { fieldMessage } from '../../../machinery/api/errors.ts';
import type { Admission } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { defaultMachineDeployment } from './defaults.ts';
import { machineDeployment } from './index.ts';
import type { MachineDeployment } from './schema.ts';
import { validateMachineDeployment } from './validate.ts';

const admission = (old?: KubeObject): Admission => ({
  operation: old ? 'update' : 'create',
  ...(old && { old }),
  user: { username: 'somebody', groups: [] },
  dryRun: false,
});
const autoscaled = (min: string, max: string) => ({
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size': min,
  'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size': max,
});
type Of = { spec?: object; template?: object; templateSpec?: object; annotations?: object; name?: string };
const deployment = ({ spec, template, templateSpec, annotations, name = 'workers' }: Of = {}): MachineDeployment =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachineDeployment',
    metadata: { name, namespace: 'default', ...(annotations && { annotations }) },
    spec: {
      clusterName: 'c',
      selector: {},
      template: {
        spec: {
          clusterName: 'c',
          version: 'v1.35.0',
          bootstrap: { dataSecretName: 'given' },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AWSMachineTemplate', name: 't' },
          ...templateSpec,
        },
        ...template,
      },
      ...spec,
    },
  }) as unknown as MachineDeployment;
const defaulted = (of: Of, old?: KubeObject) =>
  defaultMachineDeployment(deployment(of), admission(old)) as MachineDeployment;

describe('defaults', () => {
  it('selects its own Machines, by its name, in its cluster', () => {
    const { metadata, spec } = defaulted({ spec: { selector: { matchLabels: {} } } });
    const own = { 'cluster.x-k8s.io/deployment-name': 'workers', 'cluster.x-k8s.io/cluster-name': 'c' };
    expect([spec?.selector.matchLabels, spec?.template.metadata?.labels]).toEqual([own, own]);
    expect(metadata.labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'c' });
  });
  it.each([
    ['template', { template: undefined }],
    ['spec of its template', { template: { spec: undefined } }],
  ])('leaves a missing %s to validation, as v1beta1 allows', (_, spec) => {
    const faults = validateMachineDeployment(defaulted({ spec }), admission());
    expect(faults.map(({ field }) => field)).toEqual(['spec.template.spec.bootstrap', 'spec.clusterName']);
  });
  it('keeps a selector and adds the cluster', () => {
    const { spec } = defaulted({ spec: { selector: { matchLabels: { a: 'b' } } } });
    expect(spec?.selector.matchLabels).toEqual({ a: 'b', 'cluster.x-k8s.io/cluster-name': 'c' });
  });
  it('sets a rolling update one by one', () => {
    expect(defaulted({}).spec?.rollout).toEqual({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    expect(defaulted({ spec: { rollout: { strategy: { type: 'OnDelete' } } } }).spec?.rollout?.strategy).toEqual({
      type: 'OnDelete',
    });
  });
  it('adds the v of a version', () => {
    expect(defaulted({ templateSpec: { version: '1.35.0' } }).spec?.template.spec.version).toBe('v1.35.0');
  });
  const having = (replicas: number) => deployment({ spec: { replicas } });
  it.each([
    {
      rule: 'keeps a given number',
      of: { spec: { replicas: 0 }, annotations: autoscaled('2', '5') },
      is: 0,
    },
    { rule: 'is one without autoscaler annotations', of: {}, is: 1 },
    { rule: 'is the autoscaler minimum', of: { annotations: autoscaled('2', '5') }, is: 2 },
    {
      rule: 'keeps the previous number within the range',
      of: { annotations: autoscaled('2', '5') },
      old: having(4),
      is: 4,
    },
    { rule: 'is the minimum when there were fewer', of: { annotations: autoscaled('2', '5') }, old: having(1), is: 2 },
    { rule: 'is the maximum when there were more', of: { annotations: autoscaled('2', '5') }, old: having(9), is: 5 },
    {
      rule: 'stays unset when the annotations are invalid',
      of: { annotations: autoscaled('two', '5') },
      is: undefined,
    },
  ])('replicas: $rule', ({ of, old, is }) => expect(defaulted(of, old).spec?.replicas).toBe(is));
});

describe('validation', () => {
  const faults = (of: Of, old?: Of) => {
    const before = old && defaulted(old);
    return validateMachineDeployment(defaulted(of, before), admission(before)).map(
      (fault) => `${fault.field}: ${fieldMessage(fault)}`,
    );
  };
  const strategy = (maxSurge: unknown, maxUnavailable: unknown) => ({
    spec: { rollout: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } } },
  });
  it.each([
    { rule: 'accepts a valid MachineDeployment', of: {}, is: [] },
    {
      rule: 'requires a valid version',
      of: { templateSpec: { version: 'v1.35' } },
      is: ['spec.template.spec.version: Invalid value: "v1.35": must be a valid semantic version'],
    },
    {
      rule: 'requires equal cluster names',
      of: { templateSpec: { clusterName: 'd' } },
      is: [
        'spec.clusterName: Invalid value: "c": spec.clusterName and spec.template.spec.clusterName must be set to the same value',
      ],
    },
    {
      rule: 'requires a rollout that can make progress',
      of: strategy(0, 0),
      is: ['spec.rollout.strategy.rollingUpdate: Invalid value: "0": maxUnavailable and maxSurge cannot both be 0'],
    },
    {
      rule: 'requires limits that are numbers or percentages',
      of: strategy('some', 0),
      is: [
        'spec.rollout.strategy.rollingUpdate.maxSurge: Invalid value: "some": must be either an int or a percentage: invalid value for IntOrString: invalid type: string is not a percentage',
      ],
    },
    {
      rule: 'rejects negative replicas',
      of: { spec: { replicas: -1 } },
      is: ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
    },
    {
      rule: 'requires a template that the selector matches',
      of: { spec: { selector: { matchLabels: { a: 'b' } } } },
      is: ['spec.template.metadata.labels: Forbidden: must match spec.selector "a=b,cluster.x-k8s.io/cluster-name=c"'],
    },
    {
      rule: 'requires unique machine names',
      of: { spec: { machineNaming: { template: 'fixed' } } },
      is: ['spec.machineNaming.template: Invalid value: "fixed": invalid template, {{ .random }} is missing'],
    },
    {
      rule: 'rejects another cluster',
      of: { spec: { clusterName: 'd' }, templateSpec: { clusterName: 'd' } },
      old: {},
      is: ['spec.selector: Forbidden: field is immutable', 'spec.clusterName: Forbidden: field is immutable'],
    },
    {
      rule: 'requires bootstrap data',
      of: { templateSpec: { bootstrap: {} } },
      is: [
        'spec.template.spec.bootstrap: Required value: expected either spec.template.spec.bootstrap.dataSecretName or spec.template.spec.bootstrap.configRef to be populated',
      ],
    },
    {
      rule: 'rejects reserved taints',
      of: {
        templateSpec: {
          taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule', propagation: 'Always' }],
        },
      },
      is: [
        'spec.template.spec.taints[0].key: Invalid value: "node.kubernetes.io/not-ready": taint key must not have the prefix node.kubernetes.io/, except for node.kubernetes.io/out-of-service',
      ],
    },
    {
      rule: 'rejects unknown preflight checks',
      of: { annotations: { 'machineset.cluster.x-k8s.io/skip-preflight-checks': 'Some' } },
      is: [
        'metadata.annotations.machineset.cluster.x-k8s.io/skip-preflight-checks: Invalid value: ["Some"]: skipped preflight check(s) must be among: [All ControlPlaneIsStable ControlPlaneVersionSkew KubeadmVersionSkew KubernetesVersionSkew]',
      ],
    },
  ])('$rule', ({ of, old, is }) => expect(faults(of, old)).toEqual(is));
  it('requires numeric autoscaler annotations', () => {
    expect(faults({ annotations: autoscaled('two', '5') })[0]).toContain('could not parse the value');
  });
  it('requires a name that is a valid label value', () => {
    expect(faults({ name: 'w'.repeat(64) })[0]).toBe(
      `metadata.name: Invalid value: "${'w'.repeat(64)}": must be a valid label value: must be no more than 63 characters`,
    );
  });

  const v1beta1 = machineDeployment.versions.find(({ name }) => name === 'v1beta1');
  const older = (spec: object) =>
    v1beta1
      ?.validate?.({ ...deployment(), spec: { template: { spec } } } as KubeObject)
      .map((fault) => `${fault.field}: ${fieldMessage(fault)}`);
  it('rejects references into other namespaces and invalid durations in v1beta1', () => {
    expect(older({ infrastructureRef: { namespace: 'other' }, nodeDrainTimeout: 'long' })).toEqual([
      'spec.template.spec.infrastructureRef.namespace: Invalid value: "other": must match metadata.namespace',
      'spec.template.spec.nodeDrainTimeout: Invalid value: "long": must be a duration such as 5m0s',
    ]);
  });
  it('warns that v1beta1 is deprecated', () => {
    expect(v1beta1?.deprecationWarning).toBe(
      'cluster.x-k8s.io/v1beta1 MachineDeployment is deprecated; use cluster.x-k8s.io/v1beta2 MachineDeployment',
    );
  });
});
