import { beforeEach, describe, expect, it } from 'vitest';
import { memoryTable } from '../../adapters/memory/table.ts';
import { type VirtualClock, virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { createAwaits, taskTimeout } from './awaits.ts';
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
/** A table that removes nothing at its end, as DynamoDB does not for two days. */
const slowTable = (clock: VirtualClock) => memoryTable({ clock, ttlDelay: () => 2 * 24 * 3600 });
const open = () => {
  const clock = virtualClock(0);
  return createAwaits({ table: slowTable(clock), workflows, clock });
};
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
  it.each([
    { rule: 'is kept while its token works', seconds: taskTimeout, waiting: ['first', 'second'] },
    { rule: 'is ignored once its token has expired', seconds: 2 * taskTimeout, waiting: ['second'] },
  ])('$rule', async ({ seconds, waiting }) => {
    const clock = virtualClock(0);
    const awaits = createAwaits({ table: slowTable(clock), workflows, clock });
    await awaits.add(type, key, { step: 'first', uid: 'u', token: 't1' });
    await clock.advance(seconds * 1000);
    await awaits.add(type, key, { step: 'second', uid: 'u', token: 't2' });
    expect((await awaits.of(type, key)).map(({ step }) => step).sort()).toEqual(waiting);
  });
  it('is removed by the table once its token has expired', async () => {
    const clock = virtualClock(0);
    const table = memoryTable({ clock });
    await createAwaits({ table, workflows, clock }).add(type, key, { step: 'Network', uid: 'u', token: 't' });
    await clock.advance(2 * taskTimeout * 1000);
    const pk = `await#${type}#default/a-create-1`;
    expect((await table.query({ pk, consistent: true })).items).toEqual([]);
  });
  it('of an earlier version, which has no end, is found', async () => {
    const clock = virtualClock(0);
    const table = memoryTable({ clock });
    const put = { pk: `await#${type}#default/a-create-1`, sk: 'hash', step: 'Network', uid: 'u', token: 't' };
    await table.write({ put });
    await clock.advance(48 * taskTimeout * 1000);
    expect(await createAwaits({ table, workflows, clock }).of(type, key)).toEqual([
      { id: 'hash', step: 'Network', uid: 'u' },
    ]);
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
