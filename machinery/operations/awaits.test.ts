import { beforeEach, describe, expect, it } from 'vitest';
import { memoryTable } from '../../adapters/memory/table.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createAwaits } from './awaits.ts';
import { createOperate, taskInputOf } from './operate.ts';

const type = 'clusteroperations.capstan.dev';
const key = { namespace: 'default', name: 'a-create-1' };
const other = { namespace: 'default', name: 'a-create-10' };

let answered: unknown[] = [];
let failure: Error | undefined;
const workflows = {
  succeed: async (token: string, output: unknown) => {
    if (failure) throw failure;
    answered.push({ token, output });
  },
  fail: async (token: string, error: string, cause: string) => {
    answered.push({ token, error, cause });
  },
};
const open = () => createAwaits(memoryTable({ clock: virtualClock(0) }), workflows);
let awaits = open();
beforeEach(() => {
  answered = [];
  failure = undefined;
  awaits = open();
});

describe('a task that waits for an object', () => {
  it('is listed without its token', async () => {
    await awaits.add(type, key, { step: 'Network', uid: 'u', token: 'secret-token' });
    const found = await awaits.of(type, key);
    expect(found).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{32}$/), step: 'Network', uid: 'u' }]);
    expect(JSON.stringify(found)).not.toContain('secret-token');
  });
  it('belongs to that object only', async () => {
    await awaits.add(type, key, { step: 'Network', uid: 'u', token: 't' });
    expect(await awaits.of(type, other)).toEqual([]);
  });
  it('is stored once per token', async () => {
    for (const token of ['t1', 't1', 't2']) await awaits.add(type, key, { step: 'Network', uid: 'u', token });
    expect(await awaits.of(type, key)).toHaveLength(2);
  });
  it('is completed once', async () => {
    await awaits.add(type, key, { step: 'Network', uid: 'u', token: 't1' });
    await awaits.add(type, key, { step: 'Network', uid: 'u', token: 't2' });
    const [first, second] = await awaits.of(type, key);
    const answers = [
      { to: first!.id, output: {} },
      { to: second!.id, error: 'StepRefused', cause: 'no' },
    ];
    await awaits.answer(type, key, answers);
    await awaits.answer(type, key, answers);
    expect(answered).toHaveLength(2);
    expect(answered).toContainEqual(expect.objectContaining({ error: 'StepRefused', cause: 'no' }));
    expect(await awaits.of(type, key)).toEqual([]);
  });
  it('is kept when the workflow was unreachable', async () => {
    await awaits.add(type, key, { step: 'Network', uid: 'u', token: 't' });
    const [one] = await awaits.of(type, key);
    failure = new Error('unreachable');
    await expect(awaits.answer(type, key, [{ to: one!.id, output: {} }])).rejects.toThrow('unreachable');
    failure = undefined;
    await awaits.answer(type, key, [{ to: one!.id, output: {} }]);
    expect(answered).toEqual([{ token: 't', output: {} }]);
  });
  it('is deleted with its workflow', async () => {
    await awaits.add(type, key, { step: 'Network', uid: 'u', token: 't' });
    await awaits.forget(type, key);
    expect(await awaits.of(type, key)).toEqual([]);
    expect(answered).toEqual([]);
  });
});

describe('the task of a state', () => {
  const payload = { task: 'Held', token: 't', operation: { ...key, uid: 'u' }, error: 'Lambda.Unknown' };
  it('stores its token before it wakes the object', async () => {
    const order: unknown[] = [];
    const operate = createOperate({
      awaits: { add: async (...args) => void order.push(['add', ...args]) },
      work: { request: async (...args) => void order.push(['wake', ...args]) },
      controller: 'cluster-operation',
      type,
    });
    await operate(payload);
    expect(order).toEqual([
      ['add', type, key, { step: 'Held', uid: 'u', token: 't', error: 'Lambda.Unknown' }],
      ['wake', { controller: 'cluster-operation', type, ...key }, { urgent: true }],
    ]);
  });
  it.each([
    ['nothing', undefined],
    ['no token', { ...payload, token: undefined }],
    ['an empty task', { ...payload, task: '' }],
    ['no UID', { ...payload, operation: key }],
  ])('refuses %s', (_, input) => {
    expect(() => taskInputOf(input)).toThrow('names no task, token or operation');
  });
});
