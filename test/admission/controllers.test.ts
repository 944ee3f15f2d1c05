/** Policies of users and what controllers write. */
import { beforeEach, describe, expect, it } from 'vitest';
import { consequenceOf } from '../../machinery/controller/ports.ts';
import { type AdmissionWorld, configMap, createAdmissionWorld, ruleOf } from './world.ts';

let world: AdmissionWorld;
const by = { writer: 'pool' };
const key = (name: string) => ({ namespace: 'default', name });
const inDefault = (object: ReturnType<typeof configMap>) => ({
  ...object,
  metadata: { ...object.metadata, namespace: 'default' },
});
const writer = () => world.foundation.writer;
const kind = (name: string) => world.foundation.kinds.named(name);
const errorOf = (write: Promise<unknown>) =>
  write.then(
    () => undefined,
    (error: Error & { code: number }) => error,
  );
const everything = { resourceRules: [ruleOf('*/*', '*', { apiVersions: ['*'], operations: ['*'] })] };

beforeEach(async () => {
  world = createAdmissionWorld();
  // The first request begins the installation.
  await world.root.get('/api/v1/namespaces');
  await writer().create(kind('ConfigMap'), inDefault(configMap('known', { n: '1' })), by);
});

describe('a policy that changes everything', () => {
  const labelling = (value: string) => ({
    matchConstraints: everything,
    mutations: [
      {
        patchType: 'ApplyConfiguration' as const,
        applyConfiguration: { expression: `Object{metadata: Object.metadata{labels: {'by': ${value}}}}` },
      },
    ],
  });

  it('changes what a controller creates, but not what it changes', async () => {
    await world.change(labelling('request.userInfo.username.replace(":", ".")'));
    const made = await writer().create(kind('ConfigMap'), inDefault(configMap('made')), by);
    expect(made.metadata.labels).toEqual({ by: 'system.capstan.pool' });
    const next = await writer().update(kind('ConfigMap'), key('known'), (one) => ({ ...one, data: { n: '2' } }), by);
    expect(next.metadata.labels).toBeUndefined();
  });

  it('refuses what a controller creates while it fails, and nothing else', async () => {
    await world.change(labelling('object.missing'));
    const error = await errorOf(writer().create(kind('ConfigMap'), inDefault(configMap('made')), by));
    expect(error?.code).toBe(403);
    expect(error?.message).toContain("policy 'change.example' with binding 'change.example-binding' denied request");
    expect(consequenceOf(error)).toBe('retry');
    const change = writer().update(kind('ConfigMap'), key('known'), (one) => ({ ...one, data: {} }), by);
    expect(await errorOf(change)).toBeUndefined();
    const report = (one: object) => ({ ...one, status: { phase: 'Odd' } });
    const namespace = { namespace: '', name: 'default' };
    expect(await errorOf(writer().updateStatus(kind('Namespace'), namespace, report as never, by))).toBeUndefined();
    expect(await errorOf(writer().remove(kind('ConfigMap'), key('known'), by))).toBeUndefined();
  });
});

describe('a policy that refuses everything', () => {
  beforeEach(() =>
    world.demand({ matchConstraints: everything, validations: [{ expression: 'false', message: 'no' }] }),
  );

  it('refuses what a controller creates, by name, until it is gone', async () => {
    const create = () => writer().create(kind('ConfigMap'), inDefault(configMap('made')), by);
    const error = await errorOf(create());
    expect(error?.code).toBe(422);
    expect(error?.message).toBe(
      `configmaps "made" is forbidden: ValidatingAdmissionPolicy 'demand.example' with binding 'demand.example-binding' denied request: no`,
    );
    expect(consequenceOf(error)).toBe('retry');
    await world.root.delete('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/demand.example');
    expect(await errorOf(create())).toBeUndefined();
  });

  it('refuses what a controller changes of content and labels', async () => {
    const change = (changed: object) =>
      errorOf(writer().update(kind('ConfigMap'), key('known'), (one) => ({ ...one, ...changed }), by));
    expect((await change({ data: { n: '2' } }))?.code).toBe(422);
    const relabel = (one: { metadata: object }) => ({ ...one, metadata: { ...one.metadata, labels: { a: 'b' } } });
    expect((await errorOf(writer().update(kind('ConfigMap'), key('known'), relabel as never, by)))?.code).toBe(422);
  });

  it('stops neither finalizers, nor annotations, nor deletions', async () => {
    const annotate = (one: { metadata: object }) => ({
      ...one,
      metadata: { ...one.metadata, annotations: { a: 'b' }, finalizers: ['example.com/held'] },
    });
    expect(await errorOf(writer().update(kind('ConfigMap'), key('known'), annotate as never, by))).toBeUndefined();
    expect(await errorOf(writer().remove(kind('ConfigMap'), key('known'), by))).toBeUndefined();
    const release = (one: { metadata: object }) => ({
      ...one,
      data: {},
      metadata: { ...one.metadata, finalizers: [] },
    });
    expect(await errorOf(writer().update(kind('ConfigMap'), key('known'), release as never, by))).toBeUndefined();
    expect((await world.root.get('/api/v1/namespaces/default/configmaps/known')).status).toBe(404);
  });

  it('stops no status', async () => {
    const report = (one: object) => ({ ...one, status: { phase: 'Odd' } });
    const namespace = { namespace: '', name: 'default' };
    expect(await errorOf(writer().updateStatus(kind('Namespace'), namespace, report as never, by))).toBeUndefined();
  });

  it('stops no record of what happens', async () => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: 'default', name: 'seen' },
      involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'known' },
      reason: 'Refused',
      type: 'Warning',
    };
    const found = world.foundation.kinds.find('', 'Event')!;
    expect(await errorOf(writer().create(found, event, by))).toBeUndefined();
  });
});
