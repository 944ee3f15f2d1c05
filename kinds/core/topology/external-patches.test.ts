import { describe, expect, it } from 'vitest';
import type { JsonObject, KubeObject } from '../../../machinery/api/object.ts';
import type { Variables } from './builtins.ts';
import { type CallNamed, patchedByExtensions } from './external-patches.ts';
import type { Item, Patch } from './patches.ts';

const item = (kind: string, spec: JsonObject, variables: Variables, fieldPath: string): Item => ({
  object: {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
    kind,
    metadata: { name: 't' },
    spec: { template: { spec } },
  } as KubeObject,
  use: { part: 'infrastructure' },
  holder: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'default', name: 'c', fieldPath },
  variables,
});
const shared = { team: 'a', builtin: { cluster: { name: 'c' } } };
const items = [
  item('AWSClusterTemplate', { region: 'r' }, shared, 'spec.infrastructureRef'),
  item(
    'AWSMachineTemplate',
    { instanceType: 'small' },
    { team: 'b', builtin: { cluster: { name: 'c' }, machineDeployment: { name: 'm' } } },
    'spec.template.spec.infrastructureRef',
  ),
];
const external: Patch = {
  name: 'company',
  external: {
    generatePatchesExtension: 'generate.x',
    validateTopologyExtension: 'validate.x',
    settings: { a: 'b' },
  },
};
const answering = (answer: unknown, validation: () => JsonObject = () => ({})) => {
  const calls: { name: string; hook: string; settings: object; request: JsonObject }[] = [];
  const call: CallNamed = async (name, hook, settings, request) => {
    calls.push({ name, hook, settings, request });
    return hook === 'ValidateTopology' ? validation() : (answer as JsonObject);
  };
  return { calls, call };
};
const encoded = (patch: unknown) => Buffer.from(JSON.stringify(patch)).toString('base64');
const path = '/spec/template/spec/instanceType';
const specsOf = (objects: KubeObject[]) =>
  objects.map(({ spec }) => (spec as { template: { spec: object } }).template.spec);
const extensionFailure = (message: string) => Object.assign(new Error(message), { isExternal: true });

describe('patches by extensions', () => {
  it('ask about all templates, with the variables of the cluster and those of each template', async () => {
    const { calls, call } = answering({ items: [] });
    await patchedByExtensions(items, [external], call);
    expect(calls.map(({ name, hook, settings }) => ({ name, hook, settings }))).toEqual([
      { name: 'generate.x', hook: 'GeneratePatches', settings: { a: 'b' } },
      { name: 'validate.x', hook: 'ValidateTopology', settings: { a: 'b' } },
    ]);
    expect(calls[0]!.request).toMatchObject({
      variables: [
        { name: 'team', value: 'a' },
        { name: 'builtin', value: { cluster: { name: 'c' } } },
      ],
      items: [
        { uid: '0', holderReference: { kind: 'Cluster', fieldPath: 'spec.infrastructureRef' }, variables: [] },
        {
          uid: '1',
          variables: [
            { name: 'team', value: 'b' },
            { name: 'builtin', value: { machineDeployment: { name: 'm' } } },
          ],
        },
      ],
    });
    expect((calls[1]!.request.items as JsonObject[])[0]).not.toHaveProperty('uid');
  });

  it('change what patches before and after them change, too', async () => {
    const { call } = answering({
      items: [
        { uid: '1', patchType: 'JSONPatch', patch: encoded([{ op: 'test', path, value: 'medium' }]) },
        { uid: '1', patchType: 'JSONPatch', patch: encoded([{ op: 'replace', path, value: 'large' }]) },
        {
          uid: '0',
          patchType: 'JSONMergePatch',
          patch: encoded({ spec: { template: { spec: { vpc: 'v' } } }, kind: 'X' }),
        },
      ],
    });
    const inline = (value: string, op: 'replace' | 'add', at: string): Patch => ({
      name: value,
      definitions: [
        {
          selector: {
            apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
            kind: 'AWSMachineTemplate',
            matchResources: { infrastructureCluster: true },
          },
          jsonPatches: [{ op, path: at, value }],
        },
      ],
    });
    const before = inline('medium', 'replace', path);
    const after = inline('y', 'add', '/spec/template/spec/x');
    const patched = await patchedByExtensions(items, [before, external, after], call);
    expect(specsOf(patched)).toEqual([
      { region: 'r', vpc: 'v' },
      { instanceType: 'large', x: 'y' },
    ]);
    expect(patched[0]!.kind).toBe('AWSClusterTemplate');
  });

  it.each<{ rule: string; answer: unknown; says: string }>([
    { rule: 'garbage', answer: { items: 'x' }, says: 'items is no list' },
    {
      rule: 'a patch of an unknown template',
      answer: { items: [{ uid: '7', patchType: 'JSONPatch', patch: encoded([]) }] },
      says: 'no template has the uid "7"',
    },
    {
      rule: 'a patch that is no JSON',
      answer: { items: [{ uid: '0', patchType: 'JSONPatch', patch: '{{' }] },
      says: 'a patch is no JSON in base64',
    },
    {
      rule: 'a patch that does not apply',
      answer: { items: [{ uid: '0', patchType: 'JSONPatch', patch: encoded([{ op: 'remove', path: '/none' }]) }] },
      says: 'a patch of AWSClusterTemplate t does not apply',
    },
    {
      rule: 'a patch of another type',
      answer: { items: [{ uid: '0', patchType: 'Other', patch: encoded({}) }] },
      says: 'is neither a JSONPatch nor a JSONMergePatch',
    },
  ])('fail for $rule', async ({ answer, says }) => {
    const failure = patchedByExtensions(items, [external], answering(answer).call);
    await expect(failure).rejects.toThrow(`patch "company": `);
    await expect(failure).rejects.toThrow(says);
  });

  it('fail when the extension refuses the result', async () => {
    const { call } = answering({ items: [] }, () => {
      throw extensionFailure('no such region');
    });
    await expect(patchedByExtensions(items, [external], call)).rejects.toThrow('patch "company": no such region');
  });
});
