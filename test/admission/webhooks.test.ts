import { beforeEach, describe, expect, it } from 'vitest';
import type { Webhook } from '../../machinery/api/admission.ts';
import type { KubeObject } from '../../machinery/api/object.ts';
import type { CallWebhook } from '../../machinery/api/webhook.ts';
import { definitionOf, definitions } from '../server/definition.ts';
import { type AdmissionWorld, admission, configMap, configMaps, createAdmissionWorld, ruleOf } from './world.ts';

interface AdmissionRequest {
  uid: string;
  operation: string;
  object: KubeObject<unknown> & { data?: Record<string, string> };
  oldObject: KubeObject | null;
  [field: string]: unknown;
}
type Respond = (request: AdmissionRequest) => object | Promise<object>;

let world: AdmissionWorld;
let calls: { url: string; request: AdmissionRequest; timeout: number | undefined }[];
let hooks: Record<string, Respond>;

const callWebhook: CallWebhook = async ({ url = '', path = '' }, body, { timeout } = {}) => {
  const { request, apiVersion } = body as { request: AdmissionRequest; apiVersion: string };
  calls.push({ url: `${url}${path}`, request, timeout });
  const name = new URL(`${url}${path}`).pathname.slice(1);
  const response = await hooks[name]!(request);
  return 'response' in response
    ? response
    : { apiVersion, kind: 'AdmissionReview', response: { uid: request.uid, ...response } };
};

beforeEach(() => {
  calls = [];
  hooks = {};
  world = createAdmissionWorld({ callWebhook });
});

const paths = {
  Mutating: `${admission}/mutatingwebhookconfigurations`,
  Validating: `${admission}/validatingwebhookconfigurations`,
};
type Kind = keyof typeof paths;

const webhookOf = (name: string, more: Partial<Webhook> = {}): Webhook => ({
  name: `${name}.hooks.example`,
  clientConfig: { url: `https://hooks.example/${name}` },
  rules: [ruleOf()],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});
const configurationOf = (kind: Kind, name: string, webhooks: Webhook[]) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: { name },
  webhooks,
});
const configure = async (kind: Kind, name: string, ...webhooks: Webhook[]) => {
  const { status, body } = await world.root.post(paths[kind], configurationOf(kind, name, webhooks));
  expect(status, body.message).toBe(201);
};

const allow = () => ({ allowed: true });
const patch = (...operations: object[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
const set = (key: string, value: string) => patch({ op: 'add', path: `/data/${key}`, value });

describe('a validating webhook', () => {
  it('is asked about the object as it would be stored, by whom and how', async () => {
    hooks.check = allow;
    await configure('Validating', 'checks', webhookOf('check', { timeoutSeconds: 3 }));
    await world.root.post(`${configMaps}?fieldManager=me`, configMap('a', { n: '1' }));
    expect(calls).toHaveLength(1);
    expect(calls[0]!.timeout).toBe(3000);
    expect(calls[0]!.request).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      name: 'a',
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'root', groups: ['system:masters', 'system:authenticated'] },
      object: { apiVersion: 'v1', kind: 'ConfigMap', data: { n: '1' }, metadata: { uid: expect.any(String) } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me' },
    });
    await world.root.delete(`${configMaps}/a`);
    expect(calls[1]!.request).toMatchObject({ operation: 'DELETE', object: null, oldObject: { data: { n: '1' } } });
  });

  it.each<{ rule: string; response: object; status: number; message: string }>([
    {
      rule: 'with a message',
      response: { allowed: false, status: { message: 'not today', code: 403, reason: 'Forbidden' } },
      status: 403,
      message: 'admission webhook "check.hooks.example" denied the request: not today',
    },
    {
      rule: 'with a reason',
      response: { allowed: false, status: { reason: 'Odd' } },
      status: 400,
      message: 'admission webhook "check.hooks.example" denied the request: Odd',
    },
    {
      rule: 'without a word',
      response: { allowed: false, status: { code: 200 } },
      status: 400,
      message: 'admission webhook "check.hooks.example" denied the request without explanation',
    },
  ])('refuses $rule', async ({ response, status, message }) => {
    hooks.check = () => response;
    await configure('Validating', 'checks', webhookOf('check'));
    const answer = await world.create();
    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });

  it.each<{ rule: string; respond: Respond; message: string }>([
    {
      rule: 'does not answer',
      respond: () => Promise.reject(new Error('connection refused')),
      message: 'failed to call webhook: connection refused',
    },
    {
      rule: 'answers another request',
      respond: () => ({ uid: 'other', allowed: true }),
      message: 'received invalid webhook response: expected response.uid="',
    },
    { rule: 'answers nothing', respond: () => ({ response: undefined }), message: 'webhook response was absent' },
    {
      rule: 'answers something else',
      respond: ({ uid }) => ({ apiVersion: 'v1', kind: 'Pod', response: { uid, allowed: true } }),
      message: 'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got v1, Kind=Pod',
    },
    { rule: 'changes the object', respond: () => set('a', 'b'), message: 'may not return response.patch' },
  ])('that $rule is decided on by its failure policy', async ({ respond, message }) => {
    hooks.check = respond;
    await configure('Validating', 'checks', webhookOf('check'));
    const { status, body } = await world.create();
    expect(status).toBe(500);
    expect(body.reason).toBe('InternalError');
    expect(body.message).toContain(`Internal error occurred: failed calling webhook "check.hooks.example": `);
    expect(body.message).toContain(message);
    await world.root.patch(`${paths.Validating}/checks`, 'json', [
      { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' },
    ]);
    expect((await world.create()).status).toBe(201);
    const failedOpen = 'validating.webhook.admission.k8s.io/failed-open-round_0_index_0';
    expect(world.events.at(-1)!.annotations[failedOpen]).toBe('check.hooks.example');
  });

  it('warns and annotates', async () => {
    hooks.check = () => ({ allowed: true, warnings: ['odd'], auditAnnotations: { size: 'large' } });
    await configure('Validating', 'checks', webhookOf('check'));
    const { headers } = await world.create();
    expect(headers.get('warning')).toBe('299 - "odd"');
    expect(world.events.at(-1)!.annotations).toMatchObject({ 'check.hooks.example/size': 'large' });
  });

  it('is asked in dry runs if it says that it has no side effects', async () => {
    hooks.check = allow;
    const configuration = configurationOf('Validating', 'checks', [webhookOf('check', { sideEffects: 'Some' })]);
    const refused = await world.root.post(paths.Validating, configuration);
    expect(refused.body.message).toContain('supported values: "None", "NoneOnDryRun"');
    await configure('Validating', 'checks', webhookOf('check', { sideEffects: 'NoneOnDryRun' }));
    expect((await world.root.post(`${configMaps}?dryRun=All`, configMap('a'))).status).toBe(201);
    expect(calls[0]!.request.dryRun).toBe(true);
  });

  it('is asked only about what it selects', async () => {
    hooks.check = () => ({ allowed: false });
    const refuses = async (more: Partial<Webhook>) => {
      await configure('Validating', 'checks', webhookOf('check', more));
      const { status } = await world.create({}, { labels: { size: 'large' } });
      await world.root.delete(`${paths.Validating}/checks`);
      return status === 400;
    };
    expect(await refuses({ objectSelector: { matchLabels: { size: 'small' } } })).toBe(false);
    expect(await refuses({ objectSelector: { matchLabels: { size: 'large' } } })).toBe(true);
    expect(await refuses({ namespaceSelector: { matchLabels: { team: 'a' } } })).toBe(false);
    expect(
      await refuses({ matchConditions: [{ name: 'no', expression: "object.metadata.labels.size == 'small'" }] }),
    ).toBe(false);
    expect(
      await refuses({ matchConditions: [{ name: 'yes', expression: 'request.userInfo.username == "root"' }] }),
    ).toBe(true);
    expect(await refuses({ rules: [ruleOf('secrets')] })).toBe(false);
  });

  it('is asked after the policies, and never about objects of admission', async () => {
    hooks.check = () => ({ allowed: false });
    const rules = [ruleOf('*', '*', { apiVersions: ['*'], operations: ['*'] })];
    await configure('Validating', 'checks', webhookOf('check', { rules }));
    await world.demand({ validations: [{ expression: 'false', message: 'first' }] });
    expect((await world.create()).body.message).toContain('first');
    expect(calls).toEqual([]);
    expect((await world.root.delete(`${paths.Validating}/checks`)).status).toBe(200);
  });
});

describe('a mutating webhook', () => {
  it('changes the object, which is then defaulted, validated and stored', async () => {
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                size: { type: 'integer' },
                part: { type: 'object', properties: { weight: { type: 'integer', default: 7 } } },
              },
            },
          },
        },
      },
    };
    await world.root.post(definitions, definitionOf({ versions: [version] } as never));
    const gadgets = '/apis/shop.example/v1/namespaces/default/gadgets';
    const gadget = (name: string) => ({ apiVersion: 'shop.example/v1', kind: 'Gadget', metadata: { name }, spec: {} });
    await configure('Mutating', 'sets', webhookOf('set', { rules: [ruleOf('gadgets', 'shop.example')] }));
    hooks.set = () =>
      patch({ op: 'add', path: '/spec/part', value: { lost: 1 } }, { op: 'add', path: '/spec/size', value: 3 });
    const made = await world.root.post(gadgets, gadget('a'));
    expect(made.body.spec).toEqual({ size: 3, part: { weight: 7 } });
    expect(JSON.stringify(made.body.metadata.managedFields)).not.toContain('f:size');
    hooks.set = () => patch({ op: 'add', path: '/spec/size', value: 'large' });
    const refused = await world.root.post(gadgets, gadget('b'));
    expect([refused.status, refused.body.message]).toEqual([422, expect.stringContaining('spec.size: Invalid value')]);
    hooks.set = () => patch({ op: 'replace', path: '/metadata/name', value: 'c' });
    expect((await world.root.post(gadgets, gadget('b'))).body.metadata.name).toBe('b');
  });

  it('sees what the ones before it made, in the order of names', async () => {
    hooks.first = ({ object }) => set('order', `${object.data?.order ?? ''}1`);
    hooks.second = ({ object }) => set('order', `${object.data?.order ?? ''}2`);
    hooks.third = ({ object }) => set('order', `${object.data?.order ?? ''}3`);
    await configure('Mutating', 'b', webhookOf('third'));
    await configure('Mutating', 'a', webhookOf('first'), webhookOf('second'));
    expect((await world.create({})).body.data).toEqual({ order: '123' });
  });

  it('is asked again if it wants and later ones changed the object', async () => {
    hooks.again = ({ object }) => set('again', String(Number(object.data?.again ?? '0') + 1));
    hooks.once = ({ object }) => set('once', String(Number(object.data?.once ?? '0') + 1));
    hooks.idle = allow;
    await configure(
      'Mutating',
      'a',
      webhookOf('again', { reinvocationPolicy: 'IfNeeded' }),
      webhookOf('once'),
      webhookOf('idle', { reinvocationPolicy: 'IfNeeded' }),
    );
    expect((await world.create({})).body.data).toEqual({ again: '2', once: '1' });
    expect(calls.map(({ url }) => url.split('/').at(-1))).toEqual(['again', 'once', 'idle', 'again', 'idle']);
  });

  it('takes the object in the version that it names', async () => {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
    await world.root.post(definitions, definitionOf({ versions } as never));
    hooks.set = ({ object }) => patch({ op: 'add', path: '/seen', value: object.apiVersion });
    const rules = [{ ...ruleOf('gadgets', 'shop.example'), apiVersions: ['v1'] }];
    await configure('Mutating', 'sets', webhookOf('set', { rules }));
    const gadget = { apiVersion: 'shop.example/v2', kind: 'Gadget', metadata: { name: 'a' } };
    const { body } = await world.root.post('/apis/shop.example/v2/namespaces/default/gadgets', gadget);
    expect(body).toMatchObject({ apiVersion: 'shop.example/v2', seen: 'shop.example/v1' });
    expect(calls[0]!.request).toMatchObject({ kind: { version: 'v1' }, requestKind: { version: 'v2' } });
  });

  it.each<{ rule: string; respond: Respond; message: string; ignores: boolean }>([
    {
      rule: 'a patch without its type',
      respond: () => ({ allowed: true, patch: 'W10=' }),
      message: 'but not response.patchType',
      ignores: true,
    },
    {
      rule: 'a type without a patch',
      respond: () => ({ allowed: true, patchType: 'JSONPatch' }),
      message: 'but not response.patch',
      ignores: true,
    },
    {
      rule: 'a patch that is none',
      respond: () => ({ allowed: true, patchType: 'JSONPatch', patch: 'e30=' }),
      message: 'undecodable patch',
      ignores: true,
    },
    {
      rule: 'a patch that does not apply',
      respond: () => patch({ op: 'remove', path: '/data/lost' }),
      message: 'does not apply',
      ignores: false,
    },
  ])('that answers $rule fails', async ({ respond, message, ignores }) => {
    hooks.set = respond;
    await configure('Mutating', 'sets', webhookOf('set'));
    const { status, body } = await world.create();
    expect([status, body.message]).toEqual([500, expect.stringContaining(message)]);
    await world.root.patch(`${paths.Mutating}/sets`, 'json', [
      { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' },
    ]);
    expect((await world.create()).status).toBe(ignores ? 201 : 500);
  });

  it('changes no deletion', async () => {
    hooks.set = () => set('a', 'b');
    await configure(
      'Mutating',
      'sets',
      webhookOf('set', { rules: [ruleOf('configmaps', '', { operations: ['DELETE'] })] }),
    );
    await world.root.post(configMaps, configMap('a'));
    const { status, body } = await world.root.delete(`${configMaps}/a`);
    expect([status, body.message]).toEqual([500, expect.stringContaining('not supported for this operation')]);
  });

  it('changes updates, scales and what controllers create', async () => {
    hooks.set = ({ operation }) => set('by', operation);
    await configure('Mutating', 'sets', webhookOf('set'));
    await world.root.post(configMaps, configMap('a'));
    const updated = await world.root.patch(`${configMaps}/a`, 'merge', { data: { n: '1' } });
    expect(updated.body.data).toEqual({ n: '1', by: 'UPDATE' });
    const { writer, kinds } = world.foundation;
    const object = { ...configMap('b', { m: '1' }), metadata: { name: 'b', namespace: 'default' } };
    const made = await writer.create(kinds.named('ConfigMap'), object, { writer: 'pool' });
    expect(made.data).toEqual({ m: '1', by: 'CREATE' });
  });

  it('has no more time than the client', async () => {
    hooks.set = async () => {
      await world.clock.advance(29_000);
      return { allowed: true };
    };
    await configure(
      'Mutating',
      'sets',
      webhookOf('set', { timeoutSeconds: 30 }),
      webhookOf('last', { timeoutSeconds: 30 }),
    );
    hooks.last = allow;
    await world.create();
    expect(calls.map(({ timeout }) => timeout)).toEqual([30_000, 1000]);
  });
});

describe('a service', () => {
  const service = { namespace: 'hooks', name: 'checks', path: '/check' };

  it('is called at the address that users give it, else the call says what to do', async () => {
    hooks.check = allow;
    const warned = await world.root.post(
      paths.Validating,
      configurationOf('Validating', 'checks', [webhookOf('check', { clientConfig: { service } })]),
    );
    expect(warned.headers.get('warning')).toContain('needs an address in the ConfigMap');
    expect((await world.create()).body.message).toContain(
      'the service hooks/checks has no address here: give the webhook by its url, or write the address as hooks.checks into the ConfigMap webhook-services in kube-system',
    );
    await world.root.delete(`${paths.Validating}/checks`);
    const addresses = configMap('webhook-services', { 'hooks.checks': 'https://hooks.example/' });
    await world.root.post('/api/v1/namespaces/kube-system/configmaps', addresses);
    await configure('Validating', 'checks', webhookOf('check', { clientConfig: { service } }));
    expect((await world.create()).status).toBe(201);
    expect(calls.map(({ url }) => url)).toEqual(['https://hooks.example/check']);
  });
});

describe('a configuration', () => {
  it.each<{ rule: string; change: Partial<Webhook>; field: string; message: string }>([
    {
      rule: 'without an address',
      change: { clientConfig: {} },
      field: 'clientConfig',
      message: 'exactly one of url or service is required',
    },
    {
      rule: 'without TLS',
      change: { clientConfig: { url: 'http://a.example' } },
      field: 'clientConfig.url',
      message: "'https' is the only allowed URL scheme",
    },
    {
      rule: 'with a query',
      change: { clientConfig: { url: 'https://a.example?b' } },
      field: 'clientConfig.url',
      message: 'query parameters are not permitted',
    },
    { rule: 'with a short name', change: { name: 'short' }, field: 'name', message: 'at least three segments' },
    {
      rule: 'with a long timeout',
      change: { timeoutSeconds: 31 },
      field: 'timeoutSeconds',
      message: 'between 1 and 30 seconds',
    },
    {
      rule: 'with unknown versions',
      change: { admissionReviewVersions: ['v7'] },
      field: 'admissionReviewVersions',
      message: 'must include at least one of v1, v1beta1',
    },
    {
      rule: 'with a condition that does not parse',
      change: { matchConditions: [{ name: 'a', expression: 'b.' }] },
      field: 'matchConditions[0].expression',
      message: 'compilation failed',
    },
  ])('$rule is refused', async ({ change, field, message }) => {
    const configuration = configurationOf('Mutating', 'a', [webhookOf('a', change)]);
    const { status, body } = await world.root.post(paths.Mutating, configuration);
    expect(status).toBe(422);
    expect(body.details.causes.find((one) => one.field === `webhooks[0].${field}`)?.message).toContain(message);
  });

  it('gets defaults', async () => {
    await configure('Mutating', 'a', webhookOf('a'));
    const { body } = await world.root.get(`${paths.Mutating}/a`);
    expect((body as unknown as { webhooks: Webhook[] }).webhooks[0]).toMatchObject({
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
      reinvocationPolicy: 'Never',
      timeoutSeconds: 10,
      rules: [{ scope: '*' }],
    });
  });
});
