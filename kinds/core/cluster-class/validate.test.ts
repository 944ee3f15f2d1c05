import { describe, expect, it } from 'vitest';
import type { Admission } from '../../../machinery/api/kind.ts';
import { classOf, templateRef } from './class.fixture.ts';
import type { ClusterClassSpec } from './schema.ts';
import { validateClusterClass } from './validate.ts';

const admission = { operation: 'create', user: { username: 'user', groups: [] }, dryRun: false } as Admission;
type Spec = Partial<ClusterClassSpec>;
const fields = (spec: Spec) => validateClusterClass(classOf(spec), admission).map(({ field }) => field);

const { workers } = classOf().spec!;
const worker = workers!.machineDeployments![0]!;
const selector = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachineTemplate',
  matchResources: { machineDeploymentClass: { names: ['default-*'] } },
};
type JsonPatch = NonNullable<
  NonNullable<ClusterClassSpec['patches']>[number]['definitions']
>[number]['jsonPatches'][number];
const patching = (patch: JsonPatch, more: Partial<typeof selector> = {}): Spec => ({
  variables: [{ name: 'size', required: true, schema: { openAPIV3Schema: { type: 'string' } } }],
  patches: [{ name: 'size', definitions: [{ selector: { ...selector, ...more }, jsonPatches: [patch] }] }],
});
const at = 'spec.patches[0].definitions[0]';
const path = '/spec/template/spec/instanceType';

describe('validation', () => {
  it.each<{ rule: string; spec: Spec; refuses: string[] }>([
    { rule: 'accepts a class', spec: {}, refuses: [] },
    {
      rule: 'refuses references to what is no template',
      spec: { infrastructure: { templateRef: templateRef('AWSCluster', 'x') } },
      refuses: ['spec.infrastructure.templateRef.kind'],
    },
    {
      rule: 'refuses a class of workers twice',
      spec: { workers: { machineDeployments: [worker, worker] } },
      refuses: ['spec.workers.machineDeployments[1].class'],
    },
    {
      rule: 'refuses names that cannot be',
      spec: { workers: { machineDeployments: [{ ...worker, naming: { template: '{{ .none.x }}_{{ .random }}' } }] } },
      refuses: ['spec.workers.machineDeployments[0].naming.template'],
    },
    {
      rule: 'refuses a gap between versions',
      spec: { kubernetesVersions: ['v1.33.0', 'v1.35.0'] },
      refuses: ['spec.kubernetesVersions[1]'],
    },
    {
      rule: 'reserves the variable builtin',
      spec: { variables: [{ name: 'builtin', required: false, schema: { openAPIV3Schema: { type: 'string' } } }] },
      refuses: ['spec.variables[0].name'],
    },
    { rule: 'accepts a patch', spec: patching({ op: 'replace', path, valueFrom: { variable: 'size' } }), refuses: [] },
    {
      rule: 'refuses unknown variables',
      spec: patching({ op: 'replace', path, valueFrom: { variable: 'other.size' } }),
      refuses: [`${at}.jsonPatches[0].valueFrom.variable`],
    },
    {
      rule: 'refuses templates that cannot be parsed',
      spec: patching({ op: 'replace', path, valueFrom: { template: '{{ .size' } }),
      refuses: [`${at}.jsonPatches[0].valueFrom.template`],
    },
    {
      rule: 'refuses patches outside of spec',
      spec: patching({ op: 'add', path: '/metadata/name', value: 'x' }),
      refuses: [`${at}.jsonPatches[0].path`],
    },
    {
      rule: 'refuses an index within a list',
      spec: patching({ op: 'add', path: `${path}/3`, value: 'x' }),
      refuses: [`${at}.jsonPatches[0].path`],
    },
    {
      rule: 'refuses a patch without a value',
      spec: patching({ op: 'add', path }),
      refuses: [`${at}.jsonPatches[0]`],
    },
    {
      rule: 'refuses a selector without a match',
      spec: patching({ op: 'add', path, value: 'x' }, { kind: 'AWSClusterTemplate' }),
      refuses: [`${at}.selector.matchResources.machineDeploymentClass.names[0]`],
    },
  ])('$rule', ({ spec, refuses }) => expect(fields(spec)).toEqual(refuses));

  it('refuses a change of kinds', () => {
    const next = classOf({ controlPlane: { templateRef: templateRef('AWSManagedControlPlaneTemplate', 'x') } });
    const errors = validateClusterClass(next, { ...admission, operation: 'update', old: classOf() });
    expect(errors.map(({ field }) => field)).toContain('spec.controlPlane.templateRef.kind');
  });
});
