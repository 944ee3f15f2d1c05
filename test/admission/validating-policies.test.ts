import { beforeEach, describe, expect, it } from 'vitest';
import type { ValidatingPolicySpec } from '../../machinery/api/admission.ts';
import { bindingOf, giveNamespace, roleOf } from '../rights/world.ts';
import { definitionOf, definitions } from '../server/definition.ts';
import {
  type AdmissionWorld,
  bindings,
  configMap,
  configMaps,
  createAdmissionWorld,
  policies,
  policyBindingOf,
  policyOf,
  ruleOf,
} from './world.ts';

let world: AdmissionWorld;
beforeEach(() => {
  world = createAdmissionWorld();
});

const by = "ValidatingAdmissionPolicy 'demand.example' with binding 'demand.example-binding' denied request";

describe('a policy in effect', () => {
  it('refuses what it demands not to be, as Kubernetes does', async () => {
    await world.demand({ validations: [{ expression: "object.data.size == 'small'", message: 'must be small' }] });
    const { status, body } = await world.create({ size: 'large' });
    expect(status).toBe(422);
    expect(body).toMatchObject({
      reason: 'Invalid',
      message: `configmaps "made-0" is forbidden: ${by}: must be small`,
      details: { name: 'made-0', kind: 'configmaps', causes: [{ message: `${by}: must be small` }] },
    });
    expect((await world.create({ size: 'small' })).status).toBe(201);
  });

  it.each<{ rule: string; spec: Partial<ValidatingPolicySpec>; message: string; status?: number }>([
    {
      rule: 'names its expression without a message',
      spec: { validations: [{ expression: ' false ' }] },
      message: 'failed expression: false',
    },
    {
      rule: 'computes its message',
      spec: { validations: [{ expression: 'false', message: 'no', messageExpression: "'is ' + object.data.size" }] },
      message: 'is large',
    },
    {
      rule: 'falls back to its message when that fails',
      spec: { validations: [{ expression: 'false', message: 'no', messageExpression: 'object.data.missing' }] },
      message: 'no',
    },
    {
      rule: 'has a reason',
      spec: { validations: [{ expression: 'false', reason: 'Forbidden' }] },
      message: 'failed expression: false',
      status: 403,
    },
    {
      rule: 'has variables',
      spec: {
        variables: [
          { name: 'size', expression: 'object.data.size' },
          { name: 'isLarge', expression: "variables.size == 'large'" },
        ],
        validations: [{ expression: '!variables.isLarge' }],
      },
      message: 'failed expression: !variables.isLarge',
    },
    {
      rule: 'fails with an expression that fails',
      spec: { validations: [{ expression: "object.data.missing == 'a'" }] },
      message: "expression 'object.data.missing == 'a'' resulted in error: no such key: missing",
    },
    {
      rule: 'fails with a variable that fails',
      spec: {
        variables: [{ name: 'lost', expression: 'object.data.missing' }],
        validations: [{ expression: "variables.lost == 'a'" }],
      },
      message:
        "expression 'variables.lost == 'a'' resulted in error: composited variable \"lost\" fails to evaluate: no such key: missing",
    },
    {
      rule: 'ends with an expression that does not',
      spec: {
        validations: [
          {
            expression:
              '[1,2,3,4,5,6,7,8,9].all(a, [1,2,3,4,5,6,7,8,9].all(b, [1,2,3,4,5,6,7,8,9].all(c, [1,2,3,4,5,6,7,8,9].all(d, [1,2,3,4,5,6,7,8,9].all(e, [1,2,3,4,5,6,7,8,9].all(f, a + b + c + d + e + f > 0))))))',
          },
        ],
      },
      message: 'operation cancelled: actual cost limit exceeded',
    },
    {
      rule: 'knows the request',
      spec: {
        validations: [
          {
            expression:
              "request.operation == 'CREATE' && request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && request.userInfo.username == 'root' && 'system:masters' in request.userInfo.groups && request.namespace == 'default' && !request.dryRun && request.options.kind == 'CreateOptions' && oldObject == null && namespaceObject.metadata.name == 'default' && namespaceObject.status.phase == 'Active' && has(object.metadata.uid)",
          },
          { expression: 'false', message: 'all of it' },
        ],
      },
      message: 'all of it',
    },
  ])('$rule', async ({ spec, message, status = 422 }) => {
    await world.demand(spec);
    const answer = await world.create({ size: 'large' });
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });

  it('ignores what fails if it says so', async () => {
    await world.demand({ failurePolicy: 'Ignore', validations: [{ expression: 'object.data.missing == "a"' }] });
    expect((await world.create()).status).toBe(201);
  });

  it('sees the object before and after an update, and before a deletion', async () => {
    await world.root.post(configMaps, configMap('kept', { n: '1' }));
    await world.demand({
      validations: [
        { expression: "request.operation != 'UPDATE' || object.data.n >= oldObject.data.n", message: 'it shrinks' },
        {
          expression: "request.operation != 'DELETE' || (object == null && oldObject.data.n != '2')",
          message: 'kept',
        },
      ],
    });
    const path = `${configMaps}/kept`;
    expect((await world.root.patch(path, 'merge', { data: { n: '0' } })).body.message).toContain('it shrinks');
    expect((await world.root.patch(path, 'merge', { data: { n: '2' } })).status).toBe(200);
    expect((await world.root.delete(path)).body.message).toContain('kept');
    expect((await world.root.delete(configMaps)).body.message).toContain('kept');
    expect((await world.root.patch(path, 'merge', { data: { n: '3' } })).status).toBe(200);
    expect((await world.root.delete(path)).status).toBe(200);
  });

  it('judges dry runs and applies, too', async () => {
    await world.demand();
    expect((await world.root.post(`${configMaps}?dryRun=All`, configMap('a'))).status).toBe(422);
    expect((await world.root.apply(`${configMaps}/a?fieldManager=m`, configMap('a'))).status).toBe(422);
  });

  it('warns and audits instead of refusing', async () => {
    await world.demand(
      { validations: [{ expression: 'false', message: 'odd' }] },
      { validationActions: ['Warn', 'Audit'] },
    );
    const { status, headers } = await world.create();
    expect(status).toBe(201);
    expect(headers.get('warning')).toBe(
      `299 - "Validation failed for ValidatingAdmissionPolicy 'demand.example' with binding 'demand.example-binding': odd"`,
    );
    const failure = world.events.at(-1)!.annotations['validation.policy.admission.k8s.io/validation_failure'];
    expect(JSON.parse(failure!)).toEqual([
      {
        message: 'odd',
        policy: 'demand.example',
        binding: 'demand.example-binding',
        expressionIndex: 0,
        validationActions: ['Warn', 'Audit'],
      },
    ]);
  });

  it('annotates audit events', async () => {
    const auditAnnotations = [
      { key: 'size', valueExpression: "'size ' + object.data.size" },
      { key: 'none', valueExpression: 'null' },
    ];
    await world.demand({ validations: [{ expression: 'true' }], auditAnnotations });
    await world.create({ size: 'large' });
    expect(world.events.at(-1)!.annotations).toMatchObject({ 'demand.example/size': 'size large' });
    expect(world.events.at(-1)!.annotations).not.toHaveProperty('demand.example/none');
    expect((await world.create()).body.message).toContain('no such key: size');
  });

  it('ends with its binding, and at once', async () => {
    await world.demand();
    expect((await world.create()).status).toBe(422);
    await world.root.delete(`${bindings}/demand.example-binding`);
    expect((await world.create()).status).toBe(201);
  });

  it('is in effect in other processes within a second', async () => {
    const other = world.elsewhere('root+system:masters');
    expect((await other.post(configMaps, configMap('early'))).status).toBe(201);
    await world.demand();
    await world.clock.advance(1001);
    expect((await other.post(configMaps, configMap('refused'))).status).toBe(422);
  });
});

describe('what a policy is about', () => {
  const refused = async (...asked: Parameters<AdmissionWorld['create']>) =>
    (await world.create(...asked)).status === 422;

  it('is limited by labels of objects, before or after', async () => {
    await world.root.post(configMaps, configMap('labeled', {}, { labels: { guarded: 'yes' } }));
    const objectSelector = { matchLabels: { guarded: 'yes' } };
    await world.demand({ matchConstraints: { resourceRules: [ruleOf()], objectSelector } });
    expect(await refused({}, { labels: { guarded: 'yes' } })).toBe(true);
    expect(await refused()).toBe(false);
    const unlabel = { metadata: { labels: { guarded: null } } };
    expect((await world.root.patch(`${configMaps}/labeled`, 'merge', unlabel)).status).toBe(422);
  });

  it('is limited by labels of namespaces', async () => {
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'other' } };
    await world.demand({}, { matchResources: { namespaceSelector } });
    await world.root.post('/api/v1/namespaces', { metadata: { name: 'other' } });
    expect(await refused()).toBe(false);
    const there = await world.root.post('/api/v1/namespaces/other/configmaps', configMap('a'));
    expect(there.status).toBe(422);
  });

  it.each([
    { rule: 'operations', of: { operations: ['DELETE'] }, expected: false },
    { rule: 'groups', of: { apiGroups: ['apps'] }, expected: false },
    { rule: 'versions', of: { apiVersions: ['v2'] }, expected: false },
    { rule: 'resources', of: { resources: ['configmaps/status'] }, expected: false },
    { rule: 'all resources without subresources', of: { resources: ['*'] }, expected: true },
    { rule: 'all resources with subresources', of: { resources: ['*/*'] }, expected: true },
    { rule: 'names', of: { resourceNames: ['other'] }, expected: false },
    { rule: 'a scope', of: { scope: 'Cluster' }, expected: false },
    { rule: 'the other scope', of: { scope: 'Namespaced' }, expected: true },
    { rule: 'wildcards', of: { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'] }, expected: true },
  ])('is limited by $rule', async ({ of, expected }) => {
    await world.demand({ matchConstraints: { resourceRules: [ruleOf('configmaps', '', of)] } });
    expect(await refused()).toBe(expected);
  });

  it('is limited by rules that exclude', async () => {
    const excludeResourceRules = [ruleOf('configmaps', '', { resourceNames: ['made-0'] })];
    await world.demand({ matchConstraints: { resourceRules: [ruleOf()], excludeResourceRules } });
    expect(await refused()).toBe(false);
    expect(await refused()).toBe(true);
  });

  it('is limited by conditions, of which an error counts if none is false', async () => {
    const conditions = [
      { name: 'broken', expression: "object.data.missing == 'a'" },
      { name: 'guarded', expression: "object.data.guarded == 'yes'" },
    ];
    await world.demand({ matchConditions: conditions });
    expect(await refused({ guarded: 'no' })).toBe(false);
    expect((await world.create({ guarded: 'yes' })).body.message).toContain('no such key: missing');
  });

  it('is a resource in all its versions, as the policy names it', async () => {
    const spec = (version: string, storage: boolean) => ({
      name: version,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    await world.root.post(definitions, definitionOf({ versions: [spec('v1', true), spec('v2', false)] } as never));
    const rule = { ...ruleOf('gadgets', 'shop.example'), apiVersions: ['v1'] };
    const validations = [
      {
        expression: "object.apiVersion == 'shop.example/v1' && request.requestKind.version != 'v2'",
        message: 'v2 asked',
      },
    ];
    await world.demand({ matchConstraints: { resourceRules: [rule] }, validations }, {}, 'versions.example');
    const gadget = (version: string) => ({
      apiVersion: `shop.example/${version}`,
      kind: 'Gadget',
      metadata: { name: 'g' },
    });
    const path = (version: string) => `/apis/shop.example/${version}/namespaces/default/gadgets`;
    expect((await world.root.post(path('v2'), gadget('v2'))).body.message).toContain('v2 asked');
    expect((await world.root.post(path('v1'), gadget('v1'))).status).toBe(201);
  });

  it('may be a status and a scale', async () => {
    const plain = { type: 'object', properties: { n: { type: 'integer' } } };
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: plain, status: plain } } },
      subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
    };
    await world.root.post(definitions, definitionOf({ versions: [version] } as never));
    const gadgets = '/apis/shop.example/v1/namespaces/default/gadgets';
    await world.root.post(gadgets, { apiVersion: 'shop.example/v1', kind: 'Gadget', metadata: { name: 'g' } });
    const rule = { ...ruleOf('gadgets/*', 'shop.example') };
    const validations = [
      {
        expression:
          "request.subResource == 'status' ? object.status.n < 3 : (object.kind == 'Scale' && object.spec.replicas < 3)",
        message: 'too many',
      },
    ];
    await world.demand({ matchConstraints: { resourceRules: [rule] }, validations });
    const of = (sub: string, n: number) =>
      world.root.patch(`${gadgets}/g/${sub}`, 'merge', sub === 'scale' ? { spec: { replicas: n } } : { status: { n } });
    expect((await of('scale', 2)).status).toBe(200);
    expect((await of('scale', 3)).body.message).toContain('too many');
    expect((await of('status', 2)).status).toBe(200);
    expect((await of('status', 3)).body.message).toContain('too many');
  });

  it('is never an object of admission', async () => {
    const rule = { ...ruleOf('*'), apiGroups: ['*'], apiVersions: ['*'], operations: ['*'] };
    await world.demand({ matchConstraints: { resourceRules: [rule] } });
    expect(await refused()).toBe(true);
    expect((await world.root.delete(`${bindings}/demand.example-binding`)).status).toBe(200);
    expect((await world.root.delete(`${policies}/demand.example`)).status).toBe(200);
  });
});

describe('params', () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const matchConstraints = { resourceRules: [ruleOf('secrets')] };
  const spec = { paramKind, matchConstraints, validations: [{ expression: 'object.type == params.data.type' }] };
  const secret = (type: string) => ({ apiVersion: 'v1', kind: 'Secret', type, metadata: { generateName: 's-' } });
  const statusOf = async (type: string) =>
    (await world.root.post('/api/v1/namespaces/default/secrets', secret(type))).status;

  beforeEach(async () => {
    await world.root.post(configMaps, configMap('limits', { type: 'a' }, { labels: { limits: 'yes' } }));
  });

  it('are an object by name, in the namespace of the request', async () => {
    await world.demand(spec, { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } });
    expect(await statusOf('a')).toBe(201);
    expect(await statusOf('b')).toBe(422);
  });

  it('are objects by selector, each of which is evaluated', async () => {
    await world.root.post(configMaps, configMap('more', { type: 'b' }, { labels: { limits: 'yes' } }));
    const selector = { matchLabels: { limits: 'yes' } };
    await world.demand(spec, { paramRef: { selector, namespace: 'default', parameterNotFoundAction: 'Deny' } });
    expect(await statusOf('a')).toBe(422);
  });

  it.each([
    { action: 'Allow', status: 201 },
    { action: 'Deny', status: 422 },
  ])('that do not exist: $action', async ({ action, status }) => {
    await world.demand(spec, { paramRef: { name: 'lost', parameterNotFoundAction: action } });
    expect(await statusOf('b')).toBe(status);
  });

  it('of an unknown kind make the policy fail', async () => {
    const unknown = { ...spec, paramKind: { apiVersion: 'shop.example/v1', kind: 'Lost' } };
    await world.demand(unknown, { paramRef: { name: 'lost', parameterNotFoundAction: 'Allow' } });
    const { body } = await world.root.post('/api/v1/namespaces/default/secrets', secret('a'));
    expect(body.message).toContain(
      "failed to configure binding: failed to find resource referenced by paramKind: 'shop.example/v1, Kind=Lost'",
    );
  });
});

describe('the authorizer', () => {
  const spec = (check: string) => ({ validations: [{ expression: check, message: 'no right' }] });

  beforeEach(async () => {
    await giveNamespace(world, 'team', 'ann');
    await world.root.post(
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      roleOf('size', [{ apiGroups: ['shop.example'], resources: ['sizes'], verbs: ['use'] }]),
    );
  });
  const create = () => world.as('ann').post('/api/v1/namespaces/team/configmaps', configMap('a'));

  it.each([
    { check: "authorizer.requestResource.check('create').allowed()", status: 201 },
    { check: "authorizer.requestResource.check('escape').allowed()", status: 422 },
    { check: "authorizer.group('').resource('secrets').namespace('team').check('create').allowed()", status: 201 },
    { check: "authorizer.group('').resource('secrets').namespace('default').check('create').allowed()", status: 422 },
    { check: "authorizer.path('/healthz').check('get').allowed() || false", status: 201 },
    {
      check: "authorizer.serviceAccount('team', 'bot').group('').resource('secrets').check('get').allowed()",
      status: 422,
    },
    { check: "authorizer.requestResource.check('create').reason().contains('ann-edit')", status: 201 },
    { check: "!authorizer.requestResource.check('create').errored()", status: 201 },
  ])('$check: $status', async ({ check, status }) => {
    await world.demand(spec(check));
    expect((await create()).status).toBe(status);
  });

  it('tells what a user of a policy may have in addition', async () => {
    await world.demand(spec("authorizer.group('shop.example').resource('sizes').check('use').allowed()"));
    expect((await create()).status).toBe(422);
    const grant = bindingOf('ann-size', 'ClusterRole/size', 'ann');
    await world.root.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', grant);
    expect((await create()).status).toBe(201);
  });
});

describe('a policy as it is written', () => {
  it.each<{ rule: string; spec: object; field: string; message: string }>([
    {
      rule: 'without rules',
      spec: { matchConstraints: {} },
      field: 'spec.matchConstraints.resourceRules',
      message: 'Required value',
    },
    {
      rule: 'without demands',
      spec: { validations: [] },
      field: 'spec.validations',
      message: 'must contain at least one item',
    },
    {
      rule: 'that does not parse',
      spec: { validations: [{ expression: 'object.' }] },
      field: 'spec.validations[0].expression',
      message: 'compilation failed: ERROR: <input>:1:',
    },
    {
      rule: 'of another type',
      spec: { validations: [{ expression: '1 + 1' }] },
      field: 'spec.validations[0].expression',
      message: 'must evaluate to bool but got int',
    },
    {
      rule: 'of an unknown variable',
      spec: { validations: [{ expression: 'variables.lost' }] },
      field: 'spec.validations[0].expression',
      message: "undefined field 'lost'",
    },
    {
      rule: 'of params that it does not have',
      spec: { validations: [{ expression: 'params.a' }] },
      field: 'spec.validations[0].expression',
      message: "undeclared reference to 'params'",
    },
    {
      rule: 'of a field that a request does not have',
      spec: { validations: [{ expression: 'request.lost' }] },
      field: 'spec.validations[0].expression',
      message: "undefined field 'lost'",
    },
    {
      rule: 'whose message asks for rights',
      spec: { validations: [{ expression: 'true', messageExpression: "authorizer.path('/a').check('get').reason()" }] },
      field: 'spec.validations[0].messageExpression',
      message: "undeclared reference to 'authorizer'",
    },
    {
      rule: 'with an unknown reason',
      spec: { validations: [{ expression: 'true', reason: 'Odd' }] },
      field: 'spec.validations[0].reason',
      message: 'supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
    },
    {
      rule: 'with an unknown failure policy',
      spec: { failurePolicy: 'Odd' },
      field: 'spec.failurePolicy',
      message: 'supported values: "Fail", "Ignore"',
    },
    {
      rule: 'with a variable that is no name',
      spec: { variables: [{ name: 'a-b', expression: '1' }] },
      field: 'spec.variables[0].name',
      message: 'must be a valid CEL identifier',
    },
    {
      rule: 'with conditions of one name',
      spec: {
        matchConditions: [
          { name: 'a', expression: 'true' },
          { name: 'a', expression: 'true' },
        ],
      },
      field: 'spec.matchConditions[1]',
      message: 'Duplicate value',
    },
    {
      rule: 'with a rule without operations',
      spec: { matchConstraints: { resourceRules: [ruleOf('a', '', { operations: [] })] } },
      field: 'spec.matchConstraints.resourceRules[0].operations',
      message: 'Required value',
    },
    {
      rule: 'with more resources than all',
      spec: { matchConstraints: { resourceRules: [ruleOf('a', '', { resources: ['*', 'a'] })] } },
      field: 'spec.matchConstraints.resourceRules[0].resources',
      message: "if '*' is present, must not specify other resources without subresources",
    },
  ])('$rule is refused', async ({ spec, field, message }) => {
    const { status, body } = await world.root.post(policies, policyOf('p.example', spec));
    expect(status).toBe(422);
    const cause = body.details.causes.find((one) => one.field === field);
    expect(cause?.message, JSON.stringify(body.details.causes)).toContain(message);
  });

  it.each([
    { rule: 'without actions', spec: { validationActions: [] }, message: 'at least one validation action is required' },
    {
      rule: 'that denies and warns',
      spec: { validationActions: ['Deny', 'Warn'] },
      message: 'must not contain both Deny and Warn',
    },
    {
      rule: 'with params by name and selector',
      spec: { paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'Deny' } },
      message: 'name and selector are mutually exclusive',
    },
    {
      rule: 'with params of no action',
      spec: { paramRef: { name: 'a' } },
      message: 'spec.paramRef.parameterNotFoundAction: Required value',
    },
  ])('a binding $rule is refused', async ({ spec, message }) => {
    const { status, body } = await world.root.post(bindings, policyBindingOf('p.example', spec));
    expect([status, body.message]).toEqual([422, expect.stringContaining(message)]);
  });

  it('gets defaults', async () => {
    const { body } = await world.root.post(policies, policyOf('p.example'));
    expect(body.spec).toMatchObject({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ scope: '*' }],
      },
    });
    expect(body.metadata.generation).toBe(1);
  });

  it('is checked against the schemas of its resources', async () => {
    await world.root.post(definitions, definitionOf());
    const rule = ruleOf('gadgets', 'shop.example');
    const validations = [
      { expression: "object.spec.size > '1'", messageExpression: "'size ' + object.spec.size" },
      { expression: 'object.spec.lost < 10' },
      { expression: 'object.spec.size > 1 && object.metadata.labels.all(key, key.startsWith("a"))' },
    ];
    const written = await world.root.post(
      policies,
      policyOf('p.example', { matchConstraints: { resourceRules: [rule] }, validations }),
    );
    const { observedGeneration, typeChecking } = written.body.status as {
      observedGeneration: number;
      typeChecking: { expressionWarnings: { fieldRef: string; warning: string }[] };
    };
    expect(observedGeneration).toBe(1);
    expect(typeChecking.expressionWarnings.map(({ fieldRef }) => fieldRef)).toEqual([
      'spec.validations[0].expression',
      'spec.validations[0].messageExpression',
      'spec.validations[1].expression',
    ]);
    const [first, second, third] = typeChecking.expressionWarnings.map(({ warning }) => warning);
    expect(first).toContain('shop.example/v1, Kind=Gadget: ERROR: <input>:1:');
    expect(first).toContain("found no matching overload for '_>_' applied to '(int, string)'");
    expect(second).toContain("found no matching overload for '_+_' applied to '(string, int)'");
    expect(third).toContain("undefined field 'lost'");
    const patch = { spec: { validations: [{ expression: 'object.spec.size > 1' }] } };
    const mended = await world.root.patch(`${policies}/p.example`, 'merge', patch);
    expect(mended.body.status).toEqual({ observedGeneration: 2, typeChecking: {} });
  });

  it('is printed as by Kubernetes', async () => {
    await world.demand(
      { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
      { paramRef: { name: 'a', parameterNotFoundAction: 'Deny' } },
    );
    const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    expect((await world.root.get(policies, table)).body.rows[0]!.cells).toEqual([
      'demand.example',
      1,
      'v1/ConfigMap',
      '0s',
    ]);
    expect((await world.root.get(bindings, table)).body.rows[0]!.cells).toEqual([
      'demand.example-binding',
      'demand.example',
      '*/a',
      '0s',
    ]);
  });
});
