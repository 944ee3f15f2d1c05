import { beforeEach, describe, expect, it } from 'vitest';
import type { MutatingPolicySpec, Mutation } from '../../machinery/api/admission.ts';
import type { CallWebhook } from '../../machinery/api/webhook.ts';
import { giveNamespace } from '../rights/world.ts';
import { definitionOf, definitions } from '../server/definition.ts';
import {
  type AdmissionWorld,
  admission,
  configMap,
  configMaps,
  createAdmissionWorld,
  mutatingBindings,
  mutatingPolicies,
  mutatingPolicyBindingOf,
  mutatingPolicyOf,
  ruleOf,
} from './world.ts';

let world: AdmissionWorld;
beforeEach(() => {
  world = createAdmissionWorld();
});

const applying = (expression: string): Mutation => ({
  patchType: 'ApplyConfiguration',
  applyConfiguration: { expression },
});
const patching = (expression: string): Mutation => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const setting = (key: string, value: string) => applying(`Object{data: {'${key}': ${value}}}`);
const by = "policy 'change.example' with binding 'change.example-binding' denied request";

const created = async (data?: Record<string, string>, metadata?: object) => {
  const { status, body } = await world.create(data, metadata);
  expect(status, body.message).toBe(201);
  return body;
};

describe('a mutation', () => {
  it.each<{ rule: string; mutations: Mutation[]; spec?: Partial<MutatingPolicySpec>; data: object }>([
    { rule: 'merges fields', mutations: [setting('b', "'2'")], data: { a: '1', b: '2' } },
    { rule: 'wins over what the user wrote', mutations: [setting('a', "'2'")], data: { a: '2' } },
    {
      rule: 'sees what the one before made',
      mutations: [setting('b', "object.data.a + '!'"), setting('c', "object.data.b + '!'")],
      data: { a: '1', b: '1!', c: '1!!' },
    },
    {
      rule: 'has variables, anew for each',
      mutations: [setting('b', "'x'"), setting('c', 'variables.all')],
      spec: { variables: [{ name: 'all', expression: "object.data.map(k, k).join('+')" }] },
      data: { a: '1', b: 'x', c: 'a+b' },
    },
    {
      rule: 'patches',
      mutations: [
        patching("[JSONPatch{op: 'copy', from: '/data/a', path: '/data/b'}, JSONPatch{op: 'remove', path: '/data/a'}]"),
      ],
      data: { b: '1' },
    },
    {
      rule: 'patches with a list that an expression makes',
      mutations: [
        patching("object.data.transformList(k, v, JSONPatch{op: 'replace', path: '/data/' + k, value: v + '0'})"),
      ],
      data: { a: '10' },
    },
    {
      rule: 'patches nothing after a test that fails',
      mutations: [
        patching("[JSONPatch{op: 'remove', path: '/data/a'}, JSONPatch{op: 'test', path: '/data/b', value: '9'}]"),
      ],
      data: { a: '1' },
    },
    {
      rule: 'may be left out by an expression',
      mutations: [applying("'b' in object.data ? Object{data: {'a': 'x'}} : Object{}"), patching('[]')],
      data: { a: '1' },
    },
  ])('$rule', async ({ mutations, spec, data }) => {
    await world.change({ mutations, ...spec });
    expect((await created({ a: '1' })).data).toEqual(data);
  });

  it('merges keyed lists by their keys', async () => {
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer', default: 3 },
            ports: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: {
                type: 'object',
                required: ['name'],
                properties: { name: { type: 'string' }, port: { type: 'integer' }, host: { type: 'string' } },
              },
            },
          },
        },
      },
    };
    const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } };
    await world.root.post(definitions, definitionOf({ versions: [version] } as never));
    const mutation = applying(
      "Object{spec: Object.spec{ports: object.spec.ports.filter(p, p.port > 100).map(p, Object.spec.ports{name: p.name, host: 'h'})}}",
    );
    await world.change({
      matchConstraints: { resourceRules: [ruleOf('gadgets', 'shop.example')] },
      mutations: [mutation],
    });
    const { status, body } = await world.root.post('/apis/shop.example/v1/namespaces/default/gadgets', {
      apiVersion: 'shop.example/v1',
      kind: 'Gadget',
      metadata: { name: 'g' },
      spec: {
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 8080 },
        ],
      },
    });
    expect(status, body.message).toBe(201);
    expect(body.spec).toEqual({
      size: 3,
      ports: [
        { name: 'a', port: 80 },
        { name: 'b', port: 8080, host: 'h' },
      ],
    });
  });

  it('changes metadata, but neither the name nor the owners of fields', async () => {
    await world.change({
      mutations: [
        applying("Object{metadata: Object.metadata{name: 'other', labels: {'team': request.userInfo.username}}}"),
        patching(
          "[JSONPatch{op: 'add', path: '/metadata/annotations', value: {}}, JSONPatch{op: 'add', path: '/metadata/annotations/' + jsonpatch.escapeKey('x.y/z'), value: 'on'}]",
        ),
        patching("[JSONPatch{op: 'remove', path: '/metadata/managedFields'}]"),
      ],
      failurePolicy: 'Ignore',
    });
    const { metadata } = await created();
    expect(metadata).toMatchObject({ name: 'made-0', labels: { team: 'root' }, annotations: { 'x.y/z': 'on' } });
    expect(metadata.managedFields).toHaveLength(1);
  });

  it('changes what is updated, patched and applied, and dry runs', async () => {
    await world.root.post(configMaps, configMap('kept', { a: '1' }));
    await world.change({ mutations: [setting('by', 'request.operation')] });
    const path = `${configMaps}/kept`;
    expect((await world.root.patch(path, 'merge', { data: { a: '2' } })).body.data).toEqual({ a: '2', by: 'UPDATE' });
    const dry = await world.root.post(`${configMaps}?dryRun=All`, configMap('dry'));
    expect(dry.body.data).toEqual({ by: 'CREATE' });
    const applied = await world.root.apply(`${configMaps}/new?fieldManager=m`, configMap('new', { a: '1' }));
    expect(applied.body.data).toEqual({ a: '1', by: 'CREATE' });
    expect((await world.root.delete(path)).status).toBe(200);
  });

  it('is made in the version that the policy names', async () => {
    const spec = (version: string, storage: boolean) => ({
      name: version,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    await world.root.post(definitions, definitionOf({ versions: [spec('v1', true), spec('v2', false)] } as never));
    const rule = { ...ruleOf('gadgets', 'shop.example'), apiVersions: ['v1'] };
    await world.change({
      matchConstraints: { resourceRules: [rule] },
      mutations: [applying('Object{seen: object.apiVersion}')],
    });
    const gadget = { apiVersion: 'shop.example/v2', kind: 'Gadget', metadata: { name: 'g' } };
    const { body } = await world.root.post('/apis/shop.example/v2/namespaces/default/gadgets', gadget);
    expect(body).toMatchObject({ apiVersion: 'shop.example/v2', seen: 'shop.example/v1' });
  });

  it('may be of a scale', async () => {
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: { spec: { type: 'object', properties: { n: { type: 'integer' } } } },
        },
      },
      subresources: { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
    };
    await world.root.post(definitions, definitionOf({ versions: [version] } as never));
    const gadgets = '/apis/shop.example/v1/namespaces/default/gadgets';
    await world.root.post(gadgets, { apiVersion: 'shop.example/v1', kind: 'Gadget', metadata: { name: 'g' } });
    await world.change({
      matchConstraints: { resourceRules: [ruleOf('gadgets/scale', 'shop.example')] },
      mutations: [applying('Object{spec: Object.spec{replicas: object.spec.replicas > 5 ? 5 : object.spec.replicas}}')],
    });
    const scaled = await world.root.patch(`${gadgets}/g/scale`, 'merge', { spec: { replicas: 50 } });
    expect(scaled.body.spec).toEqual({ replicas: 5 });
    expect((await world.root.get(`${gadgets}/g`)).body.spec).toEqual({ n: 5 });
  });

  it('knows params and the rights of the user', async () => {
    await world.root.post(configMaps, configMap('params', { value: 'v' }));
    await giveNamespace(world, 'default', 'ann');
    await world.change(
      {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConditions: [{ name: 'others', expression: "object.metadata.name != 'params'" }],
        mutations: [
          applying(
            "Object{data: {'value': params.data.value, 'deletes': string(authorizer.group('').resource('nodes').check('delete').allowed())}}",
          ),
        ],
      },
      { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
    );
    expect((await created()).data).toEqual({ value: 'v', deletes: 'true' });
    const ann = await world.create({}, {}, world.as('ann'));
    expect(ann.body.data).toEqual({ value: 'v', deletes: 'false' });
    await world.root.delete(`${configMaps}/params`);
    const lost = await world.create();
    expect(lost.status).toBe(403);
    expect(lost.body.message).toBe(
      `${by}: failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
  });
});

const list = '[1,2,3,4,5,6,7,8,9,10]';
const endless = `string(${`${list}.map(i, `.repeat(6)}i${')'.repeat(6)}.size())`;

describe('a mutation that fails', () => {
  it.each<{ rule: string; mutation: Mutation; message: string }>([
    {
      rule: 'by its expression',
      mutation: setting('b', 'object.data.missing'),
      message: 'resulted in error: no such key: missing',
    },
    {
      rule: 'by a field that the kind does not have',
      mutation: applying('Object{spec: 1}'),
      message:
        'error applying patch: failed to convert patch object to typed object: .spec: field not declared in schema',
    },
    {
      rule: 'by the type of a field',
      mutation: applying("Object{data: 'text'}"),
      message: '.data: expected map',
    },
    {
      rule: 'by a name that is not that of the field',
      mutation: applying('Object{metadata: Object.spec{}}'),
      message: 'type mismatch: unexpected type name "Object.spec", expected "Object.metadata"',
    },
    {
      rule: 'by a value that it would replace as a whole',
      mutation: applying(
        "Object{metadata: Object.metadata{ownerReferences: [Object.metadata.ownerReferences{uid: 'u'}]}, data: {}}",
      ),
      message: 'may not mutate atomic',
    },
    {
      rule: 'by a patch that does not apply',
      mutation: patching("[JSONPatch{op: 'remove', path: '/data/missing'}]"),
      message: 'JSON Patch: ',
    },
    {
      rule: 'by its cost',
      mutation: setting('b', endless),
      message: 'actual cost limit exceeded',
    },
  ])('$rule refuses the request', async ({ mutation, message }) => {
    await world.change({ mutations: [mutation] });
    const { status, body } = await world.create({ a: '1' });
    expect(status).toBe(403);
    expect(body.message.startsWith(`${by}: `), body.message).toBe(true);
    expect(body.message).toContain(message);
    expect(body).toMatchObject({ reason: 'Invalid', details: { name: 'made-0', kind: 'configmaps' } });
  });

  it('is left out if its policy says so, but not the others', async () => {
    await world.change({
      failurePolicy: 'Ignore',
      mutations: [setting('b', 'object.data.missing'), setting('c', "'3'")],
    });
    expect((await created({ a: '1' })).data).toEqual({ a: '1', c: '3' });
  });

  it('does not keep an object from its deletion', async () => {
    await world.root.post(configMaps, configMap('kept'));
    await world.change({
      matchConstraints: { resourceRules: [ruleOf('*', '*', { apiVersions: ['*'], operations: ['*'] })] },
      mutations: [setting('b', 'object.data.missing')],
    });
    expect((await world.create()).status).toBe(403);
    expect((await world.root.delete(`${configMaps}/kept`)).status).toBe(200);
    expect((await world.root.delete(`${mutatingBindings}/change.example-binding`)).status).toBe(200);
    expect((await world.create()).status).toBe(201);
  });
});

describe('several policies', () => {
  const append = (text: string) => setting('log', `('log' in object.data ? object.data.log : '') + '${text}'`);
  const once = (text: string) => ({
    mutations: [append(text)],
    matchConditions: [
      { name: 'once', expression: `!('log' in object.data) || !object.data.log.contains('${text}${text}')` },
    ],
  });

  it('come in the order of their names', async () => {
    await world.change({ mutations: [append('b')] }, {}, 'b.example');
    await world.change({ mutations: [append('a')] }, {}, 'a.example');
    expect((await created({})).data).toEqual({ log: 'ab' });
  });

  it('are asked again, if they say so and another one has changed the object', async () => {
    await world.change({ ...once('a'), reinvocationPolicy: 'IfNeeded' }, {}, 'a.example');
    await world.change({ ...once('b') }, {}, 'b.example');
    await world.change({ ...once('c'), reinvocationPolicy: 'IfNeeded' }, {}, 'c.example');
    expect((await created({})).data).toEqual({ log: 'abcac' });
  });

  it('are not asked again if nothing has changed since', async () => {
    await world.change({ mutations: [setting('a', "'1'")], reinvocationPolicy: 'IfNeeded' }, {}, 'a.example');
    await world.change({ mutations: [patching('[]')] }, {}, 'b.example');
    expect((await created({})).data).toEqual({ a: '1' });
  });

  it('come before webhooks, whose changes they see in the second round', async () => {
    const seen: unknown[] = [];
    const callWebhook: CallWebhook = async (_, body) => {
      const { request, apiVersion } = body as {
        apiVersion: string;
        request: { uid: string; object: { data: object } };
      };
      seen.push(request.object.data);
      const operations = [{ op: 'add', path: '/data/log', value: 'hook' }];
      const patch = Buffer.from(JSON.stringify(operations)).toString('base64');
      return {
        apiVersion,
        kind: 'AdmissionReview',
        response: { uid: request.uid, allowed: true, patchType: 'JSONPatch', patch },
      };
    };
    world = createAdmissionWorld({ callWebhook });
    await world.change({ mutations: [append('p')], reinvocationPolicy: 'IfNeeded' });
    const { status, body } = await world.root.post(`${admission}/mutatingwebhookconfigurations`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'hook' },
      webhooks: [
        {
          name: 'log.hooks.example',
          clientConfig: { url: 'https://hooks.example/log' },
          rules: [ruleOf()],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    expect(status, body.message).toBe(201);
    expect((await created({})).data).toEqual({ log: 'hookp' });
    expect(seen).toEqual([{ log: 'p' }]);
  });

  it('change before policies demand', async () => {
    await world.change({ mutations: [setting('size', "'small'")] });
    await world.demand({ validations: [{ expression: "object.data.size == 'small'" }] });
    expect((await created({ size: 'large' })).data).toEqual({ size: 'small' });
  });
});

describe('a policy that is written', () => {
  const spec = mutatingPolicyOf('p').spec;
  const written = async (of: object) =>
    world.root.post(mutatingPolicies, { ...mutatingPolicyOf('p.example'), spec: { ...spec, ...of } });

  it('has the defaults of Kubernetes, a generation and columns', async () => {
    const { body } = await written({});
    expect(body.spec).toMatchObject({
      failurePolicy: 'Fail',
      matchConstraints: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
    });
    expect(body.metadata.generation).toBe(1);
    const table = await world.root.get(mutatingPolicies, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    expect(table.body.rows[0]?.cells.slice(0, 3)).toEqual(['p.example', 1, '<unset>']);
  });

  it('is the same object in v1beta1', async () => {
    await written({});
    const beta = mutatingPolicies.replace('/v1/', '/v1beta1/');
    const { body } = await world.root.get(`${beta}/p.example`);
    expect(body).toMatchObject({ apiVersion: 'admissionregistration.k8s.io/v1beta1' });
    body.spec.reinvocationPolicy = 'IfNeeded';
    expect((await world.root.put(`${beta}/p.example`, body)).status).toBe(200);
    expect((await world.root.get(`${mutatingPolicies}/p.example`)).body).toMatchObject({
      apiVersion: 'admissionregistration.k8s.io/v1',
      spec: { reinvocationPolicy: 'IfNeeded' },
    });
  });

  it.each<{ rule: string; of: object; message: string }>([
    { rule: 'no mutations', of: { mutations: [] }, message: 'spec.mutations: Required value: mutations must contain' },
    {
      rule: 'no reinvocationPolicy',
      of: { reinvocationPolicy: '' },
      message: 'spec.reinvocationPolicy: Required value',
    },
    {
      rule: 'another reinvocationPolicy',
      of: { reinvocationPolicy: 'Always' },
      message: 'spec.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"',
    },
    {
      rule: 'deletions',
      of: { matchConstraints: { resourceRules: [ruleOf('configmaps')] } },
      message:
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    },
    {
      rule: 'no patchType',
      of: { mutations: [{ jsonPatch: { expression: '[]' } }] },
      message: 'spec.mutations[0].patchType: Required value',
    },
    {
      rule: 'another patchType',
      of: { mutations: [{ patchType: 'Merge' }] },
      message: 'spec.mutations[0].patchType: Unsupported value: "Merge"',
    },
    {
      rule: 'no patch',
      of: { mutations: [{ patchType: 'JSONPatch' }] },
      message: 'spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch',
    },
    {
      rule: 'a patch of the other type',
      of: { mutations: [{ ...applying('Object{}'), jsonPatch: { expression: '[]' } }] },
      message: 'spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified',
    },
    {
      rule: 'an empty expression',
      of: { mutations: [applying(' ')] },
      message: 'spec.mutations[0].applyConfiguration.expression: Required value',
    },
    {
      rule: 'an expression of another type',
      of: { mutations: [applying("'text'")] },
      message: 'must evaluate to Object but got string',
    },
    {
      rule: 'a patch that is no list',
      of: { mutations: [patching('Object{}')] },
      message: 'must evaluate to list<JSONPatch> but got Object',
    },
    {
      rule: 'an operation with an unknown field',
      of: { mutations: [patching("[JSONPatch{op: 'add', to: '/a'}]")] },
      message: "undefined field 'to'",
    },
    {
      rule: 'an operation with a field of another type',
      of: { mutations: [patching('[JSONPatch{op: 1}]')] },
      message: "expected type of field 'op' is 'string' but provided type is 'int'",
    },
    { rule: 'an unknown type', of: { mutations: [applying('Thing{}')] }, message: "undeclared reference to 'Thing'" },
    {
      rule: 'a variable that makes a patch',
      of: { variables: [{ name: 'p', expression: 'object.x +' }] },
      message: 'spec.variables[0].expression: Invalid value',
    },
  ])('with $rule is refused', async ({ of, message }) => {
    const { status, body } = await written(of);
    expect(status, JSON.stringify(body)).toBe(422);
    expect(body.message).toContain(message);
  });

  it('has bindings that name no deletions either', async () => {
    const matchResources = { resourceRules: [ruleOf('configmaps')] };
    const { body } = await world.root.post(mutatingBindings, mutatingPolicyBindingOf('p.example', { matchResources }));
    expect(body.message).toContain('spec.matchResources.resourceRules.operations: Unsupported value: "DELETE"');
  });
});
