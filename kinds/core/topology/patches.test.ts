import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { ClusterClassSpec } from '../cluster-class/schema.ts';
import type { Variables } from './builtins.ts';
import { patchedTemplates } from './patches.ts';
import { patchValue, variableAt } from './values.ts';

const variables: Variables = {
  size: 'large',
  zones: [{ name: 'a' }, { name: 'b' }],
  settings: { level: 3, tags: ['x', 'y'] },
  on: true,
  builtin: { controlPlane: { version: 'v1.35.1' } },
};

describe('values', () => {
  it.each([
    ['size', 'large'],
    ['settings.level', 3],
    ['zones[1].name', 'b'],
    ['settings.tags[0]', 'x'],
    ['builtin.controlPlane.version', 'v1.35.1'],
  ])('finds %s', (path, is) => expect(variableAt(variables, path)).toEqual(is));

  it.each([
    ['none', 'variable "none" does not exist'],
    ['settings.none', 'variable "settings.none" does not exist: failed to lookup segment "none"'],
    ['zones[7]', 'variable "zones[7]" is invalid: array does not have index 7'],
    ['size[0]', 'variable "size[0]" is invalid: failed to get array "size"'],
  ])('misses %s', (path, why) => expect(() => variableAt(variables, path)).toThrow(why));

  it.each([
    { rule: 'as YAML', template: 'a: {{ .settings.level }}\nb: [{{ .size }}]', is: { a: 3, b: ['large'] } },
    { rule: 'as a string if quoted', template: '"{{ .settings.level }}"', is: '3' },
    { rule: 'as a boolean', template: '{{ eq .size "large" }}', is: true },
    { rule: 'as nothing', template: '{{ if false }}x{{ end }}', is: null },
  ])('renders $rule', ({ template, is }) => expect(patchValue({ valueFrom: { template } }, variables)).toEqual(is));
});

const template: KubeObject = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'AWSMachineTemplate',
  metadata: { name: 't', labels: { a: 'b' } },
  spec: { template: { spec: { instanceType: 'small', list: ['b'] } } },
};
type Patches = NonNullable<ClusterClassSpec['patches']>;
const selecting = (names: string[], controlPlane = false) => ({
  apiVersion: template.apiVersion,
  kind: template.kind,
  matchResources: { machineDeploymentClass: { names }, ...(controlPlane && { controlPlane }) },
});
const path = '/spec/template/spec/instanceType';
const holder = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineDeployment',
  namespace: 'default',
  name: 'c-pool',
  fieldPath: 'spec.template.spec.infrastructureRef',
};
const worker = { part: 'machineDeployment' as const, className: 'pool-a' };

const patched = (patches: Patches, use: typeof worker | { part: 'controlPlane' } = worker): unknown =>
  patchedTemplates([{ object: template, use, holder, variables }], patches)[0]!.spec;
const specOf = (spec: object) => ({ template: { spec: { instanceType: 'small', list: ['b'], ...spec } } });
const one = (names: string[], jsonPatches: NonNullable<Patches[number]['definitions']>[number]['jsonPatches']) => [
  { name: 'p', definitions: [{ selector: selecting(names), jsonPatches }] },
];

describe('patches', () => {
  it.each<{ rule: string; patches: Patches; spec: object }>([
    {
      rule: 'replace a value',
      patches: one(['pool-*'], [{ op: 'replace', path, valueFrom: { variable: 'size' } }]),
      spec: { instanceType: 'large' },
    },
    {
      rule: 'leave templates of other classes',
      patches: one(['*-b'], [{ op: 'replace', path, value: 'x' }]),
      spec: {},
    },
    {
      rule: 'see what earlier ones changed',
      patches: one(
        ['*'],
        [
          { op: 'add', path: '/spec/template/spec/map', value: {} },
          { op: 'add', path: '/spec/template/spec/map/a', value: 1 },
          { op: 'add', path: '/spec/template/spec/list/-', value: 'c' },
          { op: 'add', path: '/spec/template/spec/list/0', value: 'a' },
        ],
      ),
      spec: { map: { a: 1 }, list: ['a', 'b', 'c'] },
    },
    {
      rule: 'apply only if they are enabled',
      patches: [
        { ...one(['*'], [{ op: 'replace', path, value: 'x' }])[0]!, enabledIf: '{{ not .on }}' },
        { ...one(['*'], [{ op: 'remove', path: '/spec/template/spec/list' }])[0]!, name: 'q', enabledIf: '{{ .on }}' },
      ],
      spec: { list: undefined },
    },
  ])('$rule', ({ patches, spec }) => expect(patched(patches)).toEqual(specOf(spec)));

  it('change only spec, labels and annotations', () => {
    const [object] = patchedTemplates(
      [{ object: template, use: worker, holder, variables }],
      one(['*'], [{ op: 'add', path: '/spec/template/spec/x', value: 1 }]),
    );
    expect(object).toMatchObject({ metadata: { name: 't', labels: { a: 'b' } } });
  });

  it.each([
    [
      'a path that is not there',
      { op: 'replace' as const, path: '/spec/none/x', value: 1 },
      /patch "p": failed to replace \/spec\/none\/x/,
    ],
    [
      'a variable that is not there',
      { op: 'add' as const, path, valueFrom: { variable: 'none' } },
      /variable "none" does not exist/,
    ],
  ])('fail for %s', (_, patch, why) => expect(() => patched(one(['*'], [patch]))).toThrow(why));
});
