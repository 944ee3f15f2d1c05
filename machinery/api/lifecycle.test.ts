import { describe, expect, it } from 'vitest';
import { cluster, configMap, make, namespace, part, widget } from '../../test/loop/kinds.ts';
import type { Decision } from '../store/store.ts';
import {
  prepareCreate,
  prepareDelete,
  prepareStatusUpdate,
  prepareUpdate,
  type Request,
  refusalOfNamespace,
} from './lifecycle.ts';
import type { KubeObject, ObjectMeta } from './object.ts';

const request: Request = {
  now: Date.parse('2026-01-01T00:00:00.999Z'),
  uid: () => 'uid-1',
  user: { username: 'tester', groups: [] },
};
const stored = (metadata: Partial<ObjectMeta> = {}, rest: Partial<KubeObject> = {}): KubeObject =>
  make(widget, 'a', {
    spec: { size: 1 },
    status: { size: 1 },
    ...rest,
    metadata: {
      name: 'a',
      namespace: 'default',
      uid: 'uid-1',
      resourceVersion: '7',
      generation: 3,
      creationTimestamp: '2025-12-31T00:00:00Z',
      ...metadata,
    },
  });
const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 };
const refusal = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error as { code: number; reason: string; message: string };
  }
  throw new Error('not refused');
};

describe('create', () => {
  it('sets the identity and generation 1, and drops the status', () => {
    const object = { ...make(widget, 'a', { spec: { size: 1 } }), status: { size: 9 } };
    object.metadata = { ...object.metadata, uid: 'mine', generation: 9, ...deleting };
    expect(prepareCreate(widget, object, undefined, request)).toEqual({
      do: 'put',
      object: make(widget, 'a', {
        spec: { size: 1 },
        metadata: {
          name: 'a',
          namespace: 'default',
          uid: 'uid-1',
          generation: 1,
          creationTimestamp: '2026-01-01T00:00:00Z',
        },
      }),
    });
  });
  it('sets no generation for built-in kinds', () => {
    expect(
      prepareCreate(configMap, make(configMap, 'm'), undefined, request).object.metadata.generation,
    ).toBeUndefined();
  });
  it.each([
    { rule: 'an existing name', object: make(widget, 'a'), current: stored(), code: 409, reason: 'AlreadyExists' },
    {
      rule: 'an object with a resourceVersion',
      object: make(widget, 'a', { metadata: { name: 'a', resourceVersion: '1' } }),
      current: undefined,
      code: 400,
      reason: 'BadRequest',
    },
    {
      rule: 'an object that its kind finds invalid',
      object: make(widget, 'a', { spec: { size: -1 } }),
      current: undefined,
      code: 422,
      reason: 'Invalid',
    },
  ])('refuses $rule', ({ object, current, code, reason }) => {
    expect(refusal(() => prepareCreate(widget, object, current, request))).toMatchObject({ code, reason });
  });
  it('refuses a namespace that is missing or terminating', () => {
    const { metadata } = make(part, 'p');
    expect(refusalOfNamespace(part, metadata, undefined)).toMatchObject({ code: 404 });
    const going = make(namespace, 'default', { metadata: { name: 'default', ...deleting } });
    expect(refusalOfNamespace(part, metadata, going)).toMatchObject({
      code: 403,
      details: { causes: [{ reason: 'NamespaceTerminating' }] },
    });
    expect(refusalOfNamespace(part, metadata, make(namespace, 'default'))).toBeUndefined();
    expect(refusalOfNamespace(namespace, { name: 'x' }, undefined)).toBeUndefined();
  });
});

const updated = (decision: Decision) => ({
  do: decision.do,
  generation: decision.object.metadata.generation,
  spec: decision.object.spec,
  status: decision.object.status,
});

describe('update', () => {
  it.each([
    { rule: 'increments the generation with the spec', change: { spec: { size: 2 } }, does: 'put', generation: 4 },
    { rule: 'writes nothing without a change', change: {}, does: 'nothing', generation: 3 },
    { rule: 'ignores status', change: { status: { size: 5 } }, does: 'nothing', generation: 3 },
    {
      rule: 'keeps the generation when only metadata changes',
      change: { metadata: { ...stored().metadata, labels: { a: 'b' } } },
      does: 'put',
      generation: 3,
    },
  ])('$rule', ({ change, does, generation }) => {
    const decision = prepareUpdate(widget, { ...stored(), ...change }, stored(), request);
    expect(updated(decision)).toMatchObject({ do: does, generation, status: { size: 1 } });
  });

  it('preserves fields that only the server writes', () => {
    const object = stored({ creationTimestamp: 'x', generation: 99, ...deleting }, { spec: { size: 2 } });
    const { metadata } = prepareUpdate(widget, object, stored(), request).object;
    expect(metadata).toEqual({ ...stored().metadata, generation: 4 });
  });

  it.each([
    {
      rule: 'a missing object',
      object: stored(),
      current: undefined,
      code: 404,
      says: 'widgets.toys.example "a" not found',
    },
    {
      rule: 'a stale resourceVersion',
      object: stored({ resourceVersion: '6' }),
      current: stored(),
      code: 409,
      says: 'modified',
    },
    {
      rule: 'another UID',
      object: stored({ uid: 'other' }),
      current: stored(),
      code: 409,
      says: 'UID in precondition: other',
    },
    {
      rule: 'new finalizers during deletion',
      object: stored({ finalizers: ['a/b', 'c/d'] }),
      current: stored({ finalizers: ['a/b'], ...deleting }),
      code: 422,
      says: 'no new finalizers can be added if the object is being deleted, found new finalizers []string{"c/d"}',
    },
  ])('refuses $rule', ({ object, current, code, says }) => {
    const error = refusal(() => prepareUpdate(widget, object, current, request));
    expect(error.code).toBe(code);
    expect(error.message).toContain(says);
  });

  it('removes a deleted object with its last finalizer', () => {
    const current = stored({ finalizers: ['a/b'], ...deleting });
    expect(prepareUpdate(widget, stored({ finalizers: [] }), current, request).do).toBe('remove');
  });

  it('changes the finalizers of a Namespace only through the finalize subresource', () => {
    const meta = { name: 'n', uid: 'u', ...deleting };
    const current = make(namespace, 'n', { spec: { finalizers: ['kubernetes'] }, metadata: meta });
    const object = make(namespace, 'n', { spec: { finalizers: [] }, metadata: meta });
    expect(prepareUpdate(namespace, object, current, request).do).toBe('nothing');
    expect(prepareUpdate(namespace, object, current, { ...request, subresource: 'finalize' }).do).toBe('remove');
  });
});

describe('update of status', () => {
  it('writes only the status', () => {
    const object = stored({ labels: { a: 'b' } }, { spec: { size: 2 }, status: { size: 2 } });
    const decision = prepareStatusUpdate(widget, object, stored(), request);
    expect(decision).toEqual({ do: 'put', object: stored({}, { status: { size: 2 } }) });
  });
  it('writes nothing without a change', () => {
    expect(prepareStatusUpdate(widget, stored({}, { spec: {} }), stored(), request).do).toBe('nothing');
  });
});

describe('delete', () => {
  const options = (propagationPolicy?: 'Background' | 'Foreground' | 'Orphan') => ({
    ...(propagationPolicy && { propagationPolicy }),
  });
  it.each([
    {
      rule: 'removes an object without finalizers',
      policy: undefined,
      finalizers: undefined,
      does: 'remove',
      left: undefined,
    },
    { rule: 'marks an object with a finalizer', policy: undefined, finalizers: ['a/b'], does: 'put', left: ['a/b'] },
    {
      rule: 'adds a finalizer for the Foreground policy',
      policy: 'Foreground',
      finalizers: undefined,
      does: 'put',
      left: ['foregroundDeletion'],
    },
    {
      rule: 'adds a finalizer for the Orphan policy',
      policy: 'Orphan',
      finalizers: ['a/b'],
      does: 'put',
      left: ['a/b', 'orphan'],
    },
    {
      rule: 'removes those finalizers for the Background policy',
      policy: 'Background',
      finalizers: ['foregroundDeletion'],
      does: 'remove',
      left: undefined,
    },
    {
      rule: 'keeps those finalizers without a policy',
      policy: undefined,
      finalizers: ['orphan'],
      does: 'put',
      left: ['orphan'],
    },
  ] as const)('$rule', ({ policy, finalizers, does, left }) => {
    const current = stored(finalizers ? { finalizers: [...finalizers] } : {});
    const decision = prepareDelete(widget, 'a', current, options(policy), request);
    expect(decision.do).toBe(does);
    if (does === 'put') {
      expect(decision.object.metadata).toMatchObject({ finalizers: left, generation: 4, ...deleting });
    }
  });

  it('writes nothing the second time', () => {
    const current = stored({ finalizers: ['a/b'], ...deleting });
    expect(prepareDelete(widget, 'a', current, {}, request)).toEqual({ do: 'nothing', object: current });
  });

  it.each([
    {
      rule: 'another UID in the precondition',
      preconditions: { uid: 'other' },
      says: 'the UID in the precondition (other)',
    },
    {
      rule: 'an older resourceVersion in the precondition',
      preconditions: { resourceVersion: '6' },
      says: 'the ResourceVersion in the precondition (6)',
    },
  ])('refuses $rule', ({ preconditions, says }) => {
    const error = refusal(() => prepareDelete(widget, 'a', stored(), { preconditions }, request));
    expect(error.code).toBe(409);
    expect(error.message).toContain(says);
  });

  it('sets a Namespace to Terminating', () => {
    const current = make(namespace, 'n', { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    const decision = prepareDelete(namespace, 'n', current, {}, request);
    expect(decision).toMatchObject({ do: 'put', object: { status: { phase: 'Terminating' } } });
  });

  it('runs the validation of the kind first', () => {
    const guarded = {
      ...cluster,
      validate: () => [{ reason: 'FieldValueForbidden' as const, field: 'metadata', detail: 'no' }],
    };
    expect(refusal(() => prepareDelete(guarded, 'a', make(cluster, 'a'), {}, request)).code).toBe(422);
  });
});

describe('reserved annotations', () => {
  const kind = { ...widget, reservedAnnotations: ['toys.example/note'] };
  const annotated = (annotations?: Record<string, string>) => stored(annotations ? { annotations } : {});
  const fresh = (annotations: Record<string, string>) => make(widget, 'a', { metadata: { name: 'a', annotations } });
  const annotationsOf = (decision: Decision) => ('object' in decision ? decision.object.metadata.annotations : null);

  it('are dropped from an object that an API client creates', () => {
    const object = fresh({ 'toys.example/note': 'x', other: 'y' });
    expect(annotationsOf(prepareCreate(kind, object, undefined, request))).toEqual({ other: 'y' });
    const only = fresh({ 'toys.example/note': 'x' });
    expect(annotationsOf(prepareCreate(kind, only, undefined, request))).toBeUndefined();
  });
  it.each([
    ['set', { 'toys.example/note': 'x' }, undefined],
    ['changed', { 'toys.example/note': 'x' }, { 'toys.example/note': 'y' }],
    ['removed', undefined, { 'toys.example/note': 'y' }],
  ])('are not %s by an API client', (_, sent, before) => {
    const current = annotated(before);
    expect(prepareUpdate(kind, annotated(sent), current, request)).toEqual({ do: 'nothing', object: current });
  });
  it('are written by controllers', () => {
    const written = annotated({ 'toys.example/note': 'x' });
    const decision = prepareUpdate(kind, written, annotated(), { ...request, byController: true });
    expect(annotationsOf(decision)).toEqual({ 'toys.example/note': 'x' });
  });
});
